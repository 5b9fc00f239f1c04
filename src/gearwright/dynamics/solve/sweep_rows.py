"""Rows as the sweeps take them: what a row looks along, how hard it holds, and the bounds of its impulse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import Scalar, divided, is_zero, plus, times
from gearwright.dynamics.algebra.sparse import Sparse

UNBOUNDED = 1e30  # an impulse that nothing reaches


# --- how hard a row holds -------------------------------------------------------------------------------------------


class Softness(Protocol):
    """erp and cfm of a row with `r = J·M̂⁻¹·Jᵀ`; r is only worked out for those that need it."""

    needs_response: ClassVar[bool]

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]: ...


@dataclass(frozen=True)
class Baumgarte:
    """Hard: a share of the error is taken off in each step."""

    erp: Scalar
    needs_response: ClassVar[bool] = False

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        return self.erp, 0.0


@dataclass(frozen=True)
class SpringDamper:
    """An implicit spring and damper: `cfm = 1/(dt·(dt·kp + kd))`, `erp = dt·kp/(dt·kp + kd)`."""

    stiffness: Scalar
    damping: Scalar
    needs_response: ClassVar[bool] = False

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        spring = times(dt, self.stiffness)
        whole = plus(spring, self.damping)
        if is_zero(whole):  # neither: it gives way to everything
            return 0.0, UNBOUNDED
        return divided(spring, whole), divided(1.0, times(dt, whole))


@dataclass(frozen=True)
class Resonant:
    """A spring and damper by natural frequency and damping ratio: `kp = μ²/r`, `kd = 2·μ·ζ/r`."""

    natural_frequency: Scalar  # μ [rad/s]
    damping_ratio: Scalar  # ζ
    together: Scalar = 0.0  # Σμ of all that share inertia with it [rad/s]
    needs_response: ClassVar[bool] = True

    def erp_cfm(self, r: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
        mu, zeta = self.natural_frequency, self.damping_ratio
        spring = times(dt, times(mu, mu))  # times r, like the damper: erp needs no r at all
        whole = plus(spring, times(2.0, times(mu, zeta)))
        return divided(spring, whole), divided(r, times(dt, whole))


# --- rows -----------------------------------------------------------------------------------------------------------


class ForceLaw(NamedTuple):
    """An impulse that is a function of its own rate: `λ = f(J·v⁺)`, not rising faster than the rate answers to λ."""

    function: Function  # (rate, arguments) → f, its slope, and the size of its terms
    arguments: list[Scalar]
    newton_steps: int = 1  # steps of Newton's method in a sweep; more than one set out anew each time

    def at(self, rate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        value, slope, size = self._called(rate)[:3]
        return value, slope, size

    def initial_guess(self, free: Scalar, own: Scalar) -> Scalar:
        """Where Newton's method sets out: on the steep line of a drive, if it is one, at the rate without impulse."""
        answers = self._called(free)
        return 0.0 if len(answers) == 3 else answers[3] / (1.0 - answers[4] * own)

    def _called(self, rate: Scalar) -> list[SX]:
        return [SX(x) for x in self.function.call([rate, casadi.vertcat(*self.arguments)])]

    def mapped(self, change: Callable[[Scalar], Scalar]) -> ForceLaw:
        return self._replace(arguments=[change(x) for x in self.arguments])


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row at one instant; J is over the velocities of the tree."""

    J: Sparse
    error: Scalar = 0.0  # C
    rate: Scalar = 0.0  # ċ, the rate of C that is wanted
    softness: Softness = Baumgarte(0.0)
    box: tuple[Scalar, Scalar] | None = None  # bounds of λ; None: an equality
    rate_min: Scalar | None = None
    rate_max: Scalar | None = None
    law: ForceLaw | None = None  # instead of error, softness and box
    drift: bool = False  # whether C is an error to be taken off, no motion that is wanted and no spring's stretch
    reach: Sparse | None = None  # the most that J could be, whichever way the row looked; None: J itself
    group: str | None = None  # rows that may depend on each other are told apart from rounding by the largest of them
