"""Writes docs/reference: every public name with signature, units and description, from docstrings and fields.

A name's page follows from the module that has it, so that a new public name needs nothing here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from gearwright.model.fields import NOTHING, meanings

MODULES = ("gearwright", "gearwright.kinds", "gearwright.drawing")
# page: title, and the modules whose names are on it; the first that fits
TOPICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "mechanism": ("Mechanisms", ("gearwright.model.mechanism", "gearwright.formats", "gearwright.robots",
                                 "gearwright.diagnostics", "gearwright.migration", "gearwright.model.couplings",
                                 "gearwright.model.parameters", "gearwright.model.joints",
                                 "gearwright.model.parallel", "gearwright.model.links", "gearwright.model.by_name")),
    "worlds": ("Worlds and surfaces", ("gearwright.model.scenes", "gearwright.model.shapes")),
    "transmissions": ("Transmissions", ("gearwright.model.transmissions",)),
    "actuators": ("Actuators", ("gearwright.model.actuators", "gearwright.model.hardware",
                               "gearwright.model.servos", "gearwright.model.frictions")),
    "sensors": ("Sensors", ("gearwright.model.sensors",)),
    "recording": ("Recordings", ("gearwright.sim.recordings",)),
    "simulation": ("Simulations", ("gearwright.sim", "gearwright.control")),
    "hardware": ("Simulated hardware", ("gearwright.hardware",)),
    "errors": ("Errors and warnings", ("gearwright.errors", "gearwright.tracing")),
    "studies": ("Studies, learning, pages, code", ("",)),
    "kinds": ("gearwright.kinds: types of your own", ()),
    "drawing": ("gearwright.drawing: pictures of your own", ()),
}  # fmt: skip
# reached through others, not imported: the class, where a user meets it, and its members for users ("": all)
RELATED = {
    "gearwright.model.links:Link": "`robot.links[…]`",
    "gearwright.model.joints:Joint": "`robot.joints[…]`",
    "gearwright.model.couplings:Coupling": "`robot.couplings[…]`",
    "gearwright.model.parameters:Parameter": "`robot.parameters[…]`",
    "gearwright.model.parallel.jacobian:ActuationJacobian": "`robot.actuation_jacobian(…)`",
    "gearwright.model.servos.servo_model:ServoModel": "`gw.servos[…]`",
    "gearwright.model.servos.data_sheet:DataSheet": "`gw.servos[…].sheet`",
    "gearwright.model.servos.data_sheet:NumberSource": "`gw.servos[…].sources[…]`",
    "gearwright.sim.views.ports:Port": "`sim.port(robot)`",
    "gearwright.sim.running.clock:Clock": "`sim.clock`: advance listen steps time",
    "gearwright.sim.ros2_control.hardware_interfaces:HardwareInterface": "`sim.hardware(name)`",
    "gearwright.sim.derivatives.sensitivity:Sensitivity": "`sim.sensitivity(…)`",
    "gearwright.sim.derivatives.adjoint:Gradient": "`sim.gradient(…)`",
    "gearwright.identification.fit:Fit": "`gw.identify(…)`",
    "gearwright.identification.fit:Combination": "`fit.undetermined[…]`",
    "gearwright.identification.fit:Residual": "`fit.residuals[…]`",
    "gearwright.identification.excitation:Excitation": "`gw.excite(…)`",
    "gearwright.hardware.bench:Bench": "`gw.serve(…)`",
    "gearwright.hardware.faults:Faults": "`bench.faults`: inject clear",
    "gearwright.page.viewing:Page": "`gw.view(…, block=False)`",
}


def public() -> dict[str, Any]:
    """Every name that a user may import, as it is written: `gw.load`, `gearwright.kinds.quantity`."""
    found: dict[str, Any] = {}
    for name in MODULES:
        module, prefix = import_module(name), "gw" if name == "gearwright" else name
        found |= {f"{prefix}.{n}": getattr(module, n) for n in module.__all__}
    return found


def related() -> dict[str, Any]:
    """Classes of objects that users get from others."""
    return {
        place.partition(":")[2]: getattr(import_module(place.partition(":")[0]), place.partition(":")[2])
        for place in RELATED
    }


def home(thing: Any) -> str:
    module = thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", None) or ""
    return module if module.startswith("gearwright") else ""


def topic(name: str, thing: Any) -> str:
    """The page of a name: its module's own, or by the module that has it."""
    if name.startswith("gearwright."):
        return name.split(".")[1]
    return next(page for page, (_, modules) in TOPICS.items() if any(_within(home(thing), m) for m in modules))


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower())


def _within(module: str, parent: str) -> bool:
    return not parent or module == parent or module.startswith(parent + ".")


# --- members --------------------------------------------------------------------------------------------------------

CALLABLE = (property, cached_property, classmethod, staticmethod)


def members(cls: type) -> Iterator[tuple[str, Any, str]]:
    """Public methods and properties with their text; those of a base that has an entry of its own are there."""
    shown = next((w.split()[1:] for p, w in RELATED.items() if p.endswith(f":{cls.__name__}") and ": " in w), None)
    elsewhere = {c for c in (*public().values(), *related().values()) if inspect.isclass(c) and c is not cls}
    seen: set[str] = set()
    for part in cls.__mro__:
        if part in elsewhere or not part.__module__.startswith("gearwright"):
            continue
        for name, member in vars(part).items():
            called = inspect.isfunction(member) or isinstance(member, CALLABLE)
            if name.startswith("_") or name in seen or not called or (shown is not None and name not in shown):
                continue
            seen.add(name)
            function = getattr(member, "func", None) or getattr(member, "fget", None) or member
            own = inspect.cleandoc(function.__doc__ or "")
            inherited = [c for c in cls.__mro__ if c in elsewhere and name in vars(c)]
            if own or not inherited:
                yield name, member, own or inspect.getdoc(getattr(cls, name, None)) or ""


def fields_of(cls: type) -> Iterator[tuple[str, str, str, str, str]]:
    """Name, unit, range, default, meaning of a dataclass's fields; meanings from metadata, or from the comment."""
    if not is_dataclass(cls):
        return
    comments = {}
    for part in reversed(cls.__mro__):
        if part.__module__.startswith("gearwright"):
            comments |= dict(re.findall(r"^    (\w+): [^\n#]*?  # (.+)$", inspect.getsource(part), re.MULTILINE))
    for m in meanings(cls):
        if m.name.startswith("_") or m.name == "source":
            continue
        q, default = m.quantity, m.field.default
        made = m.field.default_factory is not MISSING or not m.field.init
        given = _shown(default) if default is not MISSING else "" if made else "required"
        text = q.doc if q is not NOTHING else comments.get(m.name, "its name" if m.name == "name" else "")
        unit = q.unit
        if q is NOTHING and (bracket := re.search(r"\s*\[([^\]]+)\]$", text)):
            unit, text = bracket[1], text[: bracket.start()]
        choices = ", ".join(re.findall(r"['\"](\w+)['\"]", m.type)) if m.type.startswith("Literal") else ""
        yield m.name, unit, q.range_text or choices, given, text


def _shown(value: Any, nothing: str = "–") -> str:
    if value is None:
        return nothing
    return repr(value).replace("'", '"') if isinstance(value, str | bool | int | float | tuple) else "..."


# --- Markdown -------------------------------------------------------------------------------------------------------


def text_of(doc: str) -> list[str]:
    """A docstring as Markdown: columns of arguments become a table, examples a block of code."""
    lines: list[str] = []
    for part in re.split(r"\n\s*\n", doc.strip()):
        rows = _columns(part)
        if ">>>" in part:
            lines += ["```pycon", *inspect.cleandoc(part).splitlines(), "```", ""]
        elif rows:
            lines += ["| | |", "|---|---|", *(f"| `{a}` | {_cell(b)} |" for a, b in rows), ""]
        elif part.startswith("    "):
            lines += ["```", *inspect.cleandoc("\n" + part).splitlines(), "```", ""]
        else:
            lines += [_escaped(line) for line in part.splitlines()] + [""]
    return lines


def _columns(part: str) -> list[tuple[str, str]]:
    """`name  text` on every line, with further text indented; nothing if the part is not like that."""
    rows: list[tuple[str, str]] = []
    for line in part.splitlines():
        found = re.match(r" {0,4}([\w.,* ]*?\w)  +(\S.*)$", line)
        if found:
            rows.append((found[1], found[2]))
        elif rows and line.startswith("  "):
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        else:
            return []
    return rows


def _escaped(line: str) -> str:
    """Angle brackets outside of code are text, not HTML."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;").replace("*", "\\*") for p in parts)


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|")


def signature_of(name: str, thing: Any) -> list[str]:
    """`def name(…) -> …: ...`, over several lines where it is long."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    given = list(_arguments([p for p in signature.parameters.values() if p.name not in ("self", "cls")]))
    result = signature.return_annotation
    tail = "" if result in (inspect.Signature.empty, None, "None") else f" -> {_annotation(result)}"
    line = f"def {name}({', '.join(given)}){tail}: ..."
    if len(line) > 95:
        line = "\n".join([f"def {name}(", *(f"    {a}," for a in given), f"){tail}: ..."])
    return ["```pyi", *line.splitlines(), "```", ""]


def _arguments(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """Parameters as they are written, with the `*` before those that are given by name only."""
    marked = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not marked:
            yield "*"
        marked = marked or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        annotated = "" if p.annotation is p.empty else f": {_annotation(p.annotation)}"
        equals = " = " if annotated else "="
        yield stars + p.name + annotated + ("" if p.default is p.empty else f"{equals}{_shown(p.default, 'None')}")


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return text.replace("typing.", "").replace("'", "")


def entry(name: str, thing: Any, place: str = "") -> Iterator[str]:
    yield from (f"## {name}", "")
    if place:
        yield from (f"From {place}.", "")
    if inspect.isclass(thing):
        yield from _class(thing)
    elif inspect.isfunction(thing):
        yield from signature_of(name.rpartition(".")[2], thing)
        yield from text_of(inspect.getdoc(thing) or "")
    elif inspect.ismodule(thing):
        yield from text_of(inspect.getdoc(thing) or "")
        for member, function in vars(thing).items():
            if inspect.isfunction(function) and not member.startswith("_"):
                yield from (f"### {name.rpartition('.')[2]}.{member}", "")
                yield from signature_of(member, function)
                yield from text_of(inspect.getdoc(function) or "")
    else:
        yield from (f"{VALUES[name]}.", "")


VALUES = {
    "gw.servos": "Servos and drives that one can buy, by name: each with data sheet, numbers and their sources",
    "gearwright.kinds.TRANSMISSIONS": "Transmission types, by the `type` in files",
    "gearwright.kinds.ACTUATORS": "Actuator types, by the `type` in files",
    "gearwright.kinds.SENSORS": "Sensor types, by their element in files",
    "gearwright.kinds.FRICTIONS": "Friction models, by the `type` of `<friction_model>`",
    "gearwright.kinds.JOINT_KINDS": "Joint types, by the `type` in files",
    "gearwright.kinds.FORMATS": "Formats of recordings by the ending of a file's name",
    "gearwright.kinds.PROTOCOLS": "Protocols of drives by name",
    "gearwright.drawing.COLOURS": "Colours of lines, that colour-blind readers can tell apart",
    "gearwright.drawing.INK": "Colour of titles",
    "gearwright.drawing.SOFT": "Colour of labels",
    "gearwright.drawing.STYLE": "Matplotlib's `rcParams` of our plots",
    "gearwright.drawing.FRONT": "A `Camera`: x to the right, z up",
    "gearwright.drawing.TOP": "A `Camera` from above: x to the right, y up",
    "gearwright.drawing.Poses": "A mapping from links to poses X_WL, (4, 4)",
    "gearwright.drawing.Shape": "A shape of a link: geometry, pose, colour",
}


def _class(cls: type) -> Iterator[str]:
    bases = [
        n for n, c in public().items() if c in cls.__mro__[1:] and inspect.isclass(c) and c not in (BaseException,)
    ]
    if is_dataclass(cls):
        doc = cls.__dict__.get("__doc__") or ""
        yield from text_of(inspect.cleandoc(doc) if not doc.startswith(f"{cls.__name__}(") else "")
    else:
        yield from text_of(inspect.getdoc(cls) or "")
    if bases and home(cls) != "gearwright.errors":
        page = topic(bases[0], public()[bases[0]])
        yield from (f"Also has the members of [`{bases[0]}`]({page}.md#{anchor(bases[0])}).", "")
    rows = list(fields_of(cls))
    if rows:
        yield from ("| field | unit | range | default | meaning |", "|---|---|---|---|---|")
        for name, *cells in rows:
            yield "| " + " | ".join([f"`{name}`", *(_cell(c) for c in cells)]) + " |"
        yield ""
    elif "__init__" in vars(cls) and cls.__module__.startswith(("gearwright.control", "gearwright.learning")):
        yield from signature_of(cls.__name__, cls)
    for name, member, doc in sorted(members(cls), key=lambda m: m[0]):
        yield from (f"### {cls.__name__}.{name}", "")
        if not isinstance(member, property | cached_property):
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            yield from signature_of(name, function)
        yield from text_of(doc)


def topic_page(page: str) -> str:
    title, _ = TOPICS[page]
    lines = [f"# {title}", "", "<!-- written by docs/generate.py -->", ""]
    names = {n: t for n, t in public().items() if topic(n, t) == page}
    for name in sorted(
        names, key=lambda n: (n.startswith("gearwright."), not n.split(".")[-1][0].islower(), n.lower())
    ):
        lines += entry(name, names[name])
    for place, (name, thing) in zip(RELATED, related().items(), strict=True):
        if topic(name, thing) == page:
            lines += entry(name, thing, RELATED[place].partition(":")[0])
    return "\n".join(lines).rstrip() + "\n"


def index_page() -> str:
    """All names with a line each."""
    lines = [
        "# Every public name", "", "<!-- written by docs/generate.py -->", "",
        "This page lists all public names; `gw` is `import gearwright as gw`. Units are SI and radians. If the units",
        "of rotating and sliding axes differ, both are given: `N·m | N`. Names that are not on this page are internal,",
        "and may change.", "",
    ]  # fmt: skip
    for prefix, title in (("gw.", "gearwright"), ("gearwright.kinds.", "gearwright.kinds: types of your own"),
                          ("gearwright.drawing.", "gearwright.drawing: pictures of your own")):  # fmt: skip
        lines += [f"## {title}", "", "| name | |", "|---|---|"]
        for name, thing in public().items():
            if name.startswith(prefix):
                summary = VALUES.get(name) or (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
                lines.append(f"| [`{name}`]({topic(name, thing)}.md#{anchor(name)}) | {_cell(summary)} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def pages() -> dict[str, Any]:
    used = {topic(n, t) for n, t in (*public().items(), *related().items())}
    made = {f"reference/{page}.md": partial(topic_page, page) for page in TOPICS if page in used}
    return {"reference/names.md": index_page, **made}
