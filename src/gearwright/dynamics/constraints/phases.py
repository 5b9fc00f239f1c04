"""When forces act in a step, and where stiff ones are taken: implicit, so that they are stable at any gain.

An Euler step is one phase of length dt, in which everything stiff is taken at its end. The midpoint's step has two
halves. In the first, u is the step's mean velocity w; in the second, the velocity v⁺ at its end. A force that is not
stiff is taken in the middle, which is second order; a stiff one at the end, which does not ring. Between them goes

    β = z/(1 + z),      z = dt·(d + dt·k)/m      (damping d, stiffness k, mass m)

which makes the decay of one step 1/(1 + z + z²/2): second order in z, positive, and zero for an endless z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from gearwright.dynamics.algebra.scalar import Scalar, is_zero, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.oscillator import Impulse, Spring, first_half, second_half, whole_step


class Sample(NamedTuple):
    """A force is taken at position `x + shift + ahead·r` and rate `known + share·r`; r is the rate to be found."""

    ahead: Scalar
    shift: Scalar
    share: Scalar
    known: Scalar
    time: Scalar  # when that is, from the instant of the position x [s]


class Phase(Protocol):
    """A part of a step that ends with one solution for the velocities u."""

    @property
    def span(self) -> Scalar:
        """How long forces act in it [s]."""

    @property
    def half(self) -> float:
        """1 in the first half of a step, −1 in the second, 0 in a whole one."""

    @property
    def travel(self) -> Scalar:
        """How long u carries positions on [s]; 0 in a phase that leaves them where they are."""

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        """Where a force along J is taken; `stiffness` is z·m/dt, its slope over the rate [N·m·s/rad, N·s/m]."""

    def known_rate(self, J: Sparse) -> Scalar:
        """The mean rate along J, where it is known; else 0."""

    def oscillator(self, spring: Spring) -> Impulse:
        """Impulse of a damped spring by its natural frequency and damping ratio."""


@dataclass(frozen=True)
class WholeStep:
    """Euler's: everything stiff at the end."""

    dt: Scalar
    half: ClassVar[float] = 0.0

    @property
    def span(self) -> Scalar:
        return self.dt

    @property
    def travel(self) -> Scalar:
        return self.dt

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        return Sample(ahead=self.dt, shift=0.0, share=1.0, known=0.0, time=self.dt)

    def known_rate(self, J: Sparse) -> Scalar:
        return 0.0

    def oscillator(self, spring: Spring) -> Impulse:
        return whole_step(spring, self.dt)


@dataclass(frozen=True)
class FirstHalf:
    """u is the mean velocity; positions go on by dt·u."""

    dt: Scalar
    mass: Sequence[Scalar]  # M's diagonal
    half: ClassVar[float] = 1.0

    @property
    def span(self) -> Scalar:
        return 0.5 * self.dt

    @property
    def travel(self) -> Scalar:
        return self.dt

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        beta = implicit_share(self.dt, J, stiffness, self.mass)
        ahead = self.span * (1.0 + beta)
        return Sample(ahead=ahead, shift=0.0, share=1.0, known=0.0, time=ahead)

    def known_rate(self, J: Sparse) -> Scalar:
        return 0.0

    def oscillator(self, spring: Spring) -> Impulse:
        return first_half(spring, self.dt)


@dataclass(frozen=True)
class SecondHalf:
    """u is the velocity at the end, where positions stand already; `mean` is the first half's."""

    dt: Scalar
    mass: Sequence[Scalar]
    mean: Sequence[Scalar]
    half: ClassVar[float] = -1.0

    @property
    def span(self) -> Scalar:
        return 0.5 * self.dt

    @property
    def travel(self) -> Scalar:
        return 0.0

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        beta = implicit_share(self.dt, J, stiffness, self.mass)
        known = (1.0 - beta) * self.known_rate(J)
        back = -(self.span * known)
        time = self.span * (2.0 * beta - 1.0)
        return Sample(ahead=self.span * beta, shift=back, share=beta, known=known, time=time)

    def known_rate(self, J: Sparse) -> Scalar:
        return total(*(x * self.mean[n] for n, x in J.items()))

    def oscillator(self, spring: Spring) -> Impulse:
        return second_half(spring, self.dt)


def implicit_share(dt: Scalar, J: Sparse, stiffness: Scalar, mass: Sequence[Scalar]) -> Scalar:
    """β. The mass along J is that of M's diagonal, which is right for one axis, and near enough for several."""
    if is_zero(stiffness):
        return 0.0
    if len(J) == 1:  # one quotient
        ((n, x),) = J.items()
        added = dt * stiffness * (x * x)
        return added / (mass[n] + added)
    response = total(*((x * x) / mass[n] for n, x in J.items()))
    z = dt * stiffness * response
    return z / (1.0 + z)
