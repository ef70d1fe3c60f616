//! Identifiers of partitions and file systems, read from their own bytes where
//! udev has none.

/// What the first bytes of a file system say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileSystem {
    /// `vfat`, `ext4`.
    pub(super) fs_type: Option<String>,
    /// As `blkid` writes it, lower case.
    pub(super) uuid: Option<String>,
    /// The volume's name.
    pub(super) label: Option<String>,
}

/// How many bytes [`file_system`] looks at.
pub(super) const HEAD: usize = 2048;

/// Looks for FAT (boot sector: `FAT32   ` at 0x52 with the volume id at 0x43,
/// `FAT1x` at 0x36 with the id at 0x27) and ext2 to ext4 (superblock at 1024:
/// magic at 0x38, UUID at 0x68, name at 0x78).
pub(super) fn file_system(head: &[u8]) -> FileSystem {
    let fat = |magic: usize, id: usize, name: usize| {
        let looks = head.get(magic..magic + 3)? == b"FAT" && head.get(510..512)? == [0x55, 0xaa];
        let id: [u8; 4] = head.get(id..id + 4)?.try_into().ok()?;
        let id = u32::from_le_bytes(id);
        let label = text(head.get(name..name + 11)?);
        let label = label.filter(|l| l != "NO NAME");
        looks.then(|| FileSystem {
            fs_type: Some("vfat".into()),
            uuid: Some(format!("{:04x}-{:04x}", id >> 16, id & 0xffff)),
            label,
        })
    };
    let ext = || {
        let block = head.get(1024..)?;
        if block.get(0x38..0x3a)? != [0x53, 0xef] {
            return None;
        }
        let uuid = dashed(block.get(0x68..0x78)?.iter().copied());
        Some(FileSystem {
            fs_type: Some("ext4".into()),
            uuid: Some(uuid),
            label: text(block.get(0x78..0x88)?),
        })
    };
    fat(0x52, 0x43, 0x47).or_else(|| fat(0x36, 0x27, 0x2b)).or_else(ext).unwrap_or_default()
}

/// The `PARTUUID` of partition `number` by the first sectors of its disk, of
/// `sector` bytes each: disk id (0x1b8) and number for an MBR, the entry's own
/// GUID (its first three fields little-endian) for a GPT.
pub(super) fn part_uuid(disk: &[u8], sector: usize, number: u32) -> Option<String> {
    if disk.get(510..512)? != [0x55, 0xaa] {
        return None;
    }
    let header = disk.get(sector..)?;
    if header.get(..8)? != b"EFI PART" {
        let id = u32::from_le_bytes(disk.get(0x1b8..0x1bc)?.try_into().ok()?);
        return (id != 0).then(|| format!("{id:08x}-{number:02x}"));
    }
    let field = |at: usize, len: usize| {
        let bytes = header.get(at..at + len)?;
        bytes.iter().rev().try_fold(0usize, |v, b| v.checked_mul(256)?.checked_add(usize::from(*b)))
    };
    let (table, size) = (field(72, 8)?.checked_mul(sector)?, field(84, 4)?);
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    let at = table.checked_add(index.checked_mul(size)?)?.checked_add(16)?;
    let guid: [u8; 16] = disk.get(at..at.checked_add(16)?)?.try_into().ok()?;
    if guid == [0; 16] {
        return None;
    }
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    Some(dashed(order.iter().filter_map(|i| guid.get(*i).copied())))
}

fn dashed(bytes: impl Iterator<Item = u8>) -> String {
    let mut out = String::with_capacity(36);
    for (n, byte) in bytes.enumerate() {
        if matches!(n, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(bytes.get(..end)?).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sector(parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        for (at, part) in [(510, &[0x55, 0xaa][..])].iter().chain(parts) {
            bytes[*at..*at + part.len()].copy_from_slice(part);
        }
        bytes
    }

    #[test]
    fn fat_ids_are_read_as_blkid_writes_them() {
        let fat32 = sector(&[(0x52, b"FAT32   "), (0x43, &[0x4d, 0x3c, 0x2b, 0x1a]), (0x47, b"bootfs     ")]);
        let found = file_system(&fat32);
        assert_eq!(found.uuid.as_deref(), Some("1a2b-3c4d"));
        assert_eq!(found.label.as_deref(), Some("bootfs"));
        let fat16 = sector(&[(0x36, b"FAT16   "), (0x27, &[1, 0, 0, 0xff]), (0x2b, b"NO NAME    ")]);
        assert_eq!(file_system(&fat16).uuid.as_deref(), Some("ff00-0001"));
        assert_eq!(file_system(&fat16).label, None);
    }

    #[test]
    fn ext4_ids() {
        let uuid: Vec<u8> = (0x10..0x20).collect();
        let ext = sector(&[(1024 + 0x38, &[0x53, 0xef]), (1024 + 0x68, &uuid), (1024 + 0x78, b"writable\0")]);
        let found = file_system(&ext);
        assert_eq!(found.fs_type.as_deref(), Some("ext4"));
        assert_eq!(found.uuid.as_deref(), Some("10111213-1415-1617-1819-1a1b1c1d1e1f"));
        assert_eq!(found.label.as_deref(), Some("writable"));
    }

    #[test]
    fn partition_ids_of_both_tables() {
        let mbr = sector(&[(0x1b8, &[0x4a, 0x3b, 0x2c, 0x1d])]);
        assert_eq!(part_uuid(&mbr, 512, 2).as_deref(), Some("1d2c3b4a-02"));
        assert_eq!(part_uuid(&mbr, 512, 10).as_deref(), Some("1d2c3b4a-0a"));
        let guid = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 8, 9, 10, 11, 12, 13, 14, 15];
        for size in [512, 4096] {
            let mut gpt = sector(&[]);
            gpt.resize(4 * size, 0);
            gpt[size..size + 8].copy_from_slice(b"EFI PART");
            gpt[size + 72] = 2;
            gpt[size + 84] = 128;
            gpt[2 * size + 128 + 16..2 * size + 128 + 32].copy_from_slice(&guid);
            assert_eq!(part_uuid(&gpt, size, 2).as_deref(), Some("00112233-4455-6677-0809-0a0b0c0d0e0f"));
            assert_eq!(part_uuid(&gpt, size, 1), None);
        }
    }

    #[test]
    fn noise_gives_nothing() {
        assert_eq!(file_system(&[0; 100]), FileSystem::default());
        assert_eq!(file_system(&[0xff; HEAD]), FileSystem::default());
        assert_eq!(part_uuid(&[0xff; 512], 512, 1), None);
        let mut gpt = sector(&[]);
        gpt[512..520].copy_from_slice(b"EFI PART");
        gpt[512 + 72..512 + 88].fill(0xff);
        assert_eq!(part_uuid(&gpt, 512, 4_000_000_000), None);
    }
}
