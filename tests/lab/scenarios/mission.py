"""The mission, as the README tells it."""

import json

from pi import CONFIG, Pi
from play import equal, expect, scenario

HAT = ("Raspberry Pi", "M.2 HAT+ M Key")


@scenario("mission")
def mission():
    """A fresh card, the wizard, PASS at Gen 3, the gain, and all of it back."""
    pi = Pi("mission", hat=HAT).make()
    before = pi.eeprom.read_bytes()

    console = pi.start()
    console.wait("# ")
    console.line("sudo pi5-nvme setup")
    for question, keys in (
        ("Which generation?", "\n"),
        ("Boot from NVMe?", "\n"),
        ("Measure first?", "\n"),
        ("Make this change?", "y"),
        ("Reboot now?", "y"),
    ):
        console.wait(question.replace("?", r"\?"))
        console.wait(r"\n> |\(y/n\)")
        console.keys(keys)
    equal(pi.ended(), "restarted", "the wizard's reboot")

    console = pi.start()
    equal(pi.last.settings.generation, 3, "the generation in config.txt, as the firmware reads it")
    equal(pi.last.order, 0xF416, "the boot order")
    console.wait("# ")
    said, status = pi.type(console, "pi5-nvme verify")
    expect(status == 0 and "PASS" in said and "8.0 GT/s" in said, f"verify said:\n{said}")
    said, status = pi.type(console, "sudo pi5-nvme bench --compare --json > /mnt/host/compare.json", 600)
    equal(status, 0, f"bench --compare said:\n{said}")
    compared = json.loads((pi.share / "compare.json").read_text())["compare"]
    gains = {row["job"]: row["ratio"] for row in compared}
    wanted = pi.caps[3] / pi.caps[2]
    for job in [name for name in gains if name.startswith("seq1m-q8")]:
        expect(abs(gains[job] / wanted - 1) < 0.05, f"{job}: gain {gains[job]}, the caps allow {wanted:.3f}")

    said, status = pi.type(console, "sudo pi5-nvme undo")
    equal(status, 0, f"undo said:\n{said}")
    console.line("/usr/bin/reboot")
    equal(pi.ended(), "restarted", "the reboot after undo")
    console = pi.start()
    equal(pi.last.settings.generation, 2, "the generation after undo")
    console.wait("# ")
    said, status = pi.type(console, "pi5-nvme status")
    expect("link: Gen 2 (5.0 GT/s x1)" in said, f"status said:\n{said}")
    equal(pi.disks["sd"].get("config.txt"), CONFIG, "config.txt after undo")
    equal(pi.eeprom.read_bytes().rstrip(b"\xff"), before, "the EEPROM after undo")
    return f"gain {gains}"
