"""Rows of cut joints: their rates are derivatives of their errors, and what a joint lets move changes none of them."""

from types import SimpleNamespace

import numpy as np
import pytest

from gearwright import CompileError
from gearwright.dynamics.algebra.spatial import Motion, Vector
from gearwright.dynamics.constraints.closures import conditions
from gearwright.dynamics.constraints.relative_pose import RelativePose
from gearwright.model import JOINT_KINDS, WORLD, Axis, Joint
from gearwright.model.poses import rotation_about

KINDS = [k for k in JOINT_KINDS if k != "floating"]
H = 1e-6  # central differences: truncation h² = 1e-12, rounding 1e-16/h = 1e-10


def joint(kind, rng):
    axes = []
    for _ in range(JOINT_KINDS[kind].axes):
        xyz = rng.normal(size=3)
        axes.append(Axis(xyz=tuple((xyz / np.linalg.norm(xyz)).tolist())))
    pitch = {"thread_pitch": 0.3} if kind == "screw" else {}
    return Joint(name="cut", kind=kind, parent=WORLD, child="link", axes=tuple(axes), **pitch)


def pose(R, d):
    return RelativePose(Vector(*d.tolist()), tuple(Vector(*row) for row in R.tolist()))


def turned(R, w):
    angle = np.linalg.norm(w)
    return (rotation_about(w / angle, angle) if angle else np.eye(3)) @ R


def error_at(condition, R, d):
    return float(condition.error(pose(R, d)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_rate_is_the_errors_derivative(kind, rng):
    cut = joint(kind, rng)
    rows = conditions(cut)
    assert len(rows) == 6 - cut.dof
    for _ in range(10):
        R, d = turned(np.eye(3), 0.4 * rng.normal(size=3)), 0.1 * rng.normal(size=3)
        w, v = rng.normal(size=(2, 3))
        twist = Motion(Vector(*w.tolist()), Vector(*v.tolist()))
        for row in rows:
            ahead, behind = (error_at(row, turned(R, s * H * w), d + s * H * v) for s in (1, -1))
            found = float(row.rate(pose(R, d), twist))
            assert found == pytest.approx((ahead - behind) / (2 * H), abs=4e-10)  # found 9e-11


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_joint_lets_move_keeps_it_closed(kind, rng):
    """Errors are zero wherever the joint's own coordinates take it: found 1e-16."""
    cut = joint(kind, rng)
    rows = conditions(cut)
    for _ in range(10):
        q = 0.7 * rng.normal(size=len(cut.positions))
        if len(q) == 4:
            q = q / np.linalg.norm(q)
        X = cut.motion(q)
        assert [error_at(row, np.array(X.R), np.array(X.p)) for row in rows] == pytest.approx(
            [0.0] * len(rows), abs=2e-15
        )


def test_a_nut_may_be_in_any_turn():
    """The thread's error is what is left of a turn."""
    cut = joint("screw", np.random.default_rng(0))
    thread = next(row for row, closing in zip(conditions(cut), cut.type.closing(cut), strict=True)
                  if type(closing).__name__ == "Thread")  # fmt: skip
    for turns in (0, 1, 5):
        q = np.array([0.3 + 2 * np.pi * turns])
        X = cut.motion(q)
        assert error_at(thread, np.array(X.R), np.array(X.p)) == pytest.approx(0.0, abs=1e-14)


def test_parallel_axes_are_refused():
    parallel = SimpleNamespace(axes_are_parallel=True, name="cut", kind="universal")
    with pytest.raises(CompileError, match="its two axes are parallel"):
        conditions(parallel)
