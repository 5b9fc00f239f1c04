"""Controllers that Python calls between steps: when, with which memory, and with which parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gearwright.control import declared
from gearwright.sim.state.given_values import constant
from gearwright.sim.state.values import Values

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


@dataclass
class ControllerState:
    """The last controller that Python called with its memory, and the steps from one call to the next."""

    period: int  # steps
    function: Any = None
    memory: Mapping[str, Any] | None = None

    def assign(self, function: Any, memory: Mapping[str, Any] | None) -> None:
        self.function, self.memory = function, memory


class ControllerCalls:
    """Calls a controller every `period` steps of the simulation's clock."""

    def __init__(self, sim: Simulation, controller: Any, period: int) -> None:
        self._own, self.period, self._batch = declared(controller), period, sim.batch
        self._clock, self._state = sim.clock, sim.controller_state
        if self._state.function is not self._own.function:  # a run goes on with the last one's memory
            self._state.assign(self._own.function, dict(self._own.memory))
        extra = [n for n in self._own.parameters if n not in sim.parameters]
        self._argument: Any = _WithParameters(sim, self._own.parameters) if extra else sim

    def __call__(self) -> Mapping[str, Any]:
        """Its commands now; nothing between two calls."""
        if self._clock.steps % self.period:
            return {}
        commands, memory = self._own.called(self._argument, self._state.memory or {})
        self._state.assign(self._own.function, {n: constant(n, x, self._batch) for n, x in memory.items()})
        return commands


class _WithParameters:
    """A simulation that shows a controller's own parameters, too, at the values that it declares."""

    def __init__(self, sim: Simulation, own: Mapping[str, float]) -> None:
        self._sim = sim
        known = sim.parameters
        reads: dict[str, Callable[[], Any]] = {n: partial(own.__getitem__, n) for n in own}
        self.parameters = Values("parameter", reads | {n: partial(known.__getitem__, n) for n in known}, {})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_sim"], name)
