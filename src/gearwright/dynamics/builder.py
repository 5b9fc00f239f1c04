"""Builds a step: stages over named slots, and counted loops over stages.

A stage is a CasADi Function. It reads the slots that its expressions contain and writes the ones it is given; after
it, the written slots stand for what it computed. So the text of a step reads like one calculation, and each `stage`
cuts it where a loop begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import casadi
from casadi import SX, Function

from gearwright.dynamics.scalar import Scalar, as_written, column, is_number, scalars


@dataclass(frozen=True)
class Repeat:
    """`body`, `count` times at most, or until the named number is not zero."""

    count: int
    body: tuple[Function | Repeat, ...]
    until: str | None = None


Body = tuple[Function | Repeat, ...]


class StepBuilder:
    """The stages of one step in the making. `inputs` are the slots that a step begins with."""

    def __init__(self, inputs: Mapping[str, SX]) -> None:
        self._slots: dict[str, SX] = dict(inputs)
        self._open: list[list[Function | Repeat]] = [[]]
        self._begun = False  # the first stage reads all inputs, so that a program has them

    @property
    def body(self) -> Body:
        (body,) = self._open
        return tuple(body)

    def __getitem__(self, slot: str) -> list[Scalar]:
        """The numbers of a slot, as they stand after the stages so far."""
        return scalars(self._slots[slot])

    def __contains__(self, slot: str) -> bool:
        return slot in self._slots

    def stage(self, name: str, outputs: Mapping[str, Sequence[Scalar] | Carrier]) -> None:
        """Ends a stage: the outputs are computed and stored."""
        written = {slot: x.values if isinstance(x, Carrier) else list(x) for slot, x in outputs.items()}
        with as_written():
            columns = casadi.cse([column(values) for values in written.values()])
        read = self._read_by(columns) if self._begun else list(self._slots)
        self._begun = True
        symbols = [self._slots[slot] for slot in read]
        names = {"allow_duplicate_io_names": True}
        self._open[-1].append(Function(name, symbols, columns, read, list(written), names))
        for slot, x in outputs.items():
            if isinstance(x, Carrier):
                self._slots[slot] = column(x.symbols)
            elif slot not in self._slots:
                self._slots[slot] = SX.sym(slot, len(written[slot]))

    @contextmanager
    def loop(self, count: int, until: str | None = None) -> Iterator[None]:
        """The stages inside are repeated. The slot that ends the loop is written before it."""
        self._open.append([])
        yield
        inner = tuple(self._open.pop())
        self._open[-1].append(Repeat(count, inner, until))

    def _read_by(self, columns: Sequence[SX]) -> list[str]:
        used = {s.element_hash() for s in casadi.symvar(casadi.vertcat(*columns))}
        return [
            name for name, symbol in self._slots.items()
            if any(s.element_hash() in used for s in casadi.symvar(symbol))
        ]  # fmt: skip


class Carrier:
    """Collects what one stage computes for later ones, and puts a slot's symbols in its place."""

    def __init__(self) -> None:
        self.values: list[Scalar] = []
        self.symbols: list[SX] = []
        self._known: dict[int, SX] = {}

    def __call__(self, x: Scalar) -> Scalar:
        if is_number(x):
            return x
        key = x.element_hash()  # the same value is carried once
        if key not in self._known:
            self.values.append(x)
            self.symbols.append(SX.sym(f"c{len(self.symbols)}"))
            self._known[key] = self.symbols[-1]
        return self._known[key]
