"""Poses: group laws, quaternions, immutability."""

from __future__ import annotations

import pickle
from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright.model import IDENTITY, Pose
from gearwright.model.poses import rotation_about
from tests.tolerances import ROUNDING

lengths = st.floats(-100, 100)
angles = st.floats(-4, 4)
poses = st.builds(Pose.from_rpy, st.tuples(lengths, lengths, lengths), st.tuples(angles, angles, angles))
units = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(c * c for c in q) > 1e-3)


def same(a: Pose, b: Pose, length: float = 1.0) -> None:
    """Up to the rounding of numbers of that length."""
    np.testing.assert_allclose(a.matrix, b.matrix, rtol=ROUNDING, atol=ROUNDING * length)


@given(poses, poses, poses)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_group_laws(a: Pose, b: Pose, c: Pose) -> None:
    same((a @ b) @ c, a @ (b @ c), length=100)
    same(a @ a.inverse(), IDENTITY, length=100)
    same((a @ b).inverse(), b.inverse() @ a.inverse(), length=100)
    assert (a @ IDENTITY) == a == (IDENTITY @ a)
    np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, rtol=ROUNDING, atol=ROUNDING * 100)


@given(poses)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_rotations_are_rotations(X: Pose) -> None:
    np.testing.assert_allclose(X.R @ X.R.T, np.eye(3), atol=ROUNDING, rtol=ROUNDING)
    assert np.linalg.det(X.R) == pytest.approx(1, rel=ROUNDING)


@given(poses)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_quaternion_round_trip(X: Pose) -> None:
    q = X.quaternion
    assert q[0] >= 0
    assert sum(c * c for c in q) == pytest.approx(1, rel=ROUNDING)
    same(Pose.from_quaternion(X.p, q), X)


@given(units)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_quaternions_are_normalised_and_unique_up_to_sign(q: tuple[float, ...]) -> None:
    n = sum(c * c for c in q) ** 0.5
    found = np.array(Pose.from_quaternion((0, 0, 0), q).quaternion)
    wanted = np.array(q) / n
    assert min(np.abs(found - wanted).max(), np.abs(found + wanted).max()) < ROUNDING


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8), (0.6, -0.8, 0)])
@pytest.mark.parametrize("angle", [0, 1e-9, 0.3, pi / 2, 3.0, pi, -pi])
def test_a_turn_about_an_axis(axis: tuple[float, ...], angle: float) -> None:
    R = rotation_about(axis, angle)
    np.testing.assert_allclose(R @ axis, axis, atol=ROUNDING, rtol=ROUNDING)
    assert np.trace(R) == pytest.approx(1 + 2 * cos(angle), rel=1e-12)
    half = (cos(angle / 2), *(sin(angle / 2) * c for c in axis))
    np.testing.assert_allclose(Pose.from_quaternion((0, 0, 0), half).R, R, atol=ROUNDING, rtol=ROUNDING)


def test_a_half_turn_has_a_quaternion() -> None:
    for axis in np.eye(3):
        np.testing.assert_allclose(
            np.abs(Pose(rotation_about(axis, pi), (0, 0, 0)).quaternion[1:]), axis, atol=ROUNDING, rtol=ROUNDING
        )


def test_roll_pitch_yaw_are_about_fixed_axes() -> None:
    r, p, y = 0.1, 0.2, 0.3
    expected = rotation_about((0, 0, 1), y) @ rotation_about((0, 1, 0), p) @ rotation_about((1, 0, 0), r)
    np.testing.assert_allclose(Pose.from_rpy((0, 0, 0), (r, p, y)).R, expected, atol=ROUNDING, rtol=ROUNDING)


def test_nothing_turned_is_exactly_the_identity() -> None:
    assert Pose.from_rpy((0, 0, 0), (0, 0, 0)) == IDENTITY
    assert Pose.from_rpy((1, 2, 3), (0, 0, 0)).R.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("size", [1e-150, 1e-20, 1e20, 1e150])
def test_quaternions_of_any_size(size: float) -> None:
    np.testing.assert_allclose(
        Pose.from_quaternion((0, 0, 0), (size, 0, 0, size)).R,
        rotation_about((0, 0, 1), pi / 2),
        atol=ROUNDING,
        rtol=ROUNDING,
    )


def test_a_pose_does_not_change() -> None:
    X = Pose.from_rpy((1, 2, 3), (0, 0, 1))
    with pytest.raises(AttributeError):
        X.p = np.zeros(3)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        X.p[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        X.R[0, 0] = 5
    source = np.zeros(3)
    Y = Pose(np.eye(3), source)
    source[0] = 9
    assert Y.p[0] == 0


def test_poses_are_values() -> None:
    X, Y = Pose.from_rpy((1, 2, 3), (0, 0, 1)), Pose.from_rpy((1, 2, 3), (0, 0, 1))
    assert X == Y
    assert hash(X) == hash(Y)
    assert Pose.from_rpy((1, 2, 3), (0, 0, 1.1)) != X
    assert X != 3
    assert pickle.loads(pickle.dumps(X)) == X
    assert "1.0" in repr(X)
