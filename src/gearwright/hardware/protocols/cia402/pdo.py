"""Process data: RPDOs that write objects and TPDOs that send them, mapped and remapped over SDO."""

from __future__ import annotations

import struct
from contextlib import suppress
from math import inf

from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.cia402 import aborts
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.dictionary import Dictionary
from gearwright.hardware.protocols.loop_gains import ROUNDING

COUNT = 4  # of each direction
OFF, NO_REMOTE = 1 << 31, 1 << 30
SYNCHRONOUS, REMOTE_SYNC, REMOTE = 240, 252, 253  # transmission types; 254 and 255 are events


class Pdo:
    """One PDO: its communication record and its mapping, read from the dictionary when either is written."""

    def __init__(self, dictionary: Dictionary, communication: int, mapping: int) -> None:
        self.dictionary, self.communication, self.mapping = dictionary, communication, mapping
        dictionary.written[communication, 1] = self._cob_written
        dictionary.written[communication, 2] = self._type_written
        dictionary.written[mapping, 0] = self._count_written
        for sub in range(1, 9):
            dictionary.written[mapping, sub] = self._entry_written
        self.configure()

    def configure(self) -> None:
        """Takes the records as they are now."""
        self.cob = self.dictionary[self.communication, 1]
        self.type = self.dictionary[self.communication, 2]
        entries = [self.dictionary[self.mapping, n] for n in range(1, self.dictionary[self.mapping, 0] + 1)]
        self.mapped = [(entry >> 16, entry >> 8 & 0xFF, (entry & 0xFF) // 8) for entry in entries]
        self.size = sum(size for *_, size in self.mapped)
        self._mapping_changed()

    @property
    def valid(self) -> bool:
        return not self.cob & OFF and bool(self.mapped)

    @property
    def id(self) -> int:
        return self.cob & 0x7FF

    def _cob_written(self, cob: int) -> None:
        if not (cob | self.cob) & OFF and cob & 0x1FFFFFFF != self.cob & 0x1FFFFFFF:
            raise SdoAbortError(aborts.DEVICE_STATE)  # CiA 301: switch it off before its id is changed
        if cob & 0x1FFFFFFF > 0x7FF:
            raise SdoAbortError(aborts.RANGE)
        self.cob = cob

    def _type_written(self, kind: int) -> None:
        if SYNCHRONOUS < kind < REMOTE_SYNC:
            raise SdoAbortError(aborts.RANGE)
        self.type = kind

    def _entry_written(self, entry: int) -> None:
        if self.mapped:
            raise SdoAbortError(aborts.DEVICE_STATE)  # the count is set to 0 first
        row = self.dictionary.rows.get((entry >> 16, entry >> 8 & 0xFF))
        if entry and (row is None or not row.mappable or row.type.size * 8 != entry & 0xFF):
            raise SdoAbortError(aborts.NOT_MAPPABLE)

    def _count_written(self, count: int) -> None:
        entries = [self.dictionary[self.mapping, n] for n in range(1, count + 1)]
        if any(entry == 0 for entry in entries):
            raise SdoAbortError(aborts.NOT_MAPPABLE)
        mapped = [(entry >> 16, entry >> 8 & 0xFF, (entry & 0xFF) // 8) for entry in entries]
        if sum(size for *_, size in mapped) > 8:
            raise SdoAbortError(aborts.MAP_TOO_LONG)
        self._check(mapped)
        self.mapped, self.size = mapped, sum(size for *_, size in mapped)
        self._mapping_changed()

    def _check(self, mapped: list[tuple[int, int, int]]) -> None:
        """Whether this direction can carry the objects."""

    def _mapping_changed(self) -> None:
        """After `mapped` was set."""


class ReceivePdo(Pdo):
    """Writes its objects at once, or at the next SYNC."""

    waiting: bytes | None = None

    def _check(self, mapped: list[tuple[int, int, int]]) -> None:
        if any(self.dictionary.rows[index, sub].access in ("ro", "const") for index, sub, _ in mapped):
            raise SdoAbortError(aborts.NOT_MAPPABLE)

    def receive(self, data: bytes) -> None:
        if self.type <= SYNCHRONOUS:
            self.waiting = data
        else:
            self.apply(data)

    def on_sync(self) -> bool:
        """Whether something had waited for it."""
        if self.waiting is None:
            return False
        data, self.waiting = self.waiting, None
        self.apply(data)
        return True

    def apply(self, data: bytes) -> None:
        at = 0
        for index, sub, size in self.mapped:
            with suppress(SdoAbortError):  # out of range: the object keeps its value, as there is nobody to tell
                self.dictionary.write(index, sub, data[at : at + size])
            at += size


class TransmitPdo(Pdo):
    """Sends its objects at SYNCs, when they change, when its timer runs out, or when it is asked."""

    def configure(self) -> None:
        super().configure()
        self.restart(0.0)

    def restart(self, t: float) -> None:
        """At the start of OPERATIONAL everything is sent once."""
        self.last: bytes | None = None
        self._syncs = 0
        self._timer, self._inhibited = t, t

    def _mapping_changed(self) -> None:
        self._struct = struct.Struct(
            "<" + "".join(self.dictionary.rows[index, sub].type.format for index, sub, _ in self.mapped)
        )
        self._values = [self.dictionary.getter((index, sub)) for index, sub, _ in self.mapped]

    def frame(self) -> Frame:
        try:
            return Frame(self.id, self._struct.pack(*[value() for value in self._values]))
        except struct.error:  # a value beyond its type: the ordinary way stops at its end
            read = self.dictionary.read
            return Frame(self.id, b"".join(read(index, sub) for index, sub, _ in self.mapped))

    def on_sync(self) -> list[Frame]:
        if not self.valid or self.type > SYNCHRONOUS:
            return []
        self._syncs += 1
        if self._syncs < self.type:
            return []
        self._syncs = 0
        made = self.frame()
        if self.type == 0 and made.data == self.last:
            return []
        self.last = made.data
        return [made]

    def on_remote(self) -> list[Frame]:
        return [self.frame()] if self.valid and not self.cob & NO_REMOTE else []

    def on_event(self, t: float) -> list[Frame]:
        """For the types 254 and 255: on change, not before the inhibit time, and when the event timer has run out."""
        if t + ROUNDING < self._inhibited:
            return []
        made = self.frame()
        if made.data == self.last and t + ROUNDING < self.timer_due:
            return []
        self.last, self._timer = made.data, t
        self._inhibited = t + self.dictionary[self.communication, 3] * 1e-4
        return [made]

    @property
    def timer_due(self) -> float:
        period = self.dictionary[self.communication, 5]
        return self._timer + period * 1e-3 if period else inf
