"""<transmission> in all its spellings: ROS 1, ros2_control, and the actuation elements of a model.

They differ in where a name or a number stands, not in what they mean, so that one reader takes them all.
`KINDS` maps a type's name to how its map is made from the parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import pi
from typing import Literal

from gearwright.errors import ModelError
from gearwright.formats.axis_names import axis_ref
from gearwright.formats.draft import Draft
from gearwright.formats.located_xml import Element
from gearwright.formats.plugins import MAX_SIZE, PluginPolicy
from gearwright.model import (
    Actuator,
    DifferentialTransmission,
    ElectricMotor,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    SimpleTransmission,
    Transmission,
    TransmissionMap,
)
from gearwright.model.transmissions import ZeroRatioError

Dialect = Literal["ros1", "ros2", "model"]
NUMBER = {"ros1": "mechanicalReduction", "ros2": "mechanical_reduction", "model": "mechanical_reduction"}


@dataclass(kw_only=True)
class End:
    """An actuator or a joint as a transmission names it."""

    element: Element
    name: str
    role: str = ""
    reduction: float | None = None
    offset: float = 0.0


@dataclass(kw_only=True)
class Parts:
    """What was read of a transmission before its map is made."""

    element: Element
    name: str
    dialect: Dialect
    plugins: PluginPolicy
    actuators: list[End] = field(default_factory=list)
    joints: list[End] = field(default_factory=list)


class RefusedError(Exception):
    """The map cannot be made; the reason is in the report."""


# --- one function a kind --------------------------------------------------------------------------------------------


def _sized(parts: Parts, actuators: int, joints: int) -> None:
    for what, ends, size in (("actuator", parts.actuators, actuators), ("joint", parts.joints, joints)):
        if len(ends) != size:
            s = "" if size == 1 else "s"
            message = f"transmission {parts.name!r} takes {size} {what}{s}, not {len(ends)}"
            parts.element.error("transmission-size", message)
            raise RefusedError


def _ratio(end: End) -> float:
    return 1.0 if end.reduction is None else end.reduction


def _simple(parts: Parts) -> TransmissionMap:
    """The reductions of both ends and of the transmission itself lie in series; files give one of them."""
    _sized(parts, 1, 1)
    whole = parts.element.child(NUMBER[parts.dialect])
    given = [r for r in (parts.actuators[0].reduction, parts.joints[0].reduction) if r is not None]
    if whole is not None:
        given.append(parts.element.child_number(NUMBER[parts.dialect], 1.0))
    if not given and parts.dialect == "ros1":
        message = f"transmission {parts.name!r} gives no {NUMBER[parts.dialect]}; 1 is taken"
        parts.element.warning("element-missing", message)
    reduction = 1.0
    for r in given:
        reduction *= r
    return SimpleTransmission(reduction=reduction, offset=parts.joints[0].offset)


def _pair(kind: type[DifferentialTransmission | FourBarLinkageTransmission]) -> Callable[[Parts], TransmissionMap]:
    def make(parts: Parts) -> TransmissionMap:
        _sized(parts, 2, 2)
        parts.actuators = _by_role(parts, parts.actuators, "actuator")
        parts.joints = _by_role(parts, parts.joints, "joint")
        (a1, a2), (j1, j2) = parts.actuators, parts.joints
        return kind(
            actuator_reduction=(_ratio(a1), _ratio(a2)),
            joint_reduction=(_ratio(j1), _ratio(j2)),
            joint_offset=(j1.offset, j2.offset),
        )

    return make


def _by_role(parts: Parts, ends: list[End], what: str) -> list[End]:
    """In the order of their roles, whatever the order in the file or in the alphabet."""
    roles = [e.role for e in ends]
    wanted = [f"{what}{i + 1}" for i in range(len(ends))]
    if not any(roles):
        message = f"transmission {parts.name!r}: the {what}s have no roles; they are taken in the order of the file"
        parts.element.warning("transmission-role", message)
        return ends
    if sorted(roles) != wanted:
        if parts.dialect == "ros1" and not set(roles) & set(wanted):
            message = f"transmission {parts.name!r}: roles {roles} are not {wanted}; the order of the file is taken"
            parts.element.warning("transmission-role", message)
            return ends
        message = f"transmission {parts.name!r}: the {what}s' roles must be {wanted}, not {roles}"
        parts.element.error("transmission-role", message)
        raise RefusedError
    return sorted(ends, key=lambda e: e.role)


def _linkage(parts: Parts) -> TransmissionMap:
    _sized(parts, 1, 1)
    lengths = [parts.element.child_number(k, 0.0) for k in ("ground", "input", "coupler", "output")]
    branch = int(parts.element.child_number("branch", 1.0))
    return FourBarLinkage(ground=lengths[0], input=lengths[1], coupler=lengths[2], output=lengths[3], branch=branch)


def _linear_map(parts: Parts) -> TransmissionMap:
    """The seed's linear map; the matrix is the identity where it is absent."""
    na, nj = len(parts.actuators), len(parts.joints)
    if max(na, nj) > MAX_SIZE:
        parts.element.error(
            "transmission-size", f"transmission {parts.name!r} has more than {MAX_SIZE} actuators or joints"
        )
        raise RefusedError
    mapping = parts.element.child("mapping") or parts.element
    values = {
        "actuator_offsets": _column(mapping, "actuator_offsets", na),
        "joint_offsets": _column(mapping, "joint_offsets", nj),
        "lower": _column(mapping, "joint_effort_lower", nj),
        "upper": _column(mapping, "joint_effort_upper", nj),
    }
    t_aj = _column(mapping, "t_aj", na * nj)
    if not t_aj:
        if na != nj:
            message = f"transmission {parts.name!r}: without <t_aj> it takes as many actuators ({na}) as joints ({nj})"
            parts.element.error("transmission-size", message)
            raise RefusedError
        t_aj = [float(i == j) for i in range(nj) for j in range(na)]
    rows = tuple(tuple(t_aj[i * na : (i + 1) * na]) for i in range(nj))
    if not rows or not rows[0]:
        parts.element.error("transmission-size", f"transmission {parts.name!r} has no actuators, or no joints")
        raise RefusedError
    return LinearMap(matrix=rows, **{k: tuple(v) for k, v in values.items()})


def _column(mapping: Element, tag: str, size: int) -> list[float]:
    e = mapping.child(tag)
    if e is None:
        return []
    values = e.numbers()
    if values is None:
        raise RefusedError
    if len(values) != size:
        e.error("transmission-size", f"<{tag}> takes {size} numbers here, not {len(values)}")
        raise RefusedError
    return values


def _custom(parts: Parts) -> TransmissionMap:
    size = (len(parts.actuators), len(parts.joints))
    found = parts.plugins.transmission(parts.element, parts.name, size)
    if found is None:
        raise RefusedError
    return found


def _teeth(names: Sequence[str], ratio: Callable[..., float]) -> Callable[[Parts], TransmissionMap]:
    """A gear pair as a reduction computed from its usual parameters."""

    def make(parts: Parts) -> TransmissionMap:
        _sized(parts, 1, 1)
        for name in names:
            if parts.element.child(name) is None:
                near = parts.element.misspelt(name)
                parts.element.error("element-missing", f"transmission {parts.name!r} needs <{name}>{near}")
                raise RefusedError
        values = [parts.element.child_number(n, 1.0) for n in names]
        if not all(v > 0 for v in values):
            message = f"transmission {parts.name!r}: {', '.join(names)} must be positive"
            parts.element.error("transmission-ratio-zero", message)
            raise RefusedError
        return SimpleTransmission(reduction=ratio(*values), offset=parts.joints[0].offset)

    return make


KINDS: dict[str, Callable[[Parts], TransmissionMap]] = {
    "simple": _simple,
    "differential": _pair(DifferentialTransmission),
    "four_bar": _pair(FourBarLinkageTransmission),
    "four_bar_linkage": _linkage,
    "linear_map": _linear_map,
    "custom_functions": _custom,
    "screw": _teeth(["lead"], lambda lead: 2 * pi / lead),  # lead [m/rev]
    "rack_and_pinion": _teeth(["pinion_radius"], lambda r: 1 / r),  # [m]
    "belt": _teeth(["driver_teeth", "driven_teeth"], lambda driver, driven: driven / driver),
    "planetary": _teeth(["sun_teeth", "ring_teeth"], lambda sun, ring: 1 + ring / sun),  # ring held, carrier out
}
ROS_NAMES = {
    "SimpleTransmission": "simple",
    "DifferentialTransmission": "differential",
    "FourBarLinkageTransmission": "four_bar",
}

# --- reading --------------------------------------------------------------------------------------------------------


def read_transmission(
    e: Element, draft: Draft, plugins: PluginPolicy, dialect: Dialect, rename: Callable[[str], str] = str
) -> Transmission | None:
    """Reads one element and adds it, and the actuators that it declares. `rename` scopes names of nested models."""
    name = e.get("name") or ""
    if not name:
        name = draft.numbered("transmission", draft.transmissions)
        e.warning("name-missing", f"a transmission without a name; it is called {name!r}")
    written = (e.get("type") or e.child_text("type") or e.child_text("plugin")).strip()
    kind = _kind(written)
    parts = Parts(element=e, name=rename(name), dialect=dialect, plugins=plugins)
    parts.actuators = _ends(parts, "actuator")
    parts.joints = _ends(parts, "joint")
    parameters = _leave_the_rest(e) | _written_numbers(parts)
    if dialect == "ros2" and not parts.actuators and len(parts.joints) == 1:
        parts.actuators = [End(element=e, name=draft.numbered("actuator", draft.actuators))]
    try:
        transmission_map = _map(parts, kind, written)
    except RefusedError:
        draft.refused.add(parts.name)
        return None
    actuators = _actuators(parts, draft, rename)
    joints = tuple(axis_ref(j.element, j.name, rename) for j in parts.joints)
    t = draft.build(
        e, "transmission-size", f"transmission {name!r}", Transmission, name=parts.name, type=kind or written,
        map=transmission_map, actuators=actuators, joints=joints, parameters=parameters,
    )  # fmt: skip
    if t is None:
        return None
    if dialect == "ros2" and t.name in draft.transmissions:
        t = replace(t, name=draft.numbered(t.name, draft.transmissions))
    return t if draft.add(draft.transmissions, "transmission", t.name, t, e) else None


def _written_numbers(parts: Parts) -> dict[str, str]:
    """What the ends say, as text: for types that are not known here, and for people."""
    said: dict[str, str] = {}
    for end in (*parts.actuators, *parts.joints):
        if end.role:
            said[f"{end.name}.role"] = end.role
        if end.reduction is not None:
            said[f"{end.name}.mechanical_reduction"] = repr(end.reduction)
        if end.offset:
            said[f"{end.name}.offset"] = repr(end.offset)
        if "read_only" in end.element.attributes:
            said[f"{end.name}.read_only"] = end.element.attributes["read_only"]
    return said


def _kind(written: str) -> str | None:
    last = re.split(r"/|::", written)[-1]
    return ROS_NAMES.get(last, last if last in KINDS else None)


def _map(parts: Parts, kind: str | None, written: str) -> TransmissionMap | None:
    """The map; None for a type that is not known."""
    e = parts.element
    if not written and len(parts.actuators) == len(parts.joints) == 1:
        e.warning("transmission-type-unknown", f"transmission {parts.name!r} has no type; it is taken as simple")
        kind = "simple"
    if kind is None:
        near = e.report.near(written, [*KINDS, *ROS_NAMES], listed=False)
        message = f"transmission {parts.name!r}: type {written!r} is not known{near}; it is kept without a map"
        e.warning("transmission-type-unknown", message)
        _keep_named_ends(parts)
        e.consume()
        return None
    zeros = [end for end in (*parts.actuators, *parts.joints) if end.reduction == 0]
    for end in zeros:
        message = f"transmission {parts.name!r}: the reduction of {end.name!r} is zero"
        end.element.error("transmission-ratio-zero", message)
    if zeros:
        raise RefusedError
    try:
        return KINDS[kind](parts)
    except ModelError as error:
        code = "transmission-ratio-zero" if isinstance(error, ZeroRatioError) else "transmission-size"
        e.error(code, f"transmission {parts.name!r}: {error}")
        raise RefusedError from None


def _ends(parts: Parts, what: str) -> list[End]:
    """The actuators or joints, from elements of their own or from an array of names."""
    e = parts.element
    array = e.child(f"{what}_array")
    ends = [End(element=array, name=n) for n in array.text.split()] if array is not None else []
    for c in e.all(what):
        given = c.get("name")
        name = given if given is not None else c.words
        if not name and what == "actuator" and given is None:
            name = f"{parts.name}_actuator"
            c.warning("name-missing", f"transmission {parts.name!r}: an actuator without a name is called {name!r}")
        elif not name:
            c.error("name-missing", f"transmission {parts.name!r}: one of its {what}s has no name")
            continue
        end = End(element=c, name=name, role=(c.get("role") or c.child_text("role")).strip())
        end.offset = c.child_number("offset", 0.0)
        for tag in ("mechanicalReduction", "mechanical_reduction"):
            if c.child(tag) is not None:
                end.reduction = c.child_number(tag, 1.0)
            elif c.get(tag) is not None:
                end.reduction = c.number(tag, 1.0)
        ends.append(end)
    return ends


def _keep_named_ends(parts: Parts) -> None:
    """Types of other programs spell their ends as they like: leftActuator, flexJoint, gap_joint."""
    for c in parts.element.children:
        name = c.attributes.get("name")
        for what, ends in (("actuator", parts.actuators), ("joint", parts.joints)):
            if name and c.tag.lower().endswith(what) and c.tag != what:
                ends.append(End(element=c, name=name))


def _actuators(parts: Parts, draft: Draft, rename: Callable[[str], str]) -> tuple[str, ...]:
    """Their names in the mechanism. `<actuator name="…">` declares one, as in ROS; text refers to one."""
    names: list[str] = []
    for end in parts.actuators:
        name = rename(end.name)
        declares = end.element is parts.element or (not end.element.tag.endswith("array") and not end.element.words)
        if name not in draft.actuators and declares:
            motor = _motor(end, name, draft)
            if motor is not None:
                draft.actuators[name] = motor
        elif name not in draft.actuators:
            name = draft.actuator_of(name) or name
        names.append(name)
    return tuple(names)


def _motor(end: End, name: str, draft: Draft) -> Actuator | None:
    e = end.element
    rotor = e.child_number("motorInertia", 0.0) if e.tag == "actuator" else 0.0
    return draft.build(e, "actuator-value", f"actuator {name!r}", ElectricMotor, name=name, rotor_inertia=rotor)


FOR_OTHERS = (
    "hardwareInterface", "compensator", "robotNamespace", "simulated_reduction", "simulated_actuated_joint",
    "use_simulated_gripper_joint", "motorTorqueConstant", "state_interface", "command_interface", "maxVelocity",
)  # fmt: skip


def _leave_the_rest(e: Element) -> dict[str, str]:
    """Ticks off what ROS files carry for other programs, and keeps parameters as text."""
    for c in e.all(*FOR_OTHERS):
        c.consume()
    for end in e.all("actuator", "joint"):
        for c in end.all(*FOR_OTHERS):
            c.consume()
        end.get("read_only")
    return {p.get("name") or "": p.words for p in e.all("param")}
