"""The mechanism with its drives: steps of the simulation, and one instant at which all drives are sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import UnknownNameError
from gearwright.hardware.drive import Bridge, DriveSample, MotorDrive
from gearwright.hardware.hands import Hand
from gearwright.hardware.motors import Motor, Supply, motor_of, with_winding
from gearwright.model import Actuator, AxisRef, DCMotor, Encoder, Limits, LimitSwitch, Mechanism
from gearwright.model.parameters import device_key
from gearwright.sim.views.ports import Channel, Port

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
        self._rows = [(drive, Terminals(port, name, drive)) for name, drive in self.drives.items()]
        self.hands: dict[str, Hand] = {}
        self._jams: dict[str, list[Hand]] = {}
        self._later: list[tuple[float, Callable[[], None]]] = []
        self.latch()

    def _drive(self, name: str, motor: Motor) -> MotorDrive:
        robot = self.sim.robot
        return MotorDrive(
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

    def drive(self, actuator: str) -> MotorDrive:
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
        time, voltage = self.time, self.supply.voltage
        for drive, terminals in self._rows:
            drive.latch(terminals.sample(time, voltage))

    def step(self) -> None:
        """One step of the simulation."""
        dt = self.dt
        for drive, terminals in self._rows:
            terminals.write(drive.control(dt))
        for hand in self.hands.values():
            hand.push(dt)
        self._jam(dt)
        self.sim.clock.advance(1)
        self.latch()
        self.supply.settle(sum(drive.sample.power for drive, _ in self._rows))
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


class Terminals:
    """Where a drive is wired to the simulation: the motor's command and supply, and what it measures."""

    def __init__(self, port: Port, name: str, drive: MotorDrive) -> None:
        self._drive = drive
        self._command, self._torque = port.command(name), port.actuator(name, "torque")
        self._position, self._velocity = port.actuator(name, "position"), port.actuator(name, "velocity")
        self._supply: Channel | None = None
        supply = supply_parameter(port.sim.robot, name)
        if supply in port.sim.parameters:
            self._supply = port.parameter(supply)
            self._current, self._volts = port.actuator(name, "current"), port.actuator(name, "voltage")
            self._temperature = port.actuator(name, "temperature")
        self._voltage: float | None = None  # as last written

    def write(self, bridge: Bridge) -> None:
        self._command.write(bridge.torque)
        if self._supply is not None and bridge.voltage != self._voltage:
            self._voltage = bridge.voltage
            self._supply.write(bridge.voltage)

    def sample(self, time: float, supply: float) -> DriveSample:
        """Measurements at this instant, with the supply's voltage [V]."""
        position, velocity, torque = self._position(), self._velocity(), self._torque()
        if self._supply is None:  # an ideal current source
            motor = self._drive.motor
            current, heat, power = torque / motor.torque_constant, motor.ambient_temperature, torque * velocity
        else:
            current, heat = self._current(), self._temperature()
            power = self._volts() * current
        return DriveSample(time, position, velocity, torque, current, supply, heat, power)


def supply_parameter(robot: Mechanism, actuator: str) -> str:
    """The number of the model that the drive's bridge sets in each step."""
    return f"{device_key(robot, actuator)}.supply_voltage"


def prepared(robot: Mechanism, motors: Mapping[str, Motor]) -> Mechanism:
    """A copy whose bound actuators take efforts within their windings: position and velocity loops are the drives'."""
    for name, motor in motors.items():
        robot = robot.with_actuator(with_winding(robot.actuators[name], motor))
    return robot


def compiled(robot: Mechanism, motors: Mapping[str, Motor], **options: Any) -> Simulation:
    """A simulation of a robot under drives, which set the voltages of their motors."""
    from gearwright.sim import compile

    robot = prepared(robot, motors)
    wound = [supply_parameter(robot, name) for name in motors if isinstance(robot.actuators[name], DCMotor)]
    return compile(robot, parameters=(*wound, *options.pop("parameters", ())), **options)


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
