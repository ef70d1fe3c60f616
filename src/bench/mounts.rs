//! Which file system lies on which disk: `/proc/self/mountinfo` and sysfs,
//! never the words of a path.

use crate::host::Host;

/// A line of mountinfo (proc_pid_mountinfo(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MountLine {
    pub(super) device: (u64, u64),
    pub(super) point: String,
    pub(super) fs_type: String,
    pub(super) source: String,
    pub(super) read_only: bool,
}

/// Every mount, in the order of the kernel (a later one covers an earlier).
pub(super) fn mounts(host: &Host) -> Vec<MountLine> {
    let text = host.read_text("/proc/self/mountinfo").unwrap_or_default();
    text.lines().filter_map(parse).collect()
}

fn parse(line: &str) -> Option<MountLine> {
    // The optional fields in the middle end with a dash of their own.
    let (front, back) = line.split_once(" - ")?;
    let mut front = front.split(' ').skip(2);
    let (major, minor) = front.next()?.split_once(':')?;
    let point = unescape(front.nth(1)?);
    let options = front.next()?;
    let mut back = back.split(' ');
    let (fs_type, source) = (back.next()?.to_owned(), unescape(back.next()?));
    let superblock = back.next().unwrap_or_default();
    let read_only = [options, superblock].iter().any(|o| o.split(',').any(|word| word == "ro"));
    Some(MountLine { device: (major.parse().ok()?, minor.parse().ok()?), point, fs_type, source, read_only })
}

/// `\040` is a space: blank, tab, line end and backslash are octal there.
fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let octal =
            tail.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The mount that a path lies in: the longest mount point above it, of two the
/// later; only those of `device` where that is given.
pub(super) fn holding<'a>(
    mounts: &'a [MountLine],
    path: &str,
    device: Option<(u64, u64)>,
) -> Option<&'a MountLine> {
    let above = |point: &str| {
        let point = point.trim_end_matches('/');
        path.strip_prefix(point).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    mounts
        .iter()
        .filter(|m| above(&m.point) && device.is_none_or(|d| d == m.device))
        .max_by_key(|m| m.point.trim_end_matches('/').len())
}

/// A block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockDevice {
    /// `nvme0n1p2`.
    pub(super) name: String,
    /// `nvme0n1`: the whole disk below it, through one layer of device mapper
    /// or more as long as each lies on one device only.
    pub(super) disk: String,
    /// Its number on the disk.
    pub(super) partition: Option<u32>,
}

/// The block device with this number.
pub(super) fn block_by_number(host: &Host, (major, minor): (u64, u64)) -> Option<BlockDevice> {
    block_at(host, &host.canonical(&format!("/sys/dev/block/{major}:{minor}")).ok()?, 8)
}

/// The block device with this name.
fn block_by_name(host: &Host, name: &str, layers: u8) -> Option<BlockDevice> {
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    let plain = !name.is_empty() && !name.contains('/');
    plain
        .then(|| host.canonical(&format!("/sys/class/block/{name}")).ok())
        .flatten()
        .and_then(|path| block_at(host, &path, layers))
}

fn block_at(host: &Host, path: &str, layers: u8) -> Option<BlockDevice> {
    let mut parts = path.rsplit('/');
    let (name, parent) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    if host.exists(&format!("{path}/partition")) {
        let number = host.read_text(&format!("{path}/partition")).ok().and_then(|t| t.parse().ok());
        return Some(BlockDevice { name, disk: parent, partition: number });
    }
    let slaves = host.list(&format!("{path}/slaves")).unwrap_or_default();
    if let ([one], Some(layers)) = (slaves.as_slice(), layers.checked_sub(1)) {
        if let Some(below) = block_by_name(host, one, layers) {
            return Some(BlockDevice { name, ..below });
        }
    }
    Some(BlockDevice { disk: name.clone(), name, partition: None })
}

/// True for a disk that the kernel makes out of something else than a drive:
/// loop, zram, ram, network. Device mapper and md stand beside those in sysfs,
/// on the devices that they are made of.
pub(super) fn is_made_up(host: &Host, disk: &str, layers: u8) -> bool {
    let Ok(path) = host.canonical(&format!("/sys/class/block/{disk}")) else { return false };
    if !path.starts_with("/sys/devices/virtual/block/") {
        return false;
    }
    let below = host.list(&format!("{path}/slaves")).unwrap_or_default();
    let Some(layers) = layers.checked_sub(1) else { return true };
    below.is_empty()
        || below
            .iter()
            .filter_map(|name| block_by_name(host, name, layers))
            .any(|b| is_made_up(host, &b.disk, layers))
}

/// The block device of a mount. btrfs and others give a number without a
/// device; their source names it. A recorded machine may have no sysfs for it:
/// then the kernel's own way of naming partitions has to do.
pub(super) fn block_of(host: &Host, mount: &MountLine) -> Option<BlockDevice> {
    if let Some(found) = block_by_number(host, mount.device).or_else(|| block_by_name(host, &mount.source, 8))
    {
        return Some(found);
    }
    let name = mount.source.strip_prefix("/dev/").filter(|_| host.is_simulated())?;
    let (disk, number) = name.rsplit_once('p')?;
    let number: u32 = number.parse().ok()?;
    disk.ends_with(|c: char| c.is_ascii_digit()).then(|| BlockDevice {
        name: name.into(),
        disk: disk.into(),
        partition: Some(number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_the_kernel_writes_them() {
        let line = parse(
            "36 35 259:2 /@home /mnt/my\\040disk rw,noatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=x",
        );
        let line = line.unwrap();
        assert_eq!(line.device, (259, 2));
        assert_eq!(line.point, "/mnt/my disk");
        assert_eq!((line.fs_type.as_str(), line.source.as_str()), ("ext4", "/dev/nvme0n1p2"));
        assert!(!line.read_only);
        assert!(parse("1 0 0:1 / / rw - tmpfs tmpfs ro").unwrap().read_only);
        for odd in ["", " - ", "1 2 x:y / / rw - a b c", "1 2 3:4 / - ext4"] {
            assert_eq!(parse(odd), None, "{odd:?}");
        }
        assert_eq!(unescape("a\\"), "a\\");
        assert_eq!(unescape("\\0"), "\\0");
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "the test makes its own tree")]
    fn disks_without_a_drive() {
        let folder = tempfile::tempdir().unwrap();
        let path = |inside: &str| folder.path().join(inside);
        std::fs::create_dir_all(path("sys/class/block")).unwrap();
        for (disk, at, slaves) in [
            ("nvme0n1", "pci0/nvme0", &[][..]),
            ("nvme1n1", "virtual/nvme-subsystem/nvme-subsys1", &[]),
            ("loop0", "virtual/block", &[]),
            ("dm-0", "virtual/block", &["nvme0n1", "nvme1n1"]),
            ("md0", "virtual/block", &["nvme0n1", "loop0"]),
        ] {
            let own = format!("sys/devices/{at}/{disk}");
            std::fs::create_dir_all(path(&format!("{own}/slaves"))).unwrap();
            slaves.iter().for_each(|s| std::fs::write(path(&format!("{own}/slaves/{s}")), "").unwrap());
            let link = path(&format!("sys/class/block/{disk}"));
            std::os::unix::fs::symlink(format!("../../devices/{at}/{disk}"), link).unwrap();
        }
        let host = Host::open(Some(folder.path())).unwrap();
        let found: Vec<_> = ["nvme0n1", "nvme1n1", "loop0", "dm-0", "md0", "sda"]
            .into_iter()
            .filter(|disk| is_made_up(&host, disk, 8))
            .collect();
        assert_eq!(found, ["loop0", "md0"]);
    }

    #[test]
    fn the_longest_mount_point_holds_a_path() {
        let line = |point: &str, minor| MountLine {
            device: (8, minor),
            point: point.into(),
            fs_type: "ext4".into(),
            source: String::new(),
            read_only: false,
        };
        let all = [line("/", 1), line("/mnt", 2), line("/mnt/a", 3), line("/mnt/a", 4)];
        let minor = |path, device| holding(&all, path, device).map(|m| m.device.1);
        assert_eq!(minor("/mnt/a/b", None), Some(4));
        assert_eq!(minor("/mnt/ab", None), Some(2));
        assert_eq!(minor("/etc", None), Some(1));
        assert_eq!(minor("/mnt/a", Some((8, 2))), Some(2));
        assert_eq!(minor("/etc", Some((8, 9))), None);
    }
}
