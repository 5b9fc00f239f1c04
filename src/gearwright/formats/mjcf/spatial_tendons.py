"""<spatial> tendons: lines from site to site, straight or around a sphere or a cylinder between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import GeomPart, JointPart, MjcfBody, Parts, SitePart
from gearwright.formats.mjcf.values import real
from gearwright.formats.xml.located_xml import Element
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.transmissions import SpatialTendon
from gearwright.model.transmissions.spatial_tendon import TendonWrap

MAX_POINTS = 1000  # of a tendon
Chain = list[JointPart]


@dataclass
class TendonSegment:
    """Between two sites, with what it goes around."""

    a: SitePart
    b: SitePart
    share: float
    geom: GeomPart | None = None
    side: SitePart | None = None

    @property
    def bodies(self) -> list[MjcfBody]:
        return [self.a.body, self.b.body, *([] if self.geom is None else [self.geom.body])]


def spatial_map(e: Element, name: str, parts: Parts, prefix: str) -> tuple[SpatialTendon, tuple[str, ...]] | str:
    """The map with its joints; in words, why there is none."""
    lines = _lines(e, parts, prefix)
    if isinstance(lines, str):
        return lines
    chains = [(line, _apart(line.bodies)) for line in lines]
    joints = {j.name: j for _, found in chains for chain in found for j in chain}
    if not joints:
        return "no joint changes its length"
    if not all(j.scalar for j in joints.values()):
        return "it leads over a ball or a free joint"
    places = {name: k for k, name in enumerate(joints)}
    carried = [(line, [tuple(places[j.name] for j in chain) for chain in found]) for line, found in chains]
    straight = [(line, found) for line, found in carried if line.geom is None]
    moving = [(line, found) for line, found in straight if any(found)]
    still = [line for line, found in straight if not any(found)]
    made = SpatialTendon(
        joint_screws=tuple(_screw(j) for j in joints.values()),
        joint_references=tuple(j.ref for j in joints.values()),
        ends=tuple(_at(site) for line, _ in moving for site in (line.a, line.b)),
        carriers=tuple(chain for _, found in moving for chain in found),
        shares=tuple(line.share for line, _ in moving),
        wraps=tuple(_wrap(line, line.geom, found) for line, found in carried if line.geom is not None),
        constant=sum(line.share * float(np.linalg.norm(np.subtract(_at(line.a), _at(line.b)))) for line in still),
    )  # fmt: skip
    return made, tuple(joints)


def _lines(e: Element, parts: Parts, prefix: str) -> list[TendonSegment] | str:
    """Lines between sites; a pulley begins a new branch, which counts less. In words, why one has no map."""
    found: list[TendonSegment] = []
    before: SitePart | None = None
    around: tuple[GeomPart, SitePart | None] | None = None
    share, why = 1.0, ""
    children = e.all("site", "geom", "pulley")
    if len(children) > MAX_POINTS:
        e.error("xml-unsafe", f"a tendon has at most {MAX_POINTS} points")
        return "it has too many points"
    for child in children:
        heed(child, f"tendon/spatial/{child.tag}")
        if child.tag != "site" and around is not None:
            child.error("element-missing", "a <geom> of a tendon must be between two sites")
        if child.tag == "pulley":
            before, around, share = None, None, _share(child)
        elif child.tag == "geom":
            around = _around(child, parts, prefix)
            if before is None:
                child.error("element-missing", "a <geom> of a tendon must be between two sites")
            why = why or ("" if around is None else _unwrappable(*around))
        else:
            site = parts.find(child, "site", parts.sites, "site", prefix)
            if site is not None and before is not None:
                found.append(TendonSegment(before, site, share, *(around or ())))
            before, around = site, None
    if around is not None:
        e.error("element-missing", "a <geom> of a tendon must be between two sites")
    return why or found


def _share(e: Element) -> float:
    divisor = real(e, "divisor", 1.0)
    if divisor > 0:
        return 1.0 / divisor
    e.error("number-invalid", f"attribute divisor: a positive number is expected, not {divisor:g}")
    return 1.0


def _around(e: Element, parts: Parts, prefix: str) -> tuple[GeomPart, SitePart | None] | None:
    geom = parts.find(e, "geom", parts.geoms, "geom", prefix)
    side = parts.find(e, "sidesite", parts.sites, "site", prefix) if "sidesite" in e.attributes else None
    if geom is not None and geom.kind not in ("sphere", "cylinder"):
        e.error("number-invalid", f"a tendon goes around spheres and cylinders; geom {geom.name!r} is a {geom.kind}")
        return None
    return None if geom is None else (geom, side)


def _unwrappable(geom: GeomPart, side: SitePart | None) -> str:
    """Why the way around has no closed form."""
    if side is None:
        return ""
    if geom.kind == "sphere":
        return f"it passes a sidesite of the sphere {geom.name!r}, whose rule is MuJoCo's own"
    if side.body is not geom.body:
        return f"the sidesite of geom {geom.name!r} is on another body"
    if np.linalg.norm((geom.X_BG.inverse() @ side.X_BS).p) < geom.size[0]:
        return f"it runs inside geom {geom.name!r}"
    return ""


def _wrap(line: TendonSegment, geom: GeomPart, carriers: Sequence[tuple[int, ...]]) -> TendonWrap:
    X = geom.body.X_WB @ geom.X_BG
    a, b, shape = carriers
    side = None if line.side is None else _point((geom.X_BG.inverse() @ line.side.X_BS).p)
    return TendonWrap(
        ends=(_at(line.a), _at(line.b)), carriers=(a, b), shape_carriers=shape,
        shape=(_point(X.p), _point(X.p + X.R[:, 0]), _point(X.p + X.R[:, 1])), radius=geom.size[0],
        sphere=geom.kind == "sphere", side=side, share=line.share,
    )  # fmt: skip


def _apart(bodies: Sequence[MjcfBody]) -> list[Chain]:
    """For each body, the joints that carry it and not all of them, from the world outwards."""
    chains = [[j for body in reversed(list(x.upwards())) for j in body.joints] for x in bodies]
    common = 0
    for joints in zip(*chains, strict=False):
        if any(j is not joints[0] for j in joints):
            break
        common += 1
    return [chain[common:] for chain in chains]


def _at(site: SitePart) -> tuple[float, ...]:
    """In the world, with every joint at its reference."""
    return _point((site.body.X_WB @ site.X_BS).p)


def _point(p: Array) -> tuple[float, ...]:
    return tuple(p.tolist())


def _screw(j: JointPart) -> tuple[float, ...]:
    X: Pose = j.body.X_WB
    axis, anchor = X.R @ j.axis, (X @ Pose(IDENTITY.R, j.pos)).p
    if j.kind == "slide":
        return (0.0, 0.0, 0.0, *axis.tolist())
    return (*axis.tolist(), *np.cross(anchor, axis).tolist())
