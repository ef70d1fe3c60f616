//! The kernel command line file, and whether its `root=` leads anywhere.

use super::partitions::Block;
use super::sysfs::{gap, numbers};
use super::{Cmdline, Missing, Partition};
use crate::formats::cmdline_txt;
use crate::host::Host;

/// Reads the file at `path`; `None` (listed in `missing`) where there is none.
pub(super) fn read(
    host: &Host,
    path: String,
    blocks: &[Block],
    missing: &mut Vec<Missing>,
) -> Option<Cmdline> {
    let bytes = match host.read_limited(&path, 1 << 16) {
        Ok(bytes) => bytes,
        Err(error) => {
            missing.push(gap(path, &error));
            return None;
        }
    };
    let root = cmdline_txt::root(&bytes);
    let (resolves, partition) = root.as_deref().map_or((None, None), |root| resolve(root, blocks));
    Some(Cmdline { path, root, resolves, partition, extra_lines: cmdline_txt::extra_lines(&bytes) })
}

/// Whether a partition of this name exists, and which. The first is unknown
/// for a name that no list of partitions can answer (network, device mapper,
/// an offset to a partition) or while some partition's identifiers are not
/// known; the second also when two partitions answer to the name.
///
/// Source: Linux block/early-lookup.c and the kernel's `root=` documentation;
/// LABEL and UUID are looked up by the initramfs.
pub(super) fn resolve(root: &str, blocks: &[Block]) -> (Option<bool>, Option<Partition>) {
    if blocks.is_empty() {
        return (None, None);
    }
    let root = match root.strip_prefix("/dev/disk/by-").and_then(|r| r.split_once('/')) {
        Some((kind, value)) => format!("{}={value}", kind.to_uppercase()),
        None => root.to_owned(),
    };
    if let Some(name) = root.strip_prefix("/dev/") {
        return device(name, blocks);
    }
    if let Some(number) = numbers(&root) {
        return among(blocks, |b| Some(b.device? == number));
    }
    let Some((key, value)) = root.split_once('=') else { return (None, None) };
    let value = value.trim_matches('"');
    if value.is_empty() || value.contains('/') {
        return (None, None);
    }
    match key {
        "PARTUUID" => among(blocks, |b| Some(b.partition.part_uuid.as_deref()?.eq_ignore_ascii_case(value))),
        "UUID" => {
            among(blocks, |b| by_type(b, b.partition.fs_uuid.as_deref(), |u| u.eq_ignore_ascii_case(value)))
        }
        "LABEL" => among(blocks, |b| by_type(b, b.label.as_deref(), |l| l == value)),
        "PARTLABEL" => among(blocks, |b| by_type(b, b.part_label.as_deref(), |l| l == value)),
        _ => (None, None),
    }
}

/// A partition without an identifier of this kind does not answer to it when
/// udev or its own bytes were read, which the known partition id shows.
fn by_type(block: &Block, value: Option<&str>, is: impl Fn(&str) -> bool) -> Option<bool> {
    value.map(is).or_else(|| block.partition.part_uuid.as_ref().map(|_| false))
}

fn among(blocks: &[Block], answers: impl Fn(&Block) -> Option<bool>) -> (Option<bool>, Option<Partition>) {
    let said: Vec<_> = blocks.iter().map(|b| (b, answers(b))).collect();
    let found: Vec<_> = said.iter().filter(|(_, is)| *is == Some(true)).collect();
    match found.as_slice() {
        [] if said.iter().any(|(_, is)| is.is_none()) => (None, None),
        [] => (Some(false), None),
        [(one, _)] => (Some(true), Some(one.partition.clone())),
        _ => (Some(true), None),
    }
}

/// `mmcblk0p2`, `nvme0n1p2`, `sda2`; names of other kinds of devices are not
/// for the list of partitions to judge.
fn device(name: &str, blocks: &[Block]) -> (Option<bool>, Option<Partition>) {
    let of_a_disk = ["mmcblk", "nvme", "sd"].iter().any(|p| name.starts_with(p)) && !name.contains('/');
    if !of_a_disk {
        return (None, None);
    }
    if blocks.iter().any(|b| b.partition.disk == name) {
        return (Some(true), None);
    }
    among(blocks, |b| Some(b.partition.device.strip_prefix("/dev/") == Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str, disk: &str, number: u32, part_uuid: &str, fs_uuid: &str, label: &str) -> Block {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Block {
            partition: Partition {
                device: format!("/dev/{name}"),
                disk: disk.into(),
                number: Some(number),
                part_uuid: some(part_uuid),
                fs_uuid: some(fs_uuid),
                fs_type: Some("ext4".into()),
            },
            device: Some((259, number.into())),
            label: some(label),
            part_label: None,
            disk_path: String::new(),
        }
    }

    fn two() -> Vec<Block> {
        vec![
            block("mmcblk0p2", "mmcblk0", 2, "1d2c3b4a-02", "5f0e6a44-1c0d-4b6e-9a57-21c8d3f0b1e2", "rootfs"),
            block("nvme0n1p1", "nvme0n1", 1, "6a7b8c9d-01", "", "writable"),
        ]
    }

    #[test]
    fn every_form_of_root() {
        let blocks = two();
        let device = |root: &str| {
            let (resolves, partition) = resolve(root, &blocks);
            (resolves, partition.map(|p| p.device))
        };
        let (sd, nvme) = (Some("/dev/mmcblk0p2".to_owned()), Some("/dev/nvme0n1p1".to_owned()));
        for (root, expected) in [
            ("PARTUUID=1d2c3b4a-02", (Some(true), sd.clone())),
            ("PARTUUID=1D2C3B4A-02", (Some(true), sd.clone())),
            ("PARTUUID=1d2c3b4a-03", (Some(false), None)),
            ("PARTUUID=1d2c3b4a-02/PARTNROFF=1", (None, None)),
            ("UUID=5f0e6a44-1c0d-4b6e-9a57-21c8d3f0b1e2", (Some(true), sd.clone())),
            ("UUID=00000000-0000-4000-8000-000000000001", (Some(false), None)),
            ("LABEL=writable", (Some(true), nvme.clone())),
            ("LABEL=Writable", (Some(false), None)),
            ("/dev/mmcblk0p2", (Some(true), sd.clone())),
            ("/dev/nvme0n1p2", (Some(false), None)),
            ("/dev/nvme0n1", (Some(true), None)),
            ("/dev/disk/by-partuuid/1d2c3b4a-02", (Some(true), sd.clone())),
            ("/dev/mapper/vg-root", (None, None)),
            ("/dev/nfs", (None, None)),
            ("/dev/root", (None, None)),
            ("259:1", (Some(true), nvme)),
            ("ZFS=pool/root", (None, None)),
            ("PARTUUID=", (None, None)),
            ("", (None, None)),
        ] {
            assert_eq!(device(root), expected, "{root}");
        }
    }

    #[test]
    fn two_that_answer_leave_it_open_which() {
        let mut blocks = two();
        blocks[1].partition.part_uuid = Some("1d2c3b4a-02".into());
        assert_eq!(resolve("PARTUUID=1d2c3b4a-02", &blocks), (Some(true), None));
    }

    #[test]
    fn unknown_identifiers_leave_it_open_whether() {
        let mut blocks = two();
        blocks[1].partition.part_uuid = None;
        assert_eq!(resolve("PARTUUID=aaaaaaaa-01", &blocks).0, None);
        assert_eq!(resolve("UUID=aaaaaaaa-01", &blocks).0, None);
        assert_eq!(resolve("PARTUUID=1d2c3b4a-02", &blocks).0, Some(true));
        assert_eq!(resolve("PARTUUID=1d2c3b4a-02", &[]).0, None);
    }
}
