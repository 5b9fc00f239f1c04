"""The settings of an actuator before it has a target: what `<general>` writes out, and the others abbreviate.

All tags write into the same settings, those of a default class included: a `<position>` goes on from what a
`<general>` of its class has set. With l and v, the length and speed of the transmission, and an input u,

    effort = gain(l, v)·u + bias(l, v),     gain = g₀ + g₁·l + g₂·v,     bias = b₀ + b₁·l + b₂·v
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from math import pi

from gearwright.formats.mjcf.dc_motors import DCMotorSettings, read_dc_motor
from gearwright.formats.mjcf.grammar import ELEMENTS, heed
from gearwright.formats.mjcf.values import exactly, real, reals, word
from gearwright.formats.xml.located_xml import Element

ACTUATOR_TAGS = tuple(path.partition("/")[2] for path in ELEMENTS if path.startswith("actuator/"))
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user")
GAINS = ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user")
BIASES = ("none", "affine", "muscle", "dcmotor", "so3", "user")
PARAMETERS = 10  # numbers of gainprm, biasprm and dynprm
DEFAULT_INPUTS = {"pid": "pos vel", "dcmotor": "voltage", "so3": "expmap"}  # of gaintypes that may have several
SEVERAL = {"expmap": "x y z", "quat": "w x y z", "none": ""}  # inputs that one word stands for
Limited = str  # "true", "false" or "auto"


def _first(value: float) -> list[float]:
    return [value, *[0.0] * (PARAMETERS - 1)]


@dataclass
class ActuatorSettings:
    """As MuJoCo has them, with its defaults."""

    dyntype: str = "none"
    gaintype: str = "fixed"
    biastype: str = "none"
    dynprm: list[float] = field(default_factory=lambda: _first(1.0))
    gainprm: list[float] = field(default_factory=lambda: _first(1.0))
    biasprm: list[float] = field(default_factory=lambda: _first(0.0))
    gear: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    damping: tuple[float, ...] = (0.0, 0.0, 0.0)
    armature: float = 0.0
    inheritrange: float = 0.0
    group: float = 0.0
    ranges: dict[str, tuple[float, ...]] = field(default_factory=dict)  # "ctrl", "force", "act"
    limited: dict[str, Limited] = field(default_factory=dict)
    input: str | None = None
    motor: DCMotorSettings = field(default_factory=DCMotorSettings)

    def copy(self) -> ActuatorSettings:
        return deepcopy(self)

    @property
    def inputs(self) -> list[str]:
        """Names of its commands in their order; most actuators have one."""
        given = self.input or DEFAULT_INPUTS.get(self.gaintype, "command")
        return SEVERAL.get(given, given).split()

    @property
    def followed(self) -> int | None:
        """Which of its inputs is the command here: the first that has a gain."""
        gains = {"pos": self.motor.controller[0], "vel": self.motor.controller[2]} if self.gaintype == "dcmotor" else {}
        return next((i for i, name in enumerate(self.inputs) if gains.get(name, 1.0)), None)

    def range(self, name: str) -> tuple[float, ...]:
        return self.ranges.get(name, (0.0, 0.0))


def apply_settings(e: Element, s: ActuatorSettings) -> None:
    """Writes what an element says into the settings."""
    if not heed(e, f"actuator/{e.tag}"):
        return
    for kind in ("ctrl", "force", "act"):
        given = exactly(e, f"{kind}range", 2)
        if given is not None:
            s.ranges[kind] = given
        limited = word(e, f"{kind}limited", ("true", "false", "auto"), "")
        if limited:
            s.limited[kind] = limited
    s.gear = reals(e, "gear", s.gear)
    s.damping = reals(e, "damping", s.damping)
    s.armature = real(e, "armature", s.armature)
    s.inheritrange = real(e, "inheritrange", s.inheritrange)
    s.group = real(e, "group", s.group)
    s.input = e.get("input") or s.input
    SHORTCUTS[e.tag](e, s)


def _general(e: Element, s: ActuatorSettings) -> None:
    s.dyntype = word(e, "dyntype", DYNAMICS, s.dyntype)
    s.gaintype = word(e, "gaintype", GAINS, s.gaintype)
    s.biastype = word(e, "biastype", BIASES, s.biastype)
    s.dynprm = list(reals(e, "dynprm", s.dynprm))
    s.gainprm = list(reals(e, "gainprm", s.gainprm))
    s.biasprm = list(reals(e, "biasprm", s.biasprm))


def _motor(_: Element, s: ActuatorSettings) -> None:
    s.gainprm[0] = 1.0
    s.dyntype, s.gaintype, s.biastype = "none", "fixed", "none"


def _position(e: Element, s: ActuatorSettings) -> None:
    kp = real(e, "kp", s.gainprm[0])
    s.gainprm[0], s.biasprm[1] = kp, -kp
    _damp(e, s)
    if "timeconst" in e.attributes:
        s.dynprm[0] = _not_negative(e, "timeconst")
        s.dyntype = "filterexact" if s.dynprm[0] else "none"
    s.gaintype, s.biastype = "fixed", "affine"


def _integrated_velocity(e: Element, s: ActuatorSettings) -> None:
    _position(e, s)
    s.dyntype = "integrator"


def _damp(e: Element, s: ActuatorSettings) -> None:
    """`kv`, or a damping ratio: a positive b₂ of a servo is one, until the mass that it moves is known."""
    if "kv" in e.attributes and "dampratio" in e.attributes:
        e.error("actuator-value", f"<{e.tag}> has kv and dampratio; one of them is enough")
    elif "kv" in e.attributes:
        s.biasprm[2] = -_not_negative(e, "kv")
    elif "dampratio" in e.attributes:
        s.biasprm[2] = _not_negative(e, "dampratio")


def _velocity(e: Element, s: ActuatorSettings) -> None:
    kv = real(e, "kv", s.gainprm[0])
    s.gainprm[0], s.biasprm = kv, _first(0.0)
    s.biasprm[2] = -kv
    s.dyntype, s.gaintype, s.biastype = "none", "fixed", "affine"


def _damper(e: Element, s: ActuatorSettings) -> None:
    kv = real(e, "kv", -s.gainprm[2] if s.gaintype == "affine" else 0.0)
    s.gainprm = _first(0.0)
    s.gainprm[2] = -kv
    s.limited["ctrl"] = "true"
    s.dyntype, s.gaintype, s.biastype = "none", "affine", "none"
    if kv < 0 or min(s.range("ctrl")) < 0:
        e.error("actuator-value", "<damper>: neither kv nor its ctrlrange can be negative")


def _cylinder(e: Element, s: ActuatorSettings) -> None:
    s.dynprm[0] = real(e, "timeconst", s.dynprm[0])
    s.biasprm[:3] = reals(e, "bias", s.biasprm[:3])
    s.gainprm[0] = real(e, "area", s.gainprm[0])
    diameter = real(e, "diameter", -1.0)
    if diameter >= 0:
        s.gainprm[0] = pi / 4 * diameter * diameter
    s.dyntype, s.gaintype, s.biastype = "filter", "fixed", "affine"


def _pid(e: Element, s: ActuatorSettings) -> None:
    was = s.gaintype == "pid" and s.dyntype == "pid"
    s.biasprm[1] = -real(e, "kp", -s.biasprm[1])
    _damp(e, s)
    s.gainprm[0] = real(e, "ki", s.gainprm[0] if was else 0.0)
    s.dynprm[0] = real(e, "imax", s.dynprm[0] if was else 0.0)
    s.dynprm[1] = real(e, "slewmax", s.dynprm[1] if was else 0.0)
    given = exactly(e, "posrange", 2)
    if given is not None:
        s.ranges["ctrl"] = given
    if min(s.gainprm[0], *s.dynprm[:2]) < 0:
        e.error("actuator-value", "<pid>: ki, imax and slewmax cannot be negative")
    s.dyntype = "pid" if s.gainprm[0] or s.dynprm[1] else "none"
    s.gaintype, s.biastype = "pid", "affine"


def _dc_motor(e: Element, s: ActuatorSettings) -> None:
    read_dc_motor(e, s.motor, viscous=s.damping[0])
    s.dyntype, s.gaintype, s.biastype = "dcmotor", "dcmotor", "dcmotor"


def _not_negative(e: Element, name: str) -> float:
    value = real(e, name)
    if value < 0:
        e.error("actuator-value", f"<{e.tag}>: {name} cannot be negative ({value:g})")
    return abs(value)


SHORTCUTS: dict[str, Callable[[Element, ActuatorSettings], None]] = {
    "general": _general,
    "motor": _motor,
    "position": _position,
    "intvelocity": _integrated_velocity,
    "velocity": _velocity,
    "damper": _damper,
    "cylinder": _cylinder,
    "pid": _pid,
    "dcmotor": _dc_motor,
}
