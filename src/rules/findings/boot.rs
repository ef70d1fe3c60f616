//! What is started: root= of cmdline.txt, disks with the same ids.

use crate::facts::{Facts, Partition};
use crate::rules::{Finding, check_text, id};
use crate::terms::BootMedium;

pub(super) fn find(facts: &Facts, found: &mut Vec<Finding>) {
    root(facts, found);
    duplicates(&facts.boot.partitions, found);
}

fn root(facts: &Facts, found: &mut Vec<Finding>) {
    let boot = &facts.boot;
    let on_nvme = boot.root.as_ref().filter(|r| r.disk.starts_with("nvme"));
    let explained = boot.medium == Some(BootMedium::Sd) && on_nvme.is_some();
    if let (true, Some(root)) = (explained, on_nvme) {
        let finding = check_text(id::BOOT_SD_ROOT_NVME, &[("root", root.device.clone())]);
        found.push(finding.seen("chosen/bootloader/boot-mode", "1 (SD card)").seen("/", &root.device));
    }
    let Some(cmdline) = &boot.cmdline else { return };
    let name = cmdline.root.clone().unwrap_or_else(|| "(none)".into());
    if cmdline.resolves == Some(false) {
        let values = [("path", cmdline.path.clone()), ("root", name.clone())];
        found.push(check_text(id::ROOT_UNRESOLVED, &values).seen(&cmdline.path, format!("root={name}")));
    }
    if let (Some(target), Some(disk), false) = (&cmdline.partition, config_disk(facts), explained) {
        if target.disk != disk {
            let values =
                [("boot_disk", disk), ("root_disk", target.disk.clone()), ("path", cmdline.path.clone())];
            found.push(check_text(id::ROOT_OTHER_DISK, &values).seen(&cmdline.path, format!("root={name}")));
        }
    }
    if cmdline.extra_lines {
        found.push(check_text(id::CMDLINE_EXTRA_LINES, &[("path", cmdline.path.clone())]));
    }
}

fn config_disk(facts: &Facts) -> Option<String> {
    let device = facts.boot.config_device.as_deref()?;
    facts.boot.partitions.iter().find(|p| p.device == device).map(|p| p.disk.clone())
}

/// Two disks with the same ids: an error for partition ids (one finding a pair
/// of disks), a warning where only the file systems' are the same.
fn duplicates(partitions: &[Partition], found: &mut Vec<Finding>) {
    let same = |id_of: fn(&Partition) -> Option<&String>| {
        let mut pairs: Vec<(&Partition, &Partition)> = Vec::new();
        for (at, a) in partitions.iter().enumerate() {
            for b in partitions.iter().skip(at + 1) {
                let equal = id_of(a).is_some_and(|id| !id.is_empty() && id_of(b) == Some(id));
                if equal && a.disk != b.disk {
                    pairs.push((a, b));
                }
            }
        }
        pairs
    };
    let by_part = same(|p| p.part_uuid.as_ref());
    let by_fs = same(|p| p.fs_uuid.as_ref());
    let mut said: Vec<(&str, &str)> = Vec::new();
    for (id, pairs, key) in
        [(id::DUPLICATE_PARTUUID, by_part, "PARTUUID"), (id::DUPLICATE_UUID, by_fs, "UUID")]
    {
        let before = said.clone();
        let mut disks: Vec<(&str, &str)> =
            pairs.iter().map(|(a, b)| (a.disk.as_str(), b.disk.as_str())).collect();
        disks.sort_unstable();
        disks.dedup();
        for (a, b) in disks.into_iter().filter(|pair| !before.contains(pair)) {
            let mut finding = check_text(id, &[("a", a.to_owned()), ("b", b.to_owned())]);
            for (one, other) in pairs.iter().filter(|(x, y)| x.disk == a && y.disk == b) {
                let value = if key == "PARTUUID" { &one.part_uuid } else { &one.fs_uuid };
                let value = value.as_deref().unwrap_or_default();
                finding =
                    finding.seen(format!("{} and {}", one.device, other.device), format!("{key}={value}"));
            }
            found.push(finding);
            said.push((a, b));
        }
    }
}
