"""What an actuator's settings mean: a motor, a drive, an affine actuator, one with an activation, a DC motor."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from gearwright.formats.mjcf.actuator_settings import ActuatorSettings
from gearwright.formats.mjcf.dc_motors import DCMotorSettings
from gearwright.formats.xml.located_xml import Element
from gearwright.model.actuators import ActivatedActuator, Actuator, AffineActuator, Command, DCMotor, PIDActuator

Ranges = Mapping[str, tuple[float, float]]
NONE = (-inf, inf)
FILTERS = ("filter", "filterexact")
INPUTS: Mapping[str, Command] = {"voltage": "voltage", "pos": "position", "vel": "velocity", "ff": "effort"}
OTHERS = "the other inputs are held at 0"


def made_actuator(
    e: Element, s: ActuatorSettings, fields: dict[str, Any], ranges: Ranges, joint: tuple[float, float],
    limited_by_joint: bool,
) -> Actuator | str:  # fmt: skip
    """The actuator; in words, why there is none.

    `joint` is what its joint lets it do, where that is not symmetric; `limited_by_joint` whether it has a limit at all.
    """
    force = ranges.get("force", NONE)
    low, high = max(force[0], joint[0]), min(force[1], joint[1])
    if s.gaintype == "dcmotor":
        return _dc_motor(e, s, fields, ranges.get("ctrl", NONE), (low, high))
    for kind, name in ((s.dyntype, "dyntype"), (s.gaintype, "gaintype"), (s.biastype, "biastype")):
        if kind in ("muscle", "user", "so3"):
            return f"{name} {kind!r} has no counterpart here"
    limits: dict[str, Any] = {}
    if low == -high and joint == NONE and not limited_by_joint:  # an effort limit of its own replaces its joint's
        limits = {"effort_limit": high} if high < inf else {}
    elif (low, high) != NONE:
        limits = {"effort_lower": low, "effort_upper": high}
    if "ctrl" in ranges:
        limits |= {"command_lower": ranges["ctrl"][0], "command_upper": ranges["ctrl"][1]}
    if s.gaintype == "pid":
        return _pid(e, s, fields | limits)
    gain = _three(s.gainprm) if s.gaintype == "affine" else (s.gainprm[0], 0.0, 0.0)
    bias = _three(s.biasprm) if s.biastype == "affine" else (0.0, 0.0, 0.0)
    if s.dyntype != "none":
        return _activated(s, fields | limits | _affine(gain, bias), ranges)
    return _plain(gain, bias, fields, limits)


def _three(numbers: list[float]) -> tuple[float, float, float]:
    return numbers[0], numbers[1], numbers[2]


def _affine(gain: tuple[float, float, float], bias: tuple[float, float, float]) -> dict[str, Any]:
    return {
        "gain": gain[0], "gain_per_position": gain[1], "gain_per_speed": gain[2],
        "bias": bias[0], "bias_per_position": bias[1], "bias_per_speed": bias[2],
    }  # fmt: skip


def _plain(
    gain: tuple[float, float, float], bias: tuple[float, float, float], fields: dict[str, Any], limits: dict[str, Any]
) -> Actuator:
    """A servo is a drive, if its gain is its stiffness, or its damping alone."""
    drive = _drive(gain, bias)
    if drive is None:
        return AffineActuator(**fields, **limits, **_affine(gain, bias))
    rest: dict[str, Any] = {"bias": bias[0]} if bias[0] else {}
    if limits.keys() <= {"effort_limit"} and not rest:
        return Actuator(**fields, **limits, **drive)
    return AffineActuator(**fields, **limits, **rest, **drive)


def _drive(gain: tuple[float, float, float], bias: tuple[float, float, float]) -> dict[str, Any] | None:
    """Fields of a drive that has this gain and bias; None where none has."""
    (g, *more), (_, b1, b2) = gain, bias
    if any(more):
        return None
    if g == 1.0 and b1 == b2 == 0.0:
        return {"command": "effort"}
    if g > 0 and g == -b1 and b2 <= 0:
        return {"command": "position", "stiffness": g, "damping_gain": -b2}
    if g > 0 and b1 == 0.0 and g == -b2:
        return {"command": "velocity", "damping_gain": g}
    return None


def _activated(s: ActuatorSettings, fields: dict[str, Any], ranges: Ranges) -> Actuator:
    low, high = ranges.get("act", NONE)
    follows = s.gaintype == "fixed" and s.biastype == "affine" and s.gainprm[0] == -s.biasprm[1] != 0.0
    integrates = s.dyntype == "integrator"
    command: Command = ("velocity" if integrates else "position") if follows else "effort"
    return ActivatedActuator(
        **fields, dynamics="integrator" if integrates else "filter", time_constant=max(s.dynprm[0], 0.0),
        activation_lower=low, activation_upper=high, command=command,
    )  # fmt: skip


def _pid(e: Element, s: ActuatorSettings, fields: dict[str, Any]) -> Actuator | str:
    inputs = s.inputs
    if inputs[:1] != ["pos"]:
        return f"input={s.input!r}: a PID drive takes a position here"
    if len(inputs) > 1 and e.report.first("mjcf pid inputs"):
        e.info("element-ignored", f"<pid> takes {' and '.join(inputs)}: its command here is the position, {OTHERS}")
    if s.biasprm[1] >= 0 or s.biasprm[2] > 0:
        return "a PID drive needs a positive kp"
    gains: dict[str, Any] = {"stiffness": -s.biasprm[1], "damping_gain": -s.biasprm[2], "bias": s.biasprm[0]}
    if s.dyntype != "pid":
        return AffineActuator(**fields, **gains, command="position")
    limit, rate = s.dynprm[0], s.dynprm[1]
    return PIDActuator(
        **fields, **gains, integral_gain=s.gainprm[0], integral_limit=limit if limit > 0 else inf,
        slew_rate=rate if rate > 0 else inf,
    )  # fmt: skip


def _dc_motor(
    e: Element, s: ActuatorSettings, fields: dict[str, Any], ctrl: tuple[float, float], effort: tuple[float, float]
) -> Actuator | str:
    m = s.motor
    kp, _, kd, _, _, highest = m.controller
    inputs = s.inputs
    command = None if s.followed is None else INPUTS.get(inputs[s.followed])
    if command is None or (command == "effort" and (kp or kd)) or (command == "velocity" and kp):
        return f"input={s.input!r} has no counterpart here"
    if len(inputs) > 1:
        e.info("element-ignored", f"<dcmotor> takes {' and '.join(inputs)}: a command is the {command} here, {OTHERS}")
    supply = highest if command != "voltage" else max(-ctrl[0], ctrl[1])
    torque, current, _ = m.saturation
    most = min(torque or m.K * current or inf, max(-effort[0], effort[1]))
    L = m.inductance[0] or m.R * m.inductance[1]
    winding: dict[str, Any] = {"resistance": m.R, "torque_constant": m.K, "inductance": L, **_warmth(s)}
    made = DCMotor(
        **fields, **winding, command=command, stiffness=kp, damping_gain=kd,
        supply_voltage=supply if 0 < supply < inf else None, effort_limit=most if most > 0 else inf,
    )  # fmt: skip
    _report_dc_motor(e, m, made, ctrl, effort)
    return made


def _report_dc_motor(
    e: Element, m: DCMotorSettings, made: DCMotor, ctrl: tuple[float, float], effort: tuple[float, float]
) -> None:
    """What MuJoCo has beside, or otherwise."""
    named, L = f"actuator {made.name!r}", made.inductance > 0
    lost = [
        name for name, given in (
            ("cogging", m.cogging[0]), ("lugre", m.lugre[0]), ("the third number of saturation", m.saturation[2]),
            ("the integral gain of its controller", m.controller[1]), ("slewmax of its controller", m.controller[3]),
            ("its ctrlrange", ctrl != NONE and (made.command != "voltage" or ctrl[0] != -ctrl[1])),
            ("a range of its effort that is not symmetric", effort[0] != -effort[1]),
            ("the delay of its controller by the inductance", L and made.command != "voltage"),
        ) if given
    ]  # fmt: skip
    if lost:
        e.warning("not-simulated", f"{named}: {', '.join(lost)} is not simulated")
    if L and made.effort_limit < inf:
        e.warning("not-simulated", f"{named}: its limit applies to the current here, but only to the torque in MuJoCo")
    if L and made.temperature_coefficient:
        e.warning("not-simulated", f"{named}: its inductance is constant here, but grows with the resistance in MuJoCo")


def _warmth(s: ActuatorSettings) -> dict[str, float]:
    """MuJoCo's resistance holds at a reference temperature T₀, ours at the ambient one: `R·(1 + α·(Tₐ − T₀))`."""
    R_th, C, time, alpha, reference, ambient = s.motor.thermal
    if not (R_th or C or time):
        return {}
    R_th, C = R_th or time / C, C or time / R_th if R_th else C
    warmer = 1 + alpha * (ambient - reference)
    return {
        "resistance": s.motor.R * warmer, "thermal_resistance": R_th, "thermal_capacitance": C,
        "ambient_temperature": ambient, "temperature_coefficient": alpha / warmer,
    }  # fmt: skip
