"""Random shapes in random poses, and the distance that Coal (FCL's successor, a part of Pinocchio) finds for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import WorldFrame
from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from gearwright.model.poses import Array, Pose, rotation_quaternion
from gearwright.model.shapes.height_field import HeightField, height_field
from gearwright.model.shapes.hull import Hull, hull_of

SAMPLES = {
    Sphere: lambda rng: Sphere(radius=rng.uniform(0.1, 0.5)),
    Capsule: lambda rng: Capsule(radius=rng.uniform(0.05, 0.3), length=rng.uniform(0.1, 1.0)),
    Box: lambda rng: Box(size=tuple(rng.uniform(0.1, 1.0, 3).tolist())),
    Cylinder: lambda rng: Cylinder(radius=rng.uniform(0.1, 0.5), length=rng.uniform(0.1, 1.0)),
    Ellipsoid: lambda rng: Ellipsoid(radii=tuple(rng.uniform(0.1, 0.5, 3).tolist())),
    Hull: lambda rng: hull_of(rng.normal(size=(40, 3)) * rng.uniform(0.1, 0.3, 3)),
    HeightField: lambda rng: height_field((20.0, 20.0), rng.normal(size=(7, 9)) * 0.05),
    Plane: lambda rng: Plane(normal=tuple(rng.normal(size=3).tolist())),
}


def random_pose(rng: np.random.Generator, spread: float = 0.0) -> Pose:
    return Pose(rotation_quaternion(*rng.normal(size=4).tolist()), rng.normal(size=3) * spread)


def frame(X: Pose) -> WorldFrame:
    x, y, z = (Vector(*row) for row in X.R.tolist())
    return WorldFrame((x, y, z), Vector(*X.p.tolist()))


def coal_shape(shape: Shape) -> Any:
    import coal

    match shape:
        case Sphere():
            return coal.Sphere(shape.radius)
        case Capsule():
            return coal.Capsule(shape.radius, shape.length)
        case Box():
            return coal.Box(*shape.size)
        case Cylinder():
            return coal.Cylinder(shape.radius, shape.length)
        case Ellipsoid():
            return coal.Ellipsoid(*shape.radii)
        case Hull():
            points = coal.StdVec_Vec3s()
            for v in shape.vertices:
                points.append(np.array(v))
            return coal.Convex.convexHull(points, False, "Qt")
        case Plane():
            n = np.array(shape.normal) / np.linalg.norm(shape.normal)
            return coal.Halfspace(n, 0.0)
    raise AssertionError(shape)


def coal_distance(a: Shape, X_a: Pose, b: Shape, X_b: Pose) -> tuple[float, Array]:
    """Signed distance, and the unit normal from b to a."""
    import coal

    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    poses = [coal.Transform3s(X.R, X.p) for X in (X_a, X_b)]
    distance = coal.distance(coal_shape(a), poses[0], coal_shape(b), poses[1], request, result)
    return distance, -np.asarray(result.normal)
