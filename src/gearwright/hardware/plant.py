"""The mechanism with its drives: steps of the simulation, and one instant at which all drives are sampled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from gearwright.errors import UnknownNameError
from gearwright.hardware import shafts
from gearwright.hardware.drive import Bridge, DriveSample, MotorDrive
from gearwright.hardware.hands import Hand
from gearwright.hardware.motors import BusSupply, Motor, motor_of, with_winding
from gearwright.hardware.shafts import DIRECT, DriveGear, ShaftLoad, shaft_loads
from gearwright.hardware.sweeping import HandMovement
from gearwright.model import Actuator, DCMotor, Encoder, Mechanism
from gearwright.model.parameters import device_key
from gearwright.sim.views.ports import Port

if TYPE_CHECKING:
    from gearwright.sim import Simulation

Read = Callable[[], float]


class Plant:
    """A simulation, one drive for each actuator that is bound, and hands that hold joints.

    A step: every drive turns its setpoint into torque, the simulation advances, all drives are sampled.
    """

    def __init__(
        self,
        sim: Simulation,
        motors: Mapping[str, Motor],
        supply: BusSupply,
        gears: Mapping[str, DriveGear] | None = None,
    ) -> None:
        self.sim, self.supply = sim, supply
        self.gears = {name: (gears or {}).get(name, DIRECT) for name in motors}
        self.loads = shaft_loads(sim, motors)  # at the actuators' shafts
        self.drives = {name: self._drive(name, motor, self.loads[name]) for name, motor in motors.items()}
        port = sim.port(0)
        self._rows = [(drive, Terminals(port, name, drive, self.gears[name])) for name, drive in self.drives.items()]
        self.hands: dict[str, Hand] = {}
        self._jams: dict[str, list[Hand]] = {}
        self._later: list[tuple[float, Callable[[], None]]] = []
        self.latch()

    def _drive(self, name: str, motor: Motor, load: ShaftLoad) -> MotorDrive:
        robot, gear = self.sim.robot, self.gears[name]
        load = load.at(gear)
        if motor.rated_torque == inf:
            motor = replace(motor, rated_torque=load.rating)
        return MotorDrive(
            name=name, motor=motor, supply=self.supply.at(motor.supply_voltage), load=load,
            length=shafts.moves_along_a_line(robot, name), travel=gear.ends(shafts.travel(robot, name)),
            switches=gear.ends(shafts.switches(robot, name)),
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
        time = self.time
        for drive, terminals in self._rows:
            drive.latch(terminals.sample(time, drive.supply.voltage))

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
                self._jams[name] = [Hand.jam(self.sim, joint) for joint in shafts.ratios(self.sim.robot, name)]
            elif self._jams and not drive.faults.stall:
                for jam in self._jams.pop(name, []):
                    jam.release()
            for jam in self._jams.get(name, ()):
                jam.push(dt)

    def let_go(self) -> None:
        """No hand holds a joint any more, and none will."""
        self._later = [(time, action) for time, action in self._later if not isinstance(action, HandMovement)]
        for joint in [*self.hands]:
            self.hold(joint, None)

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
    """Where a drive is wired to the simulation: the inputs of its motor in the step, and what it measures."""

    def __init__(self, port: Port, name: str, drive: MotorDrive, gear: DriveGear = DIRECT) -> None:
        self._drive, self._gear = drive, gear
        self._command, self._torque = port.command(name), port.actuator(name, "torque")
        self._position, self._velocity = port.actuator(name, "position"), port.actuator(name, "velocity")
        key, motor = device_key(port.sim.robot, name), port.sim.robot.actuators[name]
        self._loops, self._wound = motor.command == "impedance", isinstance(motor, DCMotor)
        self._inputs = {row: port.parameter(f"{key}.{row}") for row in bridge_inputs(motor)}
        if self._wound:
            self._current, self._volts = port.actuator(name, "current"), port.actuator(name, "voltage")
            self._temperature = port.actuator(name, "temperature")
        self._written: Bridge | None = None

    def write(self, bridge: Bridge) -> None:
        gear = self._gear
        if not self._loops:
            now = self._drive.sample
            self._command.write(bridge.torque_at(now.position, now.velocity) * gear.effort)
            return
        before, self._written = self._written, bridge
        self._command.write((bridge.command - bridge.feedback.stiffness * gear.offset) * gear.effort)
        if before is None or bridge[1:] != before[1:]:
            self._write_inputs(bridge)

    def _write_inputs(self, bridge: Bridge) -> None:
        effort = abs(self._gear.effort)
        stiffness, damping = (gain * effort / abs(self._gear.ratio) for gain in bridge.feedback)
        values = (bridge.limit * effort, stiffness, damping, bridge.voltage)
        for channel, value in zip(self._inputs.values(), values, strict=False):
            channel.write(value)

    def sample(self, time: float, supply: float) -> DriveSample:
        """Measurements at this instant, with the supply's voltage [V]."""
        ratio, offset, servos = self._gear
        position, velocity = self._position() / ratio + offset, self._velocity() / ratio
        torque = self._torque() / self._gear.effort
        if not self._wound:  # an ideal current source
            motor = self._drive.motor
            current, heat, power = torque / motor.torque_constant, motor.ambient_temperature, torque * velocity
            return DriveSample(time, position, velocity, torque, current, supply, heat, power * servos)
        sense = 1.0 if ratio > 0.0 else -1.0
        current, heat, volts = sense * self._current() / servos, self._temperature(), sense * self._volts()
        return DriveSample(time, position, velocity, torque, current, supply, heat, volts * current * servos, volts)


def bridge_inputs(motor: Actuator) -> tuple[str, ...]:
    """Numbers of the model that a drive sets in each step, in the order in which `Terminals` writes them."""
    loops = ("effort_limit", "stiffness", "damping_gain") if motor.command == "impedance" else ()
    return (*loops, "supply_voltage") if isinstance(motor, DCMotor) else loops


def prepared(robot: Mechanism, motors: Mapping[str, Motor], gears: Mapping[str, DriveGear] | None = None) -> Mechanism:
    """A copy whose bound actuators are the drives': they take a torque and the feedback of its loops."""
    for name, motor in motors.items():
        own = motor.behind((gears or {}).get(name, DIRECT))
        if shafts.has_losses(robot, name):  # the file has put them at the joint
            own = replace(own, damping=0.0, friction=0.0)
        robot = robot.with_actuator(with_winding(robot.actuators[name], own))
    return robot


def compiled(
    robot: Mechanism, motors: Mapping[str, Motor], gears: Mapping[str, DriveGear] | None = None, **options: Any
) -> Simulation:
    """A simulation of a robot under drives, which set the voltages of their motors."""
    from gearwright.sim import compile

    robot = prepared(robot, motors, gears)
    inputs = [
        f"{device_key(robot, name)}.{row}" for name in motors for row in bridge_inputs(robot.actuators[name])
    ]  # fmt: skip
    return compile(robot, parameters=(*inputs, *options.pop("parameters", ())), **options)


def with_actuators(robot: Mechanism, named: Collection[str] = ()) -> Mechanism:
    """The robot, or a copy with ideal actuators: on every joint that can have one, where its file has no actuators.

    Otherwise on those that are named. They are called as the joints are. Followers are moved by their leaders.
    """
    followers = {c.follower for c in robot.couplings.values()}
    driven = {str(ref) for name in robot.actuators for ref in shafts.ratios(robot, name)}
    chosen = {*(named if robot.actuators else robot.joints)} - driven - {*robot.actuators}
    for joint in robot.joints.values():
        if joint.name not in chosen:
            continue
        for ref in joint.refs:
            limits = joint.axes[ref.index].limits
            if ref not in followers and len(joint.refs) == 1:
                effort = limits.effort if limits.effort > 0.0 else inf
                robot = robot.with_actuator(Actuator(name=joint.name, joint=ref, effort_limit=effort))
    return robot


def motor_for(robot: Mechanism, actuator: str, model: Motor, gear: DriveGear = DIRECT) -> Motor:
    """A product's numbers, with those that the file gives for this actuator, its joint and its encoder."""
    encoders = [s for s in robot.sensors.values() if isinstance(s, Encoder) and s.resolution and s.reads_position]
    own = [s.resolution for s in encoders if s.actuator == actuator and s.side == "actuator"]
    counts = next((n * abs(gear.ratio) for n in own if n is not None), None)
    return motor_of(robot.actuators[actuator], model, shafts.effort_limit(robot, actuator), counts, gear)
