"""Sines and cosines of a group of angles: one test for large ones between them, so that the hot path has one branch.

The angles of a single robot lie side by side in vectors, since one takes about fifty instructions. Lane by lane these
are the same operations, with the same bits, as of one angle alone or of many robots.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from gearwright.compiler.backends.cpu.llvm.ir import Types, Value, Writer, types
from gearwright.compiler.backends.cpu.vector_math import large_arguments
from gearwright.compiler.backends.cpu.vector_math.trigonometric import SMALL_ARGUMENT, ReducedAngle, reduce, sincos

WIDEST = 8  # angles of one robot in a vector


class Lanes(NamedTuple):
    """Angles in the lanes of one value; the last lanes may repeat the last angle."""

    value: Value
    angles: int  # 1 where the lanes are robots


class Angles:
    """Writes the groups of one function; `lanes`: of the cold functions that it calls."""

    def __init__(self, w: Writer, t: Types) -> None:
        self.w, self.t = w, t
        self.lanes: set[int] = set()
        self.buffers: list[str] = []  # definitions, for the start of the function
        self._labels = count()

    def sines_and_cosines(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """The sines and cosines of the values of these names."""
        groups = self._packed(names)
        reduced = self._reduced([each.value for each in groups])
        found: list[tuple[str, str]] = []
        for each, angle in zip(groups, reduced, strict=True):
            halves = [half.rounded_to(types(half.t.lanes, _precision(self.t))) for half in sincos(angle)]
            found += zip(*(self._unpacked(half, each.angles) for half in halves), strict=True)
        return found

    def _packed(self, names: Sequence[str]) -> list[Lanes]:
        if self.t.lanes > 1:
            return [Lanes(Value(self.w, self.t, name).as_double(), 1) for name in names]
        return [self._side_by_side(names[i : i + WIDEST]) for i in range(0, len(names), WIDEST)]

    def _side_by_side(self, names: Sequence[str]) -> Lanes:
        if len(names) == 1:
            return Lanes(Value(self.w, self.t, names[0]).as_double(), 1)
        width = 1 << (len(names) - 1).bit_length()
        t, packed = types(width, _precision(self.t)), "poison"
        for i in range(width):
            name = names[min(i, len(names) - 1)]
            packed = self.w.assign(f"insertelement {t.F} {packed}, {self.t.F} {name}, i32 {i}")
        return Lanes(Value(self.w, t, packed).as_double(), len(names))

    def _unpacked(self, value: Value, angles: int) -> list[str]:
        """Through memory: an element is then an operand wherever it is used."""
        if angles == 1:
            return [value.name]
        buffer = f"%angles{next(self._labels)}"
        self.buffers.append(f"{buffer} = alloca {value.type}, align 64")
        self.w.line(f"store {value.type} {value.name}, ptr {buffer}, align 64")
        places = [self.w.assign(f"getelementptr {self.t.F}, ptr {buffer}, i64 {i}") for i in range(angles)]
        return [self.w.assign(f"load {self.t.F}, ptr {place}, align {self.t.bits // 8}") for place in places]

    def _reduced(self, angles: Sequence[Value]) -> list[ReducedAngle]:
        w = self.w
        fast = [reduce(x) for x in angles]
        flag = self._any_large(angles)
        label = next(self._labels)
        w.line(f"br label %fast{label}\nfast{label}:")
        w.line(f"br i1 {flag}, label %large{label}, label %join{label}, !prof !0\nlarge{label}:")
        slow = [self._reduce_large(x, r) for x, r in zip(angles, fast, strict=True)]
        w.line(f"br label %join{label}\njoin{label}:")

        def joined(f: Value, s: Value) -> Value:
            name = w.assign(f"phi {f.type} [ {f.name}, %fast{label} ], [ {s.name}, %large{label} ]")
            return Value(w, f.t, name, f.kind)

        return [ReducedAngle(*map(joined, a, b)) for a, b in zip(fast, slow, strict=True)]

    def _any_large(self, angles: Sequence[Value]) -> str:
        """The largest of those in vectors of one width, and one test a width."""
        largest: dict[int, Value] = {}
        for x in angles:
            size, before = x.abs(), largest.get(x.t.lanes)
            largest[x.t.lanes] = size if before is None else size.where(size > before, before)
        flags = [self._any(x > SMALL_ARGUMENT) for x in largest.values()]
        found = flags[0]
        for flag in flags[1:]:
            found = self.w.assign(f"or i1 {found}, {flag}")
        return found

    def _any(self, truth: Value) -> str:
        lanes = truth.t.lanes
        if lanes == 1:
            return truth.name
        mask = self.w.assign(f"bitcast {truth.type} {truth.name} to i{lanes}")
        return self.w.assign(f"icmp ne i{lanes} {mask}, 0")

    def _reduce_large(self, x: Value, fast: ReducedAngle) -> ReducedAngle:
        w, lanes = self.w, x.t.lanes
        if lanes not in self.lanes:
            self.lanes.add(lanes)
            self.buffers.append(f"%buffer{lanes} = alloca [{4 * lanes} x double], align 64")
        places = [w.assign(f"getelementptr i8, ptr %buffer{lanes}, i64 {k * lanes * 8}") for k in range(4)]
        for value, place in zip((x, *fast), places, strict=True):
            w.line(f"store {value.type} {value.name}, ptr {place}, align 8")
        w.line(f"call void @{large_arguments.function(lanes)}(ptr %buffer{lanes})")
        loaded = (
            w.assign(f"load {old.type}, ptr {place}, align 8") for old, place in zip(fast, places[1:], strict=True)
        )
        return ReducedAngle(*(Value(w, x.t, name, old.kind) for name, old in zip(loaded, fast, strict=True)))


def _precision(t: Types) -> str:
    return "double" if t.bits == 64 else "single"
