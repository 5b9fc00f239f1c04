"""Coordinates of joints that close loops: what the joint's own motion was made of is read off the two sides again."""

import numpy as np
import pytest

from gearwright.dynamics.algebra.spatial import Motion, Vector
from gearwright.dynamics.constraints.relative_pose import angle_about, loop_coordinates, quaternion_of
from gearwright.model import JOINT_KINDS
from gearwright.model.poses import rotation_about
from tests.dynamics.constraints.test_closures import joint, pose, turned
from tests.dynamics.random_mechanisms import flat
from tests.tolerances import ROUNDING

KINDS = [k for k in JOINT_KINDS if k not in ("fixed", "floating", "planar")]
H = 1e-6  # central differences: truncation h² = 1e-12, rounding 1e-16/h = 1e-10


def values(cut, R, d, about=0.0):
    return np.concatenate([flat(v) for c in loop_coordinates(cut) for v in c.values(pose(R, d), about)])


@pytest.mark.parametrize("kind", KINDS)
def test_coordinates_are_those_that_moved_it(kind, rng):
    cut = joint(kind, rng)
    for _ in range(10):
        q = 0.7 * rng.normal(size=len(cut.positions))
        if len(q) == 4:  # w ≥ 0 of the two quaternions of a rotation
            q = np.copysign(1.0, q[0]) * q / np.linalg.norm(q)
        X = cut.motion(q)
        assert values(cut, np.array(X.R), np.array(X.p)) == pytest.approx(q, abs=ROUNDING)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "ball"])
def test_rates_are_the_slopes_of_coordinates(kind, rng):
    cut = joint(kind, rng)
    for _ in range(10):
        R, d = turned(np.eye(3), 0.4 * rng.normal(size=3)), 0.1 * rng.normal(size=3)
        w, v = rng.normal(size=(2, 3))
        if len(cut.axes) == 2:  # the rates are of motions that it allows
            a, b = (np.array(axis.xyz) for axis in cut.axes)
            R = np.array(cut.motion(0.4 * rng.normal(size=2)).R)
            w = w[0] * a + w[1] * (R @ b)
        twist = Motion(Vector(*w.tolist()), Vector(*v.tolist()))
        ahead, behind = (values(cut, turned(R, s * H * w), d + s * H * v) for s in (1, -1))
        found = np.concatenate([flat(x) for c in loop_coordinates(cut) for x in c.rates(pose(R, d), twist)])
        assert found == pytest.approx((ahead - behind) / (2 * H), abs=1e-9)  # rounding over 2·h


@pytest.mark.parametrize("about", [0.0, 3.0, -4.0, 20.0])
def test_an_angle_is_read_within_half_a_turn_of_another(about, rng):
    for _ in range(20):
        angle = about + rng.uniform(-3.1, 3.1)
        R = rotation_about(np.array([0.0, 0.0, 1.0]), angle)
        assert float(angle_about((0.0, 0.0, 1.0), pose(R, np.zeros(3)), about)) == pytest.approx(angle, abs=ROUNDING)


def test_a_quaternion_by_the_largest_of_its_four_numbers(rng):
    """Also where one, two or three of them are zero."""
    for q in [*np.eye(4), (0.0, 0.6, 0.8, 0.0), (0.5, 0.5, 0.5, 0.5), *rng.normal(size=(20, 4))]:
        w, *xyz = np.array(q) / np.linalg.norm(q)
        n = np.linalg.norm(xyz)
        R = rotation_about(np.array(xyz) / n, 2 * np.arctan2(n, w)) if n else np.eye(3)
        found = [float(x) for x in quaternion_of(pose(R, np.zeros(3)).R)]
        expected = np.array([w, *xyz])
        assert found[0] >= 0.0
        assert min(np.abs(found - expected).max(), np.abs(found + expected).max()) < ROUNDING
