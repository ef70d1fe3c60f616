//! What the machine as a whole allows: the board, and systems whose boot files
//! are not this tool's to edit.

use super::{Finding, check_text, id};
use crate::facts::{Facts, Hindrance, HindranceKind, Missing};
use crate::formats::config_txt::{Conditions, LineRef};
use crate::terms::{BootMedium, bytes};

/// Room that is left free beyond the new file and its backup.
const SLACK_BYTES: u64 = 64 << 10;

/// The largest config.txt that this tool writes.
///
/// Source: raspberrypi/firmware#1848, agherzan/meta-raspberrypi#1255.
pub(super) const LARGEST_CONFIG: usize = 16 << 10;

/// Why nothing at all is changed on this machine: not a board of the family.
pub(super) fn board(facts: &Facts) -> Option<Finding> {
    if facts.board.uefi_acpi {
        let values = [("evidence", "ACPI tables instead of a device tree".to_owned())];
        return Some(check_text(id::UEFI_ACPI, &values));
    }
    if facts.board.kind.supported() {
        return None;
    }
    let model = facts.board.model.clone().unwrap_or_else(|| "model not known".into());
    Some(check_text(id::BOARD_NOT_SUPPORTED, &[("model", model)]))
}

/// Why the boot files are not edited, each reason once.
pub(super) fn hindrances(facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut add = |finding: Finding| {
        if !found.iter().any(|f| f.id == finding.id) {
            found.push(finding);
        }
    };
    if facts.boot.same_as_booted == Some(false) {
        add(other_partition(facts));
    }
    if let Some(evidence) = &facts.eeprom.secure_boot {
        add(check_text(id::SIGNED_BOOT, &[("evidence", evidence.clone())]).seen("bootloader", evidence));
    }
    for hindrance in &facts.boot.hindrances {
        // The board says it already.
        if hindrance.kind != HindranceKind::UefiAcpi || !facts.board.uefi_acpi {
            add(from_hindrance(facts, hindrance));
        }
    }
    found
}

fn other_partition(facts: &Facts) -> Finding {
    let boot = &facts.boot;
    let mounted = boot.config_device.clone().unwrap_or_else(|| "another partition".into());
    let booted = match (&boot.booted, boot.medium) {
        (Some(partition), _) => partition.device.clone(),
        (None, Some(medium)) => format!("the {} medium", medium.name()),
        (None, None) => "another one".into(),
    };
    let finding =
        check_text(id::OTHER_PARTITION, &[("mounted", mounted.clone()), ("booted", booted.clone())]);
    let at = boot.mount.as_ref().map_or_else(|| "boot directory".to_owned(), |m| m.point.clone());
    finding.seen(at, mounted).seen("chosen/bootloader", booted)
}

/// Where the boot partition is mounted.
fn mount(facts: &Facts) -> String {
    facts.boot.mount.as_ref().map_or_else(|| "/boot/firmware".into(), |m| m.point.clone())
}

fn from_hindrance(facts: &Facts, hindrance: &Hindrance) -> Finding {
    use HindranceKind as K;
    let id = match hindrance.kind {
        K::NoConfig => id::NO_CONFIG,
        K::Decoy => id::DECOY_CONFIG,
        K::NotAConfig => id::NOT_A_CONFIG,
        K::Damaged => id::DAMAGED_CONFIG,
        K::TooLarge => id::TOO_LARGE_CONFIG,
        K::NotMounted => id::BOOT_NOT_MOUNTED,
        K::OtherPartition => return other_partition(facts),
        K::ReadOnly => id::READ_ONLY_BOOT,
        K::NoSpace => {
            return no_space(
                facts,
                facts.boot.space.map(|s| s.free_bytes),
                facts.boot.files.as_ref().map_or(0, |f| f.top.len()),
            );
        }
        K::UefiAcpi => id::UEFI_ACPI,
        K::Signed => id::SIGNED_BOOT,
        K::BootImg => id::BOOT_IMG,
        K::AutobootAb => id::AUTOBOOT_AB,
        K::PibootTry => id::PIBOOT_TRY,
        K::HomeAssistant => id::HOME_ASSISTANT,
        K::LibreElec => id::LIBREELEC,
        K::Batocera => id::BATOCERA,
        K::NixOs => id::NIXOS,
        K::Balena => id::BALENA,
        K::RaspiFirmware => id::RASPI_FIRMWARE,
        K::Appliance => id::APPLIANCE,
    };
    let at = facts.boot.config_path.clone().unwrap_or_else(|| "boot files".into());
    let values = [("evidence", hindrance.evidence.clone()), ("mount", mount(facts))];
    check_text(id, &values).seen(at, &hindrance.evidence)
}

/// A config.txt that could not be read.
pub(super) fn unreadable(facts: &Facts) -> Finding {
    let path = facts.boot.config_path.as_deref().unwrap_or("config.txt");
    let gap = gap(facts);
    let why = gap.map_or("not known why", |g| &g.why);
    let remedy = if gap.is_some_and(|g| g.is_denied()) {
        "Run this with sudo.".to_owned()
    } else {
        format!("See what it is (`ls -ld {path}`): the firmware needs a plain file there.")
    };
    let values = [("path", path.to_owned()), ("why", why.to_owned()), ("remedy", remedy)];
    check_text(id::CONFIG_UNREADABLE, &values).seen(path, why)
}

/// What kept config.txt from being read, where it is there.
pub(super) fn gap(facts: &Facts) -> Option<&Missing> {
    let path = facts.boot.config_path.as_ref().filter(|_| facts.boot.files.is_none())?;
    facts.missing.iter().find(|m| m.path == *path)
}

/// The finding for too little room; `length` is that of the present file.
pub(super) fn no_space(facts: &Facts, free: Option<u64>, length: usize) -> Finding {
    let free = free.map_or_else(|| "too little".into(), bytes);
    let needed = bytes(needed_bytes(length, length));
    check_text(id::NO_SPACE, &[("free", free), ("needed", needed), ("mount", mount(facts))])
}

/// Room needed to write a file of `after` bytes beside a backup of `before`.
pub(super) fn needed_bytes(before: usize, after: usize) -> u64 {
    before as u64 + after as u64 + SLACK_BYTES
}

/// What the texts are judged against, also where no config.txt was found.
pub(super) fn conditions(facts: &Facts) -> Conditions {
    facts.boot.conditions.clone().unwrap_or_else(|| Conditions {
        board: facts.board.kind,
        revision: facts.board.revision,
        serial: facts.board.serial,
        tryboot: false,
        partition: facts.boot.partition,
        bootloader: facts.eeprom.build_timestamp,
        overlays: None,
        port_enabled_by_firmware: facts.boot.medium == Some(BootMedium::Nvme),
    })
}

/// `config.txt line 3, usercfg.txt line 1`, or `no line sets it`.
pub(super) fn lines(lines: &[LineRef]) -> String {
    if lines.is_empty() {
        return "no line sets it".into();
    }
    let shown: Vec<_> =
        lines.iter().map(|l| format!("{} line {}: {}", l.file, l.line, l.text.trim())).collect();
    shown.join("; ")
}
