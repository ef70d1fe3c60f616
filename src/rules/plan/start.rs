//! The next start must still come up.

use super::Draft;
use crate::facts::{BootCopy, DriveState, Facts, Missing, PortState};
use crate::rules::bootloader::{self, drive_name};
use crate::rules::{Finding, check_text, findings, id};
use crate::terms::{BootMedium, BootOrder};

/// Refuses any change while root= of the next start names nothing: the reboot
/// that follows would hang.
pub(super) fn check(facts: &Facts, draft: &mut Draft) {
    let Some(cmdline) = facts.boot.cmdline.as_ref().filter(|c| c.resolves == Some(false)) else { return };
    let root = cmdline.root.clone().unwrap_or_else(|| "(none)".into());
    draft.refuse(check_text(id::ROOT_UNRESOLVED, &[("path", cmdline.path.clone()), ("root", root)]));
}

/// Whether the bootloader can start from what is on the connector.
///
/// A Pi that started from NVMe now has shown that it can.
pub(super) fn from_nvme(facts: &Facts, draft: &mut Draft) {
    if facts.boot.medium == Some(BootMedium::Nvme) {
        return;
    }
    if let Some(finding) = drives(facts) {
        draft.refuse(finding);
    }
    bootloader::against_nvme_boot(facts).into_iter().for_each(|f| draft.refuse(f));
    draft.notes.extend(bootloader::nvme_boot_notes(facts));
    draft.notes.extend(facts.drives.iter().filter_map(findings::note));
}

fn drives(facts: &Facts) -> Option<Finding> {
    if facts.drives.iter().any(|d| d.state == DriveState::Live) {
        return None;
    }
    let Some(drive) = facts.drives.first() else {
        // A connector that is on needs hands, not settings.
        let first = match facts.port.state {
            PortState::Disabled | PortState::Unknown => "First `sudo pi5-nvme setup --boot keep` and reboot.",
            _ => "`pi5-nvme status` says what to do about it.",
        };
        return Some(check_text(id::BOOT_NO_DRIVE, &[("first", first.into())]));
    };
    let state = match &drive.state {
        DriveState::Live => "live".to_owned(),
        DriveState::Driver(state) => format!("state {state}"),
        DriveState::NotAnswering => "class 0xffffff".to_owned(),
        DriveState::NoDriver => "no driver".to_owned(),
    };
    Some(check_text(id::BOOT_DRIVE_NOT_READY, &[("drive", drive_name(drive)), ("state", state)]))
}

/// What the copies on the drive mean for a start from it.
pub(super) fn copies(facts: &Facts, order: BootOrder, draft: &mut Draft) {
    if facts.boot.medium == Some(BootMedium::Nvme) {
        return;
    }
    if !facts.boot.copies.iter().any(|c| c.files.is_some()) {
        let next = order.attempts().get(1).map_or("nothing", |m| m.name()).to_owned();
        draft.notes.push(check_text(id::BOOT_NOTHING_ON_DRIVE, &[("next", next)]));
    }
    for copy in &facts.boot.copies {
        let device = &copy.partition.device;
        if copy.files.is_none() {
            // Nothing there is harmless; not looked into is not.
            if let Some(missing) = not_read(facts, copy) {
                let root = format!("(not read: {})", missing.why);
                draft.refuse(check_text(
                    id::COPY_ROOT_UNRESOLVED,
                    &[("device", device.clone()), ("root", root)],
                ));
            }
            continue;
        }
        let cmdline = copy.cmdline.as_ref();
        if cmdline.and_then(|c| c.resolves) != Some(true) {
            let root = cmdline.and_then(|c| c.root.clone()).unwrap_or_else(|| "(none)".into());
            let finding = check_text(id::COPY_ROOT_UNRESOLVED, &[("device", device.clone()), ("root", root)]);
            draft.refuse(finding);
        } else if let Some(root) = cmdline.and_then(|c| c.partition.as_ref()) {
            if root.disk != copy.partition.disk {
                let values = [("device", device.clone()), ("disk", root.disk.clone())];
                draft.notes.push(check_text(id::COPY_ROOT_ELSEWHERE, &values));
            }
        }
    }
}

/// Why the copy could not be looked into.
fn not_read<'f>(facts: &'f Facts, copy: &BootCopy) -> Option<&'f Missing> {
    let config = copy.mount.as_ref().map(|m| format!("{}/config.txt", m.point));
    facts.missing.iter().find(|m| m.path == copy.partition.device || Some(&m.path) == config.as_ref())
}
