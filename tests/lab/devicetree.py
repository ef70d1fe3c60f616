"""The device tree that the firmware hands to the kernel.

QEMU's own for its `virt` machine, made to say what a Pi 5's says: the model,
what the bootloader did, the HAT, and QEMU's PCIe host in the place of the
external connector, with the `status` and `max-link-speed` of config.txt.
"""

import re
import subprocess

from prepare import run

# Where QEMU puts the EEPROM's configuration for the kernel's nvmem driver; the
# last MiB of a memory of 1 GiB, which starts at 1 GiB.
CONFIGURATION_AT = 0x7FF00000


def write(path, base, pi, start, configuration):
    """Makes `path` from QEMU's `base` for this start of this Pi."""
    tree = run("dtc", "-I", "dtb", "-O", "dts", base)
    host = re.search(r"\n\tpcie@10000000 \{\n(.*?)\n\t\};\n", tree, re.S)
    tree = tree[: host.start()] + "\n" + tree[host.end() :]
    body = host.group(1)
    # Kernels before 6.12 had no domain in the tree and numbered from 0.
    domain = "" if pi.kernel == "older" else "linux,pci-domain = <1>;"
    body = re.sub(r"linux,pci-domain = <[^>]*>;", domain, body)
    body += f"\n\t\tstatus = {text(start.settings.port)};"
    body += f"\n\t\tmax-link-speed = <{start.settings.generation}>;"
    unit = "110000" if pi.kernel == "older" else "1000110000"
    tree = tree.replace('compatible = "linux,dummy-virt";', f"compatible = {texts(*pi.compatible)};")
    tree = re.sub(r'\n\tmodel = "[^"]*";', f"\n\tmodel = {text(pi.model)};\n\tserial-number = {text(pi.serial)};", tree)
    tree = tree.replace("\n\taliases {", '\n\taliases {\n\t\tblconfig = "/reserved-memory/nvram@7ff00000";', 1)
    tree = re.sub(r"\n\tchosen \{\n(.*?)\n\t\};", lambda m: chosen(m.group(1), pi, start), tree, flags=re.S)
    end = tree.rstrip().rfind("};")
    tree = tree[:end] + axi(unit, body) + hat(pi) + board(pi) + reserved(configuration) + tree[end:]
    subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", path], input=tree, text=True, check=True)


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def texts(*values):
    return ", ".join(text(value) for value in values)


def chosen(properties, pi, start):
    mode = {"sd": 1, "nvme": 6}[start.medium]
    return f"""
\tchosen {{
{properties}
\t\tos_prefix = {text(start.settings.os_prefix)};
\t\trpi-min-boot-ver = <1>;
\t\tbootloader {{
\t\t\tversion = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c";
\t\t\tbuild-timestamp = <{pi.bootloader_built}>;
\t\t\tupdate-timestamp = <{pi.bootloader_built + 86400}>;
\t\t\tboot-mode = <{mode}>; partition = <1>; tryboot = <{int(start.tryboot)}>;
\t\t\trsts = <0x1000>; signed = <0>; capabilities = <0x7f>;
\t\t}};
\t\tpower {{ max_current = <{pi.supply_milliampere}>; usb_max_current_enable = <1>; }};
\t}};"""


def axi(unit, body):
    return f"""
\taxi {{
\t\tcompatible = "simple-bus"; #address-cells = <2>; #size-cells = <2>; ranges; dma-ranges;
\t\tpcie@{unit} {{
{body}
\t\t}};
\t}};
"""


def hat(pi):
    if not pi.hat:
        return ""
    vendor, product = pi.hat
    return f"""
\that {{
\t\tvendor = {text(vendor)}; product = {text(product)}; product_id = "0x0000"; product_ver = "0x0003";
\t\tuuid = "00000000-0000-0000-0000-000000000001";
\t}};
"""


def board(pi):
    return f"\n\tsystem {{ linux,revision = <{pi.revision:#x}>; }};\n"


def reserved(configuration):
    """The nvmem device of the configuration. A second region keeps the rest of
    its page: one that ends inside a page stops the kernel at its start."""
    size, page = len(configuration), 0x10000
    return f"""
\treserved-memory {{
\t\t#address-cells = <2>; #size-cells = <2>; ranges;
\t\tnvram@7ff00000 {{
\t\t\tcompatible = "raspberrypi,bootloader-config", "nvmem-rmem";
\t\t\treg = <0 {CONFIGURATION_AT:#x} 0 {size}>; no-map;
\t\t\t#address-cells = <1>; #size-cells = <1>;
\t\t}};
\t\tguard@{CONFIGURATION_AT + size:x} {{ reg = <0 {CONFIGURATION_AT + size:#x} 0 {page - size}>; no-map; }};
\t}};
"""
