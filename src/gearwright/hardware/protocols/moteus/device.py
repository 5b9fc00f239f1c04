"""A moteus controller: multiplex registers in CAN FD frames.

The id is source·256 + destination; bit 15 asks for an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame, padded
from gearwright.hardware.protocols.moteus import multiplex
from gearwright.hardware.protocols.moteus.console import Console
from gearwright.hardware.protocols.moteus.multiplex import Asked, RegisterStream, Written
from gearwright.hardware.protocols.moteus.registers import REGISTERS, WHOLE
from gearwright.hardware.protocols.moteus.servo import COMMANDED, FAULT, FAULTS, MODES, STOPPED, MoteusServo

TICK = 1e-3  # [s] of trajectories, watchdog and faults
BROADCAST = 0x7F
FIRMWARE, MAP_VERSION = 0x010A, 5
SETTINGS = (
    "kp", "ki", "kd", "ilimit", "default_timeout", "position_min", "position_max", "zero", "rotor_to_output",
    "max_current",
)  # fmt: skip  # of the servo, that are kept


class Moteus(CanDevice):
    """One controller."""

    firmware: int = FIRMWARE
    servo: MoteusServo
    uuid: bytes

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.servo = MoteusServo(drive)
        self.uuid = b"gearwright".ljust(15, b"\0") + bytes([node])
        self.console = Console(self)
        self._live = self._live_table()
        self.power_on(0.0)

    def power_on(self, t: float) -> None:
        self.servo.power_on(t)
        self.console.clear()
        self._due = t

    # --- shown and kept -----------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return MODES[self.servo.mode]

    @property
    def mode(self) -> str:
        return MODES[self.servo.mode]

    @property
    def errors(self) -> tuple[str, ...]:
        return (FAULTS[self.servo.fault],) if self.servo.fault else ()

    @property
    def memory(self) -> dict[str, int | float | str]:
        kept = {name: getattr(self.servo, name) for name in SETTINGS}
        finite = {name: value for name, value in kept.items() if isfinite(value)}
        return {"node": self.node, **finite, **self.console.others}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.node = int(values.get("node", self.node))
        for name in SETTINGS:
            setattr(self.servo, name, float(values.get(name, getattr(self.servo, name))))
        for name, value in values.items():
            self.console.keep(name, str(value))

    # --- the bus ------------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if frame.remote or frame.id & 0x7F not in (self.node, BROADCAST) or frame.id >> 16:
            return []
        self.servo.now = t
        source, answers = frame.id >> 8 & 0x7F, frame.id & 0x8000
        written: dict[int, float] = {}
        asked: list[Asked | RegisterStream] = []
        try:
            for part in multiplex.parse(frame.data):
                if isinstance(part, Written):
                    row = REGISTERS.get(part.register)
                    if row is not None and row.writable:
                        written[part.register] = multiplex.scaled(part.raw, part.type, row.scale)
                else:
                    asked.append(part)
        except multiplex.MalformedError:
            self.malformed += 1
            return []
        if not self._addressed(written):
            return []
        if written:
            self.commanded = True
            self._write(written)
        reply = self._reply(asked)
        if not answers or not (reply or asked or written):
            return []
        id = self.node << 8 | source
        data = padded(reply, multiplex.NOP)
        return [Frame(id, data, extended=id > 0x7FF, fd=True, bitrate_switch=frame.bitrate_switch)]

    def _addressed(self, written: dict[int, float]) -> bool:
        """Frames may be meant for the controllers whose UUID begins as they say."""
        for n in range(4):
            if 0x154 + n in written:
                raw = written.pop(0x154 + n)
                own = int.from_bytes(self.uuid[4 * n : 4 * n + 4], "little", signed=True)
                if not isfinite(raw) or int(raw) != own:
                    return False
        return True

    def _reply(self, asked: list[Asked | RegisterStream]) -> bytes:
        out = b""
        for part in asked:
            if isinstance(part, RegisterStream):
                answer = self.console.on_stream(part, multiplex.LONGEST - len(out))
            else:
                answer = self._values(part)
            if len(out) + len(answer) > multiplex.LONGEST:
                break
            out += answer
        return out

    def _values(self, part: Asked) -> bytes:
        out, size = b"", multiplex.TYPES[part.type].size
        for n in range(min(part.number, multiplex.LONGEST)):
            row = REGISTERS.get(part.register + n)
            if row is None:
                return bytes([multiplex.READ_ERROR]) + multiplex.whole(part.register + n) + b"\x01"
            out += multiplex.packed(self._read(row.name), part.type, row.scale)
        count = len(out) // size
        head = [multiplex.REPLY | part.type << 2 | count] if count < 4 else [multiplex.REPLY | part.type << 2, count]
        return bytes(head) + multiplex.whole(part.register) + out

    # --- registers ----------------------------------------------------------------------------------------------

    def _read(self, name: str) -> float:
        live = self._live.get(name)
        if live is not None:
            return live()
        return self.servo.command.get(name, 0.0)

    def _live_table(self) -> dict[str, Callable[[], float]]:
        drive, servo = self.drive, self.servo
        table: dict[str, Callable[[], float]] = {
            "mode": lambda: servo.mode,
            "position": lambda: servo.position,
            "velocity": lambda: servo.velocity,
            "torque": lambda: servo.output_torque(drive.sample.torque),
            "q_current": lambda: drive.sample.current,
            "abs_position": lambda: drive.sample.position / servo.turn,
            "power": lambda: drive.sample.power,
            "motor_temperature": lambda: drive.sample.temperature,
            "trajectory_complete": lambda: servo.complete,
            "home_state": lambda: 1,
            "voltage": lambda: drive.sample.voltage,
            "temperature": lambda: drive.sample.temperature,
            "fault": lambda: servo.fault,
            "control_position": lambda: servo.profile.position,
            "control_velocity": lambda: servo.profile.velocity,
            "control_torque": lambda: servo.output_torque(drive.torque),
            "position_error": lambda: servo.position - servo.profile.position,
            "velocity_error": lambda: servo.velocity - servo.profile.velocity,
            "torque_error": lambda: servo.output_torque(drive.sample.torque - drive.torque),
            "encoder_0_position": lambda: servo.position,
            "encoder_0_velocity": lambda: servo.velocity,
            "encoder_validity": lambda: 1,
            "millisecond_counter": lambda: round(servo.now * 1e3),
            "model_number": lambda: 1,
            "firmware_version": lambda: FIRMWARE,
            "register_map_version": lambda: MAP_VERSION,
            "multiplex_id": lambda: self.node,
            "uuid_mask_capable": lambda: 1,
        }
        for n in range(4):
            table[f"uuid_{n}"] = lambda n=n: int.from_bytes(self.uuid[4 * n : 4 * n + 4], "little")  # type: ignore[misc]
        for n in range(3):
            table[f"serial_{n}"] = lambda n=n: int.from_bytes(self.uuid[4 * n : 4 * n + 4], "little")  # type: ignore[misc]
        return table

    def _write(self, written: dict[int, float]) -> None:
        """All registers of a frame count together, the mode last."""
        mode, servo = written.pop(0x000, None), self.servo
        if mode is not None:
            if not isfinite(mode) or int(mode) not in COMMANDED:
                self.malformed += 1
                return
            servo.clear_command()
        for number, value in written.items():
            row = REGISTERS[number]
            if row.name in servo.command:
                servo.command[row.name] = value
            elif isfinite(value) and row.scale is not WHOLE:
                servo.set_output(value, nearest=row.name == "set_output_nearest")
            elif isfinite(value) and row.name == "multiplex_id" and 0 < value < BROADCAST:
                self.node = int(value)
        if mode is not None:
            servo.set_mode(int(mode))
        elif any(REGISTERS[number].name in servo.command for number in written):
            servo.begin()

    def on_time(self, t: float) -> list[Frame]:
        self._due = t + TICK
        self.servo.tick(t)
        return []

    def next_time(self) -> float:
        return inf if self.servo.mode in (STOPPED, FAULT) else self._due
