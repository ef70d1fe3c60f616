"""What happens while the Pi runs."""

import re

from pi import CONFIG, Pi
from play import equal, expect, scenario


@scenario("while-it-runs")
def while_it_runs():
    """The link falls, errors are counted, the drive gets hot: status says so."""
    pi = Pi("while-it-runs", config=CONFIG + b"dtparam=pciex1\ndtparam=pciex1_gen=3\n").make()
    console = pi.start()
    console.wait("# ")
    said, status = pi.type(console, "pi5-nvme status")
    equal(status, 0, "status")
    expect("Gen 3 (8.0 GT/s x1)" in said and re.search(r"\b38 °C", said), f"at first:\n{said}")
    pi.monitor("pcie_aer_inject_error nvme0 BAD_TLP")
    pi.link(1)
    pi.heat(83)
    said, status = pi.type(console, "pi5-nvme status --json > /mnt/host/status.json; pi5-nvme status")
    expect("Gen 1 (2.5 GT/s x1)" in said and "83 °C" in said, f"afterwards:\n{said}")
    text = (pi.share / "status.json").read_text()
    expect("link-clamped" in text and "BadTLP 1" in text, f"no finding of the link or its errors in:\n{text}")
