"""The first bytes of a TCP connection: a web page must not drive the robot.

Any page in a browser on this machine can send HTTP to a loopback port, and choose its body. What a browser can send
begins with a method and a blank (HTTP, WebSocket), or with bytes that are no text (TLS, STUN). None of it is an
opening of JSON Lines, socketcand or slcan, so it is refused before any of it is handled.
"""

from __future__ import annotations

WORD = frozenset(b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")  # RFC 9110: token
LINE_ENDS, BLANKS = frozenset(b"\r\n"), frozenset(b" \t")
PRINTABLE = frozenset(range(0x21, 0x7F))


class Opening:
    """Judges a client by the first bytes that tell; words that end their line tell nothing yet."""

    def __init__(self) -> None:
        self.known = False  # a client of ours: nothing is judged any more
        self._in_word = False

    def admits(self, data: bytes) -> bool:
        """False for whatever a browser could have sent."""
        for byte in data if not self.known else b"":
            if byte in WORD:
                self._in_word = True
            elif byte in LINE_ENDS:
                self._in_word = False
            elif self._in_word or byte not in BLANKS:
                self.known = not self._in_word and byte in PRINTABLE
                return self.known
        return True


class BinaryOpening(Opening):
    """Of a binary protocol whose first word is a small number, little-endian: text and TLS have no such zeros."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = 0

    def admits(self, data: bytes) -> bool:
        for byte in data if not self.known else b"":
            if self._seen and byte:
                return False
            self._seen += 1
            self.known = self._seen == 4
            if self.known:
                break
        return True
