"""The same on other hardware, and on hardware that does not do as asked."""

from pi import CONFIG, Pi
from play import done, equal, expect, found, scenario

HAT = ("Raspberry Pi", "M.2 HAT+ M Key")
GEN3 = "pi5-nvme setup --gen 3 --boot keep --bench off --reboot no --yes --json"
NVME = GEN3.replace("--boot keep", "--boot nvme")
VERIFY = "pi5-nvme verify --json"
ON = CONFIG + b"dtparam=pciex1\n"


def config(pi, medium="sd"):
    return pi.disks[medium].get("config.txt")


@scenario("plain-adapter")
def plain_adapter():
    """A board without HAT+ on a fresh card: the connector is off until setup."""
    pi = Pi("plain-adapter").make()
    setup, nvme = pi.ask(GEN3, NVME)
    equal(done(setup).json()["changed"], True, "changed")
    found(done(nvme, 4), "boot-no-drive")
    (verify,) = pi.ask(VERIFY)
    equal(done(verify).json()["reached_generation"], 3, "the generation reached")


@scenario("trains-lower")
def trains_lower():
    """The cable is not good enough: the link trains at 2.5 GT/s."""
    pi = Pi("trains-lower", hat=HAT, at_gen3="lower").make()
    done(pi.ask(GEN3)[0])
    (verify,) = pi.ask(VERIFY)
    found(done(verify, 1), "link-clamped")
    equal(verify.json()["reached_generation"], 1, "the generation reached")


@scenario("dead-at-gen3")
def dead_at_gen3():
    """The drive is not seen at Gen 3: the Pi starts from its card, and undo
    brings the drive back."""
    pi = Pi("dead-at-gen3", hat=HAT, at_gen3="dead").make()
    done(pi.ask(GEN3)[0])
    verify, undo = pi.ask(VERIFY, "pi5-nvme undo --json")
    found(done(verify, 1), "drive-missing")
    equal(verify.json()["met"], "no", "met")
    done(undo)
    equal(config(pi), CONFIG, "config.txt after undo")
    (status,) = pi.ask("pi5-nvme status --json")
    equal(len(status.json()["drives"]), 1, "drives after undo")


@scenario("gen2-switch")
def gen2_switch():
    """Behind a switch that can do Gen 2 only, Gen 3 is refused."""
    pi = Pi("gen2-switch", config=ON, switch=2).make()
    setup, status = pi.ask(GEN3, "pi5-nvme status --json")
    done(setup, 5)
    equal(config(pi), ON, "config.txt")
    path = status.json()["drives"][0]["path"]
    equal([hop["kind"] for hop in path], ["root-port", "upstream-port", "downstream-port", "endpoint"], "the path")


@scenario("hatplus")
def hatplus():
    """A HAT+ turns the connector on without a line in config.txt."""
    pi = Pi("hatplus", hat=HAT).make()
    status, setup = pi.ask("pi5-nvme status --json", NVME)
    equal(status.json()["boot"]["port"], {"value": "on", "lines": []}, "the port")
    done(setup)
    expect(b"PCIE_PROBE" not in pi.eeprom.read_bytes(), "PCIE_PROBE was set, which a HAT+ does not need")
    (verify,) = pi.ask(VERIFY)
    equal(done(verify).json()["met"], "yes", "met")
    expect(b"PCIE_PROBE" not in pi.eeprom.read_bytes(), "PCIE_PROBE was set, which a HAT+ does not need")


@scenario("from-nvme")
def from_nvme():
    """Started from the drive, without a card."""
    order = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf416\nNET_INSTALL_AT_POWER_ON=1\n"
    pi = Pi("from-nvme", hat=HAT, card="none", drive_boots=True, configuration=order).make()
    status, setup = pi.ask("pi5-nvme status --json", GEN3)
    equal(status.json()["boot"]["medium"], "nvme", "the medium")
    equal(status.json()["boot"]["config_device"], "/dev/nvme0n1p1", "the boot partition")
    done(setup)
    verify, undo = pi.ask(VERIFY, "pi5-nvme undo --json")
    equal(done(verify).json()["reached_generation"], 3, "the generation reached")
    done(undo)
    equal(config(pi, "nvme"), CONFIG, "config.txt after undo")


@scenario("two-boot-partitions")
def two_boot_partitions():
    """The drive was imaged: both config.txt change together, the Pi then starts
    from the drive, and undo there puts the drive's file back."""
    pi = Pi("two-boot-partitions", hat=HAT, drive_boots=True).make()
    (setup,) = pi.ask(NVME)
    done(setup)
    for medium in ("sd", "nvme"):
        expect(b"pciex1_gen=3" in config(pi, medium), f"config.txt of {medium} was not changed:\n{setup}")
    status, verify, undo = pi.ask("pi5-nvme status --json", VERIFY, "pi5-nvme undo --json")
    equal(pi.last.medium, "nvme", "the medium of the firmware's start")
    equal(status.json()["boot"]["medium"], "nvme", "the medium")
    equal(status.json()["drives"][0]["link"]["generation"], 3, "the generation")
    # The record of the change is on the card, which is not the system any more.
    equal(done(verify).json()["met"], "yes", "met")


@scenario("read-only")
def read_only():
    """The boot partition is mounted read-only."""
    pi = Pi("read-only", hat=HAT, boot_options="ro").make()
    (setup,) = pi.ask(GEN3)
    found(done(setup, 5), "read-only-boot")
    equal(config(pi), CONFIG, "config.txt")


@scenario("full")
def full():
    """The boot partition is full."""
    pi = Pi("full", hat=HAT, boot_free=3000).make()
    (setup,) = pi.ask(GEN3)
    found(done(setup, 5), "no-space")
    equal(config(pi), CONFIG, "config.txt")


@scenario("not-mounted")
def not_mounted():
    """The boot partition is not mounted."""
    pi = Pi("not-mounted", hat=HAT, boot_options="").make()
    (setup,) = pi.ask(GEN3)
    done(setup, 5)
    equal(config(pi), CONFIG, "config.txt")


@scenario("sectors-of-4096")
def sectors_of_4096():
    """A drive with logical blocks of 4096 bytes."""
    pi = Pi("sectors-of-4096", config=ON, logical_block=4096).make()
    status, bench = pi.ask("pi5-nvme status --json", "pi5-nvme bench --profile quick --json", limit=600)
    equal(status.json()["drives"][0]["logical_block_size_bytes"], 4096, "the logical block")
    expect(all(row["valid"] for row in done(bench).json()["results"]), f"invalid results:\n{bench}")


@scenario("multipath")
def multipath():
    """The kernel shows the drive under nvme-subsystem, with a hidden path."""
    pi = Pi("multipath", config=ON, multipath=True).make()
    setup, bench = pi.ask(GEN3, "pi5-nvme bench --profile quick --json", limit=600)
    done(setup)
    expect(all(row["valid"] for row in done(bench).json()["results"]), f"invalid results:\n{bench}")
    (verify,) = pi.ask(VERIFY)
    equal(done(verify).json()["reached_generation"], 3, "the generation reached")


@scenario("older-kernel")
def older_kernel():
    """Linux 6.1: the connector is domain 0000 and its node has a shorter name."""
    pi = Pi("older-kernel", config=ON, kernel="older").make()
    status, setup = pi.ask("pi5-nvme status --json", GEN3)
    address = status.json()["drives"][0]["path"][-1]["address"]
    expect(address.startswith("0000:"), f"domain 0000 was expected in {address}")
    done(setup)
    (verify,) = pi.ask(VERIFY)
    equal(done(verify).json()["reached_generation"], 3, "the generation reached")
