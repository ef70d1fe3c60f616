//! `bench` on the command line, and the JSON of every recorded machine.

use crate::machine::Machine;
use serde_json::Value;

#[test]
fn runs_are_named_kept_listed_and_compared() {
    let machine = Machine::copy("pi5-trixie-sd");
    let save = |name| machine.run(&["bench", "--read-only", "--save", name, "--json"]).expect(0).json();
    let first = save("a/../b");
    assert_eq!(first["kept_as"], "20261201T100000Z");
    assert_eq!(save("ünï")["kept_as"], "20261201T100000Z-2");
    let store = "var/lib/pi5-nvme/bench";
    machine.write(&format!("{store}/20301201T000000Z.json"), "{}");
    machine.write(&format!("{store}/garbage.json"), [0xff; 100]);
    let kept = String::from_utf8(machine.read(&format!("{store}/20261201T100000Z.json"))).unwrap();
    let impossible = kept.replace("\"generation\": 2", "\"generation\": 9");
    assert_ne!(kept, impossible);
    machine.write(&format!("{store}/20291201T000000Z.json"), impossible);
    let listed = machine.run(&["bench", "--list", "--json"]).expect(0).json();
    let labels: Vec<_> = listed["runs"].as_array().unwrap().iter().map(|r| &r["label"]).collect();
    assert_eq!(labels, ["ünï", "a/../b"]);
    let both = machine.run(&["bench", "--compare", "a/../b", "ünï", "--json"]).expect(0).json();
    assert_eq!(both["compare"].as_array().unwrap().len(), 3);
    let same = ["bench", "--compare", "20261201T100000Z", "20261201T100000Z", "--json"];
    assert!(machine.run(&same).expect(1).json()["not_compared"].as_str().unwrap().contains("same run"));
}

#[test]
fn a_report_is_written_beside_the_answer() {
    let machine = Machine::copy("pi5-trixie-sd");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let names = ["page.html", "chart.svg", "text.md", "data.json"].map(at);
    let mut arguments = vec!["bench", "--read-only", "--save", "one", "--json"];
    names.iter().for_each(|name| arguments.extend(["--report", name]));
    let measured = machine.run(&arguments).expect(0).json();
    assert_eq!(measured["reports"].as_array().unwrap().len(), 4);
    assert_eq!(measured["not_reported"].as_array().unwrap().len(), 0);
    let [page, chart, text, data] = names.clone().map(|name| std::fs::read_to_string(name).unwrap());
    assert!(
        page.starts_with("<!DOCTYPE html>") && chart.starts_with("<svg ") && text.starts_with("## simulated")
    );
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["runs"][0]["results"], measured["results"]);
    assert_eq!(data["runs"][0]["target"]["identity"], Value::Null);
    // The same names again: nothing is measured, nothing is lost.
    let refused = machine.run(&arguments).expect(5).json();
    assert_eq!(refused["error"]["kind"], "report-exists");
    assert_eq!(std::fs::read_to_string(&names[0]).unwrap(), page);
    assert_eq!(
        machine.run(&["bench", "--list", "--json"]).expect(0).json()["runs"].as_array().unwrap().len(),
        1
    );
    // Of two kept runs.
    let _ = machine.run(&["bench", "--read-only", "--save", "two"]).expect(0);
    let both = at("both.json");
    let compare = ["bench", "--compare", "one", "two", "--identify", "--report", &both];
    let said = machine.run(&compare).expect(0);
    assert!(said.stdout.contains(&format!("Report: {both}")), "{}", said.stdout);
    let data: Value = serde_json::from_str(&std::fs::read_to_string(&both).unwrap()).unwrap();
    assert_eq!(data["runs"].as_array().unwrap().len(), 2);
    assert!(data["runs"][1]["target"]["identity"].is_string());
    // Phases: the fill and each job; most have an interval or more.
    let phases = data["runs"][1]["timeline"]["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 1 + data["runs"][1]["results"].as_array().unwrap().len());
    for phase in &phases[1..] {
        assert!(!phase["seconds"].as_array().unwrap().is_empty(), "{phase}");
    }
}

#[test]
fn what_makes_no_sense_is_wrong_use() {
    let machine = Machine::copy("pi5-trixie-sd");
    for (arguments, exit) in [
        (&["bench", "--list", "--read-only", "--json"][..], 2),
        (&["bench", "--save", "", "--json"], 2),
        (&["bench", "--save", "a\nb", "--json"], 2),
        (&["bench", "--compare", "a", "b", "--save", "c", "--json"], 2),
        (&["bench", "--compare", "a", "b", "--profile", "quick", "--json"], 2),
        (&["bench", "relative", "--json"], 2),
        (&["bench", "", "--json"], 2),
        (&["bench", "--report", "a.txt", "--json"], 2),
        (&["bench", "--report", "/nowhere/a.md", "--json"], 4),
        (&["bench", "--identify", "--json"], 2),
        (&["bench", "/nowhere", "--json"], 4),
        (&["demo", "--json"], 2),
    ] {
        let object = machine.run(arguments).expect(exit).json();
        assert_eq!(object["error"]["exit"], exit, "{arguments:?}");
    }
    assert!(!machine.path("var/lib/pi5-nvme/bench").exists(), "nothing was measured");
}

/// Every value of an object with its path (`drives/0/link/width`).
fn walk(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, v)| walk(v, &format!("{path}/{key}"), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| walk(v, &format!("{path}/{i}"), found))
        }
        other => found.push((path.to_owned(), other.clone())),
    }
}

/// True where `null` says that there is none, not that it is unknown.
fn may_be_absent(object: &Value, path: &str) -> bool {
    if let Some(rest) = path.strip_prefix("/drives/") {
        let drive = &object["drives"][rest.split('/').next().unwrap().parse::<usize>().unwrap()];
        return drive["state"] != "live";
    }
    match path {
        "/hat" => true,
        "/eeprom/pending_boot_order" => object["eeprom"]["pending"] == false,
        "/connector/root_port" => object["connector"]["state"] != "occupied",
        "/connector/asked_generation" | "/power/max_current_ma" => object["board"]["supported"] == false,
        _ => false,
    }
}

#[test]
fn units_hold_and_unknown_is_told() {
    let machines = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines");
    for entry in std::fs::read_dir(machines).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let machine = Machine::copy(&name);
        let object = machine.run(&["status", "--json"]).expect(0).json();
        let missing = object["missing"].as_array().unwrap();
        let words = |v: &Value| v.as_str().is_some_and(|s| !s.is_empty());
        assert!(missing.iter().all(|m| words(&m["path"]) && words(&m["why"])), "{name}: {missing:?}");
        let mut found = Vec::new();
        walk(&object, "", &mut found);
        for (path, value) in found {
            let at = format!("{name}: {path} is {value}");
            if value.is_null() {
                assert!(!missing.is_empty() || may_be_absent(&object, &path), "{at}, and nothing is missing");
                continue;
            }
            let key = path.rsplit('/').next().unwrap();
            let between = |low: f64, high: f64| value.as_f64().is_some_and(|n| (low..=high).contains(&n));
            let fits = match key {
                "memory_bytes" | "capacity_bytes" => value.is_u64() && between(1e6, 1e15),
                "logical_block_size_bytes" => between(512.0, 4096.0),
                "max_payload_bytes" => between(128.0, 4096.0),
                "ceiling_bytes_per_second" => value.is_u64() && between(1e8, 1e11),
                "speed_gtps" | "max_speed_gtps" => {
                    [2.5, 5.0, 8.0, 16.0, 32.0, 64.0].iter().any(|s| value.as_f64() == Some(*s))
                }
                "width" | "max_width" => value.is_u64() && between(1.0, 32.0),
                "temperature_celsius" => between(-40.0, 150.0),
                "spare_percent" | "used_percent" => value.is_u64() && between(0.0, 255.0),
                "max_current_ma" => value.is_u64() && between(500.0, 10_000.0),
                "build_timestamp_seconds" => value.is_u64() && between(1.5e9, 4e9),
                _ => true,
            };
            assert!(fits, "{at}");
        }
    }
}

#[test]
fn a_result_has_the_promised_keys() {
    let machine = Machine::copy("pi5-trixie-sd");
    let object = machine.run(&["bench", "--read-only", "--compare", "--json"]).expect(1).json();
    for key in ["target", "environment/link", "environment/kernel", "environment/temperature_before_celsius"]
    {
        assert!(object.pointer(&format!("/{key}")).is_some(), "no {key}");
    }
    for result in object["results"].as_array().unwrap() {
        for key in ["job", "unit", "median", "samples", "p50_ns", "valid", "warnings", "ceiling_ratio"] {
            assert!(result.get(key).is_some(), "no {key} in {result}");
        }
        assert_eq!(result["unit"], "bytes_per_second");
        let (median, ceiling) = (&result["median"], &result["ceiling_bytes_per_second"]);
        let share = median.as_f64().unwrap() / ceiling.as_f64().unwrap();
        assert!((share - result["ceiling_ratio"].as_f64().unwrap()).abs() < 1e-9);
        assert!(share < 1.02, "the recorded link carries no more");
    }
    assert_eq!(object["compare"], Value::Null);
    assert!(object["not_compared"].as_str().unwrap().contains("no earlier run"));
}
