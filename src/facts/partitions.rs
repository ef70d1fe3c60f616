//! Every partition of every disk, and its identifiers.

use super::sysfs::gap;
use super::{Missing, Partition, block, ids, sysfs};
use crate::host::{Host, HostError};
use std::collections::BTreeMap;

const BLOCK: &str = "/sys/class/block";

/// A partition with what the seam type leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// What others see of it.
    pub(super) partition: Partition,
    /// Its device number.
    pub(super) device: Option<(u64, u64)>,
    /// Name of its file system.
    pub(super) label: Option<String>,
    /// Its own name in a GPT.
    pub(super) part_label: Option<String>,
    /// Where its disk stands below `/sys/devices`.
    pub(super) disk_path: String,
}

/// Reads them all. Disk and number come from sysfs, never from the name
/// alone; the identifiers from udev's database, else from the device (root).
pub(super) fn read(host: &Host, missing: &mut Vec<Missing>) -> Vec<Block> {
    let names = match host.list(BLOCK) {
        Ok(names) => names,
        Err(error) => {
            missing.push(gap(BLOCK, &error));
            return Vec::new();
        }
    };
    let mut blocks = Vec::new();
    // Neither can hold a system that the firmware starts.
    for name in names.iter().filter(|n| !n.starts_with("loop") && !n.starts_with("ram")) {
        let folder = format!("{BLOCK}/{name}");
        let Ok(real) = host.canonical(&folder) else { continue };
        let Some((disk_path, number)) = block::partition(host, &real) else { continue };
        let Some(disk) = disk_path.rsplit('/').next().filter(|disk| names.iter().any(|n| n == disk)) else {
            missing.push(Missing { path: folder, why: "the disk it lies on cannot be told".into() });
            continue;
        };
        let device = host.read_text(&format!("{folder}/dev")).ok().and_then(|text| sysfs::numbers(&text));
        let mut block = Block {
            partition: Partition {
                device: format!("/dev/{name}"),
                disk: disk.to_owned(),
                number,
                part_uuid: None,
                fs_uuid: None,
                fs_type: None,
            },
            device,
            label: None,
            part_label: None,
            disk_path: disk_path.to_owned(),
        };
        if !from_udev(host, &mut block) {
            from_device(host, &mut block, missing);
        }
        blocks.push(block);
    }
    blocks
}

/// True when udev knows the partition.
fn from_udev(host: &Host, block: &mut Block) -> bool {
    let Some((major, minor)) = block.device else { return false };
    let Ok(bytes) = host.read(&format!("/run/udev/data/b{major}:{minor}")) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    let values: BTreeMap<_, _> =
        text.lines().filter_map(|line| line.strip_prefix("E:")?.split_once('=')).collect();
    let lower = |key: &str| values.get(key).map(|v| v.to_lowercase());
    let name = |key: &str, encoded: &str| match values.get(encoded) {
        Some(text) => Some(decoded(text)),
        None => values.get(key).map(|v| (*v).to_owned()),
    };
    block.partition.part_uuid = lower("ID_PART_ENTRY_UUID");
    block.partition.fs_uuid = lower("ID_FS_UUID");
    block.partition.fs_type = values.get("ID_FS_TYPE").map(|v| (*v).to_owned());
    block.label = name("ID_FS_LABEL", "ID_FS_LABEL_ENC");
    block.part_label = values.get("ID_PART_ENTRY_NAME").map(|v| decoded(v));
    block.partition.part_uuid.is_some()
}

/// udev writes bytes it does not trust as `\xNN`.
pub(super) fn decoded(text: &str) -> String {
    let mut parts = text.split("\\x");
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                out.extend(part.bytes().skip(2));
            }
            None => {
                out.extend(b"\\x");
                out.extend(part.bytes());
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn from_device(host: &Host, block: &mut Block, missing: &mut Vec<Missing>) {
    let device = block.partition.device.clone();
    match host.read_at(&device, 0, ids::HEAD) {
        Ok(head) => {
            let found = ids::file_system(&head);
            block.partition.fs_type = block.partition.fs_type.take().or(found.fs_type);
            block.partition.fs_uuid = block.partition.fs_uuid.take().or(found.uuid);
            block.label = block.label.take().or(found.label);
        }
        Err(error) => {
            let why = format!(
                "its identifiers are not in udev's database, and reading it: {}",
                sysfs::why(&device, &error)
            );
            missing.push(Missing { path: device, why });
            return;
        }
    }
    let disk = format!("/dev/{}", block.partition.disk);
    let sector = host.read_text(&format!("{}/queue/logical_block_size", block.disk_path));
    let sector =
        sector.ok().and_then(|t| t.parse().ok()).filter(|s| (512..=65536).contains(s)).unwrap_or(512);
    // Protective MBR, header and 128 entries of 128 bytes.
    let table = host.read_at(&disk, 0, 2 * sector + 128 * 128);
    match (table, block.partition.number) {
        (Ok(table), Some(number)) => block.partition.part_uuid = ids::part_uuid(&table, sector, number),
        (Err(HostError::NotFound(_)) | Ok(_), _) => {}
        (Err(error), _) => missing.push(gap(disk, &error)),
    }
}
