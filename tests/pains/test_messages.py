"""Messages that name the way out, and behaviour that new users expect."""

import math
import re
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.cli.commands import gearwright
from tests.sim.robots import FOLDER, GRIPPER

ROOT = Path(__file__).parents[2]
PENDULUM = """<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<origin xyz="0 0 -1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="knee" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>{}</robot>"""


@pytest.fixture(scope="module")
def robot():
    return gw.load(GRIPPER)


@pytest.fixture(scope="module")
def sim(robot):
    return gw.compile(robot)


@pytest.fixture(scope="module")
def loop():
    return gw.compile(gw.load(FOLDER / "four_bar.sdf"))


CALLS = {
    "an actuator as a joint": (lambda s: s.step(effort={"motor": 1.0}), r"is an actuator: give it command=\{'motor'"),
    "a joint as an actuator": (lambda s: s.step(command={"left_finger": 1.0}), r"is a joint: give it effort="),
    "a drive that is none": (lambda s: s.drive(position={"left_finger": 0.1}), r"gearwright.compile\(drives="),
    "a parameter that is none": (
        lambda s: s.set_parameters({"motor.stall_torque": 1.0}),
        r"gearwright.compile\(parameters=.*robot.parameters",
    ),
    "a command with a branch": (
        lambda s: s.run(0.01, command={"motor": lambda t: 3 if t > 0.5 else 0}),
        r"test_messages.py, line \d+\).*np.where\(t > 0.5, 3, 0\)",
    ),
    "a command with math.sin": (
        lambda s: s.run(0.01, command={"motor": lambda t: 0.1 * math.sin(t)}),
        r"test_messages.py, line \d+\).*np.sin instead of math.sin",
    ),
    "a command that fails": (
        lambda s: s.run(0.01, command={"motor": lambda t: t.nothing}),
        r"test_messages.py, line \d+\) failed: AttributeError",
    ),
    "a text as a command": (lambda s: s.step(command={"motor": "0.1"}), "takes numbers, not '0.1'"),
    "a text as a start": (lambda s: s.reset(position={"right_finger": "0.01"}), "takes numbers, not '0.01'"),
    "an array as a start": (
        lambda s: s.reset(position=np.zeros(6)),
        r"by joint, as \{'right_finger': 0.1\}, not array",
    ),
    "an array of zero as a start": (lambda s: s.reset(position=np.zeros(1)), r"by joint, as .*, not array\(\[0.\]\)"),
    "a list of velocities": (lambda s: s.reset(velocity=[0.0, 0.0]), r"dict\(zip\(sim.coordinates, values\)\)"),
    "an array of efforts": (lambda s: s.step(effort=np.zeros(1)), "by joint, as"),
    "an array of commands": (lambda s: s.run(0.01, command=np.zeros(3)), "mappings from names to values"),
    "an array of accelerations": (lambda s: s.inverse_dynamics(np.zeros(1)), "by joint, as"),
    "a time to step": (lambda s: s.step(0.01), r"for 0.01 s write run\(0.01\), or step\(n=10\) of dt = 0.001 s"),
    "steps to step": (lambda s: s.step(5), r"for 5 steps write step\(n=5\)"),
    "texts in a list": (lambda s: s.step(command={"motor": ["0.1"]}), "takes numbers"),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls(sim, case):
    call, message = CALLS[case]
    with pytest.raises(gw.ModelError, match=message):
        call(sim)


@pytest.mark.parametrize("text", [None, 5, Path("arm.urdf")])
def test_loads_takes_texts(text):
    with pytest.raises(gw.ModelError, match=r"loads takes the text of a file, not"):
        gw.loads(text)


@pytest.mark.parametrize("read", [gw.open, gw.Recording.open, gw.load, gw.serve])
@pytest.mark.parametrize("path", [None, 5, ""])
def test_files_are_given_by_their_path(read, path):
    with pytest.raises(gw.GearwrightError, match=r"path|not a file"):
        read(path)


ARM = """<robot name="arm"><link name="base"/><link name="mount"/><link name="bob"><inertial><origin xyz="0 0 -0.3"/>
<mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="fixed" type="fixed"><parent link="base"/><child link="mount"/></joint>
<joint name="swing" type="continuous"><parent link="mount"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""


def test_positions_of_kinematics_are_named_after_a_joint_that_moves():
    with pytest.raises(gw.ModelError, match=r"by joint, as \{'swing': 0.1\}, not \[0.1\]"):
        gw.loads(ARM).forward_kinematics([0.1])


def test_a_command_to_a_driven_joint():
    sim = gw.compile(gw.loads(ARM), drives={"swing": gw.Drive(stiffness=10.0)})
    with pytest.raises(gw.ModelError, match=r"'swing' has a drive: give its target, sim.drive\(position=\{'swing'"):
        sim.step(command={"swing": 0.1})
    with pytest.raises(gw.ModelError, match=r"by drive, as \{'swing': 0.1\}"):
        sim.drive(np.zeros(1))


def feeding_back(sim):
    """With the wrong sign."""
    return {"swing": 1e6 * sim.position["swing"] + 1e5 * sim.velocity["swing"] + 1.0}


@pytest.mark.parametrize("compiled", [False, True])
def test_an_unstable_controller_is_named(compiled):
    sim = gw.compile(gw.loads(ARM), controller=feeding_back if compiled else None)
    with pytest.raises(
        gw.SimulationError, match="controller 'feeding_back' feeds the motion back: check the sign"
    ) as e:
        sim.run(1.0, controller=None if compiled else feeding_back)
    assert "reduce dt" not in str(e.value)


def test_an_effort_of_ones_own_that_grows_is_named():
    sim = gw.compile(gw.loads(ARM))
    with pytest.raises(gw.SimulationError, match="if your own code computes its commands, check their sign and gains"):
        while True:
            sim.step(effort=feeding_back(sim))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"drives": {"right_finger": (100, 1)}},
            r"gearwright.Drive\(stiffness=100, damping=1\), not \(100, 1\)",
        ),
        ({"drives": {"right_finger": 100}}, r"such as gearwright.Drive\(stiffness=100\), not 100"),
        ({"drives": {"right_finger": "stiff"}}, r"is a gearwright.Drive\(…\), not 'stiff'"),
        ({"gravity": (0, 0, "1")}, "gravity must be three numbers"),
        ({"gravity": 9.81}, r"gravity must be three numbers \[m/s²\], such as \(0, 0, -9.81\), not 9.81"),
        ({"gravity": "0 0 -9.81"}, "gravity must be three numbers"),
        ({"dt": "0.001"}, "dt must be a number of seconds, not '0.001'"),
    ],
)
def test_options(robot, options, message):
    with pytest.raises(gw.CompileError, match=message):
        gw.compile(robot, **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda robot: gw.ElectricMotor(name="m", joint="right_finger", stall_torque="0.1", no_load_speed=1.0),
        lambda robot: gw.SimpleTransmission(reduction="50"),
        lambda robot: gw.PID(joint="right_finger", kp="1"),
        lambda robot: robot.with_coupling("left_finger", natural_frequency="200"),
        lambda robot: robot.forward_kinematics({"right_finger": "0.1"}),
        lambda robot: gw.compile(robot).run("0.1"),
        lambda robot: gw.compile(robot, parameters="motor.damping").set_parameters({"motor.damping": "1"}),
    ],
)
def test_a_text_is_no_number(robot, make):
    with pytest.raises(gw.ModelError, match=r"number.*, not '"):
        make(robot)


def test_texts_and_lists(robot):
    assert [j.name for j in gw.load("four_bar", cut="pin_b").tree.cuts] == ["pin_b"]
    with pytest.raises(gw.CompileError, match="drives must be a mapping"):
        gw.compile(robot, drives="right_finger")
    with pytest.raises(gw.ModelError, match=r"search_path must be a list.*write \['/tmp'\]"):
        gw.load("gripper", search_path="/tmp")


def test_a_metric_that_fails_points_at_its_line(robot):
    with pytest.raises(gw.ModelError, match=r"metric 'x' \(test_messages.py, line \d+\) raised AttributeError"):
        gw.sweep(robot, {"motor.stall_torque": (0.02, 0.05, 2)}, {"x": lambda rec: rec.nothing}, duration=0.002)


IMPLAUSIBLE = {
    "degrees": ('<limit lower="-170" upper="170" effort="1" velocity="1"/>', "look like degrees"),
    "odd degrees": ('<limit lower="-92" upper="117" effort="1" velocity="1"/>', "look like degrees"),
    "no range": ('<limit lower="1" upper="1" effort="1" velocity="1"/>', "both limits are 1"),
    "far": ('<origin xyz="350 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>', "350 m from its parent"),
}


@pytest.mark.parametrize("case", IMPLAUSIBLE)
def test_what_is_hardly_meant_is_a_hint(case):
    inside, message = IMPLAUSIBLE[case]
    text = PENDULUM.format("").replace("continuous", "revolute").replace("</joint>", f"{inside}</joint>")
    (hint,) = [d for d in gw.loads(text).diagnostics if d.code == "implausible"]
    assert message in hint.message and hint.severity == "info" and hint.line


def test_an_inertia_that_is_a_thousand_times_too_large_is_a_hint():
    wide = PENDULUM.format("").replace('ixx="1" iyy="1" izz="1"', 'ixx="5" iyy="5" izz="5"')
    assert any("radius of gyration of 2.24 m" in d.message for d in gw.loads(wide).diagnostics)
    assert not [d for d in gw.loads(PENDULUM.format("")).diagnostics if d.code == "implausible"]


def test_an_installation_brings_what_the_readme_uses():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.match(r"[\w-]+", text)[0] for text in project["dependencies"]}
    code = "".join(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL))
    assert ".plot(" in code and {"matplotlib", "mcap", "numpy"} <= needed


@pytest.mark.parametrize("draw", [np.random.normal, lambda: np.random.default_rng().normal()])
def test_random_numbers_are_not_frozen_into_a_controller(robot, draw):
    with pytest.raises(gw.CompileError, match=r"drawn once.*sim.run\(controller=…\)"):
        gw.compile(robot, controller=lambda sim: {"motor": 0.01 * draw()})
    assert np.random.default_rng(0).normal() == np.random.default_rng(0).normal()  # and NumPy is as it was


@pytest.mark.parametrize("call", ["step", "reset"])
def test_a_joint_that_closes_a_loop_is_there(loop, call):
    given = {"effort": {"pin_c": 1.0}} if call == "step" else {"position": {"pin_c": 0.1}}
    with pytest.raises(gw.ModelError, match=r"'pin_c' closes a loop.*load\(cut=…\)"):
        getattr(loop, call)(**given)


def test_an_ordinary_planar_loop_is_no_warning(loop):
    assert {d.severity for d in loop.diagnostics if d.code == "redundant-rows"} == {"info"}


def test_one_freedom(sim):
    assert "1 degree of freedom," in repr(sim)


def test_a_joint_by_its_name(robot):
    """Wherever a joint is named."""
    more = robot.with_actuator(gw.ElectricMotor(name="m2", joint="right_finger"))
    more = more.with_sensor(gw.Encoder(name="e2", joint="left_finger")).with_sensor(
        gw.LimitSwitch(name="s", joint="left_finger")
    )
    sim = gw.compile(more, controller=gw.PID(joint="right_finger", kp=1.0))
    sim.step(n=3)
    assert sim.sensor["e2"] == sim.position["left_finger"]
    with pytest.raises(gw.ModelError, match="did you mean 'right_finger'"):
        robot.with_sensor(gw.Encoder(name="e", joint="right_fingr"))
    assert str(gw.Encoder(name="e", joint="wrist.axis2").joint) == "wrist.axis2"
    felt = gw.compile(robot.with_sensor(gw.ForceTorque(name="ft", joint="left_finger")))
    assert [name for name in felt.sensor if name.startswith("ft")] == [
        f"ft.{x}" for x in ["fx", "fy", "fz", "tx", "ty", "tz"]
    ]
    geared = robot.with_transmission("g", gw.SimpleTransmission(reduction=2.0), actuators="motor", joints="left_finger")
    assert [str(j) for j in geared.transmissions["g"].joints] == ["left_finger"]


@pytest.mark.parametrize("option", ["parameters", "wrenches"])
def test_a_text_where_a_list_is_meant(robot, option):
    name = {"parameters": "motor.stall_torque", "wrenches": "left_finger_link"}[option]
    assert getattr(gw.compile(robot, **{option: name}).options, option) == (name,)


def test_counts_inside_a_compiled_controller(robot):
    encoder = robot.encoders["motor_encoder"]
    controllers = lambda sim: {"motor": 1e-4 * (50.0 - encoder.counts(sim.sensor["motor_encoder"]))}  # noqa: E731
    runs = [gw.compile(robot, controller=controllers).run(0.05), gw.compile(robot).run(0.05, controller=controllers)]
    assert runs[0].position["left_finger"] == pytest.approx(runs[1].position["left_finger"], abs=1e-12)


def test_a_natural_frequency_implies_compliance(robot):
    changed = robot.with_coupling("left_finger", natural_frequency=200.0).couplings["left_finger"]
    assert (changed.mode, changed.natural_frequency, changed.damping_ratio) == ("compliant", 200.0, 1.0)
    explicit = robot.with_coupling("left_finger", mode="hard", natural_frequency=200.0).couplings["left_finger"]
    assert explicit.mode == "hard"  # what is said goes


def test_a_pose_beyond_limits_is_reported(sim):
    with pytest.warns(gw.BeyondLimitsWarning, match="'right_finger' at 0.5 m, upper limit 0.04 m"):
        sim.reset(position={"right_finger": 0.5})


def test_parameters_are_listed(robot):
    assert robot.parameters["motor.stall_torque"].unit == "N·m" and "palm.mass" in robot.parameters


def test_a_linearization_is_kept_and_named(robot):
    sim = gw.compile(robot)
    first = sim.linearize()
    A, B = first
    assert first.states == ("right_finger.position", "right_finger.velocity") and A is first.A
    assert first.inputs[-1] == "motor.command" and B.shape == (2, len(first.inputs))
    assert sim.linearize() is first
    sim.step(command={"motor": 0.001})
    assert sim.linearize() is not first


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (PENDULUM.replace('<mass value="1"/>', "<mass>1</mass>").format(""), '<mass> has the text "1"'),
        (PENDULUM.replace('<axis xyz="0 1 0"/>', "<axis>0 1 0</axis>").format(""), '<axis> has the text "0 1 0"'),
        (PENDULUM.replace('value="1"', 'value="-1"').format(""), "a mass cannot be negative"),
    ],
)
def test_texts_and_negative_masses_in_a_urdf(file, message):
    with pytest.raises(gw.LoadError, match=message) as raised:
        gw.loads(file)
    assert len([d for d in raised.value.diagnostics if d.severity == "error"]) == 1
    assert not [d for d in raised.value.diagnostics if "origin" in d.message]


def test_a_transmission_type_that_is_misspelt():
    words = '<transmission name="t"><type>transmission_interface/SimpleTransmision</type><joint name="knee"/>'
    with pytest.warns(gw.LoadWarning, match=r"kept without a map; did you mean 'SimpleTransmission'\?"):
        gw.loads(PENDULUM.format(f'{words}<actuator name="m"/></transmission>'))


def test_warnings_of_a_file_surface_once_and_can_be_silenced(tmp_path):
    text = PENDULUM.format('<transmission name="t"><type>odd</type><joint name="knee"/></transmission>')
    (tmp_path / "r.urdf").write_text(text)
    with pytest.warns(gw.LoadWarning, match=r"r.urdf:3: .*\[transmission-type-unknown\]") as heard:
        gw.load(tmp_path / "r.urdf")
    assert len(heard) == 1 and heard[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", gw.LoadWarning)
        gw.load(tmp_path / "r.urdf")


@pytest.mark.filterwarnings("ignore:.*of unknown types do not act:gearwright.NotSimulatedWarning")
@pytest.mark.parametrize("use", [gw.load, gw.compile], ids=["load", "compile"])
def test_a_warning_points_at_the_users_line(tmp_path, use):
    (tmp_path / "r.urdf").write_text(PENDULUM.format('<transmission name="t"><type>odd</type></transmission>'))
    with pytest.warns(gw.LoadWarning) as heard:
        use(tmp_path / "r.urdf")
    assert {w.filename for w in heard} == {__file__}


def test_bundled_robots_by_name(tmp_path, monkeypatch):
    assert gw.load("gripper").name == "gripper" and "gripper" in gw.robots and "wrist" in list(gw.robots)
    with pytest.raises(gw.LoadError, match="did you mean 'gripper'"):
        gw.load("griper")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gripper").write_text(PENDULUM.format(""))
    assert gw.load("gripper").name == "r"  # a file of that name goes first


def test_the_command_line_knows_them_and_refuses_pictures_that_are_none(tmp_path):
    assert gearwright("check", "gripper").code == 0
    ran = gearwright("show", "gripper", "--svg", tmp_path / "a.png")
    assert ran.code == 2 and "must end in .svg" in ran.err and not list(tmp_path.iterdir())
