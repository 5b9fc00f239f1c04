"""Volume, centre and moments of a mesh, in MuJoCo's four ways.

`exact` adds up signed pyramids over the triangles, `legacy` takes all of them as positive, `convex` those of the convex
hull, and `shell` spreads the mass over the surface. Pyramids have their tips in the centroid of the faces for the
centre of mass, and in that centre for the moments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.formats.mjcf.mesh_data import Faces, MeshError
from gearwright.model.poses import Array, Pose
from gearwright.optional import require

WAYS = ("convex", "legacy", "exact", "shell")
LEAST = 1e-15  # [m², m³]: less has no inertia


class MeshInertia(NamedTuple):
    """Of unit density: a volume [m³], or a surface [m²]."""

    amount: float
    moments: tuple[float, float, float]  # principal, per unit of mass [m²]
    X_MI: Pose  # of the principal axes in the mesh


def mesh_inertia(vertices: Array, faces: Faces, way: str) -> MeshInertia:
    """Raises MeshError where the mesh has no volume, or one that is inside out."""
    shell, legacy = way == "shell", way == "legacy"
    centroid, area = _surface(vertices[faces])
    if area < LEAST:
        raise MeshError("has too small a surface")
    corners = vertices[hull(vertices)] if way == "convex" else vertices[faces]  # (n, 3, 3)
    amount, center = _filled(corners, centroid, shell, legacy)
    if amount < LEAST:
        what = "is inside out: its triangles have the wrong orientation" if amount < 0 else "has too small a volume"
        raise MeshError(f'{what}; inertia="shell" takes its surface')
    moved = corners - center
    amounts = _amounts(moved, shell, legacy)
    total = float(amounts.sum())
    P = _second_moments(moved, amounts) / (12.0 if shell else 20.0)
    tensor = (np.trace(P) * np.eye(3) - P) / total
    if not np.isfinite(tensor).all():
        raise MeshError("is too large")
    principal, R = (x[..., ::-1] for x in np.linalg.eigh(tensor))  # the largest first, so that z is the long axis
    if not principal[2] > 0:
        raise MeshError("has no extent in some direction")
    R = R * [1.0, 1.0, np.sign(np.linalg.det(R))]
    return MeshInertia(total, (float(principal[0]), float(principal[1]), float(principal[2])), Pose(R, center))


def hull(vertices: Array) -> Faces:
    """Triangles of the convex hull, facing outwards."""
    ConvexHull = require("scipy.spatial", "the convex hull of a mesh").ConvexHull
    try:
        found = ConvexHull(vertices)
    except Exception as error:  # qhull's own errors, of flat meshes
        raise MeshError("has no convex hull") from error
    faces: Faces = found.simplices.astype(np.int64)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0
    faces[inward, 1:] = faces[inward, :0:-1]
    return faces


def _surface(corners: Array) -> tuple[Array, float]:
    """Centroid of the faces and their area."""
    areas = np.linalg.norm(_twice_area(corners), axis=1) / 2
    total = float(areas.sum())
    return areas @ corners.mean(axis=1) / max(total, LEAST), total


def _twice_area(corners: Array) -> Array:
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    return np.cross(b - a, c - a)


def _amounts(corners: Array, shell: bool, legacy: bool) -> Array:
    """By triangle: its area, or the volume of the pyramid to the origin."""
    normal = _twice_area(corners)
    if shell:
        return np.asarray(np.linalg.norm(normal, axis=1) / 2)
    volumes: Array = np.einsum("ij,ij->i", corners.mean(axis=1), normal) / 6
    return np.abs(volumes) if legacy else volumes


def _filled(corners: Array, tip: Array, shell: bool, legacy: bool) -> tuple[float, Array]:
    """Amount and centre of mass; a triangle's pyramid has its own at a quarter of the way to its tip."""
    amounts = _amounts(corners - tip, shell, legacy)
    total = float(amounts.sum())
    centers = 0.75 * corners.mean(axis=1) + 0.25 * tip
    return total, amounts @ centers / total if total >= LEAST else np.zeros(3)


def _second_moments(corners: Array, amounts: Array) -> Array:
    """Σ amount·Σ over pairs of corners, each corner with itself twice: 20 (or 12, of a surface) times ∫ x·xᵀ."""
    whole = corners.sum(axis=1)  # (n, 3)
    own = np.einsum("n,nki,nkj->ij", amounts, corners, corners)
    return np.asarray(own + np.einsum("n,ni,nj->ij", amounts, whole, whole))
