"""Degrees of freedom of linkages whose number is known."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from gearwright import Mechanism
from gearwright.model import WORLD, Axis, AxisRef, Coupling, Couplings, Inertia, Joint, Link, Pose, Term

BODY = Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))
Vector = tuple[float, float, float]
Z: Vector = (0.0, 0.0, 1.0)


def at(point: Vector) -> Pose:
    return Pose(np.eye(3), point)


def joint(name: str, kind: str, parent: str, child: str, point: Vector, *axes: Vector) -> Joint:
    """All links have their frames at the world's origin at zero, so that a joint stands at one point in both."""
    return Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        X_PJ=at(point),
        X_CJ=at(point),
        axes=tuple(Axis(xyz=a) for a in axes),
    )


def mechanism(joints: list[Joint], couplings: list[Coupling] | None = None, cut: tuple[str, ...] = ()) -> Mechanism:
    links = dict.fromkeys(end for j in joints for end in (j.parent, j.child) if end != WORLD)
    return Mechanism(
        name="m",
        links={n: Link(name=n, inertia=BODY) for n in links},
        joints={j.name: j for j in joints},
        couplings=Couplings(couplings or []),
        cut=cut,
    )


def polygon(points: list[Vector], kind: str = "revolute", axis: Vector = Z) -> list[Joint]:
    """A closed chain of hinges; the first and last hold the world."""
    names = [WORLD, *(f"l{i}" for i in range(1, len(points))), WORLD]
    ends = [(names[i], names[i + 1]) for i in range(len(points) - 1)] + [(WORLD, names[len(points) - 1])]
    return [joint(f"j{i}", kind, p, c, x, axis) for i, ((p, c), x) in enumerate(zip(ends, points, strict=True))]


FOUR_BAR: list[Vector] = [(0, 0, 0), (0.2, 1, 0), (2, 1.5, 0), (2.2, 0, 0)]


def test_a_four_bar_has_one() -> None:
    assert mechanism(polygon(FOUR_BAR)).dof == 1


@pytest.mark.parametrize("cut", ["j0", "j1", "j2", "j3"])
def test_wherever_it_is_cut(cut: str) -> None:
    assert mechanism(polygon(FOUR_BAR), cut=(cut,)).dof == 1


def test_a_parallelogram_has_one_though_it_is_special() -> None:
    assert mechanism(polygon([(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)])).dof == 1


def test_a_flat_four_bar_has_one_though_it_is_singular() -> None:
    assert mechanism(polygon([(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)])).dof == 1


def test_a_triangle_has_none_and_a_five_bar_two() -> None:
    assert mechanism(polygon([(0, 0, 0), (1, 1, 0), (2, 0, 0)])).dof == 0
    assert mechanism(polygon([(0, 0, 0), (-0.5, 1, 0), (1, 2, 0), (2.5, 1.1, 0), (2, 0, 0)])).dof == 2


def test_a_spatial_four_bar_is_stiff() -> None:
    joints = polygon(FOUR_BAR)
    skew = [
        Joint(name=j.name, kind=j.kind, parent=j.parent, child=j.child, X_PJ=j.X_PJ, X_CJ=j.X_CJ, axes=(Axis(xyz=a),))
        for j, a in zip(joints, [Z, (0, 0.6, 0.8), (0.6, 0, 0.8), (0, 1, 0)], strict=True)
    ]  # type: ignore[arg-type]
    assert mechanism(skew).dof == 0


def test_a_slider_crank_has_one() -> None:
    crank = [
        joint("a", "revolute", WORLD, "crank", (0, 0, 0), Z),
        joint("b", "revolute", "crank", "rod", (0.5, 0.8, 0), Z),
    ]
    slider = [
        joint("c", "revolute", "rod", "piston", (3, 0, 0), Z),
        joint("d", "prismatic", WORLD, "piston", (3, 0, 0), (1, 0, 0)),
    ]
    assert mechanism(crank + slider).dof == 1


def hexapod(lower: str, upper: str) -> list[Joint]:
    """A platform on six legs: a joint at the foot, a slider, a joint at the top."""
    joints = []
    for i in range(6):
        a, b = 2 * pi * i / 6 + 0.2 * (-1) ** i, 2 * pi * i / 6 - 0.3 * (-1) ** i
        foot, top = (2 * cos(a), 2 * sin(a), 0.0), (cos(b), sin(b), 2.0)
        leg = np.subtract(top, foot)
        axis = tuple(leg / np.linalg.norm(leg))
        across = np.cross(axis, [1, 0, 0])
        one = tuple(across / np.linalg.norm(across))
        two = tuple(np.cross(axis, one))
        joints += [
            joint(f"foot{i}", lower, WORLD, f"shin{i}", foot, *((one, two) if lower == "universal" else ())),  # type: ignore[arg-type]
            joint(f"slide{i}", "prismatic", f"shin{i}", f"rod{i}", foot, axis),  # type: ignore[arg-type]
            joint(f"top{i}", upper, f"rod{i}", "platform", top),
        ]
    return joints


def test_a_hexapod_has_six_and_its_legs_may_spin() -> None:
    assert mechanism(hexapod("universal", "ball")).dof == 6
    assert mechanism(hexapod("ball", "ball")).dof == 12  # each leg about its own length


# --- couplings --------------------------------------------------------------------------------------------------------


def chain(n: int, kind: str = "revolute") -> list[Joint]:
    names = [WORLD, *(f"l{i}" for i in range(n))]
    return [joint(f"j{i}", kind, names[i], names[i + 1], (float(i), 0, 0), Z) for i in range(n)]


def coupling(follower: str, *leaders: tuple[str, float], **more: object) -> Coupling:
    return Coupling(
        name=follower, follower=AxisRef(follower), leaders=tuple(Term(AxisRef(n), f) for n, f in leaders), **more
    )  # type: ignore[arg-type]


def test_every_coupling_takes_one() -> None:
    assert mechanism(chain(5)).dof == 5
    assert mechanism(chain(5), [coupling("j1", ("j0", 2)), coupling("j2", ("j1", -3))]).dof == 3
    assert mechanism(chain(5), [coupling("j4", ("j0", 1), ("j1", 1), ("j2", 1), ("j3", 1))]).dof == 4


@pytest.mark.parametrize("multiplier", [1e-9, 1e-6, 1e6, 1e9])
def test_the_size_of_a_ratio_does_not_matter(multiplier: float) -> None:
    assert mechanism(chain(3), [coupling("j1", ("j0", multiplier)), coupling("j2", ("j1", multiplier))]).dof == 1


def test_the_mode_does_not_matter() -> None:
    for more in ({"mode": "hard"}, {"mode": "compliant", "natural_frequency": 10.0, "damping_ratio": 1.0}):
        assert mechanism(chain(2), [coupling("j1", ("j0", 1), **more)]).dof == 1


def test_a_coupling_that_a_loop_says_already_takes_nothing() -> None:
    """In a parallelogram the two cranks turn alike. One that says otherwise would lock it, and yields to the loop."""
    loop = polygon([(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)])
    assert mechanism(loop, [coupling("j3", ("j0", 1))]).dof == 1
    assert mechanism(loop, [coupling("j3", ("j0", 2))]).dof == 1


def test_the_same_row_twice_takes_one() -> None:
    twice = Coupling(name="again", follower=AxisRef("j1"), leaders=(Term(AxisRef("j0"), 2),), mode="hard")
    assert mechanism(chain(2), [coupling("j1", ("j0", 2)), twice]).dof == 1


def test_a_polynomial_takes_one() -> None:
    assert mechanism(chain(2), [coupling("j1", ("j0", 0), powers=(1.0, 2.0))]).dof == 1
