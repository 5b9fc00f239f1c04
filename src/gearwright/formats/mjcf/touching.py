"""<contact> and the bits of geoms: which links touch which.

In MuJoCo everything may touch everything, except what a joint connects, what bits keep apart, and pairs of bodies that
<exclude> names. A <pair> of geoms touches whatever the bits say. Here pairs of links touch or do not.
"""

from __future__ import annotations

from itertools import combinations

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import Body, GeomPart, Parts
from gearwright.model.contacts.counts import point_count

MOST_POINTS = 400  # of contact within a robot that a file asks for by saying nothing; see contacts.finding
MOST_BODIES = 2000  # with shapes; beyond it nothing is worked out


def read_contact(parts: Parts) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Pairs of bodies that are excluded, and pairs that are named."""
    excluded, paired = set[frozenset[str]](), set[frozenset[str]]()
    for section, file in parts.sections("contact"):
        prefix = file.prefix
        for e in section.all("pair", "exclude"):
            file.settings.defaults.fill(e)
            heed(e, f"contact/{e.tag}")
            if e.tag == "exclude":
                ends = [parts.body(e, name, prefix) for name in ("body1", "body2")]
                if None not in ends:
                    excluded.add(frozenset(b.name for b in ends if b is not None))
                continue
            geoms = [parts.find(e, name, parts.geoms, "geom", prefix) for name in ("geom1", "geom2")]
            if None not in geoms:
                paired.add(frozenset(g.body.name for g in geoms if g is not None))
                for g in geoms:
                    assert g is not None
                    g.paired = True
    return excluded, paired


def add_contacts(parts: Parts, excluded: set[frozenset[str]], paired: set[frozenset[str]]) -> None:
    """Links that touch each other within their robot, and pairs that never do."""
    draft = parts.draft
    bodies = [b for b in (parts.world, *parts.bodies.values()) if any(g.collides for g in b.geoms)]
    if len(bodies) > MOST_BODIES:
        return
    touching, points = set[str](), 0
    for a, b in combinations(bodies, 2):
        pair = frozenset((a.name, b.name))
        if not parts.option.on("contact") or (pair not in paired and (pair in excluded or not _may_touch(a, b))):
            draft.no_contact.append((a.name, b.name))
        elif parts.world not in (a, b) and not _connected(a, b):
            touching |= pair
            points += sum(
                point_count(g.shape, h.shape) for g in a.geoms for h in b.geoms if _bits(g, h) or pair in paired
            )
    if points > MOST_POINTS:
        parts.world.element.info(
            "not-simulated",
            f"links of the robot touch each other at up to {points} points; they do not by default, and "
            "compile(contacts=[…]) names those that matter",
        )
        return
    draft.self_collide += [b.name for b in bodies if b.name in touching]


def _may_touch(a: Body, b: Body) -> bool:
    return any(_bits(g, h) for g in a.geoms for h in b.geoms)


def _bits(g: GeomPart, h: GeomPart) -> bool:
    return bool(g.contype & h.conaffinity or h.contype & g.conaffinity)


def _connected(a: Body, b: Body) -> bool:
    """A joint connects them, or what they are welded to: such bodies do not touch."""
    return _root(a) is _root(b) or _above(a) is _root(b) or _above(b) is _root(a)


def _root(b: Body) -> Body:
    while b.parent is not None and not b.joints:
        b = b.parent
    return b


def _above(b: Body) -> Body | None:
    parent = _root(b).parent
    return None if parent is None else _root(parent)
