"""The mass matrix at the references of all joints: damping ratios and springs by time constants refer to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.formats.mjcf.parts import JointPart, MjcfBody, Parts
from gearwright.formats.mjcf.values import real
from gearwright.model.mass.inertia import Inertia
from gearwright.model.poses import Array

LEAST = 1e-15
MOST = 2000  # coordinates: the matrix has their square
Places = dict[str, slice]  # of joints in the matrix


def mass_matrix(parts: Parts, weights: Mapping[str, Inertia]) -> tuple[Array, Places]:
    """`M = Σ JᵀIJ + armature` over the bodies, and where each joint is in it."""
    places, n = {}, 0
    for j in parts.joints.values():
        places[j.name] = slice(n, n + j.velocities)
        n += j.velocities
    if n > MOST:
        parts.world.element.error("xml-unsafe", f"damping ratios and spring constants need at most {MOST} coordinates")
        return np.eye(1), {name: slice(0, 1) for name in places}
    own = {j.name: _twists(j) for j in parts.joints.values()}  # (6, velocities): angular, linear at the world's origin
    M = np.zeros((n, n))
    for b in parts.bodies.values():
        moving = [j for carrier in b.upwards() for j in carrier.joints]
        if not moving or weights[b.name].mass <= 0:
            continue
        J = np.hstack([own[j.name] for j in moving])
        at = np.concatenate([np.r_[places[j.name]] for j in moving])
        M[np.ix_(at, at)] += J.T @ _spatial(b, weights[b.name]) @ J
    for j in parts.joints.values():
        M[places[j.name], places[j.name]] += real(j.element, "armature") * np.eye(j.velocities) * (not j.freejoint)
    return M, places


def _spatial(b: MjcfBody, i: Inertia) -> Array:
    """The inertia about the world's origin, (6, 6)."""
    X = b.X_WB
    R, c = X.R, X.R @ i.center + X.p
    C = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    tensor = R @ i.tensor @ R.T + i.mass * C @ C.T
    return np.block([[tensor, i.mass * C], [i.mass * C.T, i.mass * np.eye(3)]])


def _twists(j: JointPart) -> Array:
    X = j.body.X_WB
    axis, anchor = X.R @ j.axis, X.R @ j.pos + X.p
    if j.kind == "slide":
        return np.concatenate([np.zeros(3), axis])[:, None]
    turns = axis[:, None] if j.kind == "hinge" else X.R
    about = np.vstack([turns, np.cross(anchor, turns, axisb=0, axisc=0)])
    if j.kind != "free":
        return about
    return np.hstack([np.vstack([np.zeros((3, 3)), np.eye(3)]), about])


def averaged_inertia(j: JointPart, parts: Parts, weights: Mapping[str, Inertia]) -> float:
    """What a push along one axis moves: the inverse of the mean of the inverse mass matrix's diagonal."""
    M, places = mass_matrix(parts, weights)
    try:
        inverse = np.diag(np.linalg.inv(M))[places[j.name]]
    except np.linalg.LinAlgError:
        j.element.error("inertia-missing", f"joint {j.name!r}: springdamper needs bodies with mass")
        return 1.0
    return float(1.0 / max(LEAST, inverse.mean()))
