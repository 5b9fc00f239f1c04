"""The hardware components that ROS users copy: Python as it is, C++ as far as it needs no ROS."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
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
