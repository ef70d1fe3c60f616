//! Boot partitions on NVMe drives that a boot from NVMe would read.

use super::boot::{Ground, gap};
use super::mounts::Entry;
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
    let others = ground.blocks.iter().filter(|b| {
        b.partition.disk.starts_with("nvme")
            && b.partition.fs_type.as_deref() == Some("vfat")
            && boot.config_device.as_ref() != Some(&b.partition.device)
    });
    let mut copies = Vec::new();
    for block in others.take(MOST) {
        let device = &block.partition.device;
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
        // Booting from NVMe makes the firmware enable the port.
        let conditions = Conditions {
            partition: block.partition.number,
            port_enabled_by_firmware: true,
            overlays: None,
            ..base.clone()
        };
        let mut look = |point: &str| {
            match config::read(host, point, &conditions, eeprom, &ground.blocks, missing) {
                Ok(read) => {
                    copy.files = Some(read.files);
                    copy.meaning = Some(read.meaning);
                    copy.conditions = Some(read.conditions);
                    copy.cmdline = read.cmdline;
                }
                // A FAT partition without config.txt is a data partition.
                Err(HostError::NotFound(_)) => {}
                Err(error) => missing.push(gap(format!("{point}/config.txt"), &error)),
            }
            copy.space = host.space(point).ok();
        };
        // Mounting a drive that no longer answers would wait for its timeouts.
        let state = host.read_text(&format!("{}/device/state", block.disk_path));
        let dead = state.ok().filter(|state| state != "live");
        match (mount, look_inside && dead.is_none()) {
            (Some(mount), _) => look(&mount.point),
            (None, true) => match host.mount(device, false) {
                Ok(mounted) => look(&mounted.point),
                Err(error) => missing.push(gap(device.clone(), &error)),
            },
            (None, false) => {
                let why = match dead {
                    Some(state) => format!("not looked into: the drive is {state}"),
                    None => "not mounted: looking into it needs root".into(),
                };
                missing.push(Missing { path: device.clone(), why });
            }
        }
        copies.push(copy);
    }
    copies
}
