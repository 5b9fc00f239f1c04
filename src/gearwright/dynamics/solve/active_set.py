"""Rows that hold something still, solved together: what sweeps approach one row at a time.

Once sweeps have found out which rows hold (friction within its bounds, axes on their stops), these are equalities. They
are solved at once, and a robot at rest has the impulses that keep it there to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import casadi

from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.algebra.scalar import Scalar, both, either, is_zero, minus, plus, times, where
from gearwright.dynamics.algebra.sparse import Matrix
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweep_rows import UNBOUNDED
from gearwright.dynamics.solve.sweeps import Resolved, Responses


class Held(NamedTuple):
    """Whether a row holds, what of its rate is wrong, and between which impulses it goes on holding."""

    holds: Scalar
    wrong: Scalar
    fits: tuple[Scalar, Scalar]


def held(row: Resolved, impulse: Scalar, rate: Scalar) -> Held | None:
    """None for a row that never holds: an actuator's law."""
    if row.law is not None or row.box is None:
        return None
    lower, upper = row.box
    if row.only_stops:
        sticks, wrong = False, 0.0
    else:
        sticks = both(impulse > lower, impulse < upper)
        wrong = plus(plus(rate, row.bias), times(row.cfm, impulse))
    holds, low, high = sticks, lower, upper
    if row.rate_min is not None:
        stopped = impulse > upper
        holds, wrong = either(holds, stopped), where(stopped, minus(rate, row.rate_min), wrong)
        low, high = where(stopped, upper, low), where(stopped, UNBOUNDED, high)
    if row.rate_max is not None:
        stopped = impulse < lower
        holds, wrong = either(holds, stopped), where(stopped, minus(rate, row.rate_max), wrong)
        low, high = where(stopped, -UNBOUNDED, low), where(stopped, lower, high)
    return None if holds is False else Held(holds, wrong, (low, high))


def solve_active_set(
    rows: Sequence[Resolved], A: Responses, impulses: Sequence[Scalar], rates: Sequence[Scalar], floors: Floors
) -> list[Scalar]:
    """Impulses with which every row that holds has the rate it wants; as they were, where one would have to let go."""
    each = {i: h for i, row in enumerate(rows) if (h := held(row, impulses[i], rates[i])) is not None}
    place = {i: n for n, i in enumerate(each)}
    B: Matrix = {}
    for (i, j), a in A.A.items():
        if i == j and i in each:
            B[place[i], place[i]] = where(each[i].holds, plus(a, rows[i].cfm), 1.0)
        elif i in each and j in each and not is_zero(a):
            m, n = sorted((place[i], place[j]))
            B[n, m] = where(both(each[i].holds, each[j].holds), a, 0.0)
    least = [times(floors.conflicting, A.A[i, i]) for i in each]
    wrong = [where(h.holds, minus(0.0, h.wrong), 0.0) for h in each.values()]
    steps = factorise(B, len(each), least).solve(wrong)
    fine: Scalar = True
    new = list(impulses)
    for (i, h), step in zip(each.items(), steps, strict=True):
        new[i] = plus(impulses[i], step)
        inside = both(new[i] >= h.fits[0], new[i] <= h.fits[1])
        fine = both(fine, either(casadi.logic_not(h.holds), inside))
    return [where(fine, x, old) for x, old in zip(new, impulses, strict=True)]
