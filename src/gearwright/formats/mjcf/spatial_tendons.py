"""<spatial> tendons: lines from site to site. Those that wrap around a geom have no map here."""

from __future__ import annotations

import numpy as np

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import Body, JointPart, Parts, SitePart
from gearwright.formats.mjcf.values import real
from gearwright.formats.xml.located_xml import Element
from gearwright.model.poses import Array
from gearwright.model.transmissions import SpatialTendon

MAX_POINTS = 1000  # of a tendon
Line = tuple[SitePart, SitePart, float]  # with its share


def spatial_map(e: Element, name: str, parts: Parts, prefix: str) -> tuple[SpatialTendon, tuple[str, ...]] | str:
    """The map with its joints; in words, why there is none."""
    lines = _lines(e, parts, prefix)
    if isinstance(lines, str):
        return lines
    moving = [(a, b, share, *_apart(a.body, b.body)) for a, b, share in lines]
    constant = sum(s * float(np.linalg.norm(_at(a) - _at(b))) for a, b, s, up, down in moving if not (up or down))
    moving = [m for m in moving if m[3] or m[4]]
    joints: dict[str, JointPart] = {j.name: j for *_, up, down in moving for j in (*up, *down)}
    if not joints:
        return "no joint changes its length"
    if not all(j.scalar for j in joints.values()):
        return "it leads over a ball or a free joint"
    places = {name: k for k, name in enumerate(joints)}
    chains = [tuple(places[j.name] for j in chain) for *_, up, down in moving for chain in (up, down)]
    made = SpatialTendon(
        joint_screws=tuple(_screw(j) for j in joints.values()),
        joint_references=tuple(j.ref for j in joints.values()),
        ends=tuple(tuple(_at(site).tolist()) for a, b, *_ in moving for site in (a, b)),
        carriers=tuple(chains), shares=tuple(m[2] for m in moving), constant=constant,
    )  # fmt: skip
    return made, tuple(joints)


def _lines(e: Element, parts: Parts, prefix: str) -> list[Line] | str:
    """Straight lines between sites; a pulley begins a new branch, which counts less."""
    found: list[Line] = []
    before: SitePart | None = None
    share, wraps = 1.0, ""
    children = e.all("site", "geom", "pulley")
    if len(children) > MAX_POINTS:
        e.error("xml-unsafe", f"a tendon has at most {MAX_POINTS} points")
        return "it has too many points"
    for child in children:
        heed(child, f"tendon/spatial/{child.tag}")
        if child.tag == "pulley":
            divisor = real(child, "divisor", 1.0)
            if divisor <= 0:
                child.error("number-invalid", f"attribute divisor: a positive number is expected, not {divisor:g}")
                divisor = 1.0
            before, share = None, 1.0 / divisor
        elif child.tag == "geom":
            parts.find(child, "geom", parts.geoms, "geom", prefix)
            wraps = f"it wraps around geom {child.get('geom')!r}"
        else:
            site = parts.find(child, "site", parts.sites, "site", prefix)
            if site is not None and before is not None:
                found.append((before, site, share))
            before = site
    return wraps or found


def _apart(a: Body, b: Body) -> tuple[list[JointPart], list[JointPart]]:
    """Joints that carry one of two bodies and not the other, from the inside outwards."""
    chains = [[j for body in reversed(list(x.upwards())) for j in body.joints] for x in (a, b)]
    common = 0
    for i, j in zip(*chains, strict=False):
        if i is not j:
            break
        common += 1
    return chains[0][common:], chains[1][common:]


def _at(site: SitePart) -> Array:
    """In the world, with every joint at its reference."""
    X = site.body.X_WB @ site.X_BS
    return X.p


def _screw(j: JointPart) -> tuple[float, ...]:
    X = j.body.X_WB
    axis, anchor = X.R @ j.axis, X.R @ j.pos + X.p
    if j.kind == "slide":
        return (0.0, 0.0, 0.0, *axis.tolist())
    return (*axis.tolist(), *np.cross(anchor, axis).tolist())
