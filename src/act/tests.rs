#![allow(clippy::disallowed_methods)] // It makes the files that the host then reads.

use super::journal::{Journal, number};
use super::transaction::{FileRecord, State, Transaction};
use super::*;
use crate::facts;
use crate::host::Host;
use crate::rules::{BootGoal, Change, Goal, LinkGoal, Plan, ProbeGoal, Reboot, Step};
use std::path::PathBuf;

const OLD: &[u8] = b"dtparam=audio=on\n";
const NEW: &[u8] = b"dtparam=audio=on\n[all]\ndtparam=pciex1_gen=3\n";
const PATH: &str = "/boot/firmware/config.txt";

/// A machine of which hardly more than config.txt is known.
struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        tree.put(PATH, OLD);
        tree.put("/proc/sys/kernel/random/boot_id", b"one\n");
        tree
    }

    fn real(&self, path: &str) -> PathBuf {
        self.0.path().join(path.trim_start_matches('/'))
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.real(path).parent().unwrap()).unwrap();
        std::fs::write(self.real(path), bytes).unwrap();
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.real(path)).unwrap()
    }

    fn host(&self) -> Host {
        Host::open(Some(self.0.path())).unwrap()
    }

    fn apply(&self, before: &[u8], after: &[u8]) -> Report {
        let host = self.host();
        super::apply(&host, &facts::read(&host), &plan(before, after), &mut |_| (), &|| false)
    }

    fn undo(&self, id: Option<&str>) -> Report {
        super::undo(&self.host(), id, &mut |_| ())
    }

    fn states(&self) -> Vec<EntryState> {
        list(&self.host()).unwrap().into_iter().map(|e| e.state).collect()
    }

    fn beside(&self) -> Vec<String> {
        self.host().list("/boot/firmware").unwrap()
    }
}

fn plan(before: &[u8], after: &[u8]) -> Plan {
    let (before, after) = (before.to_vec(), after.to_vec());
    let change = Change::AppendToFile { path: PATH.into(), device: None, before, after };
    let step =
        Step { change, why: String::new(), risk: String::new(), diff: String::new(), words: Vec::new() };
    Plan {
        goal: Goal { link: LinkGoal::Gen3, boot: BootGoal::Keep, probe: ProbeGoal::Keep },
        steps: vec![step],
        refusals: Vec::new(),
        notes: Vec::new(),
        reboot: Reboot::Needed,
    }
}

#[test]
fn there_and_back() {
    let tree = Tree::new();
    let report = tree.apply(OLD, NEW);
    assert!(report.error.is_none(), "{report:?}");
    assert_eq!(report.transaction.as_deref(), Some("0001"));
    assert_eq!(tree.bytes(PATH), NEW);
    assert_eq!(tree.bytes("/boot/firmware/config.p5n"), OLD);
    let recorded = newest(&tree.host()).unwrap().unwrap();
    assert_eq!((recorded.id.as_str(), recorded.boot_id.as_deref()), ("0001", Some("one")));
    let readme = String::from_utf8(tree.bytes("/var/lib/pi5-nvme/transactions/0001/README.txt")).unwrap();
    assert!(readme.contains("rename config.p5n"), "{readme}");

    // The plan was made for another file.
    assert!(matches!(tree.apply(OLD, NEW).error, Some(ActError::ChangedSince { .. })));

    let report = tree.undo(None);
    assert!(report.error.is_none() && report.changed && !report.reboot_required, "{report:?}");
    assert_eq!((tree.bytes(PATH), tree.beside()), (OLD.to_vec(), vec!["config.txt".to_owned()]));
    assert_eq!(tree.states(), [EntryState::Undone]);
    assert_eq!(newest(&tree.host()).unwrap(), None);
    let again = tree.undo(None);
    assert_eq!((again.transaction, again.changed), (None, false));
    let named = tree.undo(Some("1"));
    assert_eq!((named.transaction.as_deref(), named.changed), (Some("0001"), false));
    assert!(matches!(tree.undo(Some("9")).error, Some(ActError::NoTransaction(_))));
}

#[test]
fn after_a_start_the_undo_needs_another() {
    let tree = Tree::new();
    let _ = tree.apply(OLD, NEW);
    tree.put("/proc/sys/kernel/random/boot_id", b"two\n");
    assert!(tree.undo(None).reboot_required);
}

#[test]
fn nothing_to_do_writes_nothing() {
    let tree = Tree::new();
    let report = tree.apply(OLD, OLD);
    assert!(!report.changed && report.reboot_required && report.transaction.is_none());
    assert!(!tree.real(STATE_DIR).exists());
    assert_eq!(tree.undo(None).transaction, None);
    assert!(!tree.real(STATE_DIR).exists());
}

#[test]
fn an_edit_of_somebody_else_is_not_run_over() {
    let tree = Tree::new();
    let _ = tree.apply(OLD, NEW);
    let edited = [NEW, b"arm_boost=1\n"].concat();
    tree.put(PATH, &edited);
    let report = tree.undo(None);
    let Some(ActError::ChangedSince { path, diff }) = &report.error else { panic!("{report:?}") };
    assert!(path == PATH && diff.contains("+arm_boost=1"), "{diff}");
    assert_eq!((report.changed, tree.bytes(PATH)), (false, edited));
    assert_eq!(tree.states(), [EntryState::Committed]);
}

#[test]
fn the_newer_one_goes_first() {
    let tree = Tree::new();
    let newer = [NEW, b"more\n"].concat();
    let _ = tree.apply(OLD, NEW);
    assert_eq!(tree.apply(NEW, &newer).transaction.as_deref(), Some("0002"));
    let refused = tree.undo(Some("0001")).error;
    assert!(matches!(&refused, Some(ActError::Newer { newer, .. }) if newer == "0002"), "{refused:?}");
    assert_eq!(tree.undo(None).transaction.as_deref(), Some("0002"));
    assert_eq!(tree.undo(None).transaction.as_deref(), Some("0001"));
    assert_eq!((tree.bytes(PATH), tree.beside()), (OLD.to_vec(), vec!["config.txt".to_owned()]));
    // Numbers are not used twice.
    assert_eq!(tree.apply(OLD, NEW).transaction.as_deref(), Some("0003"));
}

#[test]
fn a_file_of_that_name_stays() {
    let tree = Tree::new();
    tree.put("/boot/firmware/config.p5n", b"mine");
    let _ = tree.apply(OLD, NEW);
    assert_eq!(tree.bytes("/boot/firmware/config.p51"), OLD);
    let _ = tree.undo(None);
    assert_eq!(tree.beside(), ["config.p5n", "config.txt"]);
    assert_eq!(tree.bytes("/boot/firmware/config.p5n"), b"mine");
}

#[test]
fn a_signal_puts_back_between_steps() {
    let tree = Tree::new();
    let host = tree.host();
    let report = super::apply(&host, &facts::read(&host), &plan(OLD, NEW), &mut |_| (), &|| true);
    assert!(matches!(report.error, Some(ActError::Signal)));
    assert_eq!(report.steps[0].1, StepResult::NotReached);
    assert_eq!((tree.bytes(PATH), tree.states()), (OLD.to_vec(), vec![EntryState::Failed]));
}

#[test]
fn one_at_a_time() {
    let tree = Tree::new();
    let host = tree.host();
    let held = Journal::open(&host).unwrap();
    assert!(matches!(tree.apply(OLD, NEW).error, Some(ActError::Host(HostError::Locked(_)))));
    assert!(matches!(tree.undo(None).error, Some(ActError::Host(HostError::Locked(_)))));
    drop(held);
    assert!(tree.apply(OLD, NEW).error.is_none());
}

#[test]
fn what_is_no_transaction_is_passed_over() {
    let tree = Tree::new();
    tree.put("/var/lib/pi5-nvme/transactions/notes.txt", b"");
    tree.put("/var/lib/pi5-nvme/transactions/0x07/transaction.toml", b"");
    tree.put("/var/lib/pi5-nvme/transactions/0041", b"a file");
    // This one never began.
    tree.put("/var/lib/pi5-nvme/transactions/0007/before/1", b"half");
    // This one lost its transaction.toml: its old bytes stay.
    tree.put("/var/lib/pi5-nvme/transactions/0008/before/1", b"old");
    tree.put("/var/lib/pi5-nvme/transactions/0008/README.txt", b"by hand");
    assert_eq!(tree.states(), []);
    assert_eq!(tree.undo(None).transaction, None);
    assert_eq!(heal(&tree.host(), &mut |_| ()).unwrap().map(|r| r.changed), None);
    assert_eq!(tree.apply(OLD, NEW).transaction.as_deref(), Some("0042"));
    assert!(!tree.real("/var/lib/pi5-nvme/transactions/0007").exists());
    assert_eq!(tree.bytes("/var/lib/pi5-nvme/transactions/0008/before/1"), b"old");
    assert!(tree.undo(None).error.is_none());
}

#[test]
fn what_stands_where_the_journal_belongs_is_said() {
    for (path, link) in [("/var", false), ("/var/lib/pi5-nvme", false), ("/var/lib/pi5-nvme", true)] {
        let tree = Tree::new();
        if link {
            std::fs::create_dir_all(tree.real("/var/lib")).unwrap();
            std::os::unix::fs::symlink("/nowhere", tree.real(path)).unwrap();
        } else {
            tree.put(path, b"a file");
        }
        let said = |error: Option<ActError>| {
            let error = error.unwrap().to_string();
            assert!(error.starts_with(&format!("{path}: in the way")), "{error}");
        };
        said(tree.undo(None).error);
        said(tree.undo(Some("1")).error);
        said(tree.apply(OLD, NEW).error);
        said(super::list(&tree.host()).err());
        said(super::newest(&tree.host()).err());
        assert_eq!(tree.bytes(PATH), OLD);
    }
}

#[test]
fn a_damaged_journal_is_said_and_nothing_is_touched() {
    for text in ["", "schema = 9\n", "schema = 1\nstate = \"committed\"\n", "\u{0}", "schema = 0\n"] {
        let tree = Tree::new();
        let _ = tree.apply(OLD, NEW);
        tree.put("/var/lib/pi5-nvme/transactions/0001/transaction.toml", text.as_bytes());
        assert_eq!(tree.states(), [EntryState::Unreadable]);
        assert!(matches!(tree.undo(None).error, Some(ActError::Journal { .. })), "{text}");
        assert!(matches!(tree.apply(NEW, OLD).error, Some(ActError::Journal { .. })), "{text}");
        assert_eq!(tree.bytes(PATH), NEW);
    }
    // Old or new bytes that are not those that were written down.
    for name in ["before/1", "after/1"] {
        for bytes in [&b""[..], b"all=olf\n"] {
            let tree = Tree::new();
            let _ = tree.apply(OLD, NEW);
            let path = format!("/var/lib/pi5-nvme/transactions/0001/{name}");
            tree.put(&path, bytes);
            let error = tree.undo(None).error.unwrap();
            assert_eq!(
                error.by_hand().as_deref(),
                Some("/var/lib/pi5-nvme/transactions/0001/README.txt"),
                "{error}"
            );
            assert!(error.to_string().starts_with(&format!("{path}: damaged")), "{error}");
            assert_eq!(tree.bytes(PATH), NEW);
            let toml = "/var/lib/pi5-nvme/transactions/0001/transaction.toml";
            let text = String::from_utf8(tree.bytes(toml)).unwrap();
            tree.put(toml, text.replace("committed", "applying").as_bytes());
            assert!(matches!(heal(&tree.host(), &mut |_| ()), Err(ActError::Journal { .. })));
            assert_eq!(tree.bytes(PATH), NEW);
        }
    }
    // Its files are missing, or named so that they lead elsewhere.
    for change in [&|s: String| s.replace("before/1", "../../../../../etc/x"), &|s: String| {
        s.replace("before/1", "before/9")
    }] as [&dyn Fn(String) -> String; 2]
    {
        let tree = Tree::new();
        let _ = tree.apply(OLD, NEW);
        tree.put("/etc/x", OLD);
        let path = "/var/lib/pi5-nvme/transactions/0001/transaction.toml";
        let text = String::from_utf8(tree.bytes(path)).unwrap();
        tree.put(path, change(text).as_bytes());
        assert!(matches!(tree.undo(None).error, Some(ActError::Journal { .. })));
        assert_eq!(tree.bytes(PATH), NEW);
    }
}

#[test]
fn an_edit_after_an_interruption_stays_and_setup_goes_on() {
    let tree = Tree::new();
    let _ = tree.apply(OLD, NEW);
    let path = "/var/lib/pi5-nvme/transactions/0001/transaction.toml";
    let text = String::from_utf8(tree.bytes(path)).unwrap();
    tree.put(path, text.replace("committed", "applying").as_bytes());
    tree.put(PATH, b"all=new\n");
    assert_eq!(tree.states(), [EntryState::Interrupted]);
    assert!(matches!(tree.apply(b"all=new\n", NEW).error, Some(ActError::Interrupted(_))));
    let mut said = Vec::new();
    let healed = heal(&tree.host(), &mut |line| said.push(line.to_owned())).unwrap().unwrap();
    assert!(!healed.changed && healed.error.is_none());
    assert!(said.iter().any(|line| line.contains("edited since") && line.contains("before/1")), "{said:?}");
    assert_eq!(tree.bytes(PATH), b"all=new\n");
    assert!(tree.apply(b"all=new\n", NEW).error.is_none());
}

#[test]
fn the_oldest_schema_that_is_still_read() {
    let tree = Tree::new();
    let frozen = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/state/v1/0003");
    for file in ["transaction.toml", "before/1", "after/1", "README.txt"] {
        let bytes = std::fs::read(frozen.join(file)).unwrap();
        tree.put(&format!("/var/lib/pi5-nvme/transactions/0003/{file}"), &bytes);
    }
    tree.put(PATH, &std::fs::read(frozen.join("after/1")).unwrap());
    tree.put("/boot/firmware/config.p5n", &std::fs::read(frozen.join("before/1")).unwrap());
    let mounted = b"32 1 179:1 / /boot/firmware rw - vfat /dev/mmcblk0p1 rw\n";
    tree.put("/proc/self/mountinfo", mounted);
    let recorded = newest(&tree.host()).unwrap().unwrap();
    assert_eq!((recorded.goal.link, recorded.drives.len()), (LinkGoal::Gen3, 1));
    let report = tree.undo(None);
    assert!(report.error.is_none() && report.changed && report.reboot_required, "{report:?}");
    assert_eq!(tree.bytes(PATH), std::fs::read(frozen.join("before/1")).unwrap());
    assert_eq!(tree.beside(), ["config.txt"]);
}

#[test]
fn after_a_boot_from_the_copy_the_card_is_still_the_one_meant() {
    let tree = Tree::new();
    let _ = tree.apply(OLD, NEW);
    let mut facts = facts::read(&tree.host());
    let on = |device: &str| facts::Mount {
        point: "/boot/firmware".into(),
        source: device.into(),
        fs_type: "vfat".into(),
        read_only: false,
    };
    facts.boot.mount = Some(on("/dev/mmcblk0p1"));
    facts.boot.config_device = None;
    let (device, inner) = site::origin(&facts, PATH, None);
    assert_eq!((device.as_deref(), inner.as_str()), (Some("/dev/mmcblk0p1"), "/config.txt"));
    let mut record = FileRecord {
        path: PATH.into(),
        device,
        part_uuid: Some("5a3c9d10-01".into()),
        inner,
        before: "before/1".into(),
        after: "after/1".into(),
        backup: None,
        result: None,
    };
    assert_eq!(site::locate(&facts, &record), site::Place::Here(PATH.into()));
    facts.boot.mount = Some(on("/dev/nvme0n1p1"));
    let card = site::Place::On("/dev/mmcblk0p1".into(), "/config.txt".into());
    assert_eq!(site::locate(&facts, &record), card);
    // It got another name.
    facts.boot.partitions = vec![facts::Partition {
        device: "/dev/mmcblk1p1".into(),
        disk: "mmcblk1".into(),
        number: Some(1),
        part_uuid: record.part_uuid.clone(),
        fs_uuid: None,
        fs_type: None,
    }];
    let renamed = site::Place::On("/dev/mmcblk1p1".into(), "/config.txt".into());
    assert_eq!(site::locate(&facts, &record), renamed);
    // A card that is gone is an error; a drive that is gone is left alone.
    let host = tree.host();
    assert!(text::look(&host, &card, &record, OLD, NEW).is_err());
    record.path = record.inner.clone();
    assert_eq!(text::look(&host, &card, &record, OLD, NEW).unwrap(), text::Now::Gone);
}

#[test]
fn what_is_written_is_read_again() {
    let tree = Tree::new();
    let _ = tree.apply(OLD, NEW);
    let bytes = tree.bytes("/var/lib/pi5-nvme/transactions/0001/transaction.toml");
    let read = Transaction::parse("t", &bytes).unwrap();
    assert_eq!(read.state, State::Committed);
    assert_eq!(read.render("t").unwrap(), bytes);
    assert_eq!(
        [number("0007"), number("7"), number("+7"), number(""), number("x")],
        [Some(7), Some(7), None, None, None]
    );
}
