"""What MJCF has, and what becomes of it: `ELEMENTS` has one line per element, and names every attribute.

An attribute is read, or left with a reason out of `REASONS`. An element can be left as a whole. A test compares the
table with the grammar that MuJoCo prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gearwright.formats.xml.located_xml import Element

Whole = Literal["ignored", "left out", "refused"]


class Reason(NamedTuple):
    """Why something has no effect here."""

    severity: Literal["info", "warning"]
    code: str
    words: str


REASONS: Mapping[str, Reason] = {
    "looks": Reason("info", "element-ignored", "how things are drawn; not used here"),
    "solver": Reason(
        "info", "element-ignored", "how soft MuJoCo makes a constraint; it is nearly rigid here, whatever the file says"
    ),
    "engine": Reason("info", "element-ignored", "a setting of MuJoCo's own simulation; not used here"),
    "early": Reason(
        "info", "element-ignored", "which activation of MuJoCo's step acts; a step here takes its mean, in either case"
    ),
    "user": Reason("info", "element-ignored", "the user's own data; not used here"),
    "sampling": Reason("warning", "not-simulated", "delays and sampling of MuJoCo are not simulated"),
    "fluid": Reason("warning", "not-simulated", "forces of air and water are not simulated"),
    "contact": Reason("info", "element-ignored", "a setting of MuJoCo's contacts that has no counterpart here"),
    "adhesion": Reason("warning", "not-simulated", "adhesion is not simulated"),
    "plastic": Reason("warning", "not-simulated", "springs that yield are not simulated"),
}


@dataclass(frozen=True)
class Row:
    """One element of MJCF."""

    read: frozenset[str] = frozenset()
    left: Mapping[str, str] = field(default_factory=dict)  # attribute → a key of REASONS
    whole: Whole | None = None  # what becomes of the element with all that is in it; None: it is read
    why: str = ""

    @property
    def attributes(self) -> frozenset[str]:
        return self.read | self.left.keys()


def _row(read: str = "", **left: str) -> Row:
    return Row(frozenset(read.split()), {name: reason for reason, names in left.items() for name in names.split()})


def _ignored(why: str) -> Row:
    return Row(whole="ignored", why=why)


def _left_out(why: str) -> Row:
    return Row(whole="left out", why=why)


def _refused(why: str) -> Row:
    return Row(whole="refused", why=why)


TURNED = "quat axisangle xyaxes zaxis euler"
SOFT = "solref solimp"
LIMITS = "solreflimit solimplimit solreffriction solimpfriction margin"
TENDON = (
    "name class limited actuatorfrclimited range actuatorfrcrange frictionloss springlength stiffness damping armature"
)
ACTUATOR = "name class group ctrlrange ctrllimited forcerange forcelimited"
SHAFT = "gear damping armature"
TARGET = "joint jointinparent tendon site refsite slidersite cranksite cranklength"
SAMPLED = "nsample interp delay"
SENSOR = _row("name", engine="cutoff noise", sampling="nsample interp delay interval", user="user")
PICTURES, SENSES = "pictures", "a sensor that has no counterpart here"
FLEXIBLE = "flexible bodies are not simulated"
PLUGIN = "code of MuJoCo's plugins cannot run here"


def _actuator(read: str = "", transmission: str = f"{SHAFT} {TARGET} lengthrange", **left: str) -> Row:
    return _row(f"{ACTUATOR} {transmission} {read}", user="user", sampling=SAMPLED, **left)


def _sensor(read: str, left: str = "") -> Row:
    return Row(SENSOR.read | set(read.split()), {**SENSOR.left, **dict.fromkeys(left.split(), "engine")})


ELEMENTS: Mapping[str, Row] = {
    "mujoco": _row("model"),
    "include": _row("file"),
    # settings
    "compiler": _row(
        "angle eulerseq autolimits meshdir assetdir strippath coordinate fitaabb alignfree inertiafromgeom "
        "inertiagrouprange boundmass boundinertia balanceinertia settotalmass",
        looks="texturedir discardvisual",
        engine="usethread fusestatic saveinertial conflict passthrough savecanonical savecompiled",
    ),
    "compiler/lengthrange": _ignored("ranges of muscles"),
    "option": _row(
        "gravity density viscosity timestep integrator actuatorgroupdisable",
        engine="impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance o_margin o_solref "
        "o_solimp o_friction cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations "
        "sdf_iterations sdf_initpoints magnetic",
        fluid="wind",
    ),
    "option/flag": _row(
        "constraint equality frictionloss limit contact spring damper gravity clampctrl actuation filterparent",
        engine="warmstart refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd override energy fwdinv "
        "invdiscrete sleep diagexact ipc speculative",
    ),
    "size": _ignored("sizes of MuJoCo's memory"),
    "statistic": _ignored("sizes that MuJoCo's viewer uses"),
    "visual": _ignored(PICTURES),
    "default": _row("class"),
    "custom": _ignored("the user's own data"),
    "extension": _ignored("names of MuJoCo's plugins; an element that needs one is refused"),
    # assets
    "asset": _row(),
    "asset/mesh": _row(
        "name class file vertex face refpos refquat scale inertia builtin params content_type",
        looks="normal texcoord smoothnormal material", engine="maxhullvert",
    ),
    "asset/mesh/plugin": _refused(PLUGIN),
    "asset/hfield": _row("name size", looks="content_type file nrow ncol elevation"),
    "asset/skin": _ignored(PICTURES),
    "asset/texture": _ignored(PICTURES),
    "asset/material": _row(
        "name class rgba",
        looks="texture texrepeat texuniform emission specular shininess reflectance metallic roughness",
    ),
    "asset/material/layer": _ignored(PICTURES),
    "asset/model": _row("name file content_type"),
    # bodies
    "body": _row(f"name childclass pos {TURNED} mocap gravcomp", engine="sleep simple fuse", user="user"),
    "body/worldbody": _row(),
    "body/frame": _row(f"name childclass pos {TURNED}"),
    "body/replicate": _row("count offset euler sep childclass"),
    "body/attach": _row("model body frame prefix"),
    "body/inertial": _row(f"pos mass diaginertia fullinertia {TURNED}"),
    "body/joint": _row(
        "name class type pos axis limited range ref springref stiffness damping springdamper armature frictionloss "
        "actuatorfrclimited actuatorfrcrange actuatorgravcomp",
        looks="group", solver=LIMITS, plastic="springyield", user="user",
    ),
    "body/freejoint": _row("name align", looks="group"),
    "body/geom": _row(
        f"name class type size fromto pos {TURNED} mesh hfield fitscale mass density shellinertia rgba material group "
        "contype conaffinity friction condim surfacevel",
        looks="castshadow", solver=f"{SOFT} solmix", contact="priority margin gap", fluid="fluidshape fluidcoef",
        adhesion="adhesion", user="user",
    ),
    "body/geom/plugin": _refused(PLUGIN),
    "body/site": _row(f"name class pos {TURNED} fromto", looks="type size group material rgba mesh", user="user"),
    "body/camera": _ignored(PICTURES),
    "body/light": _ignored(PICTURES),
    "body/plugin": _refused(PLUGIN),
    "body/composite": _refused("bodies that are made by a rule are not read"),
    "body/flexcomp": _refused(FLEXIBLE),
    "deformable": _row(),
    "deformable/flex": _refused(FLEXIBLE),
    "deformable/skin": _ignored(PICTURES),
    # contact
    "contact": _row(),
    "contact/pair": _row(
        "name class geom1 geom2", solver=f"{SOFT} solreffriction", contact="condim friction gap margin",
        adhesion="adhesion",
    ),
    "contact/exclude": _row("name body1 body2"),
    # tendons
    "tendon": _row(),
    "tendon/spatial": _row(
        TENDON, looks="group width material rgba", solver=LIMITS, plastic="springyield", user="user"
    ),
    "tendon/spatial/site": _row("site"),
    "tendon/spatial/geom": _row("geom sidesite"),
    "tendon/spatial/pulley": _row("divisor"),
    "tendon/fixed": _row(TENDON, looks="group", solver=LIMITS, plastic="springyield", user="user"),
    "tendon/fixed/joint": _row("joint coef"),
    # equalities
    "equality": _row(),
    "equality/connect": _row("name class active body1 body2 anchor site1 site2", solver=SOFT),
    "equality/weld": _row("name class active body1 body2 relpose anchor site1 site2", solver=f"{SOFT} torquescale"),
    "equality/joint": _row("name class active joint1 joint2 polycoef", solver=SOFT),
    "equality/tendon": _row("name class active tendon1 tendon2 polycoef", solver=SOFT),
    "equality/flex": _refused(FLEXIBLE),
    "equality/flexvert": _refused(FLEXIBLE),
    "equality/flexstrain": _refused(FLEXIBLE),
    # actuators
    "actuator": _row(),
    "actuator/general": _actuator(
        "body actdim actlimited actrange inheritrange input velrange ffrange dyntype gaintype biastype dynprm gainprm "
        "biasprm",
        early="actearly",
    ),
    "actuator/motor": _actuator(),
    "actuator/position": _actuator("kp kv dampratio timeconst inheritrange"),
    "actuator/velocity": _actuator("kv"),
    "actuator/intvelocity": _actuator("kp kv dampratio actlimited actrange inheritrange"),
    "actuator/pid": _actuator("kp kv dampratio ki imax slewmax posrange velrange ffrange inheritrange input"),
    "actuator/damper": _actuator("kv"),
    "actuator/cylinder": _actuator("timeconst area diameter bias"),
    "actuator/dcmotor": _actuator(
        "motorconst resistance nominal saturation inductance cogging controller thermal lugre input"
    ),
    "actuator/orientation": _left_out("servos of ball joints and sites have no counterpart here"),
    "actuator/muscle": _left_out("muscles have no counterpart here"),
    "actuator/adhesion": _left_out("adhesion has no counterpart here"),
    "actuator/plugin": _left_out(PLUGIN),
    # sensors
    "sensor": _row(),
    "sensor/jointpos": _sensor("joint"),
    "sensor/jointvel": _sensor("joint"),
    "sensor/actuatorpos": _sensor("actuator"),
    "sensor/actuatorvel": _sensor("actuator"),
    "sensor/accelerometer": _sensor("site"),
    "sensor/gyro": _sensor("site"),
    "sensor/force": _sensor("site"),
    "sensor/torque": _sensor("site"),
    **{f"sensor/{name}": _ignored(SENSES) for name in (
        "touch", "velocimeter", "magnetometer", "camprojection", "rangefinder", "tendonpos", "tendonvel", "actuatorfrc",
        "jointactuatorfrc", "tendonactuatorfrc", "ballquat", "ballangvel", "jointlimitpos", "jointlimitvel",
        "jointlimitfrc", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc", "framepos", "framequat", "framexaxis",
        "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc", "subtreecom",
        "subtreelinvel", "subtreeangmom", "insidesite", "distance", "normal", "fromto", "contact", "e_potential",
        "e_kinetic", "clock", "tactile", "user", "plugin",
    )},
    # states
    "keyframe": _row(),
    "keyframe/key": _row("name qpos qvel act ctrl", engine="time", looks="mpos mquat", plastic="plastic"),
}  # fmt: skip

SECTIONS = ("compiler", "option", "size", "statistic", "visual", "default", "custom", "extension", "asset", "worldbody",
            "deformable", "contact", "tendon", "equality", "actuator", "sensor", "keyframe")  # fmt: skip


def heed(e: Element, path: str) -> bool:
    """Reports what the table says of an element and its attributes; whether the element is to be read."""
    row = ELEMENTS[path]
    if row.whole is not None:
        _report_whole(e, path, row)
        e.consume()
        return False
    for name in e.attributes.keys() & row.left.keys():
        e.get(name)
        reason = REASONS[row.left[name]]
        if e.report.first(("mjcf", path, row.left[name])):
            say = e.warning if reason.severity == "warning" else e.info
            say(reason.code, f"<{e.tag}> {name}: {reason.words}")
    for name in row.read & e.attributes.keys():
        e.get(name)
    return True


def _report_whole(e: Element, path: str, row: Row) -> None:
    if row.whole == "refused":
        e.error("element-refused", f"<{e.tag}>: {row.why}")
    elif row.whole == "left out":
        e.recoverable("element-refused", f"<{e.tag}>: {row.why}; it is left out")
    elif e.report.first(("mjcf", path)):
        e.info("element-ignored", f"<{e.tag}>: {row.why}; not used here")
