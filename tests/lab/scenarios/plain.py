"""Without questions: over ssh, from a script, as a user who is not root."""

from pi import CONFIG, Pi
from play import done, equal, expect, found, scenario

HAT = ("Raspberry Pi", "M.2 HAT+ M Key")
SETUP = "pi5-nvme setup --gen 3 --boot nvme --bench off --reboot no --yes --json"


@scenario("ssh")
def ssh():
    """A dry run, the change, the change again, the proof, and the way back."""
    pi = Pi("ssh", hat=HAT).make()
    user, dry, first, second, early = pi.ask(
        "su pi -c 'pi5-nvme status --json'",
        "pi5-nvme setup --gen 3 --boot nvme --dry-run --json",
        SETUP,
        SETUP,
        "pi5-nvme verify --json",
    )
    status = done(user).json()
    equal(status["drives"][0]["link"]["generation"], 2, "the generation that a plain user sees")
    equal(done(dry).json()["changed"], False, "changed, of the dry run")
    equal(done(first).json()["changed"], True, "changed, of the first setup")
    equal(done(second).json()["changed"], False, "changed, of the second setup")
    found(done(early, 1), "not-rebooted")
    after = pi.disks["sd"].get("config.txt")
    expect(after.startswith(CONFIG) and len(after) > len(CONFIG), "the old config.txt is no prefix of the new one")

    verify, undo = pi.ask("pi5-nvme verify --json", "pi5-nvme undo --json")
    equal(done(verify).json()["met"], "yes", "met")
    equal(done(undo).json()["changed"], True, "changed, of undo")
    equal(pi.disks["sd"].get("config.txt"), CONFIG, "config.txt after undo")
    (status,) = pi.ask("pi5-nvme status --json")
    equal(status.json()["boot"]["generation"]["value"], 2, "the generation in the end")
    equal(status.json()["eeprom"]["boot_order"], "0xf461", "the boot order in the end")


@scenario("not-root")
def not_root():
    """A user who is not root may look, and is told what needs root."""
    pi = Pi("not-root", hat=HAT).make()
    status, setup, undo, verify = pi.ask(
        "su pi -c 'pi5-nvme status'",
        f"su pi -c '{SETUP}'",
        "su pi -c 'pi5-nvme undo --json'",
        "su pi -c 'pi5-nvme verify'",
    )
    done(status)
    done(setup, 3)
    done(undo, 3)
    done(verify)
    equal(pi.disks["sd"].get("config.txt"), CONFIG, "config.txt")
    expect("pi5nvme" not in " ".join(pi.disks["sd"].names()).lower(), "something was left on the boot partition")
