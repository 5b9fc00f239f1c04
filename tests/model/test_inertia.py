"""What inertias a body can have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright import ModelError
from gearwright.model import Inertia, Pose
from gearwright.model.mass.inertia import flaws
from gearwright.model.poses import rotation_rpy
from tests.tolerances import ROUNDING

masses = st.floats(0.01, 10)
places = st.tuples(*[st.floats(-1, 1)] * 3)


@given(st.lists(st.tuples(masses, places), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_bodies_of_point_masses_have_no_flaw(points: list[tuple[float, tuple[float, float, float]]]) -> None:
    mass = sum(m for m, _ in points)
    center = sum(m * np.array(p) for m, p in points) / mass
    tensor = sum(m * (np.dot(d, d) * np.eye(3) - np.outer(d, d)) for m, p in points for d in [np.array(p) - center])
    inertia = Inertia(
        mass=mass,
        moments=(tensor[0, 0], tensor[1, 1], tensor[2, 2]),
        products=(tensor[0, 1], tensor[0, 2], tensor[1, 2]),
    )
    assert flaws([inertia]) == [None]


@pytest.mark.parametrize(
    ("moments", "products", "why"),
    [
        ((1, 1, 3), (0, 0, 0), "exceeds"),
        ((-1, 1, 1), (0, 0, 0), "negative"),
        ((1, 1, 1), (2, 0, 0), "negative"),
        ((0, 0, 1), (0, 0, 0), "exceeds"),
        ((1, 1, 1e300), (0, 0, 0), "exceeds"),
    ],
)
def test_what_no_body_has(moments: tuple[float, float, float], products: tuple[float, float, float], why: str) -> None:
    assert why in (flaws([Inertia(mass=1, moments=moments, products=products)])[0] or "")


@pytest.mark.parametrize("moments", [(1, 1, 2), (0, 0, 0), (0, 1, 1), (1, 1, 2.0000001), (1e-12, 1e-12, 2e-12)])
def test_the_edge_of_what_a_body_has(moments: tuple[float, float, float]) -> None:
    """A flat plate and a thin rod are bodies, also where printing lost a digit."""
    assert flaws([Inertia(mass=1, moments=moments)]) == [None]


@pytest.mark.parametrize(("mass", "smallest"), [(1.0, 1e-16), (100.0, 1e-14), (0.0, 1e-18)])
def test_what_rounding_leaves_of_zero_is_no_flaw(mass: float, smallest: float) -> None:
    """A radius of gyration of 10 nm, of 10 g at least."""
    assert flaws([Inertia(mass=mass, moments=(-0.9 * smallest, 0, 0))]) == [None]
    assert flaws([Inertia(mass=mass, moments=(-2 * smallest, 0, 0))]) != [None]


def test_the_tensor_turns_with_its_frame() -> None:
    inertia = Inertia(
        mass=1, moments=(1, 2, 2.5), products=(0.1, 0.2, 0.3), pose=Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    )
    R = rotation_rpy(0.1, 0.2, 0.3)
    own = np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])
    np.testing.assert_allclose(inertia.tensor, R @ own @ R.T, atol=ROUNDING, rtol=ROUNDING)
    np.testing.assert_allclose(inertia.center, [1, 2, 3], rtol=ROUNDING)


@pytest.mark.parametrize(
    "values",
    [{"mass": -1.0}, {"mass": float("nan")}, {"mass": float("inf")}, {"mass": 1.0, "moments": (float("nan"), 1, 1)}],
)
def test_values_that_cannot_be(values: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        Inertia(**values)  # type: ignore[arg-type]
