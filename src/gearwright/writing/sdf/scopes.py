"""Nested models: `arm::hand::finger` is the link `finger` of the model `hand` in the model `arm`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gearwright.model import WORLD, Joint, Mechanism
from gearwright.model.renaming import every_name
from gearwright.writing.nodes import Node


@dataclass(kw_only=True)
class Scopes:
    """The <model> elements by the prefix of their parts' names. Flat if a part names another outside its model."""

    root: Node
    nested: bool
    models: dict[str, Node] = field(default_factory=dict)

    def prefix(self, name: str) -> str:
        """ "arm::hand::" of "arm::hand::finger"."""
        head, colons, last = name.rpartition("::")
        return head + colons if self.nested and head and last else ""

    def model(self, prefix: str) -> Node:
        """The element for parts with this prefix; it is made on first use, with those around it."""
        if not prefix:
            return self.root
        if prefix not in self.models:
            outer, _, name = prefix.removesuffix("::").rpartition("::")
            self.models[prefix] = self.model(f"{outer}::" if outer else "").add("model", name=name)
        return self.models[prefix]


def can_nest(robot: Mechanism) -> bool:
    """Whether every part names only parts of its own model and of models inside it, and these may have their names."""
    models = {name[:at] for name in (*robot.links, *robot.joints) for at in colons(name)}
    if any(m in robot.links or m.endswith(":") or _is_reserved(m.rpartition("::")[2]) for m in models):
        return False
    return all(_inside(name, others) for name, others in _named(robot))


def colons(name: str) -> list[int]:
    return [at for at in range(len(name)) if name.startswith("::", at)]


def _is_reserved(name: str) -> bool:
    return name == WORLD or (name.startswith("__") and name.endswith("__"))


def flat_names(robot: Mechanism) -> dict[str, str]:
    """Where they cannot be nested: each name with "::", which SDFormat allows no part, and one without it."""
    every = every_name(robot)
    taken, found = {*every}, dict[str, str]()
    for name in every if not can_nest(robot) else ():
        if "::" in name:
            new = name.replace("::", "_")
            while new in taken:
                new += "_"
            taken.add(new)
            found[name] = new
    return found


def _inside(name: str, others: tuple[str, ...]) -> bool:
    head, colons, last = name.rpartition("::")
    if colons and not (head and last and all(head.split("::"))):
        return False
    return all(other.startswith(head + colons) for other in others if other != WORLD)


def _named(robot: Mechanism) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Parts, and the names that they hold."""
    yield from ((link, ()) for link in robot.links)
    for j in (*robot.joints.values(), *robot.bases.values()):
        yield j.name, _ends(j)
    for c in robot.couplings.values():
        yield c.follower.joint, tuple(t.axis.joint for t in c.leaders)
        yield c.name, (c.follower.joint, *(t.axis.joint for t in c.leaders))
    for t in robot.transmissions.values():
        yield t.name, (*t.actuators, *(a.joint for a in t.joints))
    for a in robot.actuators.values():
        yield a.name, () if a.joint is None else (a.joint.joint,)
    for s in robot.sensors.values():
        yield s.name, tuple(x for x in (s.transmission, s.actuator, s.reaction, s.link) if x is not None)
    yield from ((f.name, (f.link,)) for f in robot.frames.values())
    for h in robot.hardware.values():
        yield h.name, (*(c.name for c in h.joints), *h.transmissions)


def _ends(joint: Joint) -> tuple[str, ...]:
    return joint.parent, joint.child
