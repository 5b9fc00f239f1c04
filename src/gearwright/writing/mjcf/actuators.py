"""<actuator> of MJCF: one per actuator, on a joint with its ratio as the gear, or on a tendon with a row of ratios.

MuJoCo has the force of an actuator multiplied by its gear, and its length and speed likewise: ours on the actuator's
side. `general` states the drive: `force = gain·u + b₀ + b₁·length + b₂·speed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from gearwright.comparing.differences import ENDS
from gearwright.model import (
    ActivatedActuator,
    Actuator,
    AffineActuator,
    DCMotor,
    ElectricMotor,
    LinearTransmission,
    Mechanism,
    PIDActuator,
    PneumaticCylinder,
)
from gearwright.model.hardware.servos import Servo
from gearwright.model.layout.layout import turns_body
from gearwright.writing.fields import leave_rest
from gearwright.writing.mjcf.names import MjcfNames
from gearwright.writing.mjcf.tendons import add_fixed_tendon
from gearwright.writing.nodes import Node
from gearwright.writing.report import LossLog

BASE = ("name", "joint", "rotor_inertia", "damping", "command", "source", "rotor")
DRIVE = ("stiffness", "damping_gain", "effort_limit")


def add_actuators(robot: Mechanism, names: MjcfNames, losses: LossLog, sections: Mapping[str, Node]) -> None:
    for a in robot.actuators.values():
        target = _target(a, robot, names, losses, sections)
        if target is None:
            losses.lose(f"actuator {a.name!r}", "", "MuJoCo has no such way to its joints")
            continue
        make = KINDS.get(type(a))
        made = None if make is None else make(a, target)
        if made is None:
            losses.lose(f"actuator {a.name!r}", "", f"MuJoCo has no {a.type}")
            continue
        node, written = made
        sections["actuator"].children.append(node)
        node.attributes = {"name": a.name, **target.attributes, **node.attributes}
        if a.rotor_inertia:
            node.attributes |= Node("", armature=a.rotor_inertia).attributes
            if turns_body(a):
                losses.note(f"actuator {a.name!r}: its rotor is an inertia along its axis in MuJoCo, not a body")
        if a.damping:
            node.attributes |= Node("", damping=a.damping).attributes
        leave_rest(losses, f"actuator {a.name!r}", a, (*BASE, *written), "MuJoCo's actuators have none")
    for t in robot.transmissions.values():
        _leave_transmission(robot, t.name, losses)


@dataclass(frozen=True, kw_only=True)
class WrittenTarget:
    """What an actuator pulls at."""

    attributes: dict[str, str]
    zero: float = 0.0  # actuator position minus MuJoCo's length


def _target(
    a: Actuator, robot: Mechanism, names: MjcfNames, losses: LossLog, sections: Mapping[str, Node]
) -> WrittenTarget | None:
    t = robot.acting.get(a.name)
    zero, own = 0.0, a.name
    if t is None:
        if a.joint is None:
            return None
        axes = [(names.axis(a.joint), 1.0)]
    elif not isinstance(t.map, LinearTransmission):
        return None
    else:
        row = t.map.actuator_per_joint[t.actuators.index(a.name)]
        zero = -float(row @ t.map.position_offset)
        axes = [(names.axis(j), float(x)) for j, x in zip(t.joints, row, strict=True) if x]
        own = t.name.removeprefix(f"{a.name}_") if len(t.actuators) == 1 else f"{t.name}.{a.name}"
    low, high = a.travel
    if len(axes) == 1 and (low, high) == (-inf, inf):
        ((joint, ratio),) = axes
        gear = Node("", gear=ratio).attributes if ratio != 1 else {}
        return WrittenTarget(attributes={"joint": joint, **gear}, zero=zero)
    ends = None if (low, high) == (-inf, inf) else (max(low - zero, -1e16), min(high - zero, 1e16))
    return WrittenTarget(attributes={"tendon": add_fixed_tendon(sections, names, own, axes, ends)}, zero=zero)


def _limit(a: Actuator) -> dict[str, Any]:
    return {"forcerange": (-a.effort_limit, a.effort_limit)} if 0 < a.effort_limit < inf else {}


def _drive(a: Actuator, target: WrittenTarget) -> tuple[Node, tuple[str, ...]] | None:
    """Effort, velocity or position as a command."""
    match a.command:
        case "effort":
            return Node("motor", **_limit(a)), ("effort_limit",) if a.effort_limit else ()
        case "velocity":
            return Node("velocity", kv=a.damping_gain, **_limit(a)), ("damping_gain", "effort_limit")
        case "position" if not target.zero:
            gains = {"kp": a.stiffness, "kv": a.damping_gain}
            return Node("position", **gains, **_limit(a)), DRIVE
        case "impedance":
            bias = (-a.stiffness * target.zero, -a.stiffness, -a.damping_gain)
            return Node("general", biastype="affine", gainprm=1.0, biasprm=bias, **_limit(a)), DRIVE
        case "position":  # the drive's zero is the actuator's, MuJoCo's that of its joints
            bias = (-a.stiffness * target.zero, -a.stiffness, -a.damping_gain)
            numbers = {"gainprm": a.stiffness, "biasprm": bias, **_limit(a)}
            return Node("general", biastype="affine", **numbers), DRIVE
    return None


def _dc_motor(a: Any, target: WrittenTarget) -> tuple[Node, tuple[str, ...]] | None:
    """By its winding, with a voltage as the command; drives on top of a winding are ours alone."""
    if a.command != "voltage":
        return _drive(a, target)
    node = Node("dcmotor", motorconst=(a.torque_constant, a.torque_constant), resistance=a.resistance)
    written = ["resistance", "torque_constant"]
    if a.inductance:
        node.attributes |= Node("", inductance=(a.inductance, 0.0)).attributes
        written.append("inductance")
    if a.supply_voltage is not None:
        node.attributes |= Node("", ctrlrange=(-a.supply_voltage, a.supply_voltage)).attributes
        written.append("supply_voltage")
    return node, tuple(written)


def _pneumatic(a: Any, target: WrittenTarget) -> tuple[Node, tuple[str, ...]] | None:
    """`T·dp/dt = u·p_supply − p`: a first-order filter before a constant gain."""
    node = Node(
        "general", dyntype="filter", dynprm=a.time_constant, gainprm=a.bore_area * a.supply_pressure,
        ctrlrange=(-1.0, 1.0), **_limit(a),
    )  # fmt: skip
    return node, ("bore_area", "supply_pressure", "time_constant", "effort_limit")


def _affine(a: Any, target: WrittenTarget) -> tuple[Node, tuple[str, ...]] | None:
    """`(g₀ + g₁·x + g₂·v)·u + b₀ + b₁·x + b₂·v`; x is MuJoCo's length, and the target's zero."""
    gain = (a.gain, a.gain_per_position, a.gain_per_speed)
    bias = (a.bias, a.bias_per_position, a.bias_per_speed)
    if a.command == "position":
        gain, bias = (a.stiffness, 0.0, 0.0), (bias[0], bias[1] - a.stiffness, bias[2] - a.damping_gain)
    elif a.command == "velocity":
        gain, bias = (a.damping_gain, 0.0, 0.0), (bias[0], bias[1], bias[2] - a.damping_gain)
    gain, bias = ((x + y * target.zero, y, z) for x, y, z in (gain, bias))
    node = Node("general", gaintype="affine", biastype="affine", gainprm=gain, biasprm=bias)
    ranges = []
    if isinstance(a, ActivatedActuator):
        node.attributes |= Node("", dyntype="filterexact" if a.dynamics == "filter" else "integrator").attributes
        if a.dynamics == "filter":
            node.attributes |= Node("", dynprm=a.time_constant).attributes
        ranges.append(("actrange", a.activation_lower, a.activation_upper))
    _add_ranges(node, a, *ranges)
    return node, AFFINE


def _add_ranges(node: Node, a: Any, *more: tuple[str, float, float]) -> None:
    own = ("ctrlrange", a.command_lower, a.command_upper), ("forcerange", a.effort_lower, a.effort_upper)
    for name, low, high in (*own, *more):
        if low > -inf or high < inf:
            node.attributes |= Node("", **{name: (max(low, -1e16), min(high, 1e16))}).attributes
    if a.effort_limit < inf and (a.effort_lower, a.effort_upper) == (-inf, inf):
        node.attributes |= Node("", **_limit(a)).attributes


def _pid(a: Any, target: WrittenTarget) -> tuple[Node, tuple[str, ...]] | None:
    """MuJoCo's 0 of imax and slewmax is no limit."""
    if target.zero or a.integral_limit == 0 or a.slew_rate == 0:
        return None
    node = Node("pid", kp=a.stiffness, kv=a.damping_gain, ki=a.integral_gain, input="pos")
    limits = {"imax": a.integral_limit, "slewmax": a.slew_rate}
    node.attributes |= Node("", **{name: limit for name, limit in limits.items() if limit < inf}).attributes
    _add_ranges(node, a)
    return node, PID


LIMITS = ("command_lower", "command_upper", "effort_lower", "effort_upper", "effort_limit", "position_lower",
          "position_upper")  # fmt: skip
PID = ("stiffness", "damping_gain", "integral_gain", "integral_limit", "slew_rate", *LIMITS)
AFFINE = ("gain", "gain_per_position", "gain_per_speed", "bias", "bias_per_position", "bias_per_speed", "stiffness",
          "damping_gain", "dynamics", "time_constant", "activation_lower", "activation_upper", *LIMITS)  # fmt: skip
KINDS: dict[type[Actuator], Callable[[Any, WrittenTarget], tuple[Node, tuple[str, ...]] | None]] = {
    Actuator: _drive,
    ElectricMotor: _drive,
    Servo: _drive,
    DCMotor: _dc_motor,
    PneumaticCylinder: _pneumatic,
    AffineActuator: _affine,
    ActivatedActuator: _affine,
    PIDActuator: _pid,
}


def _leave_transmission(robot: Mechanism, name: str, losses: LossLog) -> None:
    """What of a transmission is more than its ratios."""
    t, shown = robot.transmissions[name], f"transmission {name!r}"
    if not isinstance(t.map, LinearTransmission):
        losses.lose(shown, "", "MuJoCo's actuators have constant ratios alone")
        return
    if t not in robot.acting.values():
        losses.lose(shown, "", "no actuator acts through it, and MuJoCo has no transmissions beside its actuators")
        return
    if getattr(t.map, "shifts_efforts", False):
        losses.lose(shown, "map", "MuJoCo's actuators neither shift nor clip the effort of a joint")
    own = t.map.losses()
    if t.losses != own or own.own is not None or not own.lossless:
        leave_rest(losses, shown, t.losses, (), "MuJoCo's gears lose nothing", "losses.")
    if t.backlash is not None:
        losses.lose(shown, "backlash", "MuJoCo's gears have no play")
    for parameter in t.parameters:
        if not parameter.endswith(ENDS):
            losses.lose(shown, f"parameters.{parameter}", "MJCF has no place for it")
