"""The actuation in programs that make each step once: they cannot repeat it where an actuator leaves its segment.

The velocities at the end of a step are predicted from the joints' response to efforts, `W = ∂v⁺/∂(dt·τ)`, and from
everything else that changed them in the last step (gravity, contacts, other joints), which is taken to act on:

    d  = v − v_last − dt·W·τ_last
    v⁺ = v + d + dt·W·(c − S·v⁺)          c, S: the line that holds at v⁺
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.bridges.errors import BridgeError, names_there
from gearwright.conversion.bare import bare
from gearwright.errors import NotSimulatedWarning, suggestion, warn
from gearwright.model import Mechanism
from gearwright.model.actuators import Actuator
from gearwright.sim import compile
from gearwright.sim.actuation_part import ActuationLine, ActuationPart
from gearwright.sim.state.values import Array

TRIALS = 6  # of v⁺, each by the line that held at the last one
AGREES = 1e-6  # of the efforts: where v⁺ is found
TARGETS = {"position": "position", "velocity": "velocity"}  # by command, what it follows; others follow an effort


class JointTargets(NamedTuple):
    """What a program asks of joints, arrays (B, n)."""

    position: Array  # [rad, m]
    velocity: Array  # [rad/s, m/s]
    effort: Array  # [N·m, N]; of actuators with a voltage command [V]


class JointEfforts(NamedTuple):
    """Efforts of the coming step, `constant − slope·v⁺` of each joint's own velocity, arrays (B, n)."""

    constant: Array  # [N·m, N]
    slope: Array  # [N·m·s/rad, N·s/m]; zeros if the program holds efforts over a step
    expected: Array  # the effort at the predicted velocity [N·m, N]


class PredictedActuation:
    """The actuators of B robots on some joints of another program, `joints`, in its order.

    robot      all of its actuators must move joints of `joints`
    response   W, by joint (n,) or as matrices (B, n, n) [1/(kg·m²), 1/kg]
    names      by the robot's joint, its name in the other program, where they differ
    """

    def __init__(
        self, robot: Mechanism, joints: Sequence[str], response: Array, *, batch: int, dt: float,
        names: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        def part() -> ActuationPart:
            return compile(robot, part="actuation", dt=dt, batch=batch)  # type: ignore[return-value]

        self._part, self.actuation = part, part()
        named = names_there(self.actuation.names, names)
        self.columns = np.array([_column(named[name], joints) for name in self.actuation.names])
        self.set_response(response)
        self._fresh = np.ones(batch, bool)  # lanes that start in the coming step
        self._spare: ActuationPart | None = None  # where they start

    def friction(self, joints: Sequence[str]) -> Array:
        """Of motors and gears on each of `joints` alone, which efforts do not include [N·m, N]."""
        found = np.zeros(len(joints))
        for name, friction in self.actuation.friction.items():
            if len(friction.ratios) > 1:
                warn(f"the friction of {name!r} acts on several joints: it is left out", NotSimulatedWarning)
                continue
            ((joint, ratio),) = friction.ratios.items()
            found[self.columns[self.actuation.names.index(joint)]] += abs(ratio) * friction.effort
        return found

    def set_response(self, response: Array) -> None:
        W = np.diag(response) if np.ndim(response) == 1 else response
        n, batch = self.columns, self.actuation.batch
        self._response = np.broadcast_to(W[..., n[:, None], n], (batch, len(n), len(n)))

    def reset(self, lanes: Any = slice(None)) -> None:
        """These robots begin anew, where the next step finds them."""
        self._fresh[lanes] = True

    def step(self, q: Array, v: Array, targets: JointTargets, *, implicit: bool) -> JointEfforts:
        """Ends the last step with the velocities that it gave, and predicts the coming one.

        q, v       of `joints` when the step begins, (B, joints)
        implicit   whether the program solves for v⁺ with the slope; otherwise it holds the effort expected at v⁺
        """
        q, v = q[:, self.columns], v[:, self.columns]
        drift = self._end_last(q, v)
        self.actuation.command(self._commands(q, targets))
        line = self._predicted(v, v + drift)
        slope = np.diagonal(line.matrix, axis1=1, axis2=2) * implicit
        self._last = v, JointEfforts(line.efforts + slope * line.velocity, slope, line.efforts)
        return self._last[1]

    def _end_last(self, q: Array, v: Array) -> Array:
        """Returns d."""
        drift = np.zeros_like(v)
        if not self._fresh.all():
            self.actuation.step_to(v, q)
            before, applied = self._last
            effort = applied.constant - applied.slope * v
            drift = v - before - self.actuation.dt * _product(self._response, effort)
        if self._fresh.any():
            self._begin(q, v)
            drift[self._fresh] = 0.0
            self._fresh[:] = False
        return drift

    def _begin(self, q: Array, v: Array) -> None:
        """Starts the fresh lanes. The others keep their states, and the time."""
        if self._fresh.all():
            self.actuation.reset_to(q, v)
            return
        self._spare = self._spare or self._part()
        self._spare.reset_to(q, v)
        self.actuation.state = np.where(self._fresh[:, None], self._spare.state, self.actuation.state)

    def _predicted(self, v: Array, free: Array) -> ActuationLine:
        """The line that holds at `v⁺ = free + dt·W·τ(v⁺)`."""
        act, dtW, identity = self.actuation, self.actuation.dt * self._response, np.eye(len(self.columns))
        line = act.line_at(v)
        for _ in range(TRIALS):
            known = free + _product(dtW, line.constant)
            v = np.linalg.solve(identity + dtW @ line.matrix, known[..., None])[..., 0]
            expected, line = line.at(v), act.line_at(v)
            if (np.abs(expected - line.efforts) <= AGREES * (1.0 + np.abs(line.efforts))).all():
                break
        return line

    # --- targets of joints as commands of actuators ------------------------------------------------------------------

    def _commands(self, q: Array, targets: JointTargets) -> dict[str, Any]:
        mine = JointTargets(*(x[:, self.columns] for x in targets))
        found = {a.name: self._command(a, q, mine) for a in self.actuation.robot.actuators.values()}
        return {name: float(x[0]) if len(x) == 1 else x for name, x in found.items()}

    def _command(self, a: Actuator, q: Array, targets: JointTargets) -> Array:
        """(B,), through the transmission; a voltage is the effort of its first joint as it is."""
        t, names = self.actuation.robot.acting.get(a.name), self.actuation.names
        columns = [names.index(str(ref)) for ref in ((a.joint,) if t is None else t.joints)]
        wanted: Array = getattr(targets, TARGETS.get(a.command, "effort"))[:, columns]
        q = q[:, columns]
        if t is None or t.map is None or a.command == "voltage":
            return wanted[:, 0]
        if a.command == "position":
            ours = t.map.joint_to_actuator_position(wanted)
        elif a.command == "velocity":
            ours = t.map.joint_to_actuator_velocity(wanted, at=q)
        else:
            ours = t.map.joint_to_actuator_effort(wanted, at=q)
        row: Array = ours[:, t.actuators.index(a.name)]
        return row


def free_response(robot: Mechanism, joints: Sequence[str], names: Mapping[str, str] | None = None) -> Array:
    """W of the robot's own links where it starts, (n, n), with all its other joints free."""
    sim = compile(bare(robot, passive=True, weightless=True))
    M = np.asarray(sim.mass_matrix()).reshape(len(sim.coordinates), -1)
    ours = {there: ours for ours, there in ((n, (names or {}).get(n, n)) for n in sim.coordinates)}
    W, columns = np.zeros((len(joints), len(joints))), [i for i, name in enumerate(joints) if name in ours]
    rows = [list(sim.coordinates).index(ours[joints[i]]) for i in columns]
    W[np.ix_(columns, columns)] = np.linalg.inv(M)[np.ix_(rows, rows)]
    return W


def _column(name: str, joints: Sequence[str]) -> int:
    if name not in joints:
        raise BridgeError(f"an actuator moves {name!r}, which is not among the joints{suggestion(name, joints)}")
    return list(joints).index(name)


def _product(M: Array, x: Array) -> Array:
    product: Array = (M @ x[..., None])[..., 0]
    return product
