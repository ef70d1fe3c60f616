//! What a bootloader of a certain age can do.
//!
//! Source: raspberrypi/rpi-eeprom `firmware-2712/release-notes.md`. An image's
//! build time lies on the day that names it, so a day's first second is the
//! limit.

use super::{Finding, check_text, id, known};
use crate::facts::{Drive, DriveState, Facts, Hop, HopKind};

/// 2023-11-20: HAT detection, `PCIE_PROBE`.
const HAT_DETECTION: u32 = 1_700_438_400;
/// 2023-12-06: NVMe boot as documented for the M.2 HAT+.
const NVME: u32 = 1_701_820_800;
/// 2024-01-24: the WD SN550.
const SN550: u32 = 1_706_054_400;
/// 2024-05-13: NVMe behind a switch.
const SWITCH: u32 = 1_715_558_400;
/// 2024-10-21: address windows behind some switches.
const SWITCH_WINDOWS: u32 = 1_729_468_800;
/// 2025-06-09: files over 32 MB from NVMe.
const LARGE_FILES: u32 = 1_749_427_200;
/// 2025-10-08: 4096-byte sectors.
const SECTORS_4K: u32 = 1_759_881_600;

/// `2024-05-13`, the UTC day of a build time.
pub(super) fn date(timestamp: u32) -> String {
    jiff::Timestamp::from_second(i64::from(timestamp))
        .map_or_else(|_| timestamp.to_string(), |t| t.strftime("%Y-%m-%d").to_string())
}

/// Too old to detect a board at all.
pub(super) fn old(facts: &Facts) -> Option<Finding> {
    let built = facts.eeprom.build_timestamp.filter(|built| *built < HAT_DETECTION)?;
    Some(dated(id::BOOTLOADER_OLD, built, &[]))
}

/// Reasons against starting from the NVMe drives that are there: a refusal
/// each. An unknown date counts as too old.
pub(super) fn against_nvme_boot(facts: &Facts) -> Vec<Finding> {
    let Some(built) = facts.eeprom.build_timestamp else {
        return vec![check_text(id::BOOTLOADER_DATE_UNKNOWN, &[])];
    };
    let mut found = Vec::new();
    if built < NVME {
        found.push(dated(id::BOOTLOADER_OLD_NVME, built, &[]));
    }
    found.extend(switch(facts, SWITCH, "2024-05-13"));
    found.extend(sectors(facts));
    found
}

/// Things to know before starting from NVMe that do not forbid it.
pub(super) fn nvme_boot_notes(facts: &Facts) -> Vec<Finding> {
    let late = facts.eeprom.build_timestamp.is_some_and(|built| built >= SWITCH);
    let mut found: Vec<_> =
        late.then(|| switch(facts, SWITCH_WINDOWS, "2024-10-21")).flatten().into_iter().collect();
    found.extend(large_files(facts));
    found.extend(sn550(facts));
    found
}

/// A drive behind a switch and a bootloader from before `limit`.
pub(super) fn switch(facts: &Facts, limit: u32, needed: &str) -> Option<Finding> {
    let built = facts.eeprom.build_timestamp.filter(|built| *built < limit)?;
    let hop = live(facts).flat_map(|d| &d.path).find(|h| h.kind == HopKind::UpstreamPort)?;
    Some(
        dated(id::BOOTLOADER_SWITCH, built, &[("switch", switch_name(hop)), ("needed", needed.into())])
            .seen(&hop.address, "switch"),
    )
}

/// The same with the limits that `status` uses: the one that fits first.
pub(super) fn any_switch(facts: &Facts) -> Option<Finding> {
    switch(facts, SWITCH, "2024-05-13")
        .or_else(|| switch(facts, SWITCH_WINDOWS, "2024-10-21 (for some switches)"))
}

/// A drive with 4096-byte sectors and a bootloader that cannot read it.
pub(super) fn sectors(facts: &Facts) -> Option<Finding> {
    let built = facts.eeprom.build_timestamp.filter(|built| *built < SECTORS_4K)?;
    let drive =
        live(facts).find(|d| d.namespaces.iter().any(|n| n.logical_block_size_bytes == Some(4096)))?;
    Some(dated(id::BOOTLOADER_4K, built, &[("drive", drive_name(drive))]))
}

/// A WD SN550 and a bootloader from before its fix.
pub(super) fn sn550(facts: &Facts) -> Option<Finding> {
    let built = facts.eeprom.build_timestamp.filter(|built| *built < SN550)?;
    facts.drives.iter().find(|d| d.vendor == Some(0x15b7) && d.device == Some(0x5009))?;
    Some(dated(id::BOOTLOADER_SN550, built, &[]))
}

/// Boot files that are too large for this bootloader to read from NVMe.
pub(super) fn large_files(facts: &Facts) -> Option<Finding> {
    let built = facts.eeprom.build_timestamp.filter(|built| *built < LARGE_FILES)?;
    let names: Vec<_> = facts.boot.large_files.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    Some(dated(id::BOOTLOADER_LARGE_FILES, built, &[("files", names.join(", "))]))
}

fn dated(id: &str, built: u32, more: &[(&str, String)]) -> Finding {
    let mut values = vec![("date", date(built))];
    values.extend(more.iter().cloned());
    check_text(id, &values).seen("chosen/bootloader/build-timestamp", built.to_string())
}

fn live(facts: &Facts) -> impl Iterator<Item = &Drive> {
    facts.drives.iter().filter(|d| d.state == DriveState::Live)
}

/// The model of a drive with its short name, or the name alone.
pub(super) fn drive_name(drive: &Drive) -> String {
    match &drive.model {
        Some(model) => format!("{} ({model})", drive.name),
        None => drive.name.clone(),
    }
}

/// The name of a switch, or its ids where nobody told the name.
pub(super) fn switch_name(hop: &Hop) -> String {
    match (hop.vendor, hop.device) {
        (Some(vendor), Some(device)) => known::switch(vendor, device)
            .map_or_else(|| format!("switch {vendor:04x}:{device:04x}"), |s| s.name),
        _ => format!("switch at {}", hop.address),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_are_utc() {
        assert_eq!(super::date(super::HAT_DETECTION), "2023-11-20");
        assert_eq!(super::date(1_700_509_217), "2023-11-20");
        assert_eq!(super::date(super::SECTORS_4K - 1), "2025-10-07");
        assert_eq!(super::date(0), "1970-01-01");
    }
}
