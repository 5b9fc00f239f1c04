"""AgileX' Piper: an arm of six joints and a gripper behind one interface. Nodes 1 to 6 are the joints, 7 the gripper.

Numbers are big-endian; angles count 0.001°, the gripper's opening micrometres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi
from struct import Struct

from gearwright.hardware.device import CanDriveWithZero, Device
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols import Protocol
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.codec import to_float
from gearwright.hardware.protocols.mit.products import MitMotor
from gearwright.hardware.setpoints import COAST, Cascade, Impedance

STOP, MODE, JOINTS, GRIPPER, MIT = 0x150, 0x151, 0x155, 0x159, 0x15A
ENABLE, ASK_LIMITS, JOINT_SETTING, ASK_SETTING, FIRMWARE = 0x471, 0x472, 0x475, 0x477, 0x4AF
STATUS, JOINT_STATE, GRIPPER_STATE, FAST, SLOW = 0x2A1, 0x2A5, 0x2A8, 0x250, 0x260
LIMITS, SETTING_DONE, END_LIMITS, CRASH_LEVELS, MOST_ACCELERATION, PENDANT = 0x473, 0x476, 0x478, 0x47B, 0x47C, 0x47E
HAND = 7  # the gripper's node
ALL_JOINTS, GRIPPER_NUMBER, ALL = 7, 8, 0xFF  # in a request to switch motors
STANDBY, CAN_CONTROL = 0, 1
MOVE_P, MOVE_J, MIT_MODE = 0, 1, 0xAD
ZERO_HERE, VERSION = 0xAE, b"H-V1.2-1S-V1.6-3"
LOW_VOLTAGE, HOT, ON = 1, 2, 64  # bits of a motor's status
PERIODS = {"state": 0.005, "slow": 0.05}  # [s]
MILLIDEGREE = pi / 180e3
FASTEST, ACCELERATION = 3.0, 5.0  # [rad/s], [rad/s²]: of the joints, as delivered
_PAIR, _FAST, _SLOW, _HAND = Struct(">ii"), Struct(">hhi"), Struct(">HhbBH"), Struct(">ihBB")
_NAMES = {0: "standby", 1: "CAN", 2: "teaching"}

JOINT = MitMotor(torque_range=18.0, kd_range=5.0, supply_voltage=24.0, counts=360000.0, over_temperature=75.0)


class PiperMotor(CanDriveWithZero):
    """One of the arm's motors. The first joint's also says how the arm is."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self._arm: dict[int, PiperMotor] = {node: self}
        self.power_on(0.0)

    def meet(self, others: Sequence[Device]) -> None:
        self._arm = {d.node: d for d in others if isinstance(d, PiperMotor)}

    def power_on(self, t: float) -> None:
        self.enabled, self._control, self._move, self._rate, self._mit = False, STANDBY, MOVE_P, 100, 0
        self._stopped = False
        self._due = {name: t + period for name, period in PERIODS.items()}
        self.drive.write(COAST)

    @property
    def unit(self) -> float:
        """[rad], or [m] of a gripper that slides."""
        return 1e-6 if self.node == HAND else MILLIDEGREE

    @property
    def count(self) -> int:
        return round((self.drive.sample.position - self.zero) / self.unit)

    @property
    def state(self) -> str:
        return "enabled" if self.enabled else "disabled"

    @property
    def mode(self) -> str:
        return "stopped" if self._stopped else "MIT" if self._mit else _NAMES.get(self._control, "?")

    @property
    def errors(self) -> tuple[str, ...]:
        named = (("under-voltage", self.drive.starved), ("over-temperature", self.drive.hot))
        return tuple(name for name, there in named if there)

    # --- the bus ----------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        if frame.extended or frame.remote or frame.fd:
            return []
        own_mit = MIT + self.node - 1 if self.node != HAND else None
        pair = JOINTS + (self.node - 1) // 2 if self.node != HAND else None
        known = (STOP, MODE, ENABLE, ASK_LIMITS, JOINT_SETTING, ASK_SETTING, FIRMWARE, pair, own_mit)
        if frame.id not in known and not (frame.id == GRIPPER and self.node == HAND):
            return []
        if len(frame.data) != 8:
            self.malformed += 1
            return []
        if frame.id == pair:
            self._goal(_PAIR.unpack(frame.data)[(self.node - 1) % 2])
        elif frame.id == own_mit:
            self._impedance(frame.data)
        elif frame.id == GRIPPER:
            self._hand(*_HAND.unpack(frame.data))
        else:
            return self._manage(frame.id, frame.data)
        return []

    def _manage(self, name: int, data: bytes) -> list[Frame]:
        if name == STOP:
            self._stop(data[0])
        elif name == MODE:
            self._control, self._move, self._rate, self._mit = data[0], data[1], min(data[2], 100), data[3] == MIT_MODE
        elif name == ENABLE:
            numbers = (ALL, GRIPPER_NUMBER) if self.node == HAND else (ALL, ALL_JOINTS, self.node)
            if data[0] in numbers and data[1] in (1, 2):
                self._switch(data[1] == 2)
        elif name == ASK_LIMITS and data[0] == self.node and self.node != HAND:
            return [self._limits(data[1])]
        elif name == JOINT_SETTING and data[0] in (self.node, ALL_JOINTS) and self.node != HAND:
            if data[1] == ZERO_HERE:
                self.zero = self.drive.sample.position
            return [Frame(SETTING_DONE, bytes((JOINT_SETTING & 0xFF, data[1] == ZERO_HERE)) + bytes(6))]
        elif self.node == 1 and name in (ASK_SETTING, FIRMWARE):
            return self._settings(name, data)
        return []

    def _settings(self, name: int, data: bytes) -> list[Frame]:
        """What belongs to the arm as a whole."""
        if name == FIRMWARE:
            return [Frame(FIRMWARE, VERSION[k : k + 8]) for k in range(0, len(VERSION), 8)]
        answers = {
            1: Frame(END_LIMITS, Struct(">HHHH").pack(1500, 3000, 3000, 6000)), 2: Frame(CRASH_LEVELS, bytes(8)),
            4: Frame(PENDANT, bytes((100, 70, 1)) + bytes(5)),
        }  # fmt: skip
        return [answers[data[0]]] if data[0] in answers else []

    def _limits(self, asked: int) -> Frame:
        """Tenths of degrees and 0.001 rad/s; or 0.001 rad/s²."""
        if asked == 2:
            return Frame(MOST_ACCELERATION, Struct(">BHxxxxx").pack(self.node, round(1000 * ACCELERATION)))
        low, high = (max(-3276.0, min(3276.0, x * 180 / pi)) for x in self.drive.travel)
        return Frame(LIMITS, Struct(">BhhHx").pack(self.node, round(10 * high), round(10 * low), round(1000 * FASTEST)))

    # --- setpoints --------------------------------------------------------------------------------------------

    def _switch(self, on: bool) -> None:
        self.commanded = True
        if on and not self.enabled and not self.errors:
            self.enabled = True
            self._hold(self.drive.sample.position)
        elif not on:
            self.enabled = False
            self.drive.write(COAST)

    def _stop(self, code: int) -> None:
        """1 stops where it is, 2 goes on."""
        if code == 1:
            self._stopped = True
            if self.enabled:
                self._hold(self.drive.sample.position)
        elif code == 2:
            self._stopped = False

    def _goal(self, count: int) -> None:
        self.commanded = True
        moves = self._control == CAN_CONTROL and self._move == MOVE_J and not self._mit
        if self.enabled and moves and not self._stopped:
            low, high = self.drive.travel
            self._hold(max(low, min(high, count * self.unit + self.zero)))

    def _hand(self, count: int, effort: int, code: int, zero: int) -> None:
        """An opening, and the effort [0.001 N·m] that it pushes with."""
        self.commanded = True
        if zero == ZERO_HERE:
            self.zero = self.drive.sample.position
            return
        self._switch(bool(code & 1))
        if self.enabled and not self._stopped:
            if effort > 0:
                self.drive.current_limit = effort * 1e-3 / self.drive.motor.torque_constant
            self._hold(count * self.unit + self.zero)

    def _hold(self, position: float) -> None:
        gains = default_gains(self.drive)
        self.drive.write(Cascade(
            position=position, position_gain=gains.position, velocity_gain=gains.velocity,
            integral_gain=gains.integral, velocity_limit=FASTEST * max(self._rate, 1) / 100,
        ))  # fmt: skip

    def _impedance(self, data: bytes) -> None:
        """The mini-cheetah's frame with a torque of 8 bits and a checksum of 4."""
        check = 0
        for byte in data[:7]:
            check ^= byte
        if check & 0xF != data[7] & 0xF:
            self.malformed += 1
            return
        self.commanded = True
        if not self.enabled or not self._mit or self._stopped:
            return
        c, n = codec.unpack(data, JOINT), int.from_bytes(data, "big")
        kd = to_float(n >> 12 & 0xFFF, -JOINT.kd_range, JOINT.kd_range, 12)
        torque = to_float(n >> 4 & 0xFF, -JOINT.torque_range, JOINT.torque_range, 8)
        self.drive.write(Impedance(c.position + self.zero, c.velocity, c.kp, kd, torque))

    # --- time -------------------------------------------------------------------------------------------------

    def next_time(self) -> float:
        return min(self._due.values())

    def on_time(self, t: float) -> list[Frame]:
        sent: list[Frame] = []
        for name, make in (("state", self._states), ("slow", self._slow)):
            if self._due[name] <= t + 1e-9:
                self._due[name] = t + PERIODS[name]
                sent += make()
        if self.errors and self.enabled:
            self._switch(False)
        return sent

    def _states(self) -> list[Frame]:
        now = self.drive.sample
        status = LOW_VOLTAGE * self.drive.starved | HOT * self.drive.hot | ON * self.enabled
        if self.node == HAND:
            return [Frame(GRIPPER_STATE, _HAND.pack(_fit(self.count, 32), _fit(1000 * now.torque, 16), status, 0))]
        fast = _FAST.pack(_fit(1000 * now.velocity, 16), _fit(1000 * now.current, 16), _fit(1000 * now.position, 32))
        sent = [Frame(FAST + self.node, fast)]
        if self.node % 2:
            second = self._arm.get(self.node + 1)
            pair = _PAIR.pack(_fit(self.count, 32), _fit(second.count if second is not None else 0, 32))
            sent.append(Frame(JOINT_STATE + self.node // 2, pair))
        if self.node == 1:
            moving = any(abs(d.drive.sample.velocity) > 1e-2 for d in self._arm.values())
            arm = (self._control, 1 if self._stopped else 0, self._move, 0, moving, 0, 0, 0)
            sent.append(Frame(STATUS, bytes(arm)))
        return sent

    def _slow(self) -> list[Frame]:
        now = self.drive.sample
        if self.node == HAND:
            return []
        status = LOW_VOLTAGE * self.drive.starved | HOT * self.drive.hot | ON * self.enabled
        heat, amps = _fit(now.temperature, 8), _fit(max(0.0, 1000 * now.power / max(now.voltage, 1e-9)), 16)
        return [Frame(SLOW + self.node, _SLOW.pack(max(0, round(10 * now.voltage)), heat, heat, status, amps))]


def _fit(value: float, bits: int) -> int:
    most = (1 << bits - 1) - 1
    return max(-most - 1, min(most, round(value)))


PROTOCOL = Protocol(
    name="piper",
    title="AgileX Piper",
    device=PiperMotor,
    models={"piper": JOINT},
    nodes=range(1, 8),
    geared=True,
    client='gearwright with-bus --can can0={channel}; C_PiperInterface_V2("can0", judge_flag=False)',
)
