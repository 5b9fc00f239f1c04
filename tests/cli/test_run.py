from __future__ import annotations

import json
from pathlib import Path
from time import sleep

import numpy as np
import pytest

from gearwright.robots import __file__ as robots
from gearwright.sim import Recording
from tests.cli.commands import Ran, called, gearwright
from tests.sim.robots import LIMITED
from tests.tolerances import ROUNDING

ARM = Path(robots).with_name("reference_arm.urdf")
GRIPPER = Path(robots).with_name("gripper.sdf")
SHORT = ("--duration", "0.05")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("code"))


@pytest.fixture
def run(cache: str):
    def run(*arguments: str | Path) -> Ran:
        return called("run", *arguments, GEARWRIGHT_CACHE=cache)

    return run


def test_summary(run):
    ran = run(ARM, *SHORT, "--set", "j1=0.4", "--effort", "j0=1.5")
    assert ran.code == 0
    for word in (
        "reference_arm",
        "50 ms in 50 steps of 1 ms",
        "ns per robot-step",
        "real time",
        "energy",
        "left_finger",
    ):
        assert word in ran.out, word


def test_in_a_process_of_its_own(cache):
    ran = gearwright("run", ARM, *SHORT, GEARWRIGHT_CACHE=cache)
    assert (ran.code, ran.err) == (0, "")


def test_json(run):
    ran = run(ARM, *SHORT, "--set", "j1=0.4", "--velocity", "j2=1", "--dt", "5e-4", "--batch", "3", "--json")
    data = json.loads(ran.out)
    assert (data["steps"], data["dt"], data["batch"], data["robot"]) == (100, 5e-4, 3, "reference_arm")
    assert set(data["positions"]) == set(data["velocities"]) >= {"j0", "left_finger"}
    assert data["coupling_errors"] == {"left_finger": 0.0}
    assert data["ns_per_robot_step"] > 0 < data["real_time_factor"]
    assert data["energy"]["end"] < data["energy"]["start"]


def test_numbers_are_those_of_the_simulation(run):
    from gearwright.sim import compile

    data = json.loads(run(ARM, *SHORT, "--set", "j1=0.4", "--effort", "j0=1.5", "--integrator", "rk4", "--json").out)
    sim = compile(ARM, integrator="rk4")
    sim.reset(position={"j1": 0.4})
    sim.step(effort={"j0": 1.5}, n=50)
    assert data["positions"] == dict(sim.position)


def test_files(run, tmp_path):
    pytest.importorskip("matplotlib")
    out, plot = tmp_path / "run.npz", tmp_path / "run.png"
    ran = run(GRIPPER, *SHORT, "--every", "5", "--effort", "right_finger=0.1", "--out", out, "--plot", plot)
    assert ran.code == 0
    assert f"wrote {out}" in ran.out
    assert np.load(out)["position/left_finger"].shape == (11,)
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_what_is_left_out_is_told(run):
    assert "warning: actuators do not act with rk4" in run(GRIPPER, *SHORT, "--integrator", "rk4").out


def test_commands_act(run):
    """0.2 N·m at the motor, from standstill, and what the summary says of it."""
    from gearwright.sim import compile

    told = ("--command", "motor=0.2", *SHORT)
    ran = run(GRIPPER, *told)
    assert ran.code == 0
    for word in ("actuator", "motor", "0.2", "N·m", "rad/s"):
        assert word in ran.out, word
    data = json.loads(run(GRIPPER, *told, "--json").out)
    sim = compile(GRIPPER)
    sim.step(command={"motor": 0.2}, n=50)
    assert data["positions"] == dict(sim.position)
    motor = sim.actuator["motor"]
    assert data["actuators"]["motor"]["command"] == 0.2
    assert data["actuators"]["motor"]["velocity"] == motor.velocity != 0.0
    assert data["actuators"]["motor"]["torque"] == motor.torque
    assert data["sensors"] == dict(sim.sensor)


@pytest.mark.parametrize("out", [(), ("run.csv",)])
def test_joints_beyond_their_velocity_limits_are_told(run, tmp_path, out):
    """Of 0.2 m/s: the limit does not act. Two steps are too short to get there."""
    slow = tmp_path / "slow.sdf"
    slow.write_text(GRIPPER.read_text().replace("<velocity>0.25</velocity>", "<velocity>0.2</velocity>"))
    files = [part for name in out for part in ("--out", tmp_path / name)]
    told = run(slow, "--command", "motor=0.012", "--duration", "0.1", *files, "--json")
    (info,) = json.loads(told.out)["infos"]
    assert "'right_finger' reaches 0.241 m/s, beyond its limit of 0.2 m/s" in info
    assert json.loads(run(slow, "--command", "motor=0.012", "--duration", "2e-3", *files, "--json").out)["infos"] == []


def test_devices_are_in_the_files(run, tmp_path):
    out = tmp_path / "run.csv"
    assert run(GRIPPER, "--command", "motor=0.2", *SHORT, "--out", out).code == 0
    header = out.read_text(encoding="utf-8").splitlines()[0]
    assert "command motor [N·m],torque motor [N·m]" in header


def test_several_coordinates(run, tmp_path):
    moments = "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"
    box = tmp_path / "box.urdf"
    box.write_text(
        f"<robot name='box'><link name='base'><inertial><mass value='1'/><inertia {moments}/></inertial></link></robot>"
    )
    ran = run(box, *SHORT, "--base", "floating", "--set", "base=0,0,1,1,0,0,0", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["positions"]["base.z"] == pytest.approx(1 - 9.81 / 2 * 0.05**2, abs=ROUNDING)


WRONG = {
    "no value": (["--set", "j1"], 2, "--set j1: write NAME=VALUE"),
    "no number": (["--effort", "j1=fast"], 2, "--effort j1=fast: 'fast' is not a number; write NAME=VALUE"),
    "twice": (["--set", "j1=1", "--set", "j1=2"], 2, "given twice"),
    "unknown joint": (["--set", "j11=1"], 2, "no joint named 'j11'; did you mean 'j1'"),
    "unknown effort": (["--effort", "j11=1"], 2, "did you mean 'j1'"),
    "unknown actuator": (["--command", "motor=1"], 2, "no actuator named 'motor'"),
    "follower": (["--set", "left_finger=0.01"], 2, "its exact coupling puts it at 0"),
    "not a number": (["--set", "j1=nan"], 2, "not finite"),
    "dt": (["--dt", "0"], 2, "dt must be"),
    "duration": (["--duration", "-1"], 2, "duration"),
    "batch": (["--batch", "0"], 2, "batch"),
    "every": (["--every", "0"], 2, "every"),
    "integrator": (["--integrator", "heun"], 2, "valid: 'midpoint', 'euler', 'rk4'"),
    "out": (["--out", "run.xls"], 2, "'.xls' is not a recording format; valid: .npz, .csv"),
    "plot": (["--plot", "run.gif"], 2, "must end in .png, .svg, .pdf, .html"),
    "folder": (["--out", "/dev/null/at/all/run.npz"], 1, "cannot write /dev/null/at/all/run.npz: its folder cannot"),
    "too fast": (["--velocity", "j1=1e200"], 2, "velocity beyond ±1e+12"),
    "not finite": (["--effort", "j1=1e300"], 1, "is not finite after step 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_are_one_line(run, case):
    arguments, code, message = WRONG[case]
    ran = run(ARM, *arguments)
    assert message in ran.err
    assert ran.code == code
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_files_that_cannot_be_simulated(run, tmp_path):
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot name='x'><joint name='j'/></robot>")
    assert run(broken).code == 1
    assert run(tmp_path / "absent.urdf").code == 1
    command = run(GRIPPER, "--command", "motor=1", "--integrator", "rk4")
    assert (command.code, "actuators do not act with the integrator 'rk4'" in command.err) == (1, True)


def test_a_start_beyond_limits_and_steps_that_do_not_settle_are_in_the_summary(run, tmp_path):
    file = tmp_path / "limited.urdf"
    file.write_text(LIMITED)
    data = json.loads(run(file, "--set", "elbow=1.4", "--duration", "0.01", "--json").out)
    assert data["unsettled"] == 0
    assert "'elbow' at 1.4 rad, upper limit 1 rad" in data["warnings"][-1]
    fast = run(file, "--velocity", "shoulder=-4000", "--velocity", "elbow=6000", "--dt", "0.1", "--duration", "1")
    assert (fast.code, fast.err) == (0, "")
    assert "unsettled" in fast.out


DRIVEN = """<robot name="d"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-0.8" upper="0.8" effort="10" velocity="10"/></joint>
<actuator name="drive" type="dc_motor"><joint>axle</joint><resistance>2</resistance>
<torque_constant>0.05</torque_constant><supply_voltage>12</supply_voltage><command>voltage</command></actuator></robot>"""


def test_a_start_in_degrees_and_a_clipped_command_are_hinted_at(tmp_path):
    file = tmp_path / "driven.urdf"
    file.write_text(DRIVEN)
    arguments = ("run", str(file), "--duration", "0.01", "--set", "axle=45")
    result = called(*arguments, "--command", "drive=600")
    assert "'axle' at 45 rad, upper limit 0.8 rad: degrees?" in result.out
    assert "actuator 'drive': the command of 600 V is clipped to its supply's 12 V" in result.out
    assert "clipped" not in called(*arguments, "--command", "drive=12").out


def test_limits_that_look_like_degrees_are_mentioned(run, tmp_path):
    text = (
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '\n<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
        '<limit lower="-90" upper="90" effort="1" velocity="1"/></joint></robot>'
    )
    (tmp_path / "r.urdf").write_text(text)
    ran = run(tmp_path / "r.urdf", "--duration", "0.01")
    assert ran.code == 0
    assert "r.urdf:2: info: joint 'j': limits of -90 and 90 rad look like degrees [implausible]" in ran.err


def test_drawing_is_not_running(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Recording, "plot", lambda recording, path: sleep(0.6))
    data = json.loads(run(GRIPPER, *SHORT, "--plot", tmp_path / "run.png", "--json").out)
    assert data["stepping_s"] <= data["wall_s"] < 0.5 and data["files"] == [str(tmp_path / "run.png")]
