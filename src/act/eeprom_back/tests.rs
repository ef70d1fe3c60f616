#![allow(clippy::disallowed_methods)] // It makes the files that the host then reads.

use super::super::transaction::PendingFile;
use super::*;
use std::path::Path;

const BEFORE: &[u8] = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n";
const AFTER: &[u8] = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n[all]\nBOOT_ORDER=0xf416\n";
const OTHER: &[u8] = b"[all]\nBOOT_UART=0\nBOOT_ORDER=0xf41\n";
const BUILT: u32 = 1_746_713_597;

/// A machine: what waits, what runs, and how the step was done.
struct Case {
    pending: Option<&'static [u8]>,
    running: Option<&'static [u8]>,
    same_boot: bool,
    method: Option<Method>,
    earlier: bool,
    /// recovery.bin lies beside the update.
    recovery: bool,
    state: State,
}

const STAGED: Case = Case {
    pending: Some(AFTER),
    running: Some(BEFORE),
    same_boot: true,
    method: Some(Method::Staged),
    earlier: false,
    recovery: true,
    state: State::Committed,
};

fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path.trim_start_matches('/'));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn record(case: &Case) -> BootRecord {
    let earlier = PendingFile { path: "/boot/pieeprom.upd".into(), file: "before/1-pieeprom.upd".into() };
    BootRecord {
        before: "before/1".into(),
        after: "after/1".into(),
        image: "/image.bin".into(),
        boot_dir: "/boot".into(),
        may_be_immediate: case.method != Some(Method::Staged),
        begun: true,
        method: case.method,
        result: None,
        pending: if case.earlier { vec![earlier] } else { Vec::new() },
    }
}

fn decided(case: &Case) -> Result<Todo, ActError> {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "/boot/config.txt", b"");
    if let Some(config) = case.pending {
        let image =
            if config.is_empty() { b"half".to_vec() } else { eeprom_image::synthetic(BUILT, 1, config) };
        put(folder.path(), "/boot/pieeprom.upd", &image);
        if case.recovery {
            put(folder.path(), "/boot/recovery.bin", b"program");
        }
    }
    let host = Host::open(Some(folder.path())).unwrap();
    let eeprom = Eeprom { running: case.running.map(<[u8]>::to_vec), ..Eeprom::default() };
    let (record, same_boot, state) = (record(case), case.same_boot, case.state);
    let step = Step { record: &record, before: BEFORE, after: AFTER, eeprom: &eeprom, same_boot, state };
    decide(&host, &step)
}

#[test]
fn every_state_of_the_eeprom_has_its_way_back() {
    const LATER: Case = Case { pending: None, same_boot: false, ..STAGED };
    const AT_ONCE: Case = Case { pending: None, method: Some(Method::Immediate), ..STAGED };
    const BEGUN: Case = Case { method: None, state: State::Applying, ..STAGED };
    for (name, case, todo) in [
        ("it waits", STAGED, Todo::Cancel),
        ("it waits, another waited", Case { earlier: true, ..STAGED }, Todo::Restore),
        ("it was never taken up", Case { same_boot: false, ..STAGED }, Todo::Cancel),
        ("cancelled by hand", Case { pending: None, ..STAGED }, Todo::Nothing),
        ("cancelled, then started", LATER, Todo::Nothing),
        ("it runs", Case { running: Some(AFTER), ..LATER }, Todo::Flash),
        (
            "it runs, and another version waits with it",
            Case { running: Some(AFTER), same_boot: false, ..STAGED },
            Todo::Flash,
        ),
        (
            "an undo waits already",
            Case { pending: Some(BEFORE), running: Some(AFTER), ..LATER },
            Todo::Nothing,
        ),
        ("flashed at once", AT_ONCE, Todo::Flash),
        ("flashed at once, it runs", Case { running: Some(AFTER), same_boot: false, ..AT_ONCE }, Todo::Flash),
        ("flashed at once, it is lost", Case { same_boot: false, ..AT_ONCE }, Todo::Nothing),
        ("perhaps flashed at once", Case { method: None, state: State::Applying, ..AT_ONCE }, Todo::Flash),
        ("perhaps flashed at once, but recovery.bin shows that it waits", BEGUN, Todo::Cancel),
        ("flashed at once, and that failed or was given up", Case { recovery: false, ..BEGUN }, Todo::Flash),
        (
            "the same, and a start came between",
            Case { recovery: false, same_boot: false, ..BEGUN },
            Todo::Cancel,
        ),
        ("half staged", Case { pending: Some(b""), state: State::Applying, ..STAGED }, Todo::Cancel),
        (
            "half staged over another",
            Case { pending: Some(b""), earlier: true, state: State::Applying, ..STAGED },
            Todo::Restore,
        ),
        (
            "half restored",
            Case { pending: Some(BEFORE), earlier: true, state: State::Undoing, ..STAGED },
            Todo::Restore,
        ),
        ("unreadable, and nothing waits", Case { pending: None, running: None, ..STAGED }, Todo::Nothing),
    ] {
        assert_eq!(decided(&case).ok(), Some(todo), "{name}");
    }
}

#[test]
fn what_is_somebody_elses_is_left_alone() {
    const LATER: Case = Case { pending: None, same_boot: false, ..STAGED };
    for (name, case) in [
        ("another update waits", Case { pending: Some(OTHER), ..STAGED }),
        ("another one runs", Case { running: Some(OTHER), ..LATER }),
        ("it cannot be read what waits", Case { pending: Some(b""), ..STAGED }),
        ("the earlier update was cancelled too", Case { pending: None, earlier: true, ..STAGED }),
    ] {
        let result = decided(&case);
        assert!(matches!(result, Err(ActError::ChangedSince { .. })), "{name}: {result:?}");
    }
    let blind = decided(&Case { running: None, ..LATER });
    assert!(matches!(blind, Err(ActError::Host(HostError::Other(..)))), "{blind:?}");
}

#[test]
fn only_an_image_of_the_running_version() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "/image.bin", &eeprom_image::synthetic(BUILT, 1, BEFORE));
    let host = Host::open(Some(folder.path())).unwrap();
    let record = record(&STAGED);
    let image = |built: u32| {
        let eeprom = Eeprom { build_timestamp: Some(built), ..Eeprom::default() };
        let (before, after, state) = (BEFORE, AFTER, State::Committed);
        image(&host, &Step { record: &record, before, after, eeprom: &eeprom, same_boot: false, state }, "/c")
    };
    assert_eq!(image(BUILT).unwrap(), "/image.bin");
    let refused = image(BUILT + 1).unwrap_err().to_string();
    assert!(refused.contains("sudo rpi-eeprom-config --apply /c"), "{refused}");
}
