"""The bootloader's EEPROM: an image, and the configuration in it.

Layout after `rpi-eeprom-config` of raspberrypi/rpi-eeprom: sections of magic,
length and payload, big-endian, each at a multiple of eight.
"""

import struct

SIZE = 2 << 20
BOOTCODE, FILE, FIRMWARE = 0x55AAF00F, 0x55AAF11F, 0x55AAF44F
NAME = b"bootconf.txt"

# 2025-05-08 14:13:17 UTC, a published version.
BUILT = 1746713597
DEFAULT = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n"


def image(config=DEFAULT, built=BUILT):
    """A whole image, and where its last section, the configuration, begins."""
    marks = f"BUILD_TIMESTAMP={built}\0MFG_VER: 1\0VERSION:0f1e2d3c\0".encode()
    out = _section(BOOTCODE, marks.ljust(0x10000 - 8, b"\0"))
    out += _section(FIRMWARE, b"\x5a" * 4088)
    out += _section(FILE, b"bootconf.sig".ljust(16, b"\0"))
    offset = len(out)
    out += _section(FILE, NAME.ljust(16, b"\0") + config)
    return out.ljust(SIZE, b"\xff"), offset


def _section(magic, payload):
    out = struct.pack(">II", magic, len(payload)) + payload
    return out + b"\xff" * (-len(out) % 8)


def config(image):
    """The configuration in an image; None when it is no whole image."""
    if len(image) != SIZE:
        return None
    at = 0
    while at + 8 <= SIZE:
        magic, length = struct.unpack_from(">II", image, at)
        if magic in (0, 0xFFFFFFFF):
            return None
        if magic & 0xFFFFF00F != BOOTCODE or at + 8 + length > SIZE:
            return None
        if magic == FILE and image[at + 8 : at + 20] == NAME:
            return image[at + 24 : at + 8 + length]
        at = (at + 8 + length + 7) & ~7
    return None
