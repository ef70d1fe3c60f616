//! Recorded machines.

use super::*;
use crate::formats::eeprom_image;

const MACHINE: &str = r#"
euid = 0
time = "2026-12-01T10:00:00Z"
installed = ["rpi-eeprom-config", "rpi-eeprom-update"]

[[program]]
argv = ["vcgencmd", "get_throttled"]
stdout = "throttled=0x0\n"

[[program]]
argv = ["sh", "-c", "touch /replay-ran"]
stderr = "not run\n"
status = 9

[[nvme_log]]
device = "/dev/nvme0"
page = 2
hex = "00 01 fF 7f 10 20"

[[space]]
path = "/boot/firmware/"
free_bytes = 400
total_bytes = 530
[[space]]
path = "/boot"
free_bytes = 1
total_bytes = 2

[[partition]]
device = "/dev/nvme0n1p1"
tree = "/replay/nvme0n1p1"
"#;

fn run(host: &Host, argv: &[&str]) -> Result<super::super::Output, HostError> {
    host.run(&Program { argv, env: &[], timeout: Duration::from_secs(9), ending: Ending::Forced })
}

#[test]
fn answers_are_exactly_what_is_listed() {
    let tree = Tree::new(&[("/replay.toml", MACHINE), ("/replay/nvme0n1p1/config.txt", "")]);
    let host = tree.host();
    assert_eq!((host.euid(), host.now().to_string().as_str()), (0, "2026-12-01T10:00:00Z"));
    assert_eq!(run(&host, &["vcgencmd", "get_throttled"]).unwrap().stdout, b"throttled=0x0\n");
    assert_eq!(run(&host, &["sh", "-c", "touch /replay-ran"]).unwrap().status, 9);
    assert!(host.has_program("vcgencmd") && host.has_program("rpi-eeprom-update"));
    assert!(!host.has_program("bash"));
    assert_eq!(run(&host, &["bash"]), Err(HostError::ProgramMissing("bash".into())));
    let unknown = HostError::NotRecorded("vcgencmd get_throttled 1".into());
    assert_eq!(run(&host, &["vcgencmd", "get_throttled", "1"]), Err(unknown));
    let no_eeprom = HostError::NotRecorded("rpi-eeprom-update -r".into());
    assert_eq!(run(&host, &["rpi-eeprom-update", "-r"]), Err(no_eeprom));

    assert_eq!(host.nvme_log("/dev/nvme0", 2, 4).unwrap(), [0, 1, 0xff, 0x7f]);
    for (device, page, len) in [("/dev/nvme0", 2, 8), ("/dev/nvme0", 1, 4), ("/dev/nvme1", 2, 4)] {
        assert!(matches!(host.nvme_log(device, page, len), Err(HostError::NotRecorded(_))));
    }
    let free = |path: &str| host.space(path).unwrap().free_bytes;
    assert_eq!(
        (free("/boot/firmware/config.txt"), free("/boot/firmware"), free("/boot/firm")),
        (400, 400, 1)
    );
    assert!(free("/replay") > 400);

    let mounted = host.mount("/dev/nvme0n1p1", true).unwrap();
    assert_eq!(mounted.point, "/replay/nvme0n1p1");
    mounted.unmount().unwrap();
    assert!(matches!(host.mount("/dev/sda1", false), Err(HostError::NotRecorded(_))));
    host.reboot().unwrap();
    assert!(host.exists("/replay/reboot-requested"));
}

#[test]
fn without_a_file_there_is_nothing() {
    let tree = Tree::new(&[]);
    let host = tree.host();
    assert_eq!((host.euid(), host.now().to_string().as_str()), (0, "2026-01-01T12:00:00Z"));
    assert_eq!(run(&host, &["sh", "-c", "true"]), Err(HostError::ProgramMissing("sh".into())));
    assert!(!host.has_program("sh") && !host.has_program("/bin/sh"));
    assert!(matches!(host.nvme_log("/dev/nvme0", 2, 512), Err(HostError::NotRecorded(_))));
    host.reboot().unwrap();
    assert_eq!(tree.names("/replay"), ["reboot-requested"]);
}

#[test]
fn another_user_is_not_root() {
    let tree = Tree::new(&[("/replay.toml", &MACHINE.replace("euid = 0", "euid = 1000"))]);
    let host = tree.host();
    assert_eq!(host.euid(), 1000);
    assert!(matches!(host.nvme_log("/dev/nvme0", 2, 4), Err(HostError::Denied(_))));
    assert!(matches!(host.mount("/dev/nvme0n1p1", false), Err(HostError::Denied(_))));
    assert!(matches!(host.reboot(), Err(HostError::Denied(_))));
}

#[test]
fn a_recording_that_is_wrong_says_where() {
    let error = |text: &[u8]| {
        let tree = Tree::new(&[]);
        std::fs::write(tree.real("/replay.toml"), text).unwrap();
        other(Host::open(Some(tree.0.path())))
    };
    assert!(error(b"euid = 0\n\neuidd = 1\n").starts_with("/replay.toml: line 3: unknown field `euidd`"));
    assert!(error(b"euid = \n").starts_with("/replay.toml: line 1: "));
    assert!(error(b"[[program]]\nargv = []\nstdout = \"lost\"\n").contains("without a name says \"lost\""));
    assert!(
        error(b"[[program]]\nstdout = \"x\"\n").starts_with("/replay.toml: line 1: missing field `argv`")
    );
    assert!(error(b"\n# \xff\n").starts_with("/replay.toml: line 2: not UTF-8"));
    assert!(error(b"time = \"yesterday\"").contains("time \"yesterday\""));
    let hex = |hex: &str| format!("[[nvme_log]]\ndevice = \"/dev/nvme0\"\npage = 2\nhex = \"{hex}\"");
    assert!(error(hex("abc").as_bytes()).contains("pairs of hex digits"));
    assert!(error(hex("0x").as_bytes()).contains("pairs of hex digits"));
    assert!(
        error(b"[eeprom]\napply = \"maybe\"\nboot_dir = \"/boot\"").starts_with("/replay.toml: line 2: ")
    );
}

const CONFIG: &str = "[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\n";
const APPLY: [&str; 4] = ["rpi-eeprom-config", "--apply", "/state/bootconf.txt", "/lib/pieeprom.bin"];

fn with_eeprom(apply: &str) -> Tree {
    let replay = format!("{MACHINE}\n[eeprom]\napply = \"{apply}\"\nboot_dir = \"/boot/firmware\"\n");
    let files = [
        ("/replay.toml", replay.as_str()),
        ("/state/bootconf.txt", CONFIG),
        ("/boot/firmware/config.txt", ""),
    ];
    let tree = Tree::new(&files);
    std::fs::create_dir_all(tree.real("/lib")).unwrap();
    let image = eeprom_image::synthetic(1_755_000_000, 1, b"[all]\nBOOT_UART=0\n");
    std::fs::write(tree.real("/lib/pieeprom.bin"), image).unwrap();
    tree
}

#[test]
fn a_staged_update_waits_in_the_boot_folder_and_can_be_cancelled() {
    let tree = with_eeprom("staged");
    let host = tree.host();
    assert_eq!(run(&host, &["rpi-eeprom-update", "-b"]).unwrap().stdout, b"/boot/firmware\n");
    assert_eq!(run(&host, &APPLY).unwrap().status, 0);
    assert_eq!(tree.names("/boot/firmware"), ["config.txt", "pieeprom.sig", "pieeprom.upd", "recovery.bin"]);
    let update = host.read("/boot/firmware/pieeprom.upd").unwrap();
    assert_eq!(eeprom_image::config(&update).unwrap(), CONFIG.as_bytes());
    assert_eq!(eeprom_image::build_timestamp(&update), Some(1_755_000_000));
    assert_eq!(run(&host, &["rpi-eeprom-update", "-r"]).unwrap().status, 0);
    assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
    assert_eq!(host.operations(), 2);
}

#[test]
fn an_immediate_update_is_there_after_the_next_boot() {
    let tree = with_eeprom("immediate");
    let host = tree.host();
    assert_eq!(run(&host, &APPLY).unwrap().stdout, b"UPDATE SUCCESSFUL\n");
    assert_eq!(tree.text("/replay/eeprom-next.txt"), CONFIG);
    assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
}

#[test]
fn an_update_that_fails_changes_nothing() {
    let fails = |tree: &Tree, host: &Host, argv: &[&str]| {
        let said = run(host, argv).unwrap();
        assert_eq!(said.status, 1);
        assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
        String::from_utf8(said.stderr).unwrap()
    };
    let tree = with_eeprom("fails");
    assert!(fails(&tree, &tree.host(), &APPLY).contains("the update failed"));
    let tree = with_eeprom("staged");
    let host = tree.host();
    let no_image = ["rpi-eeprom-config", "--apply", "/state/bootconf.txt", "/lib/none.bin"];
    assert!(fails(&tree, &host, &no_image).contains("/lib/none.bin: not there"));
    let no_config = ["rpi-eeprom-config", "--apply", "/boot/firmware/config.txt", "/state/bootconf.txt"];
    assert!(fails(&tree, &host, &no_config).contains("is not the size of a bootloader image"));
    let full = tree.host().with_faults(Faults::full_at(1));
    assert!(fails(&tree, &full, &APPLY).contains("no space left"));
    let as_user = tree.text("/replay.toml").replace("euid = 0", "euid = 1000");
    std::fs::write(tree.real("/user.toml"), as_user).unwrap();
    let stopped = tree.host().with_faults(Faults::stop_at(1));
    assert!(matches!(run(&stopped, &APPLY), Err(HostError::Stopped(_))));
    assert_eq!(tree.names("/boot/firmware"), ["config.txt"]);
    std::fs::rename(tree.real("/user.toml"), tree.real("/replay.toml")).unwrap();
    assert!(fails(&tree, &tree.host(), &APPLY).contains("permission denied"));
}
