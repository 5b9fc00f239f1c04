"""<contact> and the bits of geoms: which shapes touch which.

In MuJoCo everything may touch everything, except what a joint connects, what bits keep apart, and pairs of bodies that
<exclude> names. A <pair> of geoms touches whatever the bits say: it gets a bit of its own.
"""

from __future__ import annotations

from itertools import combinations

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import GeomPart, MjcfBody, Parts
from gearwright.formats.xml.located_xml import Element
from gearwright.model.contacts.counts import point_count
from gearwright.model.contacts.finding import MOST_POINTS

WORD = 32  # bits of contype and conaffinity; those of pairs are beyond
MOST_PAIRS = 2000
MOST_SHAPES = 2000  # that may touch something; of more, contact within the robot is left to the caller


def read_contact(parts: Parts) -> None:
    """Pairs of bodies that do not touch, and bits of pairs of geoms that do."""
    count = 0
    for section, file in parts.sections("contact"):
        for e in section.all("pair", "exclude"):
            file.settings.defaults.fill(e)
            heed(e, f"contact/{e.tag}")
            if e.tag == "exclude":
                _exclude(e, parts, file.prefix)
            elif count < MOST_PAIRS:
                count += _pair(e, parts, file.prefix, 1 << (WORD + count))
            else:
                e.warning("not-simulated", f"only {MOST_PAIRS} pairs of geoms are read")


def _exclude(e: Element, parts: Parts, prefix: str) -> None:
    a, b = (parts.body(e, name, prefix) for name in ("body1", "body2"))
    if a is not None and b is not None and a is not b:
        parts.draft.no_contact.append((a.name, b.name))


def _pair(e: Element, parts: Parts, prefix: str, bit: int) -> bool:
    a, b = (parts.find(e, name, parts.geoms, "geom", prefix) for name in ("geom1", "geom2"))
    if a is None or b is None:
        return False
    a.contype |= bit
    b.conaffinity |= bit
    return True


def add_contacts(parts: Parts) -> None:
    """Links that touch each other within their robot."""
    draft = parts.draft
    bodies = [b for b in (*parts.bodies.values(), parts.world) if any(g.collides for g in b.geoms)]
    known = {frozenset(pair) for pair in draft.no_contact}
    draft.no_contact[:] = [pair for pair in draft.no_contact if set(pair) <= draft.links.keys()]
    if not parts.option.on("contact"):
        return
    if sum(len(b.geoms) for b in bodies) > MOST_SHAPES:
        message = f"there are more than {MOST_SHAPES} shapes: links of one robot do not touch each other"
        parts.world.element.info("not-simulated", message)
        return
    touching, points = set[str](), 0
    for a, b in combinations(bodies, 2):
        pair = frozenset((a.name, b.name))
        if pair in known or _welded(a, b):
            continue
        if _neighbours(a, b):  # links without mass may be between them, so that this is not seen in the joints
            draft.no_contact.append((a.name, b.name))
            continue
        found = sum(point_count(g.shape, h.shape) for g in a.geoms for h in b.geoms if may_touch(g, h))
        points += found
        if found and a.part is b.part:
            touching |= pair
    if touching and points > MOST_POINTS:
        parts.world.element.info(
            "not-simulated",
            f"links may touch each other at {points} points, more than {MOST_POINTS}: those of one robot do not touch, "
            "unless compile(contacts=[…]) names those that matter",
        )
        return
    draft.self_collide += [b.name for b in bodies if b.name in touching]


def may_touch(g: GeomPart, h: GeomPart) -> bool:
    return bool(g.contype & h.conaffinity or h.contype & g.conaffinity)


def _welded(a: MjcfBody, b: MjcfBody) -> bool:
    return a.carrier is b.carrier


def _neighbours(a: MjcfBody, b: MjcfBody) -> bool:
    """A joint connects them, or what they are welded to; the world, and what stands on it, is nobody's neighbour."""
    if a.carrier.parent is None or b.carrier.parent is None:
        return False
    return a.carrier.above is b.carrier or b.carrier.above is a.carrier
