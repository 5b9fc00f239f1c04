"""While what may touch is far apart, a step without its contacts is taken: nothing but its time shows that."""

from dataclasses import replace
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics.steps import apart
from gearwright.model.geometry import Box, Geometry, Sphere
from gearwright.model.shapes.surface import Surface
from tests.dynamics.contact.scenes import body, scene, still
from tests.sim.touching import at

FEET = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]


def table():
    """A board on four balls, with six blocks on top."""
    board = body("box", Box(size=(0.5, 0.3, 0.02)), 2.0)
    surface = Surface(friction=0.6)
    feet = [Geometry(name=f"foot{i}", shape=Sphere(radius=0.02), pose=at(x, y, -0.1), surface=surface)
            for i, (x, y) in enumerate(FEET)]  # fmt: skip
    blocks = [Geometry(name=f"block{i}", shape=Box(size=(0.04, 0.04, 0.04)), pose=at(-0.2 + 0.08 * i, 0.0, 0.05),
                       surface=surface) for i in range(6)]  # fmt: skip
    return scene([replace(board, collisions=(*feet, *blocks))], [still("floor")])


def compiled(monkeypatch, *, all_at_once=False, **options):
    if all_at_once:
        monkeypatch.setattr(apart, "near_pairs", lambda robot, bodies: None)
    with TemporaryDirectory() as empty:
        monkeypatch.setenv("GEARWRIGHT_CACHE", empty)
        sim = gw.compile(table(), **options)
    monkeypatch.undo()
    return sim


def above_its_board(sim, point):
    pose = sim.pose["box"]
    return bool((point - pose[:3, 3]) @ pose[:3, 2] > 0.0)


def names(pairs):
    return {pair.a.name for pair in pairs} | {pair.b.name for pair in pairs}


def test_what_it_stands_on_is_what_touches_where_it_is_drawn():
    robot = gw.compile(table()).robot
    bodies = gw.dynamics.Equations(robot).model.bodies
    near = apart.near_pairs(robot, bodies)
    assert {name for name in names(near) if name.startswith(("foot", "block"))} == {f"foot{i}" for i in range(4)}
    assert apart.near_pairs(replace(robot, contacts=near), bodies) is None  # nothing is left to leave out


@pytest.mark.parametrize("integrator", ["euler", "midpoint"])
def test_a_tumbling_table_moves_as_with_all_contacts(monkeypatch, integrator):
    """It comes down on its feet, then on its blocks."""
    few, every = (compiled(monkeypatch, all_at_once=a, integrator=integrator) for a in (False, True))
    touched = set()
    for speed in (5.0, 12.0):
        for sim in (few, every):
            sim.reset(position={"box.z": 0.3}, velocity={"box.x": 0.5, "box.ry": speed})
        for _ in range(50):
            for sim in (few, every):
                sim.step(n=10)
            touched |= {above_its_board(few, c.point) for c in few.contacts}
            assert few.q == pytest.approx(every.q, abs=1e-6)
            assert few.v == pytest.approx(every.v, abs=1e-4)
    assert touched == {False, True}
    assert few.unsettled == every.unsettled == 0


def test_robots_of_a_batch_take_their_own_way(monkeypatch):
    """Some stand, some lie on their blocks, some fly: each to the bits that it has alone."""
    angles = np.linspace(0.0, np.pi, 11)
    start = {"box.z": 0.3, "box.qw": np.cos(0.5 * angles), "box.qy": np.sin(0.5 * angles)}
    batch = compiled(monkeypatch, batch=len(angles))
    batch.reset(position=start)
    batch.step(n=500)
    alone = compiled(monkeypatch, batch=1)
    for i in (0, 4, 7, 10):
        alone.reset(position={name: np.broadcast_to(x, angles.shape)[i] for name, x in start.items()})
        alone.step(n=500)
        assert np.array_equal(alone.q.ravel(), batch.q[:, i])


def test_a_fast_body_is_caught_where_all_contacts_catch_it(monkeypatch):
    """It comes down on its blocks at 100 m/s: ten centimetres in a step."""
    few, every = (compiled(monkeypatch, all_at_once=a) for a in (False, True))
    for sim in (few, every):
        sim.reset(position={"box.z": 1.234, "box.qw": 0.0, "box.qx": 1.0}, velocity={"box.z": -100.0})
        sim.step(n=20)
    assert few.q == pytest.approx(every.q, abs=1e-9)
    assert few.position["box.z"] > 0.05


def test_what_has_left_the_ground_is_not_pushed(monkeypatch):
    """It lies on its blocks, is lifted, and flies free."""
    sim = compiled(monkeypatch)
    sim.reset(position={"box.z": 0.08, "box.qw": 0.0, "box.qx": 1.0})
    sim.step(n=200)
    assert sim.contacts
    sim.reset(position={"box.z": 0.08, "box.qw": 0.0, "box.qx": 1.0}, velocity={"box.z": 3.0})
    sim.step(n=100)
    assert not sim.contacts
    assert sim.velocity["box.z"] == pytest.approx(3.0 - 9.81 * 0.1, abs=1e-9)


def test_far_from_everything_there_are_no_contacts(monkeypatch):
    """None touches where it is drawn: a block above a board with blocks."""
    upper = body("upper", Box(size=(0.04, 0.04, 0.04)), 0.5)
    lower = replace(table().links["box"], name="lower")
    robot = scene([upper, lower])
    robot = replace(robot, bases={n: replace(j, X_PJ=at(z=1.0 * (n == "upper"))) for n, j in robot.bases.items()})
    sims = []
    for pairs in (apart.near_pairs, lambda robot, bodies: None):
        monkeypatch.setattr(apart, "near_pairs", pairs)
        with TemporaryDirectory() as empty:
            monkeypatch.setenv("GEARWRIGHT_CACHE", empty)
            sims.append(gw.compile(robot, contacts=[("upper", "lower")]))
        monkeypatch.undo()
    for sim in sims:
        sim.reset(position={"upper.x": 0.05, "upper.z": -0.6}, velocity={"upper.z": -2.0})
        sim.step(n=400)
    assert apart.near_pairs(sims[0].robot, sims[0].kernels.equations.model.bodies) == ()
    assert sims[0].q == pytest.approx(sims[1].q, abs=1e-6)
    assert abs(sims[0].velocity["lower.ry"]) > 0.01  # they have touched
