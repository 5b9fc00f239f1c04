"""Default classes: attributes that elements have unless they say otherwise.

A class begins as a copy of the class around it. Attributes with several numbers are overwritten number by number, as
MuJoCo does it. All actuators share one set of defaults, whatever they are called; `actuator_settings` has that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.formats.mjcf.actuator_settings import ACTUATOR_TAGS, ActuatorSettings, apply_settings
from gearwright.formats.mjcf.grammar import ELEMENTS, heed
from gearwright.formats.xml.located_xml import Element

Attributes = dict[str, str]
MAIN = "main"
MOST_CLASSES = 2000  # each begins as a copy of the one around it
PARTLY = frozenset(  # attributes of which an element may overwrite the first numbers only
    [
        "size",
        "friction",
        "solref",
        "solimp",
        "solreflimit",
        "solimplimit",
        "solreffriction",
        "solimpfriction",
        "stiffness",
        "damping",
        "springlength",
        "fluidcoef",
        "surfacevel",
    ]
)
TURNS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
PATHS = {  # in a class: where such elements stand otherwise
    "mesh": ("asset/mesh",), "material": ("asset/material",), "joint": ("body/joint",), "geom": ("body/geom",),
    "site": ("body/site",), "pair": ("contact/pair",), "tendon": ("tendon/fixed", "tendon/spatial"),
    "equality": ("equality/connect",),
}  # fmt: skip
OWN_KINDS = {"muscle": "muscle", "orientation": "so3"}  # actuators that make others of their class what they are
DRAWN = ("camera", "light", "texture", "skin")


@dataclass
class DefaultClass:
    """One class: by tag, what its elements get."""

    tags: dict[str, Attributes] = field(default_factory=dict)
    actuator: ActuatorSettings = field(default_factory=ActuatorSettings)

    def copy(self) -> DefaultClass:
        return DefaultClass({tag: dict(a) for tag, a in self.tags.items()}, self.actuator.copy())


class Defaults:
    """The classes of a file by name."""

    def __init__(self) -> None:
        self.classes: dict[str, DefaultClass] = {MAIN: DefaultClass()}

    def read(self, root: Element) -> None:
        for e in root.all("default"):
            self._read(e, None)

    def _read(self, e: Element, parent: str | None) -> None:
        """A class, then those inside it."""
        heed(e, "default")
        name = e.get("class") or ""
        if parent is None and name not in ("", MAIN):
            e.error("name-reserved", f"the outermost <default> is called {MAIN!r}, not {name!r}")
            return
        if parent is not None and (not name or name in self.classes):
            found = f"there are two default classes named {name!r}" if name else "a default class without a name"
            e.error("name-duplicate" if name else "name-missing", found)
            return
        if len(self.classes) >= MOST_CLASSES:
            e.error("xml-unsafe", f"there are more than {MOST_CLASSES} default classes")
            return
        if parent is not None:
            self.classes[name] = self.classes[parent].copy()
        own = self.classes[name or MAIN]
        for child in e.every():
            if child.tag != "default":
                _apply(child, own)
        for child in e.every():
            if child.tag == "default":
                self._read(child, name or MAIN)

    def of(self, e: Element, inherited: str) -> DefaultClass:
        """The class of an element: its own, or that of the bodies around it."""
        name = e.get("class")
        if name is None:
            return self.classes.get(inherited, self.classes[MAIN])
        return self.named(e, name)

    def named(self, e: Element, name: str) -> DefaultClass:
        if name not in self.classes:
            e.error("name-missing", f"there is no default class {name!r}{e.report.near(name, self.classes)}")
            return self.classes[MAIN]
        return self.classes[name]

    def fill(self, e: Element, inherited: str = MAIN, tag: str | None = None) -> Element:
        """The element with the attributes of its class where it has none of its own."""
        e.attributes = overlaid(self.of(e, inherited).tags.get(tag or e.tag, {}), e.attributes)
        return e


def overlaid(before: Attributes, own: Attributes) -> Attributes:
    """`own` over `before`. An orientation replaces any other."""
    if not before:
        return own
    turned = any(name in own for name in TURNS)
    merged = {name: text for name, text in before.items() if not (turned and name in TURNS)}
    for name, text in own.items():
        merged[name] = _continued(text, merged[name]) if name in PARTLY and name in merged else text
    return merged


def _continued(text: str, before: str) -> str:
    """The numbers of a text, and behind them those that it leaves out."""
    words = text.split()
    return " ".join([*words, *before.split()[len(words) :]])


def _apply(e: Element, own: DefaultClass) -> None:
    if e.tag in ACTUATOR_TAGS and ELEMENTS[f"actuator/{e.tag}"].whole is None:
        apply_settings(e, own.actuator)
    elif e.tag in PATHS:
        known = frozenset[str]().union(*(ELEMENTS[path].attributes for path in PATHS[e.tag]))
        for name in e.attributes:
            if name in known:
                e.get(name)
        own.tags[e.tag] = overlaid(own.tags.get(e.tag, {}), dict(e.attributes))
    elif e.tag in ACTUATOR_TAGS:
        own.actuator.gaintype = OWN_KINDS.get(e.tag, own.actuator.gaintype)
        e.consume()
    elif e.tag in DRAWN:
        e.consume()
    else:
        near = e.report.near(e.tag, [*PATHS, *ACTUATOR_TAGS], listed=False)
        e.warning("element-unknown", f"<{e.tag}> in <default> is not known{near}")
        e.consume()
    for child in e.all("layer"):
        child.consume()
