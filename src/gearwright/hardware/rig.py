"""A simulated robot with its devices on their buses, in lockstep: no transports, no threads, no wall clock.

    rig = Rig.of(robot, protocol="cia402")
    answers = rig.send(Frame(0x601, bytes.fromhex("4041600000000000")))
    frames = rig.step(10)

Servers and tests use the same object; time advances only in `step`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gearwright.errors import ModelError
from gearwright.hardware.binding import Bound, bind
from gearwright.hardware.device import CanDevice, Device, SerialDevice, SerialLine
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import BusSupply
from gearwright.hardware.notes import notes
from gearwright.hardware.plant import Plant, compiled, motor_for, with_actuators
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.setpoints import COAST
from gearwright.model import Mechanism
from gearwright.model.hardware.device_bindings import DeviceBinding
from gearwright.model.hardware.servos import with_servos

ROS2_CONTROL = "ros2_control"  # no bus: the interfaces of the robot's tags, over JSON Lines


class Rig:
    """Plant and devices: frames and bytes in, frames and bytes out, at the time of the simulation."""

    def __init__(self, plant: Plant, bound: Sequence[Bound]) -> None:
        self.plant, self.bound = plant, tuple(bound)
        self.notes: tuple[str, ...] = ()  # on its drives, for people
        self.devices: dict[str, Device] = {}
        for b in self.bound:
            made = b.protocol.device(plant.drives[b.actuator], b.node, dict(b.options))
            self.devices[b.actuator] = made
        self.can = [d for d in self.devices.values() if isinstance(d, CanDevice)]
        self._each = tuple(self.devices.values())
        self.lines: dict[str, SerialLine] = {}
        for name, protocol in self.protocols.items():
            mine = [d for b, d in zip(self.bound, self.devices.values(), strict=True) if b.protocol is protocol]
            for d in mine:
                if isinstance(d, CanDevice):
                    d.meet(mine)
            if protocol.line is not None:
                self.lines[name] = protocol.line([d for d in mine if isinstance(d, SerialDevice)])
        for device in self.devices.values():
            device.power_on(plant.time)

    @classmethod
    def of(
        cls, robot: Mechanism, protocol: str | None = None, *, dt: float = 1e-3, nodes: Mapping[str, int] | None = None,
        model: str | None = None, options: Mapping[str, str] | None = None, supply_resistance: float = 0.0,
        written: Mapping[str, DeviceBinding] | None = None,
        **compiling: Any,
    ) -> Rig:  # fmt: skip
        """Compiles a robot whose actuators are bound by its file or by these options."""
        from gearwright.sim import compile

        if protocol == ROS2_CONTROL:
            return cls(Plant(compile(_with_interfaces(robot), dt=dt, **compiling), {}, BusSupply(24.0)), [])
        robot = with_actuators(robot, (*(written or ()), *(nodes or ())))
        bound = bind(robot, protocol, nodes=nodes, model=model, options=options, written=written)
        plant = _plant(robot, bound, supply_resistance, dt=dt, **compiling)
        gears = [b.gear for b in bound]
        bound = [b.for_load(plant.loads[b.actuator]) for b in bound]
        if gears != [b.gear for b in bound]:
            plant = _plant(robot, bound, supply_resistance, dt=dt, **compiling)
        rig = cls(plant, bound)
        rig.notes = tuple(notes(robot, bound, rig.plant.drives, model))
        return rig

    @property
    def protocols(self) -> dict[str, Protocol]:
        """The protocols of its devices by name."""
        return {b.protocol.name: b.protocol for b in self.bound}

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.plant.time

    def device(self, actuator: str) -> Device:
        """The device of an actuator."""
        self.plant.drive(actuator)  # an unknown name raises
        return self.devices[actuator]

    # --- the buses ----------------------------------------------------------------------------------------------

    def send(self, frame: Frame) -> list[Frame]:
        """A client's frame, to every device on the bus; returns their answers. Time stands still."""
        if not frame.valid:
            return []
        t = self.time
        answers: list[Frame] = []
        for device in self.can:
            if device.drive.powered:
                own = device.on_frame(frame, t)
                device.answered += len(own)
                answers += own
        return answers

    def boot(self) -> list[Frame]:
        """Devices are ready from now on; the frames that they sent on the way. Without it, they take their time."""
        t = self.time
        return [frame for device in self._each for frame in device.boot(t)]

    def receive(self, data: bytes, line: str | None = None) -> bytes:
        """A client's bytes on a serial line; returns the answers. The only line needs no name."""
        name = next(iter(self.lines)) if line is None else line
        return self.lines[name].on_bytes(data, self.time)

    # --- time ---------------------------------------------------------------------------------------------------

    def due(self) -> list[Frame]:
        """Lets timers run out that are due by now, and power come and go; returns the frames that devices send."""
        t = self.time
        now = t + 1e-9
        sent: list[Frame] = []
        for device in self._each:
            drive = device.drive
            if drive.powered != drive.supplied:
                sent += self._switch(device, t)
            if drive.powered and device.next_time() <= now:
                own = device.on_time(t)
                device.answered += len(own)
                sent += own
        return sent

    def _switch(self, device: Device, t: float) -> list[Frame]:
        """Power goes, or comes back."""
        drive = device.drive
        drive.powered = drive.supplied
        drive.write(COAST)
        if not drive.powered:
            return []
        device.power_on(t)
        return device.on_power(t)

    def step(self, n: int = 1) -> list[Frame]:
        """n steps of the simulation; returns the frames that devices sent of their own accord."""
        sent: list[Frame] = []
        for _ in range(n):
            self.plant.step()
            sent += self.due()
        for device in self.devices.values():
            device.commanded = False
        return sent


def _plant(robot: Mechanism, bound: Sequence[Bound], supply_resistance: float, **compiling: Any) -> Plant:
    """The mechanism under its drives, and the supply that they share."""
    gears = {b.actuator: b.gear for b in bound}
    motors = {b.actuator: motor_for(robot, b.actuator, b.motor, b.gear) for b in bound}
    nominal = max((m.supply_voltage for m in motors.values()), default=24.0)
    return Plant(compiled(robot, motors, gears, **compiling), motors, BusSupply(nominal, supply_resistance), gears)


def _with_interfaces(robot: Mechanism) -> Mechanism:
    """Servos behind the command interfaces of the robot's ros2_control tags."""
    if not robot.hardware:
        raise ModelError(f"{robot.name!r} has no <ros2_control> tag, and so no interfaces to serve")
    return with_servos(robot)
