//! config.txt: what others did to it, and what is added to it.

use super::*;

const ON: &str = "pi5-trixie-sd";
const GEN3_LINES: &str = "{ours}[all]\ndtparam=pciex1\ndtparam=pciex1_gen=3\n";
/// After an overlay that holds, its scope is closed first.
const CLOSED_GEN3_LINES: &str = "{ours}[all]\ndtoverlay=\ndtparam=pciex1\ndtparam=pciex1_gen=3\n";

pub(super) const CASES: &[Case] = &[
    // No line end after the last byte: never fused, and the undo is exact.
    Case {
        id: "cfg-01",
        on: ON,
        steps: &[
            P(Config("[all]\ndtoverlay=vc4-kms-v3d\n\n[pi5]\ndtoverlay=nospi10\n#dtoverlay=disable-bt")),
            Run(
                GEN3,
                0,
                &[Appends(
                    "\n# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back\n\
                 [all]\ndtoverlay=\ndtparam=pciex1\ndtparam=pciex1_gen=3\n",
                )],
            ),
            Run(GEN3, 0, &[Is("/changed", "false"), Untouched]),
            Run(UNDO, 0, &[AsAtStart]),
        ],
    },
    // The file ends below another board's filter.
    Case {
        id: "cfg-02",
        on: ON,
        steps: &[
            P(Config(
                "dtparam=audio=on\narm_boost=1\n\n[cm4]\notg_mode=1\n\n[cm5]\ndtoverlay=dwc2,dr_mode=host\n",
            )),
            Run(GEN3, 0, &[Appends(GEN3_LINES)]),
        ],
    },
    Case {
        id: "cfg-02",
        on: ON,
        steps: &[
            P(Config(
                "arm_boost=1\n[cm5]\ndtoverlay=dwc2,dr_mode=host\ndtparam=pciex1\ndtparam=pciex1_gen=3\n",
            )),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/port/value", "\"off\""),
                    Is("/boot/generation/value", "2"),
                    Found("config-wrong-section"),
                    Says("config.txt line 4 does nothing on this board"),
                    Says("config.txt line 5 does nothing on this board"),
                ],
            ),
        ],
    },
    // Two settings fused into one line are pointed at, not repaired.
    Case {
        id: "cfg-03",
        on: ON,
        steps: &[
            P(Config("arm_boost=1\ndtparam=pciex1dtparam=pciex1_gen=3\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/port/value", "\"off\""),
                    Found("config-fused"),
                    Says("config.txt line 2 looks like two lines"),
                ],
            ),
            Run(GEN3, 0, &[Appends(GEN3_LINES)]),
        ],
    },
    Case {
        id: "cfg-03",
        on: ON,
        steps: &[P(Config("dtoverlay=dwc2dtoverlay=hyperpixel\n")), Run(STATUS, 0, &[Found("config-fused")])],
    },
    // Boards are told apart by the type bits of the revision, and the lines
    // stand below [all], not below a model filter.
    Case { id: "cfg-05", on: "pi4", steps: &[Run(GEN3, 4, &[Found("board-not-supported"), Untouched])] },
    Case {
        id: "cfg-05",
        on: ON,
        steps: &[
            P(Config("[pi5]\nforce_eeprom_read=0\n")),
            P(Number("{tree}/system/linux,revision", 0x00d0_4190)),
            Run(STATUS, 0, &[Is("/board/supported", "true"), Is("/board/kind", "\"pi500\"")]),
            P(Number("{tree}/system/linux,revision", 0x00d0_41a0)),
            Run(STATUS, 0, &[Is("/board/supported", "true"), Is("/board/kind", "\"cm5-lite\"")]),
            P(Number("{tree}/system/linux,revision", 0x00d0_4170)),
            Run(GEN3, 0, &[Appends(GEN3_LINES)]),
        ],
    },
    // The placeholder at the old place is never the file.
    Case {
        id: "cfg-06",
        on: ON,
        steps: &[
            P(Swap(
                "/proc/self/mountinfo",
                "32 1 179:1 / /boot/firmware rw,relatime shared:3 - vfat /dev/mmcblk0p1 rw\n",
                "",
            )),
            P(Gone("/boot/firmware")),
            Run(STATUS, 0, &[Found("boot-not-mounted")]),
            Run(GEN3, 5, &[Untouched]),
        ],
    },
    // A link at the old place stays a link; the real file is written.
    Case {
        id: "cfg-07",
        on: ON,
        steps: &[
            P(Link("/boot/config.txt", "firmware/config.txt")),
            P(Config("arm_64bit=1\n")),
            Run(GEN3, 0, &[Appends(GEN3_LINES), Is("/plan/steps/0/path", "\"/boot/firmware/config.txt\"")]),
            Run(UNDO, 0, &[AsAtStart]),
        ],
    },
    // A read-only appliance: said with the device, nothing changed.
    Case {
        id: "cfg-08",
        on: "pi5-readonly",
        steps: &[Run(GEN3, 5, &[Found("read-only-boot"), Says("/dev/mmcblk0p1"), Untouched])],
    },
    // A line below another board's filter does not count, whoever put it there.
    Case {
        id: "cfg-10",
        on: ON,
        steps: &[
            P(Config("arm_boost=1\n\n[cm4]\ndtparam=pciex1_gen=3\notg_mode=1\n\n[all]\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/generation/value", "2"),
                    Found("config-wrong-section"),
                    Says("config.txt line 4 does nothing on this board"),
                ],
            ),
            Run(GEN3, 0, &[Appends(GEN3_LINES)]),
        ],
    },
    Case {
        id: "cfg-10",
        on: ON,
        steps: &[
            P(Config("arm_boost=1\n\n[cm4]\n#dtparam=pciex1_gen=3\notg_mode=1\n\n[all]\n")),
            Run(GEN3, 0, &[Appends(GEN3_LINES)]),
        ],
    },
    // A full boot partition: refused before a byte is written.
    Case {
        id: "cfg-12",
        on: ON,
        steps: &[
            P(Swap("/replay.toml", "free_bytes = 412000000", "free_bytes = 0")),
            Run(GEN3, 5, &[Found("no-space"), Untouched]),
        ],
    },
    // The empty dtoverlay= that closes a scope means something.
    Case {
        id: "cfg-14",
        on: ON,
        steps: &[
            P(Config(
                "dtoverlay=spi1-3cs\ndtparam=cs0_pin=18\ndtoverlay=\ndtparam=pciex1\ndtparam=pciex1_gen=3\n",
            )),
            Run(STATUS, 0, &[Is("/boot/port/value", "\"on\""), Is("/boot/generation/value", "3")]),
            Run(GEN3, 0, &[Is("/changed", "false"), Untouched]),
        ],
    },
    Case {
        id: "cfg-14",
        on: ON,
        steps: &[
            P(Config("dtoverlay=spi1-3cs\ndtparam=cs0_pin=18\ndtparam=pciex1\ndtparam=pciex1_gen=3\n")),
            Run(STATUS, 0, &[Is("/boot/port/value", "\"uncertain\""), Found("config-missing-overlay")]),
            Run(GEN3, 0, &[Appends(CLOSED_GEN3_LINES)]),
        ],
    },
    // Lines are added at the end; none is moved.
    Case {
        id: "cfg-15",
        on: ON,
        steps: &[
            P(Config(
                "[all]\n# base parameters first, so the image says\ndtparam=audio=on\ndtparam=spi=on\n\n\
                 [cm4]\ndtoverlay=dwc2,dr_mode=host\n\n[all]\ndtoverlay=vc4-kms-v3d,cma-128\n",
            )),
            Run(GEN3, 0, &[Appends(CLOSED_GEN3_LINES)]),
            P(Reboot),
            Run(VERIFY, 1, &[Is("/met", "\"no\"")]),
        ],
    },
    // A value in an included file counts, and is named with its line.
    Case {
        id: "cfg-17",
        on: ON,
        steps: &[
            P(Config("arm_64bit=1\ninclude usercfg.txt\ninclude distrocfg.txt\n")),
            P(Text("/boot/firmware/usercfg.txt", "dtparam=pciex1\ndtparam=pciex1_gen=3\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/generation/lines/0/file", "\"usercfg.txt\""),
                    Is("/boot/generation/lines/0/line", "2"),
                    Is("/boot/port/value", "\"on\""),
                ],
            ),
            Run(GEN3, 0, &[Is("/changed", "false"), Untouched]),
        ],
    },
    // A comment that is long enough for its tail to become a setting.
    Case {
        id: "cfg-18",
        on: ON,
        steps: &[
            P(Config(
                "# a comment that is exactly so long that a setting begins at its end, \
                 in column one hundred .......force_turbo=1\n",
            )),
            Run(STATUS, 0, &[Found("config-long-line"), Says("force_turbo")]),
        ],
    },
    // Garbage after a power cut: stop.
    Case {
        id: "cfg-20",
        on: ON,
        steps: &[
            P(Config("arm_freq=900\ngpu_mem=128\n\0\0\0\0\0\0\0\0")),
            Run(STATUS, 0, &[Found("damaged-config")]),
            Run(GEN3, 5, &[Found("damaged-config"), Says("backup"), Untouched]),
        ],
    },
    // A placeholder in the place of the file: stop.
    Case {
        id: "cfg-22",
        on: ON,
        steps: &[
            P(Config("The file moved into a RAM disk.\nNew place: /elsewhere/config.txt\n")),
            Run(GEN3, 5, &[Untouched]),
        ],
    },
    // An edit that never got into the file.
    Case {
        id: "cfg-23",
        on: ON,
        steps: &[
            P(Text("/boot/firmware/config.txt.save", "dtoverlay=uart2\n")),
            Run(STATUS, 0, &[Found("leftover-files"), Says("config.txt.save")]),
            Run(GEN3, 0, &[Is("/changed", "true")]),
            P(Config("arm_64bit=1\n")),
            P(Reboot),
            Run(VERIFY, 1, &[Is("/met", "\"no\""), Found("config-not-as-written"), Says("config.txt.save")]),
        ],
    },
    // Kernel arguments and a misspelt name.
    Case {
        id: "cfg-26",
        on: ON,
        steps: &[
            P(Config("[all]\ndtparam=pcie1_gen=3\ndtparam=pcie_aspm=off\ndtparam=pcie_port_pm=off\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/generation/value", "2"),
                    Found("config-misspelt"),
                    Says("pciex1_gen"),
                    Found("config-wrong-file"),
                    Says("config.txt line 3 does not belong"),
                    Says("config.txt line 4 does not belong"),
                ],
            ),
        ],
    },
    // A vendor's script: the alias counts, the line is named, Gen 2 is a word.
    Case {
        id: "cfg-28",
        on: ON,
        steps: &[
            P(Config(
                "[all]\ndtparam=nvme\ndtparam=pciex1_gen=3\ndtparam=usb_max_current_enable=1\n\
                 dtoverlay=dwc2,dr_mode=host\n",
            )),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/port/value", "\"on\""),
                    Is("/boot/port/lines/0/line", "2"),
                    Is("/boot/generation/lines/0/line", "3"),
                ],
            ),
            Run(GEN3, 0, &[Is("/changed", "false"), Untouched]),
            Run(GEN2, 0, &[Appends("{ours}[all]\ndtoverlay=\ndtparam=pciex1_gen=2\n")]),
        ],
    },
    // Gen 3 is 8 GT/s, however the kernel writes it.
    Case {
        id: "cfg-30",
        on: "pi5-trixie-sd-gen3",
        steps: &[
            Run(STATUS, 0, &[Is("/drives/0/path/1/speed_gtps", "8.0")]),
            P(Text("{drive}/current_link_speed", "8 GT/s\n")),
            P(Text("{port}/current_link_speed", "8GT/s\n")),
            Run(STATUS, 0, &[Is("/drives/0/link/generation", "3")]),
            Run(VERIFY, 0, &[Is("/met", "\"yes\"")]),
        ],
    },
    // Everything is set already: no write, no copy, no reboot.
    Case {
        id: "cfg-32",
        on: "pi5-trixie-sd-gen3",
        steps: &[
            P(Config(
                "[cm4]\notg_mode=1\n[cm5]\ndtoverlay=dwc2,dr_mode=host\n[all]\navoid_safe_mode=1\n\
                 dtparam=pciex1\ndtparam=pciex1_gen=3\ndtparam=arm_freq=2800\ndtparam=gpu_freq=1000\n",
            )),
            Run(GEN3, 0, &[Is("/changed", "false"), Is("/reboot_required", "false"), Untouched]),
        ],
    },
    // Text after the value: neither valid nor not, until a clean line follows.
    Case {
        id: "cfg-33",
        on: ON,
        steps: &[
            P(Config("dtparam=pciex1\ndtparam=pciex1_gen=3 # if you like it fast\n")),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/generation/value", "\"uncertain\""),
                    Found("config-trailing-text"),
                    Says("config.txt line 2 has text after the value"),
                ],
            ),
            Run(GEN3, 0, &[Appends("{ours}[all]\ndtparam=pciex1_gen=3\n")]),
            Run(STATUS, 0, &[Is("/boot/generation/value", "3")]),
        ],
    },
    Case {
        id: "cfg-33",
        on: "pi5-trixie-sd-gen3",
        steps: &[
            P(Config("dtparam=pciex1\ndtparam=pciex1_gen=3   # Gen 3 (~900 MB/s), works here\n")),
            Run(STATUS, 0, &[Found("config-trailing-text"), Is("/drives/0/link/generation", "3")]),
            Run(VERIFY, 0, &[Is("/met", "\"yes\"")]),
        ],
    },
    // Sets of boot files below os_prefix; a file that ends in [tryboot].
    Case { id: "cfg-35", on: "pi5-ubuntu-ab", steps: &[Run(GEN3, 5, &[Found("piboot-try"), Untouched])] },
    Case {
        id: "cfg-35",
        on: ON,
        steps: &[
            P(Config(
                "[all]\nos_prefix=current/\ncmdline=cmdline.txt\ndtparam=pciex1\n\n[tryboot]\nos_prefix=new/\n",
            )),
            P(Text("/boot/firmware/current/kernel_2712.img", "kernel\n")),
            P(Text("/boot/firmware/current/bcm2712-rpi-5-b.dtb", "tree\n")),
            P(Text("/boot/firmware/current/cmdline.txt", "root=PARTUUID=00000000-09 rootwait\n")),
            Run(STATUS, 0, &[Found("root-unresolved"), Says("/boot/firmware/current/cmdline.txt")]),
            Run(GEN3, 5, &[Found("root-unresolved"), Untouched]),
        ],
    },
    Case {
        id: "cfg-35",
        on: ON,
        steps: &[
            P(Config("[all]\nkernel=kernel_2712.img\n\n[tryboot]\ndtparam=pciex1\n")),
            Run(GEN3, 0, &[Appends(GEN3_LINES)]),
        ],
    },
    // UEFI with ACPI: config.txt does not decide.
    Case {
        id: "cfg-37",
        on: "pi5-uefi",
        steps: &[
            Run(STATUS, 0, &[Found("uefi-acpi"), Says("UEFI menu")]),
            Run(GEN3, 5, &[Found("uefi-acpi"), Untouched]),
        ],
    },
    // What is said of a change comes from the file that was written.
    Case {
        id: "cfg-38",
        on: ON,
        steps: &[
            P(Config("[all]\ndtparam=pciex1\ndtparam=pciex1_gen=3 \n")),
            Run(GEN2, 0, &[Appends("{ours}[all]\ndtparam=pciex1_gen=2\n")]),
            Run(STATUS, 0, &[Is("/boot/generation/value", "2"), Is("/boot/generation/lines/0/line", "6")]),
            Run(UNDO, 0, &[AsAtStart]),
            Run(STATUS, 0, &[Is("/boot/generation/value", "\"uncertain\"")]),
        ],
    },
    // A file without any filter is not broken.
    Case {
        id: "cfg-40",
        on: ON,
        steps: &[
            P(Config("dtparam=pciex1\nboot_ramdisk=0\n")),
            Run(STATUS, 0, &[Is("/boot/port/value", "\"on\""), Is("/findings", "[]")]),
            Run(GEN3, 0, &[Appends("{ours}[all]\ndtparam=pciex1_gen=3\n")]),
        ],
    },
    // Three values: the last one holds, the others are named.
    Case {
        id: "cfg-42",
        on: ON,
        steps: &[
            P(Config(
                "dtparam=pciex1\ndtparam=pciex1_gen=2\n[all]\ndtparam=pciex1_gen=3\ndtparam=pciex1_gen=1\n",
            )),
            Run(
                STATUS,
                0,
                &[
                    Is("/boot/generation/value", "1"),
                    Is("/boot/generation/lines/0/line", "5"),
                    Says("config.txt line 2 is overridden"),
                    Says("config.txt line 4 is overridden"),
                ],
            ),
            Run(GEN3, 0, &[Found("gen1-deliberate"), Appends("{ours}[all]\ndtparam=pciex1_gen=3\n")]),
        ],
    },
];
