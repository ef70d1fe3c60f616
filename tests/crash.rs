//! The crash matrix: at every durable operation the power fails, the disk is
//! full or turns read-only; afterwards an undo or a second run ends at the
//! exact start or the exact goal.

// A test lays out its own folders.
#![allow(clippy::disallowed_methods)]

use pi5_nvme::act::{self, ActError, Report, StepResult};
use pi5_nvme::facts;
use pi5_nvme::formats::eeprom_image;
use pi5_nvme::host::{Faults, Host};
use pi5_nvme::rules::{BootGoal, Change, Goal, LinkGoal, Plan, ProbeGoal, Reboot, Step};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const CONFIG: &str = "boot/firmware/config.txt";
const COPY: &str = "replay/copy/config.txt";
const DEVICE: &str = "/dev/nvme0n1p9";
const BLOCK: &str = "# pi5-nvme: a test\n[all]\ndtparam=pciex1_gen=3\n";
const KEYS: &str = "# pi5-nvme: a test\n[all]\nBOOT_ORDER=0xf416\n";
const IMAGE: &str = "/usr/lib/firmware/raspberrypi/bootloader-2712/default/pieeprom-2025-05-08.bin";

/// Relative path to content, without the state folder.
type Snapshot = BTreeMap<PathBuf, Vec<u8>>;

/// A recorded Pi 5 with a second boot partition on its drive.
struct Machine(tempfile::TempDir);

/// What the matrix needs of the recorded machine, so that a thousand copies of
/// it do not take minutes.
const LIGHT: [&str; 8] = [
    "boot",
    "etc",
    "proc",
    "run",
    "usr",
    "sys/firmware",
    "sys/bus/nvmem",
    "sys/devices/platform/3fd16d80.nvram",
];

impl Machine {
    fn new(apply: &str) -> Self {
        Self::of(apply, &LIGHT)
    }

    fn of(apply: &str, parts: &[&str]) -> Self {
        // Memory, where there is a file system of it: these tests sync a lot.
        let shm = Path::new("/dev/shm");
        let folder = if shm.is_dir() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() }.unwrap();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines/pi5-trixie-sd");
        for part in parts {
            copy_tree(&from.join(part), &folder.path().join(part));
        }
        let machine = Self(folder);
        let replay = fs::read_to_string(from.join("replay.toml")).unwrap();
        let replay = replay.replace("apply = \"staged\"", &format!("apply = \"{apply}\""));
        // What flashes at once is a program that can.
        let tools = if apply == "immediate" { "installed = [\"flashrom\", " } else { "installed = [" };
        let replay = replay.replace("installed = [", tools);
        let partition = format!("\n[[partition]]\ndevice = \"{DEVICE}\"\ntree = \"/replay/copy\"\n");
        machine.put("replay.toml", (replay + &partition).as_bytes());
        if apply == "immediate" {
            machine.put("dev/spidev10.0", b"");
        }
        machine.put(COPY, b"# of the drive\ndtparam=audio=on\n");
        machine
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.0.path().join(path)).unwrap()
    }

    fn host(&self) -> Host {
        Host::open(Some(self.0.path())).unwrap()
    }

    fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for part in ["boot", "replay"] {
            walk(self.0.path(), &self.0.path().join(part), &mut snapshot);
        }
        // A flash at once shows only at the next start; that the old text was
        // flashed again is the same as never.
        let next = PathBuf::from("replay/eeprom-next.txt");
        if snapshot.get(&next) == Some(&self.running()) {
            snapshot.remove(&next);
        }
        snapshot
    }

    fn running(&self) -> Vec<u8> {
        facts::read(&self.host()).eeprom.running.unwrap()
    }

    /// The configuration that the next start will have.
    fn next_boot(&self) -> Vec<u8> {
        if let Ok(next) = fs::read(self.0.path().join("replay/eeprom-next.txt")) {
            return next;
        }
        match fs::read(self.0.path().join("boot/firmware/pieeprom.upd")) {
            Ok(image) => eeprom_image::config(&image).unwrap(),
            Err(_) => self.running(),
        }
    }

    /// What is left to do until the goal.
    fn plan(&self) -> Plan {
        let text = |path: &str, file: &str, device: Option<&str>| {
            let before = self.bytes(file);
            let after = with_block(&before, BLOCK);
            let device = device.map(Into::into);
            Change::AppendToFile { path: path.into(), device, before, after }
        };
        let before = self.next_boot();
        let after = with_block(&before, KEYS);
        let from_pending = self.0.path().join("boot/firmware/pieeprom.upd").exists();
        let changes = [
            text("/boot/firmware/config.txt", CONFIG, None),
            text("/config.txt", COPY, Some(DEVICE)),
            Change::SetBootConfig { before, after, image: IMAGE.into(), from_pending },
        ];
        let step = |change| Step {
            change,
            why: String::new(),
            risk: String::new(),
            diff: String::new(),
            words: Vec::new(),
        };
        let goal = Goal { link: LinkGoal::Gen3, boot: BootGoal::NvmeFirst, probe: ProbeGoal::Auto };
        Plan {
            goal,
            steps: changes.map(step).into(),
            refusals: Vec::new(),
            notes: Vec::new(),
            reboot: Reboot::Needed,
        }
    }

    fn apply(&self, host: &Host) -> Report {
        act::apply(host, &facts::read(host), &self.plan(), &mut |_| (), &|| false)
    }

    /// What a second `setup` does.
    fn setup_again(&self) {
        let host = self.host();
        let healed = act::heal(&host, &mut |_| ()).unwrap();
        assert!(healed.is_none_or(|report| report.error.is_none()));
        let report = self.apply(&host);
        assert!(report.error.is_none(), "{report:?}");
    }

    fn undo(&self) {
        let report = act::undo(&self.host(), None, &mut |_| ());
        assert!(report.error.is_none(), "{report:?}");
    }

    /// config.txt is the whole old or the whole new one.
    fn is_whole(&self, start: &Snapshot, context: &str) {
        for file in [CONFIG, COPY] {
            let old = &start[Path::new(file)];
            let now = self.bytes(file);
            assert!(now == *old || now == with_block(old, BLOCK), "{context}: {file}");
        }
    }
}

fn with_block(before: &[u8], block: &str) -> Vec<u8> {
    let there = before.ends_with(block.as_bytes());
    [before, if there { b"" } else { block.as_bytes() }].concat()
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if path.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path).unwrap(), to).unwrap();
        } else if path.is_dir() {
            copy_tree(&path, &to);
        } else {
            fs::copy(&path, to).unwrap();
        }
    }
}

fn walk(root: &Path, folder: &Path, snapshot: &mut Snapshot) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_path_buf();
        if path.is_symlink() {
            snapshot.insert(name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
        } else if path.is_dir() {
            walk(root, &path, snapshot);
        } else {
            snapshot.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn same(now: &Snapshot, wanted: &Snapshot, context: &str) {
    let names = |s: &Snapshot| s.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(now), names(wanted), "{context}");
    for (name, bytes) in now {
        assert!(bytes == &wanted[name], "{context}: {}", name.display());
    }
}

type Fault = fn(u64) -> Faults;

fn faults() -> [(&'static str, Fault); 3] {
    [("stop", Faults::stop_at), ("full", Faults::full_at), ("read-only", Faults::read_only_at)]
}

/// Start and goal of a machine, and how many operations lie between.
fn measured(apply: &str) -> (Snapshot, Snapshot, u64) {
    let machine = Machine::new(apply);
    let start = machine.snapshot();
    let host = machine.host();
    let facts = facts::read(&host);
    let counted = machine.host().with_faults(Faults::none());
    let report = act::apply(&counted, &facts, &machine.plan(), &mut |_| (), &|| false);
    assert!(report.error.is_none(), "{report:?}");
    assert!(report.changed && report.reboot_required);
    assert!(counted.operations() > 40);
    (start, machine.snapshot(), counted.operations())
}

fn setup_matrix(apply: &str) {
    let (start, goal, operations) = measured(apply);
    for (name, fault) in faults() {
        for k in 1..=operations {
            let context = format!("{apply}, {name} at {k} of {operations}");
            for again in [false, true] {
                let machine = Machine::new(apply);
                let report = machine.apply(&machine.host().with_faults(fault(k)));
                machine.is_whole(&start, &context);
                let all_back = report.error.is_some() && report.rescue.is_none();
                if all_back && name != "stop" {
                    same(&machine.snapshot(), &start, &context);
                }
                if name == "full" {
                    assert!(report.rescue.is_none() || apply == "immediate", "{context}: {report:?}");
                }
                if again {
                    machine.setup_again();
                    same(&machine.snapshot(), &goal, &context);
                } else {
                    machine.undo();
                    same(&machine.snapshot(), &start, &context);
                }
            }
        }
    }
}

#[test]
fn setup_staged() {
    setup_matrix("staged");
}

#[test]
fn setup_immediate() {
    setup_matrix("immediate");
}

#[test]
fn undo_and_its_repetition() {
    for apply in ["staged", "immediate"] {
        let (start, goal, _) = measured(apply);
        let whole = Machine::new(apply);
        let _ = whole.apply(&whole.host());
        let counted = whole.host().with_faults(Faults::none());
        assert!(act::undo(&counted, None, &mut |_| ()).error.is_none());
        for (name, fault) in faults() {
            for k in 1..=counted.operations() {
                let context = format!("{apply}, {name} at {k}");
                for again in [false, true] {
                    let machine = Machine::new(apply);
                    let _ = machine.apply(&machine.host());
                    let _ = act::undo(&machine.host().with_faults(fault(k)), None, &mut |_| ());
                    machine.is_whole(&start, &context);
                    if name == "full" && apply == "staged" {
                        // The way back needs no room.
                        same(&machine.snapshot(), &start, &context);
                    }
                    if again {
                        // A second setup: the undo is finished first.
                        machine.setup_again();
                        same(&machine.snapshot(), &goal, &context);
                    } else {
                        machine.undo();
                        same(&machine.snapshot(), &start, &context);
                    }
                }
            }
        }
    }
}

#[test]
fn heal_and_its_repetition() {
    let (start, goal, operations) = measured("staged");
    for j in (1..=operations).step_by(9) {
        for k in (1..60).step_by(2) {
            let machine = Machine::new("staged");
            let _ = machine.apply(&machine.host().with_faults(Faults::stop_at(j)));
            let context = format!("stopped at {j}, then at {k}");
            let _ = act::heal(&machine.host().with_faults(Faults::stop_at(k)), &mut |_| ());
            machine.is_whole(&start, &context);
            machine.setup_again();
            same(&machine.snapshot(), &goal, &context);
            machine.undo();
            same(&machine.snapshot(), &start, &context);
        }
    }
}

#[test]
fn a_bootloader_tool_that_fails() {
    let machine = Machine::new("fails");
    let start = machine.snapshot();
    let report = machine.apply(&machine.host());
    assert!(matches!(report.error, Some(ActError::Program { .. })), "{report:?}");
    let results: Vec<_> = report.steps.iter().map(|(_, how)| *how).collect();
    assert_eq!(results, [StepResult::RolledBack, StepResult::RolledBack, StepResult::Failed]);
    assert_eq!((report.changed, report.rescue), (false, None));
    same(&machine.snapshot(), &start, "after the failure");
    // It is over: nothing is to be put back, and the next one may begin.
    let undone = act::undo(&machine.host(), None, &mut |_| ());
    assert_eq!((undone.transaction, undone.changed), (None, false));
    assert!(matches!(machine.apply(&machine.host()).error, Some(ActError::Program { .. })));
}

#[test]
fn an_update_that_waited_before_is_there_again() {
    let machine = Machine::new("staged");
    let earlier = with_block(&machine.running(), "[all]\nPOWER_OFF_ON_HALT=1\n");
    let image = machine.bytes(IMAGE.trim_start_matches('/'));
    machine.put("boot/firmware/pieeprom.upd", &eeprom_image::with_config(&image, &earlier).unwrap());
    machine.put("boot/firmware/pieeprom.sig", b"0123\nts: 7\n");
    machine.put("boot/firmware/recovery.bin", b"an older one\n");
    let start = machine.snapshot();
    let report = machine.apply(&machine.host());
    assert!(report.error.is_none(), "{report:?}");
    assert_eq!(machine.next_boot(), with_block(&earlier, KEYS));
    let readme = machine.bytes("var/lib/pi5-nvme/transactions/0001/README.txt");
    let readme = String::from_utf8(readme).unwrap();
    let by_hand = "put back pieeprom.upd from /var/lib/pi5-nvme/transactions/0001/before/3-pieeprom.upd";
    assert!(readme.contains(by_hand) && readme.contains("delete pieeprom.bin"), "{readme}");
    machine.undo();
    same(&machine.snapshot(), &start, "after undo");
}

#[test]
fn the_simulated_boot_shows_what_was_asked() {
    let machine = Machine::of("staged", &["boot", "etc", "proc", "run", "sys", "usr"]);
    let before = facts::read(&machine.host());
    assert_eq!(before.port.asked, Some(2));
    let _ = machine.apply(&machine.host());
    let wanted = machine.next_boot();
    let told = act::simulated::boot(&machine.host()).unwrap();
    assert!(told.iter().any(|line| line.contains("8.0 GT/s")), "{told:?}");
    let now = facts::read(&machine.host());
    assert_eq!(now.port.asked, Some(3));
    assert!(now.drives[0].path.iter().all(|hop| hop.speed.is_some_and(|s| s.number() == 3)));
    assert_eq!(now.eeprom.running, Some(wanted));
    assert!(now.eeprom.pending.is_none() && now.boot_id != before.boot_id);

    // The undo after a start takes another one, and ends where it began.
    let report = act::undo(&machine.host(), None, &mut |_| ());
    assert!(report.error.is_none() && report.reboot_required, "{report:?}");
    let _ = act::simulated::boot(&machine.host()).unwrap();
    let back = facts::read(&machine.host());
    assert_eq!((back.port.asked, back.eeprom.running), (Some(2), before.eeprom.running));
    assert_eq!(back.drives[0].path[1].speed, before.drives[0].path[1].speed);
}

#[test]
fn a_bootloader_tool_that_would_write_elsewhere_or_says_so_late() {
    let machine = Machine::new("staged");
    let start = machine.snapshot();
    let replay = String::from_utf8(machine.bytes("replay.toml")).unwrap();
    let answer = |argv: &str, said: &str| {
        machine.put("replay.toml", format!("{replay}\n[[program]]\nargv = [{argv}]\n{said}\n").as_bytes());
        let report = machine.apply(&machine.host());
        same(&machine.snapshot(), &start, argv);
        report
    };
    let report = answer("\"rpi-eeprom-update\", \"-b\"", "stdout = \"/boot\\n\"");
    let Some(ActError::Program { said, .. }) = &report.error else { panic!("{report:?}") };
    assert!(said.contains("/boot") && said.contains("/boot/firmware"), "{said}");
    assert!(report.steps.iter().all(|(_, how)| *how == StepResult::NotReached));

    // Status 0, and the one word that matters on standard error.
    let argv = format!(
        "\"rpi-eeprom-config\", \"--apply\", \"/var/lib/pi5-nvme/transactions/0001/after/3\", \"{IMAGE}\""
    );
    let said = "stderr = \"can't create /boot/pieeprom.sig: Read-only file system\\n\"";
    let report = answer(&argv, said);
    let Some(ActError::Program { said, .. }) = &report.error else { panic!("{report:?}") };
    assert!(said.contains("Read-only file system"), "{said}");
    assert_eq!(report.rescue, None);

    // Status 0, and nothing done.
    let report = answer(&argv.replace("0001", "0002"), "");
    assert!(matches!(&report.error, Some(ActError::Program { said, .. }) if said.contains("no update")));
}
