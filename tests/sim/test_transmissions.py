"""Transmissions in the time step: losses in either direction, linear maps with bounds, functions of the user's own."""

from math import cos

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.sim.driven import body, driven, motor, rigid, wheel
from tests.tolerances import ROUNDING


def two(*inertias):
    return rigid(*(body(f"j{i}", x) for i, x in enumerate(inertias, 1)))


def pair():
    return gw.ElectricMotor(name="m1"), gw.ElectricMotor(name="m2")


# --- losses of a transmission ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [0.9, 0.5])
def test_efficiency_loses_its_share_in_either_direction(eta):
    """Driving, the joint gets η·n·τ; driven back, the joint loses n·τ/η_b; both exactly."""
    n, tau, inertia, dt = 10.0, 0.3, 0.5, 1e-3
    robot = wheel(motor(), inertia, n, losses=gw.Losses(efficiency=eta, backward_efficiency=eta))
    sim = compile(robot)
    sim.step(command={"motor": tau}, n=100)
    assert sim.velocity["j"] == pytest.approx(100 * dt * eta * n * tau / inertia, rel=ROUNDING)
    sim.reset(velocity={"j": -2.0})
    sim.step(command={"motor": tau}, n=50)
    assert sim.velocity["j"] == pytest.approx(-2.0 + 50 * dt * n * tau / eta / inertia, rel=ROUNDING)


@pytest.mark.parametrize("eta", [0.9, 0.5])
def test_efficiency_holds_still_in_between(eta):
    """A load between η·n·τ and n·τ/η_b: the motor cannot lift it, and it cannot turn the motor."""
    n, tau, inertia = 10.0, 0.3, 0.5
    sim = compile(wheel(motor(), inertia, n, losses=gw.Losses(efficiency=eta, backward_efficiency=eta)))
    for load, moves in ((0.99 * eta, 1), (1.01 * eta, 0), (1.0, 0), (0.99 / eta, 0), (1.01 / eta, -1)):
        sim.reset()
        sim.step(command={"motor": tau}, effort={"j": -load * n * tau}, n=200)
        if moves:
            push = (eta if moves > 0 else 1 / eta) - load
            assert sim.velocity["j"] == pytest.approx(0.2 * push * n * tau / inertia, rel=ROUNDING)
        else:
            assert sim.velocity["j"] == pytest.approx(0.0, abs=1e-12)


MAP = ((0.0, 0.0, 0.4), (2.0, 0.0, 0.9), (0.0, 100.0, 0.3), (2.0, 100.0, 0.7))


@pytest.mark.parametrize("options", [{}, {"integrator": "euler"}, {"integrator": "euler", "solver": "pgs"}], ids=str)
def test_an_efficiency_map_at_random_operating_points(options, rng):
    """Power into the gear and out of it in one step: η of that load and speed, or η_b where the joint drives."""
    n, inertia, dt, size = 10.0, 0.5, 1e-3, 500
    robot = wheel(motor(), inertia, n, losses=gw.Losses(efficiency_map=MAP, backward_efficiency=0.6))
    sim = compile(robot, dt=dt, batch=size, **options)
    tau, w = rng.uniform(-3, 3, size), rng.choice((-1, 1), size) * rng.uniform(1, 12, size)
    sim.reset(velocity={"j": w})
    sim.step(command={"motor": tau})
    passed = inertia * (sim.velocity["j"] - w) / dt * w  # at the joint [W]; its speed hardly changes in a step
    given = tau * n * w
    share = np.where(given > 0, passed / given, given / passed)
    mean = 0.5 * (w + sim.velocity["j"])
    eta = np.where(given > 0, robot.transmissions["gear"].losses.efficiency_at(tau, n * mean), 0.6)
    np.testing.assert_allclose(share, eta, rtol=2e-3)  # the speed changes by up to 0.6 rad/s in the step
    assert (passed <= given).all()


def test_a_map_that_is_level_is_the_same_as_a_number():
    robots = [
        wheel(motor(rotor_inertia=1e-3), 0.5, 10.0, losses=losses)
        for losses in (gw.Losses(efficiency=0.7), gw.Losses(efficiency_map=((0.0, 0.0, 0.7), (1.0, 0.0, 0.7))))
    ]
    sims = [compile(robot) for robot in robots]
    for sim in sims:
        sim.step(command={"motor": 0.3}, n=100)
        sim.step(command={"motor": -0.4}, n=100)
    assert sims[0].velocity["j"] == pytest.approx(sims[1].velocity["j"], rel=1e-13)


def test_a_self_locking_screw():
    """Below half the friction of a screw holds: no force along it turns the motor that is off."""
    robot = wheel(motor(), 2.0, 2000.0, kind="prismatic", losses=gw.Losses(efficiency=0.4, backward_efficiency=-0.5))
    sim = compile(robot)
    for load in (48.0, 1e6, -1e3):
        sim.step(effort={"j": load}, n=100)
        assert sim.velocity["j"] == pytest.approx(0.0, abs=1e-12)
    sim.step(command={"motor": 0.01}, effort={"j": -0.01 * 2000 * 2.6}, n=100)  # more than it lifts
    assert sim.velocity["j"] == pytest.approx(0.0, abs=1e-12)


def test_friction_and_damping_of_the_gear_add_to_the_motors():
    both = wheel(motor(damping=0.02, friction=0.1), 0.3, 10.0, losses=gw.Losses(damping=0.03, friction=0.2))
    one = wheel(motor(damping=0.05, friction=0.3), 0.3, 10.0)
    runs = [compile(robot).run(1.0, command={"motor": lambda t: np.sin(9 * t)}) for robot in (both, one)]
    assert runs[0].velocity["j"] == pytest.approx(runs[1].velocity["j"], rel=1e-12, abs=1e-15)
    assert np.abs(runs[0].velocity["j"]).max() > 0.1


@pytest.mark.parametrize("eta", [0.9, 0.5])
@pytest.mark.parametrize("back", [(False, False), (True, False), (False, True), (True, True)])
def test_efficiency_through_a_differential(eta, back):
    """Each motor's own direction of power decides: η·τ of one that drives, τ/η of one that is driven back."""
    gear = gw.DifferentialTransmission(actuator_reduction=(10.0, -5.0), joint_reduction=(1.0, 2.0))
    inertias, speeds = (0.02, 0.05), np.array([30.0, -20.0])
    losses = gw.Losses(efficiency=eta, backward_efficiency=eta)
    torques = np.where(back, -1.0, 1.0) * np.sign(speeds) * (0.01, 0.03)
    sim = compile(driven(two(*inertias), *pair(), joints=("j1", "j2"), through=gear, losses=losses))
    start = gear.actuator_to_joint_velocity(speeds)
    sim.reset(velocity=dict(zip(("j1", "j2"), start, strict=True)))
    sim.step(command=dict(zip(("m1", "m2"), torques, strict=True)), n=20)
    assert np.sign([sim.actuator[n].velocity for n in ("m1", "m2")]) == pytest.approx(np.sign(speeds), rel=ROUNDING)
    passed = gear.actuator_to_joint_effort(np.where(back, torques / eta, torques * eta))
    moved = np.array([sim.velocity["j1"], sim.velocity["j2"]]) - start
    assert moved == pytest.approx(20e-3 * passed / inertias, rel=ROUNDING)


@pytest.mark.parametrize("eta", [0.9, 0.5])
def test_efficiency_through_ones_own_map(eta):
    """A cam, `a = 4·q + sin q`: in one Euler step η·τ·(4 + cos q); over a run η times the motor's work, to first
    order."""
    cam = gw.CustomTransmission(position=lambda q: np.array([4.0 * q[0] + np.sin(q[0])]), size=(1, 1))
    robot = driven(
        rigid(body("j", 0.5)), motor(), through=cam, losses=gw.Losses(efficiency=eta, backward_efficiency=eta)
    )
    sim = compile(robot, integrator="euler")
    for v, share in ((0.1, eta), (-0.1, 1 / eta)):
        sim.reset(position={"j": 0.7}, velocity={"j": v})
        sim.step(command={"motor": 2.0})
        assert sim.velocity["j"] - v == pytest.approx(1e-3 * share * 2.0 * (4 + cos(0.7)) / 0.5, rel=ROUNDING)
    gaps = []
    for dt in (1e-3, 5e-4):
        rec = compile(robot, dt=dt).run(1.0, command={"motor": lambda t: 1.0 + np.cos(5 * t)})
        work = dt * np.sum(rec.actuator["motor"].torque * rec.actuator["motor"].velocity)
        gaps.append(abs(rec.kinetic_energy[-1] / (eta * work) - 1))
    assert gaps[0] < 0.01 and gaps[0] / gaps[1] == pytest.approx(2.0, abs=0.02)


# --- linear maps and functions of effort ----------------------------------------------------------------------------


def pushed(sim, inertias, n=1):
    """The joints' efforts in the last n steps from rest, by what they have moved."""
    return np.array([sim.velocity[f"j{i}"] * x / (n * sim.dt) for i, x in enumerate(inertias, 1)])


def test_a_linear_map_with_offsets_and_bounds(rng):
    """`τ_j = T·(τ_a + oₐ) + oⱼ` within bounds, as the map on its own says; some of ten commands beyond the bounds."""
    T = ((2.0, -1.0), (0.5, 3.0))
    m = gw.LinearMap(
        matrix=T, actuator_offsets=(0.1, -0.2), joint_offsets=(0.3, 0.0), lower=(-4.0, -2.0), upper=(3.0, 5.0)
    )
    inertias = (0.02, 0.05)
    sim = compile(driven(two(*inertias), *pair(), joints=("j1", "j2"), through=m))
    clipped = 0
    for a in rng.normal(size=(10, 2)) * 2:
        sim.reset()
        sim.step(command={"m1": a[0], "m2": a[1]})
        expected = m.actuator_to_joint_effort(a)
        clipped += np.array(T) @ (a + np.array([0.1, -0.2])) + np.array([0.3, 0.0]) != pytest.approx(expected)
        assert pushed(sim, inertias) == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
        assert [sim.actuator[n].torque for n in ("m1", "m2")] == pytest.approx(a, rel=1e-12)
    assert 0 < clipped < 10


def test_a_linear_map_of_more_motors_than_joints():
    """Three motors on one joint: their speeds are Tᵀ·v, their efforts add."""
    m = gw.LinearMap(matrix=((1.0, 2.0, -3.0),))
    motors = [gw.ElectricMotor(name=f"m{i}", rotor_inertia=1e-3 * i) for i in (1, 2, 3)]
    sim = compile(driven(rigid(body("j", 0.01)), *motors, through=m))
    assert sim.mass_matrix().item() == pytest.approx(0.01 + 1e-3 * (1 + 2 * 4 + 3 * 9), rel=1e-12)
    sim.step(command={"m1": 0.5, "m2": 0.25, "m3": 0.1})
    assert sim.velocity["j"] == pytest.approx(1e-3 * (0.5 + 0.5 - 0.3) / (0.01 + 0.036), rel=1e-12)
    assert [sim.actuator[f"m{i}"].velocity for i in (1, 2, 3)] == pytest.approx(
        np.array([1, 2, -3]) * sim.velocity["j"], rel=1e-12
    )


def test_ones_own_function_of_efforts(rng):
    """The seed's `j = F(a, …)`: here with a product, a position and a speed in it, at the start of each step."""

    def effort(a, q, v):
        return np.array([3.0 * a[0] + 0.5 * np.cos(q[1]), a[1] * (1.0 + q[0]) - 0.2 * v[1]])

    m, inertias = gw.CustomTransmission(effort=effort, size=(2, 2)), (0.02, 0.05)
    sim = compile(driven(two(*inertias), *pair(), joints=("j1", "j2"), through=m), integrator="euler")
    for _ in range(10):
        q, v, a = rng.normal(size=(3, 2))
        sim.reset(position={"j1": q[0], "j2": q[1]}, velocity={"j1": v[0], "j2": v[1]})
        sim.step(command={"m1": a[0], "m2": a[1]})
        moved = np.array([sim.velocity["j1"], sim.velocity["j2"]]) - v
        assert moved * inertias / 1e-3 == pytest.approx(effort(a, q, v), rel=ROUNDING, abs=ROUNDING)


PLUGIN = """
import numpy as np
def position(q):
    return np.array([4.0 * q[0] + np.sin(q[0])])
"""
MODEL = """<sdf version="1.11"><world name="w"><gravity>0 0 0</gravity><model name="m">
  <link name="l"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>0.5</izz></inertia></inertial></link>
  <joint name="j" type="revolute"><parent>world</parent><child>l</child><axis><xyz>0 0 1</xyz></axis></joint>
  <actuator name="motor" type="electric_motor"/>
  <transmission name="cam" type="custom_functions"><actuator>motor</actuator><joint>j</joint>
    <mapping_plugin name="cam" filename="cam.py"/></transmission>
</model></world></sdf>"""


def test_a_function_from_a_file_runs_only_when_it_is_allowed(tmp_path):
    (tmp_path / "robot.sdf").write_text(MODEL)
    (tmp_path / "cam.py").write_text(PLUGIN)
    with pytest.raises(gw.LoadError, match="plugins='trust'") as refused:
        gw.load(tmp_path / "robot.sdf")
    assert [d.code for d in refused.value.diagnostics if d.severity == "error"] == ["plugin-untrusted"]
    sim = compile(gw.load(tmp_path / "robot.sdf", plugins="trust"), integrator="euler")
    sim.reset(position={"j": 0.7}, velocity={"j": 0.1})
    assert sim.actuator["motor"].position == pytest.approx(4 * 0.7 + np.sin(0.7), rel=1e-12)
    sim.step(command={"motor": 2.0})
    assert sim.velocity["j"] - 0.1 == pytest.approx(1e-3 * 2.0 * (4 + cos(0.7)) / 0.5, rel=ROUNDING)
