//! Boot partitions on NVMe drives that a boot from NVMe would read.

use super::boot::Ground;
use super::mounts::Entry;
use super::partitions::Block;
use super::sysfs::gap;
use super::{Boot, BootCopy, Eeprom, Missing, config};
use crate::formats::config_txt::Conditions;
use crate::host::{Host, HostError};

/// No drive has more of them than this by anyone's design.
const MOST: usize = 8;

/// Reads every FAT partition on an NVMe drive other than the one in use.
/// One that is not mounted is mounted read-only when `look_inside`.
pub(super) fn read(
    host: &Host,
    boot: &Boot,
    ground: &Ground,
    base: &Conditions,
    eeprom: &Eeprom,
    look_inside: bool,
    missing: &mut Vec<Missing>,
) -> Vec<BootCopy> {
    let is_copy = |b: &&Block| {
        b.partition.disk.starts_with("nvme")
            && b.partition.fs_type.as_deref() == Some("vfat")
            && boot.config_device.as_ref() != Some(&b.partition.device)
    };
    let mut copies = Vec::new();
    for block in ground.blocks.iter().filter(is_copy).take(MOST) {
        let is_it = |e: &&Entry| e.is_whole_fat() && Some(e.device) == block.device;
        let mount = ground.mounts.iter().find(is_it).map(|e| e.mount.clone());
        let mut copy = BootCopy {
            partition: block.partition.clone(),
            mount: mount.clone(),
            files: None,
            meaning: None,
            conditions: None,
            cmdline: None,
            space: None,
        };
        let mut look = |point: &str| look(host, point, &mut copy, ground, base, eeprom);
        let found = match (mount, look_inside) {
            (Some(mount), _) => look(&mount.point),
            (None, false) => Err("not mounted: looking into it needs root".into()),
            (None, true) => match mounted(host, block) {
                Ok(mounted) => look(&mounted.point).map(|gaps| below(gaps, &mounted.point, &mut copy)),
                Err(why) => Err(why),
            },
        };
        match found {
            Ok(gaps) => missing.extend(gaps),
            Err(why) => missing.push(Missing { path: copy.partition.device.clone(), why }),
        }
        copies.push(copy);
    }
    copies
}

/// Mounts it for the look; a drive that no longer answers is left alone, since
/// every read of it would wait for its timeouts.
fn mounted(host: &Host, block: &Block) -> Result<crate::host::Mounted, String> {
    let device = &block.partition.device;
    let state = host.read_text(&format!("{}/device/state", block.disk_path)).ok();
    match state.filter(|state| state != "live") {
        Some(state) => Err(format!("not looked into: the drive is {state}")),
        None => host.mount(device, false).map_err(|e| gap(device, &e).why),
    }
}

/// Fills the copy in from where it is mounted, and gives what is missing
/// inside; an error is why it could not be looked into.
fn look(
    host: &Host,
    point: &str,
    copy: &mut BootCopy,
    ground: &Ground,
    base: &Conditions,
    eeprom: &Eeprom,
) -> Result<Vec<Missing>, String> {
    // Booting from NVMe makes the firmware enable the port.
    let conditions = Conditions {
        partition: copy.partition.number,
        port_enabled_by_firmware: true,
        overlays: None,
        ..base.clone()
    };
    let mut missing = Vec::new();
    copy.space = host.space(point).ok();
    match config::read(host, point, &conditions, eeprom, &ground.blocks, &mut missing) {
        Ok(read) => {
            copy.files = Some(read.files);
            copy.meaning = Some(read.meaning);
            copy.conditions = Some(read.conditions);
            copy.cmdline = read.cmdline;
            Ok(missing)
        }
        // A FAT partition without config.txt is a data partition.
        Err(HostError::NotFound(_)) => Ok(missing),
        Err(error) => Err(format!("config.txt: {}", gap(format!("{point}/config.txt"), &error).why)),
    }
}

/// The point is gone afterwards: paths are then told from the partition's root.
fn below(gaps: Vec<Missing>, point: &str, copy: &mut BootCopy) -> Vec<Missing> {
    let inside = |path: &str| path.strip_prefix(point).unwrap_or(path).to_owned();
    if let Some(cmdline) = &mut copy.cmdline {
        cmdline.path = inside(&cmdline.path);
    }
    let device = &copy.partition.device;
    gaps.into_iter().map(|gap| Missing { path: format!("{device}: {}", inside(&gap.path)), ..gap }).collect()
}
