"""Mechanisms at random, valid and extreme, as SDFormat or URDF text, with options to compile them and inputs to step.

Case number i of seed s is the same on every run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from gearwright.formats.xml.from_fields import missing_from
from gearwright.model.actuators import ACTUATORS
from gearwright.model.fields import meanings
from gearwright.model.transmissions import TRANSMISSIONS
from tests.model.samples import sample, within

SDF_KINDS = ("revolute",) * 6 + (
    "continuous",
    "prismatic",
    "prismatic",
    "screw",
    "universal",
    "revolute2",
    "ball",
    "fixed",
)
URDF_KINDS = ("revolute",) * 5 + ("continuous", "prismatic", "fixed", "planar", "floating")
AXES = ("0 0 1", "0 1 0", "1 0 0", "0 0 -1", "0.6 0 0.8", "0 1e-4 1")
STEPS = (1e-5, 1e-4, 1e-3, 1e-3, 1e-3, 2e-3, 1e-2)  # [s]


@dataclass(frozen=True)
class Case:
    """A file, and how it is compiled and pushed."""

    index: int
    text: str
    options: dict[str, Any] = field(default_factory=dict)
    push: float = 0.0  # every actuator's command, and every joint's effort


def case(seed: int, index: int) -> Case:
    rng = random.Random(f"{seed}:{index}")
    text = _Robot(rng).urdf() if rng.random() < 0.2 else _Robot(rng).sdf()
    options: dict[str, Any] = {"dt": rng.choice(STEPS)}
    if rng.random() < 0.2:
        options["solver"] = rng.choice(("pgs", "tgs"))
    if rng.random() < 0.2:
        options["coupling"] = rng.choice(("exact", "hard", "compliant"))
    if rng.random() < 0.05:
        options["precision"] = "single"
    if rng.random() < 0.1:
        options["batch"] = 3
    return Case(index, text, options, rng.choice((0.0, 0.1, 0.1, 1.0, 1.0, -5.0, -5.0, 1e6)))


class _Robot:
    """Text with the parts that were made so far."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.wild = rng.random() < 0.35  # whether numbers may be extreme
        self.links = [f"l{i}" for i in range(rng.choice((2, 2, 3, 3, 4, 5)))]
        self.joints: dict[str, str] = {}  # name → kind

    # --- numbers ---------------------------------------------------------------------------------------------------

    def number(self, usual: float = 1.0, *, sign: bool = False, zero: float = 0.01) -> str:
        """Around the usual one, or anything from 1e-12 to 1e12, or 0."""
        if self.rng.random() < zero:
            return "0"
        if self.wild and self.rng.random() < 0.3:
            value = 10.0 ** self.rng.uniform(-12, 12)
        else:
            value = usual * 10.0 ** self.rng.uniform(-1, 1)
        if sign and self.rng.random() < 0.5:
            value = -value
        return f"{value:.4g}"

    def maybe(self, chance: float, text: Callable[[], str]) -> str:
        return text() if self.rng.random() < chance else ""

    def element(self, tag: str, usual: float = 1.0, chance: float = 1.0, *, sign: bool = False) -> str:
        return self.maybe(chance, lambda: f"<{tag}>{self.number(usual, sign=sign)}</{tag}>")

    def axis_name(self) -> str:
        """A joint that is there, seldom one that cannot be coupled."""
        moving = [n for n, kind in self.joints.items() if kind not in ("fixed", "ball", "floating", "planar")]
        return self.rng.choice(moving if moving and self.rng.random() < 0.95 else list(self.joints))

    # --- SDFormat --------------------------------------------------------------------------------------------------

    def sdf(self) -> str:
        body = [self._sdf_link(i) for i in range(len(self.links))]
        if self.rng.random() < 0.85:
            body.append('<joint name="mount" type="fixed"><parent>world</parent><child>l0</child></joint>')
        for i in range(1, len(self.links)):
            body.append(self._sdf_joint(f"j{i}", self.links[self.rng.randrange(i)], self.links[i]))
        for i in range(self.rng.choice((0, 0, 0, 1, 1, 2)) if len(self.links) > 1 else 0):
            a, b = self.rng.sample(self.links, 2)
            body.append(self._sdf_joint(f"loop{i}", a, b))
        body += self._devices()
        return f'<sdf version="1.12"><model name="m">{"".join(body)}</model></sdf>'

    def _sdf_link(self, i: int) -> str:
        r = self.rng
        place = " ".join(f"{r.choice((0, 0, 0.1, 0.3, -0.2)):g}" for _ in range(3))
        turn = " ".join(f"{r.choice((0, 0, 0, 1.57, 0.3)):g}" for _ in range(3))
        name, pose = self.links[i], f"<pose>{place} {turn}</pose>"
        kind = r.random()
        if kind < 0.1:
            return f'<link name="{name}">{pose}</link>'
        if kind < 0.15:
            zero = "".join(f"<i{c}>0</i{c}>" for c in ("xx", "yy", "zz", "xy", "xz", "yz"))
            mass = r.choice(("0", "1"))
            return f'<link name="{name}">{pose}<inertial><mass>{mass}</mass><inertia>{zero}</inertia></inertial></link>'
        moment = self.number(0.01)
        inertia = f"<ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz>"
        center = f"<pose>{r.choice((0, 0.1))} 0 {r.choice((0, -0.2))} 0 0 0</pose>"
        mass = self.number(1.0)
        inside = f"<inertial>{center}<mass>{mass}</mass><inertia>{inertia}</inertia></inertial>"
        return f'<link name="{name}">{pose}{inside}</link>'

    def _sdf_joint(self, name: str, parent: str, child: str) -> str:
        kind = self.rng.choice(SDF_KINDS)
        axes = {"fixed": 0, "ball": 0, "universal": 2, "revolute2": 2}.get(kind, 1)
        inside = self.maybe(
            0.4, lambda: f"<pose>{self.rng.choice((0, 0.1))} 0 {self.rng.choice((0, 0.2))} 0 0 0</pose>"
        )
        inside += f"<screw_thread_pitch>{self.number(0.01, sign=True)}</screw_thread_pitch>" if kind == "screw" else ""
        for tag in ("axis", "axis2")[:axes]:
            xyz = self.rng.choice(AXES) if tag == "axis" else "0 1 0"
            inside += f"<{tag}><xyz>{xyz}</xyz>{self._limit()}{self._dynamics()}{self._mimic()}</{tag}>"
        self.joints[name] = kind
        return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'

    def _limit(self) -> str:
        if self.rng.random() < 0.5:
            return ""
        low, high = sorted((float(self.number(0.5, sign=True)), float(self.number(0.5, sign=True))))
        more = self.element("effort", 10.0, 0.3) + self.element("velocity", 10.0, 0.2)
        more += self.maybe(0.2, lambda: self.element("stiffness", 1e3) + self.element("dissipation", 1.0))
        return f"<limit><lower>{low:g}</lower><upper>{high:g}</upper>{more}</limit>"

    def _dynamics(self) -> str:
        if self.rng.random() < 0.5:
            return ""
        parts = (("damping", 0.1), ("friction", 0.1), ("spring_stiffness", 10.0), ("spring_reference", 0.3))
        return f"<dynamics>{''.join(self.element(tag, x, 0.5) for tag, x in parts)}</dynamics>"

    def _mode(self) -> str:
        kind = self.rng.random()
        if kind < 0.4:
            return ""
        if kind < 0.7:
            return "<mode>hard</mode>" + self.maybe(0.5, lambda: f"<erp>{self.rng.choice((0, 0.2, 1))}</erp>")
        return (
            f"<natural_frequency>{self.number(50)}</natural_frequency><damping_ratio>{self.number(1)}</damping_ratio>"
        )

    def _mimic(self) -> str:
        if not self.joints or self.rng.random() < 0.7:
            return ""
        inside = self.element("multiplier", 1.0, 0.9, sign=True) + self.element("offset", 0.1, 0.3, sign=True)
        inside += self.element("reference", 0.1, 0.2) + self._mode()
        inside += self.maybe(0.1, lambda: f"<powers>{self.number(0.1, sign=True)} {self.number(0.1)}</powers>")
        return f'<mimic joint="{self.axis_name()}">{inside}</mimic>'

    # --- couplings and devices, alike in both formats ----------------------------------------------------------------

    def _devices(self) -> list[str]:
        r = self.rng
        body = []
        if len(self.joints) > 1 and r.random() < 0.25:
            terms = "".join(
                f'<term joint="{n}">{self.number(1.0, sign=True, zero=0.02)}</term>'
                for n in r.sample(list(self.joints), r.choice((2, min(3, len(self.joints)))))
            )
            body.append(f'<coupling name="k">{terms}{self.element("offset", 0.1, 0.3)}{self._mode()}</coupling>')
        motors = [f"m{i}" for i in range(r.choice((0, 1, 1, 2, 3)))]
        loose = [m for m in motors if r.random() < 0.7] if self.joints else []
        body += [self._motor(m, m in loose) for m in motors]
        gears = []
        for i in range(r.choice((0, 1, 1, 2))):
            if loose:
                gears.append(f"t{i}")
                body.append(self._transmission(f"t{i}", loose))
        for i in range(r.choice((0, 0, 1, 2))):
            body.append(self._sensor(f"e{i}", motors, gears))
        return body

    def _motor(self, name: str, loose: bool) -> str:
        r = self.rng
        inside = "" if loose else f"<joint>{self.axis_name()}</joint>"
        inside += self.element("rotor_inertia", 1e-4, 0.7) + self.element("damping", 1e-3, 0.3)
        inside += self.element("friction", 1e-3, 0.3) + self.element("torque_limit", 5.0, 0.3)
        inside += self.element("velocity_limit", 100.0, 0.2)
        inside += self.maybe(0.1 if "<rotor_inertia>" in inside else 0.01, lambda: "<rotor>body</rotor>")
        kind = r.choice(("electric_motor", "electric_motor", "dc_motor", "pneumatic", "solenoid", *_OTHER_ACTUATORS))
        command = r.choice(("effort", "effort", "velocity", "position"))
        if kind == "electric_motor":
            inside += self.maybe(0.5, lambda: self.element("stall_torque") + self.element("no_load_speed", 300.0))
        elif kind == "dc_motor":
            inside += self.element("resistance") + self.element("torque_constant", 0.1)
            inside += self.element("inductance", 1e-3, 0.5) + self.element("supply_voltage", 24.0, 0.7)
            inside += self.element("thermal_resistance", 1.0, 0.3) + self.element("temperature_coefficient", 4e-3, 0.3)
            command = r.choice((command, "voltage"))
        elif kind == "pneumatic":
            inside += self.element("bore_area", 1e-3) + self.element("supply_pressure", 6e5)
            inside += self.element("time_constant", 0.02)
            command = "effort"
        elif kind in _OTHER_ACTUATORS:
            inside += _by_fields(ACTUATORS[kind], {"name"})(self)
            command = "effort"
        else:
            inside += f"<force_stroke>0 {self.number(10)} 0.01 {self.number(1)}</force_stroke>"
            command = "effort"
        gains = self.element("stiffness", 100.0) + self.element("damping_gain", 1.0)
        inside += f"<command>{command}</command>" + (gains if command in ("velocity", "position") else "")
        return f'<actuator name="{name}" type="{kind}">{inside}</actuator>'

    def _transmission(self, name: str, motors: list[str]) -> str:
        r = self.rng
        kind = r.choice(tuple(_TRANSMISSIONS))
        size, inside = _TRANSMISSIONS[kind]
        used = r.sample(motors, size) if len(motors) >= size else [r.choice(motors)] * size
        joints = [self.axis_name() for _ in range(size)]
        ends = ""
        for i, (motor, joint) in enumerate(zip(used, joints, strict=True)):
            roles = (f' role="actuator{i + 1}"', f' role="joint{i + 1}"') if size == 2 else ("", "")
            reduction = self.element("mechanical_reduction", 10.0, 0.5, sign=True) if kind not in _PLAIN else ""
            ends += f"<actuator{roles[0]}>{motor}{reduction}</actuator><joint{roles[1]}>{joint}"
            ends += ("" if kind in _PLAIN else self.element("offset", 0.1, 0.2)) + "</joint>"
        losses = self.maybe(0.2, lambda: f"<efficiency>{r.choice((0.1, 0.7, 1))}</efficiency>")
        losses += self.element("friction", 1e-3, 0.2) + self.element("damping", 1e-3, 0.2)
        play = self.maybe(
            0.15, lambda: f"<backlash><gap>{self.number(0.01)}</gap>{self.element('stiffness', 1e3)}</backlash>"
        )
        return f'<transmission name="{name}" type="{kind}">{ends}{inside(self)}{losses}{play}</transmission>'

    def _sensor(self, name: str, motors: list[str], gears: list[str]) -> str:
        r = self.rng
        targets = [f"<joint>{self.axis_name()}</joint>"] if self.joints else []
        targets += [f"<actuator>{m}</actuator>" for m in motors]
        targets += [f"<transmission>{t}</transmission>{r.choice(('', '<side>joint</side>'))}" for t in gears]
        inside = r.choice(targets) + self.element("update_rate", 500.0, 0.2)
        inside += self.maybe(0.2, lambda: f"<latency>{self.number(2e-3)}</latency>")
        if r.random() < 0.3:
            inside += self.element("threshold", 0.1) + self.element("hysteresis", 1e-2, 0.5)
            return f'<limit name="{name}">{inside}</limit>'
        inside += self.maybe(0.6, lambda: f"<resolution>{r.choice(('4096', '1000', self.number(100)))}</resolution>")
        if "." not in inside.rpartition("<resolution>")[2]:
            inside += self.maybe(0.3, lambda: "<wrap>true</wrap>") + self.maybe(0.2, lambda: "<index>true</index>")
        inside += self.element("noise", 1e-3, 0.2) + self.element("ratio", 1.0, 0.2, sign=True)
        return f'<encoder name="{name}" type="{r.choice(("position", "velocity"))}">{inside}</encoder>'

    # --- URDF ------------------------------------------------------------------------------------------------------

    def urdf(self) -> str:
        r = self.rng
        body = [self._urdf_link(n) for n in self.links]
        for i in range(1, len(self.links)):
            body.append(self._urdf_joint(f"j{i}", self.links[r.randrange(i)], self.links[i]))
        if len(self.links) > 2 and r.random() < 0.3:
            a, b = r.sample(self.links, 2)
            inside = f"<parent>{a}</parent><child>{b}</child><axis><xyz>{r.choice(AXES)}</xyz></axis>"
            body.append(f'<gazebo><joint name="loop" type="revolute">{inside}</joint></gazebo>')
        body += self._devices()
        return f'<robot name="m">{"".join(body)}</robot>'

    def _urdf_link(self, name: str) -> str:
        if self.rng.random() < 0.1:
            return f'<link name="{name}"/>'
        i = self.number(0.01)
        inertia = f'<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/>'
        center = f'<origin xyz="0 {self.rng.choice((0, 0.1))} -0.1"/>'
        return f'<link name="{name}"><inertial>{center}<mass value="{self.number()}"/>{inertia}</inertial></link>'

    def _urdf_joint(self, name: str, parent: str, child: str) -> str:
        r = self.rng
        kind = r.choice(URDF_KINDS)
        inside = f'<origin xyz="{r.choice((0, 0.1))} 0 {r.choice((0, 0.2))}" rpy="0 {r.choice((0, 1.57))} 0"/>'
        inside += f'<axis xyz="{r.choice(AXES)}"/>'
        low, high = sorted((float(self.number(1, sign=True)), float(self.number(1, sign=True))))
        inside += f'<limit lower="{low:g}" upper="{high:g}" effort="{self.number(10)}" velocity="{self.number(10)}"/>'
        inside += f'<dynamics damping="{self.number(0.1)}" friction="{self.number(0.1)}"/>'
        if self.joints and kind in ("revolute", "continuous", "prismatic") and r.random() < 0.4:
            ratio = f'multiplier="{self.number(1, sign=True)}" offset="{self.number(0.1, sign=True)}"'
            inside += f'<mimic joint="{self.axis_name()}" {ratio}/>'
        self.joints[name] = kind
        return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def _linear_map(robot: _Robot) -> str:
    inside = robot.maybe(0.7, lambda: " ".join(robot.number(2.0, sign=True) for _ in range(4)))
    bounds = robot.maybe(0.3, lambda: "<joint_effort_upper>5 5</joint_effort_upper>")
    offsets = robot.maybe(0.2, lambda: f"<joint_offsets>{robot.number()} 0</joint_offsets>")
    return f"<mapping>{f'<t_aj>{inside}</t_aj>' if inside else ''}{bounds}{offsets}</mapping>"


def _linkage(robot: _Robot) -> str:
    """Mostly one that closes and reaches where its joint starts, or near it."""
    far = robot.maybe(0.2, lambda: robot.number(1.0)) or "1"
    bars = "".join(f"<{k}>{x * float(far if k == 'ground' else 1) or x}</{k}>" for k, x in _BARS)
    return bars + robot.maybe(0.3, lambda: "<branch>-1</branch>")


def _series(robot: _Robot) -> str:
    teeth = f"<sun_teeth>{robot.number(20)}</sun_teeth><ring_teeth>{robot.number(60)}</ring_teeth>"
    last = robot.rng.choice(("belt", "bars"))
    if last == "bars":
        return f'<stage type="planetary">{teeth}</stage><stage type="four_bar_linkage">{_linkage(robot)}</stage>'
    belt = "<driver_teeth>20</driver_teeth><driven_teeth>50</driven_teeth>"
    return f'<stage type="planetary">{teeth}</stage><stage type="belt">{belt}</stage>'


def _by_fields(kind: type, apart: Collection[str] = ()) -> Callable[[_Robot], str]:
    """Elements of a kind that this file does not know: numbers about the middles of their ranges."""
    needed = missing_from(kind, (), apart)
    given = [(m.tag, within(m.quantity), m.quantity.whole) for m in meanings(kind) if m.tag in needed]
    return lambda robot: "".join(f"<{tag}>{x:g}</{tag}>" if whole else robot.element(tag, x) for tag, x, whole in given)


_BARS = (("ground", 0.1), ("input", 0.06), ("coupler", 0.1), ("output", 0.06))  # a parallelogram: it reaches 0
_PLAIN = ("linear_map", "four_bar_linkage", "series")  # take no numbers at their ends
_TRANSMISSIONS: dict[str, tuple[int, Callable[[_Robot], str]]] = {
    "simple": (1, lambda robot: ""),
    "differential": (2, lambda robot: ""),
    "four_bar": (2, lambda robot: ""),
    "linear_map": (2, _linear_map),
    "four_bar_linkage": (1, _linkage),
    "series": (1, _series),
    "screw": (1, lambda robot: robot.element("lead", 0.01)),
    "rack_and_pinion": (1, lambda robot: robot.element("pinion_radius", 0.02)),
    "belt": (1, lambda robot: "<driver_teeth>20</driver_teeth><driven_teeth>50</driven_teeth>"),
    "planetary": (1, lambda robot: f"<sun_teeth>{robot.number(20)}</sun_teeth><ring_teeth>60</ring_teeth>"),
}
_ACTUATORS = ("ideal", "electric_motor", "dc_motor", "pneumatic", "solenoid")
_OTHER_ACTUATORS = [k for k in ACTUATORS.rows if k not in _ACTUATORS]
for _name in TRANSMISSIONS.rows:  # a new kind is among them without a line here
    if _name not in _TRANSMISSIONS:
        _TRANSMISSIONS[_name] = sample(TRANSMISSIONS, _name).joints, _by_fields(TRANSMISSIONS[_name])
        _PLAIN += (_name,)
