"""A serial servo behind a control table, part of which outlives a power cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal

from gearwright.hardware.device import SerialDevice
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.protocols.registers import EEPROM, RAM, ControlTable, Register, changed


class RegisterServo(SerialDevice):
    """`table` is what clients read and write; `_eeprom` is its image as a power cycle finds it.

    Option `integral` [1/s]: the I gain as delivered, over the P gain.
    """

    integral: ClassVar[tuple[str, str, float]] = ("i", "p", 0.0)  # registers of the I and P gains, I/P for 1/s

    def __init__(
        self, drive: MotorDrive, node: int, options: Mapping[str, str] | None, rows: Sequence[Register], length: int,
        order: Literal["little", "big"] = "little",
    ) -> None:  # fmt: skip
        super().__init__(drive, node, options)
        self.table = ControlTable(self._delivered(rows), length, order)
        self.table["id"] = node
        self._eeprom = bytes(self.table.image)

    def _delivered(self, rows: Sequence[Register]) -> Sequence[Register]:
        i, p, unit = self.integral
        wanted, by_name = self.number_option("integral", 0.0), {row.name: row for row in rows}
        if not wanted or i not in by_name:
            return rows
        return changed(rows, {i: min(by_name[i].most, round(wanted * unit * by_name[p].default))})

    @property
    def powered(self) -> bool:
        return self.drive.powered

    def power_on(self, t: float) -> None:
        """The table as a power cycle leaves it."""
        self.table.image[:] = self._eeprom
        self.table.reset((RAM,))
        self.node = self.table["id"]

    def _save(self, rows: Iterable[Register]) -> None:
        """A power cycle finds the EEPROM registers among these as they are now."""
        saved = bytearray(self._eeprom)
        for row in rows:
            if row.kind == EEPROM:
                saved[row.bytes] = self.table.image[row.bytes]
        self._eeprom = bytes(saved)

    @property
    def memory(self) -> dict[str, int | float | str]:
        kept = ControlTable(self.table.rows, len(self.table.image), self.table.order)
        kept.image[:] = self._eeprom
        return kept.kept

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.table.restore(values)
        self._eeprom = bytes(self.table.image)
        self.node = self.table["id"]
