"""The inertia of each body: as written, or of its geoms; then the compiler's bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.mjcf.bodies import inertial_pose
from gearwright.formats.mjcf.geom_inertia import Moments, mass_of
from gearwright.formats.mjcf.parts import GeomPart, MjcfBody, Parts
from gearwright.formats.mjcf.values import exactly, real
from gearwright.model.mass.inertia import MASSLESS, Inertia
from gearwright.model.poses import Array, Pose

TINY = 1e-14  # [kg] lighter geoms do not count


def inertias(parts: Parts) -> dict[str, Inertia]:
    """By body. A total mass that the file asks for scales all of them."""
    found = {b.name: _possible(b) for b in parts.bodies.values()}
    assert parts.world.file is not None
    wanted, total = parts.world.file.compiler.settotalmass, sum(i.mass for i in found.values())
    if wanted > 0 and total > 0:
        found = {name: _scaled(i, wanted / total) for name, i in found.items()}
    return found


def _possible(b: MjcfBody) -> Inertia:
    try:
        return _bounded(b, _inertia(b))
    except (ModelError, np.linalg.LinAlgError) as error:
        b.element.error("inertia-invalid", f"body {b.name!r}: {error}")
        return MASSLESS


def _inertia(b: MjcfBody) -> Inertia:
    assert b.file is not None
    rule = b.file.compiler.inertiafromgeom
    if rule == "true" or (rule == "auto" and b.inertial is None):
        low, high = b.file.compiler.inertiagrouprange
        made = of_geoms(g for g in b.geoms if low <= g.group <= high)
        if made is not None or b.inertial is None:
            return made or MASSLESS
    return MASSLESS if b.inertial is None else _written(b)


def _written(b: MjcfBody) -> Inertia:
    e = b.inertial
    assert e is not None
    mass, diagonal, full = real(e, "mass"), exactly(e, "diaginertia", 3), exactly(e, "fullinertia", 6)
    if "mass" not in e.attributes or "pos" not in e.attributes:
        e.error("element-missing", f"body {b.name!r}: <inertial> needs pos and mass")
    if diagonal is not None and full is not None:
        e.error("inertia-invalid", f"body {b.name!r}: <inertial> has diaginertia and fullinertia")
    if mass < 0 or min(diagonal or (0.0,)) < 0:
        e.error("inertia-invalid", f"body {b.name!r}: neither its mass nor its inertia can be negative")
        return MASSLESS
    x, y, z, xy, xz, yz = full or (*(diagonal or (0.0, 0.0, 0.0)), 0.0, 0.0, 0.0)
    return Inertia(mass=mass, moments=(x, y, z), products=(xy, xz, yz), pose=inertial_pose(b))


def of_geoms(geoms: Iterable[GeomPart]) -> Inertia | None:
    """Of all of them together, in the body's axes; None where none has a mass."""
    weighed = [(g, *mass_of(g)) for g in geoms]
    heavy: list[tuple[Pose, float, Moments]] = [(g.X_BI, mass, moments) for g, mass, moments in weighed if mass > TINY]
    if not heavy:
        return None
    if len(heavy) == 1:
        X, mass, moments = heavy[0]
        return Inertia(mass=mass, moments=moments, pose=X)
    total = sum(mass for _, mass, _ in heavy)
    center: Array = sum((mass * X.p for X, mass, _ in heavy), np.zeros(3)) / total
    tensor = np.zeros((3, 3))
    for X, mass, moments in heavy:
        d = X.p - center
        tensor += X.R @ np.diag(moments) @ X.R.T + mass * ((d @ d) * np.eye(3) - np.outer(d, d))
    return _of_tensor(total, tensor, Pose(np.eye(3), center))


def _of_tensor(mass: float, tensor: Array, X: Pose) -> Inertia:
    moments = (float(tensor[0, 0]), float(tensor[1, 1]), float(tensor[2, 2]))
    return Inertia(
        mass=mass, moments=moments, products=(float(tensor[0, 1]), float(tensor[0, 2]), float(tensor[1, 2])), pose=X
    )


def _bounded(b: MjcfBody, i: Inertia) -> Inertia:
    """At least what the compiler asks for, and principal moments of a body that can exist."""
    assert b.file is not None
    c = b.file.compiler
    if not (c.boundmass > 0 or c.boundinertia > 0 or c.balanceinertia):
        return i
    i = replace(i, mass=max(i.mass, c.boundmass))
    principal, R = np.linalg.eigh(np.array(i.own_tensor()))
    R = R * [1.0, 1.0, np.sign(np.linalg.det(R))]
    moments = np.maximum(principal, c.boundinertia)
    if c.balanceinertia and 2 * moments.max() > moments.sum():
        moments = np.full(3, moments.mean())
    if np.array_equal(moments, principal):
        return i
    x, y, z = moments.tolist()
    return Inertia(mass=i.mass, moments=(x, y, z), pose=i.pose @ Pose(R, np.zeros(3)))


def _scaled(i: Inertia, factor: float) -> Inertia:
    (x, y, z), (xy, xz, yz) = ((factor * a, factor * b, factor * c) for a, b, c in (i.moments, i.products))
    return replace(i, mass=factor * i.mass, moments=(x, y, z), products=(xy, xz, yz))
