"""The impulses of all rows: equalities eliminated together, what has bounds swept over by projected Gauss–Seidel.

With `u* = M̂⁻¹·(…)` the velocities without rows, `Y = M̂⁻¹·Jᵀ` and `A = J·Y`:

    u⁺ = u* + Y·λ        J·u⁺ + b + cfm·λ = 0 within the bounds of λ

`direct` solves the equalities E exactly, `λ_E = −(A_EE + cfm)⁻¹·(J_E·u + b_E)`, and sweeps over the other rows in the
space that E leaves: every impulse of theirs comes with E's answer. `pgs` and `tgs` sweep over all rows (the PhysX
document, equations 16 and 18); a sweep of `tgs` takes dt/n, after which positions, and so the errors C, have moved on.

Sweeps start from the last step's impulses. Those of hard couplings are kept without what took their errors off, which
is found beside them: a push against an error that is gone would be an error of its own, and in
long chains it would ring up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gearwright.dynamics.algebra.factorise import Factors, factorise
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    both,
    divided,
    either,
    equal,
    greatest,
    is_number,
    is_zero,
    least,
    magnitude,
    minus,
    plus,
    reciprocal_above,
    times,
    times_reciprocal,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse, combined
from gearwright.dynamics.solve.floors import DOUBLE, Floors
from gearwright.dynamics.solve.sweep_rows import UNBOUNDED, ForceLaw, Row

Change = Callable[[Scalar], Scalar]


WARM_START_CHANGE = (
    0.1  # of the tolerance: what a held velocity may change by in a step whose impulses are not sought anew
)
STOP_LEAKAGE = 100.0  # a stop that takes so much off a velocity in one step is off by no more than the tolerance


@dataclass(frozen=True)
class Resolved:
    """A row over the independent velocities: `J·u + bias + cfm·λ = 0`."""

    J: Sparse
    bias: Scalar
    cfm: Scalar
    erp: Scalar
    box: tuple[Scalar, Scalar] | None
    rate_min: Scalar | None
    rate_max: Scalar | None
    group: str | None
    drift: bool = False
    law: ForceLaw | None = None

    def mapped(self, change: Change) -> Resolved:
        def some(x: Scalar | None) -> Scalar | None:
            return None if x is None else change(x)

        return replace(
            self,
            J={n: change(x) for n, x in self.J.items()},
            bias=change(self.bias), cfm=change(self.cfm), erp=change(self.erp),
            box=None if self.box is None else (change(self.box[0]), change(self.box[1])),
            rate_min=some(self.rate_min), rate_max=some(self.rate_max),
            law=None if self.law is None else self.law.mapped(change),
        )  # fmt: skip

    def rate(self, u: Sequence[Scalar]) -> Scalar:
        """J·u."""
        return total(*(times(x, u[n]) for n, x in self.J.items()))

    def undrifted(self) -> Resolved:
        """Without what takes its error off."""
        return replace(self, bias=0.0) if self.drift else self

    def moved_on(self, moved: Scalar, done: Scalar, n: int) -> Resolved:
        """As it stands after `done` of n sweeps of dt/n each, in which it has moved by `moved` times that.

        An error that is to be taken off is looked at anew, in each sweep a share of it. What is wanted at the end of
        the step, a stop or a position, is approached on a straight way; what sweeps leave of it is spread over the
        step. Springs are implicit in the whole step.
        """
        if self.drift:
            return replace(self, bias=plus(times(float(n), self.bias), times(self.erp, moved)))

        def along(bound: Scalar | None) -> Scalar | None:
            return None if bound is None else plus(bound, times(1.0 / n, minus(times(done, bound), moved)))

        bias = self.bias
        if is_zero(self.cfm) and not is_zero(self.erp):
            bias = plus(bias, times(1.0 / n, plus(times(done, bias), moved)))
        return replace(self, bias=bias, rate_min=along(self.rate_min), rate_max=along(self.rate_max))

    @property
    def only_stops(self) -> bool:
        return self.box is not None and all(map(is_zero, self.box))


def resolved(rows: Sequence[Row], G: list[Sparse], factors: Factors, n: int, dt: Scalar) -> list[Resolved]:
    """Rows over the independent velocities, with their erp and cfm."""
    found = []
    for row in rows:
        J = combined(row.J, G)
        r = dot(J, factors.solve(dense(J, n))) if row.softness.needs_response else 0.0
        erp, cfm = row.softness.erp_cfm(r, dt)
        bias = minus(divided(times(erp, row.error), dt), row.rate)
        bounds = (row.box, row.rate_min, row.rate_max)
        found.append(Resolved(J, bias, cfm, erp, *bounds, row.group, row.drift, row.law))
    return found


def dense(J: Sparse, n: int) -> list[Scalar]:
    return [J.get(i, 0.0) for i in range(n)]


def dot(J: Sparse, x: Sequence[Scalar]) -> Scalar:
    return total(*(times(value, x[n]) for n, value in J.items()))


def jacobian_transpose(rows: Sequence[Resolved], impulses: Sequence[Scalar], n: int) -> list[Scalar]:
    """Jᵀ·λ."""
    push: list[Scalar] = [0.0] * n
    for row, impulse in zip(rows, impulses, strict=True):
        for i, x in row.J.items():
            push[i] = plus(push[i], times(x, impulse))
    return push


# --- equalities -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Elimination:
    """Equalities, answered at once whatever the other rows do."""

    rows: list[Resolved]
    Y: list[list[Scalar]]  # M̂⁻¹·Jᵀ, one column a row
    factors: Factors  # of A + cfm

    @staticmethod
    def of(
        rows: list[Resolved], M_hat: Factors, n: int, floors: Floors = DOUBLE, damping: Sequence[Scalar] = ()
    ) -> Elimination:
        """`damping` is added to the rows' own responses, as Levenberg and Marquardt do."""
        Y = [M_hat.solve(dense(row.J, n)) for row in rows]
        A: Matrix = {}
        for i, row in enumerate(rows):
            for j in range(i + 1):
                value = dot(row.J, Y[j])
                if not is_zero(value) or i == j:
                    A[i, j] = value
        least = [_floor(rows, A, k, floors) for k in range(len(rows))]
        for k, row in enumerate(rows):
            A[k, k] = plus(plus(A[k, k], damping[k] if damping else 0.0), row.cfm)
        return Elimination(rows, Y, factorise(A, len(rows), least))

    def mapped(self, change: Change) -> Elimination:
        Y = [[change(x) for x in column] for column in self.Y]
        return Elimination([row.mapped(change) for row in self.rows], Y, self.factors.mapped(change))

    def impulses(self, u: Sequence[Scalar], biased: bool = True) -> list[Scalar]:
        """λ that takes the velocities u to where the rows want them."""
        wrong = [plus(row.rate(u), row.bias) if biased else row.rate(u) for row in self.rows]
        return [minus(0.0, x) for x in self.factors.solve(wrong)]

    def answered(self, u: Sequence[Scalar], impulses: Sequence[Scalar]) -> list[Scalar]:
        """u + Y·λ."""
        new = list(u)
        for column, impulse in zip(self.Y, impulses, strict=True):
            new = [plus(x, times(y, impulse)) for x, y in zip(new, column, strict=True)]
        return new


def _floor(rows: list[Resolved], A: Matrix, k: int, floors: Floors) -> Scalar:
    floor = times(floors.dependent if is_zero(rows[k].erp) else floors.conflicting, A[k, k])
    if rows[k].group is None:
        return floor
    largest: Scalar = 0.0
    for i, row in enumerate(rows):
        if row.group == rows[k].group:
            largest = greatest(largest, A[i, i])
    return greatest(floor, times(floors.noise, largest))


# --- rows with bounds -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Responses:
    """A = J·Y of the rows that are swept over, and the reciprocals of its diagonal, with cfm and without."""

    A: Matrix
    stiff: list[Scalar]  # 1/A_ii
    soft: list[Scalar]  # 1/(A_ii + cfm)

    @staticmethod
    def of(rows: list[Resolved], M_hat: Factors, equalities: Elimination, n: int, floors: Floors = DOUBLE) -> Responses:
        A: Matrix = {}
        stiff, soft = [], []
        for j, row in enumerate(rows):
            alone = M_hat.solve(dense(row.J, n))
            y = equalities.answered(alone, equalities.impulses(alone, biased=False))
            for i in range(j, len(rows)):
                value = dot(rows[i].J, y)
                if not is_zero(value):
                    A[i, j] = value
            own = A.setdefault((j, j), 0.0)
            floor = times(floors.blocked, dot(row.J, alone)) if equalities.rows else 0.0
            stiff.append(reciprocal_above(own, floor))
            soft.append(stiff[-1] if is_zero(row.cfm) else reciprocal_above(plus(own, row.cfm), floor))
        return Responses(A, stiff, soft)

    def mapped(self, change: Change) -> Responses:
        A = {entry: change(x) for entry, x in self.A.items()}
        return Responses(A, [change(x) for x in self.stiff], [change(x) for x in self.soft])

    def column(self, i: int) -> Sparse:
        return {b if a == i else a: x for (a, b), x in self.A.items() if i in (a, b)}


def projected(row: Resolved, impulse: Scalar, rate: Scalar, stiff: Scalar, soft: Scalar, tolerance: float) -> Scalar:
    """The impulse that suits this row, the others given: within its box, and beyond it where a stop needs more.

    Stops let go of a little in every sweep, so that those that contradict each other do not push ever harder.
    """
    new: Scalar = 0.0
    if not row.only_stops:
        wrong = plus(plus(rate, row.bias), times(row.cfm, impulse))
        new = minus(impulse, times_reciprocal(wrong, soft))
        if row.box is not None:
            new = greatest(least(new, row.box[1]), row.box[0])
    kept = times(1.0 - tolerance / STOP_LEAKAGE, impulse)
    if row.rate_min is not None:
        new = greatest(new, plus(kept, times_reciprocal(minus(row.rate_min, rate), stiff)))
    if row.rate_max is not None:
        new = least(new, plus(kept, times_reciprocal(minus(row.rate_max, rate), stiff)))
    return new


def solve_law(law: ForceLaw, impulse: Scalar, rate: Scalar, own: Scalar) -> Scalar:
    """Steps of Newton's method: `λ = f + f′·own·(λ − λ₀)`, since a changed impulse changes the rate by `own` of it.

    `λ − f` rises with λ, so that every impulse tried is a bound of the one that is looked for. Where a step leaves the
    bounds they are halved: a law that is flat, steep and flat again would throw Newton to and fro for ever.
    """
    free = minus(rate, times(own, impulse))
    new: Scalar = impulse if law.newton_steps == 1 else law.initial_guess(free, own)
    low: Scalar = -UNBOUNDED
    high: Scalar = UNBOUNDED
    for _ in range(law.newton_steps):
        value, slope, _ = law.at(plus(free, times(own, new)))
        beyond = minus(new, value)
        newton = minus(new, divided(beyond, minus(1.0, times(slope, own))))
        if law.newton_steps == 1:
            return newton
        short = beyond < 0.0
        low, high = where(short, new, low), where(short, high, new)
        inside = where(short, newton < high, newton > low)
        new = where(either(inside, magnitude(beyond) <= 0.0), newton, times(0.5, plus(low, high)))
    return new


def sweep(
    rows: list[Resolved], A: Responses, impulses: list[Scalar], rates: list[Scalar], going: Scalar, tolerance: float
) -> tuple[list[Scalar], list[Scalar], Scalar]:
    """One pass over the rows, each with what those before it have done. Also gives how much velocities have changed,
    as a share of the fastest where that is above 1: a rotor's speed is rounded to more than a joint's tolerance.

    `going` is 0 for a robot that has done: nothing of it changes.
    """
    impulses, rates = list(impulses), list(rates)
    change: Scalar = 0.0
    for i, row in enumerate(rows):
        if row.law is None:
            new = projected(row, impulses[i], rates[i], A.stiff[i], A.soft[i], tolerance)
        else:
            new = solve_law(row.law, impulses[i], rates[i], A.A[i, i])
        step = minus(new, impulses[i])
        step = step if is_number(going) else where(going, step, 0.0)
        impulses[i] = plus(impulses[i], step)
        for k, a in A.column(i).items():
            rates[k] = plus(rates[k], times(a, step))
        change = plus(change, magnitude(times(plus(A.A[i, i], row.cfm), step)))
    rate_max: Scalar = 1.0
    for rate in rates:
        rate_max = greatest(rate_max, magnitude(rate))
    return impulses, rates, divided(change, rate_max)


def started(row: Resolved, impulse: Scalar) -> Scalar:
    """Last step's impulse as a first guess: within the box, unless a stop gave it, which may give it again."""
    if row.law is not None:
        return 0.0  # actuators begin each step on their lines
    if row.box is None:
        return impulse
    lower, upper = row.box
    impulse = impulse if row.rate_min is not None else least(impulse, upper)
    return impulse if row.rate_max is not None else greatest(impulse, lower)


def satisfied(row: Resolved, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Scalar:
    """Whether the row is content with its impulse, to a velocity of `tolerance`.

    Where it holds something still, it must also stay so: an impulse that has just taken a velocity off would give it
    back in the next step, the other way round. So the rate may not have changed by more than a part of the tolerance
    since `before`, the start of the step.
    """
    if row.law is not None:
        value, _, size = row.law.at(rate)
        return magnitude(minus(value, impulse)) <= times(tolerance, size)
    wrong = plus(plus(rate, row.bias), times(row.cfm, impulse))
    if row.box is None:
        return magnitude(wrong) <= tolerance
    lower, upper = row.box
    off = wrong
    if row.rate_min is not None:
        off = where(impulse > upper, minus(rate, row.rate_min), off)
    if row.rate_max is not None:
        off = where(impulse < lower, minus(rate, row.rate_max), off)
    above, below = equal(impulse, upper), equal(impulse, lower)  # at a bound: it slides, the one way or the other
    content = both(off <= where(below, UNBOUNDED, tolerance), off >= where(above, -UNBOUNDED, -tolerance))
    still = magnitude(minus(rate, before)) <= WARM_START_CHANGE * tolerance
    content = both(content, either(still, either(above, below)))
    if row.rate_min is not None:
        content = both(content, rate >= minus(row.rate_min, tolerance))
    if row.rate_max is not None:
        content = both(content, rate <= plus(row.rate_max, tolerance))
    return content
