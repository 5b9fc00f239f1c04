"""Every pair of shapes against Coal's distances; gaps against finite differences; expressions against floats."""

from itertools import pairwise

import casadi
import numpy as np
import pytest

from gearwright.dynamics.algebra.scalar import Expression, expression
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import WorldFrame
from gearwright.dynamics.contact.pairs import PAIRS, contact_points, touches
from gearwright.model.contacts.counts import POINTS, point_count
from gearwright.model.contacts.pair import ContactPair, ContactSide, ContactSurface
from gearwright.model.geometry import Box, Capsule, Cylinder, Plane, Sphere
from gearwright.model.poses import Pose, rotation_about
from gearwright.model.shapes.height_field import HeightField, height_field
from gearwright.model.shapes.hull import hull_of
from tests.dynamics.contact.peers import SAMPLES, coal_distance, frame, random_pose

TERRAIN = {pair for pair in PAIRS if HeightField in pair}  # has no counterpart in Coal
# candidates beside the nearest one: the distance is exact where shapes touch, and else no more than that
ABOUT = {(Box, Box), (Cylinder, Box)}
KINDS = [pytest.param(a, b, id=f"{a.__name__}-{b.__name__}") for a, b in PAIRS]
EXACT = [pytest.param(a, b, id=f"{a.__name__}-{b.__name__}") for a, b in PAIRS if (a, b) not in TERRAIN | ABOUT]
# only the nearest point moves with the surface, others slide along a rim, an axis or an edge
SLIDING = {(Cylinder, Plane), (Capsule, Capsule), (Capsule, Box)}
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


@pytest.mark.parametrize("a, b", EXACT)
def test_the_smallest_gap_is_the_distance(a, b, rng):
    for gap in (0.2, 0.01, -0.01) * 10:
        shape_a, X_a, shape_b, X_b = placed(a, b, rng, gap)
        nearest = min(touches(shape_a, frame(X_a), shape_b, frame(X_b)), key=lambda t: t.gap)
        distance, normal = coal_distance(shape_a, X_a, shape_b, X_b)
        assert nearest.gap == pytest.approx(distance, abs=COAL)
        assert np.array(nearest.normal) == pytest.approx(normal, abs=100 * COAL)


@pytest.mark.parametrize("a, b", EXACT)
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
    return WorldFrame((Vector(*x[0:3]), Vector(*x[3:6]), Vector(*x[6:9])), Vector(*x[9:12]))


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


# --- pairs whose distance is exact where they touch -------------------------------------------------------------------

DEEP = 1e-3  # [m]
# share of random poses where what touches is not found: a cylinder's rim has more ways to lie on a box than candidates
MISSED = {(Box, Box): 0.0, (Cylinder, Box): 0.05}


@pytest.mark.parametrize("a, b", sorted(ABOUT, key=str))
def test_the_depth_of_what_touches(a, b, rng):
    """Of random poses, in which mostly corners and edges touch. A depth may be too large where two axes are near."""
    errors = []
    while len(errors) < 60:
        shape_a, shape_b = SAMPLES[a](rng), SAMPLES[b](rng)
        X_a, X_b = random_pose(rng), random_pose(rng, 0.3)
        X_a = Pose(X_a.R, X_b.p + rng.normal(size=3))
        for _ in range(10):
            distance, normal = coal_distance(shape_a, X_a, shape_b, X_b)
            X_a = Pose(X_a.R, X_a.p + normal * (-DEEP - distance))
        if abs(coal_distance(shape_a, X_a, shape_b, X_b)[0] + DEEP) < COAL:  # it does not always converge
            errors.append(min(t.gap for t in touches(shape_a, frame(X_a), shape_b, frame(X_b))) + DEEP)
    assert min(errors) > -0.5 * DEEP
    assert np.mean(np.array(errors) > 0.5 * DEEP) <= MISSED[a, b]
    assert np.median(np.abs(errors)) < COAL


@pytest.mark.parametrize("yaw", [0.0, 0.3, np.pi / 4, 1.2])
@pytest.mark.parametrize("small", [0.1, 0.3])
def test_a_box_stands_on_the_corners_that_both_share(yaw, small):
    """The smaller face lies inside the larger one: its corners, whichever of the two is above."""
    R = rotation_about((0.0, 0.0, 1.0), yaw)
    low, high = Box(size=(0.6, 0.6, 0.2)), Box(size=(small, small, 0.2))
    corners = {tuple(np.round(R[:2, :2] @ [x, y], 9)) for x in (-small / 2, small / 2) for y in (-small / 2, small / 2)}
    for a, X_a, b, X_b in (
        (high, Pose(R, (0, 0, 0.2)), low, Pose(np.eye(3), (0, 0, 0))),
        (low, Pose(np.eye(3), (0, 0, 0.2)), high, Pose(R, (0, 0, 0))),
    ):
        found = touches(a, frame(X_a), b, frame(X_b))
        assert all(t.gap == pytest.approx(0, abs=1e-12) for t in found)
        assert {tuple(np.round(t.point[:2], 9)) for t in found} == corners
        assert all(t.normal.z == pytest.approx(1) for t in found)


def test_capsules_side_by_side_touch_at_both_ends():
    a, b = Capsule(radius=0.1, length=1.0), Capsule(radius=0.2, length=0.4)
    found = touches(a, frame(Pose(np.eye(3), (0.3, 0, 0.1))), b, frame(Pose(np.eye(3), (0, 0, 0))))
    assert sorted(round(t.point.z, 9) for t in found[1:]) == [-0.2, 0.2]
    assert all(t.gap == pytest.approx(0, abs=1e-12) for t in found)


def test_a_capsule_lies_on_the_part_of_a_box_that_is_below_it():
    a, b = Capsule(radius=0.1, length=1.0), Box(size=(0.4, 0.4, 0.2))
    lying = rotation_about((0.0, 1.0, 0.0), np.pi / 2)
    found = touches(a, frame(Pose(lying, (0.1, 0, 0.2))), b, frame(Pose(np.eye(3), (0, 0, 0))))
    assert sorted(round(t.point.x, 9) for t in found) == [-0.2, 0.0, 0.2]
    assert all(t.gap == pytest.approx(0, abs=1e-9) for t in found)


def test_a_cylinder_stands_and_lies_on_a_box():
    a, b = Cylinder(radius=0.1, length=0.6), Box(size=(1.0, 1.0, 0.2))
    standing = touches(a, frame(Pose(np.eye(3), (0.1, 0, 0.4))), b, frame(Pose(np.eye(3), (0, 0, 0))))
    rim = [t for t in standing if abs(t.gap) < 1e-9 and abs(np.hypot(t.point.x - 0.1, t.point.y) - 0.1) < 1e-9]
    assert len(rim) == 4
    lying = rotation_about((0.0, 1.0, 0.0), np.pi / 2)
    found = touches(a, frame(Pose(lying, (0, 0, 0.2))), b, frame(Pose(np.eye(3), (0, 0, 0))))
    along = [t.point.x for t in found if abs(t.gap) < 1e-9]
    assert (min(along), max(along)) == (pytest.approx(-0.3), pytest.approx(0.3))


# --- terrain ----------------------------------------------------------------------------------------------------------


def test_a_tilted_terrain_is_a_plane(rng):
    size, slope = (4.0, 3.0), np.array([0.2, -0.1])
    x, y = np.linspace(-2, 2, 6), np.linspace(-1.5, 1.5, 5)
    field = height_field(size, x[None, :] * slope[0] + y[:, None] * slope[1])
    plane = Plane(normal=(-slope[0], -slope[1], 1.0))
    for kind in (Sphere, Capsule, Box):
        for _ in range(10):
            shape, X = SAMPLES[kind](rng), Pose(random_pose(rng).R, (*rng.uniform(-0.5, 0.5, 2), rng.uniform(0, 1)))
            world = random_pose(rng, 1.0)
            on_field = touches(shape, frame(world @ X), field, frame(world))
            on_plane = touches(shape, frame(world @ X), plane, frame(world))
            assert min(t.gap for t in on_field) == pytest.approx(min(t.gap for t in on_plane), abs=1e-9)


def test_a_ball_on_hills_is_as_far_as_the_nearest_point(rng):
    heights = 0.1 * np.sin(np.linspace(0, 4, 17))[None, :] + 0.05 * np.cos(np.linspace(0, 3, 15))[:, None]
    field = height_field((4.0, 3.0), heights)
    x, y = np.linspace(-2, 2, 801), np.linspace(-1.5, 1.5, 601)
    columns = np.array([np.interp(x, np.linspace(-2, 2, 17), row) for row in heights])
    dense = np.array([np.interp(y, np.linspace(-1.5, 1.5, 15), c) for c in columns.T]).T
    for _ in range(20):
        p = np.array([*rng.uniform(-1, 1, 2), rng.uniform(0.25, 0.4)])
        nearest = np.sqrt((x[None, :] - p[0]) ** 2 + (y[:, None] - p[1]) ** 2 + (dense - p[2]) ** 2).min()
        ball = Sphere(radius=nearest - 0.01)
        (found,) = touches(ball, frame(Pose(np.eye(3), p)), field, frame(Pose(np.eye(3), (0, 0, 0))))
        assert found.gap == pytest.approx(0.01, abs=2e-3)  # of the curvature of the hills


def test_a_fine_terrain_is_thinned_and_says_by_how_much():
    x = np.linspace(0, 6, 200)
    field = height_field((1.0, 1.0), np.sin(x)[None, :] * np.ones((200, 1)))
    assert (len(field.heights), len(field.heights[0])) == (33, 33)
    assert field.error == pytest.approx((6 / 32) ** 2 / 8, rel=0.1)  # of a chord of a sine


# --- hulls ------------------------------------------------------------------------------------------------------------


def test_a_thinned_hull_misses_no_more_than_it_says(rng):
    points = rng.normal(size=(3000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = hull_of(points, most=32)
    assert len(hull.vertices) == 32
    vertices = np.array(hull.vertices)
    assert 0 < hull.error < 0.2
    directions = rng.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    missed = ((points @ directions.T).max(axis=0) - (vertices @ directions.T).max(axis=0)).max()
    assert missed == pytest.approx(hull.error, rel=0.2)


def test_the_hull_of_a_box_is_its_corners():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], float)
    inside = np.random.default_rng(0).uniform(-0.9, 0.9, (100, 3))
    hull = hull_of(np.concatenate([inside, corners]))
    assert sorted(hull.vertices) == sorted(map(tuple, corners))
    assert hull.error == pytest.approx(0, abs=1e-12)
