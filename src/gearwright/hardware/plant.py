"""The mechanism with its drives: steps of the simulation, and one instant at which all drives are sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import UnknownNameError
from gearwright.hardware.drive import Drive
from gearwright.hardware.hands import Hand
from gearwright.hardware.motors import Motor, Supply, motor_of
from gearwright.model import Actuator, AxisRef, Encoder, Limits, LimitSwitch, Mechanism
from gearwright.sim.views.ports import Channel

if TYPE_CHECKING:
    from gearwright.sim import Simulation

Read = Callable[[], float]
SWITCH = 0.01  # of the joint's travel, from its stop to where a limit switch trips that no sensor of the file says


class Plant:
    """A simulation, one drive for each actuator that is bound, and hands that hold joints.

    A step: every drive turns its setpoint into torque, the simulation advances, all drives are sampled.
    """

    def __init__(self, sim: Simulation, motors: Mapping[str, Motor], supply: Supply) -> None:
        self.sim, self.supply = sim, supply
        self.drives = {name: self._drive(name, motor) for name, motor in motors.items()}
        port = sim.port(0)
        self._rows: list[tuple[Drive, Channel, Read, Read, Read]] = [
            (d, port.command(n), port.actuator(n, "position"), port.actuator(n, "velocity"), port.actuator(n, "torque"))
            for n, d in self.drives.items()
        ]
        self.hands: dict[str, Hand] = {}
        self._jams: dict[str, list[Hand]] = {}
        self._later: list[tuple[float, Callable[[], None]]] = []
        self.latch()

    def _drive(self, name: str, motor: Motor) -> Drive:
        robot = self.sim.robot
        return Drive(
            name=name, motor=motor, supply=self.supply, inertia=inertia_at(self.sim, name),
            length=_moves_along_a_line(robot, name), travel=_travel(robot, name),
            switches=_switches(robot, name),
        )  # fmt: skip

    @property
    def time(self) -> float:
        """[s]."""
        return self.sim.clock.time

    @property
    def dt(self) -> float:
        return self.sim.dt

    def drive(self, actuator: str) -> Drive:
        if actuator not in self.drives:
            raise UnknownNameError("actuator on the bus", actuator, self.drives)
        return self.drives[actuator]

    def restart(self, position: Mapping[str, float] | None = None) -> None:
        """The mechanism back at its start, at time 0; drives cold and off, hands gone."""
        self.sim.reset(position=position or {})
        self.hands.clear()
        self._jams.clear()
        self._later.clear()
        self.supply.forced = None
        self.supply.settle(0.0)
        for drive in self.drives.values():
            drive.restart()
        self.latch()

    def latch(self) -> None:
        """Samples all drives at this instant."""
        time = self.time
        for drive, _, position, velocity, torque in self._rows:
            drive.latch(time, position(), velocity(), torque())

    def step(self) -> None:
        """One step of the simulation."""
        dt = self.dt
        for drive, command, *_ in self._rows:
            command.write(drive.control(dt))
        for hand in self.hands.values():
            hand.push(dt)
        self._jam(dt)
        self.sim.clock.advance(1)
        self.latch()
        power = 0.0
        for drive, *_ in self._rows:
            drive.warm(dt)
            power += drive.power()
        self.supply.settle(power)
        if self._later:
            self._run_later()

    def at(self, time: float, action: Callable[[], None]) -> None:
        """Calls it after the step that reaches this time [s]."""
        self._later.append((time, action))

    def _run_later(self) -> None:
        now = self.time + 0.5 * self.dt
        due = [action for time, action in self._later if time <= now]
        self._later = [(time, action) for time, action in self._later if time > now]
        for action in due:
            action()

    def _jam(self, dt: float) -> None:
        """Outputs that are stuck are held where they stood."""
        for name, drive in self.drives.items():
            if drive.faults.stall and name not in self._jams:
                self._jams[name] = [Hand.jam(self.sim, joint) for joint in _ratios(self.sim.robot, name)]
            elif self._jams and not drive.faults.stall:
                for jam in self._jams.pop(name, []):
                    jam.release()
            for jam in self._jams.get(name, ()):
                jam.push(dt)

    # --- moved by hand ------------------------------------------------------------------------------------------

    def hold(self, joint: str, position: float | None) -> None:
        """A hand drags a joint to a position [rad, m] by a spring, and holds it there; None lets go."""
        if position is None:
            hand = self.hands.pop(joint, None)
            if hand is not None:
                hand.release()
            return
        if joint not in self.hands:
            self.hands[joint] = Hand(self.sim, joint)
        self.hands[joint].target = float(position)


def prepared(robot: Mechanism, actuators: Mapping[str, object]) -> Mechanism:
    """A copy whose bound actuators take efforts: position and velocity loops are the drives'."""
    from dataclasses import replace

    for name in actuators:
        actuator = robot.actuators[name]
        if actuator.command != "effort":
            robot = robot.with_actuator(replace(actuator, command="effort"))
    return robot


def with_actuators(robot: Mechanism) -> Mechanism:
    """The robot itself, or, where its file has no actuators, a copy with an ideal one on every joint that can have one.

    They are called as the joints are. Followers are moved by their leaders.
    """
    if robot.actuators:
        return robot
    followers = {c.follower for c in robot.couplings.values()}
    for joint in robot.joints.values():
        for ref in joint.refs:
            limits = joint.axes[ref.index].limits
            if ref not in followers and len(joint.refs) == 1:
                effort = limits.effort if limits.effort > 0.0 else inf
                robot = robot.with_actuator(Actuator(name=joint.name, joint=ref, effort_limit=effort))
    return robot


def motor_for(robot: Mechanism, actuator: str, model: Motor) -> Motor:
    """A product's numbers, with those that the file gives for this actuator, its joint and its encoder."""
    encoders = [s for s in robot.sensors.values() if isinstance(s, Encoder) and s.resolution and s.reads_position]
    own = [s.resolution for s in encoders if s.actuator == actuator and s.side == "actuator"]
    a = robot.actuators[actuator]
    rated = inf
    if a.joint is not None and actuator not in robot.acting:
        limit = robot.joint(a.joint.joint).axes[a.joint.index].limits.effort
        rated = limit if limit > 0.0 else rated
    return motor_of(a, model, rated, own[0] if own else None)


def inertia_at(sim: Simulation, actuator: str) -> float:
    """Inertia at an actuator's shaft, where the mechanism stands: `1/(A·M⁻¹·Aᵀ)` of the tree [kg·m², kg]."""
    M = np.atleast_2d(sim.mass_matrix())
    A = np.zeros(len(M))
    for name, ratio in _ratios(sim.robot, actuator).items():
        if name in sim.coordinates:
            A[list(sim.coordinates).index(name)] = ratio
    response = float(A @ np.linalg.pinv(M) @ A)
    return 1.0 / response if response > 0.0 else 1.0


def _ratios(robot: Mechanism, actuator: str) -> dict[str, float]:
    """Turns of the actuator's shaft for one of each joint that it moves, by coordinate."""
    transmission = robot.acting.get(actuator)
    if transmission is not None and transmission.map is not None:
        A = transmission.map.actuator_per_joint_at(transmission.map.rest)
        row = A[list(transmission.actuators).index(actuator)]
        return {str(ref): float(x) for ref, x in zip(transmission.joints, row, strict=True)}
    joint = robot.actuators[actuator].joint
    return {str(joint): 1.0} if joint is not None else {}


def _shaft_positions(robot: Mechanism, actuator: str, positions: list[float]) -> list[float]:
    """Positions of the one joint that an actuator moves, at its shaft [rad, m]."""
    transmission = robot.acting.get(actuator)
    if transmission is None or transmission.map is None:
        return positions
    to_shaft = transmission.map.joint_to_actuator_position
    return [float(np.ravel(to_shaft(np.array([q])))[0]) if isfinite(q) else q for q in positions]


def _only_joint(robot: Mechanism, actuator: str) -> AxisRef | None:
    transmission = robot.acting.get(actuator)
    joints = transmission.joints if transmission is not None else (robot.actuators[actuator].joint,)
    known = transmission is None or transmission.map is not None
    return joints[0] if len(joints) == 1 and known else None


def _travel(robot: Mechanism, actuator: str) -> tuple[float, float]:
    """Shaft positions at the limits of the joint; without bounds where it has none, or where there are several."""
    ref = _only_joint(robot, actuator)
    limits = robot.joint(ref.joint).axes[ref.index].limits if ref is not None else Limits()
    if not isfinite(limits.lower) or not isfinite(limits.upper):
        return (-inf, inf)
    ends = _shaft_positions(robot, actuator, [limits.lower, limits.upper])
    return min(ends), max(ends)


def _switches(robot: Mechanism, actuator: str) -> tuple[float, float]:
    """Where the model's limit switches on the joint close; without any, shortly before the joint's stops."""
    ref = _only_joint(robot, actuator)
    own = [s for s in robot.sensors.values() if isinstance(s, LimitSwitch) and s.joint == ref and ref is not None]
    low, high = _travel(robot, actuator)
    if not own:
        margin = SWITCH * (high - low) if isfinite(high - low) else 0.0
        return low + margin, high - margin
    below = [s.threshold for s in own if s.direction == "below"]
    above = [s.threshold for s in own if s.direction == "above"]
    reversed_ = next(iter(_ratios(robot, actuator).values())) < 0.0
    first, last = _shaft_positions(robot, actuator, [max(below, default=-inf), min(above, default=inf)])
    return (-inf if not isfinite(last) else last, inf if not isfinite(first) else first) if reversed_ else (first, last)


def _moves_along_a_line(robot: Mechanism, actuator: str) -> bool:
    joint = robot.actuators[actuator].joint
    return joint is not None and actuator not in robot.acting and robot.joint(joint.joint).kind == "prismatic"
