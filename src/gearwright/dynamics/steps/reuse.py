"""One stage for two phases of a step: which slots the second has to fill so that the first one's stage serves it.

The code of a step is then shorter, and is still in the instruction cache when it runs again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import casadi

from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar, is_number
from gearwright.dynamics.algebra.sparse import Matrix
from gearwright.dynamics.solve.masked import Masked
from gearwright.dynamics.solve.terms import Collected
from gearwright.model.layout.slots import SlotName


@dataclass(frozen=True)
class Form:
    """A problem as its numbers, and its form without them."""

    numbers: list[Scalar]
    rest: tuple[object, ...]

    @staticmethod
    def of(H: FrontalMatrix | Matrix, acting: Collected) -> Form:
        inertia = FrontalMatrix.of(H)
        numbers: list[Scalar] = []

        def taken(x: Scalar) -> Scalar:
            numbers.append(x)
            return 0.0

        inertia.mapped(taken)
        rows = [replace(e, erp=0.0) for e in acting.equalities]  # sweeps alone ask for it
        rest = replace(acting, lines=[], places=[], unread=0, equalities=rows).mapped(taken)
        return Form(numbers, (inertia.pattern, rest))


def refilled(known: Form, new: Form, own: Mapping[SlotName, Sequence[Scalar]]) -> dict[SlotName, list[Scalar]] | None:
    """New contents of the slots `own`, with which what is made for the known form solves the new one.

    None where the forms differ, or where what is the same element in one would be two numbers in the other.
    """
    if known.rest != new.rest:
        return None
    places = {
        x.sx.element_hash(): (slot, i)
        for slot, symbols in own.items()
        for i, x in enumerate(symbols)
        if not is_number(x)
    }
    filled: dict[tuple[SlotName, int], Scalar] = {}
    for old, x in zip(known.numbers, new.numbers, strict=True):
        if is_number(old):
            if not is_same(old, x):
                return None
            continue
        place = places.get(old.sx.element_hash())
        before = old if place is None else filled.setdefault(place, x)
        if not is_same(before, x):
            return None
    return {slot: [filled.get((slot, i), x) for i, x in enumerate(symbols)] for slot, symbols in own.items()}


def is_same(a: Scalar, b: Scalar) -> bool:
    """Whether two scalars are known to be equal."""
    if is_number(a) or is_number(b):
        return bool(is_number(a) and is_number(b) and a == b)
    return bool(a.sx.element_hash() == b.sx.element_hash() or casadi.is_equal(a.sx, b.sx, 3))


# --- a matrix's numbers in a slot -----------------------------------------------------------------------------------

T = TypeVar("T", FrontalMatrix, Factors | Masked)


def unknowns(M: FrontalMatrix | Factors | Masked) -> list[Scalar]:
    found: list[Scalar] = []

    def taken(x: Scalar) -> Scalar:
        if not is_number(x):
            found.append(x)
        return x

    M.mapped(taken)
    return found


def with_unknowns(M: T, values: Sequence[Scalar]) -> T:
    new = iter(values)
    return M.mapped(lambda x: x if is_number(x) else next(new))
