"""Which model of an SDFormat file is loaded: the one named, the only one that moves, or all of a world.

The only model that moves keeps its names; static models beside it, of its world, are the environment that it touches.
Of several that move, all are loaded as one mechanism, with names `model::link`.

Names are those of models; where several worlds have a model of the same name, `world::model` says which, and
`world::*` stands for all models of one world.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.formats.paths.includes import Library
from gearwright.formats.sdf.version import Version
from gearwright.formats.xml.located_xml import Element, descendants

EVERY = "*"  # all models of a world as one mechanism


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A model, or a whole world, that may be loaded."""

    model: Element
    version: Version
    placing: Element  # the model itself, or the <include> that brings it
    holder: Element  # the <world> or <sdf> that it stands in
    others: list[Candidate] = field(default_factory=list)  # beside it in its holder; of the one that is chosen
    environment: list[Candidate] = field(default_factory=list)  # those of them that are loaded along

    @property
    def name(self) -> str:
        return self.model.attributes.get("name", "")

    @property
    def static(self) -> bool:
        return is_static(self.model) or is_static(self.placing)

    @property
    def touchable(self) -> bool:
        """Whether it has a shape that something could touch."""
        return self.model.tag == "robot" or any(e.tag == "collision" for e in descendants(self.model))


def is_static(model: Element) -> bool:
    return any(c.tag == "static" and c.words in ("1", "true") for c in model.children)


def choose(root: Element, chosen: str | None, library: Library, version: Version) -> Candidate | None:
    """None with the reason in the report."""
    if root.tag == "model":  # a bare model, as the proposals print it
        return Candidate(model=root, version=version, placing=root, holder=root)
    worlds = root.all("world")
    for w in worlds:
        w.get("name")
    if worlds and chosen is not None and (chosen == EVERY or chosen.endswith(f"::{EVERY}")):
        return _whole_world(root, _named_world(root, chosen, worlds), worlds, version)
    found = [c for holder in (root, *worlds) for c in _candidates(holder, library, version, root)]
    if chosen == EVERY and len(found) > 1:
        return Candidate(model=root, version=version, placing=root, holder=root)
    meant = [c for c in found if not c.static] or found
    if chosen is None and len(meant) > 1 and meant[0].holder.tag == "world" and len({id(c.holder) for c in meant}) == 1:
        return _whole_world(root, meant[0].holder, worlds, version)
    taken = _by_name(root, chosen, found) if chosen not in (None, EVERY) else _only_moving(root, found)
    if taken is None:
        return None
    if chosen is None and taken.holder.tag == "world" and not taken.static:
        taken.environment.extend(c for c in found if c.touchable and c.static and c.holder is taken.holder)
    for c in found:
        if c is not taken and c not in taken.environment:
            c.model.info("element-ignored", f"model {c.name!r} is not the one loaded")
            for e in (c.model, c.placing):
                e.consume()
    taken.others.extend(c for c in found if c is not taken and c.holder is taken.holder)
    return taken


def _named_world(root: Element, chosen: str, worlds: list[Element]) -> Element | None:
    """Of `world::*`; of `*` the first."""
    names = [w.attributes.get("name", "") for w in worlds]
    wanted = chosen.removesuffix(EVERY).removesuffix("::")
    if wanted and wanted not in names:
        root.error("model-choice", f"there is no world {wanted!r}{root.report.near(wanted, names)}")
        return None
    return worlds[names.index(wanted) if wanted else 0]


def _whole_world(root: Element, world: Element | None, worlds: list[Element], version: Version) -> Candidate | None:
    if world is None:
        return None
    name = world.attributes.get("name", "")
    for other in worlds:
        if other is not world:
            how = f"model='{other.attributes.get('name', '')}::{EVERY}' loads it"
            other.warning("model-choice", f"there are {len(worlds)} worlds; {name!r} is loaded, not this: {how}")
            other.consume()
    for m in root.all("model", "include"):
        m.warning("model-choice", f"this {m.tag} is outside the world that is loaded, and is not part of it")
        m.consume()
    return Candidate(model=world, version=version, placing=world, holder=world)


def _candidates(holder: Element, library: Library, version: Version, root: Element) -> list[Candidate]:
    found = [Candidate(model=m, version=version, placing=m, holder=holder) for m in holder.all("model")]
    for i in holder.all("include"):
        included = library.include(i, strict=holder is root)
        if included is not None:
            found.append(Candidate(model=included.model, version=included.version, placing=i, holder=holder))
    return found


def _by_name(root: Element, chosen: str | None, found: list[Candidate]) -> Candidate | None:
    assert chosen is not None
    named = [c for c in found if chosen in (c.name, f"{c.holder.attributes.get('name', '')}::{c.name}")]
    if not named:
        root.error("model-choice", f"there is no model {chosen!r}{root.report.near(chosen, (c.name for c in found))}")
        return None
    if len(named) > 1:
        worlds = list(dict.fromkeys(c.holder.attributes.get("name", "") for c in named))
        if len(worlds) > 1:
            listed = ", ".join(repr(f"{w}::{chosen}") for w in worlds[:12])
            root.error("model-choice", f"there are {len(named)} models {chosen!r} in {len(worlds)} worlds: {listed}")
            return None
        message = f"there are {len(named)} models named {chosen!r}; the first is loaded, at line {named[0].model.line}"
        named[1].model.warning("name-duplicate", message)
    return named[0]


def _distinct(found: list[Candidate]) -> list[str]:
    """Names that `model` takes: with the world's in front where models of two worlds have one name."""
    holders: dict[str, set[int]] = {}
    for c in found:
        holders.setdefault(c.name, set()).add(id(c.holder))
    worlds = [c.holder.attributes.get("name", "") for c in found]
    return [f"{w}::{c.name}" if len(holders[c.name]) > 1 else c.name for c, w in zip(found, worlds, strict=True)]


def _only_moving(root: Element, found: list[Candidate]) -> Candidate | None:
    moving = [c for c in found if not c.static] or found
    if len(moving) == 1:
        return moving[0]
    names = _distinct(found)
    listed = ", ".join(map(repr, names[:12]))
    message = "the file holds no model" if not found else f"the file holds {len(found)} models; choose one by name"
    message += f" (model={names[0]!r}, --model), or all of them ('{EVERY}'): {listed}" if found else ""
    root.error("model-choice", message)
    return None
