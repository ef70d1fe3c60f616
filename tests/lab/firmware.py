"""What the firmware of a Raspberry Pi 5 does before the kernel starts.

An independent reading of Raspberry Pi's documentation, not the product's: a
rule that one of the two has wrong shows as a difference. Where the
documentation leaves a rule open, the reading that sets less is taken.
"""

import dataclasses
import re

import eeprom

TYPES = {"pi5": 0x17, "cm5": 0x18, "pi500": 0x19, "cm5l": 0x1A}
OTHER_MODELS = "pi1 pi2 pi3 pi3+ pi4 pi400 cm4 cm4s pi0 pi0w pi02 cm0".split()
TRUE, FALSE = ("y", "yes", "on", "true", "enable", "1"), ("n", "no", "off", "false", "0")
WIDTH = 98  # characters of a line that count
DEFAULT_ORDER = 0xF41
MEDIA = {0x1: "sd", 0x6: "nvme"}


@dataclasses.dataclass
class Board:
    """What filters ask about."""

    type: int = 0x17
    serial: int = 0x10000000ABCDEF01


@dataclasses.dataclass
class Settings:
    """What config.txt comes to."""

    port: str = "disabled"  # the `status` of the connector's node
    generation: int = 2
    os_prefix: str = ""


@dataclasses.dataclass
class Start:
    """What the firmware decided for one start."""

    medium: str
    tryboot: bool
    config_name: str
    settings: Settings
    order: int
    probe: bool
    notes: list


class Filters:
    """The conditions above a line: one of each kind, all of which must hold."""

    def __init__(self, board, tryboot):
        self.board, self.tryboot = board, tryboot
        self.held = {}

    def see(self, text):
        if text == "all":
            self.held = {}
        elif text == "none":
            self.held["none"] = False
        elif text == "pi5":
            self.held["model"] = self.board.type in TYPES.values()
        elif text in TYPES:
            self.held["model"] = self.board.type == TYPES[text]
        elif text in OTHER_MODELS:
            self.held["model"] = False
        elif text.startswith("board-type="):
            self.held["type"] = number(text[11:]) == self.board.type
        elif text == "tryboot":
            self.held["tryboot"] = self.tryboot
        elif re.fullmatch(r"0x[0-9a-fA-F]+", text):
            self.held["serial"] = int(text, 16) == self.board.serial
        elif re.match(r"(EDID=|gpio\d+=|HDMI:)", text):
            self.held[text.split("=")[0]] = False  # nothing is connected here
        # Any other text is ignored, and what was above it goes on.

    def hold(self):
        return all(self.held.values())


def number(text):
    """As C's strtol reads a whole text; None when it is no number."""
    match = re.fullmatch(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)", text)
    if not match:
        return None
    digits = match.group(2)
    base = 16 if digits[:2] in ("0x", "0X") else 8 if len(digits) > 1 and digits[0] == "0" else 10
    return int(match.group(1) + digits, base)


def settings(read, name, board, tryboot=False, appended=b""):
    """Reads a config.txt. `read` gives the bytes of a file of the partition, or
    None; `appended` is the [config.txt] section of the EEPROM's configuration."""
    found = Settings()
    filters = Filters(board, tryboot)
    lost = [False]  # parameters of an overlay that is not there go with it

    def lines(data, depth):
        for raw in data.split(b"\n"):
            line = raw.decode("latin-1").lstrip(" \t")[:WIDTH]
            section = re.match(r"\[([^\]]*)\]", line)
            if section:
                filters.see(section.group(1))
            elif not line.startswith("#") and filters.hold():
                if line.startswith("include ") and depth < 8:
                    lines(read(line[8:].strip()) or b"", depth + 1)
                else:
                    apply(line)

    def apply(line):
        key, equals, value = line.partition("=")
        if not equals:
            return
        if key in ("dtoverlay", "device_tree_overlay"):
            overlay = value.split(",")[0]
            lost[0] = bool(overlay) and read(f"overlays/{overlay}.dtbo") is None
        elif key in ("dtparam", "device_tree_param") and not lost[0]:
            for parameter in value.split(","):
                set_parameter(found, parameter)
        elif key == "os_prefix":
            found.os_prefix = value

    lines(read(name) or b"", 0)
    lines(appended, 0)
    return found


def set_parameter(found, text):
    name, equals, value = text.partition("=")
    if name in ("pciex1", "nvme"):
        if not equals or value in TRUE:
            found.port = "okay"
        elif value in FALSE:
            found.port = "disabled"
        else:
            found.port = value
    elif name == "pciex1_gen":
        words = {**dict.fromkeys(("y", "yes", "on", "true", "down"), 1), **dict.fromkeys(("n", "no", "off", "false"), 0)}
        words["up"] = 2
        generation = words.get(value, number(value)) if equals else 1
        if equals and value == "":
            generation = 0
        if generation is not None:
            found.generation = generation


def bootloader(text, board):
    """(BOOT_ORDER, PCIE_PROBE, the part after [config.txt]) of a configuration."""
    order, probe = DEFAULT_ORDER, False
    filters = Filters(board, False)
    own, _, rest = re.sub(rb"(?m)^\[config\.txt\]\s*$", b"\x00", text).partition(b"\x00")
    for raw in own.split(b"\n"):
        line = raw.decode("latin-1").lstrip(" \t")
        section = re.match(r"\[([^\]]*)\]", line)
        if section:
            filters.see(section.group(1))
        elif filters.hold():
            key, _, value = line.partition("=")
            if key == "BOOT_ORDER":
                order = number(value) if number(value) is not None else order
            elif key == "PCIE_PROBE":
                probe = number(value) == 1
    return order, probe, rest


def modes(order):
    """The nibbles of a boot order as they are tried, up to stop or restart."""
    while order:
        mode = order & 0xF
        order >>= 4
        if mode in (0xE, 0xF):
            return
        yield mode


def update(disk, notes):
    """Carries out an EEPROM update that waits on `disk`: the new configuration,
    or None. The boot ROM loads recovery.bin from an SD card only, and renames it."""
    if disk.get("recovery.bin") is None:
        return None
    image = disk.get("pieeprom.upd") or disk.get("pieeprom.bin")
    new = eeprom.config(image) if image else None
    disk.put("recovery.000", disk.get("recovery.bin"))
    disk.remove("recovery.bin")
    if new is None:
        notes.append("recovery.bin found no whole image and flashed nothing")
        return None
    disk.remove("pieeprom.upd")
    disk.remove("pieeprom.sig")
    notes.append("the EEPROM was updated")
    return new


def start(media, configuration, board, hat_plus=False, tryboot=False):
    """One start. `media`: "sd" and "nvme" to a Disk, for those that can be read.
    None when nothing starts."""
    notes = []
    order, probe, appended = bootloader(configuration, board)
    for mode in modes(order):
        medium = MEDIA.get(mode)
        disk = media.get(medium)
        if disk is None:
            continue
        if medium == "nvme" and not (hat_plus or probe):
            notes.append("NVMe was not probed: no HAT+, PCIE_PROBE is not 1")
            continue
        name = "tryboot.txt" if tryboot else "config.txt"
        if disk.get(name) is None:
            if tryboot:
                notes.append("tryboot without tryboot.txt")
            continue
        found = settings(disk.get, name, board, tryboot, appended)
        if found.port == "disabled" and (hat_plus or medium == "nvme"):
            found.port = "okay"
        return Start(medium, tryboot, name, found, order, probe, notes)
    return None
