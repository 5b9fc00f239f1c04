"""The user's own map, as a Python function on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError, TracingError
from gearwright.model.transmissions.maps import TransmissionMap, like, vectors

ARGUMENTS = {"position": ("q",), "effort": ("a", "q", "v")}
MAX_GUESS = 16  # joints that a function without a size is tried with


@dataclass(frozen=True, kw_only=True)
class CustomTransmission(TransmissionMap):
    """`position(q)`: joint positions to actuator positions, everything else derived by exact differentiation.

    Or `effort(a, q, v)`: actuator efforts, joint positions and velocities to joint efforts; then power need not be
    conserved, and no other map is available.
    """

    position: Callable[..., Any] | None = None  # actuator positions of joint positions
    effort: Callable[..., Any] | None = None  # joint efforts of actuator efforts, q and v
    size: tuple[int, int] | None = None  # actuators, joints; None: found by trying the function

    def __post_init__(self) -> None:
        if (self.position is None) == (self.effort is None):
            raise ModelError("a custom transmission takes either position or effort")
        if not callable(self.function):
            raise ModelError(f"{self._given} must be a function, not {self.function!r}")
        _check_arguments(self.function, self._given)
        if self.size is not None and (len(self.size) != 2 or min(self.size) < 1):
            raise ModelError(f"size must be (actuators, joints), both at least 1, not {self.size}")

    @property
    def function(self) -> Callable[..., Any]:
        """The function that was given."""
        return self.position if self.position is not None else self.effort  # type: ignore[return-value]

    @property
    def by_effort(self) -> bool:
        """Whether only efforts are mapped."""
        return self.effort is not None

    @property
    def _given(self) -> str:
        return "position" if self.position is not None else "effort"

    @property
    def actuators(self) -> int:
        return self._size[0]

    @property
    def joints(self) -> int:
        return self._size[1]

    @cached_property
    def _size(self) -> tuple[int, int]:
        """As given, or the fewest joints that the function runs with; an effort function as many actuators."""
        if self.size is not None:
            return self.size
        from gearwright.tracing import trace

        first: TracingError | None = None
        for n in range(1, MAX_GUESS + 1):
            try:
                if self.position is not None:
                    return trace(self.position, [n], returns=[None]).numel_out(), n
                trace(self.function, [n, n, n], returns=[n])
                return n, n
            except TracingError as error:
                first = first or error
                if self.position is not None and not isinstance(error.__cause__, IndexError | ValueError | TypeError):
                    raise  # more joints would not help
        raise ModelError(
            f"give size=(actuators, joints): no size up to {MAX_GUESS} suits the function; {first}"
        ) from first

    def to_actuators(self, q: Any) -> Any:
        if self.position is None:
            raise ModelError(
                "a custom transmission given by effort(a, q, v) maps actuator efforts to joint efforts and nothing "
                "else; give position(q) for positions, velocities and the way back"
            )
        if np.ndim(q) > 1:  # the function is written for one position
            return np.stack([self.to_actuators(x) for x in q])
        from gearwright.tracing import Traced, elements

        a = elements(self.position(q))
        return np.array(a) if all(type(x) is float for x in a) else Traced(a, (len(a),))

    @cached_property
    def _positions(self) -> Any:
        from gearwright.tracing import trace

        if self.position is None:
            return self.to_actuators(None)  # says why there are none
        return trace(self.position, [self.joints], returns=[self.actuators])

    @cached_property
    def joint_efforts(self) -> Any:
        """`effort(a, q, v)` as a CasADi function."""
        from gearwright.tracing import trace

        if self.effort is None:
            raise ModelError(
                "a custom transmission given by position(q) has no effort function; its efforts follow from its ratio"
            )
        n = self.joints
        return trace(self.effort, [self.actuators, n, n], returns=[n])

    def actuator_to_joint_effort(
        self, a: ArrayLike, *, at: ArrayLike | None = None, velocity: ArrayLike | None = None
    ) -> Any:
        """Efforts of the joints; of an effort function also by their position and velocity, zeros by default."""
        if self.effort is None:
            return super().actuator_to_joint_effort(a, at=at)
        zeros = np.zeros(self.joints)
        state = [vectors(zeros if x is None else x, self.joints) for x in (at, velocity)]
        efforts = vectors(a, self.actuators)
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in (efforts, *state)))
        columns = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]).T for x in (efforts, *state)]
        joint = np.array(self.joint_efforts(*columns)).T.reshape(*lead, self.joints)
        if not np.isfinite(joint).all():
            raise ModelError(
                f"the effort function gives {joint.tolist()} for actuator efforts {np.asarray(a).tolist()}"
            )
        return like(a, joint)


def _check_arguments(function: Callable[..., Any], given: str) -> None:
    try:
        takes = signature(function)
    except (TypeError, ValueError):  # some functions of NumPy and of C do not tell
        return
    try:
        takes.bind(*ARGUMENTS[given])
    except TypeError:
        raise ModelError(
            f"the function is called as {given}({', '.join(ARGUMENTS[given])}) and takes {takes}"
        ) from None
