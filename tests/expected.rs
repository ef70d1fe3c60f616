//! Every recorded machine in, its expected reports out: what a person sees at
//! 80 and at 40 columns, and what a program reads.
//!
//! `UPDATE_EXPECTED=1 cargo test --test it expected` writes them anew; look at
//! the difference before it is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name of the expected file, columns, arguments. All of them only read.
const REPORTS: [(&str, &str, &[&str]); 7] = [
    ("status.txt", "80", &["status"]),
    ("status-40.txt", "40", &["status"]),
    ("status.json", "80", &["status", "--json"]),
    ("setup.txt", "80", &["setup", "--gen", "3", "--boot", "nvme", "--dry-run"]),
    ("setup-40.txt", "40", &["setup", "--gen", "3", "--boot", "nvme", "--dry-run"]),
    ("setup.json", "80", &["setup", "--gen", "3", "--boot", "nvme", "--dry-run", "--json"]),
    ("verify.txt", "80", &["verify"]),
];

fn machines() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines");
    let mut found: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    found.sort();
    found
}

/// What a command gives on a machine: exit status, both streams, with the
/// machine's folder written as ROOT.
fn report(machine: &Path, columns: &str, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"))
        .args(arguments)
        .env_clear()
        .env("COLUMNS", columns)
        .env("PI5_NVME_ROOT", machine)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let status = output.status.code().expect("ended by a signal");
    let both = format!("{}{}", text(&output.stdout), text(&output.stderr));
    let both = both.replace(machine.to_str().unwrap(), "ROOT");
    if arguments.contains(&"--json") { both } else { format!("{both}[exit {status}]\n") }
}

#[test]
fn reports_are_as_expected() {
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    let mut wrong = Vec::new();
    for machine in machines() {
        for (file, columns, arguments) in REPORTS {
            let path = machine.join("expected").join(file);
            let found = report(&machine, columns, arguments);
            if update {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &found).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            if found != expected {
                wrong.push(format!("{}\n--- expected\n{expected}\n--- found\n{found}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn status_fits_one_screen_and_no_text_is_wider_than_the_terminal() {
    for machine in machines() {
        let wide = report(&machine, "80", &["status"]);
        let lines = wide.lines().count() - 1;
        assert!(lines < 24, "{}: {lines} lines\n{wide}", machine.display());
        for (columns, text) in [(80, wide), (40, report(&machine, "40", &["status"]))] {
            for line in text.lines() {
                // Commands and paths stay whole, to be copied.
                let whole = line.contains("ROOT") || line.trim_start().split(' ').count() == 1;
                let wider = line.chars().count() > columns && !whole;
                assert!(!wider, "{}: wider than {columns}: {line}", machine.display());
            }
        }
    }
}

#[test]
fn json_is_one_object_also_on_failure() {
    for machine in machines() {
        for arguments in [
            &["status", "--json"][..],
            &["setup", "--json"],
            &["verify", "--json"],
            &["undo", "--list", "--json"],
            &["undo", "9999", "--json"],
            &["bench", "--list", "--json"],
            &["bench", "--compare", "a", "b", "--json"],
            &["status", "--json", "--no-such-flag"],
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"))
                .args(arguments)
                .env_clear()
                .env("PI5_NVME_ROOT", &machine)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
                panic!("{arguments:?}: {e}: {}", String::from_utf8_lossy(&output.stdout))
            });
            let schema = object["schema"].as_str().unwrap();
            assert_eq!(schema, format!("pi5-nvme/{}/1", arguments[0]));
            let failed = object.get("error").is_some();
            let code = output.status.code().unwrap();
            assert_eq!(failed, code > 1, "{arguments:?}: exit {code}: {object:#}");
            if failed {
                assert_eq!(object["error"]["exit"], code);
                assert!(!object["error"]["message"].as_str().unwrap().is_empty());
            }
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    use std::io::Read;
    for machine in machines() {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"))
            .args(["status", "--json"])
            .env("PI5_NVME_ROOT", &machine)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
    }
}

/// The keys that others rely on: more may be added, none renamed.
const KEYS: [(&[&str], &[&str]); 3] = [
    (
        &["status", "--json"],
        &[
            "board/model board/kind board/supported kernel",
            "boot/medium boot/config_path boot/config_device boot/same_as_booted",
            "boot/port/value boot/port/lines boot/generation/value boot/generation/lines",
            "eeprom/boot_order eeprom/boot_order_words eeprom/pcie_probe eeprom/pending eeprom/changeable",
            "hat findings missing drives/0/name drives/0/model drives/0/firmware drives/0/state",
            "drives/0/temperature_celsius drives/0/logical_block_size_bytes",
            "drives/0/path/0/address drives/0/path/0/kind drives/0/path/0/speed_gtps",
            "drives/0/path/0/max_speed_gtps drives/0/path/0/width drives/0/path/0/max_width",
            "drives/0/path/0/vendor drives/0/path/0/device drives/0/link/generation drives/0/link/width",
            "drives/0/link/bottleneck drives/0/link/ceiling_bytes_per_second",
        ],
    ),
    (
        &["setup", "--gen", "3", "--boot", "nvme", "--dry-run", "--json"],
        &[
            "plan/steps/0/kind plan/steps/0/path plan/steps/0/risk plan/steps/0/diff plan/steps/0/why",
            "plan/refusals changed reboot_required transaction next",
        ],
    ),
    (&["verify", "--json"], &["met asked_generation reached_generation findings next"]),
];

#[test]
fn the_promised_keys_are_there() {
    let machine = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines/pi5-trixie-sd");
    for (arguments, keys) in KEYS {
        let text = report(&machine, "80", arguments);
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        for key in keys.iter().flat_map(|line| line.split(' ')) {
            assert!(object.pointer(&format!("/{key}")).is_some(), "{arguments:?}: no {key} in {object:#}");
        }
    }
}
