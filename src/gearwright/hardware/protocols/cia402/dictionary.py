"""The values of an object dictionary: read and written as bytes, by the rules of its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gearwright.hardware.protocols.cia402 import aborts
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.objects import NODE_RELATIVE, OBJECTS, Object

Key: TypeAlias = tuple[int, int]  # index, subindex
Value: TypeAlias = int | str

ROWS: dict[Key, Object] = {(row.index, row.sub): row for row in OBJECTS}
INDICES = frozenset(row.index for row in OBJECTS)


class Dictionary:
    """One node's values.

    `live` gives a value at the instant of reading, `written` is called after the row's own checks and may refuse.
    """

    def __init__(self, node: int, defaults: dict[Key, Value]) -> None:
        self.defaults = {key: _default(row, node) for key, row in ROWS.items()} | defaults
        self.values: dict[Key, Value] = dict(self.defaults)
        self.live: dict[Key, Callable[[], int]] = {}
        self.written: dict[Key, Callable[[int], None]] = {}

    def __getitem__(self, key: Key) -> int:
        """A number, as the drive itself reads it."""
        return self.values[key]  # type: ignore[return-value]  # texts are read by `read` alone

    def __setitem__(self, key: Key, value: int) -> None:
        self.values[key] = value

    def row(self, index: int, sub: int) -> Object:
        row = ROWS.get((index, sub))
        if row is None:
            raise SdoAbortError(aborts.NO_SUBINDEX if index in INDICES else aborts.NO_OBJECT)
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


def _default(row: Object, node: int) -> Value:
    if isinstance(row.default, int) and row.index in NODE_RELATIVE and row.sub == (0 if row.index == 0x1014 else 1):
        return row.default + node
    return row.default
