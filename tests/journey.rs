//! The journey on the recorded trixie machine, as a person without a terminal
//! makes it.

use crate::machine::{Machine, differences};

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

#[test]
fn what_a_comparison_cannot_read_is_said_before_the_measurement() {
    let machine = Machine::copy("pi5-trixie-sd");
    // A link to itself where the folder of the runs should be cannot be listed.
    machine.write("var/lib/pi5-nvme/lock", "");
    std::os::unix::fs::symlink("bench", machine.path("var/lib/pi5-nvme/bench")).unwrap();
    let answer = machine.run(&["bench", "--compare", "--profile", "quick"]);
    assert!(answer.status > 1 && !answer.stderr.contains("Measuring"), "{}", answer.stderr);
}
