//! The parsers of the boot side on arbitrary bytes: none of them panics, and
//! what they give stays what it says it is.

use super::mounts::{Mounts, unescape};
use super::settings::Settings;
use super::{hindrance, ids, partitions, sysfs};
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..600),
        "[-=0-9 :/\\\\a-zE\n\"'$#\\[\\]]{0,200}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn nothing_panics(bytes in bytes(), sector in 0usize..5000, number in any::<u32>()) {
        let text = String::from_utf8_lossy(&bytes);
        let points: Vec<_> = Mounts::parse(&bytes).iter().map(|e| e.mount.point.clone()).collect();
        let mut once = points.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), points.len());
        prop_assert!(unescape(&text).chars().count() <= text.chars().count());
        Settings::parse(&bytes);
        hindrance::is_decoy(&bytes);
        sysfs::numbers(&text);
        partitions::decoded(&text);
        ids::file_system(&bytes);
        ids::part_uuid(&bytes, sector, number);
    }

    #[test]
    fn tables_with_any_numbers_are_read(fields in proptest::collection::vec(any::<u8>(), 96), number in any::<u32>()) {
        let mut disk = vec![0; 512];
        disk[510..].copy_from_slice(&[0x55, 0xaa]);
        disk.extend(b"EFI PART");
        disk.extend(fields);
        if let Some(id) = ids::part_uuid(&disk, 512, number) {
            prop_assert_eq!(id.len(), 36);
        }
    }
}
