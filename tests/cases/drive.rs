//! The drive itself: sectors, names, heat, and what the bootloader makes of it.

use super::*;

const ON: &str = "pi5-trixie-sd";
const BUILT: &str = "{tree}/chosen/bootloader/build-timestamp";

/// Where a controller lies whose number is not that of its namespace.
macro_rules! controller {
    () => {
        "devices/platform/axi/1000110000.pcie/pci0001:00/0001:00:00.0/0001:01:00.0/nvme/nvme1"
    };
}

/// A stored measurement: of this drive, at this generation.
macro_rules! stored {
    ($identity:literal, $generation:literal) => {
        concat!(
            r#"{"schema": "pi5-nvme/bench-run/1", "time": "2026-11-30T10:00:00Z", "version": "0.1.0",
            "simulated": true, "profile": "quick", "target": {"device": "/dev/nvme0n1p1", "disk": "nvme0n1",
            "partition": 1, "model": "EXAMPLE NV500 500GB", "firmware": "1", "identity": ""#,
            $identity,
            r#"", "file_system": "ext4", "mount": "/mnt/nvme", "file_bytes": 1073741824},
            "environment": {"kernel": "6.12.75", "link": {"generation": "#,
            $generation,
            r#", "width": 1, "gtps": 5.0}}, "engine": {"name": "threads", "direct": true,
            "registered_buffers": false, "registered_file": false, "huge_pages": false},
            "results": [], "partial": false, "notes": []}"#
        )
    };
}

pub(super) const CASES: &[Case] = &[
    // 4096-byte sectors and an older bootloader.
    Case {
        id: "drv-01",
        on: ON,
        steps: &[
            P(Text("{drive}/nvme/nvme0/nvme0n1/queue/logical_block_size", "4096\n")),
            P(Text("{drive}/nvme/nvme0/nvme0n1/queue/physical_block_size", "4096\n")),
            Run(STATUS, 0, &[Is("/drives/0/logical_block_size_bytes", "4096")]),
            Run(NVME, 5, &[Found("bootloader-4k"), Says("2025-05-08"), Says("Do not reformat"), Untouched]),
            P(Number(BUILT, 1_760_000_000)),
            Run(NVME, 5, &[NotFound("bootloader-4k")]),
        ],
    },
    // The size is counted in 512-byte units whatever the sectors are; loaded from USB, running from NVMe.
    Case {
        id: "drv-02",
        on: "pi5-hatplus-nvme",
        steps: &[
            P(Text("{drive}/nvme/nvme0/nvme0n1/queue/logical_block_size", "4096\n")),
            P(Text("{drive}/nvme/nvme0/nvme0n1/size", "500118192\n")),
            P(Number("{tree}/chosen/bootloader/boot-mode", 4)),
            P(Bootconf(
                "[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n",
            )),
            Run(
                STATUS,
                0,
                &[
                    Is("/drives/0/capacity_bytes", "256060514304"),
                    Is("/boot/medium", "\"usb\""),
                    Is("/boot/root_device", "\"/dev/nvme0n1p2\""),
                    Found("root-on-nvme"),
                ],
            ),
        ],
    },
    // Less memory lent than the drive needs.
    Case {
        id: "drv-05",
        on: ON,
        steps: &[
            P(Swap(
                "/replay.toml",
                "nvme nvme0: 4/0/0 default",
                "nvme nvme0: min host memory (64 MiB) above limit (32 MiB).\n[    0.630000] nvme nvme0: 4/0/0 default",
            )),
            Run(
                STATUS,
                0,
                &[Found("nvme-hmb"), Says("nvme.max_host_mem_size_mb=64"), Says("one line of cmdline.txt")],
            ),
        ],
    },
    // A namespace belongs to a controller by its place, not by its digits.
    Case {
        id: "drv-07",
        on: "pi5-multipath",
        steps: &[Run(
            STATUS,
            0,
            &[
                Is("/drives/0/name", "\"nvme1\""),
                Is("/drives/0/namespaces/0/name", "\"nvme0n1\""),
                Is("/drives/0/capacity_bytes", "500107862016"),
            ],
        )],
    },
    Case {
        id: "drv-07",
        on: ON,
        steps: &[
            P(Move("{drive}/nvme/nvme0", "{drive}/nvme/nvme1")),
            P(Gone("/sys/class/nvme/nvme0")),
            P(Link("/sys/class/nvme/nvme1", concat!("../../", controller!()))),
            P(Link("/sys/class/block/nvme0n1", concat!("../../", controller!(), "/nvme0n1"))),
            P(Link("/sys/block/nvme0n1", concat!("../", controller!(), "/nvme0n1"))),
            Run(
                STATUS,
                0,
                &[
                    Is("/drives/0/name", "\"nvme1\""),
                    Is("/drives/0/namespaces/0/name", "\"nvme0n1\""),
                    Is("/drives/0/capacity_bytes", "500107862016"),
                    Is("/drives/0/path/1/address", "\"0001:01:00.0\""),
                ],
            ),
        ],
    },
    // The drive's own thresholds.
    Case {
        id: "drv-08",
        on: ON,
        steps: &[
            P(Text("{drive}/nvme/nvme0/hwmon1/temp1_max", "77850\n")),
            P(Text("{drive}/nvme/nvme0/hwmon1/temp1_input", "76850\n")),
            Run(STATUS, 0, &[Is("/drives/0/temperature_celsius", "76.85"), NotFound("drive-hot")]),
            P(Text("{drive}/nvme/nvme0/hwmon1/temp1_input", "78850\n")),
            Run(STATUS, 0, &[Found("drive-hot")]),
        ],
    },
    // A drive whose files the bootloader fails to read: told before NVMe is made first.
    Case {
        id: "drv-10",
        on: ON,
        steps: &[
            P(Text("{drive}/vendor", "0x1e0f\n")),
            P(Text("{drive}/device", "0x0001\n")),
            Run(NVME, 0, &[Found("drive-note"), Says("keep the boot files on the SD card")]),
        ],
    },
    // First in the order, and the firmware went on to the card.
    Case {
        id: "drv-11",
        on: "pi5-clone-on-nvme",
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nBOOT_ORDER=0xf461\n")),
            Run(NVME, 0, &[Is("/changed", "true")]),
            P(Gone("/boot/firmware/pieeprom.upd")),
            P(Gone("/boot/firmware/pieeprom.sig")),
            P(Gone("/boot/firmware/recovery.bin")),
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nBOOT_ORDER=0xf416\nPCIE_PROBE=1\n")),
            P(Reboot),
            Run(
                VERIFY,
                1,
                &[Is("/met", "\"no\""), Found("fell-back"), Says("SD card"), Says("update the bootloader")],
            ),
        ],
    },
    // The number in the name changed drives between two starts: their runs are not compared.
    Case {
        id: "drv-13",
        on: ON,
        steps: &[
            P(Text("/var/lib/pi5-nvme/bench/20261130T100000Z.json", stored!("one", "2"))),
            P(Text("/var/lib/pi5-nvme/bench/20261130T110000Z.json", stored!("another", "3"))),
            Run(
                &["bench", "--compare", "20261130T100000Z", "20261130T110000Z"],
                1,
                &[Is("/compare", "null"), Says("the runs are of two drives")],
            ),
        ],
    },
];
