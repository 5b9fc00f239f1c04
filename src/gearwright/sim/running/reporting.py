"""Reports of a run: steps that did not converge, and joints that start beyond their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import BeyondLimitsWarning, BranchWarning, UnsettledWarning, warn
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state.values import Array, Value

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ROUNDING = 1e-9  # so little beyond its limit is on it, as the stops have it [rad, m]
MOST_NAMED = 4  # joints of a message


# --- steps that did not converge -------------------------------------------------------------------------------------


def unsettled(sim: Simulation) -> Value:
    """See `Simulation.unsettled`."""
    if StepSlot.UNSETTLED not in sim.batch_state.parts:
        return 0 if sim.batch == 1 else np.zeros(sim.batch, np.int64)
    counts = sim.batch_state.get(StepSlot.UNSETTLED)[:, 0].astype(np.int64)
    return int(counts[0]) if sim.batch == 1 else counts


RARE = 1e-3  # share of unsettled steps up to which a run is not worth a warning; they are counted all the same


def warn_unsettled(sim: Simulation, before: Value, steps: int) -> None:
    """One warning for a run of this many steps, if more than a rare few of them did not converge."""
    count = int(np.sum(np.asarray(unsettled(sim)) - before))
    if count > RARE * steps * sim.batch:
        robots = "" if sim.batch == 1 else f" of {sim.batch} robots"
        warn(
            f"the solver did not converge in {count} of {steps * sim.batch} steps{robots}: stops, friction, motors, "
            "contacts or velocities are inaccurate there. Check the gains of controllers, or reduce dt (now "
            f"{sim.dt:g} s). sim.unsettled counts these steps for each robot",
            UnsettledWarning,
        )


class OpenLoops:
    """Names the loops that steps leave open: one warning for a call."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.counted = StepSlot.OPENED in sim.batch_state.parts
        slot = sim.batch_state.instance.slot(StepSlot.OPENED) if self.counted else None
        self._read = [slot.reader(i) for i in range(slot.shape[2])] if slot is not None else []
        self._known = 0.0

    def warn(self) -> None:
        total = float(np.sum([read() for read in self._read])) if self.sim.batch > 1 else sum(r() for r in self._read)
        if total > self._known:
            counts = [float(np.sum(read())) for read in self._read]
            names = [repr(joint.name) for joint, n in zip(self.sim.robot.tree.cuts, counts, strict=True) if n > 0]
            listed = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
            warn(
                f"steps have ended with an open loop at {listed}: its error exceeds 1e-6 m or rad, or what "
                f"the file's rounding allows. Reduce dt (now {self.sim.dt:g} s). sim.unsettled counts such steps",
                UnsettledWarning,
            )
        self._known = total


# --- starts beyond limits --------------------------------------------------------------------------------------------


def warn_beyond_limits(sim: Simulation, q: Array) -> None:
    """One warning for a start at tree positions q, (B, nq)."""
    if sim.options.integrator == "rk4":  # has no limits
        return
    lower, upper = sim.layout.ranges
    q = _with_loop_axes(sim, q)
    beyond = (q < lower - ROUNDING) | (q > upper + ROUNDING)
    if not beyond.any():
        return
    found = [_described(sim, q, int(i), beyond) for i in np.flatnonzero(beyond.any(axis=0))]
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    warn(
        f"joints start beyond their limits and are pushed back into range: {'; '.join(found[:MOST_NAMED])}{more}",
        BeyondLimitsWarning,
    )


def _with_loop_axes(sim: Simulation, q: Array) -> Array:
    """Positions, and behind them those of axes that close loops; these are read only where one has a limit."""
    names, (lower, upper) = sim.layout.loop_axes, sim.layout.ranges
    if not names:
        return q
    tree = q.shape[1]
    q = np.concatenate([np.broadcast_to(q, (sim.batch, tree)), np.zeros((sim.batch, len(names)))], axis=1)
    for i, name in enumerate(names, start=tree):
        q[:, i] = sim.position[name] if lower[i] > -np.inf or upper[i] < np.inf else 0.0
    return q


def warn_another_branch(sim: Simulation, robots: Sequence[int]) -> None:
    """One warning for a start at which loops of these robots may be in another branch than the file's."""
    if not robots:
        return
    loops = ", ".join(repr(j.name) for j in sim.robot.tree.cuts)
    more = f" and {len(robots) - 1} more" if len(robots) > 1 else ""
    which = "" if sim.batch == 1 else f" of robot {robots[0]}{more}"
    warn(
        f"the loop through {loops}{which} may be assembled in another branch than in the file: it cannot move "
        "straight from there to the given positions. Give the approximate position of one more joint",
        BranchWarning,
    )


def _described(sim: Simulation, q: Array, i: int, beyond: Array) -> str:
    """The joint, its limit and its value; of a batch those of the first robot."""
    lower, upper = sim.layout.ranges
    robot = int(np.flatnonzero(beyond[:, i])[0])
    name, value = [*sim.layout.names.positions.names, *sim.layout.loop_axes][i], q[robot, i]
    which, limit = ("lower", lower[i]) if value < lower[i] else ("upper", upper[i])
    unit = sim.layout.units[name].position
    count = int(beyond[:, i].sum())
    robots = "" if sim.batch == 1 else f" in robot {robot}" + (f" and {count - 1} more" if count > 1 else "")
    hint = ": degrees?" if unit == "rad" and in_degrees(float(value), float(lower[i]), float(upper[i])) else ""
    return f"{name!r} at {value:.6g} {unit}, {which} limit {limit:.6g} {unit}{robots}{hint}"


def in_degrees(value: float, lower: float, upper: float) -> bool:
    """Whether an angle beyond limits would be within them if it were one of degrees; below 5 rad it may be meant."""
    return abs(value) >= 5.0 and lower - ROUNDING <= np.radians(value) <= upper + ROUNDING
