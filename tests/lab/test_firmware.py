"""Rows of the documentation's rules, as a Pi 5 without a HAT reads them."""

import unittest

import firmware

BOTH = "dtparam=pciex1\ndtparam=pciex1_gen=3\n"
ON, GEN3 = "dtparam=pciex1\n", "dtparam=pciex1_gen=3\n"
OVERLAYS = ("vc4-kms-v3d", "dwc2", "nospi10")

ROWS = [
    ("", "disabled", 2),
    (ON, "okay", 2),
    ("dtparam=nvme\n", "okay", 2),
    ("dtparam=pciex1=off\n", "disabled", 2),
    (GEN3, "disabled", 3),
    (BOTH, "okay", 3),
    ("dtparam=pciex1,pciex1_gen=3\n", "okay", 3),
    (ON + "dtparam=pciex1_gen=2\n" + GEN3, "okay", 3),
    (BOTH + "dtparam=pciex1_gen=2\n", "okay", 2),
    (BOTH + "dtparam=nvme=off\n", "disabled", 3),
    ("[cm4]\n" + BOTH, "disabled", 2),
    ("[pi5]\n" + BOTH, "okay", 3),
    ("[none]\n" + BOTH, "disabled", 2),
    ("[pi4]\n[pi5]\n" + BOTH, "okay", 3),
    ("[board-type=0x17]\n" + BOTH, "okay", 3),
    ("[pi6]\n" + BOTH, "okay", 3),
    ("#" + BOTH.replace("\n", "\n#"), "disabled", 2),
    ("dtoverlay=vc4-kms-v3d\n" + BOTH, "okay", 3),
    ("dtoverlay=missing\n" + BOTH, "disabled", 2),
    ("dtoverlay=missing\ndtoverlay=\n" + BOTH, "okay", 3),
    (ON + "dtparam=pciex1_gen\n", "okay", 1),
    ("dtparam=pciex1=ON\n" + GEN3, "ON", 3),
    (ON + "dtparam=pciex1_gen=0x3\n", "okay", 3),
    (ON + "dtparam=pciex1_gen3\n", "okay", 2),
    ("device_tree_param=pciex1_gen=3\n", "disabled", 3),
    ("[tryboot]\n" + BOTH, "disabled", 2),
    ("  [pi5]\n  dtparam=pciex1\n", "okay", 2),
    ("include extra.txt\n", "okay", 3),
    ("[0x12345678]\n" + BOTH, "disabled", 2),
    ("#" + "x" * 98 + GEN3 + ON, "okay", 2),
]


def read(text):
    files = {"config.txt": text.encode(), "extra.txt": BOTH.encode()}
    files |= {f"overlays/{name}.dtbo": b"" for name in OVERLAYS}
    return files.get


class Config(unittest.TestCase):
    def test_rows(self):
        for text, port, generation in ROWS:
            with self.subTest(text=text):
                found = firmware.settings(read(text), "config.txt", firmware.Board())
                self.assertEqual((found.port, found.generation), (port, generation))

    def test_the_part_of_the_eeprom_comes_last(self):
        found = firmware.settings(read(BOTH), "config.txt", firmware.Board(), appended=b"dtparam=pciex1_gen=1\n")
        self.assertEqual((found.port, found.generation), ("okay", 1))


class Bootloader(unittest.TestCase):
    def test_the_last_line_that_holds_wins(self):
        text = b"[all]\nBOOT_ORDER=0xf461\n[cm4]\nBOOT_ORDER=0xf1\n[all]\nBOOT_ORDER=0xf416\nPCIE_PROBE=1\n"
        self.assertEqual(firmware.bootloader(text, firmware.Board()), (0xF416, True, b""))
        self.assertEqual(firmware.bootloader(b"A=1\n", firmware.Board()), (0xF41, False, b""))
        rest = firmware.bootloader(b"BOOT_ORDER=0x6\n[config.txt]\ndtparam=pciex1\n", firmware.Board())
        self.assertEqual(rest, (0x6, False, b"\ndtparam=pciex1\n"))

    def test_modes_in_the_order_tried(self):
        self.assertEqual(list(firmware.modes(0xF461)), [1, 6, 4])
        self.assertEqual(list(firmware.modes(0xE6)), [6])


class Starting(unittest.TestCase):
    class Partition:
        def __init__(self, **files):
            self.files = {name.replace("_", "."): data for name, data in files.items()}

        def get(self, name):
            return self.files.get(name)

    def test_what_can_be_read_first(self):
        sd, nvme = self.Partition(config_txt=b"a"), self.Partition(config_txt=b"b")
        order = b"BOOT_ORDER=0xf416\n"
        self.assertEqual(firmware.start({"sd": sd, "nvme": nvme}, order, firmware.Board()).medium, "sd")
        probed = firmware.start({"sd": sd, "nvme": nvme}, order + b"PCIE_PROBE=1\n", firmware.Board())
        self.assertEqual((probed.medium, probed.settings.port), ("nvme", "okay"))
        self.assertIsNone(firmware.start({"sd": self.Partition()}, order, firmware.Board()))

    def test_tryboot_reads_its_own_file(self):
        sd = self.Partition(config_txt=b"", tryboot_txt=b"[tryboot]\ndtparam=pciex1\n")
        started = firmware.start({"sd": sd}, b"", firmware.Board(), tryboot=True)
        self.assertEqual((started.config_name, started.settings.port), ("tryboot.txt", "okay"))


if __name__ == "__main__":
    unittest.main()
