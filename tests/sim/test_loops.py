"""Closed loops: the four-bar against Freudenstein, drift, assembly, every kind of cut joint, what cannot be closed."""

from dataclasses import replace
from math import acos, atan2, hypot, pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.model import JOINT_KINDS, AxisRef
from gearwright.model.hardware.drives import Drive
from gearwright.sim import compile
from gearwright.sim.reset.loop_closure import moved
from tests.dynamics.test_reduce import follow, wheels
from tests.model.test_rigid_loops import held_by_a_slider
from tests.sim.robots import FOLDER, bare
from tests.tolerances import ROUNDING

FOUR_BAR = FOLDER / "four_bar.sdf"
GROUND, CRANK, COUPLER, ROCKER = 0.12, 0.04, 0.10, 0.08
START = pi / 3, 1.7027819233538584  # of crank and rocker, as drawn


def rocker_angle(crank):
    """Freudenstein's equation solved by triangles, on the branch that the file draws."""
    x, z = CRANK * np.cos(crank) - GROUND, CRANK * np.sin(crank)  # from the rocker's pin to the crank's tip
    diagonal = hypot(x, z)
    return atan2(z, x) - acos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))


def drift(sim):
    kernel, n = sim.kernels["closure"], len(sim.layout.names.free_positions)
    error = kernel.evaluate({"position": sim.state[..., :n], "parameter": np.zeros(0)})["error"]
    return np.abs(error).max(initial=0.0)


def drift_in(sim, rec):
    """The largest error of a whole recording."""
    names, kernel = sim.layout.names, sim.kernels["closure"]
    q = np.stack([rec.position[names.positions.names[i]] for i in names.free_positions], axis=-1)
    return max(np.abs(kernel.evaluate({"position": x, "parameter": np.zeros(0)})["error"]).max() for x in q)


def test_a_four_bar_follows_freudenstein_over_a_turn():
    sim = compile(FOUR_BAR, drives={"pin_a": Drive(kinematic=True)})
    for k in range(720):
        sim.drive(position={"pin_a": 2 * pi * (k + 1) / 720})
        sim.step()
        expected = rocker_angle(START[0] + sim.position["pin_a"]) - rocker_angle(START[0])
        assert (sim.position["pin_d"] - expected + pi) % (2 * pi) - pi == pytest.approx(0.0, abs=ROUNDING)
    assert sim.position["pin_a"] == pytest.approx(2 * pi, abs=1e-12)


@pytest.mark.parametrize("dt", [1e-3, 4e-3])
@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
def test_one_motor_moves_it_and_nothing_drifts(solver, dt):
    """At 30 rad/s, 0.12 rad a step: the last correction starts from 1e-10 at most, and its error is the square."""
    sim = compile(FOUR_BAR, solver=solver, dt=dt)
    for _ in range(100):
        sim.step(effort={"pin_a": 0.06}, n=round(4e-3 / dt) * 2)
        assert drift(sim) < 1e-12
    assert sim.position["pin_a"] > 2 * pi


@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
def test_two_motors_on_one_loop(solver):
    """One freedom, two motors: what both do is the energy gained and the pins' damping, at every instant.

    The gap is the integrator's, of first order: half the step, half the gap, within some parts of the second order.
    """
    pins = {"crank": "pin_a", "rocker": "pin_d"}
    motors = {n: gw.ElectricMotor(name=n, joint=AxisRef(pin), rotor_inertia=2e-6) for n, pin in pins.items()}
    robot = replace(bare(gw.load(FOUR_BAR)), actuators=motors)
    push = {"crank": lambda t: 0.02 * np.sin(9 * t), "rocker": lambda t: 0.03 * np.cos(20 * t)}
    gaps = []
    for dt in (4e-4, 2e-4):
        sim = compile(robot, solver=solver, dt=dt)
        start = sim.energy
        rec = sim.run(0.4, command=push)
        work = {n: dt * np.cumsum(rec.actuator[n].torque * rec.velocity[pin]) for n, pin in pins.items()}
        a, b, d = (rec.velocity[f"pin_{k}"] for k in "abd")
        lost = dt * np.cumsum(1e-4 * (a**2 + b**2 + d**2 + (d - a - b) ** 2))  # pin_c turns by what the others leave
        assert drift_in(sim, rec) < ROUNDING
        assert min(np.abs(w).max() for w in (*work.values(), lost)) > 0.01
        gaps.append(np.abs(sum(work.values()) - lost - (rec.energy - start)).max())
    assert np.ptp(rec.position["pin_a"]) > pi
    assert gaps[0] < 0.03 * np.ptp(rec.energy)
    assert gaps[0] / gaps[1] == pytest.approx(2.0, abs=0.1)


def test_a_urdf_whose_gazebo_block_closes_a_loop():
    """A crank of 1 m between pins 1.5 m apart, falling for a second: no drift, and energy to 1e-5 of what moves.

    1e-6 is found at 1 ms. Passes end at 1e-5 of a speed, which is as much: halving dt does not quarter it any more.
    """
    inertia = "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/>"
    body = "<link name='{}'><inertial><origin xyz='{}'/><mass value='1'/>" + inertia + "</inertial></link>"
    links = (("crank", "0 0 0.5"), ("coupler", "0.6 0 0.15"), ("rocker", "-0.15 0 0.65"))
    pins = (("a", "ground", "crank", "0 0 0"), ("b", "crank", "coupler", "0 0 1"), ("d", "ground", "rocker", "1.5 0 0"))
    tree = "".join(body.format(*link) for link in links) + "".join(
        f"<joint name='{n}' type='continuous'><parent link='{p}'/><child link='{c}'/><origin xyz='{xyz}'/>"
        "<axis xyz='0 1 0'/></joint>" for n, p, c, xyz in pins
    )  # fmt: skip
    close = """<gazebo><joint name="c" type="revolute"><pose>-0.3 0 1.3 0 0 0</pose><parent>coupler</parent>
      <child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"""
    robot = gw.loads(f"<robot name='r'><link name='ground'/>{tree}{close}</robot>")
    assert [j.name for j in robot.tree.cuts] == ["c"] and robot.dof == 1
    ranges = []
    for dt in (1e-3, 5e-4):
        sim = compile(robot, dt=dt)
        rec = sim.run(1.0)
        assert drift_in(sim, rec) < ROUNDING
        ends = [sim.pose[n] @ x for n, x in (("coupler", (1.2, 0, 0.3, 1)), ("rocker", (-0.3, 0, 1.3, 1)))]
        assert np.abs(ends[0] - ends[1]).max() < ROUNDING  # the pin itself, from both bars
        ranges.append(np.ptp(rec.energy) / np.ptp(rec.kinetic_energy))
    assert np.ptp(rec.position["a"]) > 1.0
    assert max(ranges) < 2e-6


def test_energy_is_kept_in_a_loop_without_losses():
    """First order: the change in half a second, against the energy that goes to and fro, shrinks with the step."""
    text = FOUR_BAR.read_text().replace("<damping>1e-4</damping>", "<damping>0</damping>")
    errors = []
    for dt in (4e-4, 1e-4):
        sim = compile(bare(gw.loads(text)), dt=dt)
        rec = sim.run(0.5)
        errors.append(np.ptp(rec.energy) / np.ptp(rec.kinetic_energy))
    assert errors[1] < 1e-5
    assert errors[1] < errors[0] / 2.5


def test_damping_and_springs_of_the_cut_joint_act():
    """Cut at pin_c or at pin_b, which changes nothing but names: the same motion to first order in dt."""
    text = FOUR_BAR.read_text().replace("<damping>1e-4</damping>", "<damping>1e-3</damping>")
    last = []
    for cut in ("pin_c", "pin_b"):
        robot = replace(bare(gw.loads(text)), cut=(cut,))
        assert [j.name for j in robot.tree.cuts] == [cut]
        sim = compile(robot, dt=1e-4)
        sim.step(effort={"pin_a": 0.03}, n=1000)
        last.append(sim.position["pin_a"])
    assert abs(last[0]) > 0.05
    assert last[0] == pytest.approx(last[1], rel=1e-5)


def test_assembly_at_reset():
    """A crank that is given stays; the passive pins are brought to where the loop closes."""
    sim = compile(FOUR_BAR)
    sim.reset(position={"pin_a": 1.0}, velocity={"pin_a": 2.0})
    assert sim.position["pin_a"] == 1.0
    assert sim.position["pin_d"] == pytest.approx(rocker_angle(START[0] + 1.0) - rocker_angle(START[0]), abs=ROUNDING)
    assert drift(sim) < ROUNDING
    before = drift(sim)
    sim.step()
    assert abs(sim.velocity["pin_d"]) > 0.1
    assert drift(sim) < 1e-9 + before
    many = compile(FOUR_BAR, batch=3)
    many.reset(position={"pin_a": np.array([0.0, 0.5, 1.0])})
    assert many.position["pin_d"][2] == pytest.approx(
        rocker_angle(START[0] + 1.0) - rocker_angle(START[0]), abs=ROUNDING
    )


def test_assembly_in_single_precision():
    sim = compile(FOUR_BAR, precision="single")
    sim.reset(position={"pin_a": 1.0})
    # single precision
    assert sim.position["pin_d"] == pytest.approx(rocker_angle(START[0] + 1.0) - rocker_angle(START[0]), abs=1e-6)
    sim.step(effort={"pin_a": 0.02}, n=300)
    assert drift(sim) < 2e-7  # single precision: angles of 4 rad, bars of 0.1 m; found 7.4e-8


def test_a_long_chain_of_hard_couplings_costs_in_proportion():
    """100-joint chains: instructions a joint do not grow."""
    sizes = []
    for n in (20, 40):
        chain = [follow(f"w{k}", (f"w{k - 1}", 1.01), mode="hard") for k in range(1, n)]
        (stage,) = Equations(wheels([0.1] * n, chain)).stages
        sizes.append(stage.n_instructions())
    assert sizes[1] < 2.2 * sizes[0]


def test_redundant_rows_are_told():
    """A planar loop of hinges in space: three of the five rows look out of the plane."""
    told = [str(d) for d in compile(FOUR_BAR).diagnostics if d.code == "redundant-rows"]
    assert len(told) == 1
    assert "3 of the 5 loop-closure constraints at 'pin_c'" in told[0]
    assert not [d for d in compile(ring("ball")).diagnostics if d.code == "redundant-rows"]


def limited(joint, lower, upper):
    """The four-bar with stops at one of its passive pins."""
    text = FOUR_BAR.read_text(encoding="utf-8")
    at = text.index("</xyz>", text.index(f'joint name="{joint}"')) + len("</xyz>")
    return gw.loads(f"{text[:at]}<limit><lower>{lower}</lower><upper>{upper}</upper></limit>{text[at:]}")


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
@pytest.mark.parametrize(("joint", "start"), [("pin_b", -0.21), ("pin_b", 0.21), ("pin_d", 0.21)])
def test_a_joint_of_a_loop_that_is_beyond_its_stop_comes_back(joint, start, integrator):
    """Set back alone, `pin_b` would come out further beyond once the loop is closed again."""
    sim = compile(limited(joint, -0.2, 0.2), integrator=integrator)
    with pytest.warns(gw.BeyondLimitsWarning, match="are pushed back into range"):
        sim.reset(position={joint: start})
    beyond = [abs(start) - 0.2]
    for _ in range(10):
        sim.step(n=60)
        beyond.append(abs(sim.position[joint]) - 0.2)
    assert (np.diff(beyond) < ROUNDING).all() and -ROUNDING < beyond[-1] < 2e-9  # where it counts as on its stop


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_loop_rests_on_a_stop(precision):
    """In single precision, what closes the loop moves the joint by 1e-7 rad: it stands on its stop all the same."""
    sim = compile(limited("pin_b", -0.2, 0.2), precision=precision)
    sim.step(effort={"pin_a": 0.3}, n=400)
    for _ in range(100):
        sim.step(effort={"pin_a": 0.3})
        assert max(map(abs, sim.velocity.values())) < 2e-7  # rounding in single precision; found 3e-8


def test_a_rigid_loop_has_the_rows_of_a_fixed_joint():
    with pytest.warns(gw.NotSimulatedWarning, match="'slider' closes a loop .* simulated as fixed"):
        held = compile(held_by_a_slider())
    assert "loop-rigid" in [d.code for d in held.diagnostics]
    assert "4 of the 6 loop-closure constraints" in next(str(d) for d in held.diagnostics if d.code == "redundant-rows")


def test_a_loop_that_cannot_be_closed():
    sim = compile(FOUR_BAR)
    with pytest.raises(gw.SimulationError, match="the loop through 'pin_c' cannot be closed"):
        sim.reset(position={"pin_a": 0.0, "pin_d": 1.5})


# --- every kind -----------------------------------------------------------------------------------------------------


def ring(kind):
    """A bent arm of three balls, whose last link is held by a joint of this kind too, which is cut."""
    axes = "".join(f"<axis{'' if n == 0 else n + 1}><xyz>{xyz}</xyz></axis{'' if n == 0 else n + 1}>"
                   for n, xyz in zip(range(JOINT_KINDS[kind].axes), ("0 0.6 0.8", "1 0 0"), strict=False))  # fmt: skip
    pitch = "<screw_thread_pitch>0.3</screw_thread_pitch>" if kind == "screw" else ""
    inertia = "<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz></inertia>"
    body = f"<inertial><pose>0.1 0.05 0 0 0 0</pose><mass>1</mass>{inertia}</inertial>"
    arm = "".join(
        f'<link name="l{n}"><pose>{xyz} 0 0 0</pose>{body}</link>'
        f'<joint name="j{n}" type="ball"><parent>{parent}</parent><child>l{n}</child></joint>'
        for n, (parent, xyz) in enumerate((("world", "0 0 0"), ("l0", "0.25 0 0.2"), ("l1", "0.1 0.1 0.45")))
    )
    robot = gw.loads(f"""<sdf version="1.9"><model name="ring">{arm}
      <joint name="cut" type="{kind}"><pose relative_to="l2">0.2 0.1 0 0.3 0 0</pose><parent>world</parent>
      <child>l2</child>{axes}{pitch}</joint></model></sdf>""")
    return replace(robot, cut=("cut",))


@pytest.mark.parametrize("kind", ["revolute", "universal"])
def test_the_joint_that_is_written_last_is_cut(kind):
    assert [j.name for j in replace(ring(kind), cut=()).tree.cuts] == ["cut"]


@pytest.mark.parametrize("kind", [k for k in JOINT_KINDS if k not in ("floating", "planar")])
def test_every_kind_closes_a_loop(kind):
    """Under gravity for half a second: 6 − freedoms rows that hold, and nine freedoms less those."""
    robot = ring(kind)
    sim = compile(robot)
    equations = sim.kernels["closure"].program
    rows = equations.slot("error").shape[0]
    assert rows == 6 - robot.tree.cuts[0].dof
    for _ in range(20):
        sim.step(n=25)
        assert drift(sim) < ROUNDING
    assert np.isfinite(sim.state).all()
    _, J = (sim.kernels["closure"].evaluate({"position": sim.state[:12], "parameter": np.zeros(0)})[n]
            for n in ("error", "jacobian"))  # fmt: skip
    u = sim.state[12:21]
    assert np.abs(J @ u).max() < ROUNDING * max(1.0, np.abs(u).max())


@pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic", "screw", "universal", "ball"])
def test_rates_are_the_slopes_of_errors(kind):
    """J by central differences along each velocity, away from where the loop closes."""
    robot = ring(kind)
    sim = compile(robot)
    kernel, names, rng = sim.kernels["closure"], sim.layout.names, np.random.default_rng(1)
    q = moved(names, sim.state[:12], 0.3 * rng.normal(size=9))
    J = kernel.evaluate({"position": q, "parameter": np.zeros(0)})["jacobian"]
    for k in range(9):
        step = np.zeros(9)
        step[k] = 1e-6
        ahead, behind = (kernel.evaluate({"position": moved(names, q, s * step), "parameter": np.zeros(0)})["error"]
                         for s in (1, -1))  # fmt: skip
        assert (ahead - behind) / 2e-6 == pytest.approx(J[:, k], abs=5e-10)  # rounding over 2e-6
