"""Force laws that are non-increasing functions of the rate, λ = f(rate): motors on their curve, users' own actuators.

A phase replaces the curve by its tangent at a point, and the point follows the solution. Along its direction, with
inertia d, the solution is on `d·r − λ = push`; the next point is where that meets the function itself:

    d·r − f(r) = push

The left side rises with r, so every rate that is tried is a bound. If a law is flat, then steep, then flat again,
Newton's method would jump back and forth between the flat parts; it therefore starts from the steep part, and bisects
if it leaves the bounds. Where the point no longer moves, it is the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import casadi
from casadi import Function

from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Condition, Scalar, expression, is_number, maximum, total, where
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.directions import OneDirection
from gearwright.dynamics.solve.sweeps import Response

SAMPLE = range(2, 5)  # arguments of a curve that a phase decides: rate known, time ahead, share of the rate
FAR = 1e30  # a rate that nothing reaches


@dataclass(frozen=True)
class Curve(OneDirection):
    """`function`: (rate, arguments) → f, its slope, and of a drive what it wants without limits, and the slope of that.
    A slope is not above 0, or not above the inertia that is in the matrix for this very law. `newton_steps` to find a
    point; more than one sets out anew each time. `readings`: (rate, arguments) → the impulses that are read, where
    these are not f. `varying`: the arguments that a phase decides."""

    J: Sparse
    function: Function
    arguments: list[Scalar]
    newton_steps: int = 1
    readings: Function | None = None
    varying: tuple[int, ...] = tuple(SAMPLE)

    def place(self, M: FrontalMatrix) -> tuple[str, Curve]:
        return "curve", self

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Curve:
        J = {n: change(x) for n, x in self.J.items()}
        return replace(self, J=J, arguments=[change(x) for x in self.arguments])

    def sampled_anew(self, slot: Callable[[Scalar], Scalar]) -> Curve:
        """With slots for how a phase samples it, where these are constants."""
        own = [slot(x) if i in self.varying and is_number(x) else x for i, x in enumerate(self.arguments)]
        return replace(self, arguments=own)

    def line(self, point: Scalar) -> tuple[Scalar, Scalar]:
        """`λ = constant − slope·rate`, touching at the point."""
        value, slope = self._at(point)[:2]
        return value - slope * point, -slope

    def value(self, rate: Scalar) -> Scalar:
        return self._at(rate)[0]

    @property
    def size(self) -> int:
        """Number of impulses that are read."""
        return 1 if self.readings is None else self.readings.n_out()

    def read(self, rate: Scalar, impulse: Scalar) -> list[Scalar]:
        if self.readings is None:
            return [impulse]
        return [expression(x) for x in self.readings.call([rate, casadi.vertcat(*self.arguments)])]

    def is_met(self, rate: Scalar, impulse: Scalar, d: Scalar, tolerance: float) -> Condition:
        """Whether the point of a solution is its rate, to a share of it: without the quotient that finds the point."""
        value, slope = self._at(rate)[:2]
        admitted = tolerance * (d - slope) * maximum(1.0, abs(rate))
        return abs(impulse - value) <= admitted

    def point(self, rate: Scalar, impulse: Scalar, d: Scalar) -> Scalar:
        """Where the function meets the line on which a solution with this rate and impulse is."""
        at_rate = self._at(rate)
        if self.newton_steps == 1:
            value, slope = at_rate[:2]
            return rate - (impulse - value) / (d - slope)
        push = d * rate - impulse
        r = rate
        if len(at_rate) > 2:  # on the steep line of a drive
            _, _, wanted, steep = at_rate
            r = (push + (wanted - steep * rate)) / (d - steep)
        low: Scalar = -FAR
        high: Scalar = FAR
        for _ in range(self.newton_steps):
            value, slope = self._at(r)[:2]
            excess = d * r - value - push
            newton = r - excess / (d - slope)
            short = excess < 0.0
            low, high = where(short, r, low), where(short, high, r)
            inside = expression(where(short, as_number(newton < high), as_number(newton > low)))
            r = where(inside | (abs(excess) <= 0.0), newton, 0.5 * (low + high))
        return r

    def _at(self, rate: Scalar) -> list[Scalar]:
        return [expression(x) for x in self.function.call([rate, casadi.vertcat(*self.arguments)])]


@dataclass(frozen=True)
class CurveRemainder:
    """A curve beside the line that touches it at the start: `λ = f(rate) − (constant − slope·rate)`.

    The line is in the matrix, so that sweeps find only what the curve bends.
    """

    curve: Curve
    constant: Scalar
    slope: Scalar
    cfm: ClassVar[Scalar] = 0.0
    drifting: ClassVar[bool] = False

    @property
    def J(self) -> Sparse:
        return self.curve.J

    def mapped(self, change: Callable[[Scalar], Scalar]) -> CurveRemainder:
        return CurveRemainder(self.curve.mapped(change), change(self.constant), change(self.slope))

    def line(self, rate: Scalar) -> Scalar:
        return self.constant - self.slope * rate

    def project(self, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
        """By Newton's method from where the line alone would lead: its slope is in the response already."""
        moves = own.reciprocal > 0.0
        d = where(moves, own.reciprocal, 1.0)
        free = d - self.slope  # inertia without the line's slope
        point = self.curve.point(rate, impulse + self.line(rate), free)
        return where(moves, impulse + d * (point - rate), 0.0)

    def satisfied(self, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Condition:
        value = self.curve.value(rate)
        size = total(abs(value), abs(self.constant), abs(self.slope * rate))
        return abs(value - self.line(rate) - impulse) <= (tolerance * size)

    def warm_start(self, impulse: Scalar) -> Scalar:
        return 0.0  # each step begins on the line

    def undrifted(self) -> CurveRemainder:
        return self

    def moved_on(self, moved: Scalar, done: Scalar, n: int) -> CurveRemainder:
        return self


def inertia(J: Sparse, diagonal: Sequence[Scalar]) -> Scalar:
    """Along J, by the matrix's diagonal: no less than what the direction has; 1 where it moves nothing."""
    if not J:
        return 1.0
    if len(J) == 1:  # one quotient at most
        ((n, x),) = J.items()
        return diagonal[n] / (x * x)
    return 1.0 / total(*(x * x / diagonal[n] for n, x in J.items()))
