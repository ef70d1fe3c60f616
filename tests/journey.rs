//! The journey on the recorded trixie machine, as a person without a terminal
//! makes it.

use crate::machine::{Machine, differences};
use pi5_nvme::host::Host;

const SETUP: [&str; 11] =
    ["setup", "--gen", "3", "--boot", "nvme", "--bench", "off", "--reboot", "no", "--yes", "--json"];

#[test]
fn setup_twice_then_undo_is_the_start() {
    let machine = Machine::copy("pi5-trixie-sd");
    let start = machine.snapshot();

    let status = machine.run(&["status", "--json"]).expect(0).json();
    assert_eq!(status["schema"], "pi5-nvme/status/1");
    assert_eq!(status["board"]["supported"], true);
    assert_eq!(status["drives"][0]["link"]["generation"], 2);
    assert_eq!(differences(&start, &machine.snapshot()), [""; 0]);

    let before = machine.read("boot/firmware/config.txt");
    let first = machine.run(&SETUP).expect(0).json();
    assert_eq!(first["changed"], true, "{first}");
    assert_eq!(first["reboot_required"], true, "{first}");
    let after = machine.read("boot/firmware/config.txt");
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert!(machine.path("boot/firmware/pieeprom.upd").exists());

    let done = machine.snapshot();
    let second = machine.run(&SETUP).expect(0).json();
    assert_eq!(second["changed"], false, "{second}");
    assert_eq!(second["plan"]["steps"], serde_json::json!([]), "{second}");
    assert_eq!(second["reboot_required"], true, "the first change still waits: {second}");
    assert_eq!(differences(&done, &machine.snapshot()), [""; 0]);

    let undone = machine.run(&["undo", "--json"]).expect(0).json();
    assert_eq!(undone["changed"], true, "{undone}");
    assert_eq!(differences(&start, &machine.snapshot()), [""; 0]);
}

#[test]
fn a_dry_run_changes_nothing() {
    let machine = Machine::copy("pi5-trixie-sd");
    let start = machine.snapshot();
    let dry = machine.run(&["setup", "--gen", "3", "--boot", "nvme", "--dry-run", "--json"]).expect(0).json();
    assert_eq!(dry["changed"], false);
    assert_eq!(dry["plan"]["steps"].as_array().map(Vec::len), Some(2), "{dry}");
    assert_eq!(differences(&start, &machine.snapshot()), [""; 0]);
    assert!(!machine.path("var/lib/pi5-nvme").exists());
}

#[test]
fn without_a_terminal_every_missing_answer_is_named() {
    let machine = Machine::copy("pi5-trixie-sd");
    let start = machine.snapshot();
    let answer = machine.run(&["setup"]).expect(2);
    for flag in ["--gen", "--boot", "--bench", "--reboot", "--yes"] {
        assert!(answer.stderr.contains(flag), "{flag} is not named:\n{}", answer.stderr);
    }
    assert_eq!(differences(&start, &machine.snapshot()), [""; 0]);
}

/// The machine recorded after the reboot is what setup and the simulated
/// firmware make of the one before: its boot file and its bootloader
/// configuration byte for byte, and what the kernel shows of the link.
#[test]
fn the_machine_after_setup_is_the_recorded_one() {
    let machine = Machine::copy("pi5-trixie-sd");
    machine.run(&SETUP).expect(0).json();
    let host = Host::open(Some(machine.root())).unwrap();
    pi5_nvme::act::simulated::boot(&host).unwrap();
    let after = Machine::copy("pi5-trixie-sd-gen3");
    let port = "sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0";
    for path in [
        "boot/firmware/config.txt".to_owned(),
        "sys/devices/platform/3fd16d80.nvram/rmem0/nvmem".to_owned(),
        "sys/firmware/devicetree/base/axi/pcie@1000110000/max-link-speed".to_owned(),
        format!("{port}/max_link_speed"),
        format!("{port}/current_link_speed"),
        format!("{port}/0001:01:00.0/current_link_speed"),
    ] {
        let text = |bytes: Vec<u8>| bytes.escape_ascii().to_string();
        assert_eq!(text(machine.read(&path)), text(after.read(&path)), "{path}");
    }
    let again = after.run(&SETUP).expect(0).json();
    assert_eq!(again["changed"], false, "{again}");
    for part in ["steps", "refusals"] {
        assert_eq!(again["plan"][part], serde_json::json!([]), "{again}");
    }
}

/// Who runs it without root sees the same of the machine, and what is missing
/// is named once a drive.
#[test]
fn without_root_what_is_missing_is_listed() {
    let machine = Machine::copy("pi5-two-drives");
    let mut root = machine.run(&["status", "--json"]).expect(0).json();
    let replay = String::from_utf8(machine.read("replay.toml")).unwrap();
    machine.write("replay.toml", replay.replacen("euid = 0", "euid = 1000", 1));
    let user = machine.run(&["status", "--json"]).expect(0).json();
    for drive in root["drives"].as_array_mut().unwrap() {
        assert!(drive["smart"].take().is_object());
    }
    for key in ["board", "boot", "drives", "findings"] {
        assert_eq!(user[key], root[key], "{key}");
    }
    assert_eq!(root["missing"], serde_json::json!([]), "{root}");
    let paths: Vec<_> = user["missing"].as_array().unwrap().iter().map(|m| m["path"].clone()).collect();
    assert_eq!(paths, ["/dev/nvme0", "/dev/nvme1"], "{user}");
}

#[test]
fn what_a_comparison_cannot_read_is_said_before_the_measurement() {
    let machine = Machine::copy("pi5-trixie-sd");
    // A link to itself where the folder of the runs should be cannot be listed.
    machine.write("var/lib/pi5-nvme/lock", "");
    std::os::unix::fs::symlink("bench", machine.path("var/lib/pi5-nvme/bench")).unwrap();
    let answer = machine.run(&["bench", "--compare", "--profile", "quick"]);
    assert!(answer.status > 1 && !answer.stderr.contains("Measuring"), "{}", answer.stderr);
}

#[test]
fn an_answer_that_cannot_be_printed_is_not_done() {
    let machine = Machine::copy("pi5-trixie-sd");
    for arguments in [&["status"][..], &["status", "--json"], &["verify", "-q"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let answer = machine.command(arguments).stdout(full).output().unwrap();
        assert_eq!(answer.status.code(), Some(1), "{arguments:?}");
        let said = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert!(said.contains("could not be printed: No space left"), "{arguments:?}: {said}");
    }
}
