"""<transmission> of a model and of a ros2_control tag: the other way round of `formats.transmissions`."""

from __future__ import annotations

from math import isfinite, prod
from typing import Literal

from gearwright.comparing.differences import ENDS
from gearwright.model import (
    AxisRef,
    Backlash,
    DifferentialTransmission,
    FourBarLinkageTransmission,
    LinearMap,
    Losses,
    Series,
    SimpleTransmission,
    Transmission,
    TransmissionMap,
)
from gearwright.model.transmissions import TRANSMISSIONS, ElasticGear
from gearwright.writing.actuation import AXES, AXIS_LIKE, FormatDialect, add_friction_model
from gearwright.writing.fields import OWN, add_fields
from gearwright.writing.nodes import Node

PAIRS = (DifferentialTransmission, FourBarLinkageTransmission)
PLUGINS = {
    "simple": "transmission_interface/SimpleTransmission",
    "differential": "transmission_interface/DifferentialTransmission",
    "four_bar": "transmission_interface/FourBarLinkageTransmission",
}
Style = Literal["model", "ros1", "ros2"]  # how the ends are spelt


def kind_of(m: TransmissionMap | None) -> str | None:
    """The type that a file gives this map; None of one that no file can name, such as a Python function."""
    if m is None:
        return None
    kind = TRANSMISSIONS.name_of(Series if isinstance(m, Series) else type(m))
    return None if isinstance(m, Series) and any(kind_of(s) is None for s in m.stages) else kind


def add_transmission(parent: Node, t: Transmission, d: FormatDialect, *, style: Style = "model") -> None:
    """Names, numbers and losses. In a ros2_control tag the type is that of a plugin; ROS 1 knows three types."""
    kind = t.type if t.map is None else kind_of(t.map)
    if kind is None:
        what = f"its map is a {type(t.map).__name__}, which no file can name" if t.map else "it has no map"
        d.losses.lose(f"transmission {t.name!r}", "", what)
        return
    if t.map is not None and kind != t.type:
        d.losses.note(f"transmission {t.name!r}: a {t.type} is written as {kind}, with the same numbers")
    style = "model" if style == "ros1" and (kind not in PLUGINS or t.map is None) else style
    if style != "model":
        node = parent.add("transmission", name=d.local(t.name))
        node.add("plugin" if style == "ros2" else "type", PLUGINS.get(kind, kind))
    else:
        node = parent.add(f"{OWN}transmission", name=d.local(t.name), type=kind)
    ends = _Ends(t, d, node, style)
    if t.map is not None:
        _add_map(node, t.map, ends, d, t.name)
    _add_losses(node, t, d)
    if t.backlash is not None:
        _add_play(node, t.backlash, f"transmission {t.name!r}", d, "" if style == "model" else OWN)
    for name, text in t.parameters.items():
        if not name.endswith(ENDS):
            node.add("param", text, name=name)


def _add_play(node: Node, play: Backlash, shown: str, d: FormatDialect, prefix: str) -> None:
    """A gear with play, or one that twists."""
    twists = isinstance(play, ElasticGear)
    child = node.add(prefix + ("elasticity" if twists else "backlash"))
    add_fields(child, play, shown, d.losses, ("gap", "hysteresis") if twists else ())
    if isinstance(play, ElasticGear) and play.hysteresis is not None:
        add_friction_model(child, play.hysteresis, shown, d.losses, tag="hysteresis")


def _add_losses(node: Node, t: Transmission, d: FormatDialect) -> None:
    own = t.map.losses() if t.map is not None else Losses()
    if t.losses != own:
        add_fields(node, t.losses, f"transmission {t.name!r}", d.losses, ("own", "friction_model"))
        if t.losses.friction_model is not None:
            add_friction_model(node, t.losses.friction_model, f"transmission {t.name!r}", d.losses)


class _Ends:
    """The elements of a transmission's actuators and joints: their names as text, or as attributes in ROS."""

    def __init__(self, t: Transmission, d: FormatDialect, node: Node, style: Style) -> None:
        self.written, self.style = t.parameters, style
        self.names = (*t.actuators, *map(str, t.joints))
        if style == "ros1":  # its usual order
            self.joints = [self._joint(node, j, d) for j in t.joints]
        self.actuators = [self._end(node, "actuator", d.local(a)) for a in t.actuators]
        if style != "ros1":
            self.joints = [self._joint(node, j, d) for j in t.joints]
        if style == "ros2":
            self.roles()
        for name, end in zip(self.names, (*self.actuators, *self.joints), strict=True):
            if f"{name}.role" in self.written:
                self._role(end, self.written[f"{name}.role"])
            if f"{name}.read_only" in self.written:
                end.attributes["read_only"] = self.written[f"{name}.read_only"]

    def _end(self, node: Node, what: str, name: str) -> Node:
        if self.style == "model":
            return node.add(what, name)
        end = node.add(what, name=name)
        if self.style == "ros1":
            end.add("hardwareInterface", "hardware_interface/EffortJointInterface")
        return end

    def _joint(self, node: Node, axis: AxisRef, d: FormatDialect) -> Node:
        """`joint`, or `joint.axis2`; with the axis apart, where the joint's own name ends like that."""
        name = d.joint(axis.joint)
        if not name.endswith(AXIS_LIKE):
            return self._end(node, "joint", name + (f".axis{axis.index + 1}" if axis.index else ""))
        end = self._end(node, "joint", name)
        end.attributes["axis" if self.style == "model" else f"{OWN}axis"] = AXES[axis.index]
        return end

    def _role(self, end: Node, role: str) -> None:
        if self.style == "ros1":
            end.children = [c for c in end.children if c.tag != "role"]
            end.add("role", role)
        else:
            end.attributes["role"] = role

    def roles(self) -> None:
        """Which is the first and which the second: a pair's map depends on it."""
        for what, ends in (("actuator", self.actuators), ("joint", self.joints)):
            for i, end in enumerate(ends, 1):
                self._role(end, f"{what}{i}")

    def reduce(self, end: Node, reduction: float) -> None:
        end.add("mechanicalReduction" if self.style == "ros1" else "mechanical_reduction", reduction)

    def whole(self, node: Node, reduction: float) -> None:
        """The reduction of one actuator and one joint: at the ends as the file had it, if that is the same."""
        given = [self.written.get(f"{name}.mechanical_reduction") for name in self.names]
        if prod(float(text) for text in given if text is not None) == reduction and any(given):
            for text, end in zip(given, (*self.actuators, *self.joints), strict=True):
                if text is not None:
                    self.reduce(end, float(text))
        else:
            self.reduce({"model": node, "ros1": self.actuators[0], "ros2": self.joints[0]}[self.style], reduction)


def _add_map(node: Node, m: TransmissionMap, ends: _Ends | None, d: FormatDialect, shown: str) -> None:
    """The numbers of a map; a stage within a series has no ends."""
    if isinstance(m, SimpleTransmission):
        _add_simple(node, m, ends)
    elif isinstance(m, PAIRS):
        _add_pair(m, ends, d, shown)
    elif isinstance(m, LinearMap):
        _add_matrix(node, m, d, shown)
    elif isinstance(m, Series):
        for i, stage in enumerate(m.stages):
            own = ends if isinstance(stage, PAIRS) and len(m.stages) == 1 else None
            s = node.add("stage", type=kind_of(stage))
            _add_map(s, stage, own, d, f"{shown}, stage {i + 1}")
            if i == len(m.stages) - 1 and isinstance(stage, SimpleTransmission) and stage.offset and ends is not None:
                s.children = [c for c in s.children if c.tag != "offset"]  # the last joint's
                ends.joints[0].add("offset", stage.offset)
    else:
        add_fields(node, m, f"transmission {shown!r}", d.losses)


def _add_simple(node: Node, m: SimpleTransmission, ends: _Ends | None) -> None:
    if ends is None:
        node.add("mechanical_reduction", m.reduction)
        if m.offset:
            node.add("offset", m.offset)
        return
    ends.whole(node, m.reduction)
    if m.offset:
        ends.joints[0].add("offset", m.offset)


def _add_pair(
    m: DifferentialTransmission | FourBarLinkageTransmission, ends: _Ends | None, d: FormatDialect, shown: str
) -> None:
    if ends is None:
        if any(x != 1 for x in (*m.actuator_reduction, *m.joint_reduction)) or any(m.joint_offset):
            d.losses.lose(f"transmission {shown!r}", "", "a pair within a series has no place for its reductions")
        return
    ends.roles()
    for end, reduction in zip(
        (*ends.actuators, *ends.joints), (*m.actuator_reduction, *m.joint_reduction), strict=True
    ):
        ends.reduce(end, reduction)
    for end, offset in zip(ends.joints, m.joint_offset, strict=True):
        if offset:
            end.add("offset", offset)


def _add_matrix(node: Node, m: LinearMap, d: FormatDialect, shown: str) -> None:
    mapping = node.add("mapping")
    mapping.add("t_aj", [x for row in m.matrix for x in row])
    for tag, column in (
        ("actuator_offsets", m.actuator_offsets), ("joint_offsets", m.joint_offsets), ("joint_effort_lower", m.lower),
        ("joint_effort_upper", m.upper),
    ):  # fmt: skip
        if not all(map(isfinite, column)):
            d.losses.lose(f"transmission {shown!r}", tag, "a file has no infinite bound")
        elif column:
            mapping.add(tag, column)
