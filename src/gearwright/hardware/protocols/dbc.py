"""DBC files: messages and signals of a bus, for tools that decode it. Protocols describe them, this writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["unsigned", "signed", "float"]


@dataclass(frozen=True)
class DbcSignal:
    """Bits of a message. `start` counts from the first bit on the wire: of a big-endian one, its highest."""

    name: str
    start: int
    length: int
    kind: Kind = "unsigned"
    scale: float = 1.0
    offset: float = 0.0
    unit: str = ""
    big_endian: bool = False
    values: tuple[tuple[int, str], ...] = ()

    @property
    def line(self) -> str:
        first = self.start // 8 * 8 + 7 - self.start % 8 if self.big_endian else self.start
        order = f"@{0 if self.big_endian else 1}{'-' if self.kind != 'unsigned' else '+'}"
        return (
            f" SG_ {self.name} : {first}|{self.length}{order} ({self.scale:.17g},{self.offset:.17g}) [0|0] "
            f'"{self.unit}" Vector__XXX'
        )


@dataclass(frozen=True)
class Message:
    id: int
    name: str
    length: int
    sender: str
    signals: tuple[DbcSignal, ...] = ()
    extended: bool = field(default=False)

    @property
    def number(self) -> int:
        """As DBC files have it: bit 31 marks extended ids."""
        return self.id | (1 << 31 if self.extended else 0)


def written(messages: Iterable[Message]) -> str:
    """The text of a DBC file."""
    rows = list(messages)
    nodes = sorted({m.sender for m in rows})
    lines = ['VERSION ""', "", "NS_ :", "", "BS_:", "", f"BU_: {' '.join(nodes)}", ""]
    for m in rows:
        lines += [f"BO_ {m.number} {m.name}: {m.length} {m.sender}", *(s.line for s in m.signals), ""]
    for m in rows:
        for s in m.signals:
            if s.values:
                names = " ".join(f'{value} "{name}"' for value, name in s.values)
                lines.append(f"VAL_ {m.number} {s.name} {names} ;")
            if s.kind == "float":
                lines.append(f"SIG_VALTYPE_ {m.number} {s.name} : 1;")
    return "\n".join([*lines, ""])
