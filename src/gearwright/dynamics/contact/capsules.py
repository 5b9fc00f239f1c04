"""Capsules: distances between segments, with a ball rolled along each of them."""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import Scalar, maximum, minimum, where
from gearwright.dynamics.contact.frame import Touch, WorldFrame
from gearwright.dynamics.contact.spheres import balls
from gearwright.model.geometry import Capsule, Sphere

PARALLEL = 1e-10  # squared sine of the angle between segments below which they count as parallel


def clamped(x: Scalar, most: Scalar) -> Scalar:
    """x, between −most and most."""
    return maximum(minimum(x, most), -most)


def sphere_capsule(a: Sphere, A: WorldFrame, b: Capsule, B: WorldFrame) -> list[Touch]:
    axis = B.axis(2)
    t = clamped(axis @ (A.p - B.p), 0.5 * b.length)
    return [balls(A.p, a.radius, B.p + axis * t, b.radius, B.axis(0))]


def capsule_capsule(a: Capsule, A: WorldFrame, b: Capsule, B: WorldFrame) -> list[Touch]:
    """Where the segments are nearest, and both ends of the part of a that lies beside b.

    The two ends carry capsules that lie side by side; the nearest point alone would let them turn.
    """
    u, v, d = A.axis(2), B.axis(2), A.p - B.p
    half_a, half_b = 0.5 * a.length, 0.5 * b.length
    cosine = u @ v
    crossed = 1.0 - cosine * cosine
    s = where(crossed > PARALLEL, (cosine * (v @ d) - u @ d) / maximum(crossed, PARALLEL), 0.0)
    t = clamped(v @ (d + u * clamped(s, half_a)), half_b)
    nearest = clamped(u @ (v * t - d), half_a)
    ends = (clamped(u @ (v * half_b - d), half_a), clamped(u @ (v * -half_b - d), half_a))

    def at(s: Scalar) -> Touch:
        """The ball of a at s, and b."""
        p = A.p + u * s
        return balls(p, a.radius, B.p + v * clamped(v @ (p - B.p), half_b), b.radius, u.cross(v) + B.axis(0))

    return [at(s) for s in (nearest, *ends)]
