//! The boot side of every recorded machine, one row each.

use super::super::{Boot, Facts, HindranceKind};
use crate::host::Host;
use HindranceKind::*;
use std::path::Path;

fn facts(name: &str) -> Facts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/machines").join(name);
    super::super::read(&Host::open(Some(&folder)).unwrap())
}

fn root(boot: &Boot) -> &str {
    boot.root.as_ref().map_or("", |p| &p.device)
}

#[test]
fn what_was_booted_and_what_the_next_boot_reads() {
    const SD: &str = "/dev/mmcblk0p1";
    for (name, config_device, same, root_device, hindrances, copies) in [
        ("pi5-trixie-sd", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
        ("pi5-hatplus-nvme", "/dev/nvme0n1p1", Some(true), "/dev/nvme0n1p2", vec![], 0),
        ("pi5-two-drives", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
        ("pi5-multipath", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
        ("pi5-kernel66-domain0", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
        ("pi5-readonly", SD, Some(true), "", vec![ReadOnly], 0),
        ("pi5-ubuntu-ab", SD, Some(true), "/dev/mmcblk0p2", vec![PibootTry], 0),
        ("pi5-haos", SD, Some(true), "/dev/mmcblk0p3", vec![HomeAssistant], 0),
        ("pi5-secure-boot", SD, Some(true), "/dev/mmcblk0p2", vec![Signed, BootImg], 0),
        ("pi5-pending-eeprom", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
        ("pi5-uefi", "", None, "/dev/mmcblk0p2", vec![UefiAcpi, Decoy], 0),
        (
            "pi5-boot-from-other-disk",
            "/dev/nvme0n1p1",
            Some(false),
            "/dev/nvme0n1p2",
            vec![OtherPartition],
            0,
        ),
        ("pi5-clone-on-nvme", SD, Some(true), "/dev/mmcblk0p2", vec![], 1),
        ("pi5-duplicate-ids", SD, Some(true), "/dev/mmcblk0p2", vec![], 1),
        ("cm5", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
        ("pi4", SD, Some(true), "/dev/mmcblk0p2", vec![], 0),
    ] {
        let boot = facts(name).boot;
        assert_eq!(boot.config_device.as_deref().unwrap_or(""), config_device, "{name}");
        assert_eq!(boot.same_as_booted, same, "{name}");
        assert_eq!(root(&boot), root_device, "{name}");
        let kinds: Vec<_> = boot.hindrances.iter().map(|h| h.kind).collect();
        assert_eq!(kinds, hindrances, "{name}: {:?}", boot.hindrances);
        assert_eq!(boot.copies.len(), copies, "{name}");
    }
}

#[test]
fn the_clone_has_a_root_of_its_own_and_the_raw_copy_has_not() {
    let cmdline = |name: &str| facts(name).boot.copies.remove(0).cmdline.unwrap();
    let clone = cmdline("pi5-clone-on-nvme");
    assert_eq!(clone.partition.unwrap().device, "/dev/nvme0n1p2");
    let raw = cmdline("pi5-duplicate-ids");
    assert_eq!((raw.resolves, raw.partition), (Some(true), None));
}

#[test]
fn the_eeprom_of_recorded_machines() {
    let plain = facts("pi5-trixie-sd").eeprom;
    assert!(plain.running.as_ref().is_some_and(|r| r.ends_with(b"NET_INSTALL_AT_POWER_ON=1\n")));
    assert_eq!((plain.tool, plain.immediate), (Some(true), Some(false)));
    assert_eq!((plain.pending, plain.secure_boot), (None, None));
    let pending = facts("pi5-pending-eeprom").eeprom;
    assert!(pending.next_config().is_some_and(|c| c.ends_with(b"POWER_OFF_ON_HALT=1\n")));
    assert_ne!(pending.running.as_deref(), pending.next_config());
    assert_eq!(pending.image.map(|i| i.build_timestamp), pending.build_timestamp);
    assert!(facts("pi5-secure-boot").eeprom.secure_boot.is_some());
    assert_eq!(facts("pi5-haos").eeprom.tool, Some(false));
}
