"""Control tables: registers at byte addresses, in a bytes image; EEPROM and RAM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

READ_ONLY, RAM, EEPROM = "read-only", "RAM", "EEPROM"


@dataclass(frozen=True)
class Register:
    """One row of a control table."""

    name: str
    address: int
    size: int  # bytes
    kind: str  # READ_ONLY, RAM, EEPROM
    default: int = 0
    low: int = 0
    high: int | None = None  # None: all that its bytes can hold

    @property
    def bytes(self) -> slice:
        """Where it is in the table's image."""
        return slice(self.address, self.address + self.size)

    @property
    def most(self) -> int:
        return (1 << 8 * self.size) - 1 if self.high is None else self.high


def changed(
    rows: Iterable[Register], values: Mapping[str, int], most: Mapping[str, int] | None = None
) -> tuple[Register, ...]:
    """The table with other values as delivered, and other ends of ranges."""
    ends = most or {}
    return tuple(replace(r, default=values.get(r.name, r.default), high=ends.get(r.name, r.high)) for r in rows)


class ControlTable:
    """The registers of one servo. `image` is what a client reads, byte by byte."""

    def __init__(self, rows: Iterable[Register], length: int, order: Literal["little", "big"] = "little") -> None:
        self.rows, self.order = tuple(rows), order
        self.by_name = {r.name: r for r in self.rows}
        self.image = bytearray(length)
        self._writable = bytearray(length)  # 1 where a client may write
        self._at: list[Register | None] = [None] * length
        for row in self.rows:
            for address in range(row.address, row.address + row.size):
                self._at[address] = row
                self._writable[address] = row.kind != READ_ONLY
        for row in self.rows:
            self[row.name] = row.default

    def __getitem__(self, name: str) -> int:
        row = self.by_name[name]
        return int.from_bytes(self.image[row.bytes], self.order)

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def __setitem__(self, name: str, value: int) -> None:
        row = self.by_name[name]
        wrapped = value & ((1 << 8 * row.size) - 1)
        self.image[row.bytes] = wrapped.to_bytes(row.size, self.order)

    def signed(self, name: str) -> int:
        """Two's complement."""
        value, bits = self[name], 8 * self.by_name[name].size
        return value - (1 << bits) if value >> (bits - 1) else value

    def written(self, address: int, length: int) -> list[Register]:
        """Registers that a write touches, in order."""
        found = dict.fromkeys(self._at[address : address + length])
        return [row for row in found if row is not None]

    def changed(self, before: bytes) -> list[Register]:
        """Registers that an earlier image had with other bytes."""
        return [row for row in self.rows if self.image[row.bytes] != before[row.bytes]]

    def writable(self, address: int, length: int) -> bool:
        """Whether all of these addresses are there and none is read-only."""
        end = address + length
        return end <= len(self.image) and all(
            self._at[a] is None or self._writable[a] for a in range(address, end)
        )  # fmt: skip

    def reset(self, kinds: Iterable[str]) -> None:
        """To the defaults."""
        for row in self.rows:
            if row.kind in kinds:
                self[row.name] = row.default

    @property
    def kept(self) -> dict[str, int | float | str]:
        """EEPROM registers by name."""
        return {r.name: self[r.name] for r in self.rows if r.kind == EEPROM}

    def restore(self, values: Mapping[str, int | float | str]) -> None:
        """Takes what fits of EEPROM registers by name."""
        for name, value in values.items():
            row = self.by_name.get(name)
            if row is not None and row.kind == EEPROM and isinstance(value, int) and row.low <= value <= row.most:
                self[name] = value


def sign_magnitude(value: int, bit: int) -> int:
    """An integer with its sign in one bit, its magnitude below, at most all of it."""
    magnitude = min(abs(value), (1 << bit) - 1)
    return magnitude | (1 << bit) if value < 0 else magnitude


def from_sign_magnitude(word: int, bit: int) -> int:
    magnitude = word & ((1 << bit) - 1)
    return -magnitude if word >> bit & 1 else magnitude
