"""The friction library: each model against its closed form, its published equations, or what friction must not do."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.frictions import Cogging, Dahl, Friction, LuGre, Stribeck
from tests.sim.driven import body, rigid

integrate = pytest.importorskip("scipy.integrate")
INERTIA, DT = 0.5, 1e-3
ALL = Friction(kinetic=1.0, static=1.8, stribeck_speed=0.3, stribeck_exponent=1.4, viscous=0.2, quadratic=0.05)
LUGRE = LuGre(kinetic=1.0, static=1.5, stribeck_speed=0.1, stiffness=1e3, damping=30.0, viscous=0.4)
EVERY = [{}, {"integrator": "euler"}, {"integrator": "euler", "solver": "pgs"}]


def wheel(model=None, **options):
    robot = rigid(body("j", INERTIA))
    return gw.compile(robot if model is None else robot.with_friction("j", model), dt=DT, **options)


def pendulum(model, *, mass=1.0, length=0.2, motor=None):
    text = f"""<sdf version="1.11"><model name="p"><link name="arm"><pose>0 0 {-length} 0 0 0</pose><inertial>
      <mass>{mass}</mass><inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz></inertia></inertial></link>
      <joint name="j" type="revolute"><pose>0 0 {length} 0 0 0</pose><parent>world</parent><child>arm</child>
      <axis><xyz>0 -1 0</xyz></axis></joint>
      <actuator name="m" type="ideal"><joint>j</joint><rotor_inertia>0.02</rotor_inertia></actuator></model></sdf>"""
    robot = gw.loads(text)
    return robot.with_friction(motor or "j", model)


# --- dry friction ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", EVERY, ids=str)
@pytest.mark.parametrize("speed", [0.05, 0.3, 1.0, 4.0, -0.6])
def test_the_steady_curve(speed, options):
    """A push of `c + w·(s − c) + b·v + q·v²` keeps a speed."""
    v = abs(speed)
    push = 1.0 + 0.8 * np.exp(-((v / 0.3) ** 1.4)) + 0.2 * v + 0.05 * v * v
    sim = wheel(ALL, **options)
    sim.reset(velocity={"j": speed})
    sim.step(effort={"j": push * np.sign(speed)}, n=20)
    assert sim.velocity["j"] == pytest.approx(speed, abs=1e-9)


def test_static_friction_holds_exactly_and_lets_go_at_once():
    sim = wheel(Friction(kinetic=1.0, static=2.0))
    sim.step(effort={"j": 1.999}, n=500)
    assert sim.velocity["j"] == 0.0
    sim.step(effort={"j": 2.001}, n=1)
    started = sim.velocity["j"]
    sim.step(effort={"j": 2.001}, n=1)
    assert sim.velocity["j"] - started == pytest.approx(1.001 * DT / INERTIA, rel=1e-9)  # kinetic from now on


@pytest.mark.parametrize("model", [ALL, LUGRE, Stribeck(static=1.8, coulomb=1.0, stribeck_velocity=0.3)], ids=repr)
def test_smooth_motion_is_of_second_order(model):
    def end(n):
        sim = gw.compile(rigid(body("j", INERTIA)).with_friction("j", model), dt=0.5 / n)
        sim.reset(velocity={"j": 0.4})
        for k in range(n):
            sim.step(effort={"j": 3.0 + np.sin(6.0 * (k + 0.5) * 0.5 / n)})
        return sim.position["j"]

    exact = end(3200)
    errors = [abs(end(n) - exact) for n in (200, 400)]
    assert 3.5 < errors[0] / errors[1] < 5.0


@pytest.mark.parametrize("options", EVERY, ids=str)
@pytest.mark.parametrize("model", [ALL, LUGRE, Dahl(coulomb=1.0, stiffness=50.0)], ids=lambda m: type(m).__name__)
def test_it_takes_energy_from_any_state(model, options, rng):
    """Kinetic energy, and what bristles store, never grow without a push."""
    sim = wheel(model, batch=64, **options)
    sim.reset(velocity={"j": rng.normal(size=64)})
    stiffness = getattr(model, "stiffness", 0.0)

    def energy():
        stored = 0.5 * stiffness * sim.batch_state.get("friction")[:, 0] ** 2 if model.states else 0.0
        return sim.kinetic_energy + stored

    before = energy()
    for _ in range(60):
        sim.step(n=10)
        after = energy()
        assert (after <= before * (1 + 1e-9) + 1e-14).all()
        before = after


def test_stiff_drives_behind_a_gear_are_stable_at_five_milliseconds():
    """300:1 with friction of all sorts on motor, gear and joint: the load comes to rest at its target."""
    text = """<sdf version="1.11"><model name="p"><link name="arm"><inertial><mass>1</mass>
      <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
      <joint name="j" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
      <actuator name="m" type="electric_motor"><stall_torque>0.05</stall_torque><no_load_speed>600</no_load_speed>
        <rotor_inertia>1e-6</rotor_inertia><command>position</command><stiffness>0.5</stiffness>
        <damping_gain>0.005</damping_gain></actuator>
      <transmission name="g" type="simple"><mechanical_reduction>300</mechanical_reduction>
    <actuator>m</actuator><joint>j</joint>
      </transmission></model></sdf>"""
    robot = gw.loads(text)
    robot = robot.with_friction("m", Friction(kinetic=1e-3, static=2e-3, stribeck_speed=5.0, load=0.1))
    robot = robot.with_friction("g", Friction(kinetic=1e-3, viscous=1e-6, load=0.05))
    robot = robot.with_friction("j", Friction(kinetic=0.1, static=0.2, stribeck_speed=0.01, quadratic=0.01))
    sim = gw.compile(robot, dt=5e-3)
    sim.step(command={"m": 300.0}, n=600)  # one turn of the joint's radian
    assert sim.position["j"] == pytest.approx(1.0, abs=0.002)  # (0.2 N·m/300 + 3e-3)/0.5 N·m/rad, at the motor: 1e-5
    assert abs(sim.velocity["j"]) < 1e-9
    assert sim.unsettled == 0


# --- by load ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["j", "m"])
def test_a_share_of_the_load_holds(where):
    """Under `l·|τ_m − τ_e|`, a motor holds a weight w between w·(1−l)/(1+l) and w·(1+l)/(1−l)."""
    load, weight = 0.1, 9.81 * 0.2
    sim = gw.compile(pendulum(Friction(load=load), motor=where), dt=DT)
    for share, moves in (((1 - load) / (1 + load), False), ((1 + load) / (1 - load), False)):
        for inside in (True, False):
            push = share * weight * (1 + (1e-3 if (share < 1) == inside else -1e-3))
            sim.reset(position={"j": np.pi / 2})
            sim.step(command={"m": push}, n=50)
            assert (abs(sim.velocity["j"]) > 1e-6) == (not inside), (share, inside, moves)


def bam_budget(motor, external, speed, p):
    """The published formula of M1 to M6 (Duclusaud et al., 2025), written from the paper."""
    w = np.exp(-(np.abs(speed / p["dtheta_stribeck"]) ** p["alpha"])) if "alpha" in p else 0.0
    lm, le = (p.get(f"load_friction_{side}", p.get("load_friction_base", 0.0)) for side in ("motor", "external"))
    sm, se = (
        p.get(f"load_friction_{side}_stribeck", p.get("load_friction_stribeck", 0.0)) for side in ("motor", "external")
    )
    total = p["friction_base"] + abs(external * le - motor * lm)
    total += w * (p.get("friction_stribeck", 0.0) + abs(external * se - motor * sm))
    if np.sign(external) != np.sign(motor):
        if abs(external) < abs(motor):
            total += w * p.get("load_friction_external_quad", 0.0) * external**2
        elif abs(external) > abs(motor):
            total += w * p.get("load_friction_motor_quad", 0.0) * motor**2
    return total + p["friction_viscous"] * abs(speed)


def test_the_level_under_load_is_the_published_one(rng):
    from gearwright.model.servos.bam import IDENTIFIED, friction_of

    assert len(IDENTIFIED) == 37
    for name, numbers in IDENTIFIED.items():
        model = friction_of(numbers)
        for _ in range(50):
            motor, external, speed = rng.normal(size=3) * (3.0, 3.0, 2.0)
            found = model.level_under(abs(speed), motor, external) + abs(model.resist(0.0, speed))
            assert found == pytest.approx(bam_budget(motor, external, speed, numbers), rel=1e-12), name


def test_a_swing_under_load_is_that_of_a_solver_of_differential_equations():
    """A weight that a motor slows down: the load on both sides changes all the time."""
    model = Friction(kinetic=0.05, viscous=0.01, load=0.15)
    sim = gw.compile(pendulum(model), dt=DT)
    start, push, weight, inertia = 1.5, 0.4, 9.81 * 0.2, 0.2**2 + 1e-6 + 0.02
    sim.reset(position={"j": start})
    sim.step(command={"m": push}, n=150)

    def slopes(t, x):
        external = -weight * np.sin(x[0])
        friction = 0.05 + 0.15 * abs(external - push)
        return x[1], (push + external - np.sign(x[1] or -1.0) * friction - 0.01 * x[1]) / inertia

    exact = integrate.solve_ivp(slopes, (0, 0.15), (start, -1e-9), rtol=1e-10, atol=1e-12).y[0, -1]
    assert sim.position["j"] == pytest.approx(exact, abs=2e-6)


# --- bristles --------------------------------------------------------------------------------------------------------


def lugre(t, x, push, model=LUGRE):
    """The published equations."""
    _, v, z = x
    g = model.kinetic + (model.static - model.kinetic) * np.exp(-((v / model.stribeck_speed) ** 2))
    rate = v - model.stiffness * abs(v) / g * z
    return v, (push(t) - model.stiffness * z - model.damping * rate - model.viscous * v) / INERTIA, rate


@pytest.mark.parametrize(("integrator", "error"), [("midpoint", 2e-5), ("euler", 2e-3)])
def test_presliding_draws_the_loop_of_the_published_equations(integrator, error):
    """A push below static friction, to and fro: hysteresis without sliding."""

    def push(t):
        return 1.3 * np.sin(2 * np.pi * t)

    sim = wheel(LUGRE, integrator=integrator)
    found = []
    for k in range(1000):
        sim.step(effort={"j": push((k + 0.5) * DT)})
        found.append(sim.position["j"])
    times = DT * np.arange(1, 1001)
    exact = integrate.solve_ivp(
        lugre, (0, 1), (0, 0, 0), t_eval=times, args=(push,), rtol=1e-9, atol=1e-12, max_step=1e-3
    )
    assert np.ptp(exact.y[0]) > 2e-3  # a loop, and not a line
    assert np.abs(np.array(found) - exact.y[0]).max() < error


@pytest.mark.parametrize("rate", [1.0, 10.0])
def test_break_away_is_that_of_the_published_equations(rate):
    """A push that grows: the faster it does, the earlier bristles let go."""
    sim = wheel(LUGRE)
    steps = 0
    while sim.velocity["j"] < 0.1:
        sim.step(effort={"j": rate * (steps + 0.5) * DT})
        steps += 1
        assert steps < 4000

    def moving(t, x, push):
        return x[1] - 0.1

    moving.terminal = True
    exact = integrate.solve_ivp(
        lugre, (0, 4), (0, 0, 0), args=(lambda t: rate * t,), events=moving, rtol=1e-9, atol=1e-12, max_step=1e-3
    )
    assert steps * DT == pytest.approx(exact.t_events[0][0], abs=1.5 * DT)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_bristles_slide_along_the_stribeck_curve(options):
    sim = wheel(LUGRE, **options)
    sim.reset(velocity={"j": 0.2})
    push = 1.0 + 0.5 * np.exp(-4.0) + 0.4 * 0.2
    sim.step(effort={"j": push + 0.3}, n=100)
    before = sim.velocity["j"]
    sim.step(effort={"j": 0.0}, n=1)
    drag = 1.0 + 0.5 * np.exp(-((before / 0.1) ** 2)) + 0.4 * before
    assert (before - sim.velocity["j"]) * INERTIA / DT == pytest.approx(drag, rel=5e-3)  # bristles lag by 5 ms


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8])
def test_stiff_bristles_on_every_joint_of_an_arm_take_few_iterations(stiffness):
    robot = rigid("".join(body(n, INERTIA) for n in "abcdef"))
    for n in "abcdef":
        robot = robot.with_friction(n, LuGre(kinetic=0.2, static=0.3, stribeck_speed=0.05, stiffness=stiffness))
    sim = gw.compile(robot, dt=DT, batch=8)
    sim.reset(velocity={n: np.linspace(-1, 1, 8) for n in "abcdef"})
    sim.step(n=3000)
    assert np.max(sim.unsettled) == 0
    assert np.abs(sim.velocity["a"]).max() < 1e-3


# --- cogging ---------------------------------------------------------------------------------------------------------


def test_cogging_keeps_energy_and_holds_in_its_slots():
    model = Cogging(amplitude=0.5, period=0.4)
    sim = wheel(model)
    sim.reset(position={"j": 0.19}, velocity={"j": 0.1})
    stored = model.stored(0.19)
    energy = sim.energy
    assert energy == pytest.approx(0.5 * INERTIA * 0.01 + stored, rel=1e-9)
    drift = []
    for _ in range(200):
        sim.step(n=10)
        drift.append(abs(sim.energy - energy))
    assert max(drift) < 1e-4 * energy
    sim.reset()
    sim.step(effort={"j": 0.4}, n=1)  # within the slot: it swings about asin(0.8)·T/2π
    assert sim.position["j"] < 0.2


# --- files, parameters, copies ---------------------------------------------------------------------------------------

SDF = """<sdf version="1.11"><model name="p"><link name="a">
  <inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
  <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz><dynamics>
    <friction_model type="lugre"><kinetic>1</kinetic><static>2</static><stribeck_speed>0.1</stribeck_speed>
      <stiffness>1000</stiffness></friction_model></dynamics></axis></joint>
  <actuator name="m" type="ideal"><friction_model type="friction"><kinetic>0.5</kinetic><load>0.1</load>
    </friction_model></actuator>
  <transmission name="g" type="simple"><mechanical_reduction>10</mechanical_reduction>
    <actuator>m</actuator><joint>j</joint>
    <friction_model type="cogging"><amplitude>0.01</amplitude><period>0.1</period></friction_model></transmission>
  </model></sdf>"""


def test_files_have_them_on_joints_motors_and_transmissions():
    robot = gw.loads(SDF)
    assert robot.joints["j"].axes[0].dynamics.friction_model == LuGre(
        kinetic=1.0, static=2.0, stribeck_speed=0.1, stiffness=1000.0
    )
    assert robot.actuators["m"].friction_model == Friction(kinetic=0.5, load=0.1)
    assert robot.transmissions["g"].losses.friction_model == Cogging(amplitude=0.01, period=0.1)
    names = [n for n in robot.parameters if "friction_model" in n]
    assert {"j.friction_model.stiffness", "m.friction_model.load", "g.friction_model.period"} <= set(names)
    assert pickle.loads(pickle.dumps(robot)) == robot


def test_numbers_are_inputs_and_saved(tmp_path):
    robot = gw.loads(SDF)
    sim = gw.compile(robot, dt=DT, parameters=("m.friction_model.kinetic", "j.friction_model.static"), batch=2)
    sim.set_parameters({"m.friction_model.kinetic": np.array([0.5, 0.1])})
    sim.step(command={"m": 0.6}, n=200)
    slow, fast = sim.position["j"]
    assert fast > 2 * slow > 0
    sim.save(tmp_path / "arm.gw")
    again = gw.open(tmp_path / "arm.gw")
    assert again.robot == sim.robot
    again.reset()
    again.set_parameters({"m.friction_model.kinetic": np.array([0.5, 0.1])})
    again.step(command={"m": 0.6}, n=200)
    assert np.array_equal(again.position["j"], [slow, fast])


def test_a_number_is_what_a_copy_has():
    """As a parameter, and written into the robot: the same motion."""
    robot = rigid(body("j", INERTIA)).with_friction("j", ALL)
    names = tuple(n for n in robot.parameters if "friction_model" in n)
    changed = replace(ALL, static=2.5, viscous=0.3, quadratic=0.01, stribeck_exponent=1.1)
    sim, other = gw.compile(robot, dt=DT, parameters=names), wheel(changed)
    sim.set_parameters({n: getattr(changed, n.rpartition(".")[2]) for n in names})
    for s in (sim, other):
        s.reset(velocity={"j": 1.0})
        s.step(effort={"j": 0.5}, n=100)
    assert sim.position["j"] == pytest.approx(other.position["j"], rel=1e-12)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda r: r.with_friction("k", ALL), "there is no joint axis, actuator or transmission named 'k'"),
        (lambda r: r.with_friction("j", 3.0), "a friction model must be a gearwright.FrictionModel"),
        (lambda r: Friction(kinetic=-1.0), "kinetic cannot be negative"),
        (lambda r: Friction(kinetic=1.0, stribeck_speed=0.1), "a stribeck_speed needs a static friction"),
        (lambda r: LuGre(kinetic=2.0, static=1.0, stribeck_speed=1.0, stiffness=1.0), "static friction is at least"),
    ],
)
def test_what_is_given_wrongly(call, says):
    with pytest.raises(gw.GearwrightError, match=says):
        call(rigid(body("j", INERTIA)))


def test_none_takes_it_away():
    robot = rigid(body("j", INERTIA))
    assert robot.with_friction("j", ALL).with_friction("j", None) == robot


@pytest.mark.parametrize("model", [Dahl(coulomb=1e-3, stiffness=0.1), LUGRE], ids=["dahl", "lugre"])
@pytest.mark.parametrize("options", [{}, {"integrator": "euler"}], ids=str)
def test_bristles_on_a_motor_hold_a_weight_at_rest(model, options):
    """Behind 300:1: what rounding leaves of the speed is no reason to switch, and no step that has not converged."""
    text = """<sdf version="1.11"><model name="p"><link name="arm"><pose>0 0 -0.2 0 0 0</pose><inertial><mass>1</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
      <joint name="j" type="revolute"><pose>0 0 0.2 0 0 0</pose><parent>world</parent><child>arm</child>
        <axis><xyz>0 -1 0</xyz></axis></joint>
      <actuator name="m" type="ideal"><rotor_inertia>1e-6</rotor_inertia></actuator>
      <transmission name="g" type="simple"><mechanical_reduction>300</mechanical_reduction>
        <actuator>m</actuator><joint>j</joint></transmission></model></sdf>"""
    own = model if isinstance(model, Dahl) else replace(
        model, kinetic=5e-3, static=6e-3, stribeck_speed=15.0, stiffness=0.1, damping=1e-3, viscous=1e-3
    )  # fmt: skip
    sim = gw.compile(gw.loads(text).with_friction("m", own), dt=5e-3, batch=8, **options)
    sim.reset(position={"j": np.linspace(-3.0, 3.0, 8)})
    sim.step(n=3000)
    assert np.abs(sim.velocity["j"]).max() < 1e-3
    assert np.max(sim.unsettled) == 0
