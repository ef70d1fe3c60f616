"""Disk images as a Pi's: an MBR, a vfat boot partition, an ext4 system.

Files on the vfat are read and written with mtools, so nothing is mounted here.
"""

import pathlib
import struct
import subprocess

from places import LabError
from prepare import run

SECTOR = 512
BOOT_START, BOOT_SECTORS = 2048, 64 << 11  # 1 MiB in, 64 MiB
ROOT_START = BOOT_START + BOOT_SECTORS


class Disk:
    """An image with the two partitions, or one to be made."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def make(self, size, disk_id, boot, system=None):
        """Partitions and fills it. `boot`: name to bytes; `system`: a folder for
        the second partition, None for an empty file system. `disk_id`: 32 bits."""
        with open(self.path, "wb") as file:
            file.truncate(size)
            sectors = size // SECTOR - ROOT_START
            file.write(bytes(440) + struct.pack("<IH", disk_id, 0))
            for kind, start, count in ((0x0C, BOOT_START, BOOT_SECTORS), (0x83, ROOT_START, sectors)):
                file.write(struct.pack("<B3sB3sII", 0, b"\xfe\xff\xff", kind, b"\xfe\xff\xff", start, count))
            file.seek(510)
            file.write(b"\x55\xaa")
        run(
            "mkfs.vfat", "-n", "bootfs", "-F", "32", "-s", "1", "-i", f"{disk_id:08x}",
            f"--offset={BOOT_START}", self.path, str(BOOT_SECTORS // 2),
        )  # fmt: skip
        for name, data in boot.items():
            self.put(name, data)
        options = ["-d", system] if system else []
        run(
            "mkfs.ext4", "-q", "-F", "-O", "^resize_inode", "-E", f"offset={ROOT_START * SECTOR}",
            *options, self.path, f"{sectors // 2}k",
        )  # fmt: skip

    def _mtools(self, program, *arguments, **more):
        where = f"{self.path}@@{BOOT_START * SECTOR}"
        # With a terminal it would ask what to do about a name that is there.
        more = more or {"stdin": subprocess.DEVNULL}
        return subprocess.run([program, "-i", where, *arguments], capture_output=True, **more)

    def put(self, name, data):
        for folder in list(pathlib.PurePosixPath(name).parents)[-2::-1]:
            self._mtools("mmd", "-D", "s", f"::{folder}")
        done = self._mtools("mcopy", "-o", "-", f"::{name}", input=data)
        if done.returncode:
            raise LabError(f"{name} could not be put on {self.path}: {done.stderr.decode().strip()}")

    def get(self, name):
        """The bytes of a file on the boot partition; None when it is not there."""
        done = self._mtools("mtype", f"::{name}")
        return done.stdout if done.returncode == 0 else None

    def remove(self, name):
        self._mtools("mdel", f"::{name}")

    def names(self):
        """What is in the root of the boot partition."""
        shown = self._mtools("mdir", "-b", "::").stdout.decode(errors="replace")
        return sorted(line.removeprefix("::/") for line in shown.split("\n") if line)

    def directory(self):
        """The listing of the boot partition's root, with the room that is left."""
        return self._mtools("mdir", "::").stdout.decode(errors="replace")
