//! Durable writes and the lock.

use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
fn a_symlink_stays_and_its_file_is_replaced() {
    let tree = Tree::new(&[("/boot/firmware/config.txt", "old")]);
    tree.link("/boot/config.txt", "firmware/config.txt");
    let host = tree.host();
    host.replace("/boot/config.txt", b"new").unwrap();
    assert_eq!(tree.text("/boot/firmware/config.txt"), "new");
    assert!(tree.real("/boot/config.txt").is_symlink());
    assert_eq!(tree.names("/boot"), ["config.txt", "firmware"]);
    assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
}

#[test]
fn an_absolute_symlink_is_followed_inside_the_root_only() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "untouched").unwrap();
    let tree = Tree::new(&[("/etc/real", "old")]);
    tree.link("/etc/in", "/etc/real");
    tree.link("/etc/out", victim.to_str().unwrap());
    let host = tree.host();
    host.replace("/etc/in", b"new").unwrap();
    assert_eq!(tree.text("/etc/real"), "new");
    assert_eq!(other(host.replace("/etc/out", b"new")), "/etc/out: a symlink that leads nowhere");
    assert_eq!(other(host.write_new("/etc/out", b"new", 0o644)), "/etc/out: already there");
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "untouched");
}

#[test]
fn replace_keeps_mode_and_owner() {
    let tree = Tree::new(&[("/f", "old")]);
    std::fs::set_permissions(tree.real("/f"), PermissionsExt::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(tree.real("/f")).unwrap();
    tree.host().replace("/f", b"new").unwrap();
    let after = std::fs::metadata(tree.real("/f")).unwrap();
    assert_eq!((before.mode(), before.uid(), before.gid()), (after.mode(), after.uid(), after.gid()));
}

#[test]
fn replace_makes_a_file_that_is_not_there() {
    let tree = Tree::new(&[("/d/x", "")]);
    tree.host().replace("/d/new", b"").unwrap();
    assert_eq!(tree.text("/d/new"), "");
    assert!(matches!(tree.host().replace("/no/new", b""), Err(HostError::NotFound(_))));
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let tree = Tree::new(&[("/folder/x", "")]);
    nix::unistd::mkfifo(&tree.real("/fifo"), nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    let host = tree.host();
    assert_eq!(other(host.replace("/folder", b"")), "/folder: not a regular file");
    assert_eq!(other(host.replace("/fifo", b"")), "/fifo: not a regular file");
    for path in ["", "/", "//", "relative", "/folder/..", "/folder/."] {
        assert!(host.write_new(path, b"", 0o600).is_err(), "{path}");
        assert!(host.remove(path).is_err(), "{path}");
    }
    assert!(host.remove("/folder").is_err());
    assert_eq!(tree.names("/folder"), ["x"]);
}

#[test]
fn a_left_over_temporary_file_is_removed_first() {
    let tree = Tree::new(&[("/d/config.txt", "old"), ("/d/pi5nvme.tmp", "torn")]);
    tree.host().replace("/d/config.txt", b"new").unwrap();
    assert_eq!(
        (tree.text("/d/config.txt").as_str(), tree.names("/d")),
        ("new", vec!["config.txt".to_owned()])
    );
    std::fs::create_dir(tree.real("/d/pi5nvme.tmp")).unwrap();
    let said = other(tree.host().replace("/d/config.txt", b"newer"));
    assert_eq!(said, "/d/config.txt: pi5nvme.tmp beside it is in the way, and no file");
    assert_eq!(tree.text("/d/config.txt"), "new");
}

#[test]
fn a_new_file_does_not_go_over_another() {
    let tree = Tree::new(&[("/f", "old")]);
    let host = tree.host();
    assert_eq!(other(host.write_new("/f", b"new", 0o600)), "/f: already there");
    assert_eq!(tree.text("/f"), "old");
    host.write_new("/g", b"bytes", 0o600).unwrap();
    assert_eq!(tree.text("/g"), "bytes");
    assert_eq!(std::fs::metadata(tree.real("/g")).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn folders_come_and_go() {
    let tree = Tree::new(&[("/var/file", "")]);
    let host = tree.host();
    host.create_dir("/var/lib/pi5-nvme/transactions/", 0o700).unwrap();
    let made = std::fs::metadata(tree.real("/var/lib/pi5-nvme/transactions")).unwrap();
    assert_eq!(made.mode() & 0o777, 0o700);
    let before = host.operations();
    host.create_dir("/var/lib/pi5-nvme/transactions", 0o700).unwrap();
    host.create_dir("/", 0o700).unwrap();
    assert_eq!(host.operations(), before);
    assert_eq!(other(host.create_dir("/var/file/x", 0o700)), "/var/file: in the way: it is no folder");
    assert!(host.remove_dir("/var/lib").is_err());
    host.remove_dir("/var/lib/pi5-nvme/transactions").unwrap();
    host.remove_dir("/var/lib/pi5-nvme/transactions").unwrap();
    host.remove("/no/such/folder/file").unwrap();
    host.remove("/var/file").unwrap();
    assert_eq!(tree.names("/var"), ["lib"]);
    host.sync("/var").unwrap();
    assert!(matches!(host.sync("/gone"), Err(HostError::NotFound(_))));
}

#[test]
fn removing_a_symlink_leaves_its_file() {
    let tree = Tree::new(&[("/file", "x")]);
    tree.link("/link", "file");
    tree.host().remove("/link").unwrap();
    assert_eq!(tree.names("/"), ["file"]);
}

#[test]
fn the_second_one_is_told_who_holds_the_lock() {
    let tree = Tree::new(&[("/lock", "process 1, since long ago: stale\n")]);
    let (first, second) = (tree.host(), tree.host());
    let held = first.lock("/lock").unwrap();
    let Err(HostError::Locked(who)) = second.lock("/lock") else { panic!("two hold it") };
    assert!(who.contains(&format!("process {}, since 2026-01-01T12:00:00Z: ", std::process::id())), "{who}");
    assert!(!who.contains("stale"));
    drop(held);
    drop(second.lock("/lock").unwrap());
    assert_eq!(tree.text("/lock"), "");
    assert!(matches!(first.lock("/none/lock"), Err(HostError::NotFound(_))));
}

#[test]
fn a_lock_is_not_taken_through_a_symlink() {
    let tree = Tree::new(&[("/file", "precious")]);
    tree.link("/lock", "file");
    assert!(tree.host().lock("/lock").is_err());
    assert_eq!(tree.text("/file"), "precious");
}

#[test]
fn what_reads_back_differently_is_an_error() {
    let tree = Tree::new(&[("/f", "written")]);
    let place = tree.host().place("/f").unwrap();
    let check = |bytes: &[u8]| crate::host::durable::read_back(&place, bytes);
    assert_eq!(check(b"written"), Ok(()));
    for other in [&b""[..], b"writte", b"written!", b"wrItten"] {
        assert_eq!(check(other), Err(HostError::ReadBack("/f".into())));
    }
}

#[test]
fn a_file_larger_than_what_is_read_whole_can_be_written() {
    let tree = Tree::new(&[]);
    let bytes = vec![0x5a; 17 << 20];
    tree.host().write_new("/large", &bytes, 0o600).unwrap();
    assert!(std::fs::read(tree.real("/large")).unwrap() == bytes);
}
