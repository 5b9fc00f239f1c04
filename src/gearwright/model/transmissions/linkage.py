"""The real four-bar linkage: an input crank drives an output rocker through a coupler.

    input pivot at the origin, output pivot at (ground, 0), angles from the ground line
    A = input·(cos θ, sin θ)      B = (ground, 0) + output·(cos φ, sin φ)      |B − A| = coupler

Each end's angle is the direction to the other bar's end, plus or minus an angle of the triangle that the two
bars close: both ways in closed form, with a sign each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, pi
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError
from gearwright.model.fields import Rules, quantity
from gearwright.model.poses import Array
from gearwright.model.transmissions.maps import TransmissionMap, like, vectors

SAME_ANGLE = 1e-6  # two ways to one angle, near dead points where half of the digits are lost [rad]


class Toggles(NamedTuple):
    """Where a linkage stands straight."""

    input: tuple[float, ...]  # input angles that it cannot pass: output and coupler in line [rad]
    output: tuple[float, ...]  # output angles where it turns back (dead points): input and coupler in line [rad]


@dataclass(frozen=True, kw_only=True)
class FourBarLinkage(TransmissionMap):
    """The actuator turns the input crank, θ; the joint is the output rocker, φ; both from the ground line.

    `at` is the output angle; by default the one at which the input is upright, θ = branch·90°. Branch −1 is the mirror
    image of branch +1.
    """

    checked_at_start: ClassVar[bool] = True

    ground: float = quantity("m", above=0, doc="distance between the two pivots")
    input: float = quantity("m", above=0, doc="length of the crank that the actuator turns")
    coupler: float = quantity("m", above=0, doc="length of the bar between crank and rocker")
    output: float = quantity("m", above=0, doc="length of the rocker that is the joint")
    branch: int = quantity(
        choices=(1, -1),
        doc="which of the two output angles of an input angle: +1 open, −1 crossed",
        default=1,
        shown="",
    )
    input_branch: int = quantity(
        choices=(1, -1), default=1, shown="",
        doc="which of the two input angles of an output angle: +1 ahead of the line to B, −1 behind",
    )  # fmt: skip

    def rules(self) -> Rules:
        lengths = {k: getattr(self, k) for k in ("ground", "input", "coupler", "output")}
        for bar, length in lengths.items():
            others = sum(lengths.values()) - length
            yield length < others, f"no four-bar closes with a {bar} longer than the other three together"

    @property
    def leads_joints(self) -> bool:
        """Whether the crank turns all the way round and the rocker reverses."""
        return bool(self.toggles.output) and not self.toggles.input

    # --- closed forms, on arrays or traced ---------------------------------------------------------------------

    def to_joints(self, a: Any) -> Any:
        """Output angle of an input angle: `φ = direction from the output pivot to A − branch·(triangle's angle)`."""
        g, r, b, c = self.ground, self.input, self.coupler, self.output
        # the direction without a jump: it goes round with a longer input, and swings about ±180° with a shorter
        round_it = a + np.arctan2(g * np.sin(a), r - g * np.cos(a))
        swinging = self.branch * pi + np.arctan2(-r * np.sin(a), g - r * np.cos(a))
        square = g * g + r * r - 2 * g * r * np.cos(a)  # of the distance
        angle = np.arccos((c * c + square - b * b) / (2 * c * np.sqrt(square)))
        return np.where(r > g, round_it, swinging) - self.branch * angle

    def to_actuators(self, q: Any) -> Any:
        """Input angle of an output angle: `θ = direction to B + branch·input_branch·(triangle's angle)`."""
        g, r, b, c = self.ground, self.input, self.coupler, self.output
        round_it = q + np.arctan2(-g * np.sin(q), c + g * np.cos(q))
        swinging = np.arctan2(c * np.sin(q), g + c * np.cos(q))
        square = g * g + c * c + 2 * g * c * np.cos(q)
        angle = np.arccos((r * r + square - b * b) / (2 * r * np.sqrt(square)))
        return np.where(c > g, round_it, swinging) + self.branch * self.input_branch * angle

    # --- on numbers: what cannot be is an error ----------------------------------------------------------------

    def actuator_to_joint_position(self, a: ArrayLike, *, near: ArrayLike | None = None) -> Any:
        """In closed form; `near` is accepted but not needed."""
        return like(a, self._reached(vectors(a, 1), self.to_joints, "input", self.toggles.input))

    def joint_to_actuator_position(self, j: ArrayLike) -> Any:
        q = vectors(j, 1)
        a = self._reached(q, self.to_actuators, "output", self.toggles.output)
        self._on_this_branch(q, a)
        return like(j, a)

    def actuator_per_joint_at(self, q: ArrayLike) -> Array:
        self.joint_to_actuator_position(q)
        return super().actuator_per_joint_at(q)

    @property
    def rest(self) -> Array:
        """The output angle with the input upright."""
        return np.array([self.actuator_to_joint_position(self.branch * pi / 2)])

    def _reached(self, angles: Array, formula: Any, end: str, toggles: tuple[float, ...]) -> Array:
        with np.errstate(all="ignore"):
            other = np.asarray(formula(angles), dtype=np.float64)
        if np.isfinite(other).all():
            return other
        beyond = angles[~np.isfinite(other)].tolist()
        turns = ", ".join(f"{t:.6g}" for t in toggles) or "none"
        raise ModelError(f"the linkage does not reach the {end} angle {beyond} rad; its toggles are at {turns} rad")

    def _on_this_branch(self, q: Array, a: Array) -> None:
        """Whether the other closed form leads back: the output may belong to the other way of assembling it."""
        with np.errstate(all="ignore"):
            there = self.to_joints(a)
        # straight bars leave the sign open, and rounding may leave them a hair too short
        apart = np.abs(np.angle(np.exp(1j * (there - q))))
        wrong = apart > SAME_ANGLE
        if wrong.any():
            message = f"the output angle {q[wrong].tolist()} rad is one of branch {-self.branch}, not {self.branch}"
            raise ModelError(f"{message}, for input branch {self.input_branch}")

    @property
    def toggles(self) -> Toggles:
        """Input angles that it cannot pass, and output angles where it turns back, those of its own branch."""
        g, r, b, c = self.ground, self.input, self.coupler, self.output
        locks = _angles([(g * g + r * r - s * s) / (2 * g * r) for s in (b + c, b - c)])
        dead = _angles([(s * s - g * g - c * c) / (2 * g * c) for s in (r + b, r - b)])
        return Toggles(locks, tuple(x for x in dead if self._comes_here(x)))

    def _comes_here(self, q: float) -> bool:
        """Whether a dead point is one of this branch: input and coupler in line, stretched or folded."""
        x, y = self.ground + self.output * np.cos(q), self.output * np.sin(q)
        stretched = np.hypot(x, y) > max(self.input, self.coupler)
        a = np.arctan2(y, x) + (0.0 if stretched or self.input > self.coupler else pi)
        with np.errstate(all="ignore"):
            return bool(abs(np.angle(np.exp(1j * (self.to_joints(a) - q)))) < SAME_ANGLE)


def _angles(cosines: list[float]) -> tuple[float, ...]:
    return tuple(sorted({sign * acos(x) for x in cosines if abs(x) <= 1 for sign in (1.0, -1.0)}))
