"""A drive on a free inertia: devices are tried without a robot, in microseconds."""

from __future__ import annotations

from dataclasses import replace

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import Bridge, DriveSample, MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import BusSupply, Motor, with_winding
from gearwright.hardware.protocols import protocol
from gearwright.hardware.shafts import ShaftLoad
from gearwright.model import Actuator

DT = 1e-3


def driven(motor: Motor, bridge: Bridge, speed: float, position: float = 0.0) -> float:
    """The torque of a winding at a speed [N·m]."""
    torque = bridge.torque_at(position, speed)
    if not motor.resistance:
        return torque
    voltage = max(bridge.voltage, 1e-300)  # a model's is positive; shorted windings have none
    winding = with_winding(Actuator(name="m"), replace(motor, supply_voltage=voltage))
    return float(replace(winding, command="effort").effort_at(torque, speed))


class Turntable:
    """One device, `J·a = τ + load`, semi-implicit Euler."""

    def __init__(self, name: str, node: int = 1, *, inertia: float = 0.01, model: str | None = None, **options: str):
        row = protocol(name)
        motor = row.motor(model) if row.models.keys() != {""} else Motor(rated_torque=2.0, current_limit=4.0)
        self.drive = MotorDrive(name="m", motor=motor, supply=BusSupply(24.0), load=ShaftLoad(inertia=inertia))
        self.device = row.device(self.drive, node, options)
        assert isinstance(self.device, CanDevice)
        self.inertia, self.load, self.jammed = inertia, 0.0, False
        self.true = [0.0, 0.0]  # position and velocity, whatever the encoder shows
        self.sent: list[Frame] = []
        self._latch(0.0, 0.0)
        self.device.power_on(0.0)

    def _latch(self, time: float, torque: float) -> None:
        motor, (position, speed) = self.drive.motor, self.true
        current, power = torque / motor.torque_constant, torque * speed
        self.drive.latch(
            DriveSample(
                time, position, speed, torque, current, self.drive.supply.voltage, motor.ambient_temperature, power
            )
        )

    @property
    def time(self) -> float:
        return self.drive.sample.time

    def send(self, id: int, data: bytes = b"", **flags: bool) -> list[Frame]:
        return self.device.on_frame(Frame(id, data, **flags), self.time)

    def run(self, seconds: float) -> list[Frame]:
        """Advances; returns what the device sent meanwhile."""
        sent: list[Frame] = []
        for _ in range(round(seconds / DT)):
            torque = driven(self.drive.motor, self.drive.control(DT), self.true[1], self.true[0])
            if not self.jammed:
                self.true[1] += (torque + self.load) / self.inertia * DT
                self.true[0] += self.true[1] * DT
            else:
                self.true[1] = 0.0
            self._latch(self.time + DT, torque)
            if self.device.next_time() <= self.time + 1e-9:
                sent += self.device.on_time(self.time)
        self.sent += sent
        return sent
