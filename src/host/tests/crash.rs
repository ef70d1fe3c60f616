//! A failure at every durable operation.

use super::*;

const OLD: &str = "dtparam=audio=on\n";
const NEW: &str = "dtparam=audio=on\n[all]\ndtparam=pciex1_gen=3\n";

fn machine() -> Tree {
    let tree = Tree::new(&[("/boot/firmware/config.txt", OLD)]);
    tree.link("/boot/config.txt", "firmware/config.txt");
    tree
}

/// Operations of one `replace` that goes well.
fn operations() -> u64 {
    let tree = machine();
    let host = tree.host();
    host.replace("/boot/config.txt", NEW.as_bytes()).unwrap();
    host.operations()
}

#[test]
fn replace_is_create_write_fsync_rename_fsync_syncfs() {
    assert_eq!(operations(), 6);
}

#[test]
fn power_failure_leaves_the_old_or_the_new_file() {
    for k in 1..=operations() {
        let tree = machine();
        let host = tree.host().with_faults(Faults::stop_at(k));
        let result = host.replace("/boot/config.txt", NEW.as_bytes());
        assert!(matches!(result, Err(HostError::Stopped(_))), "{k}: {result:?}");
        let there = tree.text("/boot/firmware/config.txt");
        assert_eq!(there, if k <= 4 { OLD } else { NEW }, "{k}");
        let left = tree.names("/boot/firmware").contains(&"pi5nvme.tmp".to_owned());
        assert_eq!(left, (2..=4).contains(&k), "{k}");
        if k == 2 {
            assert_eq!(tree.text("/boot/firmware/pi5nvme.tmp").len(), NEW.len() / 2);
        }
        // The next run finishes it.
        tree.host().replace("/boot/config.txt", NEW.as_bytes()).unwrap();
        assert_eq!(tree.text("/boot/firmware/config.txt"), NEW);
        assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
        assert!(tree.real("/boot/config.txt").is_symlink());
    }
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    for k in 1..=2 {
        let tree = machine();
        let result = tree.host().with_faults(Faults::full_at(k)).replace("/boot/config.txt", NEW.as_bytes());
        assert_eq!(result, Err(HostError::NoSpace("/boot/firmware/config.txt".into())), "{k}");
        assert_eq!(tree.text("/boot/firmware/config.txt"), OLD);
        assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
    }
    let tree = machine();
    tree.host().with_faults(Faults::full_at(3)).replace("/boot/config.txt", NEW.as_bytes()).unwrap();
    assert_eq!(tree.text("/boot/firmware/config.txt"), NEW);
}

#[test]
fn a_file_system_that_turns_read_only() {
    for k in 1..=operations() {
        let tree = machine();
        let result =
            tree.host().with_faults(Faults::read_only_at(k)).replace("/boot/config.txt", NEW.as_bytes());
        assert!(matches!(result, Err(HostError::ReadOnly(_))), "{k}: {result:?}");
        assert_eq!(tree.text("/boot/firmware/config.txt"), if k <= 4 { OLD } else { NEW }, "{k}");
    }
}

#[test]
fn new_files_and_folders_fail_where_they_are_told_to() {
    let tree = Tree::new(&[]);
    let host = tree.host();
    host.create_dir("/a/b", 0o700).unwrap();
    assert_eq!(host.operations(), 4);
    host.write_new("/a/b/f", b"1234", 0o600).unwrap();
    assert_eq!(host.operations(), 8);
    host.remove("/a/b/f").unwrap();
    host.remove("/a/b/f").unwrap();
    host.remove_dir("/a/b").unwrap();
    host.sync("/a").unwrap();
    assert_eq!(host.operations(), 13);

    let full = tree.host().with_faults(Faults::full_at(2));
    assert!(matches!(full.write_new("/a/f", b"1234", 0o600), Err(HostError::NoSpace(_))));
    assert!(matches!(full.create_dir("/a/c", 0o700), Err(HostError::NoSpace(_))));
    assert_eq!(tree.names("/a"), [""; 0]);

    let stopped = tree.host().with_faults(Faults::stop_at(2));
    assert!(matches!(stopped.write_new("/a/f", b"1234", 0o600), Err(HostError::Stopped(_))));
    assert_eq!(tree.text("/a/f"), "12");
    assert!(matches!(stopped.remove("/a/f"), Err(HostError::Stopped(_))));
    assert!(matches!(stopped.sync("/a"), Err(HostError::Stopped(_))));
    tree.host().with_faults(Faults::none()).remove("/a/f").unwrap();
    assert_eq!(tree.names("/a"), [""; 0]);
}
