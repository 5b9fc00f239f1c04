"""Types of transmissions in files, and how a map is made from the parts that were read.

A class of `TRANSMISSIONS` is read by its fields. `SPELLINGS` has those that files write in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import atan2, pi, prod, radians
from typing import Literal

from gearwright.errors import ModelError
from gearwright.formats.transmissions.plugins import MAX_SIZE, PluginPolicy
from gearwright.formats.xml.from_fields import missing_from, values_of
from gearwright.formats.xml.located_xml import Element
from gearwright.model import (
    DifferentialTransmission,
    FourBarLinkageTransmission,
    LinearMap,
    Losses,
    Series,
    SimpleTransmission,
    TransmissionMap,
)
from gearwright.model.transmissions import TRANSMISSIONS, ZeroRatioError

Dialect = Literal["ros1", "ros2", "model"]
NUMBER = {"ros1": "mechanicalReduction", "ros2": "mechanical_reduction", "model": "mechanical_reduction"}


@dataclass(kw_only=True)
class TransmissionEnd:
    """An actuator or a joint as a transmission names it."""

    element: Element
    name: str
    role: str = ""
    reduction: float | None = None
    offset: float = 0.0


@dataclass(kw_only=True)
class TransmissionParts:
    """A transmission as read, before its map is made."""

    element: Element
    name: str
    dialect: Dialect
    plugins: PluginPolicy
    actuators: list[TransmissionEnd] = field(default_factory=list)
    joints: list[TransmissionEnd] = field(default_factory=list)


class MapRefusedError(Exception):
    """The map cannot be made; the reason is in the report."""


# --- one function per kind --------------------------------------------------------------------------------------------


def _sized(parts: TransmissionParts, actuators: int, joints: int) -> None:
    for what, ends, size in (("actuator", parts.actuators, actuators), ("joint", parts.joints, joints)):
        if len(ends) != size:
            s = "" if size == 1 else "s"
            message = f"transmission {parts.name!r} takes {size} {what}{s}, not {len(ends)}"
            parts.element.error("transmission-size", message)
            raise MapRefusedError


def _ratio(end: TransmissionEnd) -> float:
    return 1.0 if end.reduction is None else end.reduction


def _simple(parts: TransmissionParts) -> TransmissionMap:
    """The reductions of both ends and of the transmission itself lie in series; files give one of them."""
    _sized(parts, 1, 1)
    whole = parts.element.child(NUMBER[parts.dialect])
    given = [r for r in (parts.actuators[0].reduction, parts.joints[0].reduction) if r is not None]
    if whole is not None:
        given.append(parts.element.child_number(NUMBER[parts.dialect], 1.0))
    if not given and parts.dialect == "ros1":
        message = f"transmission {parts.name!r} gives no {NUMBER[parts.dialect]}; 1 is used"
        parts.element.warning("element-missing", message)
    return SimpleTransmission(reduction=prod(given, start=1.0), offset=parts.joints[0].offset)


def _pair(
    kind: type[DifferentialTransmission | FourBarLinkageTransmission],
) -> Callable[[TransmissionParts], TransmissionMap]:
    def make(parts: TransmissionParts) -> TransmissionMap:
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


def _by_role(parts: TransmissionParts, ends: list[TransmissionEnd], what: str) -> list[TransmissionEnd]:
    """In the order of their roles, whatever the order in the file or in the alphabet."""
    roles = [e.role for e in ends]
    wanted = [f"{what}{i + 1}" for i in range(len(ends))]
    if not any(roles):
        message = f"transmission {parts.name!r}: the {what}s have no roles; they are taken in the order of the file"
        parts.element.warning("transmission-role", message)
        return ends
    if sorted(roles) != wanted:
        if parts.dialect == "ros1" and not set(roles) & set(wanted):
            message = f"transmission {parts.name!r}: roles {roles} are not {wanted}; the order of the file is used"
            parts.element.warning("transmission-role", message)
            return ends
        message = f"transmission {parts.name!r}: the {what}s' roles must be {wanted}, not {roles}"
        parts.element.error("transmission-role", message)
        raise MapRefusedError
    return sorted(ends, key=lambda e: e.role)


def _by_fields(parts: TransmissionParts, kind: type[TransmissionMap]) -> TransmissionMap:
    """A kind without a spelling of its own: each field is an element of its name."""
    values = values_of(parts.element, kind)
    _no_ratios(parts)
    missing = missing_from(kind, values)
    if missing:
        near = parts.element.misspelt(missing[0])
        listed = ", ".join(f"<{tag}>" for tag in missing)
        parts.element.error("element-missing", f"transmission {parts.name!r} needs {listed}{near}")
        raise MapRefusedError
    made = kind(**values)
    _sized(parts, made.actuators, made.joints)
    return made


def _no_ratios(parts: TransmissionParts) -> None:
    """Reports numbers at the ends of kinds that have none."""
    for end in (*parts.actuators, *parts.joints):
        if end.reduction is not None or end.offset:
            message = (
                f"transmission {parts.name!r}: a reduction or an offset of {end.name!r} has no meaning for this type"
            )
            end.element.error("transmission-size", f"{message}; put a simple stage beside it in a series")
            raise MapRefusedError


def _linear_map(parts: TransmissionParts) -> TransmissionMap:
    """The seed's linear map; the matrix is the identity where it is absent."""
    na, nj = len(parts.actuators), len(parts.joints)
    if max(na, nj) > MAX_SIZE:
        parts.element.error(
            "transmission-size", f"transmission {parts.name!r} has more than {MAX_SIZE} actuators or joints"
        )
        raise MapRefusedError
    _no_ratios(parts)
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
            raise MapRefusedError
        t_aj = [float(i == j) for i in range(nj) for j in range(na)]
    rows = tuple(tuple(t_aj[i * na : (i + 1) * na]) for i in range(nj))
    if not rows or not rows[0]:
        parts.element.error("transmission-size", f"transmission {parts.name!r} has no actuators, or no joints")
        raise MapRefusedError
    return LinearMap(matrix=rows, **{k: tuple(v) for k, v in values.items()})


def _column(mapping: Element, tag: str, size: int) -> list[float]:
    e = mapping.child(tag)
    if e is None:
        return []
    values = e.numbers()
    if values is None:
        raise MapRefusedError
    if len(values) != size:
        e.error("transmission-size", f"<{tag}> takes {size} numbers here, not {len(values)}")
        raise MapRefusedError
    return values


def _custom(parts: TransmissionParts) -> TransmissionMap:
    _no_ratios(parts)
    size = (len(parts.actuators), len(parts.joints))
    found = parts.plugins.transmission(parts.element, parts.name, size)
    if found is None:
        raise MapRefusedError
    return found


def _teeth(names: Sequence[str], ratio: Callable[..., float]) -> Callable[[TransmissionParts], TransmissionMap]:
    """A gear pair as a reduction computed from its usual parameters; reductions at its ends lie in series with it."""

    def make(parts: TransmissionParts) -> TransmissionMap:
        _sized(parts, 1, 1)
        for name in names:
            if parts.element.child(name) is None:
                near = parts.element.misspelt(name)
                parts.element.error("element-missing", f"transmission {parts.name!r} needs <{name}>{near}")
                raise MapRefusedError
        values = [parts.element.child_number(n, 1.0) for n in names]
        if not all(v > 0 for v in values):
            message = f"transmission {parts.name!r}: {', '.join(names)} must be positive"
            parts.element.error("transmission-ratio-zero", message)
            raise MapRefusedError
        for name, value in zip(names, values, strict=True):
            if name.endswith("teeth") and value % 1 and (child := parts.element.child(name)) is not None:
                message = f"transmission {parts.name!r}: <{name}> is a number of teeth, and {value:g} is not whole"
                child.warning("transmission-size", message)
        reduction = ratio(*values) * _ratio(parts.actuators[0]) * _ratio(parts.joints[0])
        return SimpleTransmission(reduction=reduction, offset=parts.joints[0].offset)

    return make


def thread_losses(parts: TransmissionParts, kind: str | None) -> Losses | None:
    """Losses of a screw or a worm whose friction is given: by its lead angle."""
    e = parts.element
    if kind not in ("screw", "worm") or e.child("friction_coefficient") is None:
        return None
    angle = _lead_angle(parts, kind)
    flank = e.child_number("thread_angle", 0.0) if kind == "screw" else e.child_number("pressure_angle", radians(20))
    friction = e.child_number("friction_coefficient", 0.0)
    try:
        return Losses.of_thread(lead_angle=angle, friction_coefficient=friction, flank_angle=flank)
    except ModelError as error:
        e.error("transmission-size", f"transmission {parts.name!r}: {error}")
        raise MapRefusedError from None


def _lead_angle(parts: TransmissionParts, kind: str) -> float:
    e, needed = parts.element, "diameter" if kind == "screw" else "lead_angle"
    if e.child(needed) is None:
        message = f"transmission {parts.name!r}: a <friction_coefficient> needs <{needed}>{e.misspelt(needed)}"
        e.error("element-missing", message)
        raise MapRefusedError
    value = e.child_number(needed, 1.0)
    if value <= 0:
        e.error("transmission-size", f"transmission {parts.name!r}: <{needed}> must be positive")
        raise MapRefusedError
    return atan2(e.child_number("lead", 1.0), pi * value) if kind == "screw" else value


def _series(parts: TransmissionParts) -> TransmissionMap:
    """<stage type="…"> one after another, the motor's first, each with the elements of its type."""
    stages = parts.element.all("stage")
    if not stages:
        parts.element.error("element-missing", f"transmission {parts.name!r}: a series needs <stage type=…> elements")
        raise MapRefusedError
    maps: list[TransmissionMap] = []
    for i, e in enumerate(stages):
        stage = TransmissionParts(
            element=e, name=f"{parts.name}, stage {i + 1}", dialect="model", plugins=parts.plugins
        )
        stage.actuators = parts.actuators if not maps else _unnamed(e, "actuator", maps[-1].joints)
        last = e is stages[-1]
        stage.joints = parts.joints if last else _unnamed(e, "joint", len(stage.actuators))
        for shaft in () if last else stage.joints[:1]:
            shaft.offset = e.child_number("offset", 0.0)
        maps.append(_stage_map(stage))
        if i == 0:
            parts.actuators = stage.actuators  # in the order of their roles
    parts.joints = stage.joints
    return Series(maps)


def _unnamed(e: Element, what: str, size: int) -> list[TransmissionEnd]:
    """The shafts between two stages, in order; they have no names in the file."""
    return [TransmissionEnd(element=e, name=f"{what}{i + 1}", role=f"{what}{i + 1}") for i in range(size)]


def _stage_map(stage: TransmissionParts) -> TransmissionMap:
    kind = (stage.element.get("type") or "").strip()
    if not is_known(kind) or kind == "series":
        near = stage.element.report.near(kind, [k for k in names() if k != "series"])
        stage.element.error("transmission-type-unknown", f"transmission {stage.name}: type {kind!r} is not known{near}")
        raise MapRefusedError
    return made(stage, kind)


def made(parts: TransmissionParts, kind: str) -> TransmissionMap:
    """The map. Raises RefusedError with the reason in the report."""
    zeros = [end for end in (*parts.actuators, *parts.joints) if end.reduction == 0]
    for end in zeros:
        message = f"transmission {parts.name!r}: the reduction of {end.name!r} is zero"
        end.element.error("transmission-ratio-zero", message)
    if zeros:
        raise MapRefusedError
    try:
        return SPELLINGS[kind](parts) if kind in SPELLINGS else _by_fields(parts, TRANSMISSIONS[kind])
    except ModelError as error:
        code = "transmission-ratio-zero" if isinstance(error, ZeroRatioError) else "transmission-size"
        parts.element.error(code, f"transmission {parts.name!r}: {error}")
        raise MapRefusedError from None


# kinds whose numbers stand elsewhere than in elements of their fields' names, and gears that are a reduction by teeth
SPELLINGS: dict[str, Callable[[TransmissionParts], TransmissionMap]] = {
    "simple": _simple,
    "differential": _pair(DifferentialTransmission),
    "four_bar": _pair(FourBarLinkageTransmission),
    "linear_map": _linear_map,
    "custom_functions": _custom,
    "series": _series,
    "screw": _teeth(["lead"], lambda lead: 2 * pi / lead),  # lead [m/rev]
    "worm": _teeth(["worm_starts", "wheel_teeth"], lambda starts, teeth: teeth / starts),
    "rack_and_pinion": _teeth(["pinion_radius"], lambda r: 1 / r),  # [m]
    "belt": _teeth(["driver_teeth", "driven_teeth"], lambda driver, driven: driven / driver),
    "planetary": _teeth(["sun_teeth", "ring_teeth"], lambda sun, ring: 1 + ring / sun),  # ring held, carrier out
}


def is_known(kind: str) -> bool:
    """Whether it is a type of transmission: by its spelling here, or by its class, also of another package."""
    return kind in SPELLINGS or (kind in TRANSMISSIONS and is_map(TRANSMISSIONS[kind]))


def is_map(kind: object) -> bool:
    """Entry points of the group may also be functions, for `custom_functions`: those are no types."""
    return isinstance(kind, type) and issubclass(kind, TransmissionMap)


def names() -> list[str]:
    """For suggestions."""
    return [*SPELLINGS, *(k for k in TRANSMISSIONS if k not in SPELLINGS)]
