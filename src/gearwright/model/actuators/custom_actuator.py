"""The user's own actuators: one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gearwright.errors import ModelError
from gearwright.model.actuators.actuator import Actuator, Command, Number, Shaft


@dataclass(frozen=True, kw_only=True)
class CustomActuator(Actuator):
    """`function(command, speed, state) → (effort, state)`, written on NumPy functions.

    It is evaluated at the speed of the axis at the end of the step, so that a falling torque-speed curve of any
    steepness is stable. `memory` names its states, with the values at the start; the function gets them as a dictionary
    and returns one. A function with a fourth argument gets the step size.
    """

    type: ClassVar[str] = "custom"
    may_rise: ClassVar[bool] = True
    commands: ClassVar[tuple[Command, ...]] = ("effort", "velocity", "position", "voltage")
    has_drive: ClassVar[bool] = False  # the function makes of a command what it likes

    function: Callable[..., Any]  # of command, speed, state and, if it takes it, dt
    memory: Mapping[str, float] = field(default_factory=dict)  # states by name, with their start

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "memory", {str(k): float(v) for k, v in self.memory.items()})
        if taken := {"torque", "position", "velocity", "command"} & set(self.memory):
            raise ModelError(f"actuator {self.name!r}: the name {sorted(taken)[0]!r} of a memory is taken")
        if not callable(self.function):
            raise ModelError(f"actuator {self.name!r}: the function cannot be called")
        object.__setattr__(self, "states", tuple(self.memory))

    @property
    def initial(self) -> tuple[float, ...]:
        return tuple(self.memory.values())

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        own = dict(zip(self.memory, state, strict=True))
        more = (shaft.dt,) if _takes_dt(self.function) else ()
        answer = self.function(command, shaft.speed, own, *more)
        effort, after = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, own)
        if set(after) != set(own):
            raise ModelError(f"actuator {self.name!r}: the function must return {sorted(own)}, not {sorted(after)}")
        return self.bounded(effort, shaft), tuple(after[name] for name in own)


def _takes_dt(function: Callable[..., Any]) -> bool:
    from inspect import Parameter, signature

    plain = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    try:
        return sum(p.kind in plain for p in signature(function).parameters.values()) >= 4
    except (TypeError, ValueError):
        return False
