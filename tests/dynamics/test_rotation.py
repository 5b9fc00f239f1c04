"""Chains of cheap factors against the matrices that they stand for."""

import numpy as np
import pytest

from gearwright.dynamics.algebra.rotation import AboutAxis, QuarterTurns, factored
from gearwright.dynamics.algebra.spatial import Symmetric, Vector
from gearwright.dynamics.tree.joints import across
from gearwright.model.poses import rotation_about, rotation_rpy

# Tilts that files have: none, careless right angles, and ones so small that their cosine rounds to 1.
ANGLES = (0.0, np.pi / 2, -np.pi, 1.5708, 1.57079632679, 0.3, 1e-4, 1e-7, 1e-9)
NEGLIGIBLE = 1e-10  # what is taken for zero, in three entries at most


def matrices():
    for r in ANGLES:
        for p in ANGLES:
            for y in ANGLES:
                yield rotation_rpy(r, p, y)


def test_factors_multiply_to_the_matrix(rng):
    randoms = [rotation_about(a / np.linalg.norm(a), rng.uniform(-3, 3)) for a in rng.normal(size=(50, 3))]
    S = rng.normal(size=(3, 3))
    S = S + S.T
    symmetric = Symmetric(*map(float, (S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[0, 2], S[1, 2])))
    for R in (*matrices(), *randoms):
        chain = factored(R)
        found = np.column_stack([chain.apply(Vector(*e)) for e in np.eye(3).tolist()])
        back = np.column_stack([chain.undo(Vector(*e)) for e in np.eye(3).tolist()])
        turned = np.array([list(row) for row in chain.turn(symmetric).rows])
        assert np.abs(found - R).max() < NEGLIGIBLE
        assert np.abs(back - R.T).max() < NEGLIGIBLE
        assert np.abs(turned - R @ S @ R.T).max() < NEGLIGIBLE * np.abs(S).max()


@pytest.mark.parametrize("digits", [12, 17])
def test_quarter_turns_are_free(digits):
    """Whether a file writes π/2 with 12 digits or with 17."""
    right = float(f"{np.pi / 2:.{digits}g}")
    for r in range(4):
        for p in range(4):
            for y in range(4):
                chain = factored(rotation_rpy(r * right, p * right, y * right))
                assert all(isinstance(f, QuarterTurns) for f in chain)


def test_a_tilt_about_one_axis_is_one_turn():
    for R in (rotation_rpy(0.3, 0, 0), rotation_rpy(np.pi / 2, 0.3, 0), rotation_rpy(0, 0.3, np.pi)):
        assert sum(isinstance(f, AboutAxis) for f in factored(R)) == 1


def test_any_axis_takes_two_turns(rng):
    """A joint's frame is chosen so that Euler's third turn is never needed."""
    for z in (*np.eye(3), *-np.eye(3), *(d / np.linalg.norm(d) for d in rng.normal(size=(50, 3)))):
        A = across(z)
        assert np.abs(A.T @ A - np.eye(3)).max() < 4e-15
        assert np.abs(A[:, 2] - z).max() < 1e-15
        assert sum(isinstance(f, AboutAxis) for f in factored(A)) <= 2
