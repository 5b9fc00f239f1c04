"""Actuators in the equations: power through every map, the rotors' inertia and its change, energy step by step."""

from dataclasses import dataclass, replace
from functools import cache

import casadi
import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics.algebra.scalar import scalars
from gearwright.dynamics.equations import Equations
from gearwright.dynamics.tree.coordinates import State
from gearwright.model import AxisRef, Transmission
from gearwright.sim import compile
from tests.dynamics.random_mechanisms import STENCIL, Newton, flat, random_state, random_tree, relative_error
from tests.tolerances import ROUNDING

# a drag link: both bars go all the way round, so that every joint angle is within reach
DRAG_LINK = gw.FourBarLinkage(ground=0.1, input=0.3, coupler=0.35, output=0.32)


def wavy(q):
    """A map whose ratio, and its slope, depend on both joints."""
    return np.array([3.0 * q[0] + 0.4 * np.sin(q[1]), 2.0 * q[1] - 0.3 * np.cos(q[0]) * q[1], q[0] * q[1]])


MAPS = {
    "simple": gw.SimpleTransmission(reduction=-7.0, offset=0.2),
    "differential": gw.DifferentialTransmission(
        actuator_reduction=(5.0, -4.0), joint_reduction=(0.7, 1.5), joint_offset=(0.1, -0.2)
    ),
    "four_bar": gw.FourBarLinkageTransmission(actuator_reduction=(5.0, 4.0), joint_reduction=(-0.7, 1.5)),
    "four_bar_linkage": DRAG_LINK,
    "linear_map": gw.LinearMap(matrix=((1.0, -2.0, 0.5), (0.3, 0.0, 4.0))),
    "series": gw.Series([gw.SimpleTransmission(reduction=6.0), DRAG_LINK]),
    "linear_series": gw.Series([gw.DifferentialTransmission(actuator_reduction=(3.0, 3.0)), gw.LinearMap(
        matrix=((2.0, 1.0), (0.0, 1.0)))]),
    "custom": gw.CustomTransmission(position=wavy, size=(3, 2)),
}  # fmt: skip
REPRESENTATIVES = ("simple", "four_bar_linkage", "custom")  # a constant ratio, a variable one, several axes at once
OTHERS = [name for name in MAPS if name not in REPRESENTATIVES]
every_map = pytest.mark.parametrize("name", [*MAPS])
KINDS = ("revolute", "prismatic", "revolute", "continuous")


@cache
def driven(name, seed=3, rotors=True, lossy=False):
    """A random tree whose last joints are driven through a map; with dampers everywhere, springs and armature."""
    tree, m = random_tree(seed, KINDS, passive=lossy), MAPS[name]
    joints = [j for j in tree.joints if not j.endswith("fixed")][-m.joints :]
    inertias = np.random.default_rng(seed).uniform(0.01, 0.1, m.actuators) if rotors else np.zeros(m.actuators)
    motors = [
        gw.ElectricMotor(name=f"m{i}", rotor_inertia=float(x), damping=0.05 if lossy else 0.0)
        for i, x in enumerate(inertias)
    ]
    t = Transmission(
        name="t", type=name, map=m, actuators=tuple(a.name for a in motors), joints=tuple(map(AxisRef, joints))
    )
    return replace(tree, actuators={a.name: a for a in motors}, transmissions={"t": t})


def columns(robot):
    """Of the driven joints among the tree's coordinates, which all have one."""
    names = [j.name for j in robot.tree.joints if j.dof]
    return [names.index(ref.joint) for ref in robot.transmissions["t"].joints]


@cache
def maps_of(name):
    """(q, v, command) → speeds of the actuators' axes, efforts along the tree: as the step has them."""
    equations = Equations(driven(name))
    model = equations.model
    q, v, u = (casadi.SX.sym(n, k) for n, k in (("q", 4), ("v", 4), ("u", len(driven(name).actuators))))
    tree = model.tree(State(scalars(q), scalars(v)))
    acting = model.actuation.acting(tree, scalars(u), [0.0] * 9, 1e-3)
    found = model.actuation.efforts(tree, acting)
    efforts = casadi.vertcat(*(casadi.SX(found.get(k, 0.0)) for k in range(4)))
    speeds = casadi.vertcat(*(casadi.SX(now.seen.speed) for now in acting))
    return casadi.Function("maps", [q, v, u], [speeds, efforts])


# --- power ----------------------------------------------------------------------------------------------------------


@every_map
def test_power_in_is_power_out(name, rng):
    """`τ_aᵀ·(A·v) = (Aᵀ·τ_a)ᵀ·v` to 1e-12 of the terms that it is summed from."""
    for _ in range(20):
        q, v, u = rng.normal(size=4), rng.normal(size=4), rng.normal(size=MAPS[name].actuators)
        speeds, efforts = (flat(x) for x in maps_of(name)(q, v, u))
        assert abs(u @ speeds - efforts @ v) < ROUNDING * (np.abs(u * speeds).sum() + np.abs(efforts * v).sum())


@every_map
def test_the_step_has_the_maps_of_the_model(name, rng):
    """Velocities and efforts of the equations against the transmission on its own."""
    robot, m = driven(name), MAPS[name]
    own = columns(robot)
    for _ in range(10):
        q, v, u = rng.normal(size=4), rng.normal(size=4), rng.normal(size=m.actuators)
        speeds, efforts = (flat(x) for x in maps_of(name)(q, v, u))
        assert speeds == pytest.approx(m.joint_to_actuator_velocity(v[own], at=q[own]), rel=1e-12, abs=1e-12)
        assert efforts[own] == pytest.approx(m.actuator_to_joint_effort(u, at=q[own]), rel=1e-12, abs=1e-12)
        assert np.delete(efforts, own) == pytest.approx(0.0, abs=0)


@every_map
def test_motors_change_the_velocities_by_their_efforts(name, rng):
    """An Euler step with commands less one without: `M·Δv = dt·Aᵀ·τ`, M with the rotors in it."""
    robot, m = driven(name), MAPS[name]
    sim = compile(robot, integrator="euler")
    own = columns(robot)
    q, v, u = rng.normal(size=4), rng.normal(size=4), rng.normal(size=m.actuators)
    start = {
        "position": dict(zip(sim.coordinates, q, strict=True)),
        "velocity": dict(zip(sim.coordinates, v, strict=True)),
    }
    sim.reset(**start)
    M = sim.mass_matrix()
    sim.step()
    idle = np.array([sim.velocity[n] for n in sim.coordinates])
    sim.reset(**start)
    sim.step(command={f"m{i}": x for i, x in enumerate(u)})
    moved = np.array([sim.velocity[n] for n in sim.coordinates]) - idle
    expected = np.zeros(4)
    expected[own] = m.actuator_to_joint_effort(u, at=q[own])
    assert M @ moved / 1e-3 == pytest.approx(expected, rel=1e-11, abs=1e-11)  # rounding over dt


@every_map
@pytest.mark.parametrize(("seed", "lossy"), [(2, True), pytest.param(1, False, marks=pytest.mark.slow)])
def test_motors_pay_for_the_energy_of_a_step_and_its_losses(name, seed, lossy):
    """Kinetic and potential energy after a step, less before, is what motors give, `dt·τᵀ·ω⁺`, less what dampers
    take, `dt·d·v⁺²`, on joints and on the motors' axes. What is left is the step's own, of second order in dt: halving
    dt leaves a quarter, within a per cent of third order.
    """
    robot = driven(name, seed, lossy=lossy)
    rng = np.random.default_rng(seed)
    q, v, u = 0.5 * rng.normal(size=4), rng.normal(size=4), 20 * rng.normal(size=MAPS[name].actuators)
    damping = {j.name: j.axes[0].dynamics.damping for j in robot.joints.values() if j.axes}
    gaps = []
    for dt in (4e-4, 2e-4, 1e-4):
        sim = compile(robot, dt=dt)
        sim.reset(dict(zip(sim.coordinates, q, strict=True)), dict(zip(sim.coordinates, v, strict=True)))
        before = sim.energy
        sim.step(command={f"m{i}": x for i, x in enumerate(u)})
        motors = [sim.actuator[n] for n in robot.actuators]
        paid = dt * sum(m.torque * m.velocity for m in motors)
        lost = dt * sum(d * sim.velocity[n] ** 2 for n, d in damping.items())
        lost += dt * sum(robot.actuators[f"m{i}"].damping * m.velocity**2 for i, m in enumerate(motors))
        gaps.append(sim.energy - before - paid + lost)
    assert abs(paid) > 5 * abs(gaps[-1])  # what the motors pay counts
    assert (abs(lost) > 5 * abs(gaps[-1])) == lossy
    assert np.array(gaps[:-1]) / gaps[1:] == pytest.approx(4.0, rel=0.01)


def test_a_law_that_is_a_straight_line_needs_no_row():
    """Its line is in the mass matrix. A curve needs a row, and so does a jump, whose slope does not show it."""

    @dataclass(frozen=True, kw_only=True)
    class Switch(gw.Actuator):
        def respond(self, command, shaft, state=()):
            return np.where(shaft.speed < 5.0, command, 0.0) - 0.01 * shaft.speed, state

    def curved(actuator):
        tree = random_tree(3, ("revolute",), passive=False)
        joint = next(n for n in tree.joints if not n.endswith("fixed"))
        robot = replace(tree, actuators={"m": replace(actuator, joint=AxisRef(joint))})
        return [d.curved for d in Equations(robot).model.actuation.driven] == [True]

    straight = (
        gw.Actuator(name="m"),
        gw.ElectricMotor(name="m", command="position", stiffness=3.0, damping_gain=1.0),
        gw.DCMotor(name="m", resistance=1.0, torque_constant=1.0, inductance=0.1, command="voltage"),
        gw.CustomActuator(name="m", function=lambda command, speed, state: command - 0.1 * speed),
    )
    bent = (
        gw.ElectricMotor(name="m", stall_torque=1.0, no_load_speed=2.0),
        gw.Actuator(name="m", velocity_limit=3.0),
        gw.CustomActuator(name="m", function=lambda command, speed, state: command - np.tanh(speed)),
        Switch(name="m"),
    )
    assert not any(map(curved, straight)) and all(map(curved, bent))


# --- rotors ---------------------------------------------------------------------------------------------------------


def shaft_rates(m, q, direction, h=1e-3):
    """d/dt of the actuators' positions along a direction, by differences of fourth order of the map's positions."""
    ahead = {n: m.joint_to_actuator_position(q + n * h * direction) for n in STENCIL}
    return sum(w * np.atleast_1d(ahead[n]) for n, w in STENCIL.items()) / h


@pytest.mark.parametrize("name", [*REPRESENTATIVES, *(pytest.param(n, marks=pytest.mark.slow) for n in OTHERS)])
def test_rotors_are_in_the_mass_matrix_and_the_energy(name, rng):
    """Against finite differences of positions alone: of the links by `Newton`, of the rotors by their map.

    Differences with h = 1e-3 are right to h⁴ and to 1e-16/h, 1e-12 or so.
    """
    robot, m = driven(name), MAPS[name]
    sim, own = compile(robot), columns(robot)
    inertias = np.array([a.rotor_inertia for a in robot.actuators.values()])
    q, v, by_joint = random_state(robot, rng, 0.7)
    links = Newton(robot, by_joint, v)
    rates = np.array([shaft_rates(m, q[own], e[own]) for e in np.eye(4)])  # (coordinates, actuators)
    M = links.mass_matrix() + (rates * inertias) @ rates.T
    sim.reset(dict(zip(sim.coordinates, q, strict=True)), dict(zip(sim.coordinates, v, strict=True)))
    assert relative_error(sim.mass_matrix(), M) < 1e-11
    assert sim.kinetic_energy == pytest.approx(0.5 * v @ M @ v, rel=1e-11)
    bare = compile(driven(name, rotors=False))
    bare.reset(dict(zip(sim.coordinates, q, strict=True)))
    assert np.abs(sim.mass_matrix() - bare.mass_matrix()).max() > 1e-3  # the rotors are no trifle


@every_map
def test_the_mass_matrix_is_the_second_difference_of_the_kinetic_energy(name, rng):
    """`M_ij = T(eᵢ + eⱼ) − T(eᵢ) − T(eⱼ)`, exactly: the energy is quadratic in the velocities."""
    sim = compile(driven(name))
    q = dict(zip(sim.coordinates, rng.normal(size=4), strict=True))

    def energy(*moving):
        v = dict.fromkeys(sim.coordinates, 0.0)
        for i in moving:
            v[sim.coordinates[i]] += 1.0
        sim.reset(q, v)
        return sim.kinetic_energy

    M = [[energy(i, j) - energy(i) - energy(j) for j in range(4)] for i in range(4)]
    assert relative_error(sim.mass_matrix(), M) < 1e-12


ORDERS = pytest.mark.parametrize(("integrator", "quotient"), [("euler", 2.0), ("midpoint", 4.0)])


@ORDERS
@every_map
def test_free_motion_keeps_its_energy_to_the_integrators_order(name, integrator, quotient):
    """Also where the ratio changes on the way, so that the rotors' `Ȧ·v` is there; without it the drift would stay."""
    drifts = []
    for dt in (4e-4, 2e-4, 1e-4):
        sim = compile(driven(name), dt=dt, integrator=integrator)
        sim.reset(velocity=dict(zip(sim.coordinates, (1.0, 0.3, -0.8, 1.2), strict=True)))
        before = sim.energy
        sim.step(n=round(0.2 / dt))
        drifts.append(sim.energy - before)
    assert np.array(drifts[:-1]) / drifts[1:] == pytest.approx(quotient, rel=0.1)  # the next order in dt


def pin(name, parent, child, cut=False):
    return (
        f"<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child>"
        f"<axis><xyz>0 0 1</xyz></axis></joint>"
    )


def bar(name, place, angle, inertia, mass=1.0, center=0.0):
    moments = f"<inertia><ixx>1</ixx><iyy>1</iyy><izz>{inertia!r}</izz></inertia>"
    return (
        f"<link name='{name}'><pose>{place[0]!r} {place[1]!r} 0 0 0 {angle!r}</pose><inertial>"
        f"<pose>{center!r} 0 0 0 0 0</pose><mass>{mass!r}</mass>{moments}</inertial></link>"
    )


def bar_angles(bars, phi):
    """Of crank and coupler at the rocker's angle, and where the crank ends."""
    theta = bars.joint_to_actuator_position(phi)
    A = bars.input * np.array([np.cos(theta), np.sin(theta)])
    B = np.array([bars.ground, 0.0]) + bars.output * np.array([np.cos(phi), np.sin(phi)])
    return theta, float(np.arctan2(*(B - A)[::-1])), A


def thrown(bars, phi, speed, h=1e-6):
    """Velocities of all pins with the rocker at this speed: central differences, to 1e-10."""
    ahead, behind = (bar_angles(bars, phi + x)[:2] for x in (h, -h))
    crank, coupler = speed * (np.array(ahead) - behind) / (2 * h)
    return {"output": speed, "input": crank, "elbow": coupler - crank}


def closed_four_bar(bars, phi, crank, rocker, point):
    """The linkage as bodies: a crank with a flywheel, a rocker, and a coupler with a point mass at each end."""
    theta, along, A = bar_angles(bars, phi)
    half = bars.coupler / 2
    links = bar("crank", (0.0, 0.0), theta, crank) + bar("rocker", (bars.ground, 0.0), phi, rocker)
    links += bar("coupler", tuple(map(float, A)), along, 2 * point * half**2, 2 * point, half)
    end = f"<frame name='end' attached_to='rocker'><pose relative_to='rocker'>{bars.output!r} 0 0 0 0 0</pose></frame>"
    joints = pin("input", "world", "crank") + pin("output", "world", "rocker") + pin("elbow", "crank", "coupler")
    joints += (
        "<joint name='closing' type='revolute'><pose relative_to='end'>0 0 0 0 0 0</pose><parent>coupler</parent>"
        "<child>rocker</child><axis><xyz>0 0 1</xyz></axis></joint>"
    )
    text = f"<world name='w'><gravity>0 0 0</gravity><model name='m'>{links}{end}{joints}</model></world>"
    robot = gw.loads(f"<sdf version='1.11'>{text}</sdf>")
    return replace(robot, cut=("closing",))


def transmitted_four_bar(bars, rotor, output):
    text = (
        f"<link name='l'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>{output!r}</izz></inertia>"
        "</inertial></link>" + pin("output", "world", "l")
    )
    text = f"<world name='w'><gravity>0 0 0</gravity><model name='m'>{text}</model></world>"
    robot = gw.loads(f"<sdf version='1.11'>{text}</sdf>")
    t = Transmission(name="t", type="x", map=bars, actuators=("m",), joints=(AxisRef("output"),))
    return replace(robot, actuators={"m": gw.ElectricMotor(name="m", rotor_inertia=rotor)}, transmissions={"t": t})


@ORDERS
def test_a_linkage_as_a_transmission_moves_as_the_linkage_of_bodies(integrator, quotient):
    """A rotor behind a four-bar transmission against crank, coupler and rocker as bodies with a closed loop.

    Point masses m at the coupler's ends turn with crank and rocker: they add m·r² and m·c² to them, exactly. Both are
    of the integrator's order in dt, in different coordinates, and so is their difference. Thrown, and driven on.
    """
    bars, phi, point = gw.FourBarLinkage(ground=0.4, input=0.15, coupler=0.35, output=0.3), 1.7, 0.2
    crank, rocker, t = 0.02, 0.01, 0.4
    ends = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        bodies = compile(closed_four_bar(bars, phi, crank, rocker, point), dt=dt, integrator=integrator)
        bodies.reset(velocity=thrown(bars, phi, 0.8))
        bodies.step(effort={"input": 0.01}, n=round(t / dt))
        robot = transmitted_four_bar(bars, crank + point * 0.15**2, rocker + point * 0.3**2)
        shaft = compile(robot, dt=dt, integrator=integrator)
        shaft.reset(position={"output": phi}, velocity={"output": 0.8})
        shaft.step(command={"m": 0.01}, n=round(t / dt))
        ends.append((bodies.position["output"] + phi, shaft.position["output"]))
        turned = bars.joint_to_actuator_position(shaft.position["output"])
        assert shaft.actuator["m"].position == pytest.approx(turned, rel=1e-12)
    gaps = np.array([a - b for a, b in ends])
    assert abs(ends[-1][0] - phi) > 0.1  # it has moved
    assert abs(gaps[-1]) < {"euler": 5e-4, "midpoint": 5e-7}[integrator]  # 8e-5 and 6e-8 found
    assert gaps[:-1] / gaps[1:] == pytest.approx(quotient, rel=0.03)  # the next order in dt


@pytest.mark.parametrize("name", ["simple", "differential", "linear_map"])
def test_a_rotor_is_what_armature_is(name):
    """Where ratios are constant a rotor is `n²·I` of armature, and for several joints the full matrix Aᵀ·I·A."""
    robot, m = driven(name), MAPS[name]
    own = columns(robot)
    inertias = np.diag([a.rotor_inertia for a in robot.actuators.values()])
    A = m.actuator_per_joint_at(np.zeros(m.joints))
    sim, bare = compile(robot), compile(driven(name, rotors=False))
    extra = np.zeros((4, 4))
    extra[np.ix_(own, own)] = A.T @ inertias @ A
    assert sim.mass_matrix() - bare.mass_matrix() == pytest.approx(extra, rel=ROUNDING, abs=ROUNDING)
