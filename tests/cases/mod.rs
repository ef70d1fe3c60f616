//! The collected reports of users, kinds config, eeprom, link and drive: each
//! as a recorded machine, what is different on it, what is run, and what must
//! come of it.
//!
//! Boot files are rebuilt in the shape of the reported ones. Where a report and
//! the firmware's rules disagree, the rules win.

mod config;
mod drive;
mod eeprom;
mod link;

use crate::machine::{Machine, differences};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// One case. An id may stand in several.
struct Case {
    id: &'static str,
    /// The recorded machine that it starts from.
    on: &'static str,
    steps: &'static [Step],
}

enum Step {
    /// Something on the machine becomes different.
    Put(Put),
    /// A command (`--json` is added) ends so and shows this.
    Run(&'static [&'static str], i32, &'static [Show]),
}

enum Put {
    /// config.txt on the boot partition.
    Config(&'static str),
    /// The running bootloader configuration.
    Bootconf(&'static str),
    Text(&'static str, &'static str),
    /// A number of the device tree.
    Number(&'static str, u32),
    Gone(&'static str),
    Move(&'static str, &'static str),
    Link(&'static str, &'static str),
    /// Text in a file is replaced by other text.
    Swap(&'static str, &'static str, &'static str),
    /// Another start of the machine.
    Reboot,
}

enum Show {
    /// The value at a JSON pointer, written as JSON.
    Is(&'static str, &'static str),
    /// A finding, note or refusal with this id is there.
    Found(&'static str),
    NotFound(&'static str),
    /// The answer holds this text.
    Says(&'static str),
    /// The bootloader configuration is extended by this.
    Extends(&'static str),
    /// config.txt is what it was before this command, and then this.
    Appends(&'static str),
    /// Nothing outside of the state folder was changed by this command.
    Untouched,
    /// Everything outside of the state folder is as at the start.
    AsAtStart,
}

use Put::*;
use Show::*;
use Step::{Put as P, Run};

const STATUS: &[&str] = &["status"];
const VERIFY: &[&str] = &["verify"];
const UNDO: &[&str] = &["undo"];
const GEN2: &[&str] = &["setup", "--gen", "2", "--boot", "keep", "--bench", "off", "--reboot", "no", "--yes"];
const GEN3: &[&str] = &["setup", "--gen", "3", "--boot", "keep", "--bench", "off", "--reboot", "no", "--yes"];
const NVME: &[&str] =
    &["setup", "--gen", "keep", "--boot", "nvme", "--bench", "off", "--reboot", "no", "--yes"];
const BOTH: &[&str] = &["setup", "--gen", "3", "--boot", "nvme", "--bench", "off", "--reboot", "no", "--yes"];

const PROBE: &[&str] = &[
    "setup", "--gen", "keep", "--boot", "keep", "--probe", "on", "--bench", "off", "--reboot", "no", "--yes",
];

const CONFIG: &str = "/boot/firmware/config.txt";
const BOOTCONF: &str = "/sys/devices/platform/3fd16d80.nvram/rmem0/nvmem";
/// The device tree, where its files lie in a recording.
const TREE: &str = "/sys/firmware/devicetree/base";
const PORT: &str = "/sys/devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0";
/// First line of an added block.
const OURS: &str = "# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back\n";

/// `{tree}`, `{port}` and `{drive}` stand for where those lie.
fn place(path: &str) -> String {
    path.replace("{drive}", "{port}/0001:01:00.0").replace("{port}", PORT).replace("{tree}", TREE)
}

impl Put {
    fn on(&self, machine: &Machine) {
        match self {
            Config(text) => machine.write(CONFIG, text),
            Bootconf(text) => machine.write(BOOTCONF, text),
            Text(path, text) => machine.write(&place(path), text),
            Number(path, value) => machine.write(&place(path), value.to_be_bytes()),
            Gone(path) => {
                let path = machine.path(&place(path));
                let folder =
                    fs::symlink_metadata(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                if folder.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
            }
            Move(from, to) => fs::rename(machine.path(&place(from)), machine.path(&place(to))).unwrap(),
            Link(path, target) => {
                let path = machine.path(path);
                let _ = fs::remove_file(&path);
                std::os::unix::fs::symlink(target, path).unwrap();
            }
            Swap(path, old, new) => {
                let text = String::from_utf8(machine.read(&place(path))).unwrap();
                assert!(text.contains(old), "{path} has no {old:?}:\n{text}");
                machine.write(&place(path), text.replace(old, new));
            }
            Reboot => {
                machine.write("/proc/sys/kernel/random/boot_id", "5c1f0a3e-7d24-4b9a-9f61-0e8b2d6c4a57\n");
            }
        }
    }
}

/// Every object with an `id` in an answer.
fn ids(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        Value::Object(keys) => {
            found.extend(keys.get("id").and_then(Value::as_str).map(str::to_owned));
            keys.values().for_each(|item| ids(item, found));
        }
        _ => {}
    }
}

/// The lines that the plan adds to the bootloader configuration.
fn extension(json: &Value) -> String {
    let steps = json["plan"]["steps"].as_array().cloned().unwrap_or_default();
    let diffs = steps.iter().filter(|s| s["kind"] == "set-boot-config").filter_map(|s| s["diff"].as_str());
    let lines = diffs.flat_map(str::lines).filter(|l| !l.starts_with("+++"));
    lines.filter_map(|l| l.strip_prefix('+')).map(|l| format!("{l}\n")).collect()
}

/// Plays a case; what did not hold.
fn play(case: &Case) -> Vec<String> {
    let machine = Machine::copy(case.on);
    let mut wrong = Vec::new();
    let mut start = None;
    for step in case.steps {
        let (arguments, status, shows) = match step {
            P(put) => {
                put.on(&machine);
                continue;
            }
            Run(arguments, status, shows) => (arguments, status, shows),
        };
        let before = machine.snapshot();
        let start = start.get_or_insert_with(|| machine.snapshot());
        let answer = machine.run(&[arguments, &["--json"][..]].concat());
        let json: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
        let after = machine.snapshot();
        let mut found = Vec::new();
        ids(&json, &mut found);
        let mut bad = Vec::new();
        if answer.status != *status {
            bad.push(format!("exit {} and not {status}", answer.status));
        }
        for show in *shows {
            let complaint = match show {
                Is(pointer, wanted) => {
                    let value = json.pointer(pointer).map_or("nothing".into(), Value::to_string);
                    (value != *wanted).then(|| format!("{pointer} is {value} and not {wanted}"))
                }
                Found(id) => (!found.iter().any(|f| f == id)).then(|| format!("no {id} in {found:?}")),
                NotFound(id) => found.iter().any(|f| f == id).then(|| format!("{id} in {found:?}")),
                Says(text) => (!answer.stdout.contains(text)).then(|| format!("does not say {text:?}")),
                Extends(text) => {
                    let added = extension(&json);
                    (added != format!("{OURS}{text}")).then(|| format!("bootloader: adds {added:?}"))
                }
                Appends(text) => {
                    let old = &before[Path::new(&CONFIG[1..])];
                    let new = &after[Path::new(&CONFIG[1..])];
                    let wanted = text.replace("{ours}", OURS);
                    let added = new.strip_prefix(&old[..]).map(String::from_utf8_lossy);
                    (added.as_deref() != Some(&wanted)).then(|| format!("config.txt: adds {added:?}"))
                }
                Untouched => {
                    let changed = differences(&before, &after);
                    (!changed.is_empty()).then(|| format!("changed: {changed:?}"))
                }
                AsAtStart => {
                    let changed = differences(start, &after);
                    (!changed.is_empty()).then(|| format!("not as at the start: {changed:?}"))
                }
            };
            bad.extend(complaint);
        }
        if !bad.is_empty() {
            let said = format!("{}\n{}", answer.stdout, answer.stderr);
            wrong.push(format!("{} on {}: {arguments:?}: {bad:#?}\n{said}", case.id, case.on));
        }
    }
    wrong
}

fn play_all(cases: &[Case]) {
    let wrong: Vec<_> = cases.iter().flat_map(play).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn config() {
    play_all(config::CASES);
}

#[test]
fn eeprom() {
    play_all(eeprom::CASES);
}

#[test]
fn link() {
    play_all(link::CASES);
}

#[test]
fn drive() {
    play_all(drive::CASES);
}

/// Cases that no recorded machine can show, and why.
const NOT_HERE: &[(&str, &str)] = &[
    (
        "cfg-25",
        "FAT refusing chown: the copy of a recorded machine lies on whatever file system tests run on",
    ),
    ("drv-03", "cloning to a USB disk with 4096-byte sectors: there is no clone command yet"),
];

/// What of a played case a recorded machine cannot show, and why.
const IN_PART: &[(&str, &str)] = &[
    (
        "cfg-20",
        "what a power cut leaves of a FAT file: tests/crash.rs stops at every durable operation instead",
    ),
    ("eep-11", "an SFDP flash chip: this program never calls flashrom, which is all that can be shown"),
    ("eep-35", "the check at the end of a clone: there is no clone command yet"),
    ("lnk-01", "a trial start that falls back by itself: there is no trial command yet"),
    ("lnk-06", "errors for each GiB of a load: there is no soak command yet"),
    ("lnk-26", "the drive's power states: a recording holds log pages, not Identify Controller"),
    ("drv-05", "the memory wanted and granted: in Identify Controller, as above"),
    ("drv-08", "heat while measuring: a recorded sensor does not move"),
    ("drv-10", "a one-time start from NVMe: there is no trial command yet"),
];

#[test]
fn every_case_is_played_or_said_to_be_elsewhere() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/cases.jsonl");
    let all = [config::CASES, eeprom::CASES, link::CASES, drive::CASES];
    let all: Vec<_> = all.into_iter().flatten().map(|case| case.id).collect();
    for (id, _) in IN_PART {
        assert!(all.contains(id), "{id} is not played");
    }
    let Ok(list) = fs::read_to_string(list) else {
        eprintln!("skipped: the collection of cases is not here");
        return;
    };
    for line in list.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let kind = case["kind"].as_str().unwrap().split('/').next().unwrap();
        if ["config", "eeprom", "link", "drive"].contains(&kind) {
            let id = case["id"].as_str().unwrap();
            let elsewhere = NOT_HERE.iter().any(|(listed, _)| *listed == id);
            assert!(all.contains(&id) != elsewhere, "{id} must be played or listed, and not both");
        }
    }
}
