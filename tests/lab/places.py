"""Where the lab keeps things: one cache folder, nothing outside it."""

import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent

_CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pi5-nvme"
LAB = pathlib.Path(os.environ.get("PI5_NVME_LAB") or _CACHE / "lab")
CROSS = _CACHE / "trixie-cross"
BINARY = CROSS / "target/aarch64-unknown-linux-gnu/release/pi5-nvme"

# What `lab setup` makes.
SHIM = LAB / "link.so"
BUSYBOX = LAB / "busybox"
LIBRARIES = LAB / "libraries"
KERNELS = LAB / "kernels"
RUNS = LAB / "runs"


class LabError(Exception):
    """Something is missing or went wrong: what, and what to do."""
