"""Actuators that were learned from recordings: a network that maps command and motion to effort."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.model.actuators.actuator import Actuator, Command, Number, Shaft
from gearwright.model.actuators.network import Network
from gearwright.model.fields import quantity

INPUTS = ("error", "position", "velocity", "command")
DUE = 1e-6  # share of a period: a clock that is this near has got there


@dataclass(frozen=True, kw_only=True)
class LearnedActuator(Actuator):
    """`effort = network(inputs now, inputs before, …)`, at its sample rate, held in between.

    `inputs` are quantities of the shaft: the error of its position, position, velocity, and the command itself. With a
    `history`, the network gets the last samples of each input, the newest first, one input after another. It sees what
    is measured at the end of a step, and its effort acts from the next step on; a recurrent network keeps its memory in
    the simulation's state. Effort and velocity limits of the actuator bound what it gives.
    """

    type: ClassVar[str] = "learned"
    commands: ClassVar[tuple[Command, ...]] = ("position", "velocity", "effort", "voltage")
    has_drive: ClassVar[bool] = False

    command: Command = quantity(choices=commands, doc="what a command means", default="position")
    network: Network  # its weights
    inputs: tuple[str, ...] = ("error", "velocity")  # of the network, in their order
    history: int = quantity(at_least=1, doc="samples of each input", default=1, parameter=False)
    sample_rate: float | None = quantity(
        "Hz", above=0, doc="rate of the network; not given: every step", default=None, parameter=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "inputs", tuple(self.inputs))
        for name in self.inputs:
            if name not in INPUTS:
                raise UnknownNameError("input of a learned actuator", name, INPUTS)
        if (size := len(self.inputs) * self.history) != self.network.inputs:
            raise ModelError(
                f"actuator {self.name!r}: {len(self.inputs)} inputs with a history of {self.history} are {size} "
                f"numbers, and its network takes {self.network.inputs}"
            )
        if self.network.outputs != 1:
            raise ModelError(f"an actuator's network must give one number, its effort, not {self.network.outputs}")
        past = tuple(f"{name}_{k}" for name in self.inputs for k in range(1, self.history))
        memory = tuple(f"memory_{k}" for k in range(1, self.network.hidden + 1))
        object.__setattr__(self, "states", ("output", "clock", "started", *past, *memory))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, name: str, **fields: Any) -> Self:
        """From a file of weights, NPZ or ONNX; `fields` are the actuator's."""
        from gearwright.model.actuators.network_files import read_network

        return cls(name=name, network=read_network(path), **fields)

    @property
    def initial(self) -> tuple[float, ...]:
        start = {"clock": 0.0 if self.sample_rate is None else 1.0 / self.sample_rate}
        return tuple(start.get(name, 0.0) for name in self.states)

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        own = dict(zip(self.states, state, strict=True))
        effort = self.bounded(own["output"], shaft)
        if shaft.done is None:
            return effort, state
        after = self._sampled(command, shaft, own)
        return effort, tuple(after[name] for name in self.states)

    def _sampled(self, command: Number, shaft: Shaft, own: dict[str, Number]) -> dict[str, Number]:
        """Its states after a step, with a new output where a sample is due."""
        speed = shaft.speed if shaft.end is None else shaft.end
        seen = {"error": command - shaft.reached, "position": shaft.reached, "velocity": speed, "command": command}
        fresh = own["started"] == 0.0
        rows: list[Number] = []
        past: dict[str, Number] = {}
        for name in self.inputs:
            before = [np.where(fresh, seen[name], own[f"{name}_{k}"]) for k in range(1, self.history)]
            row = [seen[name], *before]
            rows += row
            past |= {f"{name}_{k}": row[k - 1] for k in range(1, self.history)}
        (output,), memory = self.network.evaluate(rows, [own[f"memory_{k}"] for k in range(1, self.network.hidden + 1)])
        found = {"output": output, "started": 1.0, "clock": 0.0, **past}
        found |= {f"memory_{k}": x for k, x in enumerate(memory, 1)}
        if self.sample_rate is None:
            return found
        clock, period = own["clock"] + shaft.dt, 1.0 / self.sample_rate
        due = clock >= period * (1.0 - DUE)
        kept = {name: np.where(due, x, own[name]) for name, x in found.items()}
        return kept | {"clock": np.where(fresh, 0.0, np.where(due, clock - period, clock))}
