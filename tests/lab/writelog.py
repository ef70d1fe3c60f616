"""Every state in which a power cut can leave a disk, from a log of its writes.

The log is in the format of Linux's dm-log-writes, as QEMU's blklogwrites
driver writes it (docs of both: Documentation/admin-guide/device-mapper/
log-writes.rst, qapi/block-core.json). What a disk may hold after a cut:

- what was written before the last flush is there;
- of what was written since, any part may be there, in any combination: a disk
  with a cache of its own writes back in the order it likes;
- a write of several sectors may be there in part; one sector is whole or not
  there at all.
"""

import dataclasses
import hashlib
import itertools
import random
import struct

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
SECTOR = 512

# Up to this many writes between two flushes, all combinations are made: 2^6.
ALL_COMBINATIONS = 6
# Beyond, so many drawn ones are added to those with one write only or one missing.
DRAWN = 24


@dataclasses.dataclass(frozen=True)
class Entry:
    """One request: `sector` counts from the start of the disk, in SECTOR bytes."""

    sector: int
    data: bytes
    flags: int

    @property
    def flushes(self):
        return bool(self.flags & FLUSH)

    @property
    def writes(self):
        return bool(self.data)


@dataclasses.dataclass(frozen=True)
class State:
    """What a cut leaves: sectors that differ from the disk as it was at the start."""

    name: str
    sectors: tuple  # of (sector, bytes), sorted
    kind: str  # "prefix", "reordered" or "torn"

    @property
    def digest(self):
        """The same for two states with the same bytes on the disk."""
        hashed = hashlib.sha256()
        for sector, data in self.sectors:
            hashed.update(struct.pack("<Q", sector) + data)
        return hashed.hexdigest()


def read(path):
    """The entries of the log at `path`. ValueError when it is not such a log."""
    with open(path, "rb") as file:
        head = file.read(SECTOR)
        if len(head) < 28:
            raise ValueError(f"{path}: too short for a log of writes")
        magic, version, count, size = struct.unpack_from("<QQQI", head)
        if (magic, version) != (MAGIC, 1):
            raise ValueError(f"{path}: not a log of writes, version 1")
        entries = []
        file.seek(size)
        for number in range(count):
            header = file.read(size)
            if len(header) < size:
                raise ValueError(f"{path}: ends in entry {number} of {count}")
            sector, sectors, flags, _ = struct.unpack_from("<QQQQ", header)
            data = b"" if flags & (DISCARD | MARK) else file.read(sectors * size)
            if not flags & (DISCARD | MARK) and len(data) < sectors * size:
                raise ValueError(f"{path}: ends in the data of entry {number} of {count}")
            entries.append(Entry(sector * size // SECTOR, data, flags))
    return entries


def states(entries, base, seed=1):
    """Each different state that a cut at some moment of `entries` can leave.

    `base(sector)` gives SECTOR bytes of the disk at the start. Discards are
    taken as not done: what they free is referred to by nothing. Yields the
    prefixes of the log first, then reorderings and torn writes.
    """
    seen = set()

    def state(name, kind, sectors):
        changed = tuple(sorted((s, d) for s, d in sectors.items() if d != base(s)))
        made = State(name, changed, kind)
        if made.digest in seen:
            return None
        seen.add(made.digest)
        return made

    prefix = {}
    made = [state("before", "prefix", prefix)]
    for number, entry in enumerate(entries):
        prefix.update(_split(entry))
        made.append(state(f"after {number + 1}", "prefix", prefix))
    draw = random.Random(seed)
    durable = {}
    for start, window in _windows(entries):
        for name, kind, sectors in _reorderings(start, window, durable, draw):
            made.append(state(name, kind, sectors))
        for entry in window:
            durable.update(_split(entry))
    return [one for one in made if one is not None]


def _split(entry):
    """The sectors that an entry writes, each with its bytes."""
    data = entry.data
    return {entry.sector + at // SECTOR: data[at : at + SECTOR] for at in range(0, len(data), SECTOR)}


def _windows(entries):
    """(number of the first entry, the writes) between two flushes."""
    start, window = 0, []
    for number, entry in enumerate(entries):
        if entry.flushes:
            if window:
                yield start, window
            window = []
        if entry.writes:
            if not window:
                start = number
            window.append(entry)
    if window:
        yield start, window


def _reorderings(start, window, durable, draw):
    for chosen in _choices(len(window), draw):
        chosen = _with_forced(chosen, window)
        sectors = dict(durable)
        for index in chosen:
            sectors.update(_split(window[index]))
        yield f"window {start + 1}: {_words(chosen, len(window))}", "reordered", sectors
    for index, entry in enumerate(window):
        split = list(_split(entry).items())
        if len(split) < 2:
            continue
        half = len(split) // 2
        for word, part in (("first half", split[:half]), ("second half", split[half:])):
            sectors = dict(durable)
            for before in window[:index]:
                sectors.update(_split(before))
            sectors.update(part)
            yield f"entry {start + index + 1}: {word}", "torn", sectors


def _with_forced(chosen, window):
    """A write with FUA is on the disk before what was written after it."""
    last = max(chosen, default=-1)
    forced = {i for i in range(last) if window[i].flags & FUA}
    return tuple(sorted(forced.union(chosen)))


def _choices(count, draw):
    """Subsets of `count` writes, as sorted tuples of their indices."""
    everything = range(count)
    if count <= ALL_COMBINATIONS:
        for size in range(count + 1):
            yield from itertools.combinations(everything, size)
        return
    for one in everything:
        yield (one,)
        yield tuple(i for i in everything if i != one)
    for _ in range(DRAWN):
        yield tuple(i for i in everything if draw.random() < 0.5)


def _words(chosen, count):
    missing = [str(i + 1) for i in range(count) if i not in chosen]
    if len(missing) <= len(chosen):
        return f"without {', '.join(missing)} of {count}" if missing else f"all of {count}"
    return f"only {', '.join(str(i + 1) for i in chosen) or 'none'} of {count}"
