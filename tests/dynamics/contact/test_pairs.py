"""Every pair of shapes against Coal's distances; gaps against finite differences; expressions against floats."""

from itertools import pairwise

import casadi
import numpy as np
import pytest

from gearwright.dynamics.algebra.scalar import Expression, expression
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import Frame
from gearwright.dynamics.contact.pairs import PAIRS, contact_points, touches
from gearwright.model.contacts.counts import POINTS, point_count
from gearwright.model.contacts.pair import ContactPair, ContactSide, ContactSurface
from gearwright.model.geometry import Cylinder, Plane
from gearwright.model.poses import Pose, rotation_about
from tests.dynamics.contact.peers import SAMPLES, coal_distance, frame, random_pose

KINDS = [pytest.param(a, b, id=f"{a.__name__}-{b.__name__}") for a, b in PAIRS]
SLIDING = {(Cylinder, Plane)}  # only the lowest point moves with the surface, others slide along a rim
COAL = 1e-6  # [m] what its iterations leave of curved shapes


def placed(a, b, rng, gap):
    """Random shapes, the first moved along the normal until the smallest gap is about this."""
    shape_a, shape_b = SAMPLES[a](rng), SAMPLES[b](rng)
    X_a, X_b = random_pose(rng), random_pose(rng, 0.3)
    X_a = Pose(X_a.R, X_b.p + rng.normal(size=3))
    for _ in range(20):
        found = touches(shape_a, frame(X_a), shape_b, frame(X_b))
        nearest = min(found, key=lambda t: t.gap)
        X_a = Pose(X_a.R, X_a.p + np.array(nearest.normal) * (gap - nearest.gap))
    return shape_a, X_a, shape_b, X_b


@pytest.mark.parametrize("a, b", KINDS)
def test_the_smallest_gap_is_the_distance(a, b, rng):
    for gap in (0.2, 0.01, -0.01) * 10:
        shape_a, X_a, shape_b, X_b = placed(a, b, rng, gap)
        nearest = min(touches(shape_a, frame(X_a), shape_b, frame(X_b)), key=lambda t: t.gap)
        distance, normal = coal_distance(shape_a, X_a, shape_b, X_b)
        assert nearest.gap == pytest.approx(distance, abs=COAL)
        assert np.array(nearest.normal) == pytest.approx(normal, abs=100 * COAL)


@pytest.mark.parametrize("a, b", KINDS)
def test_the_gap_changes_along_the_normal(a, b, rng):
    """Its rate is the relative speed of the two bodies at the point, along the normal."""
    h = 1e-6
    for gap in (0.1, 0.01, -0.01) * 5:
        shape_a, X_a, shape_b, X_b = placed(a, b, rng, gap)
        twists = rng.normal(size=(2, 2, 3))  # of a and b: angular, linear at the origin of the frame
        moved = [
            touches(shape_a, frame(turned(X_a, *twists[0], s * h)), shape_b, frame(turned(X_b, *twists[1], s * h)))
            for s in (-1, 0, 1)
        ]
        points = sorted(zip(*moved, strict=True), key=lambda point: point[1].gap)
        for before, now, after in points[:1] if (a, b) in SLIDING else points:
            p, n = np.array(now.point), np.array(now.normal)
            v_a, v_b = (v + np.cross(w, p - X.p) for (w, v), X in zip(twists, (X_a, X_b), strict=True))
            rate = (after.gap - before.gap) / (2 * h)
            if max(abs(now.gap - t.gap) for t in (before, after)) > 100 * h:
                continue  # another corner has taken its place
            assert n @ (v_a - v_b) == pytest.approx(rate, abs=1e-4 * (1 + abs(rate)))


def turned(X, w, v, h):
    speed = np.linalg.norm(w)
    return Pose(rotation_about(w / speed, speed * h) @ X.R, X.p + v * h)


@pytest.mark.parametrize("a, b", KINDS)
def test_expressions_give_what_floats_give(a, b, rng):
    shape_a, X_a, shape_b, X_b = placed(a, b, rng, 0.02)
    surface = ContactSurface(direction_b=(1.0, 0.2, 0.0))
    pair = ContactPair(
        a=ContactSide(link="a", name="", shape=shape_a, pose=random_pose(rng, 0.1)),
        b=ContactSide(link="b", name="", shape=shape_b, pose=random_pose(rng, 0.1)),
        surface=surface,
    )
    q = casadi.SX.sym("q", 24)
    symbols = [Expression(x) for x in casadi.vertsplit(q)]
    points = contact_points(pair, symbolic(symbols[:12]), symbolic(symbols[12:]))
    flat = casadi.vertcat(*(expression(x).sx for point in points for x in numbers(point)))
    at = np.concatenate([np.concatenate([X.R.ravel(), X.p]) for X in (X_a, X_b)])
    found = np.array(casadi.Function("f", [q], [flat])(at)).ravel()
    floats = [x for point in contact_points(pair, frame(X_a), frame(X_b)) for x in numbers(point)]
    assert all(type(x) is float for x in floats)
    assert found == pytest.approx(floats, abs=1e-12)
    assert len(points) == point_count(shape_a, shape_b)


def symbolic(x):
    return Frame((Vector(*x[0:3]), Vector(*x[3:6]), Vector(*x[6:9])), Vector(*x[9:12]))


def numbers(point):
    return [point.gap, *point.point, *point.normal, *point.tangents[0], *point.tangents[1]]


@pytest.mark.parametrize("a, b", KINDS)
def test_normal_and_tangents_are_right_handed(a, b, rng):
    shape_a, X_a, shape_b, X_b = placed(a, b, rng, 0.02)
    for direction in (None, (0.0, 1.0, 0.3)):
        pair = ContactPair(
            a=ContactSide(link="a", name="", shape=shape_a),
            b=ContactSide(link="b", name="", shape=shape_b),
            surface=ContactSurface(direction_a=direction),
        )
        for point in contact_points(pair, frame(X_a), frame(X_b)):
            axes = np.array([point.tangents[0], point.tangents[1], point.normal])
            assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
            assert np.linalg.det(axes) == pytest.approx(1)
            if direction is not None:
                assert point.tangents[1] @ frame(X_a).direction(Vector(*direction)) == pytest.approx(0, abs=1e-12)


def test_both_tables_have_the_same_pairs():
    assert [*PAIRS] == [*POINTS]


def test_exchanged_shapes_have_the_opposite_normal(rng):
    for a, b in PAIRS:
        shape_a, X_a, shape_b, X_b = placed(a, b, rng, 0.02)
        there, back = (
            touches(shape_a, frame(X_a), shape_b, frame(X_b)),
            touches(shape_b, frame(X_b), shape_a, frame(X_a)),
        )
        if a is b:
            continue
        for t, r in zip(there, back, strict=True):
            assert (t.gap, *t.point) == pytest.approx((r.gap, *r.point))
            assert np.array(t.normal) == pytest.approx(-np.array(r.normal))


def test_tangents_of_a_turning_normal_turn_with_it(rng):
    """No jump between faces' axes and 45°: what is kept along a tangent from step to step keeps its direction."""
    from gearwright.dynamics.contact.tangents import across

    for k in range(3):
        angles = np.linspace(-0.7, 0.7, 200)
        for plane in ((k + 1) % 3, (k + 2) % 3):
            normals = [[np.cos(x) if i == k else np.sin(x) if i == plane else 0.0 for i in range(3)] for x in angles]
            found = [np.array(across(Vector(*map(float, n)))) for n in normals]
            assert max(np.linalg.norm(a - b) for a, b in pairwise(found)) < 0.02
