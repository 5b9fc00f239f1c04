"""The actuation elements of a model: <actuator>, <transmission>, <encoder>, <limit>, <coupling> and <mimic>."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from gearwright.errors import ModelError
from gearwright.formats.draft import Draft
from gearwright.formats.parts.axis_names import Rename, axis_ref
from gearwright.formats.parts.device_tags import read_device
from gearwright.formats.parts.frictions import friction_model
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.transmissions.transmissions import read_transmission
from gearwright.formats.xml.from_fields import missing_from, values_of
from gearwright.formats.xml.located_xml import Element
from gearwright.model import ACTUATORS, SENSORS, WORLD, Actuator, AxisRef, Coupling, Term
from gearwright.model.actuators.supply import Supply
from gearwright.model.couplings import MODES
from gearwright.model.fields import meanings

_NO_SENSORS = {
    "link", "joint", "frame", "model", "include", "plugin", "sensor", "light", "gripper", "actor", "world", "state",
    "actuator", "transmission", "coupling", "material", "gazebo", "ros2_control", "group", "param",
}  # fmt: skip
_APART = {"name", "joint", "source", "type", "transmission", "actuator"}


def read_actuation(e: Element, draft: Draft, plugins: PluginPolicy, rename: Rename = str) -> None:
    """Every actuation element directly below `e`, in the order that lets each refer to those before it."""
    for a in e.all("actuator"):
        _read_actuator(a, draft, rename)
    for t in e.all("transmission"):
        dialect = "ros1" if e.tag == "robot" and not t.attributes.get("type", "").islower() else "model"
        read_transmission(t, draft, plugins, dialect, rename)  # type: ignore[arg-type]
    forms = [p for p in e.children if p.tag == "plugin" and _is_transmission(p)]
    if forms:
        e.all("plugin")  # marks all of them as read; the format's reader reports those of other programs
    for p in forms:
        _read_plugin_form(p, draft, plugins, rename)
    for kind in _sensor_kinds(e):
        for s in e.all(kind):
            _read_sensor(s, kind, draft, rename)
    for c in e.all("coupling"):
        _read_coupling(c, draft, rename)
    draft.no_contact += [(_link(n, "link1", rename), _link(n, "link2", rename)) for n in e.all("no_contact")]  # ours
    if keyframes := e.all("keyframe"):
        from gearwright.formats.parts.keyframes import read_keyframe

        for k in keyframes:
            read_keyframe(k, draft, rename)
    draft.cut += [rename(c.words) for c in e.all("cut")]


def _link(e: Element, attribute: str, rename: Rename) -> str:
    name = e.get(attribute) or ""
    return name if name == WORLD else rename(name)


def _is_transmission(plugin: Element) -> bool:
    return any(c.tag in ("actuator_array", "joint_array") for c in plugin.children)


def _read_plugin_form(p: Element, draft: Draft, plugins: PluginPolicy, rename: Rename) -> None:
    p.attributes.setdefault("type", "custom_functions")
    p.get("filename")
    read_transmission(p, draft, plugins, "model", rename)


# --- devices ---------------------------------------------------------------------------------------------------------


def _sensor_kinds(e: Element) -> list[str]:
    """Tags of sensors. Other packages' are looked for only where there is a tag that could be one."""
    known = [*SENSORS.rows, *SENSORS.added]
    strange = dict.fromkeys(c.tag for c in e.children if "name" in c.attributes and c.tag not in _NO_SENSORS)
    return [*known, *(tag for tag in strange if tag not in known and ":" not in tag and tag in SENSORS)]


def _read_actuator(e: Element, draft: Draft, rename: Rename) -> None:
    name = e.get("name") or ""
    written = e.get("type") or "electric_motor"
    if not name:
        e.error("name-missing", "an actuator without a name")
        return
    if written not in ACTUATORS:
        near = e.report.near(written, ACTUATORS)
        message = f"actuator {name!r}: type {written!r} is not known, and the actuator is left out{near}"
        e.recoverable("actuator-type-unknown", message)
        e.consume()
        draft.foreign.add(rename(name))
        draft.refused.add(rename(name))  # others do not miss it
        return
    made = _built_actuator(e, name, written, draft, rename)
    if made is None:
        draft.refused.add(rename(name))  # its own error says why: others do not miss it
    else:
        draft.add(draft.actuators, "actuator", made.name, made, e)


def _built_actuator(e: Element, name: str, written: str, draft: Draft, rename: Rename) -> Actuator | None:
    kind: type[Actuator] = ACTUATORS[written]
    before = e.report.unread
    values: dict[str, Any] = {}
    if written == "servo" and "model" in e.attributes:
        model = _product(e, name)
        if model is None:
            return None
        kind, values = (
            type(model),
            {f.name: getattr(model, f.name) for f in fields(model) if f.name not in ("name", "source")},
        )
    values |= values_of(e, kind, _APART)
    missing = missing_from(kind, values, _APART)
    if missing:
        e.error("actuator-value", f"actuator {name!r}: a {written} needs {', '.join(f'<{m}>' for m in missing)}")
        return None
    joint = e.child("joint")
    if joint is not None:
        values["joint"] = axis_ref(joint, joint.words, rename, joint.get("axis"))
    device = e.child("device")
    if device is not None:
        values["device"] = read_device(device, name)
    friction = friction_model(e, f"actuator {name!r}", "actuator-value")
    if friction is not None:
        values["friction_model"] = friction
    supply = _supply(e, name) if written == "servo" else None
    if supply is not None:
        values["supply"] = supply
    if e.report.unread > before:  # a value that could not be read is not judged as well
        return None
    return draft.build(e, "actuator-value", f"actuator {name!r}", kind, **(values | {"name": rename(name)}))


def _product(e: Element, name: str) -> Actuator | None:
    """`<actuator type="servo" model="sts3215">`: a servo of the library."""
    from gearwright.model.servos import servos

    product = e.get("model") or ""
    if product in servos:
        return servos[product].actuator(name)
    e.error("actuator-value", f"actuator {name!r}: there is no servo {product!r}{e.report.near(product, servos)}")
    e.consume()
    return None


def _supply(e: Element, name: str) -> Supply | None:
    """`<supply name="battery">`, which all servos that name it share."""
    child = e.child("supply")
    if child is None:
        return None
    values = values_of(child, Supply, {"name"})
    if missing := missing_from(Supply, values, {"name"}):
        child.error("actuator-value", f"actuator {name!r}: a supply needs <{missing[0]}>")
        return None
    try:
        return Supply(name=child.get("name") or "", **values)
    except ModelError as error:
        child.error("actuator-value", f"actuator {name!r}: {error}")
        return None


def _read_sensor(e: Element, kind: str, draft: Draft, rename: Rename) -> None:
    name = e.get("name") or ""
    if not name:
        e.error("name-missing", f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} without a name")
        return
    before = e.report.unread
    values = values_of(e, SENSORS[kind], _APART)
    written = e.get("type")
    if written is not None and any(m.name == "type" for m in meanings(SENSORS[kind])):
        values["type"] = written
    for target in ("transmission", "actuator"):
        child = e.child(target)
        if child is not None:
            values[target] = rename(child.words)
    joint = e.child("joint")
    if joint is not None:
        values["joint"] = axis_ref(joint, joint.words, rename, joint.get("axis"))
    if e.report.unread > before:
        return
    made = draft.build(e, "encoder-value", f"{kind} {name!r}", SENSORS[kind], name=rename(name), **values)
    if made is not None:
        draft.add(draft.sensors, "sensor", made.name, made, e)


# --- couplings ------------------------------------------------------------------------------------------------------


def mode_values(e: Element) -> dict[str, Any]:
    """The optional children that say how a coupling is realised."""
    values: dict[str, Any] = {}
    mode = e.child_text("mode")
    if mode:
        if mode not in MODES:
            e.error("coupling-value", f"there is no mode {mode!r}{e.report.near(mode, MODES)}")
        else:
            values["mode"] = mode
    for tag in ("natural_frequency", "damping_ratio", "erp"):
        if e.child(tag) is not None:
            values[tag] = e.child_number(tag, 0.0)
    if "natural_frequency" in values and "mode" not in values:
        values["mode"] = "compliant"
    powers = e.child("powers")
    if powers is not None:
        values["powers"] = tuple(powers.numbers() or ())
    return values


def add_coupling(draft: Draft, e: Element, **values: Any) -> None:
    """A coupling with the element as its source; what it cannot be is reported."""
    try:
        draft.couplings.append(Coupling(source=e.source, **values))
    except ModelError as error:
        e.error("coupling-value", str(error))


def read_mimic(e: Element, draft: Draft, follower: AxisRef, rename: Rename = str) -> None:
    """<mimic>: `follower = multiplier·(leader − reference) + offset`; URDF has attributes, SDFormat children."""
    leader = e.get("joint")
    if not leader:
        e.error("mimic-leader-not-found", f"the mimic of {str(follower)!r} names no joint{e.misspelt('joint')}")
        return
    axis = axis_ref(e, leader, rename, e.get("axis") or "axis")
    if axis == follower:
        e.error("mimic-self", f"{str(follower)!r} cannot mimic itself")
        return
    with e.report.leaving_out("the reference, which URDF does not have,"):
        reference = e.number("reference", 0.0)
    m, o = (e.child_number(k, e.number(k, d)) for k, d in (("multiplier", 1.0), ("offset", 0.0)))
    r = e.child_number("reference", reference)
    if at := e.number("leader_reference", 0.0):  # ours, in a URDF: its offset holds with the leader at zero
        r, o = at, o + m * at
    add_coupling(
        draft, e, name=str(follower), follower=follower, leaders=(Term(axis, m),), offset=o, reference=r,
        **mode_values(e),
    )  # fmt: skip


def _read_coupling(e: Element, draft: Draft, rename: Rename) -> None:
    """`Σ Gᵢ·(qᵢ − reference) + offset = 0`; the first term's axis is the follower, which has no reference."""
    name = e.get("name") or ""
    terms: list[Term] = []
    for t in e.all("term"):
        joint = t.get("joint") or ""
        terms.append(Term(axis_ref(t, joint, rename, t.get("axis")), t.as_number(t.text or "1", "<term>", 1.0, False)))
    if len(terms) < 2:
        e.error("coupling-value", f"coupling {name!r} needs two terms or more, not {len(terms)}")
        return
    axes = [t.axis for t in terms]
    if len(set(axes)) < len(axes):
        e.error("mimic-self", f"coupling {name!r} names an axis twice")
        return
    first = terms[0]
    if first.multiplier == 0:
        e.error("coupling-value", f"coupling {name!r}: the first term is the follower's and cannot be zero")
        return
    leaders = tuple(Term(t.axis, -t.multiplier / first.multiplier) for t in terms[1:])
    offset = -e.child_number("offset", 0.0) / first.multiplier + 0.0
    alias = e.get("alias")
    add_coupling(
        draft, e, name=rename(name) if name else str(first.axis), follower=first.axis, leaders=leaders, offset=offset,
        reference=e.child_number("reference", 0.0), spelling="coupling",
        alias=(str(first.axis) if alias is None else rename(alias) if alias else None) if name else None,
        **mode_values(e),
    )  # fmt: skip
