"""A trained policy as a controller: a network from a file, with the observations and actions of its environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from gearwright.errors import ModelError
from gearwright.given_numbers import number
from gearwright.model.actuators.network import Network

FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {"sin": np.sin, "cos": np.cos, "tanh": np.tanh, "abs": np.abs}
FAMILIES = ("position", "velocity", "effort", "sensor")
LAST = "last action of "  # of an actuator: the name in the memory
EARLIER = "action before that of "


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Runs in the compiled step, in exported C code, or from Python, like any controller.

        policy = gw.Policy.load("walk.npz", observe=observe, act=ranges, goal={"speed": 0.8}, normalized=True)
        sim = gw.compile(robot, controller=policy, control_period=0.02)
        sim.set_parameters({"speed": 0.5})

    `observe`, `act` and `normalized` are those of the `VectorEnv` in which it was trained; goals become parameters. The
    first action before the start is the middle of the range.
    """

    network: Network  # from observations to actions
    observe: Any  # as in the environment
    act: Mapping[str, tuple[float, float]]  # ranges of the actuators
    goal: Mapping[str, float] = field(default_factory=dict)  # numbers of the episode, which become parameters
    normalized: bool = False  # actions go from -1 to 1
    memory: Mapping[str, float] = field(init=False, repr=False)  # the last two actions
    parameters: Mapping[str, float] = field(init=False, repr=False)  # goals by name

    def __post_init__(self) -> None:
        if len(self.act) != self.network.outputs:
            raise ModelError(
                f"the policy returns {self.network.outputs} numbers, but act names {len(self.act)} actuators"
            )
        if self.network.hidden:
            raise ModelError("a policy with memory is not supported: use one without recurrent layers")
        middle = {name: 0.5 * (low + high) for name, (low, high) in self.act.items()}
        memory = {LAST + n: x for n, x in middle.items()} | {EARLIER + n: x for n, x in middle.items()}
        object.__setattr__(self, "memory", memory)
        object.__setattr__(self, "parameters", {n: number(f"the goal {n!r}", x) for n, x in self.goal.items()})

    @classmethod
    def load(cls, path: str | os.PathLike[str], **fields: Any) -> Self:
        """From a file of weights, NPZ or ONNX, as `LearnedActuator.load` reads them."""
        from gearwright.model.actuators.network_files import read_network

        return cls(network=read_network(path), **fields)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the network as NPZ or ONNX, by the file's ending."""
        from gearwright.model.actuators.network_files import write_network

        write_network(self.network, path)

    def __call__(self, sim: Any, memory: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        seen = Observed(sim, self, memory)
        given = [self.observe] if isinstance(self.observe, str) or callable(self.observe) else self.observe
        numbers = [x for one in given for x in (_flat(one(seen)) if callable(one) else named(sim, one))]
        if len(numbers) != self.network.inputs:
            raise ModelError(f"the policy takes {self.network.inputs} numbers, but observe gives {len(numbers)}")
        found, _ = self.network.evaluate(numbers)
        command = {}
        for (name, (low, high)), action in zip(self.act.items(), found, strict=True):
            asked = low + (np.clip(action, -1.0, 1.0) + 1.0) * (0.5 * (high - low)) if self.normalized else action
            command[name] = np.clip(asked, low, high)
        after = {LAST + n: x for n, x in command.items()} | {EARLIER + n: memory[LAST + n] for n in command}
        return command, after


class Observed:
    """The simulation, with what functions of an environment read beside it."""

    def __init__(self, sim: Any, policy: Policy, memory: Mapping[str, Any]) -> None:
        self._sim = sim
        self.action = _stacked([memory[LAST + name] for name in policy.act])
        self.last_action = _stacked([memory[EARLIER + name] for name in policy.act])
        self.goal = {name: sim.parameters.get(name, x) for name, x in policy.goal.items()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sim, name)


def named(sim: Any, name: str) -> Sequence[Any]:
    """A quantity by name, as environments name it: `cos(knee.position)`, `motor.velocity`, `position`."""
    call = re.fullmatch(r"(\w+)\((.+)\)", name)
    if call and call[1] in FUNCTIONS:
        return [FUNCTIONS[call[1]](x) for x in named(sim, call[2])]
    if name in FAMILIES:
        return [x for own in getattr(sim, name).values() for x in _flat(own)]
    owner, _, quantity = name.rpartition(".")
    if quantity in FAMILIES and owner in getattr(sim, quantity):
        return _flat(getattr(sim, quantity)[owner])
    if owner in sim.actuator:
        return _flat(getattr(sim.actuator[owner], quantity))
    raise ModelError(
        f"a policy cannot read {name!r}: name a joint's, sensor's or actuator's quantity, or give a function"
    )


def _flat(values: Any) -> list[Any]:
    return list(np.ravel(values))


def _stacked(values: Sequence[Any]) -> Any:
    return np.stack(values)
