"""Contacts in scenes with a known end: bounces, belts, stacks, grips, legs behind gears; energy that never appears."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Sphere
from gearwright.model.joints import WORLD
from tests.dynamics.contact.scenes import G, body, scene, still
from tests.sim.touching import at, gripper, joint, jointed, leg, rod, spoked_wheel

SLOW = pytest.mark.slow


def simulated(robot, duration, position, velocity=None, dt=1e-3, **options):
    sim = gw.compile(robot, dt=dt, **options)
    sim.reset(position=position, velocity=velocity or {})
    sim.step(n=round(duration / dt))
    return sim


def ball(name="ball", mass=1.0, **surface):
    return body(name, Sphere(radius=0.1), mass, **surface)


# --- surfaces -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("integrator", "dt"), [("midpoint", 1e-3), ("midpoint", 5e-3), ("euler", 5e-3)])
def test_heights_of_bounces(integrator, dt):
    """e²ⁿ·h."""
    e = 0.8
    sim = gw.compile(scene([ball(restitution=e)], [still("ground")]), dt=dt, integrator=integrator)
    sim.reset(position={"ball.z": 1.1})
    z = sim.run(2.5).position["ball.z"] - 0.1
    tops = [b for a, b, c in zip(z, z[1:], z[2:], strict=False) if a < b >= c]
    assert tops[:3] == pytest.approx([e**2, e**4, e**6], rel=2e-3)


def test_slow_approach_does_not_bounce():
    floor = still("ground", restitution=0.8, restitution_speed=1.0)
    sim = simulated(scene([ball(restitution=0.8)], [floor]), 0.3, {"ball.z": 0.13})  # 0.77 m/s
    assert abs(sim.position["ball.z"] - 0.1) < 1e-7


def test_a_belt_carries_what_lies_on_it():
    """Once it has slid for v²/2μg."""
    box, v, mu = body("box", Box(size=(0.2, 0.2, 0.1)), friction=0.5), 0.7, 0.5
    sim = simulated(scene([box], [still("belt", friction=1.0, velocity=(v, 0.0, 0.0))]), 1.0, {"box.z": 0.05})
    assert sim.velocity["box.x"] == pytest.approx(v, rel=1e-9)
    assert sim.position["box.x"] == pytest.approx(v - v**2 / (2 * mu * G), rel=1e-6)
    assert all(c.sticking for c in sim.contacts)


@pytest.mark.parametrize(("integrator", "dt"), [("midpoint", 5e-3), ("euler", 1e-3)])
def test_a_turntable_carries_what_is_near_its_middle(integrator, dt):
    """r = μ·g/ω² decides, within 1 %; what sticks stays at its radius, and what slides leaves."""
    mu, speed = 0.5, 4.5
    edge = mu * G / speed**2
    disk = body("disk", Box(size=(2.0, 2.0, 0.02)), 1e9)
    block = body("block", Box(size=(0.02, 0.02, 0.01)), 0.1, friction=mu)
    spin = joint("spin", "revolute", WORLD, "disk", (0.0, 0.0, 1.0), at(z=-0.01))
    m = scene([block])
    table = replace(m, links={**m.links, "disk": disk}, joints={"spin": spin})
    for share, slides in ((0.99, False), (1.01, True)):
        sim = gw.compile(table, dt=dt, integrator=integrator, contacts=[("block", "disk")])
        r = share * edge
        sim.reset(
            position={"block.x": r, "block.z": 0.005}, velocity={"spin": speed, "block.y": speed * r, "block.rz": speed}
        )
        sim.step(n=round(2.0 / dt))
        moved = np.hypot(sim.position["block.x"], sim.position["block.y"]) / r - 1.0
        assert moved > 0.1 if slides else abs(moved) < 3e-5


def test_friction_by_direction():
    """Along and across a direction of the surface the coefficients differ."""
    box = body("box", Box(size=(0.2, 0.2, 0.02)), friction=0.5, friction2=0.1, friction_direction=(1.0, 0.0, 0.0))
    robot = scene([box], [still("ground", friction=2.0, friction2=2.0)])
    for along, mu in (("box.x", 0.5), ("box.y", 0.1)):
        sim = simulated(robot, 0.1, {"box.z": 0.01}, {along: 1.0})
        assert sim.velocity[along] == pytest.approx(1.0 - mu * G * 0.1, rel=1e-6)


def test_without_friction_nothing_slows_down():
    box = body("box", Box(size=(0.2, 0.2, 0.1)), friction=0.0)
    sim = simulated(scene([box], [still("ground")]), 1.0, {"box.z": 0.05}, {"box.x": 1.0})
    assert sim.velocity["box.x"] == pytest.approx(1.0, abs=1e-12)


def test_a_stiffness_that_is_given_is_that_of_a_point():
    box = body("box", Box(size=(0.2, 0.2, 0.1)), stiffness=1e4, damping=10.0)
    sim = simulated(scene([box], [still("ground")]), 3.0, {"box.z": 0.05})
    assert sim.position["box.z"] - 0.05 == pytest.approx(-G / 4e4, rel=1e-9)


def test_rolling_friction():
    """`r·N` about the middle of a ball takes `r·g/R/(1 + 2/5)` off its speed; at last it stands."""
    r = 0.005
    rolling = scene([ball(friction=1.0, rolling_friction=r)], [still("ground", friction=1.0)])
    sim = simulated(rolling, 0.5, {"ball.z": 0.1}, {"ball.x": 1.0, "ball.ry": 10.0})
    assert 1.0 - sim.velocity["ball.x"] == pytest.approx(0.5 * r * G / 0.1 / 1.4, rel=5e-3)  # its share of the cone
    sim.step(n=4000)
    assert abs(sim.velocity["ball.x"]) < 1e-9


def test_torsional_friction():
    spinning = scene([ball(friction=1.0, torsional_friction=0.01)], [still("ground", friction=1.0)])
    sim = simulated(spinning, 0.1, {"ball.z": 0.1}, {"ball.rz": 10.0})
    assert sim.velocity["ball.rz"] == pytest.approx(10.0 - 0.1 * 0.01 * G / (0.4 * 0.01), rel=1e-9)


# --- several bodies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "masses",
    [
        (1e-3, 1.0, 1e3),
        pytest.param((1.0, 1.0, 1.0), marks=SLOW),
        pytest.param((1e3, 1.0, 1e-3), marks=SLOW),
    ],
    ids=str,
)
def test_a_column_stands(masses):
    """Also where something light carries a million times its mass."""
    balls = [ball(f"b{i}", mass, friction=0.5) for i, mass in enumerate(masses)]
    sim = simulated(scene(balls, [still("ground")]), 0.5, {f"b{i}.z": 0.1 + 0.2 * i for i in range(3)})
    assert [sim.position[f"b{i}.z"] for i in range(3)] == pytest.approx([0.1, 0.3, 0.5], abs=1e-5)
    assert [sim.velocity[f"b{i}.z"] for i in range(3)] == pytest.approx([0.0] * 3, abs=1e-9)
    assert sim.contact_force["ground"][2] == pytest.approx(-sum(masses) * G, rel=1e-9)
    assert sim.unsettled == 0


@pytest.mark.parametrize("integrator", ["midpoint", pytest.param("euler", marks=SLOW)])
def test_light_fingers_hold_a_heavy_ball_or_drop_it(integrator):
    """A thousand times their mass; friction holds 2·μ·f."""
    sim = gw.compile(gripper(), contacts=[("finger*", "ball")], integrator=integrator)
    force = 0.5 * G / 0.6
    sim.reset()
    sim.step(effort={"rail0": 1.1 * force, "rail1": -1.1 * force}, n=1000)
    before = sim.position["ball.z"]
    assert abs(before) < 1e-5
    sim.step(n=2000)
    assert abs(sim.position["ball.z"] - before) < 1e-12
    sim.step(effort={"rail0": 0.9 * force, "rail1": -0.9 * force}, n=100)
    assert -2.0 < sim.position["ball.z"] / (0.5 * 0.1 * G * 0.1**2) < -0.9


@SLOW
def test_momentum_goes_through_a_row_of_balls():
    balls = [ball(f"b{i}", restitution=1.0, friction=0.0) for i in range(4)]
    sim = gw.compile(scene(balls), gravity=(0.0, 0.0, 0.0))
    sim.reset(position={"b0.x": -0.3, **{f"b{i}.x": 0.203 * i for i in range(1, 4)}}, velocity={"b0.x": 1.0})
    sim.step(n=1000)
    assert [sim.velocity[f"b{i}.x"] for i in range(4)] == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=2e-3)


@pytest.mark.parametrize("dt", [pytest.param(1e-3, marks=SLOW), 5e-3])
def test_a_leg_behind_gears_lands(dt):
    """Motors on their curves, gears of 100:1, and an impact in one problem: beside a step of 0.1 ms."""
    heights = []
    for step in (1e-4, dt):
        sim = gw.compile(leg(), dt=step)
        sim.reset(position={"rail": 0.64, "hip": 0.5, "knee": -1.0})
        rail = []
        for _ in range(round(0.6 / step)):
            sim.step(command={"hip_motor": 50.0, "knee_motor": -100.0})
            rail.append(sim.position["rail"])
        assert sim.unsettled == 0
        heights.append((max(rail[np.argmin(rail) :]), rail[-1]))
    assert heights[1] == pytest.approx(heights[0], rel=2e-3)


# --- energy ---------------------------------------------------------------------------------------------------------


def test_shapes_that_begin_inside_each_other_part_slowly():
    box = body("box", Box(size=(0.2, 0.2, 0.1)))
    sim = gw.compile(scene([box], [still("ground")]))
    sim.reset(position={"box.z": 0.04})
    motion = sim.run(2.0)
    assert motion.velocity["box.z"].max() <= 0.0101
    assert motion.position["box.z"].max() < 0.05
    assert motion.position["box.z"][-1] == pytest.approx(0.05, abs=1e-8)


@pytest.mark.parametrize("friction", [pytest.param(0.3, marks=SLOW), 1.5, pytest.param(3.0, marks=SLOW)])
def test_painleve_s_rod_gains_nothing(friction):
    """A rod whose end slides ahead of it: Coulomb's law and rigid bodies have no solution there."""
    sim, tilt = gw.compile(rod(friction), dt=2e-3), 0.5
    sim.reset(
        position={"rod.z": 0.5 * np.cos(tilt) + 1e-3, "rod.qw": np.cos(tilt / 2), "rod.qy": np.sin(tilt / 2)},
        velocity={"rod.x": -3.0},
    )
    energy = sim.run(1.0).energy
    assert energy.max() <= energy[0] + 1e-9
    assert sim.unsettled == 0


SHAPES = (
    lambda rng: Sphere(radius=rng.uniform(0.05, 0.2)),
    lambda rng: Box(size=tuple(rng.uniform(0.05, 0.4, 3).tolist())),
    lambda rng: Capsule(radius=rng.uniform(0.03, 0.1), length=rng.uniform(0.1, 0.4)),
    lambda rng: Cylinder(radius=rng.uniform(0.05, 0.2), length=rng.uniform(0.1, 0.4)),
    lambda rng: Ellipsoid(radii=tuple(rng.uniform(0.05, 0.2, 3).tolist())),
)


def thrown(rng):
    """A few bodies above a slope, turning."""
    shapes = [SHAPES[rng.integers(len(SHAPES))](rng) for _ in range(rng.integers(1, 3))]
    bodies = [
        body(f"b{i}", shape, float(10 ** rng.uniform(-2, 2)), friction=float(rng.uniform(0.0, 1.5)))
        for i, shape in enumerate(shapes)
    ]
    robot = scene(bodies, [still("ground", friction=2.0)], slope=float(rng.uniform(0.0, 0.4)))
    position, velocity = {}, {}
    for i in range(len(bodies)):
        q = rng.normal(size=4)
        position |= {f"b{i}.z": 0.6 + 0.7 * i} | dict(
            zip([f"b{i}.q{c}" for c in "wxyz"], q / np.linalg.norm(q), strict=True)
        )
        velocity |= {f"b{i}.{c}": float(rng.uniform(-2, 2)) for c in "xyz"}
        velocity |= {f"b{i}.r{c}": float(rng.uniform(-5, 5)) for c in "xyz"}
    return robot, position, velocity


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=SLOW) for n in range(1, 250))])
def test_what_is_thrown_never_gains_energy(seed, dt):
    robot, position, velocity = thrown(np.random.default_rng(seed))
    sim = gw.compile(robot, dt=dt)
    sim.reset(position=position, velocity=velocity)
    motion = sim.run(2.0)
    scale = np.ptp(motion.energy)
    assert motion.energy.max() <= motion.energy[0] + 1e-6 * scale
    assert np.maximum(np.diff(motion.energy), 0.0).sum() < 4.0 * dt * scale  # ellipsoids that sink as they roll
    assert sim.unsettled <= 2


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=SLOW) for n in range(2, 125))])
def test_jointed_bodies_never_gain_energy(seed, dt):
    """With stops, friction, couplings and loops, thrown on the ground."""
    rng = np.random.default_rng(seed)
    sim = gw.compile(jointed(rng), dt=dt, ground=0.7)
    q = rng.normal(size=4)
    turned = dict(zip([f"base.q{c}" for c in "wxyz"], q / np.linalg.norm(q), strict=True))
    velocity = {f"base.{c}": float(rng.uniform(-2, 2)) for c in ("x", "y", "z", "rx", "ry", "rz")}
    sim.reset(position={"base.z": 0.8, **turned}, velocity=velocity)
    energy = sim.run(1.5).energy
    assert energy.max() <= energy[0] + 2e-3 * dt * np.ptp(energy)  # what loops swing by in flight
    assert sim.unsettled <= 3


# --- what turns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
def test_a_box_that_spins_while_it_slides(integrator):
    """Its corners slide each its own way: every step converges, and no corner is said to stick."""
    box = body("box", Box(size=(0.14, 0.1, 0.06)), 0.0124, friction=0.36)
    sim = gw.compile(scene([box], [still("ground", friction=2.0)], slope=0.31), integrator=integrator)
    sim.reset(position={"box.z": 0.03}, velocity={"box.x": 2.5, "box.y": 0.7, "box.rz": -4.0})
    for _ in range(20):
        sim.step(n=50)
        assert not any(c.sticking for c in sim.contacts)
    assert sim.unsettled == 0


@pytest.mark.parametrize(("integrator", "dt"), [("midpoint", 1e-3), ("midpoint", 5e-3), ("euler", 1e-3)])
def test_the_limit_cycle_of_a_rimless_wheel(integrator, dt):
    """An impact leaves the share (cos 2α + j)/(1 + j) of its turning, j = I/m·l², and takes off what the slope adds."""
    spokes, slope, inertia = 8, 0.18, 0.2
    half = np.pi / spokes
    share = (np.cos(2 * half) + inertia) / (1 + inertia)
    gained = 4 * G * np.sin(half) * np.sin(slope) / (1 + inertia)
    after = np.sqrt(share**2 / (1 - share**2) * gained)
    sim = gw.compile(
        scene([spoked_wheel(spokes, inertia)], [still("ground")], slope=slope), dt=dt, integrator=integrator
    )
    sim.reset(
        position={"wheel.z": np.cos(half), "wheel.qw": np.cos(half / 2), "wheel.qy": np.sin(half / 2)},
        velocity={"wheel.ry": 1.2 * after, "wheel.x": 1.2 * after * np.cos(half)},
    )
    speed = sim.run(12.0).velocity["wheel.ry"]
    lost = np.flatnonzero(np.diff(speed) < -0.1 * after)[-1] + 2  # the sample after the impact, or the next
    assert speed[lost] == pytest.approx(after, rel=3e-3 + 3.0 * dt)
    assert sim.unsettled == 0


def test_a_stack_with_the_light_box_below_stands():
    boxes = [body(f"b{i}", Box(size=(0.2, 0.2, 0.1)), mass, friction=0.5) for i, mass in enumerate((1.0, 10.0, 1000.0))]
    sim = simulated(scene(boxes, [still("ground")]), 1.0, {f"b{i}.z": 0.05 + 0.1 * i for i in range(3)}, dt=5e-3)
    before = np.array(sim.q)
    sim.step(n=800)
    assert abs(np.array(sim.q) - before).max() < 1e-15
    assert sim.contact_force["ground"][2] == pytest.approx(-1011.0 * G, rel=1e-9)


@SLOW
def test_nothing_creeps_in_an_hour():
    box = body("box", Box(size=(0.4, 0.4, 0.1)), friction=0.5)
    sim = simulated(scene([box], [still("ground", friction=5.0)], slope=0.8 * np.arctan(0.5)), 1.0, {"box.z": 0.05})
    before = sim.position["box.x"]
    sim.step(n=3_600_000)
    assert abs(sim.position["box.x"] - before) < 3600.0 * 1e-9


def spinning_slide(duration, speed, spin, mu, half, height):
    """Where a box ends that slides and spins on its corners: scipy integrates its motion in the plane.

    Loads of the corners are affine over the box: they balance the weight and the moments of friction.
    """
    corners = half * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    inertia = (2 * half) ** 2 / 6.0

    def motion(_, state):
        c, s = np.cos(state[2]), np.sin(state[2])
        r = corners @ np.array([[c, s], [-s, c]])
        slip = state[3:5] + state[5] * np.column_stack([-r[:, 1], r[:, 0]])
        push = -mu * slip / np.linalg.norm(slip, axis=1, keepdims=True)
        basis = np.column_stack([np.ones(4), r])
        moments = [np.ones(4), r[:, 1] + height * push[:, 1], -r[:, 0] - height * push[:, 0]]
        loads = basis @ np.linalg.solve(np.array(moments) @ basis, [G, 0.0, 0.0])
        force = loads[:, None] * push
        turn = (r[:, 0] * force[:, 1] - r[:, 1] * force[:, 0]).sum() / inertia
        return [*state[3:], *force.sum(0), turn]

    return solve_ivp(motion, (0.0, duration), [0.0, 0.0, 0.0, *speed, spin], rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.parametrize(
    ("integrator", "dt", "error"), [("midpoint", 1e-3, 1e-6), ("midpoint", 5e-3, 3e-5), ("euler", 1e-3, 2e-3)]
)
def test_corners_that_slide_each_its_own_way(integrator, dt, error):
    """The direction of friction is that of the middle of a step: second order by default."""
    end = spinning_slide(0.2, (1.0, 0.3), 3.0, 0.4, 0.1, 0.05)
    box = body("box", Box(size=(0.2, 0.2, 0.1)), friction=0.4)
    sim = gw.compile(scene([box], [still("ground", friction=9.0)]), dt=dt, integrator=integrator)
    sim.reset(position={"box.z": 0.05}, velocity={"box.x": 1.0, "box.y": 0.3, "box.rz": 3.0})
    sim.step(n=round(0.2 / dt))
    found = [sim.position["box.x"], sim.position["box.y"], 2 * np.arcsin(sim.position["box.qz"])]
    assert found == pytest.approx(end[:3], abs=error)
    loads = {tuple(np.sign(c.point[:2] - found[:2])): c.force[2] for c in sim.contacts}
    assert len(loads) == 4
    assert loads[1, 1] + loads[-1, -1] == pytest.approx(loads[1, -1] + loads[-1, 1], abs=1e-2)
