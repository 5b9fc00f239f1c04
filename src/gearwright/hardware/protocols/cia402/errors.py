"""Emergency messages: error codes, the error register and the history."""

from __future__ import annotations

from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.cia402.dictionary import Dictionary

OVER_CURRENT, UNDER_VOLTAGE, OVER_TEMPERATURE = 0x2310, 0x3220, 0x4310
BLOCKED, NO_COMMUTATION, PARTNER_LOST = 0x7121, 0x7122, 0x8130
PDO_SHORT, PDO_LONG, FOLLOWING = 0x8210, 0x8220, 0x8611

NAMES = {
    OVER_CURRENT: "over-current",
    UNDER_VOLTAGE: "under-voltage",
    OVER_TEMPERATURE: "over-temperature",
    BLOCKED: "motor blocked",
    NO_COMMUTATION: "no current in the winding",
    PARTNER_LOST: "heartbeat or guarding lost",
    PDO_SHORT: "PDO too short",
    PDO_LONG: "PDO too long",
    FOLLOWING: "following error",
}
REGISTER = {0x2: 0x03, 0x3: 0x05, 0x4: 0x09, 0x7: 0x21, 0x8: 0x11}  # by the code's first digit; bit 0 is "generic"
HISTORY = 8


class Emergencies:
    """The errors of one node; messages wait here until the device sends them."""

    def __init__(self, node: int, dictionary: Dictionary) -> None:
        self.node, self.dictionary = node, dictionary
        self.active: list[int] = []
        self.pending: list[Frame] = []
        dictionary.written[0x1003, 0] = self._history_cleared

    def report(self, code: int) -> None:
        """An error that stays until a reset. The same error is reported once."""
        if code not in self.active:
            self.active.append(code)
            self.signal(code)

    def signal(self, code: int) -> None:
        """A message without consequence."""
        self.dictionary[0x1001, 0] = self._register()
        entries = [code, *(self.dictionary[0x1003, sub] for sub in range(1, HISTORY))]
        for sub, entry in enumerate(entries, 1):
            self.dictionary[0x1003, sub] = entry
        self.dictionary[0x1003, 0] = min(self.dictionary[0x1003, 0] + 1, HISTORY)
        self._send(code, self._register(code))

    def clear(self) -> None:
        """After a reset; the message with code 0 says so."""
        if self.active:
            self.active.clear()
            self.dictionary[0x1001, 0] = 0
            self._send(0, 0)

    def take(self) -> list[Frame]:
        frames, self.pending = self.pending, []
        return frames

    def _register(self, *more: int) -> int:
        bits = 0
        for code in (*self.active, *more):
            bits |= REGISTER.get(code >> 12, 0x01)
        return bits

    def _send(self, code: int, register: int) -> None:
        cob = self.dictionary[0x1014, 0]
        if not cob & 1 << 31 and len(self.pending) < HISTORY:
            self.pending.append(Frame(cob & 0x7FF, code.to_bytes(2, "little") + bytes([register]) + bytes(5)))

    def _history_cleared(self, count: int) -> None:
        for sub in range(1, HISTORY + 1):
            self.dictionary[0x1003, sub] = 0
