"""The shafts of a robot's actuators: which joints they turn, how far, where switches are, what they have to move."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import GearwrightError
from gearwright.model import AxisRef, Limits, LimitSwitch, Mechanism
from gearwright.model.joints import AxisDynamics
from gearwright.model.transmissions.linear import LinearTransmission

if TYPE_CHECKING:
    from gearwright.sim import Simulation

Array = NDArray[Any]

SWITCH = 0.01  # of the joint's travel, from its stop to where a limit switch trips that no sensor of the file says
POSES = 8  # in which the load is looked at, beside the start: an arm is heavier stretched than folded
SEED = 1
RESERVE = 2.0  # of a motor for the weight that it holds
ACCELERATION = 63.0  # [rad/s², m/s²] of its joint: ten turns per second squared, as drives' profiles as delivered
BRISK = 45.0  # [1/s²]: stall torque over inertia with which a servo that has P and I gains does not ring
FRICTION, DAMPING = 60.0, 5.0  # [1], [rad/s] of stall torque, over its losses: an I gain overcomes them in time


class DriveGear(NamedTuple):
    """Between an actuator's own shaft and the one at which its drive counts: `a = ratio·(x − offset)`.

    Several servos of one kind may turn that shaft together, by the same goals: the drive is one of them.
    """

    ratio: float = 1.0
    offset: float = 0.0  # of the drive's shaft where the actuator's is at 0 [rad, m]
    servos: int = 1  # side by side, each with an equal share of the torque

    @property
    def effort(self) -> float:
        """Effort at the actuator's shaft per effort of the drive."""
        return self.servos / self.ratio

    def position(self, a: float) -> float:
        """Of the drive's shaft, for that of the actuator."""
        return a / self.ratio + self.offset

    def centred(self, a: tuple[float, float], turn: float) -> DriveGear:
        """With the zero of the drive in the middle of a range of the actuator's shaft, if it fits into a turn only so.

        turn   [rad] that the drive sees, half of it on each side of its zero
        """
        low, high = self.ends(a)
        if max(-low, high) <= 0.5 * turn or high - low > turn:
            return self
        return self._replace(offset=self.offset - 0.5 * (low + high))

    def ends(self, a: tuple[float, float]) -> tuple[float, float]:
        """Of a range, in the drive's order."""
        low, high = (self.position(end) for end in a)
        return (low, high) if self.ratio > 0.0 else (high, low)


DIRECT = DriveGear()


def simple_gear(robot: Mechanism, actuator: str) -> DriveGear | None:
    """The transmission between an actuator and the one joint that it turns at a constant ratio; None for others."""
    transmission = robot.acting.get(actuator)
    if transmission is None or not isinstance(transmission.map, LinearTransmission):
        return None
    one = len(transmission.actuators) == len(transmission.joints) == 1
    if not one or robot.joint(transmission.joints[0].joint).kind == "prismatic":
        return None
    ((ratio,),) = transmission.map.actuator_per_joint.tolist()
    return DriveGear(float(ratio), float(transmission.map.joint_offsets_at_zero()[0])) if ratio else None


@dataclass(frozen=True, kw_only=True)
class ShaftLoad:
    """What a shaft has to move at most, while drives hold or turn the others: for gains as delivered."""

    inertia: float = 1.0  # [kg·m², kg]
    damping: float = 0.0  # viscous friction of joints and rotor [N·m·s/rad, N·s/m]
    holding: float = 0.0  # torque against weight, springs and dry friction [N·m, N]
    friction: float = 0.0  # dry friction alone [N·m, N]
    travel: float = 1.0  # that moves the joint by a radian, or a metre [rad, m]

    def at(self, gear: DriveGear) -> ShaftLoad:
        """The load of an actuator's shaft, at the drive's."""
        n, share = abs(gear.ratio), abs(1.0 / gear.effort)
        return ShaftLoad(
            inertia=self.inertia * n * share, damping=self.damping * n * share, holding=self.holding * share,
            friction=self.friction * share, travel=self.travel / n,
        )  # fmt: skip

    @property
    def rating(self) -> float:
        """Torque of a motor that somebody would choose for it, to two digits [N·m, N]."""
        return float(f"{RESERVE * self.holding + self.inertia * ACCELERATION * self.travel:.2g}")

    @property
    def torque_of_servos(self) -> float:
        """Stall torque of servos that carry and move it, and do not ring [N·m, N]."""
        return max(
            RESERVE * self.holding, BRISK * self.inertia, FRICTION * self.friction, DAMPING * self.damping
        )  # fmt: skip


def shaft_loads(sim: Simulation, actuators: Iterable[str]) -> dict[str, ShaftLoad]:
    """The inertia is a row of `|Λ|` added up, with `Λ = (A·M⁻¹·Aᵀ)⁻¹`, the inertia over the rates of all shafts.

    A diagonal D of such sums is at least Λ, so that loops which are well damped with D are so with the mechanism.
    Joints without an actuator are free. All numbers are the largest of some poses of the robot.
    """
    names, coordinates = list(actuators), list(sim.coordinates)
    if not names:
        return {}
    G = _independent(sim.robot, coordinates)
    A = _shaft_rates(sim.robot, coordinates, names) @ G
    joints = G @ np.linalg.pinv(A)  # rates of coordinates per rate of a shaft
    inertia = holding = np.zeros(len(names))
    for _ in _poses(sim):
        M = G.T @ np.atleast_2d(sim.mass_matrix()) @ G
        response = A @ np.linalg.pinv(M) @ A.T
        inertia = np.maximum(inertia, np.abs(np.linalg.pinv(response)).sum(axis=1))
        holding = np.maximum(holding, np.abs(joints.T @ np.ravel(sim.bias())))
    damping, friction = _losses(sim.robot, coordinates)
    found = {}
    for k, name in enumerate(names):
        own, rate = sim.robot.actuators[name], np.abs(joints[:, k])
        rubbing = own.friction + float(rate @ friction)
        found[name] = ShaftLoad(
            inertia=float(inertia[k]) if inertia[k] > 0.0 else 1.0,
            damping=own.damping + float(rate**2 @ damping),
            holding=rubbing + float(holding[k]),
            friction=rubbing,
            travel=1.0 / float(rate.max(initial=0.0) or 1.0),
        )
    return found


def _losses(robot: Mechanism, coordinates: list[str]) -> tuple[Array, Array]:
    """Viscous and dry friction along each coordinate; 0 where it has no axis."""
    axes = {name: a.dynamics for j in robot.joints.values() for name, a in zip(j.axis_coordinates, j.axes, strict=True)}
    own = [axes.get(name, AxisDynamics()) for name in coordinates]
    return np.array([d.damping for d in own]), np.array([d.friction for d in own])


def _independent(robot: Mechanism, names: list[str]) -> Array:
    """Rates of coordinates per rate of those that follow no other."""
    leaders = {f: [(str(t.axis), t.multiplier) for t in c.leaders] for f, c in robot.couplings.items() if f in names}
    free = [name for name in names if name not in leaders]

    def row(name: str) -> Array:
        if name not in leaders:
            return np.array([float(name == other) for other in free])
        total: Array = np.sum([multiplier * row(leader) for leader, multiplier in leaders[name]], axis=0)
        return total

    return np.array([row(name) for name in names])


def _shaft_rates(robot: Mechanism, names: list[str], actuators: list[str]) -> Array:
    """Rates of shafts per rate of each coordinate."""
    turned = [ratios(robot, actuator) for actuator in actuators]
    return np.array([[each.get(name, 0.0) for name in names] for each in turned])


def _poses(sim: Simulation) -> Iterable[None]:
    """Puts the robot into its start, then into others within its joints' limits, and back."""
    yield None
    rng = np.random.default_rng(SEED)
    for _ in range(POSES):
        shares = {name: rng.random() for name in sim.coordinates}
        try:
            _reset(sim, {n: low + shares[n] * (high - low) for n, (low, high) in _ranges(sim).items()})
        except GearwrightError:  # a loop that does not close there
            continue
        yield None
    _reset(sim, {})


def _reset(sim: Simulation, position: dict[str, float]) -> None:
    """What there is to warn of has been said when the robot was compiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim.reset(position=position)


def _ranges(sim: Simulation) -> dict[str, tuple[float, float]]:
    """Of joints with one axis that follow no other: their limits, or a turn."""
    found = {}
    for joint in sim.robot.joints.values():
        ref = AxisRef(joint.name, 0)
        if len(joint.refs) == 1 and str(ref) in sim.coordinates and str(ref) not in sim.robot.couplings:
            limits = joint.axes[0].limits
            ends = (limits.lower, limits.upper)
            if isfinite(sum(ends)):
                found[str(ref)] = ends
            elif joint.kind != "prismatic":
                found[str(ref)] = (-pi, pi)
    return found


def ratios(robot: Mechanism, actuator: str) -> dict[str, float]:
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


def has_losses(robot: Mechanism, actuator: str) -> bool:
    """Whether the file gives damping or friction of a joint that the shaft turns."""
    turned = ratios(robot, actuator)
    axes = (a for j in robot.joints.values() for n, a in zip(j.axis_coordinates, j.axes, strict=True) if n in turned)
    return any(a.dynamics.damping or a.dynamics.friction or a.dynamics.friction_model for a in axes)


def effort_limit(robot: Mechanism, actuator: str) -> float:
    """The effort limit of the one joint that a shaft turns, at the shaft [N·m, N]; inf where there is none."""
    ref = _only_joint(robot, actuator)
    limit = robot.joint(ref.joint).axes[ref.index].limits.effort if ref is not None else 0.0
    return limit / abs(next(iter(ratios(robot, actuator).values()))) if limit > 0.0 else inf


def travel(robot: Mechanism, actuator: str) -> tuple[float, float]:
    """Shaft positions at the limits of the joint; without bounds where it has none, or where there are several."""
    ref = _only_joint(robot, actuator)
    limits = robot.joint(ref.joint).axes[ref.index].limits if ref is not None else Limits()
    if not isfinite(limits.lower) or not isfinite(limits.upper):
        return (-inf, inf)
    ends = _shaft_positions(robot, actuator, [limits.lower, limits.upper])
    return min(ends), max(ends)


def switches(robot: Mechanism, actuator: str) -> tuple[float, float]:
    """Where the model's limit switches on the joint close; without any, shortly before the joint's stops."""
    ref = _only_joint(robot, actuator)
    own = [s for s in robot.sensors.values() if isinstance(s, LimitSwitch) and s.joint == ref and ref is not None]
    low, high = travel(robot, actuator)
    if not own:
        margin = SWITCH * (high - low) if isfinite(high - low) else 0.0
        return low + margin, high - margin
    below = [s.threshold for s in own if s.direction == "below"]
    above = [s.threshold for s in own if s.direction == "above"]
    reversed_ = next(iter(ratios(robot, actuator).values())) < 0.0
    first, last = _shaft_positions(robot, actuator, [max(below, default=-inf), min(above, default=inf)])
    return (-inf if not isfinite(last) else last, inf if not isfinite(first) else first) if reversed_ else (first, last)


def moves_along_a_line(robot: Mechanism, actuator: str) -> bool:
    joint = robot.actuators[actuator].joint
    return joint is not None and actuator not in robot.acting and robot.joint(joint.joint).kind == "prismatic"
