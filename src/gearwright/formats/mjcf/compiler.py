"""<compiler> and <option>: how the rest of a file is meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import radians
from pathlib import PurePosixPath

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.values import every, exactly, real, truth, vector, word
from gearwright.formats.xml.located_xml import Element
from gearwright.model.mechanism import DEFAULT_GRAVITY
from gearwright.model.poses import Vector3

CHANGES_MOTION = {  # flags that switch a part of the physics off, and what then is left out of the mechanism
    "constraint", "equality", "frictionloss", "limit", "spring", "damper", "gravity", "clampctrl", "actuation",
    "contact", "filterparent",
}  # fmt: skip


@dataclass
class Compiler:
    """The settings of one file, with MuJoCo's defaults."""

    degree: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    meshdir: str = ""
    strippath: bool = False
    fitaabb: bool = False
    alignfree: bool = False
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[float, float] = (0.0, 5.0)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    settotalmass: float = -1.0

    def angle(self, value: float) -> float:
        """An angle of the file [rad]."""
        return radians(value) if self.degree else value

    def asset(self, file: str) -> str:
        """Where a mesh is, seen from the model's folder."""
        name = PurePosixPath(file).name if self.strippath else file
        return str(PurePosixPath(self.meshdir) / name) if self.meshdir else name


@dataclass
class Option:
    """The physics of a file, and what is switched off in it."""

    gravity: Vector3 = DEFAULT_GRAVITY
    off: set[str] = field(default_factory=set)  # names of flags
    disabled_groups: frozenset[float] = frozenset()  # of actuators

    def on(self, name: str) -> bool:
        if name in ("equality", "frictionloss", "limit", "contact") and "constraint" in self.off:
            return False
        return name not in self.off


def read_compiler(root: Element) -> Compiler:
    """All <compiler> elements of a file; later ones have the last word."""
    c = Compiler()
    for e in root.all("compiler"):
        heed(e, "compiler")
        _read(e, c)
        for part in e.all("lengthrange"):
            heed(part, "compiler/lengthrange")
    return c


def _read(e: Element, c: Compiler) -> None:
    if word(e, "coordinate", ("local", "global"), "local") == "global":
        e.error("element-refused", '<compiler coordinate="global"/>: MuJoCo no longer has global coordinates')
    c.degree = word(e, "angle", ("degree", "radian"), "degree" if c.degree else "radian") == "degree"
    sequence = e.get("eulerseq") or c.eulerseq
    if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
        e.error(
            "number-invalid", f"attribute eulerseq: three of the letters x, y, z are expected, not {sequence[:20]!r}"
        )
        sequence = c.eulerseq
    c.eulerseq = sequence
    c.autolimits = truth(e, "autolimits", c.autolimits)
    c.meshdir = e.get("meshdir") or e.get("assetdir") or c.meshdir
    c.strippath = truth(e, "strippath", c.strippath)
    c.fitaabb = truth(e, "fitaabb", c.fitaabb)
    c.alignfree = truth(e, "alignfree", c.alignfree)
    c.inertiafromgeom = word(e, "inertiafromgeom", ("true", "false", "auto"), c.inertiafromgeom)
    groups = exactly(e, "inertiagrouprange", 2)
    c.inertiagrouprange = c.inertiagrouprange if groups is None else (groups[0], groups[1])
    c.boundmass = real(e, "boundmass", c.boundmass)
    c.boundinertia = real(e, "boundinertia", c.boundinertia)
    c.balanceinertia = truth(e, "balanceinertia", c.balanceinertia)
    c.settotalmass = real(e, "settotalmass", c.settotalmass)


def read_option(root: Element) -> Option:
    """All <option> elements: gravity, and what is switched off. The rest describes MuJoCo's own simulation."""
    option = Option()
    for e in root.all("option"):
        heed(e, "option")
        option.gravity = vector(e, "gravity", option.gravity)
        for name in ("density", "viscosity"):
            if real(e, name):
                e.warning("not-simulated", f"<option> {name}: forces of air and water are not simulated")
        groups = every(e, "actuatorgroupdisable")
        option.disabled_groups = option.disabled_groups if groups is None else frozenset(groups)
        _report_step(e)
        for flags in e.all("flag"):
            heed(flags, "option/flag")
            _read_flags(flags, option)
    if not option.on("gravity"):
        option.gravity = (0.0, 0.0, 0.0)
    return option


def _report_step(e: Element) -> None:
    """The step of MuJoCo's simulation, for those who want the same here."""
    given = [f"{name} {e.get(name)}" for name in ("timestep", "integrator") if e.get(name)]
    if given:
        e.info("element-ignored", f"<option> {', '.join(given)}: compile(dt=…, integrator=…) chooses a step here")


def _read_flags(e: Element, option: Option) -> None:
    for name in e.attributes:
        if name not in CHANGES_MOTION:
            continue
        if word(e, name, ("enable", "disable"), "enable") == "disable":
            option.off.add(name)
            e.info(
                "element-ignored", f'<flag {name}="disable"/>: {LEFT_OUT.get(name, "it is left out of the mechanism")}'
            )
        else:
            option.off.discard(name)


LEFT_OUT = {
    "constraint": "limits, friction, couplings and contact are left out of the mechanism",
    "gravity": "gravity is zero",
    "contact": "shapes are read, and links do not touch each other",
    "actuation": "actuators are read, and act",
    "filterparent": "links that a joint connects do not touch each other here",
    "clampctrl": "commands are not limited",
}
