//! A healthy machine to start a test from: a Pi 5 that starts from SD, with a
//! plain adapter and a drive that runs at Gen 3 as config.txt asks.

use super::{BootGoal, Finding, Goal, LinkGoal, ProbeGoal};
use crate::facts::*;
use crate::formats::{bootconf, config_txt};
use crate::host::Space;
use crate::terms::{BoardKind, BootMedium, BootOrder, Generation};

pub(super) const CONFIG: &[u8] = b"dtparam=audio=on\n[all]\ndtparam=pciex1\ndtparam=pciex1_gen=3\n";
pub(super) const PLAIN: &[u8] =
    b"dtparam=audio=on\ndtoverlay=vc4-kms-v3d\n\n[cm5]\ndtoverlay=dwc2,dr_mode=host\n\n[all]\n";
pub(super) const BOOTCONF: &[u8] = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n";

/// 2025-12-08.
pub(super) const BUILT: u32 = 1_765_152_000;

pub(super) fn healthy() -> Facts {
    Facts {
        simulated: true,
        board: Board {
            model: Some("Raspberry Pi 5 Model B Rev 1.0".into()),
            revision: Some(0x00d0_4170),
            kind: BoardKind::Pi5,
            memory_bytes: Some(8 << 30),
            serial: Some(0x1234_5678),
            uefi_acpi: false,
        },
        kernel: Some("6.12.47+rpt-rpi-2712".into()),
        boot_id: Some("b".into()),
        os: Os { id: Some("debian".into()), version: Some("13".into()), name: None },
        boot: boot(),
        eeprom: eeprom(),
        port: ExternalPort {
            state: PortState::Occupied,
            asked: Some(3),
            root_port: Some("0001:00:00.0".into()),
            others: Vec::new(),
            switches: Vec::new(),
        },
        drives: vec![drive()],
        hat: None,
        power: Power {
            max_current_ma: Some(5000),
            undervoltage_now: Some(false),
            undervoltage_seen: Some(false),
        },
        log: KernelLog { read: true, from_boot: true, events: Vec::new() },
        missing: Vec::new(),
    }
}

pub(super) fn conditions() -> config_txt::Conditions {
    config_txt::Conditions {
        board: BoardKind::Pi5,
        revision: Some(0x00d0_4170),
        serial: Some(0x1234_5678),
        tryboot: false,
        partition: Some(1),
        bootloader: Some(BUILT),
        overlays: None,
        port_enabled_by_firmware: false,
    }
}

pub(super) fn partition(disk: &str, number: u32) -> Partition {
    let fat = number == 1;
    Partition {
        device: format!("/dev/{disk}p{number}"),
        disk: disk.into(),
        number: Some(number),
        part_uuid: Some(format!("{disk}-0{number}")),
        fs_uuid: Some(format!("uuid-{disk}-{number}")),
        fs_type: Some(if fat { "vfat" } else { "ext4" }.into()),
    }
}

fn boot() -> Boot {
    Boot {
        medium: Some(BootMedium::Sd),
        partition: Some(1),
        tryboot: Some(false),
        root: Some(partition("mmcblk0", 2)),
        mount: Some(Mount {
            point: "/boot/firmware".into(),
            source: "/dev/mmcblk0p1".into(),
            fs_type: "vfat".into(),
            read_only: false,
        }),
        space: Some(Space { free_bytes: 400_000_000, total_bytes: 530_000_000 }),
        config_path: Some("/boot/firmware/config.txt".into()),
        config_device: Some("/dev/mmcblk0p1".into()),
        same_as_booted: Some(true),
        booted: Some(partition("mmcblk0", 1)),
        files: Some(files(CONFIG)),
        conditions: Some(conditions()),
        meaning: Some(meaning(true, 3)),
        cmdline: Some(cmdline("/boot/firmware/cmdline.txt", Some(partition("mmcblk0", 2)))),
        partitions: vec![partition("mmcblk0", 1), partition("mmcblk0", 2), partition("nvme0n1", 1)],
        ..Boot::default()
    }
}

pub(super) fn files(top: &[u8]) -> config_txt::Files {
    config_txt::Files { top: top.to_vec(), ..config_txt::Files::default() }
}

/// Puts another config.txt there, with its own meaning.
pub(super) fn with_config(facts: &mut Facts, top: &[u8]) {
    facts.boot.files = Some(files(top));
    facts.boot.meaning = Some(config_txt::read(&files(top), &conditions()));
}

pub(super) fn cmdline(path: &str, target: Option<Partition>) -> Cmdline {
    Cmdline {
        path: path.into(),
        root: Some("PARTUUID=mmcblk0-02".into()),
        resolves: Some(target.is_some()),
        partition: target,
        extra_lines: false,
    }
}

pub(super) fn line(number: u32, text: &str) -> config_txt::LineRef {
    config_txt::LineRef { file: "config.txt".into(), line: number, text: text.into() }
}

pub(super) fn meaning(port: bool, generation: u32) -> config_txt::Meaning {
    config_txt::Meaning {
        port: config_txt::Setting {
            value: config_txt::Value::Certain(port),
            lines: vec![line(3, "dtparam=pciex1")],
        },
        generation: config_txt::Setting {
            value: config_txt::Value::Certain(generation),
            lines: vec![line(4, "dtparam=pciex1_gen=3")],
        },
        remarks: Vec::new(),
        missing_includes: Vec::new(),
        os_prefix: String::new(),
        cmdline: "cmdline.txt".into(),
    }
}

pub(super) fn bootconf_meaning(order: u32) -> bootconf::Meaning {
    bootconf::Meaning {
        boot_order: Some(BootOrder(order)),
        boot_order_certain: true,
        pcie_probe: false,
        signed_boot: false,
        frozen: false,
        self_update_off: false,
        config_txt_section: None,
        unknown_keys: Vec::new(),
    }
}

/// Puts another bootloader configuration there, with its own meaning.
pub(super) fn with_bootconf(facts: &mut Facts, text: &[u8]) {
    facts.eeprom.running = Some(text.to_vec());
    facts.eeprom.meaning = Some(bootconf::read(text, &conditions()));
}

fn eeprom() -> Eeprom {
    Eeprom {
        version: Some("abc".into()),
        build_timestamp: Some(BUILT),
        min_boot_version: Some(1),
        running: Some(BOOTCONF.to_vec()),
        running_from: Some("nvmem".into()),
        meaning: Some(bootconf_meaning(0xf461)),
        pending: None,
        flashed: None,
        secure_boot: None,
        immediate: Some(false),
        tool: Some(true),
        image: Some(EepromImage {
            path: "/usr/lib/firmware/raspberrypi/bootloader-2712/default/pieeprom-2025-12-08.bin".into(),
            build_timestamp: BUILT,
            mfg_version: Some(1),
            ab_layout: false,
        }),
        boot_dir: Some("/boot/firmware".into()),
        settings_notes: Vec::new(),
    }
}

pub(super) fn pending(order: u32, built: u32) -> PendingUpdate {
    let text = format!("[all]\nBOOT_UART=1\nBOOT_ORDER={order:#x}\nNET_INSTALL_AT_POWER_ON=1\n");
    PendingUpdate {
        files: vec!["/boot/firmware/pieeprom.upd".into(), "/boot/firmware/recovery.bin".into()],
        config: Some(text.into_bytes()),
        meaning: Some(bootconf_meaning(order)),
        build_timestamp: Some(built),
    }
}

pub(super) fn hop(address: &str, kind: HopKind, speed: u8, most: u8) -> Hop {
    let (vendor, device) = match kind {
        HopKind::RootPort => (0x14e4, 0x2712),
        HopKind::Endpoint => (0x1344, 0x5416),
        _ => (0x1b21, 0x2806),
    };
    Hop {
        address: address.into(),
        kind,
        vendor: Some(vendor),
        device: Some(device),
        speed: Generation::new(speed),
        max_speed: Generation::new(most),
        width: Some(1),
        max_width: Some(if kind == HopKind::Endpoint { 4 } else { 1 }),
        max_payload_bytes: Some(512),
        aer: Some(AerCounters::default()),
        path: address.into(),
    }
}

pub(super) fn drive() -> Drive {
    Drive {
        name: "nvme0".into(),
        model: Some("EXAMPLE SSD 500GB".into()),
        firmware: Some("1.0".into()),
        identity: Some("aa".into()),
        state: DriveState::Live,
        address: Some("0001:01:00.0".into()),
        vendor: Some(0x1344),
        device: Some(0x5416),
        path: vec![
            hop("0001:00:00.0", HopKind::RootPort, 3, 3),
            hop("0001:01:00.0", HopKind::Endpoint, 3, 4),
        ],
        external: true,
        namespaces: vec![Namespace {
            name: "nvme0n1".into(),
            capacity_bytes: Some(500_107_862_016),
            logical_block_size_bytes: Some(512),
        }],
        temperature_celsius: Some(38.0),
        warning_celsius: Some(82.0),
        critical_celsius: Some(85.0),
        smart: Some(Smart {
            spare_percent: 100,
            unsafe_shutdowns: 30,
            error_log_entries: 12,
            ..Smart::default()
        }),
    }
}

/// Puts a switch (ASM1182e where `most` is 2, else ASM2806) before the drive.
pub(super) fn behind_switch(facts: &mut Facts, most: u8) {
    let speed = most.min(facts.port.asked.unwrap_or(2) as u8);
    let id = if most == 2 { 0x1182 } else { 0x2806 };
    let port = |address, kind| Hop { device: Some(id), ..hop(address, kind, speed, most) };
    let up = port("0001:01:00.0", HopKind::UpstreamPort);
    let down = port("0001:02:03.0", HopKind::DownstreamPort);
    facts.port.switches = vec![up.clone(), down.clone()];
    let asked = facts.port.asked.unwrap_or(2) as u8;
    let root = hop("0001:00:00.0", HopKind::RootPort, speed, asked);
    for drive in &mut facts.drives {
        drive.path =
            vec![root.clone(), up.clone(), down.clone(), hop("0001:03:00.0", HopKind::Endpoint, speed, 4)];
    }
}

/// The drive and the root port run at `reached`.
pub(super) fn run_at(facts: &mut Facts, reached: u8) {
    for hop in facts.drives.iter_mut().flat_map(|d| &mut d.path) {
        hop.speed = Generation::new(reached);
    }
}

/// A boot partition on the drive, with a root that is there.
pub(super) fn copy(top: &[u8]) -> BootCopy {
    BootCopy {
        partition: partition("nvme0n1", 1),
        mount: None,
        files: Some(files(top)),
        meaning: None,
        conditions: None,
        cmdline: Some(cmdline("/cmdline.txt", Some(partition("nvme0n1", 2)))),
        space: Some(Space { free_bytes: 400_000_000, total_bytes: 530_000_000 }),
    }
}

pub(super) fn goal(link: LinkGoal, boot: BootGoal) -> Goal {
    Goal { link, boot, probe: ProbeGoal::Auto }
}

pub(super) fn event(kind: &'static str, device: &str, text: &str) -> LogEvent {
    LogEvent { kind, device: device.into(), text: text.into() }
}

/// The finding with this id, which must be there.
pub(super) fn one<'f>(found: &'f [Finding], id: &str) -> &'f Finding {
    let of_id: Vec<_> = found.iter().filter(|f| f.id == id).collect();
    assert_eq!(of_id.len(), 1, "{id} in {:?}", found.iter().map(|f| &f.id).collect::<Vec<_>>());
    of_id[0]
}

pub(super) fn ids(found: &[Finding]) -> Vec<&str> {
    found.iter().map(|f| f.id.as_str()).collect()
}
