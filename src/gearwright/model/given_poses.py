"""Poses as users write them."""

from __future__ import annotations

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.model.poses import IDENTITY, Pose

FORMS = "x y z, or x y z roll pitch yaw [m, rad], or x y z and a quaternion w x y z, or a 4×4 matrix"


def pose_of(what: str, given: object) -> Pose:
    """A Pose, or its numbers in one of the `FORMS`; None is the identity."""
    if given is None:
        return IDENTITY
    if isinstance(given, Pose):
        return given
    x = numbers(what, given)
    if x.shape == (4, 4):
        return Pose(x[:3, :3].copy(), x[:3, 3])
    if x.shape in ((3,), (6,)):
        return Pose.from_rpy(x[:3].tolist(), x[3:].tolist() or (0.0, 0.0, 0.0))
    if x.shape == (7,):
        return Pose.from_quaternion(x[:3].tolist(), x[3:].tolist())
    raise ModelError(f"{what} takes {FORMS}, not {given!r:.60}")
