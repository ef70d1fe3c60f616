//! `demo`, as it is run to see what the program does.

use std::process::{Command, Stdio};

/// Runs the demo with its folders below `place`.
fn demo(place: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pi5-nvme"))
        .arg("demo")
        .args(arguments)
        .env_clear()
        .env("TMPDIR", place)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_journey_passes_and_says_that_it_is_simulated() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, stderr) = demo(place.path(), &["--yes"]);
    assert_eq!(status, Some(0), "{stdout}\n{stderr}");
    for words in ["Gen 3 (8.0 GT/s", "PASS", "dtparam=pciex1_gen=3", "SEQ1M Q8T1 read", "undo"] {
        assert!(stdout.contains(words) || stderr.contains(words), "{words:?} is not in:\n{stdout}\n{stderr}");
    }
    let chapters = stdout.matches("== Simulated Raspberry Pi 5").count();
    let reports = stdout.matches("Simulated: recorded machine").count();
    assert_eq!((chapters, reports), (5, 4), "{stdout}");
    let kept: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(kept.len(), 1, "the machine stays, for --root");
}

#[test]
fn as_json_it_is_one_object_with_the_parts() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, stderr) = demo(place.path(), &["--json"]);
    assert_eq!(status, Some(0), "{stdout}\n{stderr}");
    let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(object["schema"], "pi5-nvme/demo/1");
    assert_eq!(object["simulated"], true);
    assert_eq!(object["status"]["drives"][0]["link"]["generation"], 2);
    assert_eq!(object["setup"]["changed"], true);
    assert_eq!(object["verify"]["met"], "yes");
    assert_eq!(object["verify"]["reached_generation"], 3);
    assert!(object["bench"]["compare"].is_array(), "{object:#}");
}
