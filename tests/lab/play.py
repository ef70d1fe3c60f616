"""Playing scenarios: each a function that tells a story and fails when it
does not end as told."""

import importlib
import json
import os
import subprocess
import sys
import time
import traceback

import prepare
from pi import Pi
from places import BINARY, BUSYBOX, HERE, LabError

_STORIES = {}


def scenario(name):
    """Makes a function the scenario `name`; it gets nothing and returns nothing."""

    def register(story):
        _STORIES[name] = story
        return story

    return register


def expect(holds, what):
    """Fails the scenario with `what` unless `holds`."""
    if not holds:
        raise LabError(what)


def equal(found, wanted, what):
    expect(found == wanted, f"{what}: {wanted!r} was expected, {found!r} was found")


def done(answer, status=0):
    """The answer, which must have this exit status."""
    expect(answer.status == status, f"status {status} was expected of {answer}")
    return answer


def found(answer, finding):
    """Fails unless the JSON of an answer has this finding, refusal or error."""
    text = json.dumps(answer.json())
    expect(f'"{finding}"' in text, f"{finding} was expected of {answer}")


def names():
    for path in sorted((HERE / "scenarios").glob("*.py")):
        importlib.import_module(f"scenarios.{path.stem}")
    return list(_STORIES)


def run(wanted):
    """Plays the named scenarios; a line for each. The exit status."""
    known = names()
    for name in wanted:
        if name not in known:
            raise LabError(f"no scenario {name}; `lab list` names them")
    missing = lacking()
    if missing:
        print(f"NOT PLAYED: {missing}", file=sys.stderr)
        # Elsewhere than in CI a machine without QEMU is no failure, but it is said.
        return 1 if os.environ.get("CI") else 0
    failed, begin = 0, time.monotonic()
    for name in wanted:
        start = time.monotonic()
        try:
            note = _STORIES[name]()
            word = "passed"
        except Exception as error:  # A bug in a story is a failure of it, not of the rest.
            note, word, failed = None, "FAILED", failed + 1
            text = str(error) if isinstance(error, LabError) else traceback.format_exc()
            print("\n".join(f"    {line}" for line in text.splitlines()))
        finally:
            Pi.stop_all()
        print(f"{name:24} {word} in {time.monotonic() - start:4.0f} s{f'  ({note})' if note else ''}", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed", f"in {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


def lacking():
    """What keeps scenarios from being played, or None."""
    if prepare.qemu_version() < (8, 0):
        return "there is no QEMU 8 or newer for arm64; `sudo tests/lab/lab setup` installs it"
    if not BUSYBOX.exists():
        return "nothing is set up; `sudo tests/lab/lab setup` does it"
    if not BINARY.exists():
        return "there is no arm64 program; `tests/lab/lab build` makes it"
    return None


def shell(settings):
    """A Pi with this terminal as its console, until it powers off."""
    values = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in Pi.__dataclass_fields__:
            raise LabError(f"{setting}: KEY=VALUE, with a KEY of the table in tests/lab/pi.py")
        values[key] = tuple(value.split("|")) if key == "hat" else int(value) if value.isdigit() else value
    pi = Pi("shell", **values).make()
    print("Ctrl-] leaves. `/usr/bin/reboot` starts it again, with the firmware's step between.")
    again = True
    while again:
        pi.start().close()
        console = f"unix-connect:{pi.sockets()}/console.sock"
        subprocess.run(["socat", "-,rawer,escape=0x1d", console], check=False)
        try:
            again = pi.ended(3) == "restarted"
        except LabError:  # It runs on, so it was Ctrl-].
            again = False
