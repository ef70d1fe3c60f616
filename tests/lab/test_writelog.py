"""What a cut can leave, counted by hand."""

import os
import struct
import tempfile
import unittest

import writelog
from writelog import DISCARD, FLUSH, FUA, Entry

ZERO = bytes(512)


def write(sector, letter, flags=0, sectors=1):
    return Entry(sector, letter.encode() * (512 * sectors), flags)


def contents(states):
    """Each state as text: `1a 2b` is sector 1 full of a, 2 full of b."""
    return {" ".join(f"{s}{chr(d[0])}" for s, d in state.sectors) for state in states}


def made(*entries):
    return contents(writelog.states(list(entries), lambda _: ZERO))


FLUSHED = Entry(0, b"", FLUSH)


class States(unittest.TestCase):
    def test_all_combinations_of_what_is_not_flushed(self):
        self.assertEqual(made(write(1, "a"), write(2, "b")), {"", "1a", "2b", "1a 2b"})

    def test_a_flush_makes_what_stands_before_it_durable(self):
        self.assertEqual(made(write(1, "a"), FLUSHED, write(2, "b")), {"", "1a", "1a 2b"})
        flush_with_data = write(2, "b", FLUSH)
        self.assertEqual(made(write(1, "a"), flush_with_data), {"", "1a", "1a 2b"})

    def test_a_forced_write_is_there_before_what_follows_it(self):
        self.assertEqual(made(write(1, "a", FUA), write(2, "b")), {"", "1a", "1a 2b"})

    def test_a_write_can_be_torn_between_its_sectors(self):
        self.assertEqual(made(write(1, "a", sectors=2)), {"", "1a", "2a", "1a 2a"})

    def test_an_older_write_of_a_sector_can_be_the_one_that_stays(self):
        self.assertEqual(made(write(1, "a"), write(1, "b")), {"", "1a", "1b"})

    def test_what_writes_the_same_bytes_is_no_state_of_its_own(self):
        same = Entry(1, ZERO, 0)
        self.assertEqual(len(writelog.states([same], lambda _: ZERO)), 1)

    def test_many_writes_are_drawn_from_and_each_is_missing_once(self):
        many = [write(n, "a") for n in range(10)]
        states = writelog.states(many, lambda _: ZERO)
        sizes = [len(s.sectors) for s in states]
        self.assertEqual(sizes.count(9), 10)
        self.assertGreaterEqual(sizes.count(1), 10)
        self.assertEqual(len({s.digest for s in states}), len(states))
        again = writelog.states(many, lambda _: ZERO)
        self.assertEqual([s.name for s in states], [s.name for s in again])


class Reading(unittest.TestCase):
    def log(self, body, count, head=None):
        file = tempfile.NamedTemporaryFile(delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            head = head or struct.pack("<QQQI", writelog.MAGIC, 1, count, 512)
            file.write(head.ljust(512, b"\0") + body)
        return file.name

    @staticmethod
    def entry(sector, sectors, flags, data=b""):
        return struct.pack("<QQQQ", sector, sectors, flags, 0).ljust(512, b"\0") + data

    def test_writes_flushes_and_discards(self):
        body = self.entry(7, 2, 0, b"x" * 1024) + self.entry(0, 0, FLUSH) + self.entry(9, 8, DISCARD)
        entries = writelog.read(self.log(body, 3))
        self.assertEqual(entries, [Entry(7, b"x" * 1024, 0), Entry(0, b"", FLUSH), Entry(9, b"", DISCARD)])

    def test_what_is_no_log_or_ends_early_is_an_error(self):
        for path in (
            self.log(b"", 0, b"nothing"),
            self.log(b"", 1),
            self.log(self.entry(7, 2, 0, b"x" * 512), 1),
        ):
            with self.assertRaises(ValueError):
                writelog.read(path)


if __name__ == "__main__":
    unittest.main()
