"""Maps given as joint = g(actuator): cranks that turn through their dead points."""

from math import cos, pi, sin

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.tolerances import ROUNDING

BARS = gw.FourBarLinkage(ground=0.4, input=0.1, coupler=0.4, output=0.3)
ROTOR, ROCKER = 0.02, 0.3  # [kg·m²]

ROBOT = """<sdf version="1.9"><model name="m"><link name="base"/>
<link name="rocker"><inertial><mass>1</mass>
<inertia><ixx>0.3</ixx><iyy>0.3</iyy><izz>0.3</izz></inertia></inertial></link>
<joint name="w" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="j" type="{kind}"><parent>base</parent><child>rocker</child><axis><xyz>0 0 1</xyz>{axis}</axis></joint>
</model></sdf>"""


def crank(map=BARS, axis="", kind="revolute", losses=None, **motor):
    robot = gw.loads(ROBOT.format(axis=axis, kind=kind))
    robot = robot.with_actuator(gw.ElectricMotor(**{"name": "motor", "rotor_inertia": ROTOR, **motor}))
    return robot.with_transmission("t", map, actuators=["motor"], joints=["j"], losses=losses)


def unsettled(sim):
    """Steps in which iterations or segments did not settle."""
    return np.sum(sim.batch_state.get("unsettled"))


def slope(a, h=1e-6):
    g = BARS.actuator_to_joint_position
    return (g(a + h) - g(a - h)) / (2 * h)


@pytest.fixture
def turning():
    sim = compile(crank(), dt=1e-3)
    sim.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 10.0})
    return sim


def test_a_crank_goes_round_and_keeps_its_energy(turning):
    """`(I_r + I·g′²)·ω²` is constant, four dead points a second and a half on; a = f(q) ends at the first."""
    energy = 0.5 * (ROTOR + ROCKER * slope(0.3) ** 2) * 100.0
    assert turning.energy == pytest.approx(energy, rel=3e-9)  # the slope's differences
    angles, rates = [], []
    for _ in range(1500):
        turning.step()
        angles.append(turning.actuator["motor"].position)
        rates.append(turning.actuator["motor"].velocity)
        assert turning.position["j"] == pytest.approx(BARS.actuator_to_joint_position(angles[-1]), abs=1e-12)
    assert angles[-1] > 4 * pi
    expected = np.sqrt(2 * energy / (ROTOR + ROCKER * np.array([slope(a) for a in angles]) ** 2))
    assert np.abs(np.array(rates) / expected - 1).max() < 2e-4  # found: 2e-5
    assert turning.energy == pytest.approx(energy, rel=1e-4)  # found: 2e-5


def test_the_error_falls_with_the_square_of_the_step():
    found = []
    for dt in (2e-3, 1e-3, 2.5e-4):
        sim = compile(crank(), dt=dt)
        sim.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 10.0})
        sim.step(n=round(0.5 / dt))
        found.append(sim.actuator["motor"].position)
    coarse, fine = abs(found[0] - found[2]), abs(found[1] - found[2])
    assert coarse / fine == pytest.approx(4.2, rel=0.1)  # (64 − 1)/(16 − 1)


@pytest.mark.parametrize("rotor", [0.002, 0.0005])
def test_a_light_crank_races_through_its_dead_points(rotor):
    """From 10 to 69 and 133 rad/s within milliseconds: what a step is too long for is made in parts."""
    sim = compile(crank(rotor_inertia=rotor), dt=1e-3)
    sim.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 10.0})
    energy = sim.run(2.0).energy
    assert np.abs(energy / energy[0] - 1).max() < 5e-3  # found: 2e-3; as a whole, 0.29
    assert unsettled(sim) == 0


def test_power_goes_through_a_dead_point_in_both_directions():
    """A constant torque on the crank, against a damper on the rocker: what the motor gives is stored or lost."""
    damping = 0.05
    sim = compile(crank(axis=f"<dynamics><damping>{damping}</damping></dynamics>"), dt=1e-3)
    sim.reset(position={"motor.rotor": 0.3})
    given = lost = 0.0
    for _ in range(2000):
        before = (sim.actuator["motor"].velocity, sim.velocity["j"])
        sim.step(command={"motor": 0.2})
        given += 0.2e-3 * (before[0] + sim.actuator["motor"].velocity) / 2
        lost += damping * 1e-3 * (before[1] ** 2 + sim.velocity["j"] ** 2) / 2
    assert sim.actuator["motor"].position > 2 * pi
    assert sim.energy + lost == pytest.approx(given, rel=2e-5)  # dt²


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_velocity_drive_turns_the_crank_evenly(friction):
    """Friction of the rocker, and its inertia, come and go with g′; the rocker stands where g has it."""
    axis = f"<dynamics><friction>{friction}</friction></dynamics>"
    sim = compile(crank(axis=axis, command="velocity", damping_gain=50.0), dt=1e-3)
    sim.reset(position={"motor.rotor": 0.3})
    sim.step(command={"motor": 5.0}, n=200)
    for _ in range(1500):
        sim.step()
        motor = sim.actuator["motor"]
        assert motor.velocity == pytest.approx(5.0, abs=0.1)  # what friction over the gain, and g″, leave of it
        # differences of positions to 1e-14 over 2e-6
        assert sim.velocity["j"] == pytest.approx(slope(motor.position) * motor.velocity, abs=2e-8)
    assert unsettled(sim) == 0


def test_friction_alone_stops_it():
    """Also where it has no lever, the step settles; where it has one, the crank comes to rest."""
    sim = compile(crank(axis="<dynamics><friction>2</friction></dynamics>"), dt=1e-3)
    sim.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 5.0})
    sim.step(n=3000)
    assert abs(sim.actuator["motor"].velocity) < ROUNDING
    assert unsettled(sim) == 0


def test_a_stop_of_the_rocker_stops_the_crank():
    """Its limit lies within the swing: the crank is turned back, or lies on the stop, and never goes beyond."""
    low, high = sorted(BARS.toggles.output)[-2:]
    middle = (low + high) / 2
    sim = compile(crank(axis=f"<limit><lower>{low - 1}</lower><upper>{middle}</upper></limit>"), dt=1e-3)
    start = max(np.linspace(0, 2 * pi, 100), key=lambda a: -BARS.actuator_to_joint_position(a))
    sim.reset(position={"motor.rotor": float(start)})
    for _ in range(1500):
        sim.step(command={"motor": 0.2})
        assert sim.position["j"] < middle + ROUNDING
    assert sim.position["j"] == pytest.approx(middle, abs=ROUNDING)
    assert sim.actuator["motor"].velocity == pytest.approx(0.0, abs=ROUNDING)


def test_the_coupling_reports_what_the_rocker_gets(turning):
    """λ on the rocker is its inertia times its acceleration; nothing is transmitted to the crank but g′·λ."""
    turning.step(n=77)
    effort = turning.coupling_effort["t.j"]
    assert effort == pytest.approx(ROCKER * turning.acceleration["j"], rel=ROUNDING)
    assert ROTOR * turning.acceleration["motor.rotor"] == pytest.approx(
        -slope(turning.position["motor.rotor"]) * effort,
        rel=2e-9,  # the slope's differences
    )


def test_joints_are_reset_by_their_own_position_and_velocity():
    sim = compile(crank(), dt=1e-3)
    a = 0.9
    phi = BARS.actuator_to_joint_position(a)
    sim.reset(position={"j": phi}, velocity={"j": 0.7})
    there = BARS.joint_to_actuator_position(phi)
    assert sim.position["motor.rotor"] == pytest.approx(there, abs=1e-12)
    assert sim.position["j"] == pytest.approx(phi, abs=1e-12)
    assert sim.velocity["j"] == pytest.approx(0.7, abs=ROUNDING)


def test_a_dead_point_has_no_velocity_of_the_joint():
    robot = crank(cam(), kind="prismatic")
    sim = compile(robot)
    assert robot.dof == sim.robot.dof == 1
    with pytest.raises(gw.ModelError, match=r"'t' is at a dead point.*'motor.rotor'"):
        sim.reset(position={"motor.rotor": 0.0}, velocity={"j": 1.0})


def cam(radius=0.1, rod=0.3):
    """A slider-crank: the slider's way from the crank's angle."""

    def position(a):
        return [radius * np.cos(a[0]) + np.sqrt(rod**2 - (radius * np.sin(a[0])) ** 2) - rod]

    return gw.CustomJointMap(position=position, start=(1.0,))


def test_a_slider_crank_of_ones_own():
    """By closed form: `(I + m·x′²)·ω²` is constant."""
    sim = compile(crank(cam(), kind="prismatic"), dt=1e-3, gravity=(0.0, 0.0, 0.0))
    assert sim.position["j"] == pytest.approx(0.0, abs=ROUNDING)  # starts where the file has the joint
    sim.reset(position={"motor.rotor": 0.0}, velocity={"motor.rotor": 20.0})
    energy = 0.5 * ROTOR * 400.0  # the slider stands
    for _ in range(500):
        sim.step()
    a, w = sim.actuator["motor"].position, sim.actuator["motor"].velocity
    lever = -0.1 * sin(a) - 0.01 * sin(a) * cos(a) / np.sqrt(0.09 - 0.01 * sin(a) ** 2)
    assert a > 2 * pi
    assert energy == pytest.approx(0.5 * (ROTOR + lever**2) * w**2, rel=1e-4)  # dt²
    assert sim.velocity["j"] == pytest.approx(lever * w, rel=ROUNDING)


def test_gears_before_the_crank():
    """A motor of ratio 10 on the crank is a crank with a hundred times its inertia."""
    geared = compile(crank(gw.Series([gw.SimpleTransmission(reduction=10.0), BARS]), rotor_inertia=ROTOR / 100))
    direct = compile(crank())
    geared.reset(position={"motor.rotor": 3.0}, velocity={"motor.rotor": 100.0})
    direct.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 10.0})
    for sim in (geared, direct):
        sim.step(n=800)
    assert geared.position["j"] == pytest.approx(direct.position["j"], abs=ROUNDING)
    assert geared.actuator["motor"].position == pytest.approx(10 * direct.actuator["motor"].position, abs=ROUNDING)


def test_lengths_as_parameters_of_a_batch():
    couplers = np.array([0.36, 0.4, 0.42])
    sim = compile(crank(), batch=3, parameters=["t.coupler", "motor.rotor_inertia"])
    sim.set_parameters({"t.coupler": couplers})
    phi = 1.9
    sim.reset(position={"j": phi}, velocity={"j": 1.0})
    sim.step(n=400)
    for i, coupler in enumerate(couplers):
        bars = gw.FourBarLinkage(ground=0.4, input=0.1, coupler=coupler, output=0.3)
        one = compile(crank(bars))
        one.reset(position={"j": phi}, velocity={"j": 1.0})
        one.step(n=400)
        assert sim.position["j"][i] == pytest.approx(one.position["j"], abs=ROUNDING)


def test_a_body_as_a_rotor_behind_a_crank_is_the_same_where_its_axis_stands(turning):
    body = compile(crank(rotor="body"), dt=1e-3)
    body.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 10.0})
    for sim in (body, turning):
        sim.step(n=700)
    assert body.position["j"] == pytest.approx(turning.position["j"], abs=ROUNDING)


def test_a_rocker_that_leads_a_crank_keeps_its_direction():
    """The input swings and the output goes round: a = f(q) is the regular one."""
    back = gw.FourBarLinkage(ground=0.4, input=0.3, coupler=0.4, output=0.1)
    assert back.toggles.input and not back.toggles.output and not back.leads_joints
    sim = compile(crank(back, kind="continuous"))
    assert "motor.rotor" not in sim.position
    sim.reset(velocity={"j": 10.0})
    sim.step(n=1500)
    assert sim.position["j"] > 2 * pi


def test_where_a_map_ends_the_error_names_transmission_and_pose():
    """An output that cannot go round, and a crank without inertia of its own: a = f(q) ends at the dead point."""
    sim = compile(crank(rotor_inertia=0.0))
    sim.reset(position={"j": BARS.actuator_to_joint_position(0.9)}, velocity={"j": 2.0})
    with pytest.raises(gw.SimulationError, match=r"transmission 't' .* ends .*'j' at"):
        sim.step(n=3000)


def test_a_map_that_leads_needs_an_inertia_to_lead_with():
    with pytest.raises(gw.CompileError, match="'t': its joints follow its actuators, each of which needs <rotor_iner"):
        compile(crank(cam(), rotor_inertia=0.0))


# --- efficiency -----------------------------------------------------------------------------------------------------


def geared(efficiency, inertia, ratio=10.0, **motor):
    robot = crank(
        gw.SimpleTransmission(reduction=ratio), kind="continuous", rotor_inertia=inertia,
        losses=gw.Losses(efficiency=efficiency, backward_efficiency=efficiency), **motor,
    )  # fmt: skip
    return compile(robot, dt=1e-3)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("rotor", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("efficiency", [0.9, 0.5, 0.3])
@pytest.mark.parametrize("kind", ["reflected", "body"])
def test_what_a_rotor_takes_does_not_pass_the_gears(efficiency, rotor, kind):
    """τ − I_r·α passes, η of it: `n·α_j·I_r + I_j·α_j/(η·n) = τ`. Braked by its motor, with 1/η_b for η."""
    torque, n = 0.5, 10.0
    sim = geared(efficiency, rotor, rotor=kind if rotor else "reflected")
    sim.step(command={"motor": torque}, n=300)
    before = sim.velocity["j"]
    sim.step(n=100)
    driving = torque / (n * rotor + ROCKER / (efficiency * n))
    assert (sim.velocity["j"] - before) / 0.1 == pytest.approx(driving, rel=ROUNDING)
    sim.step(command={"motor": -0.1 * torque}, n=50)
    before = sim.velocity["j"]
    sim.step(n=50)
    assert before > 0
    braking = -0.1 * torque / (n * rotor + ROCKER * efficiency / n)
    assert (sim.velocity["j"] - before) / 0.05 == pytest.approx(braking, rel=ROUNDING)


@pytest.mark.parametrize("effort", [1e9, -1e12, 1e20])
def test_an_absurd_effort_is_not_swallowed(effort, turning):
    for start in (0.3, 2.0, 4.5):
        turning.reset(position={"motor.rotor": start})
        with pytest.raises(gw.SimulationError, match=r"'motor.rotor' is .*an effort of .* N·m on 'motor.rotor'"):
            turning.step(effort={"motor.rotor": effort})


@pytest.mark.parametrize("rotor", [1e-2, 0.1])
@pytest.mark.parametrize("motor", [{}, {"velocity_limit": 1e4}])
def test_a_lossy_gear_behind_a_heavy_rotor_goes_on_losing_the_same(motor, rotor):
    """A guess of how the halves of a step differ may not feed itself: after 0.2 s a tenth of the motion was lost."""
    sim, n = geared(0.3, rotor, **motor), 10.0
    sim.step(command={"motor": 0.5}, n=400)
    before = sim.velocity["j"]
    sim.step(n=100)
    assert (sim.velocity["j"] - before) / 0.1 == pytest.approx(0.5 / (n * rotor + ROCKER / (0.3 * n)), rel=1e-9)


def test_the_drive_of_a_lossy_gear_with_a_heavy_rotor_shows_what_the_motion_takes():
    rotor, n, a = 0.1, 10.0, 2.0
    sim = geared(0.3, rotor, command="position", stiffness=1e3, damping_gain=20.0)
    rec = sim.run(1.0, command={"motor": lambda t: 0.5 * a * n * t**2})
    assert rec.actuator["motor"].torque[-1] == pytest.approx(a * (n * rotor + ROCKER / (0.3 * n)), rel=1e-3)
