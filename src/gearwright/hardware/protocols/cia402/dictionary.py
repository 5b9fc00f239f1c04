"""The values of an object dictionary: read and written as bytes, by the rules of its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gearwright.hardware.protocols.cia402 import aborts
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.data_sheets import PDOS, DriveSheet
from gearwright.hardware.protocols.cia402.objects import NODE_RELATIVE, OBJECTS, RECORDS, Object

Key: TypeAlias = tuple[int, int]  # index, subindex
Value: TypeAlias = int | str

ROWS: dict[Key, Object] = {(row.index, row.sub): row for row in OBJECTS}
INDICES = frozenset(row.index for row in OBJECTS)


class Dictionary:
    """One node's values.

    `live` gives a value at the instant of reading, `written` is called after the row's own checks and may refuse.
    """

    def __init__(self, node: int, defaults: dict[Key, Value], sheet: DriveSheet | None = None) -> None:
        more = sheet if sheet is not None else DriveSheet()
        self.rows = ROWS | {(row.index, row.sub): row for row in more.objects}
        self.records = RECORDS | more.records
        self._indices = INDICES | {row.index for row in more.objects}
        own = {key: _default(row, node) for key, row in ROWS.items()} | defaults
        values = {key: value for key, value in more.values.items() if key in ROWS}
        refused = {index for index in PDOS if not _can_be_mapped(index, own | values, self.rows)}
        self.defaults = own | {key: value for key, value in values.items() if key[0] not in refused}
        self.defaults |= {(row.index, row.sub): row.default for row in more.objects}
        self.values: dict[Key, Value] = dict(self.defaults)
        self.live: dict[Key, Callable[[], int]] = {}
        self.written: dict[Key, Callable[[int], None]] = {}

    def __getitem__(self, key: Key) -> int:
        """A number, as the drive itself reads it."""
        return self.values[key]  # type: ignore[return-value]  # texts are read by `read` alone

    def __setitem__(self, key: Key, value: int) -> None:
        self.values[key] = value

    def row(self, index: int, sub: int) -> Object:
        row = self.rows.get((index, sub))
        if row is None:
            raise SdoAbortError(aborts.NO_SUBINDEX if index in self._indices else aborts.NO_OBJECT)
        return row

    def getter(self, key: Key) -> Callable[[], int]:
        """How the drive itself reads a number, live or stored."""
        return self.live.get(key) or (lambda: self[key])

    def read(self, index: int, sub: int) -> bytes:
        row = self.row(index, sub)
        if row.access == "wo":
            raise SdoAbortError(aborts.WRITE_ONLY)
        live = self.live.get((index, sub))
        value = self.values[index, sub] if live is None else live()
        if isinstance(value, str):
            return value.encode("ascii", "replace")
        return row.type.struct.pack(min(max(value, row.type.low), row.type.high))

    def write(self, index: int, sub: int, data: bytes) -> None:
        row = self.row(index, sub)
        if row.access in ("ro", "const"):
            raise SdoAbortError(aborts.READ_ONLY)
        if not row.type.size:
            self.values[index, sub] = data.rstrip(b"\0").decode("ascii", "replace")
            return
        if len(data) != row.type.size:
            raise SdoAbortError(aborts.LENGTH)
        (value,) = row.type.struct.unpack(data)
        if (row.low is not None and value < row.low) or (row.high is not None and value > row.high):
            raise SdoAbortError(aborts.RANGE)
        written = self.written.get((index, sub))
        if written is not None:
            written(value)
        self.values[index, sub] = value


def _can_be_mapped(index: int, values: dict[Key, Value], rows: dict[Key, Object]) -> bool:
    """Whether this drive can have a record of a PDO: its id, or the objects and the bytes of its mapping."""
    if not index & 0x200:
        cob = values.get((index, 1), 0)
        return isinstance(cob, int) and cob & 0x1FFFFFFF <= 0x7FF
    count = values.get((index, 0), 0)
    entries = [values.get((index, sub), 0) for sub in range(1, int(count) + 1)]
    mapped = [(rows.get((int(e) >> 16, int(e) >> 8 & 0xFF)), int(e) & 0xFF) for e in entries]
    fits = all(row is not None and row.type.size * 8 == bits for row, bits in mapped)
    writes = index < 0x1800
    allowed = all(row is not None and row.access not in (("ro", "const") if writes else ("wo",)) for row, _ in mapped)
    return fits and allowed and sum(bits for _, bits in mapped) <= 64


def _default(row: Object, node: int) -> Value:
    if isinstance(row.default, int) and row.index in NODE_RELATIVE and row.sub == (0 if row.index == 0x1014 else 1):
        return row.default + node
    return row.default
