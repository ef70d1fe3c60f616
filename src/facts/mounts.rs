//! What is mounted where (`/proc/self/mountinfo`).

use super::sysfs::{gap, numbers};
use super::{Missing, Mount};
use crate::host::Host;

const PATH: &str = "/proc/self/mountinfo";

/// A line of mountinfo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Major and minor number of the file system's device.
    pub device: (u64, u64),
    /// The folder of the file system that is seen (`/` unless bind-mounted).
    pub root: String,
    /// The options of the file system itself.
    pub super_options: String,
    /// Point, source, type, read-only.
    pub mount: Mount,
}

impl Entry {
    /// True for a FAT file system that is seen from its own root.
    pub(super) fn is_whole_fat(&self) -> bool {
        matches!(self.mount.fs_type.as_str(), "vfat" | "msdos") && self.root == "/"
    }
}

/// Every mount in force: of several on one point only the last one, which
/// hides the others.
#[derive(Debug, Clone, Default)]
pub struct Mounts(Vec<Entry>);

impl Mounts {
    /// Reads them; what fails is listed in `missing`.
    pub fn read(host: &Host, missing: &mut Vec<Missing>) -> Self {
        match host.read(PATH) {
            Ok(bytes) => Self::parse(&bytes),
            Err(error) => {
                missing.push(gap(PATH, &error));
                Self::default()
            }
        }
    }

    /// Source of the format: proc_pid_mountinfo(5).
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for entry in String::from_utf8_lossy(bytes).lines().filter_map(entry) {
            entries.retain(|e| e.mount.point != entry.mount.point);
            entries.push(entry);
        }
        Self(entries)
    }

    /// The mount on exactly this point.
    pub(super) fn at(&self, point: &str) -> Option<&Entry> {
        self.0.iter().find(|e| e.mount.point == point)
    }

    /// The mount that a path lies in: the one on the longest point above it;
    /// only those of `device` where that is given.
    pub fn holding(&self, path: &str, device: Option<(u64, u64)>) -> Option<&Entry> {
        let above = |point: &str| {
            let rest = path.strip_prefix(point.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.iter()
            .filter(|e| above(&e.mount.point) && device.is_none_or(|d| d == e.device))
            .max_by_key(|e| e.mount.point.trim_end_matches('/').len())
    }

    /// All of them, in the kernel's order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(2);
    let device = numbers(left.next()?)?;
    let (root, point, options) = (left.next()?, left.next()?, left.next()?);
    let mut right = right.split(' ');
    let (fs_type, source, super_options) = (right.next()?, right.next()?, right.next().unwrap_or(""));
    let read_only = [options, super_options].iter().any(|o| o.split(',').any(|o| o == "ro"));
    Some(Entry {
        device,
        root: unescape(root),
        super_options: super_options.to_owned(),
        mount: Mount {
            point: unescape(point),
            source: unescape(source),
            fs_type: fs_type.to_owned(),
            read_only,
        },
    })
}

/// The kernel writes blank, tab, line end and backslash as `\` and three octal
/// digits (`seq_path`, `mangle`).
pub(super) fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        let octal = tail.get(..3).filter(|d| first == b'\\' && d.iter().all(|c| (b'0'..=b'7').contains(c)));
        let value = octal.map(|d| d.iter().fold(0u32, |v, c| v << 3 | u32::from(c - b'0')));
        match value.and_then(|v| u8::try_from(v).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                out.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_a_point_are_decoded() {
        let mounts =
            Mounts::parse(b"41 30 8:2 / /media/pi/My\\040Disk rw,nosuid shared:9 - ext4 /dev/sda2 rw\n");
        let entry = mounts.at("/media/pi/My Disk").unwrap();
        assert_eq!((entry.device, entry.mount.source.as_str()), ((8, 2), "/dev/sda2"));
        assert_eq!(unescape("a\\134b\\0\\777"), "a\\b\\0\\777");
    }

    #[test]
    fn the_last_mount_on_a_point_wins() {
        let mounts = Mounts::parse(
            b"31 1 179:1 / /boot/firmware rw - vfat /dev/mmcblk0p1 rw\n\
              32 1 259:1 / /boot/firmware rw - vfat /dev/nvme0n1p1 rw\n",
        );
        assert_eq!(mounts.at("/boot/firmware").unwrap().device, (259, 1));
        assert_eq!(mounts.iter().count(), 1);
    }

    #[test]
    fn read_only_by_the_mount_or_by_the_file_system() {
        let mounts = Mounts::parse(
            b"31 1 179:1 / /a ro,relatime - vfat /dev/mmcblk0p1 rw\n\
              32 1 179:1 / /b rw,relatime - vfat /dev/mmcblk0p1 ro,errors=remount-ro\n\
              33 1 179:1 / /c rw,relatime shared:1 master:2 - vfat /dev/mmcblk0p1 rw,errors=remount-ro\n",
        );
        let read_only: Vec<_> = mounts.iter().map(|e| e.mount.read_only).collect();
        assert_eq!(read_only, [true, true, false]);
    }

    #[test]
    fn a_bind_mount_is_not_the_whole_file_system() {
        let mounts = Mounts::parse(
            b"31 1 179:1 /overlays /srv rw - vfat /dev/mmcblk0p1 rw\n32 1 179:1 / /boot rw - vfat /dev/mmcblk0p1 rw\n",
        );
        let whole: Vec<_> = mounts.iter().map(Entry::is_whole_fat).collect();
        assert_eq!(whole, [false, true]);
    }

    #[test]
    fn lines_of_another_shape_are_passed_over() {
        assert_eq!(
            Mounts::parse(b"\xff\xfe\n31 1 x:1 / / rw - ext4 a rw\n31 1 1:1 / / rw\n\n").iter().count(),
            0
        );
    }

    #[test]
    fn the_longest_mount_point_holds_a_path() {
        let line = |point, minor| format!("31 1 8:{minor} / {point} rw - ext4 /dev/sda{minor} rw\n");
        let text = [("/", 1), ("/mnt", 2), ("/mnt/a", 3), ("/mnt/a", 4)].map(|(p, n)| line(p, n)).concat();
        let mounts = Mounts::parse(text.as_bytes());
        let minor = |path, device| mounts.holding(path, device).map(|m| m.device.1);
        assert_eq!(minor("/mnt/a/b", None), Some(4));
        assert_eq!(minor("/mnt/ab", None), Some(2));
        assert_eq!(minor("/etc", None), Some(1));
        assert_eq!(minor("/mnt/a", Some((8, 2))), Some(2));
        assert_eq!(minor("/etc", Some((8, 9))), None);
    }
}
