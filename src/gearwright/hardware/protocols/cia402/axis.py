"""The drive in the units of its objects: counts, counts a second, ‰ of rated torque."""

from __future__ import annotations

from math import inf, isfinite

from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.profiles import Profile
from gearwright.hardware.protocols.cia402.dictionary import Dictionary, Key, Value
from gearwright.hardware.protocols.cia402.objects import I32
from gearwright.hardware.protocols.loop_gains import default_gains
from gearwright.hardware.setpoints import COAST, Cascade, Torque

UNLIMITED = 0xFFFFFFFF
NEGATIVE, POSITIVE = 1, 2  # limit switches among the digital inputs


class Cia402Axis:
    """Demand and actual values. `profile` is the demand [counts]; modes move it, `follow` hands it to the drive."""

    def __init__(self, drive: MotorDrive, dictionary: Dictionary) -> None:
        self.drive, self.dictionary = drive, dictionary
        self.counts = drive.counts_per_unit
        self.rated = drive.motor.rated_torque
        self.gains = default_gains(drive)
        self.zero = 0.0  # [counts] of the encoder where the position is 0
        self.profile = Profile()
        self.clipped = False  # a target beyond its limits

    # --- actual values ------------------------------------------------------------------------------------------

    @property
    def sign(self) -> int:
        return -1 if self.dictionary[0x607E, 0] & 0x80 else 1

    @property
    def encoder(self) -> float:
        """[counts] as the encoder has them."""
        return self.drive.sample.position * self.counts

    @property
    def position(self) -> float:
        return self.sign * (self.encoder - self.zero)

    @property
    def velocity(self) -> float:
        return self.sign * self.drive.sample.velocity * self.counts

    @property
    def torque(self) -> float:
        """[‰]"""
        return self.sign * self.drive.sample.torque / self.rated * 1000.0

    @property
    def torque_demand(self) -> float:
        return self.sign * self.drive.torque / self.rated * 1000.0

    @property
    def following_error(self) -> float:
        return self.profile.position - self.position

    # --- demand -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The demand begins where the shaft is."""
        self.profile = Profile(self.position, self.velocity)
        self.clipped = False

    @property
    def software_limits(self) -> tuple[int, int]:
        """Object 607D; where nobody has written it, the joint's own limits, wherever homing has put the zero."""
        low, high = self.dictionary[0x607D, 1], self.dictionary[0x607D, 2]
        if (low, high) == (I32.low, I32.high) and isfinite(self.drive.travel[0]):
            ends = [self.sign * (end * self.counts - self.zero) for end in self.drive.travel]
            low, high = (max(I32.low, min(I32.high, round(end))) for end in sorted(ends))
        return low, high

    @property
    def inputs(self) -> int:
        """Object 60FD: limit switches of the joint."""
        here, (low, high) = self.drive.sample.position, self.drive.switches
        tripped = (here <= low, here >= high)
        negative, positive = tripped if self.sign > 0 else tripped[::-1]
        return NEGATIVE * negative | POSITIVE * positive

    def limited_position(self, target: float) -> float:
        low, high = self.software_limits
        kept = min(max(target, low), high) if low < high else target
        self.clipped = kept != target
        return kept

    @property
    def fastest(self) -> float:
        """The lower of max profile velocity and max motor speed [1/min]."""
        most, speed = self.dictionary[0x607F, 0], self.dictionary[0x6080, 0]
        return most if speed == UNLIMITED else min(most, speed / 60.0 * self.drive.motor.counts)

    def limited_velocity(self, target: float) -> float:
        most = self.fastest
        kept = min(max(target, -most), most)
        self.clipped = kept != target
        return kept

    def follow(self, *, torque: float = 0.0) -> None:
        """Position and velocity of the profile, with a torque [‰] ahead of the loops."""
        scale = self.sign / self.counts
        self._loop((self.sign * self.profile.position + self.zero) / self.counts, self.profile.velocity * scale, torque)

    def follow_velocity(self, *, torque: float = 0.0) -> None:
        self._loop(None, self.profile.velocity * self.sign / self.counts, torque)

    def push(self, torque: float) -> None:
        """[‰]"""
        self.drive.write(Torque(self.sign * torque * 1e-3 * self.rated))

    def release(self) -> None:
        self.drive.write(COAST)

    def _loop(self, position: float | None, velocity: float, torque: float) -> None:
        kp, kv, ki = self.gains
        self.drive.write(Cascade(position, velocity, self.sign * torque * 1e-3 * self.rated, kp, kv, ki))

    def limit_torque(self) -> None:
        """The lower of max torque and max current, both in ‰ of the rating."""
        most = min(self.dictionary[0x6072, 0], self.dictionary[0x6073, 0])
        self.drive.current_limit = most * 1e-3 * self.drive.motor.current_rating


def defaults(drive: MotorDrive) -> dict[Key, Value]:
    """Objects whose default the robot's file decides: one turn per second, ten turns per second squared."""
    turn = drive.motor.counts
    motor = drive.motor
    peak = motor.current_limit / motor.current_rating * 1000.0 if motor.current_limit < inf else 3000.0
    values: dict[Key, float] = {
        (0x6065, 0): turn / 4, (0x6066, 0): 100, (0x6067, 0): max(turn / 1000, 2), (0x606D, 0): turn / 50,
        (0x606F, 0): turn / 50, (0x6072, 0): peak, (0x6073, 0): peak, (0x6075, 0): motor.current_rating * 1e3,
        (0x6076, 0): motor.rated_torque * 1e3, (0x607F, 0): UNLIMITED, (0x6080, 0): UNLIMITED, (0x6081, 0): turn,
        (0x6083, 0): 10 * turn, (0x6084, 0): 10 * turn, (0x6085, 0): 50 * turn, (0x6087, 0): 1000,
        (0x608F, 1): turn, (0x6099, 1): turn / 4, (0x6099, 2): turn / 20, (0x609A, 0): 10 * turn,
    }  # fmt: skip
    most = {(0x6066, 0): 0xFFFF, (0x606D, 0): 0xFFFF, (0x606F, 0): 0xFFFF, (0x6072, 0): 0xFFFF, (0x6073, 0): 0xFFFF}
    return {key: round(min(value, most.get(key, UNLIMITED))) for key, value in values.items()}
