"""Contacts in the step, against closed forms: rest, sticking and sliding, stopping, rolling."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.geometry import Box, Sphere
from tests.dynamics.contact.scenes import G, body, scene, still

STEPS = [1e-3, 2e-3, 5e-3]
BOTH = ["euler", "midpoint"]


def block(friction=0.5, size=(0.2, 0.2, 0.1), **surface):
    return body("box", Box(size=size), friction=friction, **surface)


def ground(friction=2.0, **surface):
    return still("ground", friction=friction, **surface)


def simulated(robot, duration, position, velocity=None, dt=1e-3, **options):
    sim = gw.compile(robot, dt=dt, **options)
    sim.reset(position=position, velocity=velocity or {})
    sim.step(n=round(duration / dt))
    return sim


@pytest.mark.parametrize("integrator", BOTH)
@pytest.mark.parametrize("dt", STEPS)
def test_a_box_rests(integrator, dt):
    sim = simulated(scene([block()], [ground()]), 1.0, {"box.z": 0.05}, dt=dt, integrator=integrator)
    assert -1e-7 < sim.position["box.z"] - 0.05 <= 0.0
    assert abs(sim.velocity["box.z"]) < 1e-9
    assert sim.unsettled == 0


@pytest.mark.parametrize("integrator", BOTH)
def test_a_box_that_falls_stays_where_it_lands(integrator):
    sim = simulated(scene([block()], [ground()]), 1.0, {"box.z": 0.3}, integrator=integrator)
    assert abs(sim.position["box.z"] - 0.05) < 1e-8
    assert sim.unsettled == 0


@pytest.mark.parametrize("dt", STEPS)
def test_stopping_distance(dt):
    """v²/2μg, of second order in the step's length."""
    sim = simulated(scene([block()], [ground()]), 1.0, {"box.z": 0.05}, {"box.x": 1.0}, dt=dt)
    assert sim.position["box.x"] == pytest.approx(1 / (2 * 0.5 * G), rel=100.0 * dt**2)
    assert sim.unsettled == 0


@pytest.mark.parametrize("dt", STEPS)
def test_sliding_acceleration(dt):
    slope, friction = np.deg2rad(30), 0.3
    expected = G * (np.sin(slope) - friction * np.cos(slope))
    sim = simulated(scene([block(friction)], [ground()], slope=slope), 1.0, {"box.z": 0.05}, dt=dt)
    assert sim.position["box.x"] == pytest.approx(0.5 * expected, rel=1e-6)


def test_the_pull_at_which_a_box_slides_is_the_same_in_every_direction():
    """Within 1.7e-4 of μ·m·g: 0.01° of a slope."""
    friction, time = 0.5, 0.5
    sim = gw.compile(scene([block(friction)], [ground()]))
    for heading in np.arange(16) * np.pi / 8 + 0.1:
        for share, slides in ((-1.7e-4, False), (1.7e-4, True)):
            pull = friction * G * (1 + share)
            sim.reset(position={"box.z": 0.05})
            sim.step(effort={"box.x": pull * np.cos(heading), "box.y": pull * np.sin(heading)}, n=round(time / 1e-3))
            way = np.hypot(sim.position["box.x"], sim.position["box.y"])
            expected = 0.5 * share * friction * G * time**2
            assert way == pytest.approx(expected, rel=0.03) if slides else way < 1e-7


@pytest.mark.parametrize("integrator", BOTH)
def test_nothing_creeps(integrator):
    sim = simulated(scene([block()], [ground()], slope=np.deg2rad(20)), 1.0, {"box.z": 0.05}, integrator=integrator)
    before = sim.position["box.x"]
    sim.step(n=20_000)
    assert abs(sim.position["box.x"] - before) / 20.0 < 1e-12


@pytest.mark.parametrize("dt", STEPS)
def test_a_ball_that_slides_begins_to_roll(dt):
    """At 5/7 of its speed, and less where it spins backwards."""
    ball = body("ball", Sphere(radius=0.1), friction=0.5)
    for spin, expected in ((0.0, 5 / 7), (-10.0, 5 / 7 - 2 / 7)):
        start = {"ball.x": 1.0, "ball.ry": spin}
        sim = simulated(scene([ball], [ground()]), 2.0, {"ball.z": 0.1}, start, dt=dt)
        assert sim.velocity["ball.x"] == pytest.approx(expected, rel=1e-5)
        assert sim.velocity["ball.ry"] == pytest.approx(expected / 0.1, rel=1e-5)


@pytest.mark.parametrize("solver", ["pgs", "tgs"])
def test_solvers_that_do_not_solve_contacts_say_so(solver):
    with pytest.raises(gw.CompileError, match=f"the solver '{solver}' does not solve contacts"):
        gw.compile(scene([block()], [ground()]), solver=solver, integrator="euler")


# --- reading --------------------------------------------------------------------------------------------------------


def test_contacts_are_read_by_point_and_by_link():
    sim = gw.compile(scene([block()], [ground()]))
    sim.reset(position={"box.z": 0.05})
    assert sim.contacts == []
    sim.step(effort={"box.x": 3.0}, n=200)
    assert [c.pair for c in sim.contacts] == [("box", "ground")] * 4
    assert sum(c.force for c in sim.contacts) == pytest.approx([-3.0, 0.0, G], abs=1e-9)
    assert sim.contact_force["ground"] == pytest.approx([3.0, 0.0, -G], abs=1e-9)
    for c in sim.contacts:
        assert c.sticking
        assert c.normal.tolist() == [0.0, 0.0, 1.0]
        assert abs(c.point) == pytest.approx([0.1, 0.1, 0.0], abs=1e-8)
        assert 0.0 < c.depth < 1e-8
        assert c.slip == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    moment = sum(np.cross(c.point - [sim.position["box.x"], 0.0, 0.05], c.force) for c in sim.contacts)
    assert moment == pytest.approx([0.0, 0.0, 0.0], abs=1e-8)


def test_a_contact_that_slides_says_how_fast():
    sim = gw.compile(scene([block()], [ground()]))
    sim.reset(position={"box.z": 0.05}, velocity={"box.y": 1.0})
    sim.step(n=10)
    for c in sim.contacts:
        assert not c.sticking
        assert c.slip == pytest.approx([0.0, sim.velocity["box.y"], 0.0], abs=1e-6)
    assert sim.contact_force["box"] == pytest.approx([0.0, -0.5 * G, G], rel=1e-3, abs=1e-9)


def test_contacts_of_batches_and_recordings():
    sim = gw.compile(scene([block()], [ground()]), batch=2)
    sim.reset(position={"box.z": [0.05, 0.3]})
    recording = sim.run(0.02)
    assert [len(each) for each in sim.contacts] == [4, 0]
    assert recording.contact_force["box"].shape == (21, 2, 3)
    assert recording.contact_force["box"][-1] == pytest.approx(np.array([[0, 0, G], [0, 0, 0]]), rel=1e-3, abs=1e-6)
    assert [len(each) for each in recording.contacts[-1]] == [4, 0]


def test_the_active_set_ends_where_it_is_told_to():
    """A few iterations are close to all of them, and steps that would take more are counted."""
    box = gw.World()
    box.ground(friction=0.5)
    box.box("cube", size=(0.1, 0.1, 0.1), mass=1.0, pose=(0, 0, 0.05, 0, 0, 0))
    scene = box.finish()
    sims = [gw.compile(scene, dt=5e-3, integrator="euler", switches=most) for most in (None, 2)]
    for sim in sims:
        sim.reset(velocity={"cube.x": 1.0, "cube.ry": 3.0})
        sim.step(n=100)
    whole, short = sims
    assert whole.unsettled == 0 < short.unsettled
    assert short.position["cube.z"] == pytest.approx(whole.position["cube.z"], abs=1e-3)
    with pytest.raises(gw.CompileError, match="switches is an option"):
        gw.compile("gripper", solver="pgs", switches=3)
