"""Robotiq's grippers (2F-85, 2F-140, Hand-E) on Modbus RTU: one finger joint, opening 0 … 255."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.modbus import ModbusDevice, ModbusLine
from gearwright.hardware.setpoints import COAST, Cascade

OUTPUTS, INPUTS = 1000, 2000  # first of the registers that a client writes, and of those that it reads
ACTIVATE, GO, RELEASE = 0x01, 0x08, 0x10  # bits of the first output byte
RESET, ACTIVATING, ACTIVE = 0, 1, 3  # gSTA
MOVING, STOPPED_OPENING, STOPPED_CLOSING, ARRIVED = 0, 1, 2, 3  # gOBJ
NOT_ACTIVATED, MUST_REACTIVATE = 0x07, 0x05  # faults
SLOWEST, FASTEST = 20 / 85, 150 / 85  # of the travel in a second: the 2F-85's data sheet
LEAST_FORCE = 20 / 235  # of the largest: likewise
PERIOD = 0.005  # [s]
STILL = 0.02  # of the travel in a second
PATIENCE = 0.1  # [s] that a gripper stands before it has met something
NEAR = 2.0  # counts from where it should be
CURRENT_UNIT = 0.01  # [A]


class RobotiqGripper(ModbusDevice):
    """Goes from one end of its joint's travel to the other. Open is the lower end (option `closed="lower"`)."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        low, high = (
            drive.travel if isfinite(drive.travel[0] + drive.travel[1]) else (0.0, 0.085 if drive.length else 0.8)
        )
        self.open, self.closed = (high, low) if self.options.get("closed") == "lower" else (low, high)
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.output = bytearray(6)  # action, two reserved, position, speed, force
        self.status, self._object, self._way = RESET, MOVING, 0
        self._rest, self._due = 0.0, t + PERIOD
        self.drive.write(COAST)

    @property
    def state(self) -> str:
        return {RESET: "reset", ACTIVATING: "activating", ACTIVE: "active"}[self.status]

    @property
    def mode(self) -> str:
        return ("moving", "stopped opening", "stopped closing", "arrived")[self._object]

    # --- registers ----------------------------------------------------------------------------------------------

    @property
    def count(self) -> float:
        """0 open … 255 closed."""
        return 255.0 * (self.drive.sample.position - self.open) / (self.closed - self.open)

    @property
    def _fault(self) -> int:
        going = self.output[0] & GO
        if going and self.status == RESET:
            return NOT_ACTIVATED
        return MUST_REACTIVATE if going and self.status == ACTIVATING else 0

    def read_registers(self, address: int, count: int) -> list[int] | None:
        status = self.output[0] & (ACTIVATE | GO) | self.status << 4 | self._object << 6
        place = max(0, min(255, round(self.count)))
        amps = max(0, min(255, round(abs(self.drive.sample.current) / CURRENT_UNIT)))
        inputs = [status << 8, self._fault << 8 | self.output[3], place << 8 | amps]
        outputs = [self.output[k] << 8 | self.output[k + 1] for k in (0, 2, 4)]
        for first, values in ((INPUTS, inputs), (OUTPUTS, outputs)):
            if first <= address and address + count <= first + 16:  # there are more, which are 0
                return [*values, *[0] * 16][address - first : address - first + count]
        return None

    def write_registers(self, address: int, values: Sequence[int], t: float) -> bool:
        if not address >= OUTPUTS or address + len(values) > OUTPUTS + 3 or not values:
            return False
        before = bytes(self.output)
        for k, value in enumerate(values, start=address - OUTPUTS):
            self.output[2 * k : 2 * k + 2] = value.to_bytes(2, "big")
        self.commanded = True
        if not self.output[0] & ACTIVATE:
            self.status, self._object = RESET, MOVING
            self.drive.write(COAST)
        elif self.status == RESET:
            self.status, self._way = ACTIVATING, 0
            self._go(0, 255, 255)
        elif self.status == ACTIVE and (bytes(self.output) != before or self._object == MOVING):
            self._follow()
        return True

    # --- motion -------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """What the outputs ask for."""
        if self.output[0] & RELEASE:
            self._go(0, 0, 0)
        elif self.output[0] & GO:
            self._go(self.output[3], self.output[4], self.output[5])
        else:
            self._go(max(0, min(255, round(self.count))), 255, 255)

    def _go(self, goal: int, speed: int, force: int) -> None:
        self._goal, self._object, self._rest = goal, MOVING, 0.0
        self._closing = goal >= self.count
        travel, motor = self.closed - self.open, self.drive.motor
        share = LEAST_FORCE + (1.0 - LEAST_FORCE) * force / 255
        self.drive.current_limit = share * motor.rated_torque / motor.torque_constant
        gains = default_gains(self.drive)
        self.drive.write(Cascade(
            position=self.open + goal / 255 * travel, position_gain=gains.position, velocity_gain=gains.velocity,
            integral_gain=gains.integral, velocity_limit=abs(travel) * (SLOWEST + (FASTEST - SLOWEST) * speed / 255),
        ))  # fmt: skip

    _goal, _closing = 0, True

    def next_time(self) -> float:
        return self._due if self.status != RESET else inf

    def on_time(self, t: float) -> list[Frame]:
        """Whether it has arrived, or has met something; activation opens and closes it once."""
        self._due = t + PERIOD
        slow = abs(self.drive.sample.velocity) < STILL * abs(self.closed - self.open)
        self._rest = self._rest + PERIOD if slow else 0.0
        if abs(self.count - self._goal) <= NEAR and slow:
            self._object = ARRIVED
        elif self._object == MOVING and self._rest > PATIENCE:
            self._object = STOPPED_CLOSING if self._closing else STOPPED_OPENING
        if self.status == ACTIVATING and self._object != MOVING:
            self._way += 1
            if self._way == 1:
                self._go(255, 255, 255)
            elif self._way == 2:
                self._go(0, 255, 255)
            else:
                self.status = ACTIVE
                if self.output[0] & GO:
                    self._follow()
        return []


PROTOCOL = Protocol(
    name="robotiq",
    title="Robotiq gripper, Modbus RTU",
    device=RobotiqGripper,
    line=ModbusLine,
    models={"2f-85": Motor(supply_voltage=24.0, over_temperature=80.0, counts=255.0)},
    nodes=range(1, 248),
    first=9,
    baud=115200,
    client='pyrobotiqgripper.RobotiqGripper(com_port="{port}", device_id={node})',
)
