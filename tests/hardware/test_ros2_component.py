"""The hardware components that ROS users copy: Python as it is, C++ as far as it needs no ROS."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from pytest import approx

import gearwright as gw

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def address():
    with gw.serve("wrist", protocol="ros2_control", clock="lockstep") as bench:
        yield [str(part) for part in bench.address]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_python(address):
    done = run(sys.executable, EXAMPLES / "ros2_component.py", *address)
    assert done.returncode == 0, done.stderr
    *_, name, value = done.stdout.split()
    # a servo gives the joint's effort limit at 0.01 rad; gravity takes a small part of it
    assert name == "pitch/position" and float(value) == approx(0.2, abs=1e-3)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    made = tmp_path_factory.mktemp("component") / "try_it"
    folder = EXAMPLES / "ros2_component"
    done = run(
        compiler,
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I",
        folder / "include",
        folder / "try_it.cpp",
        "-o",
        made,
    )
    assert done.returncode == 0, done.stderr
    return made


def test_cpp(program, address):
    done = run(program, *address, "roll/position", "-0.15")
    assert done.returncode == 0, done.stderr
    states = dict(line.split() for line in done.stdout.splitlines())
    # friction, beside the servo's stiffness
    assert float(states["roll/position"]) == approx(-0.15, abs=1e-3) and len(states) == 6


@pytest.mark.parametrize(
    ("words", "message"), [(["pich/position", "1"], "did you mean 'pitch/position'"), (["pitch/position", "nan"], "")]
)
def test_cpp_errors(program, address, words, message):
    done = run(program, *address, *words)
    assert message in done.stderr and done.returncode == bool(message)


def test_cpp_without_a_server(program):
    done = run(program, "127.0.0.1", "9", "a/position", "0")
    assert done.returncode == 1 and "cannot connect" in done.stderr


# --- the component as a whole ----------------------------------------------------------------------------------------

STUBS = Path(__file__).parent / "ros2_stubs"
HEADERS = "GEARWRIGHT_ROS2_HEADERS"  # a folder with checkouts of ros2_control: jazzy, kilted, rolling


def compiled(*arguments):
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    package = EXAMPLES / "ros2_component"
    return run(compiler, "-Wall", "-Wextra", "-I", package / "include", "-I", package / "src", *arguments)


def test_controllers_that_are_switched_leave_no_commands_behind(tmp_path):
    """Position, then velocity, then nobody: in 0.5 s of each, a stale position would hold the joint at 0.4."""
    program = tmp_path / "run_component"
    done = compiled("-std=c++17", "-Werror", "-I", STUBS, STUBS / "run_component.cpp", "-o", program)
    assert done.returncode == 0, done.stderr
    robot = EXAMPLES / "ros2_component" / "urdf" / "arm.urdf"
    with gw.serve(robot, protocol="ros2_control", clock="lockstep") as bench:
        done = run(program, *map(str, bench.address))
        claimed = {hw.claimed("shoulder") for hw in bench.requests._hardware}
    assert done.returncode == 0, done.stderr
    when = {line.split()[0]: [float(x) for x in line.split()[1:]] for line in done.stdout.splitlines()}
    assert when["position"][0] == approx(0.4, abs=0.01)
    assert when["switched"][1] == approx(0.0, abs=0.1)  # a velocity of 0, and what the servo gives way
    assert when["velocity"][1] == approx(0.2, abs=0.1) and when["velocity"][0] > when["switched"][0] + 0.05
    assert when["released"][0] < 0.0 and claimed == {None}  # it falls


def test_a_server_that_does_not_answer_is_an_error(tmp_path):
    program = tmp_path / "run_component"
    assert compiled("-std=c++17", "-I", STUBS, STUBS / "run_component.cpp", "-o", program).returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        done = run(program, "127.0.0.1", str(silent.getsockname()[1]))
    assert done.returncode == 1 and "no answer within 2.0" in done.stderr
    assert 1.5 < time.monotonic() - begun < 10.0


@pytest.mark.parametrize(("distribution", "standard"), [("jazzy", "17"), ("kilted", "17"), ("rolling", "20")])
def test_it_compiles_against_the_headers_of(distribution, standard):
    headers = Path(os.environ.get(HEADERS, "/nowhere")) / distribution / "hardware_interface" / "include"
    if not headers.is_dir():
        pytest.skip(f"no headers of {distribution} in ${HEADERS}")
    source = EXAMPLES / "ros2_component" / "src" / "simulated_system.cpp"
    ros = ("-isystem", headers, "-isystem", STUBS / "headers")
    done = compiled(f"-std=c++{standard}", "-Werror", "-fsyntax-only", *ros, source)
    assert done.returncode == 0, done.stderr[:3000]


def test_the_package_is_whole():
    """What its files name is there: for colcon, and for the launch file."""
    package = EXAMPLES / "ros2_component"
    cmake = (package / "CMakeLists.txt").read_text()
    for folder in ("include", "launch", "config", "urdf"):
        assert folder in cmake and any((package / folder).rglob("*.*"))
    launch = (package / "launch" / "simulated.launch.py").read_text()
    compile(launch, "simulated.launch.py", "exec")
    controllers = yaml.safe_load((package / "config" / "controllers.yaml").read_text())
    kinds = {n for n, v in controllers["controller_manager"]["ros__parameters"].items() if isinstance(v, dict)}
    assert kinds >= {"arm_controller", "joint_state_broadcaster", "velocity_controller"}
    assert all(f'"{name}"' in launch for name in kinds)
    robot = gw.load(package / "urdf" / "arm.urdf")
    (tag,) = robot.hardware.values()
    assert tag.plugin in (package / "gearwright_component.xml").read_text()
    assert [j.name for j in tag.joints] == controllers["arm_controller"]["ros__parameters"]["joints"]
    ElementTree.parse(package / "package.xml")
