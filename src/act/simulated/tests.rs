#![allow(clippy::disallowed_methods)] // It makes the files that the host then reads.

use super::*;
use std::path::Path;

fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path.trim_start_matches('/'));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_real_machine_is_not_played() {
    let live = Host::open(None).unwrap();
    assert!(matches!(boot(&live), Err(HostError::Other(_, why)) if why.contains("real")));
}

#[test]
fn every_id_is_another_one() {
    let one = next_id("3c1f6a52-8d0e-4f7b-a9c4-0b5d7e1f2a63");
    assert_eq!(one, "4d207b63-9e1f-508c-bad5-1c6e8f203b74\n");
    assert_ne!(next_id(""), next_id(next_id("").trim()));
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "/boot/firmware/config.txt", b"dtparam=pciex1\n");
    let host = Host::open(Some(folder.path())).unwrap();
    let Err(HostError::Other(who, why)) = boot(&host) else { panic!() };
    assert_eq!(
        (who.as_str(), why.as_str()),
        ("simulated firmware", "the medium of this boot is not recorded")
    );
}
