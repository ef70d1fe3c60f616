//! The step for config.txt.

use super::{Draft, generation, not_certain};
use crate::facts::{Drive, Facts, PortState};
use crate::formats::config_txt::{self, Files, Meaning, Value, Wanted};
use crate::formats::diff;
use crate::rules::bootloader::{drive_name, switch_name};
use crate::rules::findings::{self, gen2_limit};
use crate::rules::machine::{self, LARGEST_CONFIG, lines, needed_bytes};
use crate::rules::{Change, Finding, Goal, LinkGoal, Step, check_text, id};
use crate::terms::{BootMedium, Generation};

/// Adds the step that makes config.txt mean the goal, if one is needed.
pub(super) fn add(facts: &Facts, goal: &Goal, draft: &mut Draft) {
    let Some(wanted) = generation(goal.link) else { return };
    if goal.link == LinkGoal::Gen3 {
        cannot(facts).into_iter().for_each(|f| draft.refuse(f));
    }
    if facts.drives.is_empty() && facts.port.state != PortState::Unknown {
        draft.notes.push(check_text(id::NO_DRIVE_YET, &[]));
    }
    if goal.link == LinkGoal::Gen3 {
        draft.notes.extend(findings::supply(facts));
    }
    let boot = &facts.boot;
    let (Some(files), Some(path)) = (&boot.files, &boot.config_path) else {
        if draft.refusals.is_empty() {
            draft.refuse(machine::unreadable(facts));
        }
        return;
    };
    if boot.same_as_booted.is_none() {
        let device = boot.config_device.clone().unwrap_or_else(|| "a device not known".into());
        draft.notes.push(check_text(id::BOOTED_UNKNOWN, &[("path", path.clone()), ("device", device)]));
    }
    let conditions = machine::conditions(facts);
    let before = config_txt::read(files, &conditions);
    draft.notes.extend(deliberate(&before, wanted));
    match new_text(path, files, &conditions, wanted) {
        Err(finding) => draft.refuse(finding),
        Ok(None) => draft.notes.extend(findings::elsewhere(facts, &before)),
        Ok(Some(after)) => {
            if let Some(space) =
                boot.space.filter(|s| s.free_bytes < needed_bytes(files.top.len(), after.len()))
            {
                draft.refuse(machine::no_space(facts, Some(space.free_bytes), files.top.len()));
            }
            draft.steps.push(step(facts, path, None, files, after, (&before, wanted)));
        }
    }
}

/// The new bytes of config.txt, `None` when it certainly means the goal
/// already. Refused when the new text, read again, would not certainly mean it.
pub(super) fn new_text(
    path: &str,
    files: &Files,
    conditions: &config_txt::Conditions,
    wanted: u32,
) -> Result<Option<Vec<u8>>, Finding> {
    let after = config_txt::append(files, conditions, Wanted { port: true, generation: Some(wanted) });
    let new = Files { top: after, ..files.clone() };
    let meaning = config_txt::read(&new, conditions);
    if !meaning.port.value.is_certainly(&true) || !meaning.generation.value.is_certainly(&wanted) {
        let section = files.eeprom_section.as_ref().is_some_and(|s| !s.trim_ascii().is_empty());
        return Err(not_certain(path, section));
    }
    if new.top == files.top {
        return Ok(None);
    }
    if new.top.len() > LARGEST_CONFIG {
        let evidence = format!("{path}: {} bytes", new.top.len());
        return Err(check_text(id::TOO_LARGE_CONFIG, &[("evidence", evidence)]));
    }
    Ok(Some(new.top))
}

pub(super) fn step(
    facts: &Facts,
    path: &str,
    device: Option<&str>,
    files: &Files,
    after: Vec<u8>,
    (before, wanted): (&Meaning, u32),
) -> Step {
    let shown = device.map_or_else(|| path.to_owned(), |device| format!("{device}:{path}"));
    let diff = diff::unified(&shown, &files.top, &after);
    let words = vec![
        match port_words(before) {
            "on" => "PCIe connector: stays on".into(),
            now => format!("PCIe connector: {now}, then: on"),
        },
        match generation_words(before) {
            now if now == wanted.to_string() => format!("PCIe generation: stays {wanted}"),
            now => format!("PCIe generation: {now}, then: {wanted}"),
        },
    ];
    let change = Change::AppendToFile {
        path: path.to_owned(),
        device: device.map(str::to_owned),
        before: files.top.clone(),
        after,
    };
    let why = match device {
        None if port_words(before) == "on" => format!("asks for Gen {wanted} on the PCIe connector"),
        None => format!("turns the PCIe connector on and asks for Gen {wanted}"),
        Some(device) => {
            format!("a start from the drive reads this file on {device}: the same lines belong there")
        }
    };
    Step { change, why, risk: risk(facts, wanted), diff, words }
}

fn port_words(meaning: &Meaning) -> &'static str {
    match meaning.port.value {
        Value::Certain(true) => "on",
        Value::Certain(false) => "off",
        Value::Uncertain(_) => "not certain",
    }
}

fn generation_words(meaning: &Meaning) -> String {
    match &meaning.generation.value {
        Value::Certain(value) if meaning.generation.lines.is_empty() => format!("{value} (the default)"),
        Value::Certain(value) => value.to_string(),
        Value::Uncertain(_) => "not certain".into(),
    }
}

fn risk(facts: &Facts, wanted: u32) -> String {
    let root_on_drive = facts.boot.medium == Some(BootMedium::Nvme)
        || facts.boot.root.as_ref().is_some_and(|r| r.disk.starts_with("nvme"));
    match (wanted, root_on_drive) {
        (3, true) => "Gen 3 is not certified by Raspberry Pi, and this system is on the drive: if it does not come up, the backup beside config.txt is put back with the boot medium in another computer.",
        (3, false) => "Gen 3 is not certified by Raspberry Pi: if the drive is lost or the Pi hangs, `sudo pi5-nvme undo` or the backup beside config.txt brings it back.",
        _ => "Low: `sudo pi5-nvme undo` or the backup beside config.txt brings it back.",
    }
    .to_owned()
}

/// Why Gen 3 changes nothing on this machine.
fn cannot(facts: &Facts) -> Option<Finding> {
    if let Some(hop) = gen2_limit(&facts.port.switches) {
        return Some(check_text(id::GEN3_BEHIND_SWITCH, &[("switch", switch_name(hop))]));
    }
    for drive in &facts.drives {
        if let Some(hop) = gen2_limit(&drive.path) {
            return Some(check_text(id::GEN3_BEHIND_SWITCH, &[("switch", switch_name(hop))]));
        }
    }
    let slow: Vec<(&Drive, Generation)> = facts
        .drives
        .iter()
        .filter_map(|d| Some((d, d.possible().filter(|p| *p < Generation::GEN3)?)))
        .collect();
    let (drive, possible) = slow.first()?;
    if slow.len() < facts.drives.len() {
        return None;
    }
    let values = [("drive", drive_name(drive)), ("possible", possible.number().to_string())];
    Some(check_text(id::GEN3_DRIVE_CANNOT, &values))
}

/// Settings that somebody wrote down on purpose and that this change reverses.
fn deliberate(before: &Meaning, wanted: u32) -> Vec<Finding> {
    let mut notes = Vec::new();
    if wanted > 1 && before.generation.value.is_certainly(&1) && !before.generation.lines.is_empty() {
        notes.push(check_text(id::GEN1_DELIBERATE, &[("lines", lines(&before.generation.lines))]));
    }
    if before.port.value.is_certainly(&false) && !before.port.lines.is_empty() {
        notes.push(check_text(id::PORT_OFF_DELIBERATE, &[("lines", lines(&before.port.lines))]));
    }
    notes
}
