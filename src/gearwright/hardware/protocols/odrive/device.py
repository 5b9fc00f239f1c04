"""ODrive's CANSimple, as its firmware 0.6 speaks it: id = node·32 + command, little-endian numbers.

A remote frame or an empty one asks for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from struct import Struct

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.loop_gains import ROUNDING
from gearwright.hardware.protocols.odrive.axis import CONTROL_MODES, ERRORS, ESTOP, INPUT_MODES, STATES, OdriveAxis

TICK = 1e-3  # [s] between two steps of trajectories and checks
HEARTBEAT, ENCODER = 0.1, 0.01  # [s] as delivered
VERSION = bytes([2, 4, 4, 58, 0, 6, 10, 0])  # protocol, hardware 4.4 variant 58, firmware 0.6.10, released
SERIAL = 0x6765617277  # plus the node as delivered
ADDRESS, BROADCAST = 0x06, 0x3F  # every node answers when its address is asked for under this id


class ODrive(CanDevice):
    """One axis on the bus."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.axis = OdriveAxis(drive, self.number_option("watchdog", 0.0))
        self.serial = SERIAL + node
        self._commands = self._command_table()
        self._queries = self._query_table()
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.axis.power_on(t)
        self._now = self._heartbeat_due = self._encoder_due = self._tick_due = t

    # --- shown ------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return STATES.get(self.axis.state, str(self.axis.state))

    @property
    def mode(self) -> str:
        return f"{CONTROL_MODES[self.axis.control_mode]}, {INPUT_MODES[self.axis.input_mode]}"

    @property
    def errors(self) -> tuple[str, ...]:
        raised = self.axis.active | self.axis.disarm_reason
        return tuple(name for bit, name in ERRORS.items() if raised & bit)

    @property
    def memory(self) -> dict[str, int | float | str]:
        kept = {name: value for name, value in vars(self.axis.config).items() if isfinite(value)}
        return {"node": self.node, "zero": self.axis.zero, **kept}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.node = int(values.get("node", self.node))
        self.axis.zero = float(values.get("zero", self.axis.zero))
        config = self.axis.config
        for name in vars(config):
            setattr(config, name, float(values.get(name, getattr(config, name))))

    # --- the bus ----------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        node, command = frame.id >> 5, frame.id & 0x1F
        if frame.extended or frame.fd or not (node == self.node or (node == BROADCAST and command == ADDRESS)):
            return []
        self._now = self.axis.fed = t
        if command in self._queries and not frame.data:
            return [self._answer(command)]
        row = self._commands.get(command)
        if row is None or frame.remote or len(frame.data) < row[0].size:
            self.malformed += 1
            return []
        values = row[0].unpack_from(frame.data)
        if not all(isfinite(value) for value in values):
            self.malformed += 1
            return []
        self.commanded = True
        self.malformed += row[1](*values) is False
        return []

    def on_time(self, t: float) -> list[Frame]:
        frames = []
        now, self._now = t + ROUNDING, t
        if now >= self._tick_due:
            self.axis.tick(t)
            self._tick_due = t + TICK
        if now >= self._heartbeat_due:
            frames.append(self._answer(0x01))
            self._heartbeat_due = t + HEARTBEAT
        if now >= self._encoder_due:
            frames.append(self._answer(0x09))
            self._encoder_due = t + ENCODER
        return frames

    def next_time(self) -> float:
        return min(self._tick_due, self._heartbeat_due, self._encoder_due)

    def _answer(self, command: int) -> Frame:
        return Frame(self.node << 5 | command, self._queries[command]())

    def _query_table(self) -> dict[int, Callable[[], bytes]]:
        pair, drive, axis = Struct("<ff").pack, self.drive, self.axis
        return {
            0x00: lambda: VERSION,
            0x01: lambda: Struct("<IBBBB").pack(
                axis.active | axis.disarm_reason, axis.state, axis.result, axis.trajectory_done, 0
            ),
            0x03: lambda: Struct("<II").pack(axis.active, axis.disarm_reason),
            ADDRESS: lambda: bytes([self.node]) + self.serial.to_bytes(6, "little") + b"\0",
            0x09: lambda: pair(axis.position, drive.sample.velocity / axis.turn),
            0x14: lambda: pair(drive.torque / drive.motor.torque_constant, drive.sample.current),
            0x15: lambda: pair(drive.sample.temperature, drive.sample.temperature),
            0x17: lambda: pair(
                drive.sample.voltage, drive.sample.power / drive.sample.voltage if drive.sample.voltage else 0
            ),
            0x1C: lambda: pair(drive.torque, drive.sample.torque),
            0x1D: lambda: pair(drive.sample.power, drive.sample.torque * drive.sample.velocity),
        }

    def _command_table(self) -> dict[int, tuple[Struct, Callable[..., bool | None]]]:
        axis = self.axis
        return {
            0x02: (Struct(""), lambda: axis.disarm(ESTOP)),
            ADDRESS: (Struct("<BIH"), self._set_address),
            0x07: (Struct("<I"), axis.request_state),
            0x0B: (Struct("<II"), axis.set_mode),
            0x0C: (Struct("<fhh"), axis.set_position),
            0x0D: (Struct("<ff"), axis.set_velocity),
            0x0E: (Struct("<f"), axis.set_torque),
            0x0F: (Struct("<ff"), lambda v, i: axis.configure(vel_limit=v, current_limit=i)),
            0x11: (Struct("<f"), lambda v: axis.configure(traj_vel_limit=v)),
            0x12: (Struct("<ff"), lambda a, d: axis.configure(traj_accel_limit=a, traj_decel_limit=d)),
            0x13: (Struct("<f"), lambda j: axis.configure(traj_inertia=j)),
            0x16: (Struct("<B"), self._reboot),
            0x18: (Struct(""), axis.clear),
            0x19: (Struct("<f"), axis.set_absolute),
            0x1A: (Struct("<f"), lambda k: axis.configure(pos_gain=k)),
            0x1B: (Struct("<ff"), lambda k, i: axis.configure(vel_gain=k, vel_integrator_gain=i)),
        }

    def _set_address(self, node: int, low: int, high: int) -> None:
        if low | high << 32 == self.serial and node < BROADCAST:
            self.node = node

    def _reboot(self, action: int) -> None:
        if action == 2:
            self.axis.deliver()
        if action in (0, 2):
            self.power_on(self._now)
