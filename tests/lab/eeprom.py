"""The bootloader's EEPROM: an image, and the configuration in it.

The image is that of the recorded machines. It is read here after the layout in
`rpi-eeprom-config` of raspberrypi/rpi-eeprom: sections of magic, length and
payload, big-endian, each at a multiple of eight.
"""

import struct
import sys

from places import PROJECT

sys.path.append(str(PROJECT / "fixtures"))
import eeprom_image  # noqa: E402

NAME = b"bootconf.txt"

# 2025-05-08 14:13:17 UTC, a published version.
BUILT = 1746713597
DEFAULT = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n"


def image(config=DEFAULT, built=BUILT):
    """A whole image, and where its last section, the configuration, begins."""
    made = eeprom_image.image(built, config)
    return made, made.rindex(NAME) - 8


def config(image):
    """The configuration in an image; None when it is no whole image."""
    if len(image) != eeprom_image.SIZE:
        return None
    at = 0
    while at + 8 <= len(image):
        magic, length = struct.unpack_from(">II", image, at)
        if magic in (0, 0xFFFFFFFF):
            return None
        if magic & 0xFFFFF00F != eeprom_image.BOOTCODE or at + 8 + length > len(image):
            return None
        if magic == eeprom_image.FILE and image[at + 8 : at + 20] == NAME:
            return image[at + 24 : at + 8 + length]
        at = (at + 8 + length + 7) & ~7
    return None
