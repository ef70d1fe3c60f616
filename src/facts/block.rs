//! From a file system to the disk below it: sysfs decides, never the words of
//! a path.

use super::mounts::Entry;
use crate::host::Host;

/// Layers of device mapper that are gone through.
const LAYERS: u8 = 8;

/// A block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockDevice {
    /// `nvme0n1p2`.
    pub name: String,
    /// `nvme0n1`: the whole disk below it, through one layer of device mapper
    /// or more as long as each lies on one device only.
    pub disk: String,
    /// Its number on the disk.
    pub partition: Option<u32>,
}

impl BlockDevice {
    /// The one with this major and minor number; `None` where sysfs has none.
    pub fn by_number(host: &Host, (major, minor): (u64, u64)) -> Option<Self> {
        at(host, &host.canonical(&format!("/sys/dev/block/{major}:{minor}")).ok()?, LAYERS)
    }

    /// The one of a mount. btrfs and others give a number without a device;
    /// their source names it.
    pub fn of_mount(host: &Host, entry: &Entry) -> Option<Self> {
        Self::by_number(host, entry.device).or_else(|| by_name(host, &entry.mount.source, LAYERS))
    }

    /// True where the disk is one that the kernel makes out of something else
    /// than a drive: loop, zram, ram, network.
    pub fn is_made_up(&self, host: &Host) -> bool {
        is_made_up(host, &self.disk, LAYERS)
    }
}

/// Device mapper and md stand beside those in sysfs, on the devices that they
/// are made of.
fn is_made_up(host: &Host, disk: &str, layers: u8) -> bool {
    let Ok(path) = host.canonical(&format!("/sys/class/block/{disk}")) else { return false };
    if !path.starts_with("/sys/devices/virtual/block/") {
        return false;
    }
    let below = host.list(&format!("{path}/slaves")).unwrap_or_default();
    let Some(layers) = layers.checked_sub(1) else { return true };
    let made_up = |b: BlockDevice| is_made_up(host, &b.disk, layers);
    below.is_empty() || below.iter().filter_map(|name| by_name(host, name, layers)).any(made_up)
}

/// The one with this name, with or without `/dev/`.
fn by_name(host: &Host, name: &str, layers: u8) -> Option<BlockDevice> {
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    if name.is_empty() || name.contains('/') {
        return None;
    }
    at(host, &host.canonical(&format!("/sys/class/block/{name}")).ok()?, layers)
}

/// The one whose real folder this is.
fn at(host: &Host, path: &str, layers: u8) -> Option<BlockDevice> {
    let (_, name) = path.rsplit_once('/')?;
    let name = name.to_owned();
    if let Some((disk, number)) = partition(host, path) {
        let (_, disk) = disk.rsplit_once('/')?;
        return Some(BlockDevice { name, disk: disk.to_owned(), partition: number });
    }
    let slaves = host.list(&format!("{path}/slaves")).unwrap_or_default();
    if let ([one], Some(layers)) = (slaves.as_slice(), layers.checked_sub(1)) {
        if let Some(below) = by_name(host, one, layers) {
            return Some(BlockDevice { name, ..below });
        }
    }
    Some(BlockDevice { disk: name.clone(), name, partition: None })
}

/// The disk's folder and the number, when the real folder `path` is a
/// partition's. A partition lies inside its disk's folder; with NVMe multipath
/// that is the subsystem's, not a controller's.
pub(super) fn partition<'a>(host: &Host, path: &'a str) -> Option<(&'a str, Option<u32>)> {
    let number = host.read_text(&format!("{path}/partition")).ok()?;
    Some((path.rsplit_once('/')?.0, number.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::made_up::Machine;

    fn disk(host: &Host, name: &str) -> Option<(String, Option<u32>)> {
        by_name(host, name, LAYERS).map(|b| (b.disk, b.partition))
    }

    #[test]
    fn a_partition_lies_on_the_disk_whose_folder_holds_it() {
        let machine = Machine::on_sd();
        machine.link("/sys/dev/block/179:2", "../../class/block/mmcblk0p2");
        let host = machine.host();
        let found = BlockDevice::by_number(&host, (179, 2)).unwrap();
        assert_eq!((found.name.as_str(), found.disk.as_str()), ("mmcblk0p2", "mmcblk0"));
        assert_eq!(disk(&host, "/dev/mmcblk0p2"), Some(("mmcblk0".into(), Some(2))));
        assert_eq!(disk(&host, "mmcblk0"), Some(("mmcblk0".into(), None)));
        assert_eq!(disk(&host, "mmcblk7"), None);
        assert_eq!(disk(&host, "/dev/mapper/vg-root"), None, "no name of a block device");
        assert_eq!(BlockDevice::by_number(&host, (0, 31)), None);
    }

    #[test]
    fn disks_without_a_drive() {
        let machine = Machine::on_sd();
        for (disk, at, slaves) in [
            ("nvme1n1", "virtual/nvme-subsystem/nvme-subsys1", &[][..]),
            ("loop0", "virtual/block", &[]),
            ("dm-0", "virtual/block", &["mmcblk0p2", "nvme1n1"]),
            ("md0", "virtual/block", &["mmcblk0", "loop0"]),
        ] {
            machine.put(&format!("/sys/devices/{at}/{disk}/size"), "1");
            slaves.iter().for_each(|s| machine.put(&format!("/sys/devices/{at}/{disk}/slaves/{s}"), ""));
            machine.link(&format!("/sys/class/block/{disk}"), &format!("../../devices/{at}/{disk}"));
        }
        let host = machine.host();
        let found: Vec<_> = ["mmcblk0", "nvme1n1", "loop0", "dm-0", "md0", "sda"]
            .into_iter()
            .filter(|disk| is_made_up(&host, disk, LAYERS))
            .collect();
        assert_eq!(found, ["loop0", "md0"]);
    }

    #[test]
    fn device_mapper_is_gone_through_where_it_lies_on_one_device() {
        let machine = Machine::on_sd();
        for (name, below) in
            [("dm-0", "mmcblk0p2"), ("dm-1", "dm-0"), ("dm-2", "dm-1"), ("dm-2", "mmcblk0p1")]
        {
            machine.put(&format!("/sys/devices/virtual/block/{name}/slaves/{below}"), "");
        }
        // A ring, which the kernel does not make, ends too.
        machine.put("/sys/devices/virtual/block/dm-3/slaves/dm-3", "");
        for name in ["dm-0", "dm-1", "dm-2", "dm-3"] {
            machine.link(&format!("/sys/class/block/{name}"), &format!("../../devices/virtual/block/{name}"));
        }
        let host = machine.host();
        assert_eq!(disk(&host, "dm-1"), Some(("mmcblk0".into(), Some(2))));
        assert_eq!(disk(&host, "dm-2"), Some(("dm-2".into(), None)), "two devices below: a disk of its own");
        assert_eq!(disk(&host, "dm-3"), Some(("dm-3".into(), None)));
    }
}
