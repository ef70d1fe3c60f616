//! The drives themselves: state, heat, wear, what is known of the model.

use crate::facts::{Drive, DriveState, Facts, Smart};
use crate::rules::bootloader::drive_name;
use crate::rules::{Finding, check_text, id, known};
use crate::terms::{Generation, celsius};

/// What the bits of the critical warning say.
///
/// Source: NVMe base specification, SMART / Health Information log, byte 0.
const WARNINGS: [&str; 6] = [
    "spare blocks are low",
    "the temperature is out of bounds",
    "it is no longer reliable",
    "it has turned read-only",
    "its backup of volatile memory has failed",
    "its persistent memory is no longer reliable",
];

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    for drive in &facts.drives {
        found.extend(state(drive));
        found.extend(heat(drive));
        if let Some(smart) = &drive.smart {
            health(drive, smart, found);
        }
        found.extend(note(drive));
    }
}

/// A drive that does not work; `None` for one that does.
fn state(drive: &Drive) -> Option<Finding> {
    let name = ("drive", drive_name(drive));
    let at = drive.address.clone().unwrap_or_else(|| drive.name.clone());
    match &drive.state {
        DriveState::Live => None,
        DriveState::NotAnswering => {
            let fast = drive.path.iter().any(|h| h.speed == Some(Generation::GEN3));
            let other = if fast { "2" } else { "3" }.to_owned();
            Some(check_text(id::DRIVE_NOT_ANSWERING, &[name, ("other", other)]).seen(at, "class 0xffffff"))
        }
        DriveState::NoDriver => Some(check_text(id::DRIVE_NO_DRIVER, &[name]).seen(at, "no driver")),
        DriveState::Driver(state) => Some(
            check_text(id::DRIVE_STATE, &[name, ("state", state.clone())]).seen(at, format!("state {state}")),
        ),
    }
}

fn heat(drive: &Drive) -> Option<Finding> {
    let now = drive.temperature_celsius?;
    let limit = drive.warning_celsius.or(drive.critical_celsius)?;
    if now < limit {
        return None;
    }
    let values = [("drive", drive_name(drive)), ("now", celsius(now)), ("limit", celsius(limit))];
    Some(
        check_text(id::DRIVE_HOT, &values)
            .seen("temp1_input", celsius(now))
            .seen("temp1_max", celsius(limit)),
    )
}

fn health(drive: &Drive, smart: &Smart, found: &mut Vec<Finding>) {
    let name = ("drive", drive_name(drive));
    if smart.critical_warning != 0 {
        let set: Vec<_> = WARNINGS
            .iter()
            .enumerate()
            .filter(|(bit, _)| smart.critical_warning & (1 << bit) != 0)
            .map(|(_, words)| *words)
            .collect();
        let what = if set.is_empty() { "a kind nobody documents".into() } else { set.join(", ") };
        let value = format!("{:#04x}", smart.critical_warning);
        found.push(
            check_text(id::SMART_CRITICAL, &[name.clone(), ("what", what)])
                .seen("SMART critical warning", value),
        );
    }
    if smart.media_errors > 0 {
        let count = smart.media_errors.to_string();
        found.push(
            check_text(id::SMART_MEDIA_ERRORS, &[name.clone(), ("count", count.clone())])
                .seen("SMART media errors", count),
        );
    }
    if smart.used_percent >= 100 {
        let used = smart.used_percent.to_string();
        found.push(
            check_text(id::SMART_WORN, &[name.clone(), ("used", used.clone())])
                .seen("SMART percentage used", used),
        );
    }
    let minutes = u64::from(smart.warning_temp_minutes) + u64::from(smart.critical_temp_minutes);
    if minutes > 0 || smart.thermal_transitions > 0 {
        let detail = format!("{} times, {minutes} minutes above its thresholds", smart.thermal_transitions);
        found.push(
            check_text(id::DRIVE_THROTTLED, &[name, ("detail", detail.clone())]).seen("SMART log", detail),
        );
    }
}

fn note(drive: &Drive) -> Option<Finding> {
    let (vendor, device) = drive.vendor.zip(drive.device)?;
    let note = known::drive(vendor, device)?;
    let values = [
        ("drive", drive_name(drive)),
        ("name", note.name),
        ("trouble", note.trouble),
        ("remedy", note.remedy),
    ];
    let finding = check_text(id::DRIVE_NOTE, &values);
    Some(finding.seen(format!("{vendor:04x}:{device:04x}"), note.source))
}
