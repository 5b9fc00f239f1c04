"""Joints, axes and limits."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import inf, nan, pi

import numpy as np
import pytest

from gearwright import ModelError
from gearwright.model import JOINT_KINDS, Axis, AxisRef, Joint, Limits, Pose
from gearwright.model.joints import plane_basis
from gearwright.model.tree.kinematics import retract, small_twist, subspace
from tests.tolerances import ROUNDING


def subspace_by_differences(joint, q, h=1e-6):
    """Central differences: exact to 1e-10."""
    S = np.zeros((6, joint.dof))
    X_inverse = joint.motion(q).inverse()
    for i in range(joint.dof):
        dv = np.zeros(joint.dof)
        dv[i] = h
        ahead, behind = joint.motion(retract(joint, q, dv)), joint.motion(retract(joint, q, -dv))
        S[:, i] = (small_twist(ahead @ X_inverse) - small_twist(behind @ X_inverse)) / (2 * h)
    return S


def made(kind: str, **more: object) -> Joint:
    axes = tuple(Axis(xyz=xyz) for xyz in ((0, 0.6, 0.8), (1, 0, 0))[: JOINT_KINDS[kind].axes])  # type: ignore[arg-type]
    return Joint(name="j", kind=kind, parent="a", child="b", axes=axes, thread_pitch=0.01, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"lower": 1, "upper": -1}, "above"),
        ({"lower": nan}, "above"),
        ({"upper": nan}, "above"),
        ({"velocity": -1}, "negative"),
        ({"effort": nan}, "negative"),
    ],
)
def test_limits_that_cannot_be(values: dict[str, float], why: str) -> None:
    with pytest.raises(ModelError, match=why):
        Limits(**values)  # type: ignore[arg-type]


def test_limits_are_none_by_default() -> None:
    assert (Limits().lower, Limits().upper, Limits().bounded) == (-inf, inf, False)
    assert Limits(lower=0).bounded
    assert Limits(upper=0).bounded
    assert Limits(lower=0.5, upper=0.5).bounded


@pytest.mark.parametrize("xyz", [(0, 0, 0), (0, 0, 2), (nan, 0, 1)])
def test_an_axis_is_of_unit_length(xyz: tuple[float, float, float]) -> None:
    with pytest.raises(ModelError, match="unit"):
        Axis(xyz=xyz)


def test_a_joint_has_the_axes_of_its_kind() -> None:
    with pytest.raises(ModelError, match="1 axes, not 0"):
        Joint(name="j", kind="revolute", parent="a", child="b")
    with pytest.raises(ModelError, match="no joint type"):
        Joint(name="j", kind="rotary", parent="a", child="b")


def test_parts_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        made("revolute").name = "k"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Limits().lower = 0  # type: ignore[misc]


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_the_frames_coincide_at_zero(kind: str) -> None:
    j = made(kind)
    np.testing.assert_array_equal(j.motion(j.type.zero).matrix, np.eye(4))
    assert len(j.coordinates) == j.dof == len(j.type.velocities)


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_the_pose_of_the_child(kind: str, rng: np.random.Generator) -> None:
    """X_PC = X_PJ · T(q) · X_CJ⁻¹."""
    X_PJ, X_CJ = (Pose.from_rpy(rng.normal(size=3), rng.normal(size=3)) for _ in range(2))
    j = made(kind, X_PJ=X_PJ, X_CJ=X_CJ)
    q = retract(j, j.type.zero, rng.normal(size=j.dof))
    expected = X_PJ.matrix @ j.motion(q).matrix @ np.linalg.inv(X_CJ.matrix)
    np.testing.assert_allclose(j.X_PC(q).matrix, expected, atol=ROUNDING, rtol=ROUNDING)


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_freedoms_are_independent_and_exhaust_the_motion(kind: str, rng: np.random.Generator) -> None:
    j = made(kind)
    q = retract(j, j.type.zero, 0.3 * rng.normal(size=j.dof))
    S = subspace(j, q)
    assert S.shape == (6, j.dof)
    assert (np.linalg.matrix_rank(S, tol=1e-6) if j.dof else 0) == j.dof


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_the_motion_subspace_is_the_derivative_of_the_motion(kind: str, rng: np.random.Generator) -> None:
    j = made(kind)
    q = retract(j, j.type.zero, 0.3 * rng.normal(size=j.dof))
    np.testing.assert_allclose(subspace(j, q), subspace_by_differences(j, q), rtol=0, atol=3e-10)  # rounding over 2e-6


@pytest.mark.parametrize("kind", ["ball", "floating"])
def test_quaternions_stay_of_unit_length(kind: str, rng: np.random.Generator) -> None:
    j = made(kind)
    q = j.type.zero
    for _ in range(200):
        q = retract(j, q, rng.normal(size=j.dof))
    assert np.linalg.norm(q[-4:]) == pytest.approx(1, abs=1e-14)


def test_a_screw_travels_its_pitch_in_a_turn() -> None:
    np.testing.assert_allclose(
        made("screw").motion([2 * pi]).p, np.array([0, 0.6, 0.8]) * 0.01, atol=ROUNDING, rtol=ROUNDING
    )


def test_a_planar_joint_moves_in_the_plane_of_its_normal() -> None:
    j = made("planar")
    p = j.motion([0.3, -0.4, 1.0]).p
    assert p @ np.array([0, 0.6, 0.8]) == pytest.approx(0, rel=2e-10)  # found 3e-17
    assert np.linalg.norm(p) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 0, 0), (0, 1, 0), (0.6, 0, 0.8), (0.95, 0, 0.3122498999199199)])
def test_the_plane_has_a_right_handed_basis(normal: tuple[float, ...]) -> None:
    e1, e2 = plane_basis(normal)
    np.testing.assert_allclose(np.cross(e1, e2), normal, atol=ROUNDING, rtol=ROUNDING)
    if normal == (0, 0, 1):
        np.testing.assert_array_equal([e1, e2], [[1, 0, 0], [0, 1, 0]])


def test_axes_have_names() -> None:
    assert str(AxisRef("j")) == "j"
    assert str(AxisRef("j", 1)) == "j.axis2"
    assert made("universal").coordinates == ("j.axis", "j.axis2")
    assert [str(r) for r in made("universal").refs] == ["j", "j.axis2"]
    assert made("planar").refs == ()
    assert made("ball").refs == ()


def test_damping_without_an_axis_is_of_balls_alone() -> None:
    assert made("ball", damping=0.2).damping == 0.2
    with pytest.raises(ModelError, match="revolute joint is in the dynamics of its axes"):
        made("revolute", damping=0.2)
    with pytest.raises(ModelError, match="damping"):
        made("ball", damping=-0.2)
