use super::findings;
use crate::facts::*;
use crate::formats::config_txt::{Remark, RemarkKind, Value};
use crate::rules::testing::*;
use crate::rules::{Severity, id};
use crate::terms::{BoardKind, BootMedium, Generation};

/// The ids that a change of the healthy machine gives, all of them.
fn after(change: impl FnOnce(&mut Facts)) -> Vec<String> {
    let mut facts = healthy();
    change(&mut facts);
    let found = findings(&facts);
    for finding in &found {
        assert!(!finding.text.contains(['{', '}']) && !finding.text.contains("unknown"), "{}", finding.text);
        assert!(!finding.remedy.contains(['{', '}']), "{}", finding.remedy);
    }
    assert!(found.windows(2).all(|w| w[0].severity >= w[1].severity), "most severe first");
    found.into_iter().map(|f| f.id).collect()
}

#[test]
fn a_healthy_machine_has_no_finding() {
    assert_eq!(after(|_| {}), [""; 0]);
    // x1 under an x4 drive, a Gen 4 drive on a Gen 3 lane: both normal.
    assert_eq!(after(|f| f.drives[0].path[1].max_width = Some(4)), [""; 0]);
    // A Pi without a drive, its connector on or off, at the factory's boot order.
    let empty = after(|f| {
        f.drives.clear();
        f.port.state = PortState::Disabled;
        f.boot.meaning = Some(meaning(false, 2));
        f.port.asked = Some(2);
    });
    assert_eq!(empty, [id::PORT_DISABLED]);
    // Not root: no log, no SMART, no counters.
    let user = after(|f| {
        f.log = KernelLog::default();
        f.drives[0].smart = None;
        f.eeprom = Eeprom { build_timestamp: f.eeprom.build_timestamp, ..Eeprom::default() };
        f.power = Power::default();
    });
    assert_eq!(user, [""; 0]);
}

#[test]
fn the_machine_as_a_whole() {
    assert_eq!(after(|f| f.board.kind = BoardKind::Other), [id::BOARD_NOT_SUPPORTED]);
    let uefi = after(|f| {
        f.board.uefi_acpi = true;
        f.port.state = PortState::LinkDown;
        f.drives.clear();
    });
    assert_eq!(uefi, [id::LINK_DOWN, id::UEFI_ACPI]);
}

#[test]
fn every_hindrance_has_its_own_instruction() {
    use HindranceKind as K;
    let kinds = [
        (K::NoConfig, id::NO_CONFIG),
        (K::Decoy, id::DECOY_CONFIG),
        (K::NotAConfig, id::NOT_A_CONFIG),
        (K::Damaged, id::DAMAGED_CONFIG),
        (K::TooLarge, id::TOO_LARGE_CONFIG),
        (K::NotMounted, id::BOOT_NOT_MOUNTED),
        (K::OtherPartition, id::OTHER_PARTITION),
        (K::ReadOnly, id::READ_ONLY_BOOT),
        (K::NoSpace, id::NO_SPACE),
        (K::UefiAcpi, id::UEFI_ACPI),
        (K::Signed, id::SIGNED_BOOT),
        (K::BootImg, id::BOOT_IMG),
        (K::AutobootAb, id::AUTOBOOT_AB),
        (K::PibootTry, id::PIBOOT_TRY),
        (K::HomeAssistant, id::HOME_ASSISTANT),
        (K::LibreElec, id::LIBREELEC),
        (K::Batocera, id::BATOCERA),
        (K::NixOs, id::NIXOS),
        (K::Balena, id::BALENA),
        (K::RaspiFirmware, id::RASPI_FIRMWARE),
        (K::Appliance, id::APPLIANCE),
    ];
    for (kind, id) in kinds {
        let found = after(|f| f.boot.hindrances.push(Hindrance { kind, evidence: "/boot/x".into() }));
        assert_eq!(found, [id], "{kind:?}");
    }
    // The same fact in three places is said once.
    let other = after(|f| {
        f.boot.same_as_booted = Some(false);
        f.boot.booted = Some(partition("nvme0n1", 1));
        f.boot.hindrances.push(Hindrance { kind: K::OtherPartition, evidence: "x".into() });
    });
    assert_eq!(other, [id::OTHER_PARTITION]);
    let signed = after(|f| {
        f.eeprom.secure_boot = Some("a public key".into());
        f.boot.hindrances.push(Hindrance { kind: K::Signed, evidence: "a public key".into() });
    });
    assert_eq!(signed, [id::SIGNED_BOOT]);
}

#[test]
fn every_remark_is_a_finding_with_its_line() {
    use RemarkKind as K;
    let kinds = [
        (K::WrongSection, id::CONFIG_WRONG_SECTION),
        (K::MisspeltName, id::CONFIG_MISSPELT),
        (K::FusedLine, id::CONFIG_FUSED),
        (K::OverLongLine, id::CONFIG_LONG_LINE),
        (K::Overridden, id::CONFIG_OVERRIDDEN),
        (K::InvalidValue, id::CONFIG_INVALID_VALUE),
        (K::TrailingText, id::CONFIG_TRAILING_TEXT),
        (K::WrongFile, id::CONFIG_WRONG_FILE),
        (K::UnknownFilter, id::CONFIG_UNKNOWN_FILTER),
        (K::MissingOverlay, id::CONFIG_MISSING_OVERLAY),
    ];
    for (kind, id) in kinds {
        let mut facts = healthy();
        let remark = Remark { kind, at: line(7, "dtparam={x}"), detail: "[cm4]".into() };
        facts.boot.meaning.as_mut().unwrap().remarks.push(remark);
        let found = findings(&facts);
        let finding = one(&found, id);
        assert!(
            finding.text.starts_with("config.txt line 7 ") && finding.text.contains("[cm4]"),
            "{}",
            finding.text
        );
        assert_eq!(
            (finding.evidence[0].at.as_str(), finding.evidence[0].value.as_str()),
            ("config.txt:7", "dtparam={x}")
        );
    }
}

#[test]
fn config_that_is_not_certain() {
    let uncertain = after(|f| {
        let meaning = f.boot.meaning.as_mut().unwrap();
        meaning.port.value = Value::Uncertain(vec![false, true]);
        meaning.generation.value = Value::Uncertain(vec![2, 3]);
        meaning.missing_includes.push(line(1, "include usercfg.txt"));
    });
    assert_eq!(uncertain, [id::PORT_UNCERTAIN, id::GENERATION_UNCERTAIN, id::INCLUDE_MISSING]);
    let beside = after(|f| {
        f.boot.leftovers = vec!["config.txt.save".into()];
        f.boot.files.as_mut().unwrap().eeprom_section = Some(b"dtparam=pciex1_gen=2\n".to_vec());
        f.boot.tryboot = Some(true);
        f.port.asked = Some(2);
        run_at(f, 2);
    });
    assert_eq!(beside, [id::ASKED_DIFFERS, id::EEPROM_CONFIG_SECTION, id::LEFTOVER_FILES, id::TRYBOOT_NOW]);
    assert_eq!(after(|f| f.boot.files.as_mut().unwrap().eeprom_section = Some(b"\n".to_vec())), [""; 0]);
}

#[test]
fn what_is_started() {
    let gone = after(|f| f.boot.cmdline = Some(cmdline("/boot/firmware/cmdline.txt", None)));
    assert_eq!(gone, [id::ROOT_UNRESOLVED]);
    let other = after(|f| f.boot.cmdline.as_mut().unwrap().partition = Some(partition("sda", 2)));
    assert_eq!(other, [id::ROOT_OTHER_DISK]);
    let split = after(|f| {
        f.boot.root = Some(partition("nvme0n1", 2));
        f.boot.cmdline.as_mut().unwrap().partition = Some(partition("nvme0n1", 2));
        f.boot.cmdline.as_mut().unwrap().extra_lines = true;
    });
    assert_eq!(split, [id::CMDLINE_EXTRA_LINES, id::ROOT_ON_NVME]);
}

#[test]
fn disks_with_the_same_ids() {
    let same = |part: bool| {
        move |f: &mut Facts| {
            for number in [1, 2] {
                let mut twin = partition("nvme0n1", number);
                let of = partition("mmcblk0", number);
                twin.fs_uuid = of.fs_uuid;
                twin.part_uuid = if part { of.part_uuid } else { twin.part_uuid };
                f.boot.partitions.push(twin);
            }
        }
    };
    assert_eq!(after(same(true)), [id::DUPLICATE_PARTUUID]);
    assert_eq!(after(same(false)), [id::DUPLICATE_UUID]);
    let mut facts = healthy();
    same(true)(&mut facts);
    let found = findings(&facts);
    let finding = one(&found, id::DUPLICATE_PARTUUID);
    assert_eq!(finding.severity, Severity::Error);
    assert_eq!(finding.evidence.len(), 2, "both pairs are named");
    // Empty ids and ids within a disk are no matter.
    let none = after(|f| {
        for partition in &mut f.boot.partitions {
            (partition.part_uuid, partition.fs_uuid) = (None, Some(String::new()));
        }
    });
    assert_eq!(none, [""; 0]);
}

#[test]
fn the_bootloader_configuration() {
    let order = |order: u32| after(move |f| f.eeprom.meaning = Some(bootconf_meaning(order)));
    assert_eq!(order(0xf4167), [id::ORDER_NETWORK_FIRST]);
    assert_eq!(order(0xf416), [""; 0]);
    assert_eq!(order(0xf6), [id::ORDER_NO_FALLBACK]);
    assert_eq!(order(0xf41), [id::ORDER_WITHOUT_NVME]);
    assert_eq!(
        after(|f| f.eeprom.meaning.as_mut().unwrap().boot_order_certain = false),
        [id::ORDER_UNCERTAIN]
    );
    let meaning = after(|f| {
        let meaning = f.eeprom.meaning.as_mut().unwrap();
        meaning.frozen = true;
        meaning.unknown_keys.push("PCIeTopology".into());
        f.eeprom.running = Some(b"[all]\nBOOT_ORDER=0xf461\n".to_vec());
    });
    assert_eq!(meaning, [id::EEPROM_UNKNOWN_KEY, id::EEPROM_FEW_LINES, id::EEPROM_FROZEN]);
    let no_drive = after(|f| {
        f.eeprom.meaning = Some(bootconf_meaning(0xf416));
        f.eeprom.meaning.as_mut().unwrap().pcie_probe = true;
        f.drives.clear();
        f.port.state = PortState::LinkDown;
    });
    assert_eq!(no_drive, [id::LINK_DOWN, id::ORDER_NVME_NO_DRIVE, id::PROBE_LINK_DOWN]);
}

#[test]
fn a_config_that_nobody_can_read_is_told() {
    let unread = |why: &str| {
        after(|f| {
            (f.boot.files, f.boot.meaning) = (None, None);
            f.missing.push(Missing { path: "/boot/firmware/config.txt".into(), why: why.into() });
        })
    };
    assert_eq!(unread("a folder, not a file"), [id::CONFIG_UNREADABLE]);
    assert_eq!(unread("permission denied"), [""; 0], "root may read it");
}

#[test]
fn text_behind_a_number_of_the_bootloader_is_told() {
    let behind = |text: &'static [u8]| after(|f| f.eeprom.running = Some(text.to_vec()));
    assert_eq!(behind(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461 # SD first\n"), [id::EEPROM_TRAILING_TEXT]);
    assert_eq!(behind(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\t\n"), [""; 0]);
}

#[test]
fn a_text_just_flashed_is_told() {
    let flashed = after(|f| f.eeprom.flashed = Some(b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\n".to_vec()));
    assert_eq!(flashed, [id::EEPROM_FLASHED]);
}

#[test]
fn a_waiting_update_says_what_it_holds() {
    let mut facts = healthy();
    facts.eeprom.pending = Some(pending(0xf416, BUILT + 86_400));
    let found = findings(&facts);
    let finding = one(&found, id::EEPROM_PENDING);
    assert!(
        finding.text.contains("0xf461 = SD card -> NVMe -> USB -> restart, then 0xf416 = NVMe -> SD card"),
        "{}",
        finding.text
    );
    assert!(finding.evidence.iter().any(|e| e.value == "2025-12-08 now, then 2025-12-09"));
    let unread = after(|f| {
        f.eeprom.pending = Some(PendingUpdate { config: None, meaning: None, ..pending(0xf416, BUILT) });
    });
    assert_eq!(unread, [id::PENDING_UNREADABLE]);
}

#[test]
fn old_bootloaders() {
    assert_eq!(after(|f| f.eeprom.build_timestamp = Some(1_698_684_310)), [id::BOOTLOADER_OLD]);
    let switch = |built: u32| {
        after(move |f| {
            f.eeprom.build_timestamp = Some(built);
            behind_switch(f, 3);
        })
    };
    assert_eq!(switch(1_715_000_000), [id::BOOTLOADER_SWITCH]);
    assert_eq!(switch(1_728_517_007), [id::BOOTLOADER_SWITCH]);
    assert_eq!(switch(1_736_000_000), [""; 0]);
    let sn550 = |built: u32| {
        after(move |f| {
            f.eeprom.build_timestamp = Some(built);
            (f.drives[0].vendor, f.drives[0].device) = (Some(0x15b7), Some(0x5009));
        })
    };
    assert_eq!(sn550(1_704_000_000), [id::BOOTLOADER_SN550, id::DRIVE_NOTE]);
    assert_eq!(sn550(BUILT), [id::DRIVE_NOTE]);
    let sectors = |built: u32| {
        after(move |f| {
            f.eeprom.build_timestamp = Some(built);
            f.drives[0].namespaces[0].logical_block_size_bytes = Some(4096);
        })
    };
    assert_eq!(sectors(1_750_421_313), [id::BOOTLOADER_4K]);
    assert_eq!(sectors(BUILT), [""; 0]);
    let large = |built: u32| {
        after(move |f| {
            f.eeprom.build_timestamp = Some(built);
            f.boot.large_files = vec![("initramfs_2712".into(), 40_000_000)];
        })
    };
    assert_eq!(large(1_741_626_637), [id::BOOTLOADER_LARGE_FILES]);
    assert_eq!(large(BUILT), [""; 0]);
}

#[test]
fn three_states_of_a_connector_without_a_drive() {
    for (state, id) in [
        (PortState::Disabled, id::PORT_OFF_NOW),
        (PortState::LinkDown, id::LINK_DOWN),
        (PortState::Empty, id::SLOT_EMPTY),
    ] {
        let found = after(|f| {
            f.port.state = state;
            f.drives.clear();
        });
        assert_eq!(found, [id]);
    }
    let other = |vendor, device, class| {
        let mut facts = healthy();
        let function = PciFunction { address: "0001:01:00.0".into(), vendor, device, class: Some(class) };
        facts.port.others.push(function);
        facts.drives.clear();
        let found = findings(&facts);
        one(&found, id::OTHER_DEVICE).text.clone()
    };
    assert!(
        other(Some(0x1e60), Some(0x2864), 0x12_0000)
            .contains("a Hailo-8 or Hailo-8L accelerator (0001:01:00.0)")
    );
    assert!(other(Some(0x1234), Some(0x0001), 0x01_0601).contains("a SATA controller [1234:0001]"));
    assert!(other(None, None, 0xff_0000).contains("a device [????:????]"));
}

#[test]
fn speeds_that_are_not_as_asked() {
    let switch = after(|f| behind_switch(f, 2));
    assert_eq!(switch, [id::SWITCH_GEN2]);
    assert_eq!(after(|f| behind_switch(f, 3)), [""; 0]);
    // A switch nobody has listed, by what its port says of itself.
    let unlisted = after(|f| {
        behind_switch(f, 2);
        for hop in &mut f.port.switches {
            hop.device = Some(0x9999);
        }
    });
    assert_eq!(unlisted, [id::SWITCH_GEN2]);
    assert_eq!(after(|f| run_at(f, 2)), [id::TRAINED_LOWER]);
    let not_told = after(|f| {
        run_at(f, 2);
        f.drives[0].path[1].max_speed = None;
    });
    assert_eq!(not_told, [id::SLOWER_THAN_ASKED]);
    assert_eq!(after(|f| run_at(f, 1)), [id::LINK_CLAMPED]);
    let port = after(|f| {
        behind_switch(f, 2);
        f.drives[0].path[2].speed = Some(Generation::GEN1);
        f.drives[0].path[3].speed = Some(Generation::GEN1);
        let text = "pci 0001:02:03.0: broken device, retraining non-functional downstream link at 2.5GT/s";
        f.log.events.push(event("retrain_clamp", "0001:02:03.0", text));
    });
    assert_eq!(port, [id::LINK_CLAMPED, id::SWITCH_GEN2]);
    let asked_gen1 = after(|f| {
        f.port.asked = Some(1);
        f.boot.meaning = Some(meaning(true, 1));
        run_at(f, 1);
    });
    assert_eq!(asked_gen1, [""; 0]);
    let kernel = after(|f| {
        run_at(f, 2);
        f.drives[0].path[0].max_speed = Some(Generation::GEN2);
    });
    assert_eq!(kernel, [id::KERNEL_IGNORES]);
    let unknown = after(|f| f.drives[0].path[1].speed = None);
    assert_eq!(unknown, [id::LINK_UNKNOWN]);
}

#[test]
fn drives_that_do_not_work() {
    assert_eq!(after(|f| f.drives[0].state = DriveState::Driver("dead".into())), [id::DRIVE_STATE]);
    assert_eq!(after(|f| f.drives[0].state = DriveState::NoDriver), [id::DRIVE_NO_DRIVER]);
    let mut facts = healthy();
    facts.drives[0].state = DriveState::NotAnswering;
    run_at(&mut facts, 2);
    let found = findings(&facts);
    assert!(one(&found, id::DRIVE_NOT_ANSWERING).remedy.contains("--gen 3"));
}

#[test]
fn heat_and_wear() {
    assert_eq!(after(|f| f.drives[0].temperature_celsius = Some(83.0)), [id::DRIVE_HOT]);
    let no_threshold = after(|f| {
        f.drives[0].temperature_celsius = Some(83.0);
        (f.drives[0].warning_celsius, f.drives[0].critical_celsius) = (None, None);
    });
    assert_eq!(no_threshold, [""; 0]);
    let smart = after(|f| {
        let smart = f.drives[0].smart.as_mut().unwrap();
        (smart.critical_warning, smart.media_errors, smart.used_percent) = (0b1001, 3, 104);
        (smart.thermal_transitions, smart.warning_temp_minutes) = (59, 12);
    });
    assert_eq!(smart, [id::SMART_CRITICAL, id::SMART_MEDIA_ERRORS, id::SMART_WORN, id::DRIVE_THROTTLED]);
}

#[test]
fn errors_on_the_link() {
    let aer = |correctable: u64, fatal: u64| {
        after(move |f| {
            let names = vec![("Timeout".into(), correctable)];
            f.drives[0].path[0].aer = Some(AerCounters { correctable, fatal, nonfatal: 0, names });
        })
    };
    assert_eq!(aer(3, 0), [id::AER_FEW]);
    assert_eq!(aer(5000, 0), [id::AER_FLOOD]);
    assert_eq!(aer(0, 1), [id::AER_UNCORRECTED]);
    // Without counters the log is the only witness; with them it says nothing new.
    let text =
        "nvme 0001:01:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)";
    let logged = |counters: bool| {
        after(move |f| {
            f.drives[0].path[1].aer = counters.then(AerCounters::default);
            f.log.events.push(event("aer", "0001:01:00.0", text));
        })
    };
    assert_eq!(logged(false), [id::AER_FEW]);
    assert_eq!(logged(true), [""; 0]);
}

#[test]
fn the_kernel_log() {
    for (kind, text, id) in [
        ("nvme_down", "controller is down; will reset: CSTS=0xffffffff", id::NVME_RESET),
        ("nvme_timeout", "I/O 384 (Read) QID 2 timeout, aborting", id::NVME_TIMEOUT),
        (
            "nvme_io_err",
            "I/O Cmd(0x2) @ LBA 476504, 8 blocks, I/O Error (sct 0x3 / sc 0x71)",
            id::NVME_IO_ERROR,
        ),
        ("nvme_probe_fail", "probe with driver nvme failed with error -12", id::NVME_NO_MEMORY),
        ("nvme_probe_fail", "probe with driver nvme failed with error -19", id::NVME_START_FAILED),
        ("nvme_notready", "Device not ready; aborting initialisation, CSTS=0x0", id::NVME_START_FAILED),
        ("nvme_d3", "Unable to change power state from D3cold to D0", id::NVME_D3COLD),
        ("nvme_hmb_over", "min host memory (64 MiB) above limit (32 MiB).", id::NVME_HMB),
    ] {
        let found = after(|f| f.log.events.push(event(kind, "nvme0", text)));
        assert_eq!(found, [id], "{text}");
    }
    let mut facts = healthy();
    for _ in 0..4 {
        facts.log.events.push(event("nvme_down", "nvme0", "controller is down"));
    }
    let found = findings(&facts);
    assert!(one(&found, id::NVME_RESET).text.contains("in this start (nvme0, times: 4)"));
}

#[test]
fn the_supply() {
    assert_eq!(after(|f| f.power.max_current_ma = Some(3000)), [id::SUPPLY_WEAK]);
    assert_eq!(after(|f| f.power.max_current_ma = Some(0)), [""; 0]);
    assert_eq!(after(|f| f.power.undervoltage_now = Some(true)), [id::UNDERVOLTAGE]);
    let logged =
        after(|f| f.log.events.push(event("undervolt", "hwmon2", "hwmon hwmon2: Undervoltage detected!")));
    assert_eq!(logged, [id::UNDERVOLTAGE]);
}

#[test]
fn nvme_boot_is_healthy_too() {
    let found = after(|f| {
        f.boot.medium = Some(BootMedium::Nvme);
        f.boot.config_device = Some("/dev/nvme0n1p1".into());
        f.boot.root = Some(partition("nvme0n1", 2));
        f.boot.cmdline.as_mut().unwrap().partition = Some(partition("nvme0n1", 2));
        f.eeprom.meaning = Some(bootconf_meaning(0xf416));
    });
    assert_eq!(found, [""; 0]);
}
