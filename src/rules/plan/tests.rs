mod any_config;

use super::plan;
use crate::facts::*;
use crate::formats::{bootconf, config_txt};
use crate::host::Space;
use crate::rules::testing::*;
use crate::rules::{BootGoal, Change, Goal, LinkGoal, Plan, ProbeGoal, Reboot, Step, id};
use crate::terms::{BoardKind, BootMedium, BootOrder, Generation};

const GEN3: Goal = Goal { link: LinkGoal::Gen3, boot: BootGoal::Keep, probe: ProbeGoal::Auto };
const NVME: Goal = Goal { link: LinkGoal::Keep, boot: BootGoal::NvmeFirst, probe: ProbeGoal::Auto };
const BOTH: Goal = Goal { link: LinkGoal::Gen3, boot: BootGoal::NvmeFirst, probe: ProbeGoal::Auto };

/// The recorded trixie machine: SD, plain adapter turned on, Gen 2, an empty
/// data drive.
fn trixie() -> Facts {
    let mut facts = healthy();
    with_config(&mut facts, &[PLAIN, b"dtparam=pciex1\n"].concat());
    with_bootconf(&mut facts, BOOTCONF);
    facts.port.asked = Some(2);
    run_at(&mut facts, 2);
    facts
}

fn refused(facts: &Facts, goal: &Goal) -> Vec<String> {
    let plan = plan(facts, goal);
    assert!(plan.refusals.is_empty() || (plan.steps.is_empty() && plan.reboot == Reboot::No));
    for refusal in &plan.refusals {
        assert!(!refusal.why.contains('{') && !refusal.do_instead.is_empty(), "{refusal:?}");
    }
    plan.refusals.into_iter().map(|r| r.id).collect()
}

/// The ids that a change of the trixie machine is refused with.
fn after(goal: &Goal, change: impl FnOnce(&mut Facts)) -> Vec<String> {
    let mut facts = trixie();
    change(&mut facts);
    refused(&facts, goal)
}

fn accepted(facts: &Facts, goal: &Goal) -> Plan {
    let plan = plan(facts, goal);
    assert_eq!(plan.refusals, [], "{goal:?}");
    plan
}

fn appended(step: &Step) -> (&str, Option<&str>, &[u8], &[u8]) {
    match &step.change {
        Change::AppendToFile { path, device, before, after } => (path, device.as_deref(), before, after),
        Change::SetBootConfig { .. } => panic!("not a file: {step:?}"),
    }
}

fn bootconf_of(step: &Step) -> (&[u8], &[u8], &str, bool) {
    match &step.change {
        Change::SetBootConfig { before, after, image, from_pending } => (before, after, image, *from_pending),
        Change::AppendToFile { .. } => panic!("not the bootloader: {step:?}"),
    }
}

#[test]
fn trixie_gets_gen_3_and_nvme_first() {
    let plan = accepted(&trixie(), &BOTH);
    assert_eq!(plan.reboot, Reboot::Needed);
    let [config, boot] = plan.steps.as_slice() else { panic!("{:?}", plan.steps) };
    let (path, device, before, after) = appended(config);
    assert_eq!((path, device), ("/boot/firmware/config.txt", None));
    assert!(after.starts_with(before) && after.len() > before.len(), "the old bytes are a prefix");
    let meaning = config_txt::read(&files(after), &conditions());
    assert!(meaning.port.value.is_certainly(&true) && meaning.generation.value.is_certainly(&3));
    assert!(config.diff.contains("+dtparam=pciex1_gen=3"), "{}", config.diff);
    assert!(config.risk.contains("not certified"));
    assert_eq!(config.words, ["PCIe connector: stays on", "PCIe generation: 2 (the default), then: 3"]);

    let (before, after, image, from_pending) = bootconf_of(boot);
    assert_eq!((before, from_pending), (BOOTCONF, false));
    assert!(image.ends_with("pieeprom-2025-12-08.bin"));
    assert!(after.starts_with(before));
    let meaning = bootconf::read(after, &conditions());
    assert_eq!(meaning.boot_order, Some(BootOrder(0xf416)));
    assert!(meaning.pcie_probe, "a plain adapter is not detected");
    assert_eq!(boot.words[0], "Boot order now: 0xf461 = SD card -> NVMe -> USB -> restart");
    assert_eq!(boot.words[1], "then: 0xf416 = NVMe -> SD card -> USB -> restart");
    assert_eq!(ids(&plan.notes), [id::BOOT_NOTHING_ON_DRIVE], "an empty drive is no reason against it");
    assert!(plan.notes[0].text.contains("goes on with SD card"));
}

#[test]
fn twice_is_once_and_an_earlier_change_waits() {
    let mut facts = trixie();
    let first = accepted(&facts, &BOTH);
    with_config(&mut facts, appended(&first.steps[0]).3);
    with_bootconf(&mut facts, bootconf_of(&first.steps[1]).1);
    let second = accepted(&facts, &BOTH);
    assert_eq!((second.steps.len(), second.reboot), (0, Reboot::Needed), "this start still runs at Gen 2");
    facts.port.asked = Some(3);
    run_at(&mut facts, 3);
    assert_eq!(accepted(&facts, &BOTH).reboot, Reboot::No);
    assert_eq!(accepted(&healthy(), &GEN3).steps, []);
    // Nothing asked for: nothing done, nothing refused.
    facts.boot.hindrances.push(Hindrance { kind: HindranceKind::NixOs, evidence: "x".into() });
    assert_eq!(accepted(&facts, &goal(LinkGoal::Keep, BootGoal::Keep)).steps, []);
}

#[test]
fn a_waiting_update_is_merged_with() {
    let mut facts = trixie();
    facts.eeprom.pending = Some(pending(0xf2461, BUILT));
    let plan = accepted(&facts, &NVME);
    let (before, after, image, from_pending) = bootconf_of(&plan.steps[0]);
    assert!(from_pending && Some(before) == facts.eeprom.next_config());
    assert_eq!(bootconf::read(after, &conditions()).boot_order, Some(BootOrder(0xf2416)));
    assert!(image.ends_with("pieeprom-2025-12-08.bin"));
    // A newer version that waits stays: its own image is used.
    facts.eeprom.pending = Some(pending(0xf461, BUILT + 1));
    assert_eq!(bootconf_of(&accepted(&facts, &NVME).steps[0]).2, "/boot/firmware/pieeprom.upd");
    for built in [Some(BUILT - 1), None] {
        facts.eeprom.pending = Some(PendingUpdate { build_timestamp: built, ..pending(0xf461, BUILT) });
        assert_eq!(refused(&facts, &NVME), [id::PENDING_VERSION]);
    }
    facts.eeprom.pending = Some(PendingUpdate { config: None, meaning: None, ..pending(0xf461, BUILT) });
    assert_eq!(refused(&facts, &NVME), [id::PENDING_UNREADABLE]);
    // It holds the goal already: nothing to do but to reboot.
    let mut waiting = pending(0xf416, BUILT);
    waiting.config = Some(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\nPCIE_PROBE=1\n".to_vec());
    facts.eeprom.pending = Some(waiting);
    let plan = accepted(&facts, &NVME);
    assert_eq!((plan.steps.len(), plan.reboot), (0, Reboot::Needed));
}

#[test]
fn pcie_probe_only_where_it_is_needed() {
    let probe = |goal: Goal, change: &dyn Fn(&mut Facts)| {
        let mut facts = trixie();
        change(&mut facts);
        let plan = accepted(&facts, &goal);
        plan.steps.last().map(|step| bootconf::read(bootconf_of(step).1, &conditions()).pcie_probe)
    };
    let hat = |vendor: &str, product: &str| Some(Hat { vendor: vendor.into(), product: product.into() });
    assert_eq!(probe(NVME, &|_| {}), Some(true));
    assert_eq!(probe(NVME, &|f| f.hat = hat("Raspberry Pi", "M.2 HAT+ M Key")), Some(false));
    assert_eq!(probe(NVME, &|f| f.hat = hat("Raspberry Pi", "Sense HAT")), Some(true), "another HAT");
    assert_eq!(
        probe(NVME, &|f| f.boot.conditions.as_mut().unwrap().port_enabled_by_firmware = true),
        Some(false)
    );
    // On although nothing in config.txt turns it on: the board was detected.
    assert_eq!(probe(NVME, &|f| with_config(f, PLAIN)), Some(false));
    assert_eq!(probe(Goal { probe: ProbeGoal::Keep, ..NVME }, &|_| {}), Some(false));
    assert_eq!(probe(Goal { probe: ProbeGoal::On, ..GEN3 }, &|f| with_config(f, CONFIG)), Some(true));
    assert_eq!(probe(GEN3, &|f| with_config(f, CONFIG)), None, "NVMe boot is not wanted");
}

#[test]
fn machines_that_are_left_alone() {
    assert_eq!(after(&BOTH, |f| f.board.kind = BoardKind::Other), [id::BOARD_NOT_SUPPORTED]);
    assert_eq!(after(&BOTH, |f| f.board.uefi_acpi = true), [id::UEFI_ACPI]);
    assert_eq!(after(&BOTH, |f| f.boot.same_as_booted = Some(false)), [id::OTHER_PARTITION]);
    assert_eq!(after(&BOTH, |f| f.eeprom.secure_boot = Some("a key".into())), [id::SIGNED_BOOT]);
    let nixos = |f: &mut Facts| {
        f.boot.hindrances.push(Hindrance { kind: HindranceKind::NixOs, evidence: "x".into() })
    };
    assert_eq!(after(&GEN3, nixos), [id::NIXOS]);
    assert_eq!(after(&NVME, nixos), [id::NIXOS]);
    let no_config = after(&GEN3, |f| {
        f.boot.hindrances.push(Hindrance { kind: HindranceKind::NotMounted, evidence: "x".into() });
        (f.boot.files, f.boot.meaning) = (None, None);
    });
    assert_eq!(no_config, [id::BOOT_NOT_MOUNTED], "one reason is enough");
    assert_eq!(after(&GEN3, |f| f.boot.files = None), [id::CONFIG_UNREADABLE]);
    let full = after(&GEN3, |f| f.boot.space = Some(Space { free_bytes: 60_000, total_bytes: 500_000_000 }));
    assert_eq!(full, [id::NO_SPACE]);
    let large = after(&GEN3, |f| with_config(f, &b"# a comment\n".repeat(1365)));
    assert_eq!(large, [id::TOO_LARGE_CONFIG]);
}

#[test]
fn the_next_start_must_come_up() {
    let gone = |f: &mut Facts| f.boot.cmdline = Some(cmdline("/boot/firmware/cmdline.txt", None));
    assert_eq!(after(&GEN3, gone), [id::ROOT_UNRESOLVED]);
    assert_eq!(after(&NVME, gone), [id::ROOT_UNRESOLVED]);
    // Not known is not wrong: the file is the one that this start used.
    assert_eq!(after(&GEN3, |f| f.boot.cmdline.as_mut().unwrap().resolves = None), [""; 0]);
}

#[test]
fn the_bootloaders_config_section_can_undo_it() {
    let section = after(&GEN3, |f| {
        f.boot.files.as_mut().unwrap().eeprom_section = Some(b"[all]\ndtparam=pciex1_gen=2\n".to_vec());
    });
    assert_eq!(section, [id::EEPROM_SECTION_UNDOES]);
    let harmless = after(&GEN3, |f| {
        f.boot.files.as_mut().unwrap().eeprom_section = Some(b"[all]\ndtparam=audio=on\n".to_vec());
    });
    assert_eq!(harmless, [""; 0]);
    // No text is known that ends here without such a section; the words are ready.
    let other = super::not_certain("/boot/firmware/config.txt", false);
    assert_eq!(other.id, id::CONFIG_NOT_CERTAIN);
    assert!(other.text.contains("/boot/firmware/config.txt would still not certainly"), "{}", other.text);
}

#[test]
fn gen_3_where_it_cannot_help() {
    assert_eq!(after(&GEN3, |f| behind_switch(f, 2)), [id::GEN3_BEHIND_SWITCH]);
    assert_eq!(after(&GEN3, |f| behind_switch(f, 3)), [""; 0]);
    assert_eq!(after(&goal(LinkGoal::Gen2, BootGoal::Keep), |f| behind_switch(f, 2)), [""; 0]);
    // The switch alone decides, also with nothing behind it.
    let empty = after(&GEN3, |f| {
        behind_switch(f, 2);
        f.drives.clear();
    });
    assert_eq!(empty, [id::GEN3_BEHIND_SWITCH]);
    let slow = |f: &mut Facts| f.drives[0].path[1].max_speed = Some(Generation::GEN2);
    assert_eq!(after(&GEN3, slow), [id::GEN3_DRIVE_CANNOT]);
    // One of two drives can: it is not in vain.
    let one_of_two = after(&GEN3, |f| {
        f.drives.push(drive());
        slow(f);
    });
    assert_eq!(one_of_two, [""; 0]);
}

#[test]
fn what_somebody_wrote_on_purpose_is_noted() {
    let notes = |top: &[u8], goal: LinkGoal| {
        let mut facts = trixie();
        with_config(&mut facts, top);
        ids(&accepted(&facts, &Goal { link: goal, ..GEN3 }).notes).join(" ")
    };
    let gen1 = b"dtparam=pciex1\ndtparam=pciex1_gen=1\n";
    assert_eq!(notes(gen1, LinkGoal::Gen3), id::GEN1_DELIBERATE);
    assert_eq!(notes(gen1, LinkGoal::Gen1), "");
    assert_eq!(notes(b"dtparam=pciex1=off\n", LinkGoal::Gen2), id::PORT_OFF_DELIBERATE);
    assert_eq!(notes(PLAIN, LinkGoal::Gen3), "");
    let mut facts = trixie();
    facts.drives.clear();
    facts.port.state = PortState::Disabled;
    assert_eq!(ids(&accepted(&facts, &GEN3).notes), [id::NO_DRIVE_YET]);
}

#[test]
fn notes_before_saying_yes() {
    let mut facts = trixie();
    facts.power.max_current_ma = Some(3000);
    assert_eq!(ids(&accepted(&facts, &GEN3).notes), [id::SUPPLY_WEAK]);
    let mut facts = trixie();
    facts.boot.same_as_booted = None;
    (facts.drives[0].vendor, facts.drives[0].device) = (Some(0x8086), Some(0x2522));
    let notes = ids(&accepted(&facts, &BOTH).notes).join(" ");
    assert_eq!(notes, [id::BOOTED_UNKNOWN, id::BOOT_NOTHING_ON_DRIVE, id::DRIVE_NOTE].join(" "));
    // A HAT asks for Gen 3 by itself: no reboot would make it Gen 2.
    let mut facts = trixie();
    facts.port.asked = Some(3);
    let plan = accepted(&facts, &goal(LinkGoal::Gen2, BootGoal::Keep));
    assert_eq!((plan.steps.len(), plan.reboot), (0, Reboot::No));
    assert_eq!(ids(&plan.notes), [id::ASKED_DIFFERS]);
    facts.hat = Some(Hat { vendor: "Hailo Technologies".into(), product: "Raspberry Pi AI Hat".into() });
    let plan = accepted(&facts, &goal(LinkGoal::Gen2, BootGoal::Keep));
    assert_eq!(ids(&plan.notes), [id::ASKED_BY_HAT]);
    let mut facts = trixie();
    let mut twin = partition("nvme0n1", 1);
    twin.part_uuid = partition("mmcblk0", 1).part_uuid;
    facts.boot.partitions = vec![partition("mmcblk0", 1), twin];
    facts.boot.copies.push(copy(CONFIG));
    assert_eq!(refused(&facts, &NVME), [id::DUPLICATE_PARTUUID]);
    assert_eq!(accepted(&facts, &GEN3).steps.len(), 1, "the link is another matter");
}

#[test]
fn keep_leaves_config_alone() {
    let plan = accepted(&trixie(), &NVME);
    assert_eq!(plan.steps.len(), 1);
    bootconf_of(&plan.steps[0]);
}

#[test]
fn nvme_first_needs_a_drive_that_works() {
    let none = |f: &mut Facts| f.drives.clear();
    assert_eq!(after(&NVME, none), [id::BOOT_NO_DRIVE]);
    assert_eq!(after(&NVME, |f| f.drives[0].state = DriveState::NotAnswering), [id::BOOT_DRIVE_NOT_READY]);
    assert_eq!(after(&NVME, |f| f.drives[0].state = DriveState::NoDriver), [id::BOOT_DRIVE_NOT_READY]);
    assert_eq!(
        after(&GEN3, |f| f.drives[0].state = DriveState::NotAnswering),
        [""; 0],
        "a Gen 3 trial is fine"
    );
}

#[test]
fn nvme_first_needs_a_bootloader_that_can() {
    let built = |built: Option<u32>, change: &dyn Fn(&mut Facts)| {
        after(&NVME, |f| {
            f.eeprom.build_timestamp = built;
            f.eeprom.image.as_mut().unwrap().build_timestamp = built.unwrap_or(0);
            change(f);
        })
    };
    assert_eq!(built(Some(1_698_684_310), &|_| {}), [id::BOOTLOADER_OLD_NVME]);
    assert_eq!(built(Some(1_701_887_365), &|_| {}), [""; 0]);
    assert_eq!(built(None, &|_| {}), [id::BOOTLOADER_DATE_UNKNOWN, id::EEPROM_NO_IMAGE]);
    assert_eq!(built(Some(1_715_000_000), &|f| behind_switch(f, 3)), [id::BOOTLOADER_SWITCH]);
    assert_eq!(built(Some(1_728_517_007), &|f| behind_switch(f, 3)), [""; 0], "noted, not refused");
    let sectors = |f: &mut Facts| f.drives[0].namespaces[0].logical_block_size_bytes = Some(4096);
    assert_eq!(built(Some(1_750_421_313), &sectors), [id::BOOTLOADER_4K]);
    assert_eq!(built(Some(BUILT), &sectors), [""; 0]);
    let mut facts = trixie();
    facts.eeprom.build_timestamp = Some(1_728_517_007);
    facts.eeprom.image.as_mut().unwrap().build_timestamp = 1_728_517_007;
    facts.boot.large_files = vec![("initramfs_2712".into(), 40_000_000)];
    behind_switch(&mut facts, 3);
    let plan = accepted(&facts, &NVME);
    assert_eq!(
        ids(&plan.notes),
        [id::BOOT_NOTHING_ON_DRIVE, id::BOOTLOADER_SWITCH, id::BOOTLOADER_LARGE_FILES]
    );
}

#[test]
fn the_bootloader_is_written_only_by_its_own_rules() {
    assert_eq!(after(&NVME, |f| f.eeprom.tool = Some(false)), [id::EEPROM_NO_TOOL]);
    assert_eq!(after(&NVME, |f| f.eeprom.image = None), [id::EEPROM_NO_IMAGE]);
    assert_eq!(
        after(&NVME, |f| f.eeprom.image.as_mut().unwrap().build_timestamp += 1),
        [id::EEPROM_NO_IMAGE]
    );
    for mfg in [None, Some(0)] {
        let old = after(&NVME, |f| f.eeprom.image.as_mut().unwrap().mfg_version = mfg);
        assert_eq!(old, [id::EEPROM_IMAGE_TOO_OLD]);
    }
    for text in [None, Some(&b""[..]), Some(b"BOOT_ORDER=0xf461\n")] {
        let unread = after(&NVME, |f| f.eeprom.running = text.map(<[u8]>::to_vec));
        assert_eq!(unread, [id::EEPROM_UNREADABLE]);
    }
    let text = |text: &'static [u8]| after(&NVME, move |f| with_bootconf(f, text));
    assert_eq!(text(b"[all]\nBOOT_ORDER=0xf461\nFREEZE_VERSION=1\n"), [id::EEPROM_FROZEN]);
    assert_eq!(text(b"[all]\nBOOT_ORDER=0xf461\nSIGNED_BOOT=1\n"), [id::SIGNED_BOOT]);
    assert_eq!(text(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0x12345712\n"), [id::ORDER_FULL]);
    assert_eq!(text(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf\n"), [id::ORDER_NO_FALLBACK]);
    assert_eq!(text(b"[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\n#BOOT_ORDER=0xf41\n"), [""; 0]);
    let uncertain = text(b"[all]\nBOOT_ORDER=0xf461\n[gpio4=1]\nBOOT_ORDER=0xf41\n");
    assert_eq!(uncertain, [id::ORDER_UNCERTAIN]);
    let filled = after(&NVME, |f| with_bootconf(f, &[BOOTCONF, &b"# x\n".repeat(1010)[..]].concat()));
    assert_eq!(filled, [id::BOOTCONF_NOT_CERTAIN]);
}

#[test]
fn a_text_just_flashed_is_what_the_next_start_has() {
    let mut facts = trixie();
    facts.eeprom.flashed = Some(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\nPCIE_PROBE=1\n".to_vec());
    let again = plan(&facts, &NVME);
    assert_eq!((again.steps.len(), again.reboot), (0, Reboot::Needed));
}

#[test]
fn a_staged_update_must_be_carried_out() {
    assert_eq!(after(&NVME, |f| f.eeprom.boot_dir = Some("/boot".into())), [id::EEPROM_BOOT_DIR]);
    assert_eq!(after(&NVME, |f| f.eeprom.boot_dir = Some("/boot/firmware/".into())), [""; 0]);
    let from_usb = |off: bool, immediate: bool| {
        after(&NVME, move |f| {
            f.boot.medium = Some(BootMedium::Usb);
            f.eeprom.immediate = Some(immediate);
            if off {
                with_config(f, b"dtparam=pciex1\n#bootloader_update=0\n");
            }
        })
    };
    assert_eq!(from_usb(true, false), [id::EEPROM_STAGED_NEVER]);
    assert_eq!(from_usb(false, false), [""; 0]);
    assert_eq!(from_usb(true, true), [""; 0], "nothing is staged");
    // The second FAT partition of the card, as with autoboot.txt; one of another disk says nothing.
    let from = |number: u32, immediate: bool| {
        after(&NVME, move |f| {
            f.eeprom.immediate = Some(immediate);
            f.boot.partitions.push(Partition { fs_type: Some("vfat".into()), ..partition("mmcblk0", 3) });
            f.boot.config_device = Some(format!("/dev/mmcblk0p{number}"));
        })
    };
    assert_eq!(from(3, false), [id::EEPROM_NOT_FIRST]);
    assert_eq!(from(3, true), [""; 0], "nothing is staged");
    assert_eq!(from(1, false), [""; 0]);
    let mut facts = trixie();
    facts.eeprom.settings_notes = vec!["EEPROM_CONFIG_HOOK=/x may rewrite the configuration".into()];
    facts.eeprom.immediate = Some(true);
    let plan = accepted(&facts, &NVME);
    assert_eq!(ids(&plan.notes), [id::BOOT_NOTHING_ON_DRIVE, id::EEPROM_SETTINGS]);
    assert!(plan.steps[0].risk.contains("cannot be cancelled"));
}

#[test]
fn the_copy_on_the_drive_gets_the_same_lines() {
    let mut facts = trixie();
    facts.boot.copies.push(copy(PLAIN));
    let plan = accepted(&facts, &BOTH);
    assert_eq!(plan.steps.len(), 3, "config.txt, the copy's, the bootloader last");
    let (path, device, before, after) = appended(&plan.steps[1]);
    assert_eq!((path, device, before), ("/config.txt", Some("/dev/nvme0n1p1"), PLAIN));
    assert!(config_txt::read(&files(after), &conditions()).generation.value.is_certainly(&3));
    assert_eq!(ids(&plan.notes), [id::COPY_CHANGED_TOO]);
    assert!(plan.steps[1].diff.contains("/dev/nvme0n1p1:/config.txt"));
    // Mounted: by its path there. Already so: no step. Link kept: no step.
    let mount = Mount {
        point: "/media/x".into(),
        source: "/dev/nvme0n1p1".into(),
        fs_type: "vfat".into(),
        read_only: false,
    };
    facts.boot.copies[0].mount = Some(mount.clone());
    assert_eq!(appended(&accepted(&facts, &GEN3).steps[1]).0, "/media/x/config.txt");
    assert_eq!(accepted(&facts, &NVME).steps.len(), 1);
    facts.boot.copies[0].files = Some(files(CONFIG));
    assert_eq!(accepted(&facts, &BOTH).steps.len(), 2);
    // One that cannot be changed forbids only the start from it.
    facts.boot.copies[0] = BootCopy { mount: Some(Mount { read_only: true, ..mount }), ..copy(PLAIN) };
    assert_eq!(ids(&accepted(&facts, &GEN3).notes), [id::COPY_NOT_CHANGED]);
    assert_eq!(refused(&facts, &BOTH), [id::COPY_NOT_CHANGED]);
    facts.boot.copies[0] = copy(b"dtparam=a\n\0\0\0");
    assert_eq!(refused(&facts, &BOTH), [id::COPY_NOT_CHANGED]);
    facts.boot.copies[0] = BootCopy { space: Some(Space { free_bytes: 10, total_bytes: 20 }), ..copy(PLAIN) };
    assert_eq!(refused(&facts, &BOTH), [id::COPY_NOT_CHANGED]);
}

#[test]
fn a_copy_that_would_hang_is_not_started_from() {
    let copies = |change: &dyn Fn(&mut BootCopy)| {
        let mut facts = trixie();
        let mut one = copy(CONFIG);
        change(&mut one);
        facts.boot.copies.push(one);
        (refused(&facts, &NVME), ids(&plan(&facts, &NVME).notes).join(" "))
    };
    assert_eq!(copies(&|_| {}), (vec![], String::new()));
    for (resolves, target) in [(Some(false), None), (None, None)] {
        let (refusals, _) = copies(&|c| {
            let there = c.cmdline.as_mut().unwrap();
            (there.resolves, there.partition) = (resolves, target.clone());
        });
        assert_eq!(refusals, [id::COPY_ROOT_UNRESOLVED]);
    }
    assert_eq!(copies(&|c| c.cmdline = None).0, [id::COPY_ROOT_UNRESOLVED]);
    let elsewhere = copies(&|c| c.cmdline.as_mut().unwrap().partition = Some(partition("mmcblk0", 2)));
    assert_eq!(elsewhere, (vec![], id::COPY_ROOT_ELSEWHERE.into()));
    // A FAT partition without a config.txt is a data partition.
    assert_eq!(copies(&|c| (c.files, c.cmdline) = (None, None)), (vec![], id::BOOT_NOTHING_ON_DRIVE.into()));
    // Not looked into is not the same.
    let mut facts = trixie();
    facts.boot.copies.push(BootCopy { files: None, cmdline: None, ..copy(CONFIG) });
    facts.missing.push(Missing { path: "/dev/nvme0n1p1".into(), why: "needs root".into() });
    assert_eq!(refused(&facts, &NVME), [id::COPY_ROOT_UNRESOLVED]);
    assert_eq!(refused(&facts, &GEN3), [""; 0]);
}

#[test]
fn a_pi_that_starts_from_nvme_has_shown_that_it_can() {
    let found = after(&NVME, |f| {
        f.boot.medium = Some(BootMedium::Nvme);
        f.boot.config_device = Some("/dev/nvme0n1p1".into());
        f.eeprom.build_timestamp = Some(1_700_509_217);
        f.eeprom.image.as_mut().unwrap().build_timestamp = 1_700_509_217;
        f.drives[0].namespaces[0].logical_block_size_bytes = Some(4096);
    });
    assert_eq!(found, [""; 0]);
}

/// Configurations from bug reports (rpi-eeprom#454, #529, #618, raspi-config#308,
/// linux#5836, forum.argon40.com/t/3150) and what they must become.
#[test]
fn boot_orders_of_real_reports() {
    let reports: [(&[u8], Option<u32>); 8] = [
        (b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf641\n", Some(0xf416)),
        (b"BOOT_ORDER=0xf416 # NVMe\nPCIE_PROBE=1 # no HAT+\n", None),
        (b"[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\n#BOOT_ORDER=0xf41\n", Some(0xf416)),
        (b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf41\n\n[tryboot]\nBOOT_ORDER=0xf14\n", Some(0xf416)),
        (b"[all]\n# BOOT_ORDER=0xf2461\nPCIE_PROBE=1\nBOOT_ORDER=0xf2641\n", Some(0xf2416)),
        (b"[all]\nPCIE_PROBE=1\nBOOT_ORDER=0xf4167\n", Some(0xf4176)),
        (b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n[none]\nUART_BAUD=921600", Some(0xf416)),
        (b"BOOT_ORDER=0xf164\nPCIE_PROBE=1\n", Some(0xf146)),
    ];
    for (text, order) in reports {
        let mut facts = trixie();
        with_bootconf(&mut facts, text);
        let plan = accepted(&facts, &Goal { probe: ProbeGoal::Keep, ..NVME });
        let after = plan.steps.first().map(|s| bootconf_of(s).1);
        let meaning = after.map(|after| bootconf::read(after, &conditions()));
        assert_eq!(
            meaning.as_ref().and_then(|m| m.boot_order),
            order.map(BootOrder),
            "{}",
            text.escape_ascii()
        );
        assert!(after.is_none_or(|after| after.starts_with(text)));
        assert!(meaning.is_none_or(|m| m.boot_order_certain));
    }
    // Only PCIE_PROBE is added: the order is said to stay.
    let mut facts = trixie();
    with_bootconf(&mut facts, b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\n");
    let words = &accepted(&facts, &NVME).steps[0].words;
    assert_eq!(words[0], "Boot order stays: 0xf416 = NVMe -> SD card -> USB -> restart");
    assert_eq!(words.len(), 2);
}
