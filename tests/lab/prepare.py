"""`lab setup` and `lab build`: everything a virtual Pi 5 is made of.

Debian's packages only: QEMU and a few tools for this computer, an arm64 kernel,
busybox and the C library for the guest. What is there already is kept.
"""

import os
import shutil
import subprocess

import initramfs
from places import BINARY, BUSYBOX, CROSS, HERE, KERNELS, LAB, LIBRARIES, PROJECT, SHIM, LabError

TOOLS = "socat mtools dosfstools e2fsprogs device-tree-compiler kmod gcc libc6-dev mmdebstrap".split()

# Name of a kernel in the hardware table, its suite and the package that names it.
SUITES = {"current": "trixie", "older": "bookworm"}

LIBRARY_NAMES = ["ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1"]


def run(*command, **more):
    """Runs a program; its output is shown only when it fails."""
    done = subprocess.run(command, text=True, capture_output=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode:
        raise LabError(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()[-800:]}")
    return done.stdout


def setup():
    """All of it. Needs root, for apt and for the folder with arm64 packages."""
    if os.geteuid():
        raise LabError("setup installs packages: run `sudo tests/lab/lab setup`")
    LAB.mkdir(parents=True, exist_ok=True)
    print(f"The virtual Raspberry Pi 5 is kept in {LAB} (about 400 MB)")
    print(f"and the arm64 compiler in {CROSS} (about 1.2 GB).")
    for step in (packages, shim, cross, guest_files, kernels):
        print(f"- {step.__doc__.splitlines()[0]}", flush=True)
        step()
    print("Ready. Next: tests/lab/lab build; tests/lab/lab run mission")


def packages():
    """QEMU and tools, with apt"""
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    run("apt-get", "update", "-qq", env=environment)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    run(*install, *TOOLS, env=environment)
    if qemu_version() >= (8, 0):
        return
    run(*install, "qemu-system-arm", env=environment)
    if qemu_version() >= (8, 0):
        return
    # Debian 12's own is too old; its backports have the one of Debian 13.
    sources = "/etc/apt/sources.list.d/debian.sources"
    with open(sources) as file:
        uri = next(line.split()[1] for line in file if line.startswith("URIs:"))
    with open("/etc/apt/sources.list.d/pi5-nvme-lab.sources", "w") as file:
        file.write(
            f"Types: deb\nURIs: {uri}\nSuites: bookworm-backports\nComponents: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
        )
    run("apt-get", "update", "-qq", env=environment)
    run(*install, "-t", "bookworm-backports", "qemu-system-arm", env=environment)


def qemu_version():
    """(major, minor), or (0, 0) where there is none."""
    if not shutil.which("qemu-system-aarch64"):
        return (0, 0)
    words = run("qemu-system-aarch64", "--version").split()
    major, minor = words[words.index("version") + 1].split(".")[:2]
    return int(major), int(minor)


def shim():
    """The shim that gives QEMU's NVMe drive a PCIe link"""
    source = HERE / "shim" / "link.c"
    if newer(source, SHIM):
        run("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", SHIM, source)


def cross():
    """The folder with Debian trixie's arm64 compiler"""
    run(PROJECT / ".ci" / "cross-root")


def guest_files():
    """busybox and the C library for arm64"""
    if BUSYBOX.exists() and all((LIBRARIES / name).exists() for name in LIBRARY_NAMES):
        return
    unpacked = LAB / "unpacked"
    for package in ("busybox-static", "libc6", "libgcc-s1"):
        unpack(download("trixie", package), unpacked)
    shutil.copy(unpacked / "usr/bin/busybox", BUSYBOX)
    LIBRARIES.mkdir(exist_ok=True)
    for name in LIBRARY_NAMES:
        found = next(unpacked.glob(f"usr/lib/**/{name}"))
        shutil.copy(found.resolve(), LIBRARIES / name)
    shutil.rmtree(unpacked)


def kernels():
    """Debian's arm64 kernels, today's and an older one"""
    for name, suite in SUITES.items():
        folder = KERNELS / name
        if not (folder / "vmlinuz").exists():
            unpacked = LAB / "unpacked"
            package = kernel_package(suite)
            unpack(download(suite, package), unpacked)
            release = package.removeprefix("linux-image-")
            modules = next(path for path in unpacked.glob("**/modules/*") if path.name == release)
            folder.mkdir(parents=True, exist_ok=True)
            initramfs.modules(modules, release, folder / "modules")
            shutil.copy(unpacked / f"boot/vmlinuz-{release}", folder / "vmlinuz")
            shutil.rmtree(unpacked)
        initramfs.write(folder / "initrd", folder / "modules", BUSYBOX, HERE / "guest" / "init")


def chroot(*command):
    return run("chroot", CROSS, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *command)


def add_suite(suite):
    """Lets the folder of arm64 packages see another Debian release."""
    lists = CROSS / "etc/apt"
    old = "\n".join(path.read_text() for path in [*lists.glob("*.list"), *lists.glob("*.list.d/*")])
    mirror = next(line for line in old.splitlines() if line.startswith("deb "))
    mirror = mirror.replace("[trusted=yes] ", "").split()[1]
    extra = lists / "sources.list.d" / f"{suite}.list"
    if suite != "trixie" and not extra.exists():
        extra.parent.mkdir(exist_ok=True)
        extra.write_text(f"deb [arch=arm64] {mirror} {suite} main\n")
        # Nothing of it is ever installed there, only downloaded.
        (lists / "preferences.d" / suite).write_text(f"Package: *\nPin: release n={suite}\nPin-Priority: 1\n")
    chroot("apt-get", "update", "-qq")


def kernel_package(suite):
    add_suite(suite)
    shown = chroot("apt-cache", "show", f"linux-image-arm64:arm64/{suite}") if suite == "trixie" else ""
    shown = shown or chroot("apt-cache", "show", "linux-image-arm64:arm64")
    newest = {"trixie": "6.12.", "bookworm": "6.1."}[suite]
    for line in shown.splitlines():
        if line.startswith("Depends:"):
            name = line.split()[1].rstrip(",")
            if name.startswith(f"linux-image-{newest}"):
                return name
    raise LabError(f"{suite}: no linux-image-arm64 of {newest} in its package list")


def download(suite, package):
    """The path of an arm64 package."""
    add_suite(suite)
    folder = CROSS / "var/cache/lab"
    folder.mkdir(exist_ok=True, parents=True)
    chroot("sh", "-c", f"cd /var/cache/lab && apt-get -o APT::Sandbox::User=root download -qq {package}:arm64")
    return max(folder.glob(f"{package}_*.deb"), key=lambda path: path.stat().st_mtime)


def unpack(package, folder):
    folder.mkdir(parents=True, exist_ok=True)
    run("dpkg-deb", "--extract", package, folder)
    package.unlink()


def build():
    """The program for arm64, with Rust 1.85."""
    subprocess.run([PROJECT / ".ci" / "oldest-rust"], check=True)
    if not BINARY.exists():
        raise LabError(f"{BINARY}: the build left no program")


def newer(source, made):
    return not made.exists() or source.stat().st_mtime > made.stat().st_mtime
