//! The link: what is on the connector, how fast it runs, and why.

use super::*;

const ON: &str = "pi5-trixie-sd";
const GEN3_ON: &str = "pi5-trixie-sd-gen3";
const LAST_LINE: &str = "[    0.780000] pci 0002:00:00.0";
// What a drive takes along that left the bus.
const GONE_1: Step = P(Gone("/sys/bus/pci/devices/0001:01:00.0"));
const GONE_2: Step = P(Gone("/sys/class/nvme/nvme0"));
const GONE_3: Step = P(Gone("/sys/class/block/nvme0n1"));
const GONE_4: Step = P(Gone("{drive}"));

pub(super) const CASES: &[Case] = &[
    // What can be said before Gen 3 is tried: the risk, and the way back. A
    // blank after the order is no other order.
    Case {
        id: "lnk-01",
        on: "pi5-hatplus-nvme",
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nBOOT_ORDER=0xf416\t\nPCIE_PROBE=1\n")),
            Run(STATUS, 0, &[Is("/eeprom/boot_order", "\"0xf416\"")]),
            Run(GEN3, 0, &[Says("Gen 3 is not certified"), Says("backup beside config.txt")]),
        ],
    },
    // The speed needs neither root nor lspci.
    Case {
        id: "lnk-03",
        on: ON,
        steps: &[
            P(Swap("/replay.toml", "euid = 0", "euid = 1000")),
            Run(
                STATUS,
                0,
                &[
                    Is("/drives/0/path/1/speed_gtps", "5.0"),
                    Is("/drives/0/link/ceiling_bytes_per_second", "457142857"),
                ],
            ),
        ],
    },
    // The drive's link, not that of RP1 (5 GT/s x4).
    Case {
        id: "lnk-04",
        on: "pi5-kernel66-domain0",
        steps: &[Run(
            STATUS,
            0,
            &[
                Is("/drives/0/path/0/address", "\"0000:00:00.0\""),
                Is("/drives/0/path/1/address", "\"0000:01:00.0\""),
                Is("/drives/0/path/1/max_speed_gtps", "8.0"),
                Is("/drives/0/link/width", "1"),
                Is("/drives/1", "nothing"),
            ],
        )],
    },
    // The speed is as asked, and the link is not sound.
    Case {
        id: "lnk-06",
        on: GEN3_ON,
        steps: &[
            P(Swap("{drive}/aer_dev_correctable", "Timeout 0", "Timeout 52817")),
            P(Swap("{drive}/aer_dev_correctable", "TOTAL_ERR_COR 0", "TOTAL_ERR_COR 52817")),
            Run(
                VERIFY,
                0,
                &[Is("/met", "\"yes\""), Found("aer-flood"), Says("52817"), Says("replace the cable")],
            ),
        ],
    },
    // Three states are told apart.
    Case {
        id: "lnk-07",
        on: "pi5-port-disabled",
        steps: &[Run(
            STATUS,
            0,
            &[Is("/connector/state", "\"disabled\""), Found("port-disabled"), NotFound("link-down")],
        )],
    },
    Case {
        id: "lnk-07",
        on: "pi5-link-down",
        steps: &[Run(
            STATUS,
            0,
            &[
                Is("/connector/state", "\"link-down\""),
                Found("link-down"),
                Says("reseat both ends"),
                Says("No setting cures it"),
            ],
        )],
    },
    // One slot of two fell back to 2.5 GT/s, then it is gone.
    Case {
        id: "lnk-09",
        on: "pi5-two-drives",
        steps: &[
            Run(
                STATUS,
                0,
                &[
                    Is("/drives/0/link/generation", "2"),
                    Is("/drives/1/link/generation", "1"),
                    Is("/drives/1/link/bottleneck", "\"0001:02:07.0\""),
                    Found("link-clamped"),
                    Says("0001:02:07.0 runs at 2.5 GT/s only"),
                ],
            ),
            Run(VERIFY, 1, &[Is("/met", "\"no\"")]),
        ],
    },
    Case {
        id: "lnk-09",
        on: "pi5-two-drives",
        steps: &[
            P(Config("dtparam=audio=on\n")),
            Run(GEN2, 0, &[Is("/changed", "true")]),
            P(Gone("/sys/bus/pci/devices/0001:04:00.0")),
            P(Gone("/sys/class/nvme/nvme1")),
            P(Gone("{port}/0001:01:00.0/0001:02:07.0/0001:04:00.0")),
            P(Reboot),
            Run(VERIFY, 1, &[Is("/met", "\"no\""), Found("drive-missing-one")]),
        ],
    },
    // Asked for in config.txt and in the device tree, and the link is Gen 2.
    Case {
        id: "lnk-11",
        on: "pi5-trained-down",
        steps: &[Run(
            VERIFY,
            1,
            &[
                Is("/met", "\"no\""),
                Is("/asked_generation", "3"),
                Is("/reached_generation", "2"),
                Found("trained-lower"),
            ],
        )],
    },
    // The root port is there, and nothing behind it.
    Case {
        id: "lnk-12",
        on: ON,
        steps: &[
            GONE_1,
            GONE_2,
            GONE_3,
            GONE_4,
            Run(
                STATUS,
                0,
                &[
                    Is("/connector/state", "\"empty\""),
                    Found("slot-empty"),
                    Says("another kernel"),
                    Is("/drives", "[]"),
                ],
            ),
        ],
    },
    // The drive falls asleep and is reset.
    Case {
        id: "lnk-14",
        on: ON,
        steps: &[
            P(Swap(
                "/replay.toml",
                LAST_LINE,
                "[  525.310000] nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10\n\
                 [  525.350000] nvme0n1: I/O Cmd(0x2) @ LBA 476504, 8 blocks, I/O Error (sct 0x3 / sc 0x71)\n\
                 [  525.370000] nvme nvme0: 4/0/0 default/read/poll queues\n[    0.780000] pci 0002:00:00.0",
            )),
            Run(
                VERIFY,
                0,
                &[
                    Found("nvme-reset"),
                    Found("nvme-io-error"),
                    Says("525.31"),
                    Says("nvme_core.default_ps_max_latency_us=0 pcie_aspm=off"),
                    Says("one line of cmdline.txt"),
                ],
            ),
        ],
    },
    // A controller that is known for it; the line against it stays.
    Case {
        id: "lnk-15",
        on: ON,
        steps: &[
            P(Text("{drive}/vendor", "0x1987\n")),
            P(Text("{drive}/device", "0x5013\n")),
            P(Config("dtparam=pciex1\ndtparam=pciex1_no_l0s=on\n")),
            P(Swap(
                "/replay.toml",
                LAST_LINE,
                "[   80.310000] nvme nvme0: I/O tag 512 (0200) opcode 0x2 (I/O Cmd) QID 1 timeout, aborting req_op:READ(0) size:16384\n\
                 [  110.350000] nvme nvme0: I/O tag 512 (0200) opcode 0x2 (I/O Cmd) QID 1 timeout, reset controller\n[    0.780000] pci 0002:00:00.0",
            )),
            Run(STATUS, 0, &[Found("drive-note"), Says("pciex1_no_l0s=on"), Found("nvme-timeout")]),
            Run(GEN3, 0, &[Appends("{ours}[all]\ndtparam=pciex1_gen=3\n")]),
        ],
    },
    // The link is fine, the driver is not.
    Case {
        id: "lnk-17",
        on: ON,
        steps: &[
            P(Gone("/sys/class/nvme/nvme0")),
            P(Gone("{drive}/nvme")),
            P(Gone("{drive}/driver")),
            P(Swap(
                "/replay.toml",
                "nvme nvme0: 4/0/0 default/read/poll queues",
                "nvme 0001:01:00.0: probe with driver nvme failed with error -12",
            )),
            Run(
                STATUS,
                0,
                &[
                    Found("nvme-no-memory"),
                    Says("-12"),
                    Is("/drives/0/link/generation", "2"),
                    Is("/connector/state", "\"occupied\""),
                ],
            ),
            Run(VERIFY, 1, &[Found("nvme-no-memory")]),
        ],
    },
    // Gen 3 behind a Gen 2 switch: not written, and not called a fault.
    Case {
        id: "lnk-19",
        on: "pi5-asm1182e",
        steps: &[
            Run(GEN3, 5, &[Found("gen3-behind-switch"), Untouched]),
            P(Config("dtparam=pciex1\ndtparam=pciex1_gen=3\n")),
            P(Number("{tree}/axi/pcie@1000110000/max-link-speed", 3)),
            Run(
                VERIFY,
                1,
                &[Is("/met", "\"no\""), Found("limited-by-switch"), Says("as fast as this board allows")],
            ),
        ],
    },
    // RP1 is never the drive, also where it alone is there.
    Case {
        id: "lnk-20",
        on: "pi5-port-disabled",
        steps: &[
            P(Config("[all]\ndtparam=pciex1 \ndtparam=pciex1_gen=3\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/drives", "[]"),
                    Is("/connector/root_port", "null"),
                    Is("/boot/port/value", "\"uncertain\""),
                    Says("blanks follow the value"),
                ],
            ),
            Run(GEN3, 0, &[Appends("{ours}[all]\ndtparam=pciex1\n")]),
        ],
    },
    Case { id: "lnk-20", on: "pi5-asm2806", steps: &[Run(GEN3, 0, &[Is("/changed", "false"), Untouched])] },
    // Not every device is a drive.
    Case {
        id: "lnk-21",
        on: "pi5-hailo",
        steps: &[
            Run(
                STATUS,
                0,
                &[Found("other-device"), Says("Hailo"), Says("not an NVMe drive"), Is("/drives", "[]")],
            ),
            Run(NVME, 4, &[Found("boot-no-drive"), Untouched]),
        ],
    },
    // The domain and the name of the node changed; the connector did not.
    Case {
        id: "lnk-22",
        on: ON,
        steps: &[Run(STATUS, 0, &[Is("/connector/root_port", "\"0001:00:00.0\"")])],
    },
    Case {
        id: "lnk-22",
        on: "pi5-kernel66-domain0",
        steps: &[
            Run(
                STATUS,
                0,
                &[Is("/connector/root_port", "\"0000:00:00.0\""), Is("/connector/asked_generation", "2")],
            ),
            Run(GEN3, 0, &[Is("/changed", "true")]),
        ],
    },
    // Gone after a warm reboot: power off first, before Gen 3 is blamed.
    Case {
        id: "lnk-24",
        on: ON,
        steps: &[
            Run(GEN3, 0, &[Is("/changed", "true")]),
            GONE_1,
            GONE_2,
            GONE_3,
            GONE_4,
            P(Reboot),
            Run(
                VERIFY,
                1,
                &[Is("/met", "\"no\""), Found("drive-missing"), Says("Unplug the power for ten seconds")],
            ),
        ],
    },
    // No device at all.
    Case {
        id: "lnk-25",
        on: "pi5-link-down",
        steps: &[
            P(Gone("/sys/bus/pci/devices")),
            Run(STATUS, 0, &[Is("/drives", "[]")]),
            Run(VERIFY, 1, &[Says("or ten seconds")]),
        ],
    },
    // The supply. (The drive's own power states are not in a recording.)
    Case {
        id: "lnk-26",
        on: ON,
        steps: &[
            P(Number("{tree}/chosen/power/max_current", 3000)),
            P(Swap("/replay.toml", "throttled=0x0", "throttled=0x50000")),
            Run(
                STATUS,
                0,
                &[Found("supply-weak"), Found("undervoltage"), Is("/power/max_current_ma", "3000")],
            ),
        ],
    },
    // What turned the connector on: a line, or the board by itself.
    Case {
        id: "lnk-28",
        on: ON,
        steps: &[
            Run(STATUS, 0, &[Is("/boot/port/lines/0/text", "\"dtparam=pciex1\"")]),
            Run(NVME, 0, &[Extends("[all]\nBOOT_ORDER=0xf416\nPCIE_PROBE=1\n")]),
        ],
    },
    Case {
        id: "lnk-28",
        on: "pi5-hatplus-nvme",
        steps: &[Run(
            STATUS,
            0,
            &[
                Is("/boot/port/lines", "[]"),
                Is("/boot/port/value", "\"on\""),
                Is("/hat/product", "\"M.2 HAT+ M Key\""),
                Is("/boot/medium", "\"nvme\""),
            ],
        )],
    },
    // A speed that cannot be read is unknown, not a fault and not 0.
    Case {
        id: "lnk-29",
        on: ON,
        steps: &[
            P(Text("{drive}/current_link_speed", "Unknown\n")),
            P(Text("{drive}/current_link_width", "0\n")),
            P(Text("{port}/current_link_speed", "Unknown speed\n")),
            Run(STATUS, 0, &[Is("/drives/0/link/generation", "null"), Found("link-unknown")]),
            Run(
                VERIFY,
                1,
                &[Is("/met", "\"unknown\""), Is("/reached_generation", "null"), Says("dropped off the bus")],
            ),
        ],
    },
    // All bits read as ones: the drive left the bus, which is said as such.
    Case {
        id: "lnk-29",
        on: ON,
        steps: &[
            P(Text("{drive}/current_link_speed", "Unknown\n")),
            P(Text("{drive}/current_link_width", "63\n")),
            Run(STATUS, 0, &[Is("/drives/0/link/generation", "null"), Found("drive-not-answering")]),
            Run(VERIFY, 1, &[Is("/reached_generation", "null"), Found("drive-not-answering")]),
        ],
    },
    // Pairs that are known for trouble, with where that was reported.
    Case {
        id: "lnk-32",
        on: ON,
        steps: &[
            P(Text("{drive}/vendor", "0x15b7\n")),
            P(Text("{drive}/device", "0x5009\n")),
            Run(STATUS, 0, &[Found("drive-note"), Says("SN550"), Says("15b7:5009"), Says("#")]),
            P(Text("{drive}/vendor", "0x144d\n")),
            P(Text("{drive}/device", "0xa80a\n")),
            Run(STATUS, 0, &[Found("drive-note"), Says("980 Pro")]),
        ],
    },
];
