"""The base of all transmission maps: one defining map from joints to actuators, and all that is derived from it.

With `a = f(q)` the velocities obey `v_a = A(q)·v_j`, A = ∂f/∂q by exact differentiation, and power is conserved:
`τ_j = Aᵀ·τ_a`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.model.fields import Highlight, Rules, check, highlights
from gearwright.model.pickling import fields_of
from gearwright.model.poses import Array
from gearwright.model.transmissions.losses import Losses
from gearwright.notebooks import NotebookDisplay

MAX_STEPS = 50  # of Newton's method; it converges in about six or not at all
ACCURACY = 1e-12  # of actuator positions, relative to their size


class TransmissionMap(NotebookDisplay, ABC):
    """The map of a transmission, independent of the actuators and joints that it connects.

    Arguments are scalars (sizes of 1), vectors (n,) or batches (…, n). Where the ratio depends on the position,
    `at` is the joint position that velocities and efforts belong to, zeros by default.
    """

    @property
    def actuators(self) -> int:
        """Size of actuator space."""
        return 1

    @property
    def joints(self) -> int:
        """Size of joint space."""
        return 1

    def __post_init__(self) -> None:
        check(self)

    def rules(self) -> Rules:
        """Rules between its fields: whether each holds, and the rule in words. Fields may be arrays over designs."""
        return ()

    checked_at_start: ClassVar[bool] = False  # whether `check` asks if the joints' start is within its reach

    def __getstate__(self) -> dict[str, Any]:
        return fields_of(self)

    @abstractmethod
    def to_actuators(self, q: Any) -> Any:
        """The defining map: joint positions (…, joints) to actuator positions (…, actuators). Arrays or traced."""

    # --- joint = g(actuator) -----------------------------------------------------------------------------------

    @property
    def leads_joints(self) -> bool:
        """Whether `joint = g(actuator)` is the regular direction: joints reverse at dead points, actuators move on."""
        return False

    def to_joints(self, a: Any) -> Any:
        """g: actuator positions (…, actuators) to joint positions (…, joints). Arrays or traced."""
        raise ModelError(f"{type(self).__name__} has no closed form from actuators to joints")

    def joints_at(self, a: ArrayLike) -> Array:
        """g(a), (…, joints); NaN where the map ends."""
        a = vectors(a, self.actuators)
        q = np.array(self._led_joints(a.reshape(-1, self.actuators).T)).T
        return q.reshape(*a.shape[:-1], self.joints)

    def joint_per_actuator_at(self, a: ArrayLike) -> Array:
        """∂g/∂a at actuator positions a: (…, joints, actuators)."""
        a = vectors(a, self.actuators)
        J = np.array(self._led_ratio(a.reshape(-1, self.actuators).T))
        return J.reshape(self.joints, -1, self.actuators).transpose(1, 0, 2).reshape(*a.shape[:-1], self.joints, -1)

    @cached_property
    def _led_joints(self) -> Any:
        from gearwright.tracing import trace

        return trace(self.to_joints, [self.actuators], type(self).__name__, returns=[self.joints])

    @cached_property
    def _led_ratio(self) -> Any:
        from gearwright.tracing import imported_casadi

        casadi = imported_casadi()
        a = casadi.SX.sym("a", self.actuators)
        return casadi.Function("ratio", [a], [casadi.densify(casadi.jacobian(self._led_joints(a), a))])

    @property
    def by_effort(self) -> bool:
        """Whether it is a function of efforts, which has no positions."""
        return False

    @property
    def shifts_efforts(self) -> bool:
        """Whether offsets or bounds change the efforts beside its ratios."""
        return False

    @property
    def rest(self) -> Array:
        """The default joint position, (joints,) [rad or m]."""
        return np.zeros(self.joints)

    def efficiency_at(self, load: Any, speed: Any) -> Any:
        """Fraction of the power that is transmitted at this load [N·m, N] and speed [rad/s, m/s] of the actuator's
        side.

        A type with its own efficiency map overrides it. Both arguments are magnitudes; arrays or traced. The step
        limits the result to 0.001 … 1, so that a gear never creates energy. A type may also have
        `backward_efficiency_at`, for power from the joints to the actuator: 0 or less if it is self-locking; by default
        2 − 1/efficiency.
        """
        return 1.0

    def losses(self) -> Losses:
        """Its own losses, for a transmission that has none."""
        return Losses(own=self if type(self).efficiency_at is not TransmissionMap.efficiency_at else None)

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`: by default its numbers."""
        return highlights(self)

    # --- ratios ------------------------------------------------------------------------------------------------

    def actuator_per_joint_at(self, q: ArrayLike) -> Array:
        """A of `v_a = A·v_j` at joint positions q: (…, actuators, joints)."""
        q = vectors(q, self.joints)
        A = np.array(self._ratio(q.reshape(-1, self.joints).T))  # side by side, a block for each q
        A = A.reshape(self.actuators, -1, self.joints).transpose(1, 0, 2).reshape(*q.shape[:-1], -1, self.joints)
        if not np.isfinite(A).all():
            raise ModelError(f"the ratio has no finite value at joint position {q.tolist()}")
        return A

    @cached_property
    def _positions(self) -> Any:
        """The defining map as a CasADi function."""
        from gearwright.tracing import trace

        return trace(self.to_actuators, [self.joints], type(self).__name__, returns=[self.actuators])

    @cached_property
    def _ratio(self) -> Any:
        from gearwright.tracing import imported_casadi

        casadi = imported_casadi()
        q = casadi.SX.sym("q", self.joints)
        return casadi.Function("ratio", [q], [casadi.densify(casadi.jacobian(self._positions(q), q))])

    # --- positions ---------------------------------------------------------------------------------------------

    def joint_to_actuator_position(self, j: ArrayLike) -> Any:
        """Actuator positions of joint positions [rad | m]."""
        q = vectors(j, self.joints)
        a = np.array(self._positions(q.reshape(-1, self.joints).T)).T.reshape(*q.shape[:-1], self.actuators)
        if not np.isfinite(a).all():
            beyond = q if q.ndim == 1 else q[~np.isfinite(a).all(axis=-1)][0]  # of a batch, the first
            raise ModelError(f"there is no actuator position for the joint position {like(j, beyond)}")
        return like(j, a)

    def actuator_to_joint_position(self, a: ArrayLike, *, near: ArrayLike | None = None) -> Any:
        """Joint positions of actuator positions [rad | m], by Newton's method from `near`, a joint position.

        Where several fit, it is the one that this leads to.
        """
        target = vectors(a, self.actuators)
        self._check_square()
        start = self.rest if near is None else vectors(near, self.joints)
        lead = np.broadcast_shapes(target.shape[:-1], start.shape[:-1])
        targets = np.broadcast_to(target, (*lead, self.actuators)).reshape(-1, self.actuators)
        starts = np.broadcast_to(start, (*lead, self.joints)).reshape(-1, self.joints)
        q = np.array([self._newton(x, q0) for x, q0 in zip(targets, starts, strict=True)])
        return like(a, q.reshape(*lead, self.joints))

    def _newton(self, target: Array, q: Array) -> Array:
        """Newton's steps, halved until each comes closer."""
        q, error = q.copy(), self._error(q, target)
        tolerance = ACCURACY * (1.0 + np.abs(target).max())
        for _ in range(MAX_STEPS):
            if np.abs(error).max() <= tolerance:
                return q
            try:
                step = np.linalg.solve(self.actuator_per_joint_at(q), error)
            except (ModelError, np.linalg.LinAlgError):
                break
            size = 1.0
            while size > 1e-6 and not self._closer(q - size * step, target, error):
                size /= 2
            if size <= 1e-6:
                break
            q = q - size * step
            error = self._error(q, target)
        if np.abs(error).max() <= tolerance:
            return q
        missing = f"the closest found, {q.tolist()}, is off by {np.abs(error).max():.3g}"
        raise ModelError(
            f"no joint position is found for the actuator position {target.tolist()}: {missing}; "
            "give a joint position close to it as near="
        )

    def _error(self, q: Array, target: Array) -> Array:
        return np.asarray(np.array(self._positions(q))[:, 0] - target, dtype=np.float64)

    def _closer(self, q: Array, target: Array, error: Array) -> bool:
        return bool(np.linalg.norm(self._error(q, target)) < np.linalg.norm(error))  # a NaN is not

    # --- velocities and efforts --------------------------------------------------------------------------------

    def joint_to_actuator_velocity(self, j: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        """`v_a = A·v_j` [rad/s | m/s]."""
        return self._product(self._ratio_at(at), j)

    def actuator_to_joint_velocity(self, a: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        """`v_j = A⁻¹·v_a` [rad/s | m/s]."""
        return self._product(self._inverse_at(at), a)

    def actuator_to_joint_effort(self, a: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        """`τ_j = Aᵀ·τ_a` [N·m | N]."""
        return self._product(np.swapaxes(self._ratio_at(at), -1, -2), a)

    def joint_to_actuator_effort(self, j: ArrayLike, *, at: ArrayLike | None = None) -> Any:
        """`τ_a = A⁻ᵀ·τ_j` [N·m | N]."""
        return self._product(np.swapaxes(self._inverse_at(at), -1, -2), j)

    def _ratio_at(self, at: ArrayLike | None) -> Array:
        return self.actuator_per_joint_at(self.rest if at is None else at)

    def _inverse_at(self, at: ArrayLike | None) -> Array:
        self._check_square()
        A = self._ratio_at(at)
        # beyond this condition the inverse keeps no digits: the joints move while the actuators stand
        if not (np.linalg.cond(A) < 1 / np.finfo(float).eps).all():
            where = (self.rest if at is None else np.asarray(at)).tolist()
            raise ModelError(
                f"at joint position {where} the ratio has no inverse: actuators do not determine the joints"
            )
        return np.asarray(np.linalg.inv(A), dtype=np.float64)

    def _product(self, M: Array, x: ArrayLike) -> Any:
        y = (M @ vectors(x, M.shape[-1])[..., None])[..., 0]
        return like(x, y)

    def _check_square(self) -> None:
        if self.actuators != self.joints:
            raise ModelError(
                f"{self.actuators} actuators and {self.joints} joints: the map has no inverse. It gives actuator "
                "positions and velocities from joints, and joint efforts from actuators, but not the reverse"
            )


def vectors(x: ArrayLike, size: int) -> Array:
    """As arrays (…, size); a scalar is a vector where the size is 1."""
    x = numbers("a transmission", x)
    if x.ndim == 0 and size == 1:
        return x[None]
    if x.ndim == 0 or x.shape[-1] != size:
        raise ModelError(f"expected {size} values along the last axis, got shape {x.shape}")
    return x


def like(x: ArrayLike, result: Array) -> Any:
    """A scalar where a scalar was given."""
    return float(result[0]) if np.ndim(x) == 0 and result.shape == (1,) else result
