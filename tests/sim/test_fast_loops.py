"""Closed loops that turn fast: against their own equation of motion in the crank angle, by Runge and Kutta."""

import re
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.sim.driven import driven
from tests.sim.robots import FOLDER
from tests.sim.spatial_loops import opening, rod_round_a_cone
from tests.tolerances import ROUNDING

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
G = 9.81
CRANK, COUPLER, ROCKER, GROUND = 0.03, 0.075, 0.075, 0.06  # lengths [m]
BODIES = ((0.00486, 0.015, 4.228e-7), (0.0443, 0.10886, 1.079e-4), (0.01215, 0.0375, 5.841e-6))  # m, centre, I there


@pytest.fixture(scope="module")
def four_bar():
    """The gallery's, without its dampers."""
    text = (GALLERY / "four_bar.sdf").read_text(encoding="utf-8")
    return gw.loads(re.sub(r"<dynamics>.*?</dynamics>", "", text))


def angles(crank):
    """Of coupler and rocker, and their rates per the crank's."""
    A, D = CRANK * np.array([np.cos(crank), np.sin(crank)]), np.array([GROUND, 0.0])
    d = D - A
    length = np.hypot(*d)
    along = (COUPLER**2 - ROCKER**2 + length**2) / (2 * length)
    u = d / length
    C = A + along * u + np.sqrt(COUPLER**2 - along**2) * np.array([-u[1], u[0]])
    coupler, rocker = np.arctan2(*(C - A)[::-1]), np.arctan2(*(C - D)[::-1])
    J = [[-COUPLER * np.sin(coupler), ROCKER * np.sin(rocker)], [COUPLER * np.cos(coupler), -ROCKER * np.cos(rocker)]]
    rates = np.linalg.solve(J, -CRANK * np.array([-np.sin(crank), np.cos(crank)]))
    return coupler, rocker, *rates


def inertia_and_potential(crank, gravity):
    coupler, rocker, k2, k3 = angles(crank)
    (m1, c1, I1), (m2, c2, I2), (m3, c3, I3) = BODIES
    v = CRANK * np.array([-np.sin(crank), np.cos(crank)]) + c2 * k2 * np.array([-np.sin(coupler), np.cos(coupler)])
    inertia = m1 * c1**2 + I1 + m2 * v @ v + I2 * k2**2 + (m3 * c3**2 + I3) * k3**2
    heights = m1 * c1 * np.sin(crank) + m2 * (CRANK * np.sin(crank) + c2 * np.sin(coupler)) + m3 * c3 * np.sin(rocker)
    return np.array([inertia, gravity * heights])


def exact_energy_gain(torque, seconds, speed, gravity, dt=1e-4):
    """What the crank's own equation, `I·φ̈ + I′·φ̇²/2 + V′ = τ`, gains from its upright start."""

    def rate(y):
        h = 1e-4
        slopes = sum(k * inertia_and_potential(y[0] + j * h, gravity) for j, k in ((-2, 1), (-1, -8), (1, 8), (2, -1)))
        dI, dV = slopes / (12 * h)
        return np.array([y[1], (torque - 0.5 * dI * y[1] ** 2 - dV) / inertia_and_potential(y[0], gravity)[0]])

    y = np.array([np.pi / 2, speed])
    for _ in range(round(seconds / dt)):
        k1 = rate(y)
        k2 = rate(y + dt / 2 * k1)
        k3 = rate(y + dt / 2 * k2)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + dt * k3))
    (I0, V0), (I1, V1) = (inertia_and_potential(a, gravity) for a in (np.pi / 2, y[0]))
    return 0.5 * I1 * y[1] ** 2 + V1 - 0.5 * I0 * speed**2 - V0


def test_a_pushed_four_bar_gains_what_it_should(four_bar):
    sim = gw.compile(four_bar)
    start = sim.energy
    rec = sim.run(0.5, effort={"pin_a": 0.01})
    exact = exact_energy_gain(0.01, 0.5, 0.0, G)
    assert rec.energy[-1] - start == pytest.approx(exact, rel=2e-3)  # found 4.4e-4; asked 0.01
    assert sim.unsettled == 0


def energy_errors(robot, crank, turns, dt=1e-3, seconds=1.0):
    """After each step, as a share of the start's; and the most substeps that a step was made in."""
    sim = gw.compile(robot, gravity=(0, 0, 0), dt=dt)
    sim.reset(velocity={crank: 2 * np.pi * turns})
    start, energies, most = sim.energy, [], 0.0
    for _ in range(round(seconds / (10 * dt))):
        energies.append(sim.run(10 * dt).energy[1:])
        most = max(most, sim.batch_state.get("substepping")[0, 0] + 1)
    assert sim.unsettled == 0
    return np.abs(np.concatenate(energies) / start - 1.0), most


@pytest.mark.parametrize(
    ("turns", "parts", "most"),
    [
        (1, 1, 3e-4),  # found 1.5e-4
        (3, 2, 1e-3),  # 7.0e-4; asked
        (10, 8, 1e-3),  # 5.0e-4; asked 0.02
        (75, 32, 3e-3),  # 1.6e-3: as many parts as there are; the crank goes 27° in a millisecond
    ],
)
def test_a_free_four_bar_keeps_its_energy_on_the_way(four_bar, turns, parts, most):
    """Whatever its speed: a part of a step turns the fastest link by no more than 20 rad/s of its dt."""
    errors, found = energy_errors(four_bar, "pin_a", turns)
    assert errors.max() < most
    assert found == parts


@pytest.mark.parametrize(("turns", "parts"), [(2, 2), (3, 2), (10, 8)])
def test_parts_do_not_depend_on_the_joint_that_closes_the_loop(turns, parts):
    text = re.sub(r"<dynamics>.*?</dynamics>", "", (GALLERY / "four_bar.sdf").read_text(encoding="utf-8"))
    found = [energy_errors(gw.loads(text, cut=f"pin_{pin}"), "pin_a", turns, seconds=0.5) for pin in "bcd"]
    assert [n for _, n in found] == [parts] * 3
    assert max(errors.max() for errors, _ in found) < 1e-3  # found 7e-4, at 3 turns


WHEEL = """
<sdf version='1.11'><model name='m'><link name='fork'/>
<joint name='mount' type='fixed'><parent>world</parent><child>fork</child></joint>
<link name='wheel'>
<inertial><mass>1</mass><inertia><ixx>1e-3</ixx><iyy>2e-3</iyy><izz>1e-3</izz></inertia></inertial></link>
<joint name='left' type='revolute'><pose>0 0.1 0 0 0 0</pose><parent>fork</parent><child>wheel</child>
<axis><xyz>0 1 0</xyz></axis></joint>
<joint name='right' type='revolute'><pose>0 -0.1 0 0 0 0</pose><parent>fork</parent><child>wheel</child>
<axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def test_a_wheel_between_two_hinges_of_a_fork_needs_no_parts():
    """The second hinge adds nothing to the first, and nothing of a loop turns with the wheel."""
    sim = gw.compile(gw.loads(WHEEL))
    joint = sim.robot.tree.joints[-1].name
    sim.reset(velocity={joint: 400.0})
    sim.step(n=10)
    assert sim.batch_state.get("substepping")[0, 0] == 0.0
    assert sim.velocity[joint] == pytest.approx(400.0, rel=ROUNDING)


@pytest.mark.parametrize("turns", [3, 10, 75])
def test_half_the_step_is_a_quarter_of_a_loops_error_at_any_speed(four_bar, turns):
    whole, half = (energy_errors(four_bar, "pin_a", turns, dt, 0.5)[0].max() for dt in (1e-3, 5e-4))
    assert whole / half == pytest.approx(4.0, rel=0.1)  # found 3.9 to 4.05


def test_two_parts_go_when_a_loop_is_slow(four_bar):
    """What a change of their number costs in energy is little there: 1.7 times a second, one joint is fast for long."""
    errors, parts = energy_errors(four_bar, "pin_a", 1.7, seconds=10.0)
    assert parts == 2
    assert errors.max() < 1e-3  # found 6e-4
    sim = gw.compile(four_bar, drives={"pin_a": gw.Drive(kinematic=True)})
    for n, speed, left in ((20, 30.0, 1.0), (45, 1.0, 1.0), (20, 1.0, 0.0)):
        for _ in range(n):
            sim.drive(position={"pin_a": float(sim.position["pin_a"]) + speed * sim.dt}, velocity={"pin_a": speed})
            sim.step()
        assert sim.batch_state.get("substepping")[0, 0] == left


def test_parts_of_a_step_do_not_depend_on_the_batch(four_bar):
    turns = 2 * np.pi * np.array([75.0, 1.0, 20.0, 150.0])
    batch = gw.compile(four_bar, batch=4)
    batch.reset(velocity={"pin_a": turns})
    batch.step(n=50)
    for i, speed in enumerate(turns):
        alone = gw.compile(four_bar)
        alone.reset(velocity={"pin_a": speed})
        alone.step(n=50)
        assert np.array_equal(alone.state, batch.state[i])


@pytest.mark.parametrize(
    ("file", "dt", "push"), [(FOLDER / "four_bar.sdf", 1e-4, 0.7), (GALLERY / "delta.sdf", 1e-3, 0.0)]
)
def test_loops_settle_in_single_precision(file, dt, push):
    """Closing errors are rounded to 1e-7 rad or m. Over a short step that is a rate, which no pass takes off."""
    robot = gw.load(file)
    ends = []
    for precision in ("double", "single"):
        sim = gw.compile(robot, dt=dt, precision=precision)
        sim.step(effort={sim.coordinates[0]: push}, n=600)
        assert sim.batch_state.get("unsettled") == 0
        ends.append((list(sim.position.values()), sim.batch_state.get("substepping")[0, 0]))
    (q, parts), (single, own_parts) = ends
    assert own_parts == parts
    assert np.abs(np.subtract(single, q)).max() < 1e-4  # single precision: 1e-7 of an angle in each of 600 steps


def test_a_prescribed_crank_arrives_on_time_in_parts(four_bar):
    """A target is for the end of a step, whatever the number of its parts: 400 rad/s are 0.4 rad a step."""
    sim = gw.compile(four_bar, drives={"pin_a": gw.Drive(kinematic=True)})
    speed = 400.0
    sim.reset(velocity={"pin_a": speed})
    for k in range(1, 60):
        sim.drive(position={"pin_a": speed * k * sim.dt}, velocity={"pin_a": speed})
        sim.step()
        assert sim.position["pin_a"] == pytest.approx(speed * k * sim.dt, abs=ROUNDING)
        rocker = speed * angles(np.pi / 2 + speed * k * sim.dt)[3]
        assert sim.velocity["pin_d"] == pytest.approx(rocker, abs=1e-9 * speed)
    assert sim.batch_state.get("substepping")[0, 0] > 0


def test_a_driven_rocker_has_the_speed_of_the_closed_form(four_bar):
    sim = gw.compile(four_bar, drives={"pin_a": gw.Drive(kinematic=True)})
    speed = 7.0
    for k in range(1, 400):
        sim.drive(position={"pin_a": speed * k * sim.dt}, velocity={"pin_a": speed})
        sim.step()
        rocker = speed * angles(np.pi / 2 + speed * k * sim.dt)[3]
        assert sim.velocity["pin_d"] == pytest.approx(rocker, abs=3e-10 * speed)


def test_loops_stay_closed(four_bar):
    sim = gw.compile(four_bar, gravity=(0, 0, 0))
    sim.reset(velocity={"pin_a": 20 * np.pi})
    worst = 0.0
    for _ in range(100):
        sim.step(n=10)
        coupler = np.pi / 2 + sim.position["pin_a"] + sim.position["pin_b"]
        crank = np.pi / 2 + sim.position["pin_a"]
        start = angles(np.pi / 2)
        ends = (
            CRANK * np.array([np.cos(crank), np.sin(crank)])
            + COUPLER * np.array([np.cos(coupler + start[0] - np.pi / 2), np.sin(coupler + start[0] - np.pi / 2)]),
            np.array([GROUND, 0.0])
            + ROCKER * np.array([np.cos(start[1] + sim.position["pin_d"]), np.sin(start[1] + sim.position["pin_d"])]),
        )
        worst = max(worst, np.abs(ends[0] - ends[1]).max())
    assert worst < 5e-11  # the file draws it with ten digits


def slider_crank():
    """A crank turns a rod whose end slides along x."""

    def link(name, mass, at, inertia):
        return (
            f"<link name='{name}'><inertial><pose>{at} 0 0 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{inertia}</ixx>"
            f"<iyy>{inertia}</iyy><izz>{inertia}</izz></inertia></inertial></link>"
        )

    def joint(name, kind, parent, child, at="0 0 0", axis="0 0 1"):
        frame = "" if parent == "world" else f" relative_to='{parent}'"
        return (
            f"<joint name='{name}' type='{kind}'><pose{frame}>{at} 0 0 0</pose><parent>{parent}</parent>"
            f"<child>{child}</child><axis><xyz>{axis}</xyz></axis></joint>"
        )

    return gw.loads(
        "<sdf version='1.11'><model name='slider_crank'>"
        + link("crank", 0.1, 0.025, 5e-5)
        + link("rod", 0.1, 0.1, 4e-4).replace("'rod'>", "'rod'><pose>0.05 0 0 0 0 0</pose>")
        + link("slider", 0.2, 0, 1e-4).replace("'slider'>", "'slider'><pose>0.25 0 0 0 0 0</pose>")
        + joint("main", "revolute", "world", "crank")
        + joint("pin", "revolute", "crank", "rod", "0.05 0 0")
        + joint("way", "prismatic", "world", "slider", "0.25 0 0", "1 0 0")
        + joint("wrist", "revolute", "rod", "slider", "0.2 0 0")
        + "</model></sdf>"
    )


def test_a_slider_crank_at_ten_turns_a_second_keeps_its_energy_on_the_way():
    errors, parts = energy_errors(slider_crank(), "main", 10)
    assert errors.max() < 5e-4  # found 1e-4; asked 0.01
    assert parts == 4


@pytest.mark.parametrize("turns", [1, 5, 10, 40])
def test_a_loop_in_parts_is_linearized_as_it_is_stepped(four_bar, turns):
    """B against central differences of a step, A·B of those over the step that follows."""
    sim = gw.compile(four_bar, gravity=(0, 0, 0))
    sim.reset(velocity={"pin_a": 2 * np.pi * turns})
    column = list(sim.coordinates).index("pin_a")

    def motion():
        return np.concatenate([sim.batch_state.get(slot)[0] for slot in ("position", "velocity")])

    for _ in range(12):
        sim.step(n=17, effort={"pin_a": 0.0})
        start, B = sim.state, sim.linearize()[1][:, column]
        ends = []
        for effort in (1e-3, -1e-3, 0.0):
            sim.state = start
            sim.step(effort={"pin_a": effort})
            first = motion()
            A = sim.linearize()[0]
            sim.step(effort={"pin_a": 0.0})
            ends.append((first, motion()))
        one, two = ((a - b) / 2e-3 for a, b in zip(*ends[:2], strict=True))
        assert np.linalg.norm(B - one) < 3e-4 * np.linalg.norm(one)  # found 1.7e-5
        assert np.linalg.norm(A @ B - two) < 3e-4 * np.linalg.norm(two)  # 5.9e-5, of the differences


@pytest.mark.parametrize("turns", [10, 40])
def test_commands_act_on_a_loop_in_parts_through_a_motors_current(four_bar, turns):
    """With L/R = 10 ms nearly all that a voltage does in a step it does through the current of the parts before."""
    motor = gw.DCMotor(name="motor", resistance=1.0, torque_constant=0.005, inductance=1e-2, command="voltage")
    sim = gw.compile(driven(four_bar, motor, joints=("pin_a",)), gravity=(0, 0, 0), batch=2)
    sim.reset(velocity={"pin_a": [2 * np.pi * turns, 1.0]})  # the second is slow, and stepped as a whole
    for _ in range(3):
        sim.step(n=7, command={"motor": 0.0})
        start, found = sim.state, sim.linearize()
        ends = []
        for voltage in (0.1, -0.1):
            sim.state = start
            sim.step(command={"motor": voltage})
            ends.append(np.hstack([sim.batch_state.get(slot) for slot in ("position", "velocity")]))
        differences = (ends[0] - ends[1]) / 0.2
        off = np.linalg.norm(found.B[..., found.inputs.index("motor.command")] - differences, axis=1)
        assert np.all(off < 1e-4 * np.linalg.norm(differences, axis=1))  # found 1.4e-5


def test_a_rod_that_spins_about_itself_needs_no_parts():
    """It leads nothing along a circle: 300 rad/s about the line between its two balls, and 1 rad/s of the crank."""
    sim = gw.compile(rod_round_a_cone())
    spin = sim.pose["rod"][:3, :3].T @ [0.0, 0.0, 1.0] + [300.0, 0.0, 0.0]  # x is along the rod
    sim.reset(velocity={"turn": 1.0, "ball": spin.tolist()})
    sim.step(n=200)
    assert sim.batch_state.get("substepping")[0, 0] == 0.0
    assert sim.velocity["turn"] == pytest.approx(1.0, rel=1e-3)
    assert opening(sim) < 1e-11
