"""A virtual Raspberry Pi 5: its hardware as a table, and starting it."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import typing

import devicetree
import eeprom
import firmware
from console import Console
from disk import Disk
from places import BINARY, BUSYBOX, HERE, KERNELS, LAB, LIBRARIES, RUNS, SHIM, LabError
from prepare import newer, run

# QEMU's words for the speed of a root port.
SPEEDS = {1: "2_5", 2: "5", 3: "8"}
DISK_IDS = {"sd": 0x1D2C3B4A, "nvme": 0x5E6F7A8B}

# A first config.txt, as Raspberry Pi OS ships it.
CONFIG = b"""# For more options and information see
# http://rptl.io/configtxt
# Some settings may impact device functionality. See link above for details

dtparam=audio=on
camera_auto_detect=1
display_auto_detect=1
auto_initramfs=1
dtoverlay=vc4-kms-v3d
max_framebuffers=2
disable_fw_kms_setup=1
arm_64bit=1
disable_overscan=1
arm_boost=1

[cm4]
otg_mode=1

[cm5]
dtoverlay=dwc2,dr_mode=host

[all]
"""

MEBIBYTE = 1 << 20


@dataclasses.dataclass
class Answer:
    """What a command said."""

    command: str
    status: int
    out: str
    err: str

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            raise LabError(f"{self}\nis no JSON") from None

    def __str__(self):
        return f"{self.command}: status {self.status}\n{self.out}{self.err}"


@dataclasses.dataclass
class Pi:
    """The hardware, and what is on it when it is made."""

    name: str
    model: str = "Raspberry Pi 5 Model B Rev 1.0"
    compatible: tuple = ("raspberrypi,5-model-b", "brcm,bcm2712")
    revision: int = 0xC04170
    serial: str = "10000000abcdef01"
    bootloader_built: int = eeprom.BUILT
    supply_milliampere: int = 5000
    hat: tuple | None = None  # vendor and product; a HAT+ turns the connector on
    # The drive: None, or what it is.
    drive: str | None = "EXAMPLE NV500 500GB"
    drive_serial: str = "LAB0001"
    celsius: int = 38
    speed: int = 4  # the most that the drive can do, as a PCIe generation
    logical_block: int = 512
    at_gen3: str = "as asked"  # or "lower", "dead"
    switch: int | None = None  # generation of a PCIe switch before it
    caps: tuple = (None, 20_000_000, 24_000_000, 40_000_000)  # bytes a second at generation 1, 2, 3
    # Disks: what the Pi has to start from, and whether the drive holds a copy.
    card: str = "sd"  # or "virtio", which is there without PCIe and has a write cache; or "none"
    drive_boots: bool = False
    kernel: str = "current"  # or "older"
    multipath: bool = False
    boot_options: str = "rw"  # of the boot partition's mount; "" leaves it unmounted
    config: bytes = CONFIG
    configuration: bytes = eeprom.DEFAULT
    boot_free: int | None = None  # bytes left on the boot partition

    _all: typing.ClassVar[list] = []  # those that may still run

    def __post_init__(self):
        Pi._all.append(self)
        self.folder = RUNS / self.name
        self.share = self.folder / "host"
        self.starts = 0
        self.last = None
        self._process = None

    # --- making it

    def make(self):
        """Fresh disks, a fresh EEPROM, the program on the system."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.share.mkdir(parents=True)
        self.eeprom = self.folder / "eeprom"
        self.eeprom.write_bytes(self.configuration)
        self.disks = {}
        system = _system(self)
        for medium in ("sd", "nvme"):
            path = self.folder / f"{medium}.img"
            has = self.card != "none" if medium == "sd" else self.drive is not None
            if not has:
                continue
            disk = Disk(path)
            if medium == "sd" or self.drive_boots:
                disk.make(256 * MEBIBYTE, DISK_IDS[medium], _boot_files(self, DISK_IDS[medium]), system)
                self.disks[medium] = disk
            if medium == "nvme":
                _grow(path, 2 << 30)
                if not self.drive_boots:
                    run("mkfs.ext4", "-q", "-F", path)
        if self.boot_free is not None:
            _fill(self.disks["sd"], self.boot_free)
        return self

    # --- the firmware's step

    def decide(self):
        """What the firmware does at this start, and how the drive trains."""
        board = firmware.Board(serial=int(self.serial, 16))
        notes = []
        new = firmware.update(self.disks["sd"], notes) if "sd" in self.disks else None
        if new is not None:
            self.eeprom.write_bytes(new)
        flashed = self.share / "flashed"
        if flashed.exists():
            self.eeprom.write_bytes(eeprom.config(flashed.read_bytes()))
            flashed.unlink()
        argument = self.share / "reboot-argument"
        words = argument.read_text().split() if argument.exists() else []
        argument.unlink(missing_ok=True)
        start = firmware.start(
            self.disks,
            self.eeprom.read_bytes(),
            board,
            hat_plus=self.hat is not None,
            tryboot="tryboot" in words,
        )
        if start is None:
            raise LabError(f"{self.name}: nothing to start from")
        start.notes[:0] = notes
        return start

    def trained(self, start):
        """The generation that the drive runs at; None when none is seen."""
        if self.drive is None or start.settings.port != "okay":
            return None
        asked = start.settings.generation if start.settings.generation in (1, 2, 3) else 3
        if asked == 3 and self.at_gen3 == "dead" and self.switch is None:
            return None
        if asked == 3 and self.at_gen3 == "lower":
            return 1
        return min(asked, self.speed, self.switch or 4)

    # --- running it

    def start(self, script=None, memory=1024, writes=None):
        """Starts it: the firmware's step, then the kernel. `script` runs in the
        guest as root, which then powers off; without one there is a console.
        `writes` is a file that gets a log of all writes to the card."""
        self.stop()
        self.starts += 1
        self.last = start = self.decide()
        inside = self.share / "script"
        inside.write_text(script) if script else inside.unlink(missing_ok=True)
        command, environment = self._qemu(start, memory, writes)
        (self.folder / f"start-{self.starts}.sh").write_text(_shell(command, environment))
        for name in ("console.sock", "monitor.sock"):
            (self.folder / name).unlink(missing_ok=True)
        errors = open(self.folder / f"qemu-{self.starts}.log", "wb")
        self._process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
        )
        console = Console(self.sockets() / "console.sock")
        console.wait("LAB: (up|no system)", 180)
        return console

    def ended(self, limit=120):
        """Waits until the guest has restarted or powered off: which of them."""
        try:
            self._process.wait(limit)
        except subprocess.TimeoutExpired:
            self.stop()
            raise LabError(f"{self.name}: still running after {limit} s") from None
        log = (self.folder / f"console-{self.starts}.log").read_text(errors="replace")
        return "restarted" if "reboot: Restarting" in log else "off"

    def stop(self):
        """Takes the power away."""
        if self.running():
            self._process.kill()
            self._process.wait()

    def running(self):
        return self._process is not None and self._process.poll() is None

    @classmethod
    def stop_all(cls):
        for pi in cls._all:
            pi.stop()
        cls._all.clear()

    def type(self, console, command, limit=300):
        """Types a command at the console: what it prints, and its exit status."""
        # What is typed comes back too, and must not look like the answer.
        console.line(f"{command}; echo STAT''US=$?")
        said = console.wait(r"STATUS=\d+", limit)
        text, _, status = said.rpartition("STATUS=")
        return text.lstrip("\n"), int(status)

    def script(self, text, limit=300, **more):
        """Starts it, runs a script in it, and gives what the script printed."""
        console = self.start(script=text, **more)
        said = console.wait(r"LAB: script ended with \d+", limit)
        self.ended()
        console.close()
        return said.rsplit("LAB: script ended", 1)[0].lstrip("\n")

    def ask(self, *commands, limit=300, **more):
        """Starts it, runs each command without a terminal, as over ssh, and powers
        it off: an Answer for each."""
        lines = []
        for number, command in enumerate(commands):
            out = f"/mnt/host/answer-{number}"
            lines.append(f"( {command} ) </dev/null >{out}.out 2>{out}.err; echo $? >{out}.status")
        self.script("\n".join(lines) + "\n", limit, **more)
        answers = []
        for number, command in enumerate(commands):
            read = [(self.share / f"answer-{number}.{end}").read_text() for end in ("status", "out", "err")]
            answers.append(Answer(command, int(read[0]), *read[1:]))
        return answers

    def monitor(self, command):
        """A line of QEMU's human monitor, such as `pcie_aer_inject_error nvme0 RCVR`."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(self.sockets() / "monitor.sock"))
            lines = connection.makefile("rw")
            lines.readline()
            for execute, arguments in (
                ("qmp_capabilities", {}),
                ("human-monitor-command", {"command-line": command}),
            ):
                lines.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
                lines.flush()
                while "event" in (answer := json.loads(lines.readline())):
                    pass
        if "error" in answer:
            raise LabError(f"{command}: {answer['error']}")
        return answer["return"]

    def link(self, generation):
        """Lets the link run at another speed from now on."""
        (self.folder / "control").write_text(f"nvme:{self.speed}x4:{generation}x1\n")
        time.sleep(0.6)

    def heat(self, celsius):
        """The drive's temperature from now on."""
        (self.folder / "control").write_text(f"celsius={celsius}\n")
        time.sleep(0.6)

    def sockets(self):
        # A path for a socket may hold 107 bytes only.
        short = pathlib.Path(tempfile.gettempdir()) / f"pi5-nvme-lab-{os.getuid()}"
        short.mkdir(mode=0o700, exist_ok=True)
        link = short / self.name
        link.unlink(missing_ok=True)
        link.symlink_to(self.folder)
        return link

    def _qemu(self, start, memory, writes):
        folder, kernel = self.folder, KERNELS / self.kernel
        sockets = self.sockets()
        machine = ["-M", "virt,gic-version=3", "-cpu", "cortex-a76", "-smp", "2", "-m", str(memory)]
        base = LAB / f"virt-{memory}.dtb"
        if not base.exists():
            dump = ["-M", f"virt,gic-version=3,dumpdtb={base}", *machine[2:], "-nodefaults", "-nographic"]
            run("qemu-system-aarch64", *dump)
        devicetree.write(folder / "pi.dtb", base, self, start, self.eeprom.read_bytes())
        generation = self.trained(start)
        disk = "/dev/nvme0n1" if start.medium == "nvme" else "/dev/vda" if self._plain(start) else "/dev/mmcblk0"
        part = disk if disk == "/dev/vda" else f"{disk}p"
        options = {
            "disk": f"{part}2",
            "boot": f"{part}1:{self.boot_options}" if self.boot_options else "",
            "data": "/dev/nvme0n1" if generation and not self.drive_boots else "",
            "drive": int(generation is not None),
            "multipath": int(self.multipath),
        }
        words = ["console=ttyAMA0", "panic=-1", "loglevel=4", *(f"lab.{k}={v}" for k, v in options.items() if v != "")]
        console = folder / f"console-{self.starts}.log"
        command = [
            "qemu-system-aarch64", *machine, "-accel", "tcg,thread=multi,tb-size=256",
            "-nodefaults", "-nographic", "-no-reboot",
            "-kernel", kernel / "vmlinuz", "-initrd", kernel / "initrd", "-dtb", folder / "pi.dtb",
            "-append", " ".join(words),
            "-device", f"loader,file={self.eeprom},addr={devicetree.CONFIGURATION_AT:#x},force-raw=on",
            "-chardev", f"socket,id=con,path={sockets}/console.sock,server=on,wait=off,logfile={console}",
            "-serial", "chardev:con", "-qmp", f"unix:{sockets}/monitor.sock,server=on,wait=off",
            "-fsdev", f"local,id=host,path={self.share},security_model=none",
            "-device", "virtio-9p-device,fsdev=host,mount_tag=host",
        ]  # fmt: skip
        if start.settings.port == "okay":
            most = start.settings.generation if start.settings.generation in SPEEDS else 3
            command += ["-device", f"pcie-root-port,id=root0,bus=pcie.0,addr=01.0,chassis=1,x-width=1,x-speed={SPEEDS[most]}"]
        if self.card != "none":
            command += self._card(start, writes)
        environment = {}
        if generation:
            drive, environment = self._drive(generation)
            command += drive
        return [str(part) for part in command], environment

    def _plain(self, start):
        """The card is a virtio disk: asked for so, or there is no PCIe for an SD host."""
        return self.card == "virtio" or start.settings.port != "okay"

    def _card(self, start, writes):
        image = f"driver=file,filename={self.folder}/sd.img,cache.direct=off"
        if writes:
            writes.unlink(missing_ok=True)
            writes.touch()
            command = [
                "-blockdev", f"node-name=cardfile,{image}",
                "-blockdev", f"node-name=logfile,driver=file,filename={writes}",
                "-blockdev", "node-name=cardlog,driver=blklogwrites,file=cardfile,log=logfile",
                "-blockdev", "node-name=card,driver=raw,file=cardlog",
            ]  # fmt: skip
        else:
            command = ["-blockdev", f"node-name=cardfile,{image}", "-blockdev", "node-name=card,driver=raw,file=cardfile"]
        if self._plain(start):
            return [*command, "-device", "virtio-blk-device,drive=card,write-cache=on"]
        return [*command, "-device", "sdhci-pci,bus=pcie.0,addr=04.0", "-device", "sd-card,drive=card"]

    def _drive(self, generation):
        cap = self.caps[generation]
        throttle = f",throttling.bps-total={cap}" if cap else ""
        image = self.folder / "nvme.img"
        command = ["-drive", f"if=none,id=nv,file={image},format=raw,cache=none,aio=native,discard=unmap{throttle}"]
        bus = "root0"
        can, links = f"{self.speed}x4", []
        if self.switch:
            command += ["-device", "x3130-upstream,id=up,bus=root0", "-device", "xio3130-downstream,id=down,bus=up,chassis=2,slot=1"]
            bus = "down"
            links = [f"{kind}:{self.switch}x1:{generation}x1" for kind in ("x3130-upstream", "xio3130-downstream")]
        namespace = "" if self.logical_block != 512 else ",drive=nv"
        command += ["-device", f"nvme,id=nvme0,bus={bus},serial={self.drive_serial}{namespace}"]
        if not namespace:
            size = self.logical_block
            command += ["-device", f"nvme-ns,drive=nv,bus=nvme0,nsid=1,logical_block_size={size},physical_block_size={size}"]
        environment = {
            "LD_PRELOAD": str(SHIM),
            "LAB_AER": "nvme",
            "LAB_LINK": ",".join([*links, f"nvme:{can}:{generation}x1"]),
            "LAB_NVME": f"model={self.drive};firmware=1.0;celsius={self.celsius}",
            "LAB_CONTROL": str(self.folder / "control"),
        }
        (self.folder / "control").unlink(missing_ok=True)
        return command, environment


def _shell(command, environment):
    import shlex

    words = [f"{key}={shlex.quote(value)}" for key, value in environment.items()]
    return " ".join(words + [shlex.quote(part) for part in command]) + "\n"


def _boot_files(pi, disk_id):
    line = f"console=serial0,115200 console=tty1 root=PARTUUID={disk_id:08x}-02 rootfstype=ext4 fsck.repair=yes rootwait\n"
    files = {"config.txt": pi.config, "cmdline.txt": line.encode(), "kernel_2712.img": b"\0" * 4096}
    files |= {f"overlays/{name}.dtbo": b"" for name in ("vc4-kms-v3d", "dwc2", "nospi10")}
    return files | {"overlays/README": b"", "bcm2712-rpi-5-b.dtb": b""}


def _grow(path, size):
    with open(path, "ab") as file:
        file.truncate(size)


def _fill(disk, free):
    """Leaves so many bytes of room on the boot partition."""
    shown = disk.directory()
    left = int(re.search(r"([\d ]+) bytes free", shown).group(1).replace(" ", ""))
    disk.put("fill", bytes(max(0, left - free)))


def _system(pi):
    """The folder that becomes the guest's system: busybox, the C library, the
    program and the stand-ins. Made anew when one of them is newer."""
    if not BINARY.exists():
        raise LabError("there is no arm64 program yet: tests/lab/lab build")
    if not BUSYBOX.exists():
        raise LabError("nothing is set up yet: sudo tests/lab/lab setup")
    root, mark = LAB / "system", LAB / "system.made"
    sources = [BINARY, BUSYBOX, *(HERE / "guest").iterdir(), HERE / "pi.py", HERE / "eeprom.py"]
    if mark.exists() and not any(newer(source, mark) for source in sources):
        return root
    shutil.rmtree(root, ignore_errors=True)
    folders = "bin sbin usr/bin usr/sbin usr/local/bin lib/aarch64-linux-gnu proc sys dev run tmp root etc boot/firmware mnt/host mnt/nvme var/lib home/pi"
    for folder in folders.split():
        (root / folder).mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin/busybox")
    for name in APPLETS.split():
        (root / "bin" / name).symlink_to("busybox")
    for library in LIBRARIES.iterdir():
        shutil.copy(library, root / "lib/aarch64-linux-gnu")
    (root / "lib/ld-linux-aarch64.so.1").symlink_to("aarch64-linux-gnu/ld-linux-aarch64.so.1")
    shutil.copy(BINARY, root / "usr/local/bin/pi5-nvme")
    shutil.copy(HERE / "guest/system", root / "sbin/init")
    for name in ("reboot", "vcgencmd", "rpi-eeprom-update", "rpi-eeprom-config", "sudo"):
        shutil.copy(HERE / "guest" / name, root / "usr/bin" / name)
    (root / "etc/os-release").write_text(
        'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_ID="13"\nVERSION_CODENAME=trixie\n'
    )
    (root / "etc/rpi-issue").write_text("Raspberry Pi reference 2026-06-18\nGenerated using pi-gen\n")
    (root / "etc/profile").write_text("export PS1='# ' COLUMNS=80\nstty cols 80 rows 50\n")
    (root / "etc/passwd").write_text("root::0:0:root:/root:/bin/sh\npi::1000:1000:pi:/home/pi:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\npi:x:1000:\n")
    bootloader = root / "usr/lib/firmware/raspberrypi/bootloader-2712"
    (bootloader / "default").mkdir(parents=True)
    image, offset = eeprom.image()
    (bootloader / "default/pieeprom-2025-05-08.bin").write_bytes(image)
    (bootloader / "default/offset").write_text(f"{offset}\n")
    (bootloader / "recovery.bin").write_bytes(b"recovery")
    mark.touch()
    return root


APPLETS = (
    "sh ash awk basename cat chmod chown cmp cp cttyhack cut date dd df diff dmesg dirname du echo env expr false find "
    "grep head hexdump hostname id insmod kill killall ln ls md5sum mkdir mktemp mknod mount mv nproc od pidof printf ps "
    "readlink realpath rm rmdir sed seq setsid sha256sum sleep sort stat stty su switch_root sync tail tee test "
    "timeout touch tr true truncate umount uname uniq usleep vi wc which xargs yes"
)
