"""When forces act in a step, and where stiff ones are taken: implicit, so that they are stable at any gain.

h is the length of the step, or of the substep where a step is made in several. An Euler step is one phase of length h,
in which everything stiff is taken at its end. The midpoint's step has two halves. In the first, u is the mean velocity
w; in the second, the velocity v⁺ at the end. A force that is not stiff is taken in the middle, which is second order; a
stiff one at the end, which does not ring. Between them goes

    β = z/(1 + z),      z = h·(d + h·k)/m      (damping d, stiffness k, mass m)

which makes the decay of one step 1/(1 + z + z²/2): second order in z, positive, and zero for an endless z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from gearwright.dynamics.algebra.scalar import Scalar, is_zero, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.compliant_springs import Impulse, Spring, first_half, second_half, whole_step


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
    def acts_for(self) -> Scalar:
        """How long forces act in it [s]."""

    @property
    def half(self) -> float:
        """1 in the first half of a step, −1 in the second, 0 in a whole one."""

    @property
    def travel(self) -> Scalar:
        """How long u carries positions on [s]; 0 in a phase that leaves them where they are."""

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        """Where a force along J is taken; `stiffness` is z·m/h, its slope over the rate [N·m·s/rad, N·s/m]."""

    def known_rate(self, J: Sparse) -> Scalar:
        """The mean rate along J, where it is known; else 0."""

    def oscillator(self, spring: Spring) -> Impulse:
        """Impulse of a damped spring by its natural frequency and damping ratio."""


@dataclass(frozen=True)
class WholeStep:
    """Euler's: everything stiff at the end."""

    h: Scalar
    half: ClassVar[float] = 0.0

    @property
    def acts_for(self) -> Scalar:
        return self.h

    @property
    def travel(self) -> Scalar:
        return self.h

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        return Sample(ahead=self.h, shift=0.0, share=1.0, known=0.0, time=self.h)

    def known_rate(self, J: Sparse) -> Scalar:
        return 0.0

    def oscillator(self, spring: Spring) -> Impulse:
        return whole_step(spring, self.h)


@dataclass(frozen=True)
class FirstHalf:
    """u is the mean velocity; positions go on by h·u."""

    h: Scalar
    mass: Sequence[Scalar]  # M's diagonal
    half: ClassVar[float] = 1.0

    @property
    def acts_for(self) -> Scalar:
        return 0.5 * self.h

    @property
    def travel(self) -> Scalar:
        return self.h

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        beta = implicit_share(self.h, J, stiffness, self.mass)
        ahead = self.acts_for * (1.0 + beta)
        return Sample(ahead=ahead, shift=0.0, share=1.0, known=0.0, time=ahead)

    def known_rate(self, J: Sparse) -> Scalar:
        return 0.0

    def oscillator(self, spring: Spring) -> Impulse:
        return first_half(spring, self.h)


@dataclass(frozen=True)
class SecondHalf:
    """u is the velocity at the end, where positions stand already; `mean` is the first half's."""

    h: Scalar
    mass: Sequence[Scalar]
    mean: Sequence[Scalar]
    half: ClassVar[float] = -1.0

    @property
    def acts_for(self) -> Scalar:
        return 0.5 * self.h

    @property
    def travel(self) -> Scalar:
        return 0.0

    def sample(self, J: Sparse, stiffness: Scalar) -> Sample:
        beta = implicit_share(self.h, J, stiffness, self.mass)
        known = (1.0 - beta) * self.known_rate(J)
        back = -(self.acts_for * known)
        time = self.acts_for * (2.0 * beta - 1.0)
        return Sample(ahead=self.acts_for * beta, shift=back, share=beta, known=known, time=time)

    def known_rate(self, J: Sparse) -> Scalar:
        return total(*(x * self.mean[n] for n, x in J.items()))

    def oscillator(self, spring: Spring) -> Impulse:
        return second_half(spring, self.h)


def implicit_share(h: Scalar, J: Sparse, stiffness: Scalar, mass: Sequence[Scalar]) -> Scalar:
    """β. The mass along J is that of M's diagonal, which is right for one axis, and near enough for several."""
    if is_zero(stiffness):
        return 0.0
    if len(J) == 1:  # one quotient
        ((n, x),) = J.items()
        added = h * stiffness * (x * x)
        return added / (mass[n] + added)
    response = total(*((x * x) / mass[n] for n, x in J.items()))
    z = h * stiffness * response
    return z / (1.0 + z)
