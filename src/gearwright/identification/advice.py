"""Which experiment would tell parameters apart: each is simulated with the fitted robot, and counts only if it does.

Another experiment adds its information to that of the data, `H + H'`. It helps if fewer combinations are then loose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.identification.experiment import Experiment, Measured
from gearwright.identification.residuals import Residuals
from gearwright.identification.uncertainty import Information, squared
from gearwright.model import Actuator, Mechanism
from gearwright.model.joints import Joint
from gearwright.model.mass.inertia import Inertia
from gearwright.model.poses import Pose
from gearwright.sim.compiling import compile as compiled
from gearwright.sim.derivatives.sensitivity import differentiable
from gearwright.sim.recordings.signal_names import label
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array

PRECISION = 0.01  # of its largest value: how well another signal is taken to be recorded
FALL = 1.0  # [rad] from where a joint hangs, from which it is let fall
RECORDED = ("actuator.current", "torque", "shaft_velocity", "velocity")  # families that are worth recording


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The data that another experiment is added to."""

    residuals: Residuals
    z: Array
    scales: Array
    information: Information
    deviation: float  # s, of residuals in the unit of what was measured

    @property
    def robot(self) -> Mechanism:
        return self.residuals.sim.robot

    def information_of(self, sim: Simulation, experiments: Sequence[Experiment], deviation: float) -> Array:
        """H' of roll-outs of a robot, which may lack some of the parameters."""
        own = self.residuals
        known = [i for i, u in enumerate(own.unknowns) if u.log is None
                 and (u.kind != "robot" or u.of in sim.options.inputs)]  # fmt: skip
        tried = Residuals(sim, experiments, [own.unknowns[i] for i in known])
        fits = tried.at(self.z[known][None])
        found = np.zeros((len(self.information.matrix),) * 2)
        if np.isfinite(fits.residuals).all():
            J = fits.jacobian[0] * self.scales[known] / deviation
            found[np.ix_(known, known)] = squared(J)
        return found


class Advisor:
    """Finds experiments for the combinations of one fit."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def experiments(self, names: Sequence[str]) -> tuple[str, ...]:
        """Sentences: the experiments after which these parameters are no longer part of a loose combination."""
        places = [i for i, u in enumerate(self._setting.residuals.unknowns) if u.name in names]
        before = self._loose(self._setting.information.matrix, places)
        found = []
        for propose in PROPOSALS:
            for sentence, more in propose(self._setting):
                if self._loose(self._setting.information.matrix + more, places) < before:
                    found.append(sentence)
        return tuple(found)

    def _loose(self, matrix: Array, places: Sequence[int]) -> int:
        """Combinations that these parameters are part of."""
        directions = replace(self._setting.information, matrix=matrix).loose_directions()
        return int(np.any(directions[:, places] != 0.0, axis=1).sum()) if len(directions) else 0


Proposal = Callable[[Setting], Iterator[tuple[str, Array]]]


def _record_more(s: Setting) -> Iterator[tuple[str, Array]]:
    """Another signal in the same experiments."""
    sim = s.residuals.sim
    taken = {o.signal for o in s.residuals.outputs}
    for signal in sim.signals:
        if signal.family not in RECORDED or signal in taken or signal.shape:
            continue
        values, _ = _observed(s, signal)
        largest = float(np.abs(values).max(initial=0.0))
        if largest > 0 and np.isfinite(largest):
            each = [replace(e, outputs=(_output(signal, e),)) for e in s.residuals.experiments]
            yield f"record {label(signal)} as well", s.information_of(sim, each, PRECISION * largest)


def _observed(s: Setting, signal: Any) -> tuple[Array, Array]:
    each = [replace(e, outputs=(_output(signal, e),)) for e in s.residuals.experiments]
    tried = Residuals(s.residuals.sim, each, s.residuals.unknowns)
    found = tried.at(s.z[None], differentiated=False).residuals[0]
    return found, found


def _output(signal: Any, e: Experiment) -> Measured:
    time = e.outputs[0].time
    return Measured(name=label(signal), signal=signal, time=time, values=np.zeros(len(time)))


def _command_more(s: Setting) -> Iterator[tuple[str, Array]]:
    """The same commands, larger."""
    if any(e.commands for e in s.residuals.experiments):
        for times, word in ((2.0, "twice"), (4.0, "four times")):
            each = [e.changed(commands={n: c.scaled(times) for n, c in e.commands.items()})
                    for e in s.residuals.experiments]  # fmt: skip
            yield f"command {word} as much", s.information_of(s.residuals.sim, each, s.deviation)


def _command_faster(s: Setting) -> Iterator[tuple[str, Array]]:
    """The same commands, faster and slower."""
    if any(e.commands for e in s.residuals.experiments):
        for times, word in ((3.0, "three times as fast"), (0.33, "a third as fast")):
            each = [e.changed(commands={n: c.hurried(times) for n, c in e.commands.items()})
                    for e in s.residuals.experiments]  # fmt: skip
            yield f"move {word}", s.information_of(s.residuals.sim, each, s.deviation)


def _second_mass(s: Setting) -> Iterator[tuple[str, Array]]:
    """A known mass on the last link that moves."""
    link = next((n for n in reversed(list(s.robot.links)) if s.robot.links[n].inertia.mass > 0), None)
    if link is None:
        return
    own = s.robot.links[link].inertia
    added = replace(s.robot.links[link], name="second_mass", inertia=Inertia(mass=own.mass), visuals=(), collisions=())
    where = Pose(np.eye(3), np.asarray(own.center, float))
    fixed = Joint(name="second_mass_mount", kind="fixed", parent=link, child="second_mass", X_PJ=where)
    robot = replace(s.robot, links={**s.robot.links, added.name: added}, joints={**s.robot.joints, fixed.name: fixed})
    sim = _compiled(s, robot)
    if sim is not None:
        more = s.information_of(sim, s.residuals.experiments, s.deviation)
        yield f"add a second mass, such as {own.mass:.2g} kg at the centre of {link}", more


def _let_fall(s: Setting) -> Iterator[tuple[str, Array]]:
    """Without motors, from a raised position."""
    kept = ("name", "joint", "rotor_inertia", "damping", "friction")
    loose = {n: Actuator(**{k: getattr(a, k) for k in kept}) for n, a in s.robot.actuators.items()}
    sim = _compiled(s, replace(s.robot, actuators=loose)) if loose else None
    if sim is None:
        return
    each = []
    for e in s.residuals.experiments[:1]:
        start = {n: x + FALL if n.endswith("position") else 0.0 for n, x in e.start.items()}
        each.append(e.changed(commands={}, efforts={}, driven={}, switched={}, start=start))
    yield "switch the torque off while it falls", s.information_of(sim, each, s.deviation)


def _compiled(s: Setting, robot: Mechanism) -> Simulation | None:
    """A robot with the parameters that it still has; None if it cannot be simulated."""
    own = s.residuals.sim
    names = [n for n in own.options.inputs if n in robot.parameters]
    try:
        return differentiable(compiled(robot, dt=own.dt, integrator=own.options.integrator), names)
    except GearwrightError:
        return None


PROPOSALS: tuple[Proposal, ...] = (_second_mass, _let_fall, _command_more, _command_faster, _record_more)
