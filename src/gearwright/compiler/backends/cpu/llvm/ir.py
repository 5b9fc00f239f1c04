"""LLVM assembly as text: a writer of lines, and values with operators to write mathematics on.

Text is several times faster to make than llvmlite's IR objects, and parsing it costs little. `lanes` = 1 gives scalar
types, anything else vector types; one and the same mathematics is written for both, so both give the same bits.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from gearwright.compiler.backend import in_single_precision


class Types(NamedTuple):
    """Names of the LLVM types of one width and precision."""

    F: str  # floating point
    I: str  # integers as wide as F, lane by lane  # noqa: E741
    B: str  # truth values
    S: str  # suffix of intrinsics, such as v8f64
    scalar: str
    lanes: int
    bits: int


def types(lanes: int, precision: str) -> Types:
    """LLVM's type names for so many lanes of "double" or "single"."""
    scalar, bits = {"double": ("double", 64), "single": ("float", 32)}[precision]
    if lanes == 1:
        return Types(scalar, f"i{bits}", "i1", f"f{bits}", scalar, 1, bits)
    return Types(
        f"<{lanes} x {scalar}>",
        f"<{lanes} x i{bits}>",
        f"<{lanes} x i1>",
        f"v{lanes}f{bits}",
        scalar,
        lanes,
        bits,
    )


def number(value: float, t: Types) -> str:
    """A floating-point constant as LLVM spells it, exactly; `float` constants are written as rounded doubles."""
    if t.bits == 32:
        value = struct.unpack("<f", struct.pack("<f", in_single_precision(value)))[0]
    pattern = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return pattern if t.lanes == 1 else f"splat ({t.scalar} {pattern})"


def integer(value: int, t: Types) -> str:
    """An integer constant, signed or as a bit pattern."""
    value = (value + (1 << (t.bits - 1))) % (1 << t.bits) - (1 << (t.bits - 1))
    return f"{value}" if t.lanes == 1 else f"splat (i{t.bits} {value})"


class Writer:
    """Collects the lines of one function, hands out names, and records the intrinsics that must be declared."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"%t{self._count}"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def assign(self, text: str) -> str:
        """`%new = text`; returns the new name."""
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def intrinsic(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        """Calls `@name`, declaring it; arguments are (type, value) pairs."""
        self.declarations.add(f"declare {result} @{name}({', '.join(kind for kind, _ in arguments)})")
        return self.assign(f"call {result} @{name}({', '.join(f'{kind} {value}' for kind, value in arguments)})")


class Value:
    """A value in the function that `w` is writing: floating point, integer or truth ("F", "I" or "B" of `t`)."""

    __slots__ = ("kind", "name", "t", "w")

    def __init__(self, w: Writer, t: Types, name: str, kind: str = "F") -> None:
        self.w, self.t, self.name, self.kind = w, t, name, kind

    @property
    def type(self) -> str:
        return str(getattr(self.t, self.kind))

    def _like(self, text: str, kind: str = "") -> Value:
        return Value(self.w, self.t, self.w.assign(text), kind or self.kind)

    def _text(self, other: Value | float | int) -> str:
        if isinstance(other, Value):
            return other.name
        return number(float(other), self.t) if self.kind == "F" else integer(int(other), self.t)

    def _binary(self, floating: str, integral: str, other: Value | float) -> Value:
        return self._like(f"{floating if self.kind == 'F' else integral} {self.type} {self.name}, {self._text(other)}")

    def constant(self, value: float) -> Value:
        """A constant of this value's type."""
        return Value(self.w, self.t, self._text(value), self.kind)

    def __add__(self, other: Value | float) -> Value:
        return self._binary("fadd", "add", other)

    def __sub__(self, other: Value | float) -> Value:
        return self._binary("fsub", "sub", other)

    def __rsub__(self, other: float) -> Value:
        return self.constant(other) - self

    def __mul__(self, other: Value | float) -> Value:
        return self._binary("fmul", "mul", other)

    def __truediv__(self, other: Value | float) -> Value:
        return self._binary("fdiv", "", other)

    def __rtruediv__(self, other: float) -> Value:
        return self.constant(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Value:
        return self._like(f"fneg {self.type} {self.name}")

    def __and__(self, other: Value | int) -> Value:
        return self._binary("", "and", other)

    def __or__(self, other: Value | int) -> Value:
        return self._binary("", "or", other)

    def __xor__(self, other: Value | int) -> Value:
        return self._binary("", "xor", other)

    def __invert__(self) -> Value:
        """Not, of a truth value."""
        true = "true" if self.t.lanes == 1 else "splat (i1 true)"
        return self._like(f"xor {self.type} {self.name}, {true}")

    def __lshift__(self, by: int) -> Value:
        return self._binary("", "shl", by)

    def __rshift__(self, by: int) -> Value:
        """Arithmetic: the sign comes in from the left."""
        return self._binary("", "ashr", by)

    def _compare(self, predicate: str, other: Value | float) -> Value:
        name = "fcmp" if self.kind == "F" else "icmp"
        return self._like(f"{name} {predicate} {self.type} {self.name}, {self._text(other)}", "B")

    def __lt__(self, other: Value | float) -> Value:
        return self._compare("olt", other)

    def __gt__(self, other: Value | float) -> Value:
        return self._compare("ogt", other)

    def __ge__(self, other: Value | float) -> Value:
        return self._compare("oge", other)

    def equals(self, other: Value | float) -> Value:
        """False if either is NaN."""
        return self._compare("oeq" if self.kind == "F" else "eq", other)

    def differs(self, other: Value | float) -> Value:
        """True if either is NaN."""
        return self._compare("une" if self.kind == "F" else "ne", other)

    def is_nan(self) -> Value:
        return self._compare("uno", self)

    def where(self, condition: Value, otherwise: Value | float) -> Value:
        """This value where `condition` holds, `otherwise` elsewhere."""
        return self._like(
            f"select {condition.type} {condition.name}, {self.type} {self.name}, {self.type} {self._text(otherwise)}"
        )

    def fma(self, factor: Value | float, addend: Value | float) -> Value:
        """self·factor + addend, rounded once."""
        f = self.type
        arguments = [(f, self.name), (f, self._text(factor)), (f, self._text(addend))]
        return Value(self.w, self.t, self.w.intrinsic(f"llvm.fma.{self.t.S}", f, *arguments))

    def unary(self, name: str) -> Value:
        """An intrinsic of one argument, such as "sqrt" or "fabs"."""
        return Value(self.w, self.t, self.w.intrinsic(f"llvm.{name}.{self.t.S}", self.type, (self.type, self.name)))

    def abs(self) -> Value:
        return self.unary("fabs")

    def sqrt(self) -> Value:
        return self.unary("sqrt")

    def copysign(self, sign: Value) -> Value:
        pair = (self.type, self.name), (self.type, sign.name)
        return Value(self.w, self.t, self.w.intrinsic(f"llvm.copysign.{self.t.S}", self.type, *pair))

    def bits(self) -> Value:
        """The bit pattern as an integer."""
        return self._like(f"bitcast {self.type} {self.name} to {self.t.I}", "I")

    def as_number(self) -> Value:
        """The bit pattern of an integer read as a floating-point number."""
        return self._like(f"bitcast {self.type} {self.name} to {self.t.F}", "F")

    def as_double(self) -> Value:
        """Converted to double precision (nothing happens if it is)."""
        if self.t.bits == 64:
            return self
        wide = types(self.t.lanes, "double")
        return Value(self.w, wide, self.w.assign(f"fpext {self.type} {self.name} to {wide.F}"))

    def rounded_to(self, t: Types) -> Value:
        """Converted to the precision of `t`."""
        if t.bits == self.t.bits:
            return self
        return Value(self.w, t, self.w.assign(f"fptrunc {self.type} {self.name} to {t.F}"))


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """c0 + c1·x + c2·x² + …, by Horner's rule with fused multiply-adds."""
    total = x.constant(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total.fma(x, c)
    return total


Pair = tuple[Value, Value]
