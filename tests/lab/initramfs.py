"""The first root of the guest: busybox, modules and `guest/init`."""

import lzma
import subprocess

WANTED = (
    "nvme nls_cp437 nls_ascii nls_iso8859-1 nls_utf8 vfat ext4 virtio_blk 9p 9pnet_virtio "
    "virtio_mmio nvmem-rmem mmc_block sdhci-pci"
).split()


def modules(folder, release, out):
    """Copies the wanted modules and what they need from the unpacked package's
    `lib/modules/RELEASE` to `out`, plain, with their load order in `order`."""
    base = folder.parent.parent.parent
    root = base.parent if base.name == "usr" else base
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")
    subprocess.run(["depmod", "-b", root, release], check=True)
    out.mkdir(parents=True, exist_ok=True)
    order = []
    for name in WANTED:
        shown = subprocess.run(
            ["modprobe", "-d", root, "-S", release, "--show-depends", name], capture_output=True, text=True
        )
        for line in shown.stdout.splitlines():
            if line.startswith("insmod "):
                path = line.split()[1]
                plain = path.rsplit("/", 1)[1].removesuffix(".xz")
                if plain not in order:
                    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as module:
                        (out / plain).write_bytes(module.read())
                    order.append(plain)
    (out / "order").write_text("\n".join(order) + "\n")


def write(path, folder, busybox, init):
    """An initramfs (newc, uncompressed) at `path`."""
    out = bytearray()
    entries = [(name, 0o40755, b"", 0) for name in ("bin", "dev", "proc", "sys", "root", "modules")]
    entries += [
        ("dev/console", 0o20600, b"", (5 << 8) | 1),
        ("bin/busybox", 0o100755, busybox.read_bytes(), 0),
        ("init", 0o100755, init.read_bytes(), 0),
    ]
    entries += [(f"modules/{m.name}", 0o100644, m.read_bytes(), 0) for m in sorted(folder.iterdir())]
    for number, (name, mode, data, device) in enumerate([*entries, ("TRAILER!!!", 0, b"", 0)], 1):
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, device >> 8, device & 0xFF, len(name) + 1, 0]
        out += b"070701" + "".join(f"{field:08x}" for field in fields).encode() + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    path.write_bytes(out)
