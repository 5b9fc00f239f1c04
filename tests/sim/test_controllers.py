"""Controllers: the same function in Python and in machine code, its memory, clock, parameters and mistakes."""

import runpy
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import PID, CombinedControllers
from gearwright.display.plots import panels
from gearwright.sim import compile
from tests.sim.robots import GRIPPER
from tests.tolerances import ROUNDING

ARM = """<sdf version="1.11"><model name="arm">
<link name="base"/><joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
<link name="upper"><pose>0 0 0.3 0 0 0</pose><inertial><pose>0 0 0.2 0 0 0</pose><mass>1</mass>
  <inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.01</izz></inertia></inertial></link>
<link name="lower"><pose>0 0 0.7 0 0 0</pose><inertial><pose>0 0 0.15 0 0 0</pose><mass>0.6</mass>
  <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
<joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child><axis><xyz>0 1 0</xyz></axis></joint>
<actuator name="motor" type="electric_motor"><joint>shoulder</joint><rotor_inertia>1e-3</rotor_inertia></actuator>
<encoder name="enc" type="position"><joint>shoulder</joint><resolution>4096</resolution></encoder>
</model></sdf>"""


@pytest.fixture(scope="module")
def arm():
    return gw.loads(ARM)


def mixed(sim):
    """Uses a little of everything that can be read."""
    swing = 0.3 * np.sin(5 * sim.time)
    held = sim.actuator["motor"]
    brake = 0.05 * held.velocity + 0.1 * np.tanh(held.torque)
    return {
        "motor": 8 * (swing - sim.sensor["enc"]) - brake + 0.2 * held.command,
        "elbow": -4 * sim.position["elbow"] - 0.3 * sim.velocity["elbow"] + 0.1 * sim.pose["lower"][..., 0, 3],
    }


class Filter:
    """A first-order filter of the command: memory, parameters, and the interval between two calls."""

    memory = MappingProxyType({"last": 0.1, "calls": 0.0})
    parameters = MappingProxyType({"gain": 3.0, "time_constant": 0.05})

    def __call__(self, sim, memory):
        share = sim.control_dt / (sim.parameters["time_constant"] + sim.control_dt)
        wanted = -sim.parameters["gain"] * sim.position["shoulder"] - 0.5 * sim.velocity["shoulder"]
        last = memory["last"] + share * (wanted - memory["last"])
        return {"motor": last}, {"last": last, "calls": memory["calls"] + 1}


PID_ARM = PID(joint="shoulder", actuator="motor", kp=30, ki=20, kd=3, target=0.4, limit=6.0)
START = {"shoulder": 0.2, "elbow": -0.3}
# Both ways make the same operations, in double precision, but for products and sums that machine code fuses and its own
# sines: a unit in the last place each time, 2e-16. Motion damps such differences or carries them on for the 400 steps
# here; 1e-12 is a hundred times their sum.
SAME = 1e-12


@pytest.mark.parametrize("period", [1, 4])
@pytest.mark.parametrize("controller", [mixed, Filter(), PID_ARM], ids=["mixed", "filter", "pid"])
def test_python_and_machine_code_give_the_same_numbers(arm, controller, period):
    traced, plain = compile(arm, controller=controller, control_period=period * 1e-3), compile(arm)
    runs = []
    for sim, extra in ((traced, {}), (plain, {"controller": controller, "control_period": period * 1e-3})):
        sim.reset(position=START)
        runs.append(sim.run(0.4, **extra))
    a, b = runs
    for family in ("position", "velocity", "effort", "command", "sensor"):
        for name, values in getattr(a, family).items():
            assert values == pytest.approx(getattr(b, family)[name], abs=SAME, rel=SAME), (family, name)
    assert dict(traced.memory) == pytest.approx(dict(plain.memory), rel=SAME)
    assert np.ptp(a.command["motor"]) > 0.1  # and something happened


def test_commands_are_held_between_calls(arm):
    sim = compile(arm, controller=lambda sim: {"motor": sim.time}, control_period=0.004)
    rec = sim.run(0.01)
    assert rec.command["motor"] == pytest.approx([0, 0, 0, 0, 0, 0.004, 0.004, 0.004, 0.004, 0.008, 0.008], abs=1e-17)
    assert compile(arm, controller=Filter(), control_period=0.004).run(0.01).memory["calls"].tolist()[1::4] == [1, 2, 3]


def test_the_command_acts_in_the_step_that_it_is_given_in(arm):
    """Against a simulation that is told the recorded commands as a series: bit by bit, since the step is the same."""
    closed, open_ = compile(arm, controller=mixed), compile(arm)
    for sim in (closed, open_):
        sim.reset(position=START)
    rec = closed.run(0.2)
    again = open_.run(0.2, command={"motor": rec.command["motor"]}, effort={"elbow": rec.effort["elbow"]})
    for joint in ("shoulder", "elbow"):
        assert (rec.position[joint] == again.position[joint]).all()
        assert (rec.velocity[joint] == again.velocity[joint]).all()
    assert closed.acceleration["elbow"] == open_.acceleration["elbow"]
    assert closed.actuator["motor"].command == rec.command["motor"][-1]
    assert closed.effort["elbow"] == rec.effort["elbow"][-1]
    A, B = closed.linearize()  # of the robot: commands are inputs
    A2, B2 = open_.linearize()
    # around the step that comes, whose mean velocity the compiled controller's next command has changed a little
    for closed_part, open_part in ((A, A2), (B, B2)):
        assert np.abs(closed_part - open_part).max() < ROUNDING * np.abs(open_part).max()


def test_a_controller_finds_what_is_held():
    """A drive for positions holds where it starts; a controller that moves on from there begins with that, too."""
    arm = gw.loads(
        ARM.replace("<rotor_inertia>", "<command>position</command><stiffness>90</stiffness><rotor_inertia>")
    )

    def approach(sim):
        held = sim.actuator["motor"].command
        return {"motor": held + np.clip(0.5 - held, -0.002, 0.002)}

    a, b = compile(arm, controller=approach), compile(arm)
    for sim in (a, b):
        sim.reset(position={"shoulder": 0.2})
        assert sim.actuator["motor"].command == 0.2
    ours, theirs = a.run(0.2), b.run(0.2, controller=approach)
    assert ours.command["motor"] == pytest.approx(np.minimum(0.2 + 0.002 * np.arange(201), 0.5), abs=SAME)
    assert ours.position["shoulder"] == pytest.approx(theirs.position["shoulder"], abs=SAME)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_robot_of_a_batch_is_the_robot_alone(arm, threads):
    batch = 11  # fills no SIMD register
    sim = compile(arm, batch=batch, threads=threads, controller=Filter(), control_period=0.003)
    where, gains = np.linspace(-0.5, 0.5, batch), np.linspace(1.0, 9.0, batch)
    sim.set_parameters({"gain": gains})
    sim.reset(position={"shoulder": where})
    rec = sim.run(0.1)
    one = compile(arm, controller=Filter(), control_period=0.003)
    for i in (0, 4, 10):
        one.set_parameters({"gain": gains[i]})
        one.reset(position={"shoulder": where[i]})
        alone = one.run(0.1)
        assert (alone.position["shoulder"] == rec.position["shoulder"][:, i]).all()
        assert (alone.command["motor"] == rec.command["motor"][:, i]).all()
    assert (sim.memory["calls"] == 34).all()
    python = compile(arm, batch=batch)
    python.reset(position={"shoulder": where})
    own = Filter()
    own.parameters = {"gain": 3.0, "time_constant": 0.05}
    sim.set_parameters({"gain": 3.0})
    sim.reset(position={"shoulder": where})
    slow = python.run(0.1, controller=own, control_period=0.003)
    assert sim.run(0.1).position["shoulder"] == pytest.approx(slow.position["shoulder"], abs=SAME)


def test_reset_and_state_hold_memory_and_clock(arm):
    sim = compile(
        arm, controller=CombinedControllers(Filter(), lambda sim: {"elbow": np.sin(9 * sim.time)}), control_period=0.003
    )
    sim.reset(position=START)
    sim.run(0.05)
    kept, time, memory = sim.state, sim.time, dict(sim.memory)
    first = sim.run(0.05).position["elbow"]
    sim.reset()
    assert sim.time == 0.0 and sim.memory["calls"] == 0.0 and sim.memory["last"] == 0.1
    sim.state = kept
    assert sim.time == time and dict(sim.memory) == memory
    assert (sim.run(0.05).position["elbow"] == first).all()
    sim.reset(position=START)  # all in one go is the same as in pieces
    assert (sim.run(0.1).position["elbow"][50:] == first).all()
    sim.time = 2.0
    sim.step()
    assert sim.effort["elbow"] == pytest.approx(np.sin(18.0), rel=1e-14) and sim.time == 2.001
    kept = sim.state
    sim.reset()
    sim.state = kept
    assert sim.time == 2.001


def test_robots_of_one_batch_whose_calls_fall_in_different_steps(arm):
    """States of different ages side by side: each robot's controller is called in its own steps."""
    one = compile(arm, controller=Filter(), control_period=0.003)
    one.reset(position=START)
    states, paths = [], []
    for _ in range(5):
        states.append(one.state)
        one.step()
    for state in states:
        one.state = state
        paths.append(one.run(0.02).command["motor"])
    sim = compile(arm, batch=5, controller=Filter(), control_period=0.003)
    sim.state = np.stack(states)
    assert (sim.run(0.02).command["motor"] == np.stack(paths, axis=1)).all()


def test_python_memory_lives_from_run_to_run_until_reset(arm):
    sim, own = compile(arm), Filter()
    sim.run(0.01, controller=own)
    sim.run(0.01, controller=own)
    assert sim.memory["calls"] == 20
    sim.run(0.01, controller=Filter())
    assert sim.memory["calls"] == 10
    sim.reset()
    assert not sim.memory


def test_what_the_controller_leaves_alone_can_be_given(arm):
    sim = compile(arm, controller=lambda sim: {"motor": 0.1})
    rec = sim.run(0.01, effort={"elbow": np.linspace(0, 1, 10)})
    assert rec.effort["elbow"][1:] == pytest.approx(np.linspace(0, 1, 10), rel=ROUNDING)
    for wrong in (lambda: sim.step(command={"motor": 1.0}), lambda: sim.run(0.1, command={"motor": np.zeros(100)})):
        with pytest.raises(gw.ModelError, match="'motor' is the compiled controller's"):
            wrong()


def test_one_controller_compiled_and_another_in_python(arm):
    sim = compile(arm, controller=lambda sim: {"motor": 0.1})
    rec = sim.run(0.02, controller=lambda sim: {"elbow": 0.3 * sim.actuator["motor"].command}, control_period=0.002)
    assert rec.effort["elbow"].tolist()[:5] == [
        0.0,
        0.0,
        0.0,
        pytest.approx(0.03, rel=ROUNDING),
        pytest.approx(0.03, rel=ROUNDING),
    ]
    with pytest.raises(gw.ModelError, match="'motor' is the compiled controller's"):
        sim.run(0.02, controller=lambda sim: {"motor": 0.2})


def test_a_joint_of_several_coordinates_and_followers():
    """A ball joint takes three efforts; a follower is read as `m·q + o`, and drives its leader when it is pushed."""
    ball = gw.loads(
        '<sdf version="1.11"><model name="m"><link name="l"><inertial><mass>1</mass>'
        "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"
        '<joint name="b" type="ball"><parent>world</parent><child>l</child></joint></model></sdf>'
    )

    def spin(sim):
        return {"b": np.stack([0.1 + 0 * sim.time, -sim.velocity["b"][..., 1], 0.3 * sim.position["b.qx"]], -1)}

    a, b = compile(ball, controller=spin, gravity=(0, 0, 0)), compile(ball, gravity=(0, 0, 0))
    for sim in (a, b):
        sim.reset(velocity={"b": [0.0, 1.0, 0.0]})
    b.run(0.2, controller=spin)
    a.run(0.2)
    assert a.position["b"] == pytest.approx(b.position["b"], abs=SAME)
    gripper = gw.load(GRIPPER, base="fixed")
    follower = next(iter(gripper.couplings))

    def push(sim):
        return {follower: -400.0 * (sim.position[follower] - 0.01)}  # 4 N, against 0.6 N of friction in each finger

    a, b = compile(gripper, controller=push), compile(gripper)
    b.run(0.05, controller=push)
    a.run(0.05)
    assert a.position[follower] == pytest.approx(b.position[follower], abs=SAME) and a.position[follower] != 0.0


def test_mass_matrix_and_bias_in_the_compiled_step(arm):
    """Computed torque: e″ + 2·10·e′ + 100·e = 0 whatever the robot weighs, so e falls as (1 + 10t)·exp(−10t)."""

    def computed_torque(sim):
        wanted = np.stack([-100 * sim.position[j] - 20 * sim.velocity[j] for j in sim.coordinates])
        effort = sim.mass_matrix() @ wanted + sim.bias()
        return dict(zip(sim.coordinates, effort, strict=True))

    sim, python = compile(arm, controller=computed_torque, dt=1e-4), compile(arm, dt=1e-4)
    for each in (sim, python):
        each.reset(position=START)
    rec = sim.run(0.5)
    for joint, start in START.items():
        t = rec.time
        # first order: the error of an explicit feedback is some steps' worth, 10·dt·|e|
        assert rec.position[joint] == pytest.approx(start * (1 + 10 * t) * np.exp(-10 * t), abs=5e-4)
    assert rec.position["elbow"] == pytest.approx(
        python.run(0.5, controller=computed_torque).position["elbow"], abs=SAME
    )


def test_pid_is_textbook(arm):
    """The command from the recorded motion, by sums; at rest the integral bears the load, so no error is left."""
    shoulder = PID(joint="shoulder", actuator="motor", kp=80, ki=200, kd=12, target=0.3)
    sim = compile(arm, controller=CombinedControllers(shoulder, PID(joint="elbow", kp=40, ki=100, kd=5, target=-0.5)))
    rec = sim.run(5.0)
    before, rate = rec.position["shoulder"][:-1], rec.velocity["shoulder"][:-1]
    integral = np.cumsum(0.3 - before) * sim.dt
    # sums in another order: 5000 roundings of numbers up to 1, times 200
    assert rec.command["motor"][1:] == pytest.approx(80 * (0.3 - before) + 200 * integral - 12 * rate, abs=ROUNDING)
    # the slowest mode of either loop falls by exp(−ki/kp·t) and faster: 1e-8 is left
    assert sim.position["shoulder"] == pytest.approx(0.3, abs=7e-8)
    assert sim.position["elbow"] == pytest.approx(-0.5, abs=7e-8)  # the same


def test_pid_does_not_wind_up(arm):
    """Behind a limit, the integral does not grow while that cannot help; it still unwinds."""
    stuck = PID(joint="elbow", kp=1.0, ki=50.0, target=lambda t: 3.0 + 0 * t, limit=0.1)
    sim = compile(arm, controller=stuck)
    sim.run(0.05)
    assert sim.memory["elbow.integral"] == 0.0 and sim.effort["elbow"] == 0.1
    with pytest.raises(gw.ModelError, match="positive number"):
        PID(joint="elbow", limit=-1.0)


def test_in_single_precision(arm):
    single, double = (compile(arm, controller=PID_ARM, precision=p) for p in ("single", "double"))
    # single precision, over 300 steps
    assert single.run(0.3).position["shoulder"] == pytest.approx(double.run(0.3).position["shoulder"], abs=1e-6)


def test_with_rk4_and_without_devices(double_pendulum):
    joint = compile(double_pendulum).coordinates[0]

    def hold(sim):
        return {joint: -5 * sim.position[joint] - sim.velocity[joint]}

    a, b = (compile(double_pendulum, integrator="rk4", controller=c) for c in (hold, None))
    for sim in (a, b):
        sim.reset(position={joint: 0.5})
    b.run(0.3, controller=hold)
    a.run(0.3)
    assert a.position[joint] == pytest.approx(b.position[joint], abs=SAME)


# --- mistakes -------------------------------------------------------------------------------------------------------


def raising(sim):
    return {"motor": 1 / 0}


class Stateful:
    def __init__(self):
        self.total = 0.0

    def __call__(self, sim):
        self.total = self.total + sim.position["shoulder"]
        return {"motor": self.total}


class Wrong:
    """A controller with memory that returns what it is told to."""

    memory = MappingProxyType({"sum": 0.0})

    def __init__(self, returned):
        self.returned = returned

    def __call__(self, sim, memory):
        return self.returned(memory)


async def later(sim):
    return {}


BOTH = {  # wrong in Python and in the compiled step alike
    "an unknown joint": (lambda s: {"motor": s.position["sholder"]}, "'sholder'; did you mean 'shoulder'"),
    "an unknown sensor": (lambda s: {"motor": s.sensor["ench"]}, "'ench'; did you mean 'enc'"),
    "an unknown actuator": (lambda s: {"motor": s.actuator["moto"].velocity}, "'moto'; did you mean 'motor'"),
    "an unknown parameter": (lambda s: {"motor": s.parameters["kp"]}, "no parameter named 'kp'"),
    "an unknown command": (lambda s: {"motr": 0.0}, "'motr'; did you mean 'motor'"),
    "no mapping": (lambda s: 0.3, "a controller returns a mapping or None, not a float"),
    "memory undeclared": (lambda s: ({"motor": 0.0}, {}), "declares memory"),
    "a text": (lambda s: {"motor": "full"}, "motor|number"),
    "two numbers": (lambda s: {"motor": np.zeros(2)}, "'motor' takes"),
    "not finite": (lambda s: {"motor": float("nan")}, "'motor' (is given|always gets)"),
    "no controller": (3.0, "a function of the simulation, not a float"),
    "a class": (PID, "the class PID; give an instance"),
    "async": (later, "neither async nor a generator"),
    "no argument": (lambda: {}, "one argument, the simulation"),
    "two arguments": (lambda s, m: ({}, m), r"two if it declares memory"),
    "memory not returned": (Wrong(lambda m: {"motor": 0.0}), "returns two mappings, commands and memory"),
    "memory misspelt": (Wrong(lambda m: ({}, {"sun": 0.0})), "'sun'; did you mean 'sum'"),
    "memory left out": (Wrong(lambda m: ({}, {})), "'sum' is missing"),
}
COMPILED = {
    "a branch": (
        lambda s: {"motor": 1.0 if s.position["shoulder"] > 0 else 0.0},
        r"test_controllers.py, line \d+.*np.where",
    ),
    "an exception": (raising, r"raising \(test_controllers.py, line \d+\): ZeroDivisionError"),
    "math.sin": (lambda s: {"motor": __import__("math").sin(s.time)}, "np.sin instead of math.sin"),
    "something else": (lambda s: {"motor": s.momentum}, "cannot use 'momentum'; it reads position"),
    "stepping": (lambda s: s.step(), "cannot use 'step'"),
    "what an actuator has not": (lambda s: {"motor": s.actuator["motor"].current}, "no 'current'; it has torque"),
    "nothing": (lambda s: None, "commands nothing"),
    "an attribute": (Stateful(), r"attribute 'total'.*declare memory = \{'total': 0.0\}"),
}


@pytest.mark.parametrize("case", BOTH)
def test_mistakes_in_both(arm, case):
    controller, told = BOTH[case]
    with pytest.raises(gw.GearwrightError, match=told):
        compile(arm, controller=controller)
    with pytest.raises(gw.GearwrightError, match=told):
        compile(arm).run(0.01, controller=controller)


@pytest.mark.parametrize("case", COMPILED)
def test_mistakes_of_compiled_ones(arm, case):
    controller, told = COMPILED[case]
    with pytest.raises(gw.CompileError, match=told):
        compile(arm, controller=controller)


def test_mistakes_of_declarations(arm, double_pendulum):
    def with_(**declared):
        made = Wrong(lambda m: ({}, m))
        made.__dict__.update(declared)
        return made

    for declared, told in [
        ({"memory": [1]}, "a mapping from names to numbers"),
        ({"memory": {"sum": "much"}}, "starts with a number"),
        ({"parameters": {"kp": float("inf")}}, "finite"),
        ({"parameters": {"upper.mass": 1.0}}, "'upper.mass', which is a number of the robot"),
    ]:
        with pytest.raises(gw.GearwrightError, match=told):
            compile(arm, controller=with_(**declared))
    assert compile(arm, controller=PID_ARM, parameters=("motor.kp", "upper.mass")).parameters["motor.kp"] == 30.0
    for wrong in (0.0, -0.001, 2.5e-4, 1.5e-3, True, "0.01", float("nan"), float("inf")):
        with pytest.raises(gw.CompileError, match="control_period must be a whole number of steps"):
            compile(arm, controller=mixed, control_period=wrong)
    with pytest.raises(gw.CompileError, match=r"in seconds: 3 steps of 0.001 s are control_period=0.003"):
        compile(arm, controller=mixed, control_period=3)
    with pytest.raises(gw.CompileError, match="control_period needs a controller"):
        compile(arm, control_period=0.003)
    with pytest.raises(gw.CompileError, match="no actuator acts"):
        compile(arm, controller=lambda s: {"motor": 0.0}, integrator="rk4")
    with pytest.raises(gw.ModelError, match="two controllers command 'motor'"):
        compile(arm, controller=CombinedControllers(Filter(), PID_ARM))
    with pytest.raises(gw.ModelError, match="two controllers declare 'calls'"):
        CombinedControllers(Filter(), Filter())


def test_a_controller_that_runs_away_is_named(arm):
    sim = compile(arm, controller=lambda s: {"motor": np.sqrt(0.005 - s.time)}, batch=3)
    with pytest.raises(gw.SimulationError, match="command that the controller gives 'motor' of robot 0 is not finite"):
        sim.run(0.1)
    memory = compile(arm, controller=Wrong(lambda m: ({}, {"sum": np.exp(m["sum"] + 5)})))
    with pytest.raises(gw.SimulationError, match="controller's memory 'sum'"):
        memory.run(0.1)


def test_files_and_plots_have_commands_efforts_and_readings(arm, tmp_path):
    rec = compile(arm, controller=PID_ARM, batch=2).run(0.05)
    units = {(c.family, c.name): c.unit for c in rec.columns()}
    assert units["command", "motor"] == units["torque", "motor"] == "N·m" and units["sensor", "enc"] == "rad"
    titles = {panel.title: panel.unit for panel in panels(rec)}
    assert (titles["command"], titles["actuator effort"], titles["sensor reading"]) == ("N·m", "N·m", "rad")
    rec.save(tmp_path / "run.npz")
    kept = np.load(tmp_path / "run.npz")
    assert (kept["command/motor"] == rec.command["motor"]).all()
    assert (kept["torque/motor"] == rec.actuator["motor"].torque).all()
    assert (kept["sensor/enc"] == rec.sensor["enc"]).all()


@pytest.mark.parametrize("name", ["pid", "computed_torque"])
def test_the_examples_run(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    example = Path(__file__).parents[2] / "examples" / f"{name}.py"
    monkeypatch.setattr("sys.argv", [str(example), str(tmp_path)])
    runpy.run_path(str(example), run_name="__main__")
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
