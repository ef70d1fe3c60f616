"""The serial console, as a person has it: text comes, keys go."""

import codecs
import re
import socket
import time

from places import LabError

# Colour, cursor movements and window titles are for a terminal, not for a test.
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])")


class Console:
    def __init__(self, path, limit=30):
        self.text = ""
        self._read = 0
        self._open = ""  # an escape sequence whose end has not come yet
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + limit
        while True:
            try:
                self._socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > end:
                    raise LabError(f"{path}: no console within {limit} s") from None
                time.sleep(0.05)

    def keys(self, text):
        self._socket.sendall(text.encode())

    def line(self, text):
        self.keys(text + "\n")

    def wait(self, pattern, limit=120):
        """Waits for text that fits `pattern` behind all that was waited for
        before; gives everything up to its end."""
        end = time.monotonic() + limit
        while True:
            found = re.search(pattern, self.text[self._read :])
            if found:
                start = self._read
                self._read += found.end()
                return self.text[start : self._read]
            left = end - time.monotonic()
            if left <= 0:
                raise LabError(f"no {pattern!r} on the console within {limit} s; the last lines:\n{self.last()}")
            self._socket.settimeout(min(left, 1))
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                continue
            except ConnectionResetError:
                data = b""
            if not data:
                raise LabError(f"the Pi ended before {pattern!r}; the last lines:\n{self.last()}")
            self._take(self._decode(data))

    def _take(self, text):
        plain = ESCAPES.sub("", self._open + text)
        plain, escape, rest = plain.partition("\x1b")
        self._open = escape + rest
        self.text += plain.replace("\r", "")

    def last(self, lines=25):
        return "\n".join(self.text.splitlines()[-lines:])

    def close(self):
        self._socket.close()
