"""<transmission> of a model and of a ros2_control tag: the other way round of `formats.transmissions`."""

from __future__ import annotations

from gearwright.model import (
    AxisRef,
    DifferentialTransmission,
    FourBarLinkageTransmission,
    LinearMap,
    Losses,
    Series,
    SimpleTransmission,
    Transmission,
    TransmissionMap,
)
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.writing.actuation import Dialect
from gearwright.writing.fields import OWN, add_fields
from gearwright.writing.nodes import Node

PAIRS = (DifferentialTransmission, FourBarLinkageTransmission)
PLUGINS = {
    "simple": "transmission_interface/SimpleTransmission",
    "differential": "transmission_interface/DifferentialTransmission",
    "four_bar": "transmission_interface/FourBarLinkageTransmission",
}
ENDS = (".role", ".mechanical_reduction", ".offset", ".read_only")  # of parameters that stand at actuators and joints


def kind_of(m: TransmissionMap | None) -> str | None:
    """The type that a file gives this map; None of one that no file can name, such as a Python function."""
    if m is None:
        return None
    kind = TRANSMISSIONS.name_of(Series if isinstance(m, Series) else type(m))
    return None if isinstance(m, Series) and any(kind_of(s) is None for s in m.stages) else kind


def add_transmission(parent: Node, t: Transmission, d: Dialect, *, ros2: bool = False) -> None:
    """Names, numbers and losses. In a ros2_control tag the type is that of a plugin."""
    kind = t.type if t.map is None else kind_of(t.map)
    if kind is None:
        what = f"its map is a {type(t.map).__name__}, which is Python code" if t.map else "it has no map"
        d.losses.lose(f"transmission {t.name!r}", "", what)
        return
    if t.map is not None and kind != t.type:
        d.losses.note(f"transmission {t.name!r}: a {t.type} is written as {kind}, with the same numbers")
    if ros2:
        node = parent.add("transmission", name=d.local(t.name))
        node.add("plugin", PLUGINS.get(kind, kind))
    else:
        node = parent.add(f"{OWN}transmission", name=d.local(t.name), type=kind)
    ends = _Ends(t, d, node, declares=ros2)
    if t.map is not None:
        _add_map(node, t.map, ends, d, t.name, ros2=ros2)
    _add_losses(node, t, d)
    if t.backlash is not None:
        add_fields(node.add(_own("backlash", ros2)), t.backlash, f"transmission {t.name!r}", d.losses)
    for name, text in t.parameters.items():
        if not name.endswith(ENDS):
            node.add("param", text, name=name)


def _own(tag: str, ros2: bool) -> str:
    return OWN + tag if ros2 else tag


def _add_losses(node: Node, t: Transmission, d: Dialect) -> None:
    own = t.map.losses() if t.map is not None else Losses()
    if t.losses != own:
        add_fields(node, t.losses, f"transmission {t.name!r}", d.losses, ("own",))


class _Ends:
    """The elements of a transmission's actuators and joints; in a ros2_control tag they have names and roles."""

    def __init__(self, t: Transmission, d: Dialect, node: Node, *, declares: bool) -> None:
        self.written = t.parameters
        self.names = (*t.actuators, *map(str, t.joints))
        self.actuators = [_end(node, "actuator", i, d.local(a), declares) for i, a in enumerate(t.actuators, 1)]
        self.joints = [_joint_end(node, i, j, d, declares) for i, j in enumerate(t.joints, 1)]
        for name, end in zip(self.names, (*self.actuators, *self.joints), strict=True):
            if f"{name}.role" in self.written:
                end.attributes["role"] = self.written[f"{name}.role"]
            if f"{name}.read_only" in self.written:
                end.attributes["read_only"] = self.written[f"{name}.read_only"]

    def roles(self) -> None:
        """Which is the first and which the second: a pair's map depends on it."""
        for what, ends in (("actuator", self.actuators), ("joint", self.joints)):
            for i, end in enumerate(ends, 1):
                end.attributes["role"] = f"{what}{i}"

    def reductions(self, reduction: float) -> bool:
        """Writes the reductions of the ends as the file had them, if their product is this one."""
        given = [self.written.get(f"{name}.mechanical_reduction") for name in self.names]
        product = 1.0
        for text in given:
            product *= float(text) if text is not None else 1.0
        if product != reduction:
            return False
        for text, end in zip(given, (*self.actuators, *self.joints), strict=True):
            if text is not None:
                end.add("mechanical_reduction", float(text))
        return True


def _end(node: Node, what: str, place: int, name: str, declares: bool) -> Node:
    if declares:
        return node.add(what, name=name, role=f"{what}{place}")
    return node.add(what, name)


def _joint_end(node: Node, place: int, axis: AxisRef, d: Dialect, declares: bool) -> Node:
    name = d.joint(axis.joint) + (f".axis{axis.index + 1}" if axis.index else "")
    return _end(node, "joint", place, name, declares)


def _add_map(
    node: Node, m: TransmissionMap, ends: _Ends | None, d: Dialect, shown: str, *, ros2: bool = False
) -> None:
    """The numbers of a map; a stage within a series has no ends."""
    if isinstance(m, SimpleTransmission):
        _add_simple(node, m, ends, ros2)
    elif isinstance(m, PAIRS):
        _add_pair(m, ends, d, shown)
    elif isinstance(m, LinearMap):
        _add_matrix(node, m)
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


def _add_simple(node: Node, m: SimpleTransmission, ends: _Ends | None, ros2: bool) -> None:
    if ends is None:
        node.add("mechanical_reduction", m.reduction)
        if m.offset:
            node.add("offset", m.offset)
        return
    if not ends.reductions(m.reduction):
        (ends.joints[0] if ros2 else node).add("mechanical_reduction", m.reduction)
    if m.offset:
        ends.joints[0].add("offset", m.offset)


def _add_pair(
    m: DifferentialTransmission | FourBarLinkageTransmission, ends: _Ends | None, d: Dialect, shown: str
) -> None:
    if ends is None:
        if any(x != 1 for x in (*m.actuator_reduction, *m.joint_reduction)) or any(m.joint_offset):
            d.losses.lose(f"transmission {shown!r}", "", "a pair within a series has no place for its reductions")
        return
    ends.roles()
    for end, reduction in zip((*ends.actuators, *ends.joints), (*m.actuator_reduction, *m.joint_reduction), strict=True):
        end.add("mechanical_reduction", reduction)
    for end, offset in zip(ends.joints, m.joint_offset, strict=True):
        if offset:
            end.add("offset", offset)


def _add_matrix(node: Node, m: LinearMap) -> None:
    mapping = node.add("mapping")
    mapping.add("t_aj", [x for row in m.matrix for x in row])
    for tag, column in (
        ("actuator_offsets", m.actuator_offsets), ("joint_offsets", m.joint_offsets), ("joint_effort_lower", m.lower),
        ("joint_effort_upper", m.upper),
    ):  # fmt: skip
        if column:
            mapping.add(tag, column)
