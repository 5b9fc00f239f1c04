"""Sensors on given signals, as compiled programs; and what they should read, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, pi
from typing import Any

import casadi
import numpy as np

from gearwright.compiler import Program, Slot, SlotKind, compile_program, stage
from gearwright.dynamics.algebra.scalar import scalars
from gearwright.dynamics.sensing.sensors import Sensing
from gearwright.model.sensors.sensors import Encoder, Sensor

DT = 1e-3


class Bench:
    """Sensors that look at given positions and velocities, as a program whose state is theirs."""

    def __init__(self, *sensors: Sensor, sizes: Mapping[str, int] | None = None, dt: float = DT, **more: Any) -> None:
        self.sizes = {s.name: (sizes or {}).get(s.name, 1) for s in sensors}
        self.sensing = Sensing({s.name: s for s in sensors}, self.sizes, dt, **more)
        self.width = sum(self.sizes.values())
        self.first, self.later = self._start(), self._sample()

    def _signals(self, x: casadi.SX, v: casadi.SX) -> dict[str, tuple[list[Any], list[Any]]]:
        ends = np.cumsum([0, *self.sizes.values()])
        return {
            name: (scalars(x)[a:b], scalars(v)[a:b]) for name, a, b in zip(self.sizes, ends, ends[1:], strict=False)
        }

    def _start(self) -> Program:
        x, v = casadi.SX.sym("x", self.width), casadi.SX.sym("v", self.width)
        g = casadi.SX.sym("g", len(self.sensing.generators))
        state = self.sensing.start(self._signals(x, v), scalars(g))
        return self._program([x, v, g], ["x", "v", "g"], state, self.sensing.reading(state))

    def _sample(self) -> Program:
        x, v = casadi.SX.sym("x", self.width), casadi.SX.sym("v", self.width)
        s = casadi.SX.sym("s", len(self.sensing.state))
        readings, after = self.sensing.sample(self._signals(x, v), scalars(s))
        return self._program([x, v, s], ["x", "v", "s"], after, readings)

    def _program(self, inputs: list[Any], names: list[str], state: list[Any], readings: list[Any]) -> Program:
        columns = [casadi.vertcat(*state), casadi.vertcat(*readings)]
        f = casadi.Function("sense", inputs, columns, names, ["s", "r"], {"allow_duplicate_io_names": True})
        kinds = {"s": SlotKind.STATE, "r": SlotKind.OUTPUT}
        sizes = {n: f.numel_in(i) for i, n in enumerate(names)} | {"s": f.numel_out(0), "r": f.numel_out(1)}
        slots = tuple(Slot(name=n, kind=kinds.get(n, SlotKind.INPUT), shape=(size,)) for n, size in sizes.items())
        return Program(name="sense", slots=slots, body=(stage(f),))

    def run(self, x: Any, v: Any = None, *, precision: Any = "double", lanes: Any = 1, threads: int = 1) -> Any:
        """Readings at reset and after every step, (1 + steps, robots, readings), and the states likewise.

        x and v: (1 + steps, robots, numbers), or (1 + steps,) for one number of one robot.
        """
        x = np.asarray(x, float)
        x = x.reshape(len(x), -1, self.width)
        v = np.zeros_like(x) if v is None else np.asarray(v, float).reshape(x.shape)
        steps, robots, _ = x.shape
        options = {"precision": precision, "lanes": lanes, "cache": False}
        reset = compile_program(self.first, **options)
        begun = reset.evaluate({"x": x[0], "v": v[0], "g": self.sensing.layout.seeds(robots)})
        kernel = compile_program(self.later, **options)
        instance = kernel.instance(robots, threads=threads)
        instance.set("s", begun["s"])
        done = instance.run(steps - 1, series={"x": x[1:], "v": v[1:]}, record=("s", "r"))
        assert not instance.failures
        return tuple(np.concatenate([begun[n][None], done[n]]) for n in ("r", "s"))

    def readings(self, x: Any, v: Any = None, **more: Any) -> Any:
        """Of one robot, (1 + steps, readings); (1 + steps,) where there is one."""
        found = self.run(x, v, **more)[0][:, 0]
        return found[:, 0] if found.shape[1] == 1 else found


def walk(rng: np.random.Generator, steps: int = 400, speed: float = 0.3) -> Any:
    """A signal that goes to and fro over several turns."""
    return np.cumsum(rng.normal(size=steps)) * speed + rng.normal()


@dataclass
class ExactEncoder:
    """The definition, on fractions: nothing is rounded but to counts."""

    encoder: Encoder
    turn: float = 2 * pi

    def count(self, x: float) -> int:
        e = self.encoder
        y = Fraction(e.ratio) * Fraction(x) + Fraction(e.offset)
        return floor(y * Fraction(e.resolution or 0) / Fraction(self.turn) + Fraction(1, 2))


def held(values: Sequence[Any], period: int, delay: int) -> list[Any]:
    """What is seen at each step of values that are sampled every `period` steps, `delay` steps late."""
    return [values[max(0, (i - delay)) // period * period] for i in range(len(values))]
