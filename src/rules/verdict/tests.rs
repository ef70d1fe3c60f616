use super::verdict;
use crate::facts::*;
use crate::rules::testing::*;
use crate::rules::{BootGoal, LinkGoal, Met, Recorded, Verdict, id};
use crate::terms::{BootMedium, Generation};

const AFTER: &[u8] =
    b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n[all]\nBOOT_ORDER=0xf416\n";

fn recorded(link: LinkGoal, boot: BootGoal) -> Recorded {
    Recorded {
        id: "0001".into(),
        goal: goal(link, boot),
        boot_id: Some("a".into()),
        config_path: "/boot/firmware/config.txt".into(),
        config_after: CONFIG.to_vec(),
        bootconf_after: (boot == BootGoal::NvmeFirst).then(|| AFTER.to_vec()),
        bootconf_before: (boot == BootGoal::NvmeFirst).then(|| BOOTCONF.to_vec()),
        drives: vec![("EXAMPLE SSD 500GB".into(), "aa".into())],
    }
}

fn check(verdict: &Verdict) {
    for finding in &verdict.findings {
        assert!(!finding.text.contains(['{', '}']), "{}", finding.text);
    }
    assert!(verdict.next.len() <= 2 && (verdict.met == Met::Yes) == verdict.next.is_empty(), "{verdict:?}");
    assert!(!verdict.headline.is_empty());
}

/// The verdict on Gen 3 after a change of the healthy machine, and its ids.
fn gen3(change: impl FnOnce(&mut Facts)) -> (Met, Vec<String>) {
    judged(&recorded(LinkGoal::Gen3, BootGoal::Keep), change)
}

/// The same for NVMe first.
fn nvme(change: impl FnOnce(&mut Facts)) -> (Met, Vec<String>) {
    judged(&recorded(LinkGoal::Gen3, BootGoal::NvmeFirst), change)
}

fn judged(recorded: &Recorded, change: impl FnOnce(&mut Facts)) -> (Met, Vec<String>) {
    let mut facts = healthy();
    change(&mut facts);
    let verdict = verdict(&facts, Some(recorded));
    check(&verdict);
    (verdict.met, verdict.findings.into_iter().map(|f| f.id).collect())
}

fn no(ids: &[&str]) -> (Met, Vec<String>) {
    (Met::No, ids.iter().map(|id| (*id).to_owned()).collect())
}

/// NVMe first is in force.
fn live(facts: &mut Facts) {
    facts.eeprom.running = Some(AFTER.to_vec());
    facts.eeprom.meaning = Some(bootconf_meaning(0xf416));
    facts.boot.medium = Some(BootMedium::Nvme);
}

#[test]
fn as_asked() {
    assert_eq!(gen3(|_| {}), (Met::Yes, vec![]));
    assert_eq!(nvme(live), (Met::Yes, vec![]));
    let verdict = verdict(&healthy(), None);
    check(&verdict);
    assert_eq!((verdict.met, verdict.asked, verdict.reached), (Met::Yes, Some(3), Some(3)));
    assert_eq!(verdict.headline, "PASS: EXAMPLE SSD 500GB runs at Gen 3 (8.0 GT/s), as asked");
}

#[test]
fn not_rebooted_comes_before_everything() {
    let same = gen3(|f| {
        f.boot_id = Some("a".into());
        run_at(f, 2);
    });
    assert_eq!(same, no(&[id::NOT_REBOOTED]));
    let unknown =
        judged(&Recorded { boot_id: None, ..recorded(LinkGoal::Gen3, BootGoal::Keep) }, |f| f.boot_id = None);
    assert_eq!(unknown, (Met::Yes, vec![]));
}

#[test]
fn the_setting_never_reached_the_firmware() {
    let at_gen2 = |f: &mut Facts| {
        f.port.asked = Some(2);
        f.drives[0].path[0].max_speed = Some(Generation::GEN2);
        run_at(f, 2);
    };
    let changed = gen3(|f| {
        at_gen2(f);
        f.boot.files = Some(files(PLAIN));
        f.boot.meaning = Some(meaning(true, 2));
        f.boot.leftovers = vec!["config.txt.save".into()];
    });
    assert_eq!(changed, no(&[id::CONFIG_NOT_AS_WRITTEN, id::SETTING_NOT_MEANT]));
    let later = gen3(|f| {
        f.boot.files = Some(files(PLAIN));
        f.boot.meaning = Some(meaning(true, 2));
    });
    assert_eq!(
        later,
        (Met::Yes, vec![id::CONFIG_NOT_AS_WRITTEN.to_owned()]),
        "this start is right, the next is not"
    );
    let added = gen3(|f| f.boot.files = Some(files(&[CONFIG, b"# more\n"].concat())));
    assert_eq!(added, (Met::Yes, vec![]), "still means the goal");
    let other = gen3(|f| {
        at_gen2(f);
        f.boot.same_as_booted = Some(false);
        f.boot.booted = Some(partition("nvme0n1", 1));
    });
    assert_eq!(other, no(&[id::OTHER_PARTITION]));
    assert_eq!(gen3(at_gen2), no(&[id::SETTING_NOT_REACHED]));
    let trial = gen3(|f| {
        at_gen2(f);
        f.boot.tryboot = Some(true);
    });
    assert_eq!(trial, no(&[id::TRYBOOT_NOW]));
    let off = gen3(|f| {
        f.port.state = PortState::Disabled;
        f.drives.clear();
    });
    assert_eq!(off, no(&[id::SETTING_NOT_REACHED, id::DRIVE_MISSING]));
}

#[test]
fn reached_but_slower() {
    assert_eq!(gen3(|f| run_at(f, 2)), no(&[id::TRAINED_LOWER]));
    assert_eq!(gen3(|f| behind_switch(f, 2)), no(&[id::LIMITED_BY_SWITCH]));
    assert_eq!(gen3(|f| behind_switch(f, 3)), (Met::Yes, vec![]));
    let drive = gen3(|f| {
        run_at(f, 2);
        f.drives[0].path[1].max_speed = Some(Generation::GEN2);
    });
    assert_eq!(drive, no(&[id::LIMITED_BY_DRIVE]));
    let not_told = gen3(|f| {
        run_at(f, 2);
        f.drives[0].path[1].max_speed = None;
    });
    assert_eq!(not_told, no(&[id::SLOWER_THAN_ASKED]));
    let kernel = gen3(|f| {
        run_at(f, 2);
        f.drives[0].path[0].max_speed = Some(Generation::GEN2);
    });
    assert_eq!(kernel, no(&[id::KERNEL_IGNORES]));
    let slot = gen3(|f| {
        behind_switch(f, 2);
        f.drives[0].path[2].speed = Some(Generation::GEN1);
        f.drives[0].path[3].speed = Some(Generation::GEN1);
    });
    assert_eq!(slot, no(&[id::LINK_CLAMPED]));
    let fast = judged(&recorded(LinkGoal::Gen1, BootGoal::Keep), |f| f.port.asked = Some(1));
    assert_eq!(fast, no(&[id::FASTER_THAN_ASKED]));

    // A number that no link has: the lane's own limit counts.
    let mut facts = healthy();
    facts.port.asked = Some(4);
    facts.boot.meaning = Some(meaning(true, 4));
    assert_eq!(verdict(&facts, None).met, Met::Yes);
    let mut facts = healthy();
    behind_switch(&mut facts, 2);
    let verdict = verdict(&facts, None);
    assert_eq!((verdict.asked, verdict.reached), (Some(3), Some(2)));
    assert!(
        verdict.headline.starts_with(
            "NOT Gen 3 (8.0 GT/s): nvme0 (EXAMPLE SSD 500GB) runs at Gen 2, as fast as this board allows"
        ),
        "{}",
        verdict.headline
    );
}

#[test]
fn each_drive_counts() {
    let second = |f: &mut Facts| {
        let mut second = drive();
        (second.name, second.identity) = ("nvme1".into(), Some("bb".into()));
        f.drives.push(second);
    };
    assert_eq!(gen3(second), (Met::Yes, vec![]));
    let mut two = healthy();
    second(&mut two);
    assert_eq!(verdict(&two, None).headline, "PASS: 2 drives run at Gen 3 (8.0 GT/s), as asked");
    let slow = gen3(|f| {
        second(f);
        for hop in &mut f.drives[1].path {
            hop.speed = Some(Generation::GEN2);
        }
    });
    assert_eq!(slow, no(&[id::TRAINED_LOWER]));
    let gone = gen3(|f| f.drives[0].identity = Some("cc".into()));
    assert_eq!(gone, no(&[id::DRIVE_MISSING_ONE]));
    assert_eq!(gen3(|f| f.drives[0].identity = None), (Met::Yes, vec![]), "not known is not gone");
    let dead = gen3(|f| {
        second(f);
        f.drives[1].state = DriveState::NotAnswering;
    });
    assert_eq!(dead, no(&[id::DRIVE_NOT_ANSWERING]));
}

#[test]
fn a_missing_drive_is_first_of_all_unplugged() {
    let mut facts = healthy();
    facts.drives.clear();
    facts.port.state = PortState::LinkDown;
    let verdict = verdict(&facts, Some(&recorded(LinkGoal::Gen3, BootGoal::Keep)));
    check(&verdict);
    assert_eq!((verdict.met, verdict.reached), (Met::No, None));
    assert!(verdict.next[0].contains("ten seconds"), "{:?}", verdict.next);
}

#[test]
fn a_record_that_cannot_be_read_is_no_pass() {
    let unknown = super::verdict_without_record(&healthy(), "damaged");
    check(&unknown);
    assert_eq!((unknown.met, ids(&unknown.findings)), (Met::Unknown, vec![id::RECORD_UNREADABLE]));
    assert!(unknown.headline.starts_with("UNKNOWN: ") && unknown.headline.contains("damaged"));
    let mut slow = healthy();
    slow.port.asked = Some(2);
    let no = super::verdict_without_record(&slow, "damaged");
    assert_eq!((no.met, ids(&no.findings).last().copied()), (Met::No, Some(id::RECORD_UNREADABLE)));
}

#[test]
fn an_update_that_waits_is_told_where_it_was_not_asked_about() {
    let mut facts = healthy();
    facts.eeprom.pending = Some(pending(0xf416, 1));
    let verdict = verdict(&facts, None);
    assert_eq!((verdict.met, ids(&verdict.findings)), (Met::Yes, vec![id::EEPROM_PENDING]));
}

#[test]
fn unknown_is_said_as_such() {
    let unknown = gen3(|f| f.drives[0].path[1].speed = None);
    assert_eq!(unknown, (Met::Unknown, vec![id::LINK_UNKNOWN.to_owned()]));
    let port = gen3(|f| {
        f.drives.clear();
        f.port.state = PortState::Unknown;
    });
    assert_eq!(port, (Met::Unknown, vec![id::DRIVE_MISSING.to_owned()]));
    let mut facts = healthy();
    (facts.port.asked, facts.boot.meaning) = (None, None);
    let nothing = verdict(&facts, None);
    check(&nothing);
    assert_eq!((nothing.met, ids(&nothing.findings)), (Met::Unknown, vec![id::NOTHING_ASKED]));
    facts.board.kind = crate::terms::BoardKind::Other;
    assert_eq!(verdict(&facts, None).met, Met::Unknown);
    let eeprom = nvme(|f| {
        live(f);
        (f.eeprom.running, f.eeprom.meaning) = (None, None);
    });
    assert_eq!(eeprom, (Met::Unknown, vec![id::EEPROM_NOT_KNOWN.to_owned()]));
}

#[test]
fn the_boot_order_that_was_set() {
    let waits = nvme(|f| f.eeprom.pending = Some(pending(0xf416, BUILT)));
    assert_eq!(waits, no(&[id::EEPROM_NOT_LIVE]));
    assert_eq!(nvme(|_| {}), no(&[id::EEPROM_NOT_LIVE]), "the old text is still in force");
    let lost = nvme(|f| {
        f.eeprom.running = Some(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf41\n".to_vec());
        f.eeprom.meaning = Some(bootconf_meaning(0xf41));
    });
    assert_eq!(lost, no(&[id::EEPROM_LOST]));
    // Set before, so that setup had nothing to change: the order is still judged.
    let mut before = recorded(LinkGoal::Gen3, BootGoal::NvmeFirst);
    (before.bootconf_after, before.bootconf_before) = (None, None);
    assert_eq!(judged(&before, |_| {}), no(&[id::EEPROM_LOST]));
    assert_eq!(judged(&before, live), (Met::Yes, vec![]));
}

#[test]
fn the_medium_of_this_start() {
    let sd = |f: &mut Facts| {
        live(f);
        f.boot.medium = Some(BootMedium::Sd);
    };
    assert_eq!(nvme(sd), (Met::Yes, vec![id::BOOT_NOTHING_ON_DRIVE.to_owned()]));
    let bootable = |f: &mut Facts| {
        sd(f);
        f.boot.copies.push(copy(CONFIG));
    };
    assert_eq!(nvme(bootable), no(&[id::FELL_BACK]));
    let mut facts = healthy();
    bootable(&mut facts);
    let told = verdict(&facts, None);
    assert_eq!((told.met, ids(&told.findings)), (Met::Yes, vec![id::FELL_BACK]));
}

#[test]
fn what_only_stands_out_changes_nothing() {
    let found = gen3(|f| {
        f.power.undervoltage_seen = Some(true);
        f.drives[0].path[0].aer = Some(AerCounters { correctable: 500, ..AerCounters::default() });
        f.log.events.push(event("nvme_down", "nvme0", "controller is down"));
    });
    let ids = [id::AER_FLOOD, id::NVME_RESET, id::UNDERVOLTAGE].map(str::to_owned).to_vec();
    assert_eq!(found, (Met::Yes, ids));
}

#[test]
fn without_a_change_of_setup_a_missing_drive_is_told_by_the_connector() {
    let alone = |state: PortState| {
        let mut facts = healthy();
        facts.drives.clear();
        facts.port.state = state;
        facts.boot.meaning = Some(meaning(false, 2));
        let verdict = verdict(&facts, None);
        check(&verdict);
        assert!(!verdict.next.iter().any(|n| n.contains("undo")), "{verdict:?}");
        (verdict.met, verdict.findings.into_iter().map(|f| f.id).collect::<Vec<_>>())
    };
    assert_eq!(alone(PortState::Disabled), no(&[id::PORT_DISABLED]));
    assert_eq!(alone(PortState::LinkDown), no(&[id::LINK_DOWN]));
    assert_eq!(alone(PortState::Empty), no(&[id::SLOT_EMPTY]));
}

#[test]
fn without_the_record_a_change_that_waits_is_no_pass() {
    let mut facts = healthy();
    facts.port.asked = Some(2);
    facts.drives[0].path[0].max_speed = Some(Generation::GEN2);
    run_at(&mut facts, 2);
    let waiting = verdict(&facts, None);
    check(&waiting);
    assert_eq!((waiting.met, waiting.findings[0].id.as_str()), (Met::No, id::ASKED_DIFFERS));
    facts.boot.meaning = Some(meaning(true, 2));
    assert_eq!(verdict(&facts, None).met, Met::Yes);
}
