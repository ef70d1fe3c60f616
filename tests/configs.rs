//! Real boot files in place of config.txt: setup succeeds, or refuses with a
//! reason; what it writes keeps the old bytes and is written once.

use crate::machine::{Machine, differences};
use std::fs;
use std::path::{Path, PathBuf};

fn config_files() -> Vec<PathBuf> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/configs");
    let mut found = Vec::new();
    for folder in ["defaults", "users"] {
        let Ok(entries) = fs::read_dir(configs.join(folder)) else { continue };
        found.extend(entries.map(|e| e.unwrap().path()));
    }
    found.sort();
    found
}

#[test]
fn every_real_file_is_extended_or_refused() {
    let files = config_files();
    if files.is_empty() {
        eprintln!("skipped: the collection of real boot files is not here");
        return;
    }
    let (mut extended, mut already, mut refused) = (0, 0, Vec::new());
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let machine = Machine::copy("pi5-trixie-sd");
        let before = fs::read(file).unwrap();
        machine.write("boot/firmware/config.txt", &before);
        let start = machine.snapshot();
        let setup =
            ["setup", "--gen", "3", "--boot", "keep", "--bench", "off", "--reboot", "no", "--yes", "--json"];
        let answer = machine.run(&setup);
        let json = answer.json();
        match answer.status {
            0 => {
                let after = machine.read("boot/firmware/config.txt");
                assert!(after.starts_with(&before), "{name}: the old bytes are not kept");
                if json["changed"] == true {
                    assert!(after.len() > before.len(), "{name}");
                    extended += 1;
                } else {
                    assert_eq!(after, before, "{name}");
                    already += 1;
                }
                let status = machine.run(&["status", "--json"]).expect(0).json();
                assert_eq!(status["boot"]["generation"]["value"], 3, "{name}: {}", status["boot"]);
                assert_eq!(status["boot"]["port"]["value"], "on", "{name}");
                let done = machine.snapshot();
                let again = machine.run(&setup).expect(0).json();
                assert_eq!(again["changed"], false, "{name}: {again}");
                assert_eq!(differences(&done, &machine.snapshot()), [""; 0], "{name}");
                if json["changed"] == true {
                    let _ = machine.run(&["undo", "--json"]).expect(0);
                    assert_eq!(differences(&start, &machine.snapshot()), [""; 0], "{name}");
                }
            }
            5 => {
                assert_eq!(differences(&start, &machine.snapshot()), [""; 0], "{name}");
                let reasons = json["plan"]["refusals"].as_array().cloned().unwrap_or_default();
                assert!(!reasons.is_empty(), "{name}: refused without a reason: {json}");
                refused.push(format!("{name}: {}", reasons[0]["why"]));
            }
            other => panic!("{name}: exit {other}\n{}\n{}", answer.stdout, answer.stderr),
        }
    }
    eprintln!("{} files: {extended} extended, {already} already so, {} refused", files.len(), refused.len());
    for line in refused {
        eprintln!("  {line}");
    }
    assert!(extended > files.len() / 3, "only {extended} of {} were extended", files.len());
}
