//! Reading, and what must never be read.

use super::*;

#[test]
fn no_symlink_leads_out_of_the_root() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let secret = outside.path().join("secret");
    let tree = Tree::new(&[("/etc/hostname", "inside")]);
    tree.link("/absolute", secret.to_str().unwrap());
    tree.link("/etc/relative", &format!("../../../../../../../..{}", secret.display()));
    tree.link("/etc/deep", "../../../etc/hostname");
    let host = tree.host();
    assert!(matches!(host.read("/absolute"), Err(HostError::NotFound(_))));
    assert!(matches!(host.read("/etc/relative"), Err(HostError::NotFound(_))));
    assert!(matches!(host.read(&format!("/../..{}", secret.display())), Err(HostError::NotFound(_))));
    assert_eq!(host.read("/etc/deep").unwrap(), b"inside");
    assert_eq!(host.read("/../etc/./hostname").unwrap(), b"inside");
    assert_eq!(host.canonical("/etc/deep").unwrap(), "/etc/hostname");
    assert_eq!(host.canonical("/").unwrap(), "/");
}

#[test]
fn loops_and_links_to_nowhere() {
    let tree = Tree::new(&[]);
    tree.link("/a", "b");
    tree.link("/b", "a");
    tree.link("/gone", "nothing");
    let host = tree.host();
    assert!(other(host.read("/a")).contains("symbolic link"));
    assert!(!host.exists("/a") && !host.exists("/gone"));
    assert!(matches!(host.read("/gone"), Err(HostError::NotFound(_))));
    assert!(matches!(host.canonical("/gone"), Err(HostError::NotFound(_))));
}

#[test]
fn only_regular_files_are_read() {
    let tree = Tree::new(&[("/folder/file", "x")]);
    nix::unistd::mkfifo(&tree.real("/fifo"), nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    let host = tree.host();
    assert_eq!(other(host.read("/fifo")), "/fifo: not a regular file");
    assert_eq!(other(host.read("/folder")), "/folder: a folder, not a file");
    assert!(matches!(host.read("/folder/file/below"), Err(HostError::NotFound(_))));
    assert!(host.stat("/folder").unwrap().is_dir);
    assert_eq!(other(host.read("folder/file")), "folder/file: not an absolute path");
    assert!(other(live().read("/dev/zero")).contains("not a regular file"));
}

#[test]
fn a_link_of_proc_is_an_error_that_says_so() {
    assert!(other(live().read("/proc/self/exe")).contains("cannot be followed"));
    assert!(!live().read("/proc/self/mountinfo").unwrap().is_empty());
}

#[test]
fn huge_files_are_not_swallowed() {
    let tree = Tree::new(&[("/small", "12345")]);
    std::fs::File::create(tree.real("/huge")).unwrap().set_len(1 << 40).unwrap();
    let host = tree.host();
    assert_eq!(host.read("/huge"), Err(HostError::TooLarge("/huge".into(), crate::host::READ_LIMIT)));
    assert_eq!(host.read_limited("/small", 4), Err(HostError::TooLarge("/small".into(), 4)));
    assert_eq!(host.read_limited("/small", u64::MAX).unwrap(), b"12345");
    assert!(matches!(host.read_at("/huge", 0, usize::MAX), Err(HostError::TooLarge(..))));
}

#[test]
fn a_part_of_a_file_is_whole_or_an_error() {
    let host_tree = Tree::new(&[("/f", "0123456789")]);
    let host = host_tree.host();
    assert_eq!(host.read_at("/f", 3, 4).unwrap(), b"3456");
    assert_eq!(host.read_at("/f", 10, 0).unwrap(), b"");
    assert_eq!(other(host.read_at("/f", 8, 4)), "/f: ends before byte 12");
    assert!(host.read_at("/f", u64::MAX, 4).is_err());
}

#[test]
fn names_that_are_no_utf8() {
    let tree = Tree::new(&[("/d/name", "")]);
    let odd = tree.real("/d").join(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    std::fs::write(&odd, "").unwrap();
    std::os::unix::fs::symlink(&odd, tree.real("/d/link")).unwrap();
    std::os::unix::fs::symlink(odd.file_name().unwrap(), tree.real("/d/near")).unwrap();
    let host = tree.host();
    assert_eq!(host.list("/d").unwrap(), ["link", "name", "near"]);
    assert_eq!(other(host.canonical("/d/near")), "/d/near: leads to a name that is not UTF-8");
    assert!(host.replace("/d/near", b"new").is_err());
    assert_eq!(std::fs::read(&odd).unwrap(), b"");
}

#[test]
fn text_without_its_edges() {
    let tree = Tree::new(&[("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0"), ("/empty", "")]);
    let host = tree.host();
    assert_eq!(host.read_text("/proc/device-tree/model").unwrap(), "Raspberry Pi 5 Model B Rev 1.0");
    assert_eq!(host.read_text("/empty").unwrap(), "");
}

#[test]
fn room_of_a_real_file_system() {
    let space = live().space("/proc/../tmp").unwrap();
    assert!(space.total_bytes > space.free_bytes && space.free_bytes > 0);
    assert!(matches!(live().space("/no/such/place"), Err(HostError::NotFound(_))));
}

#[test]
fn a_root_that_is_not_there_or_a_file() {
    let tree = Tree::new(&[("/f", "")]);
    assert!(matches!(Host::open(Some(Path::new("/no/such/root"))), Err(HostError::NotFound(_))));
    assert!(matches!(Host::open(Some(&tree.real("/f"))), Err(HostError::NotFound(_))));
    assert!(!Host::open(Some(Path::new("/"))).unwrap().is_simulated());
    assert!(!Host::open(Some(Path::new("/usr/.."))).unwrap().is_simulated());
    assert!(tree.host().is_simulated());
}
