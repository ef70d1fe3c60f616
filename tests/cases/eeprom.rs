//! The bootloader configuration: how it is read, when it is changed, and when
//! it is left alone.

use super::*;

const ON: &str = "pi5-trixie-sd";
const IMAGES: &str = "/usr/lib/firmware/raspberrypi/bootloader-2712/default";
const BUILT: &str = "{tree}/chosen/bootloader/build-timestamp";
const FIRST: &str = "[all]\nBOOT_ORDER=0xf416\nPCIE_PROBE=1\n";
const FIRST_PROBED: &str = "[all]\nBOOT_ORDER=0xf416\n";

pub(super) const CASES: &[Case] = &[
    // The order is read from the right, and always said in words.
    Case {
        id: "eep-01",
        on: ON,
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf641\n")),
            Run(STATUS, 0, &[Is("/eeprom/boot_order_words", "\"SD card -> USB -> NVMe -> restart\"")]),
            Run(NVME, 0, &[Extends(FIRST)]),
        ],
    },
    // Comments after the values, no header. The words are the right ones.
    Case {
        id: "eep-02",
        on: ON,
        steps: &[
            P(Bootconf(
                "BOOT_ORDER=0xf416 # tries the drive first\nPCIE_PROBE=1 # no HAT+ here\nBOOT_UART=1\n",
            )),
            Run(
                STATUS,
                0,
                &[
                    Found("eeprom-trailing-text"),
                    Says("`PCIE_PROBE=1 # no HAT+ here`"),
                    Is("/eeprom/boot_order_words", "\"NVMe -> SD card -> USB -> restart\""),
                ],
            ),
            Run(NVME, 0, &[Is("/changed", "false"), Untouched]),
        ],
    },
    // An invented key stays and is pointed at; a SATA controller is no drive.
    Case {
        id: "eep-04",
        on: "pi5-hailo",
        steps: &[
            P(Text("{drive}/vendor", "0x1b21\n")),
            P(Text("{drive}/device", "0x1166\n")),
            P(Text("{drive}/class", "0x010601\n")),
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nPCIeTopology=1\nBOOT_ORDER=0xf41\n")),
            Run(STATUS, 0, &[Found("other-device"), Found("eeprom-unknown-key"), Says("PCIeTopology")]),
            Run(NVME, 4, &[Found("boot-no-drive"), Untouched]),
        ],
    },
    // The card's kernel, the drive's system: three facts side by side.
    Case {
        id: "eep-05",
        on: "pi5-duplicate-ids",
        steps: &[
            P(Swap(
                "/proc/self/mountinfo",
                "179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2",
                "259:2 / / rw,noatime shared:1 - ext4 /dev/nvme0n1p2",
            )),
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nBOOT_ORDER=0xf461\nPCIE_PROBE=1\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/medium", "\"sd\""),
                    Is("/boot/root_device", "\"/dev/nvme0n1p2\""),
                    Found("root-on-nvme"),
                    Found("duplicate-partuuid"),
                    Says("mmcblk0 and nvme0n1 have the same"),
                ],
            ),
        ],
    },
    // PCIE_PROBE only where it is needed, and under suspicion where the link is down.
    Case {
        id: "eep-07",
        on: "pi5-link-down",
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf164\nPCIE_PROBE=1\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/eeprom/boot_order_words", "\"USB -> NVMe -> SD card -> restart\""),
                    Found("probe-link-down"),
                ],
            ),
        ],
    },
    Case { id: "eep-07", on: "pi5-hatplus-nvme", steps: &[Run(NVME, 0, &[Extends(FIRST_PROBED)])] },
    // No image for this board, and an old bootloader.
    Case {
        id: "eep-08",
        on: ON,
        steps: &[
            P(Gone(IMAGES)),
            P(Number(BUILT, 1_698_684_310)),
            Run(STATUS, 0, &[Is("/eeprom/changeable", "false"), Found("bootloader-old"), Says("2023-10-30")]),
            Run(NVME, 5, &[Found("eeprom-no-image"), Untouched]),
        ],
    },
    // At once or at the next boot: what was found afterwards is what is said.
    Case {
        id: "eep-10",
        on: ON,
        steps: &[
            Run(NVME, 0, &[Extends(FIRST), Is("/reboot_required", "true")]),
            Run(STATUS, 0, &[Is("/eeprom/pending", "true"), Is("/eeprom/pending_boot_order", "\"0xf416\"")]),
        ],
    },
    Case {
        id: "eep-10",
        on: ON,
        steps: &[
            P(Text(
                "/etc/default/rpi-eeprom-update",
                "FIRMWARE_RELEASE_STATUS=\"default\"\nRPI_EEPROM_USE_FLASHROM=1\n",
            )),
            P(Text("/dev/spidev10.0", "")),
            P(Swap("/replay.toml", "installed = [\"dmesg\"", "installed = [\"flashrom\", \"dmesg\"")),
            P(Swap("/replay.toml", "apply = \"staged\"", "apply = \"immediate\"")),
            Run(NVME, 0, &[Says("at once"), Is("/reboot_required", "true")]),
            Run(
                STATUS,
                0,
                &[Is("/eeprom/pending", "false"), Found("eeprom-flashed"), Says("then 0xf416 = NVMe")],
            ),
            // What was flashed is what the next change builds on, although the old text still runs.
            Run(NVME, 0, &[Is("/changed", "false"), Is("/reboot_required", "true"), Untouched]),
            Run(PROBE, 0, &[Is("/changed", "false"), Untouched]),
            Run(UNDO, 0, &[Is("/changed", "true")]),
            Run(PROBE, 0, &[Extends("[all]\nPCIE_PROBE=1\n")]),
            Run(NVME, 0, &[Says(" PCIE_PROBE=1\\n"), Is("/changed", "true")]),
        ],
    },
    // flashrom is there and is not called: a recorded machine answers only the official tool.
    Case {
        id: "eep-11",
        on: ON,
        steps: &[
            P(Swap("/replay.toml", "installed = [\"dmesg\"", "installed = [\"flashrom\", \"dmesg\"")),
            Run(NVME, 0, &[Extends(FIRST)]),
            Run(UNDO, 0, &[AsAtStart]),
        ],
    },
    // A configuration that cannot be read is never replaced; one that changed is told.
    Case {
        id: "eep-13",
        on: ON,
        steps: &[
            P(Gone("/sys/bus/nvmem/devices/rmem0")),
            Run(STATUS, 0, &[Is("/eeprom/boot_order", "null"), Is("/eeprom/changeable", "null")]),
            Run(NVME, 5, &[Found("eeprom-unreadable"), Untouched]),
        ],
    },
    Case {
        id: "eep-13",
        on: ON,
        steps: &[P(Bootconf("")), Run(NVME, 5, &[Found("eeprom-unreadable"), Untouched])],
    },
    Case {
        id: "eep-13",
        on: ON,
        steps: &[
            Run(NVME, 0, &[Extends(FIRST)]),
            P(Gone("/boot/firmware/pieeprom.upd")),
            P(Gone("/boot/firmware/pieeprom.sig")),
            P(Gone("/boot/firmware/recovery.bin")),
            P(Bootconf("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n")),
            P(Reboot),
            Run(VERIFY, 1, &[Is("/met", "\"no\""), Found("eeprom-not-live"), Says("0xf461")]),
        ],
    },
    // The update tool looks at another folder than the firmware.
    Case {
        id: "eep-14",
        on: ON,
        steps: &[
            P(Text("/etc/default/rpi-eeprom-update", "BOOTFS=/boot\n")),
            Run(NVME, 5, &[Found("eeprom-boot-dir"), Says("BOOTFS=/boot/firmware"), Untouched]),
        ],
    },
    Case {
        id: "eep-14",
        on: ON,
        steps: &[
            P(Swap("/replay.toml", "boot_dir = \"/boot/firmware\"", "boot_dir = \"/boot\"")),
            Run(BOTH, 6, &[Says("it would put the update into /boot"), AsAtStart]),
        ],
    },
    // A script that fails: everything is put back, and its words are said.
    Case {
        id: "eep-14",
        on: ON,
        steps: &[
            P(Swap("/replay.toml", "apply = \"staged\"", "apply = \"fails\"")),
            Run(BOTH, 6, &[AsAtStart]),
        ],
    },
    // No tool on this system.
    Case { id: "eep-15", on: "pi5-haos", steps: &[Run(BOTH, 5, &[Found("eeprom-no-tool"), Untouched])] },
    Case {
        id: "eep-15",
        on: ON,
        steps: &[
            P(Swap("/replay.toml", "\"rpi-eeprom-config\", ", "")),
            Run(BOTH, 4, &[Found("eeprom-no-tool"), Says("Raspberry Pi Imager"), Untouched]),
            Run(GEN3, 0, &[Is("/changed", "true")]),
        ],
    },
    // A change that waits is shown, and merged with.
    Case {
        id: "eep-17",
        on: "pi5-pending-eeprom",
        steps: &[
            Run(
                STATUS,
                0,
                &[Is("/eeprom/pending", "true"), Found("eeprom-pending"), Says("rpi-eeprom-update -r")],
            ),
            Run(NVME, 0, &[Extends(FIRST)]),
            Run(STATUS, 0, &[Is("/eeprom/pending_boot_order", "\"0xf416\"")]),
            Run(UNDO, 0, &[AsAtStart]),
        ],
    },
    Case {
        id: "eep-17",
        on: ON,
        steps: &[
            Run(NVME, 0, &[Extends(FIRST)]),
            Run(
                STATUS,
                0,
                &[
                    Is("/eeprom/boot_order", "\"0xf461\""),
                    Is("/eeprom/pending_boot_order", "\"0xf416\""),
                    Found("eeprom-pending"),
                ],
            ),
            Run(NVME, 0, &[Is("/changed", "false"), Untouched]),
        ],
    },
    // A commented order is none.
    Case {
        id: "eep-19",
        on: ON,
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\n#BOOT_ORDER=0xf14\n")),
            Run(STATUS, 0, &[Is("/eeprom/boot_order_words", "\"SD card -> USB -> restart\"")]),
            Run(NVME, 0, &[Extends(FIRST)]),
        ],
    },
    // The last order stands below [tryboot] and is not the one of a normal boot.
    Case {
        id: "eep-21",
        on: ON,
        steps: &[
            P(Bootconf(
                "[all]\nDISABLE_HDMI=1\nBOOT_UART=1\nBOOT_ORDER=0xf41\n\n[tryboot]\nBOOT_ORDER=0xf14\n",
            )),
            Run(STATUS, 0, &[Is("/eeprom/boot_order", "\"0xf41\"")]),
            Run(NVME, 0, &[Extends(FIRST)]),
        ],
    },
    // Five digits, and a commented twin: NVMe moves, nothing is dropped.
    Case {
        id: "eep-24",
        on: ON,
        steps: &[
            P(Bootconf(
                "[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=1\n\n# PCIE_PROBE=1 should not be needed\nPCIE_PROBE=1\n\n\
                 # BOOT_ORDER=0xf2461\n\nBOOT_ORDER=0xf2641\n",
            )),
            Run(
                STATUS,
                0,
                &[
                    Is("/eeprom/boot_order_words", "\"SD card -> USB -> NVMe -> network -> restart\""),
                    Is("/eeprom/pcie_probe", "true"),
                ],
            ),
            Run(NVME, 0, &[Extends("[all]\nBOOT_ORDER=0xf2416\n")]),
        ],
    },
    // A drive that answers only at Gen 3 is not made first.
    Case {
        id: "eep-26",
        on: "pi5-class-ffffff",
        steps: &[
            Run(
                STATUS,
                0,
                &[
                    Found("drive-not-answering"),
                    Says("setup --gen 3"),
                    Says("keep the boot files on the SD card"),
                ],
            ),
            Run(NVME, 5, &[Found("boot-drive-not-ready"), Untouched]),
            Run(GEN3, 0, &[Is("/changed", "true")]),
        ],
    },
    // A deliberate Gen 1 is kept unless another one is asked for.
    Case {
        id: "eep-27",
        on: ON,
        steps: &[
            P(Config("dtparam=pciex1\ndtparam=pciex1_gen=1\n")),
            Run(STATUS, 0, &[Is("/boot/generation/value", "1")]),
            Run(&["setup", "--boot", "keep", "--bench", "off", "--reboot", "no", "--yes"], 2, &[Untouched]),
            Run(NVME, 0, &[]),
            Run(STATUS, 0, &[Is("/boot/generation/value", "1"), Is("/boot/generation/lines/0/line", "2")]),
            Run(GEN2, 0, &[Found("gen1-deliberate"), Is("/changed", "true")]),
        ],
    },
    // Behind a switch an old bootloader cannot start.
    Case {
        id: "eep-29",
        on: "pi5-asm1182e",
        steps: &[
            P(Number(BUILT, 1_728_517_007)),
            Run(NVME, 5, &[Found("bootloader-switch"), Says("2024-10-21"), Untouched]),
        ],
    },
    // A signed board is left alone, in both files.
    Case {
        id: "eep-30",
        on: "pi5-secure-boot",
        steps: &[Run(BOTH, 5, &[Found("signed-boot"), Found("boot-img"), Untouched])],
    },
    Case {
        id: "eep-30",
        on: ON,
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nSIGNED_BOOT=1\n")),
            Run(BOTH, 5, &[Found("signed-boot"), Untouched]),
        ],
    },
    // The network first, and a vendor's script that rewrites the order.
    Case {
        id: "eep-32",
        on: ON,
        steps: &[
            Run(NVME, 0, &[Extends(FIRST)]),
            P(Gone("/boot/firmware/pieeprom.upd")),
            P(Gone("/boot/firmware/pieeprom.sig")),
            P(Gone("/boot/firmware/recovery.bin")),
            P(Bootconf(
                "[all]\nBOOT_UART=1\nWAKE_ON_GPIO=0\nPOWER_OFF_ON_HALT=1\nPCIE_PROBE=1\nBOOT_ORDER=0xf4167\n",
            )),
            P(Reboot),
            Run(STATUS, 0, &[Found("order-network-first"), Says("HTTP -> NVMe")]),
            Run(VERIFY, 1, &[Found("eeprom-lost")]),
        ],
    },
    // A hostile end: [none], and no line end.
    Case {
        id: "eep-33",
        on: ON,
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\n[none]\nUART_BAUD=921600")),
            Run(NVME, 0, &[Says("+[all]\\n+BOOT_ORDER=0xf416\\n+PCIE_PROBE=1\\n")]),
            Run(STATUS, 0, &[Is("/eeprom/pending_boot_order", "\"0xf416\"")]),
            Run(UNDO, 0, &[AsAtStart]),
        ],
    },
    // No NVMe in the order.
    Case {
        id: "eep-35",
        on: ON,
        steps: &[
            P(Bootconf("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\nBOOT_ORDER=0xf41\n")),
            Run(STATUS, 0, &[Found("order-without-nvme"), Says("SD card -> USB -> restart")]),
            Run(NVME, 0, &[Extends(FIRST)]),
        ],
    },
];
