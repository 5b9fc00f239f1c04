"""What a robot with given numbers would have measured, and its derivatives: all logs and candidates in one batch.

    r(z) = (y(z) − y*)/σ,   J = ∂r/∂z

Each log of each candidate is one robot, and each unknown that it depends on one direction (`TangentRollout`). A delay
acts through the command's own slope; gains and offsets act on what comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import ceil

import numpy as np

from gearwright.errors import ModelError
from gearwright.identification.experiment import Experiment, Measured
from gearwright.identification.unknowns import Unknown
from gearwright.model.layout.slots import StepSlot, slots_that
from gearwright.model.mass.inertia import Inertia, flaws
from gearwright.sim.derivatives.sensitivity import HELD, acting, held_rows
from gearwright.sim.derivatives.tangent_rollout import Start, TangentRollout, TangentRows
from gearwright.sim.options import cores
from gearwright.sim.programs.programs import DRIVEN
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array

READ = ("reading_delay", "gain", "offset")  # unknowns that act on what comes out


def state_places(sim: Simulation) -> dict[str, int]:
    """Where states of actuators are in their slot, by `MOTOR.STATE`."""
    return {f"{a}.{state}": i for a, own in sim.robot.layout.actuator.items() for state, i in own.items()}


KEPT = 4  # candidates whose residuals are kept
MOST_NUMBERS = 1 << 25  # of the rows of one roll-out: 256 MiB


@dataclass(frozen=True, kw_only=True)
class Fits:
    """Residuals (S, m) of S candidates, in the unit of what was measured, and their derivatives (S, m, z); infinite
    where a roll-out diverges."""

    residuals: Array
    jacobian: Array


class Residuals:
    """`sim` has every robot parameter among the unknowns, and those that logs drive, as inputs."""

    def __init__(
        self, sim: Simulation, experiments: Sequence[Experiment], unknowns: Sequence[Unknown],
        inner: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        """`inner`: states beside the motion where each log begins, (E, size) by slot; else those of a reset."""
        self.inner = {} if inner is None else inner
        self.sim, self.experiments, self.unknowns = sim, tuple(experiments), tuple(unknowns)
        self.driven = list(dict.fromkeys(n for e in experiments for n in e.switched))  # states of actuators
        places = [state_places(sim)[name] for name in self.driven]
        self.rollout = TangentRollout(sim.kernels, sim.options.threads or cores(), places)
        self._driven_start = sim.batch_state.get(StepSlot.ACTUATOR)[:, places] if places else np.zeros((1, 0))
        self.steps = max(ceil(e.duration / sim.dt - 1e-9) + 1 for e in experiments)
        self.own = [self._own(k) for k in range(len(experiments))]  # unknowns of each log
        self.names = sim.options.inputs
        outputs = [o for e in experiments for o in e.outputs]
        self.signals = list(dict.fromkeys(o.signal for o in outputs))
        self.units = tuple(dict.fromkeys(o.signal.unit for o in outputs))
        sizes = [len(o.values) for o in outputs]
        edges = np.cumsum([0, *sizes]).tolist()
        self.rows = [slice(a, b) for a, b in pairwise(edges)]  # of each output of each log
        self.outputs = outputs
        self.measured = np.concatenate([o.values for o in outputs])
        self.evaluations = 0  # roll-outs of all logs
        self._fits: dict[bytes, Fits] = {}  # of the last candidates that were asked for one by one

    @property
    def count(self) -> int:
        return len(self.measured)

    def _own(self, log: int) -> list[int]:
        rig = self.experiments[log].rig
        return [
            i for i, u in enumerate(self.unknowns)
            if (u.log is None or u.log == log) and (u.rig is None or u.rig == rig)
        ]  # fmt: skip

    # --- all candidates --------------------------------------------------------------------------------------------

    def at(self, candidates: Array, *, differentiated: bool = True) -> Fits:
        """Of candidates (S, z). Without derivatives, the Jacobian is 0: for one lane in the place of many."""
        S, E = len(candidates), len(self.experiments)
        K = max(1, *map(len, self.own)) if differentiated else 1
        most = max(1, MOST_NUMBERS // (self.steps * E * K * self._row_size))
        if most < S:
            parts = [self.at(candidates[k : k + most], differentiated=differentiated) for k in range(0, S, most)]
            return Fits(
                residuals=np.concatenate([p.residuals for p in parts]),
                jacobian=np.concatenate([p.jacobian for p in parts]),
            )
        self.evaluations += S
        start = self._start(candidates, K, differentiated=differentiated)
        jacobian = np.zeros((S, self.count, len(self.unknowns)))
        return self._observed_along(start, candidates, self.own if differentiated else [[]] * E, jacobian)

    def _observed_along(self, start: Start, candidates: Array, own: Sequence[list[int]], jacobian: Array) -> Fits:
        """`own`: columns of the Jacobian that the directions of each log are."""
        E = len(self.experiments)
        rows = self._rolled_out(start, self.rollout.slots_of(self.signals))
        residuals = np.zeros((len(candidates), self.count))
        read = {signal: self.rollout.read(signal, rows) for signal in self.signals}
        outputs = [(e, output) for e, experiment in enumerate(self.experiments) for output in experiment.outputs]
        for (e, output), part in zip(outputs, self.rows, strict=True):
            values, tangents = read[output.signal]
            robots = slice(e, None, E)
            y, J = self._observed(output, candidates, values[:, robots], tangents[:, robots, : len(own[e])], own[e])
            residuals[:, part] = y - output.values
            jacobian[:, part, own[e]] = J
        for lost in {robot // E for robot in rows.failed(start.directions)}:
            residuals[lost] = np.inf
        residuals[~np.isfinite(residuals).all(axis=1)] = np.inf
        return Fits(residuals=residuals, jacobian=jacobian)

    def fit(self, candidate: Array) -> Fits:
        """Of one candidate (z,), S = 1; the last few are kept."""
        key = candidate.tobytes()
        if key not in self._fits:
            self._fits = dict(list(self._fits.items())[1 - KEPT :]) | {key: self.at(candidate[None])}
        return self._fits[key]

    def along(self, candidates: Array, unknowns: Sequence[int]) -> Array:
        """∂r/∂z_i, (S, m): of each candidate along one number of the robot."""
        E = len(self.experiments)
        start = self._start(candidates, 1, differentiated=False)
        direction = np.zeros((start.robots, 1, len(self.names)))
        for s, i in enumerate(unknowns):
            for e in range(E):
                direction[s * E + e, 0, self.names.index(self.unknowns[i].of)] = i in self.own[e]
        start = replace(start, tangents={StepSlot.PARAMETER: direction})
        self.evaluations += len(candidates)
        jacobian = np.zeros((len(candidates), self.count, 1))
        return self._observed_along(start, candidates, [[-1]] * E, jacobian).jacobian[:, :, 0]  # the one column

    def states_at(self, candidate: Array, times: Sequence[tuple[int, float]]) -> dict[str, Array]:
        """States beside the motion, such as those of motors, at instants (log, time) of one roll-out: (n, size)."""
        slots = [s for s in self.sim.batch_state.parts if s not in (StepSlot.POSITION, *slots_that("rates"))]
        rows = self.rollout.run(self._start(candidate[None], 1, differentiated=False), slots)
        places = [(min(self.steps, round(time / self.sim.dt)), log) for log, time in times]
        return {slot: np.array([x[row, log] for row, log in places]) for slot, x in rows.slots.items()}

    @property
    def _row_size(self) -> int:
        return 2 * sum(self.rollout.size(s) for s in self.rollout.slots_of(self.signals) if s != StepSlot.DT)

    def _rolled_out(self, start: Start, record: Sequence[str]) -> TangentRows:
        rows = self.rollout.run(start, [s for s in record if s not in HELD])
        held = {name: held_rows(start, name, 1) for name in record if name in HELD}
        return TangentRows(
            slots={**rows.slots, **{n: values for n, (values, _) in held.items()}},
            tangents={**rows.tangents, **{n: varied for n, (_, varied) in held.items()}}, failures=rows.failures,
        )  # fmt: skip

    # --- what goes in ----------------------------------------------------------------------------------------------

    def _start(self, candidates: Array, K: int, *, differentiated: bool) -> Start:
        """Robot s·E + e is log e of candidate s."""
        S, E, n = len(candidates), len(self.experiments), self.steps
        slots, _ = acting(self.sim, self.sim, 0, None, None)
        if self.driven:
            slots[DRIVEN] = self._driven_start
        slots = {name: np.repeat(x, S * E, axis=0) for name, x in slots.items()}
        tangents = {name: np.zeros((S * E, K, x.shape[1])) for name, x in slots.items() if self.rollout.has(name)}
        series: dict[str, Array] = {}
        varying: dict[str, Array] = {}
        for e, experiment in enumerate(self.experiments):
            robots, own = np.arange(S) * E + e, self.own[e]
            for slot, states in self.inner.items():
                slots[slot][robots] = states[e]
            self._begin(slots, experiment, robots)
            for k, i in enumerate(own):
                self._place(slots, tangents if differentiated else {}, self.unknowns[i], candidates[:, i], robots, k)
            self._drive(series, varying if differentiated else None, slots, experiment, candidates, robots, K)
        if not differentiated:
            return Start(steps=n, directions=1, slots=slots, series=series)
        return Start(
            steps=n, directions=K, slots=slots, tangents=tangents, series=series, series_tangents=varying
        )  # fmt: skip

    def _begin(self, slots: Mapping[str, Array], experiment: Experiment, robots: Array) -> None:
        if self.sim.robot.tree.cuts:  # loops are assembled around what was measured
            for slot, state in self._assembled[self._index(experiment)].items():
                slots[slot][robots] = state
            return
        for name, value in experiment.start.items():
            self._set_start(slots, name, value, robots)

    @cached_property
    def _assembled(self) -> list[dict[str, Array]]:
        """States of a robot with loops where each log begins."""
        found, before = [], self.sim.state
        for experiment in self.experiments:
            given: dict[str, dict[str, float]] = {StepSlot.POSITION: {}, StepSlot.VELOCITY: {}}
            for name, value in experiment.start.items():
                owner, _, quantity = name.rpartition(".")
                given[quantity][owner] = value
            self.sim.reset(position=given[StepSlot.POSITION], velocity=given[StepSlot.VELOCITY])
            found.append({slot: self.sim.batch_state.get(slot) for slot in self.sim.batch_state.parts})
        self.sim.state = before
        return found

    def _set_start(self, slots: Mapping[str, Array], name: str, value: float | Array, robots: Array) -> None:
        slot, i = self._places[name]
        slots[slot][robots, i] = value
        if slot == StepSlot.VELOCITY and StepSlot.MEAN_VELOCITY in slots:
            slots[StepSlot.MEAN_VELOCITY][robots, i] = value

    @property
    def _places(self) -> dict[str, tuple[str, int]]:
        return {
            f"{e.owner}.{e.quantity}": (slot, i)
            for slot in (StepSlot.POSITION, StepSlot.VELOCITY) for i, e in enumerate(self.sim.layout.elements(slot))
        }  # fmt: skip

    def _place(
        self, slots: Mapping[str, Array], tangents: Mapping[str, Array], unknown: Unknown, values: Array, robots: Array,
        k: int,
    ) -> None:  # fmt: skip
        """A number of the robot or of its start, and the direction along it."""
        if unknown.kind == "robot":
            slot, i = str(StepSlot.PARAMETER), self.names.index(unknown.of)
            slots[slot][robots, i] = values
        elif unknown.kind == "start":
            slot, i = self._places[unknown.of]
            self._set_start(slots, unknown.of, values, robots)
        else:
            return
        if slot in tangents:
            tangents[slot][robots, k, i] = 1.0

    def _drive(
        self, series: dict[str, Array], varying: dict[str, Array] | None, slots: Mapping[str, Array],
        experiment: Experiment, candidates: Array, robots: Array, K: int,
    ) -> None:  # fmt: skip
        """Commands with their delays, efforts, and parameters that the log has."""
        n, dt, layout = self.steps, self.sim.dt, self.sim.layout
        B = len(slots[StepSlot.POSITION])
        delays = {self.unknowns[i].of: (k, i) for k, i in enumerate(self.own[self._index(experiment)])
                  if self.unknowns[i].kind == "delay"}  # fmt: skip
        groups = (
            (StepSlot.COMMAND, experiment.commands, layout.commands.index),
            (StepSlot.EFFORT, experiment.efforts, layout.names.coordinates.index),
            (StepSlot.PARAMETER, experiment.driven, {name: i for i, name in enumerate(self.names)}),
            (DRIVEN, experiment.switched, {name: i for i, name in enumerate(self.driven)}),
        )
        for slot, courses, places in groups:
            for name, course in courses.items():
                own = series.setdefault(slot, np.repeat(slots[slot][None], n, axis=0))
                k, i = delays.get(name, (0, None)) if slot == StepSlot.COMMAND else (0, None)
                for s, robot in enumerate(robots):
                    delay = 0.0 if i is None else candidates[s, i]
                    own[:, robot, places[name]] = course.means(dt, n, delay)
                    if i is not None and varying is not None:
                        moved = varying.setdefault(slot, np.zeros((n, B, K, own.shape[-1])))
                        moved[:, robot, k, places[name]] = course.slopes(dt, n, delay)
        if StepSlot.PARAMETER in series:  # what is not driven stays as each candidate has it
            driven = {places for e in self.experiments for places in map(self.names.index, e.driven)}
            rest = [i for i in range(len(self.names)) if i not in driven]
            series[StepSlot.PARAMETER][:, robots[:, None], rest] = slots[StepSlot.PARAMETER][robots[:, None], rest]

    def _index(self, experiment: Experiment) -> int:
        return next(k for k, e in enumerate(self.experiments) if e is experiment)

    # --- what comes out --------------------------------------------------------------------------------------------

    def _observed(
        self, output: Measured, candidates: Array, values: Array, tangents: Array, own: Sequence[int]
    ) -> tuple[Array, Array]:
        """A signal (T, S) at the times of the log, through its gain, offset and delay: (S, m) and (S, m, own)."""
        S, m = len(candidates), len(output.time)
        y, J = np.empty((S, m)), np.empty((S, m, len(own)))
        known = [i for i, u in enumerate(self.unknowns) if u.of == output.name and u.kind in READ]
        reading = {self.unknowns[i].kind: (own.index(i) if i in own else None, i) for i in known}
        for s in range(S):
            late = candidates[s, reading["reading_delay"][1]] if "reading_delay" in reading else 0.0
            gain = candidates[s, reading["gain"][1]] if "gain" in reading else 1.0
            offset = candidates[s, reading["offset"][1]] if "offset" in reading else 0.0
            at = np.clip((output.time - late) / self.sim.dt, 0.0, len(values) - 1.0)
            k = np.minimum(at.astype(int), len(values) - 2)
            part = at - k
            plain = (1.0 - part) * values[k, s] + part * values[k + 1, s]
            y[s] = gain * plain + offset
            J[s] = gain * ((1.0 - part)[:, None] * tangents[k, s] + part[:, None] * tangents[k + 1, s])
            slopes = {
                "reading_delay": -gain * (values[k + 1, s] - values[k, s]) / self.sim.dt,
                "gain": plain,
                "offset": 1.0,
            }
            for kind, (column, _) in reading.items():
                if column is not None:
                    J[s][:, column] = slopes[kind]
        return y, J

    # --- what can be -----------------------------------------------------------------------------------------------

    def possible(self, candidate: Array) -> bool:
        """Whether some body can have the inertias, for each rig."""
        wanted = {u.of: i for i, u in enumerate(self.unknowns) if u.kind == "robot" and ".inertia." in u.of}
        links = {name.partition(".inertia.")[0] for name in wanted}
        for link in links:
            own = self.sim.robot.links[link].inertia
            moments = [candidate[wanted[n]] if (n := f"{link}.inertia.{c}") in wanted else x
                       for c, x in zip(("ixx", "iyy", "izz"), own.moments, strict=True)]  # fmt: skip
            products = [candidate[wanted[n]] if (n := f"{link}.inertia.{c}") in wanted else x
                        for c, x in zip(("ixy", "ixz", "iyz"), own.products, strict=True)]  # fmt: skip
            mass = f"{link}.mass"
            try:
                made = Inertia(mass=own.mass if mass not in wanted else candidate[wanted[mass]],
                               moments=tuple(moments), products=tuple(products))  # type: ignore[arg-type]  # fmt: skip
            except ModelError:  # a rule of its fields
                return False
            if flaws([made])[0] is not None:
                return False
        return True
