"""Mistakes of a first day: the message names the option, the unit or the command that is meant."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import gearwright as gw
from tests.cli.commands import called
from tests.sim.robots import GRIPPER


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("--command left_finger=6", "left_finger is a joint: write --effort left_finger=6"),
        ("--effort motor=0.5", "motor is an actuator: write --command motor=0.5"),
        ("--set left_finger=45deg", "angles are in radians, without a unit: --set left_finger=0.785398"),
        ("--command motor=6V", "leave out the unit 'V'"),
        ("--command motor=1e-3 N·m", "leave out the unit 'N·m'"),
        ("--command motor", "write NAME=VALUE, e.g. --command motor=0.3"),
        ("--command motor=", "write NAME=VALUE, e.g. --command motor=0.3"),
        ("--command 0.3", "write NAME=VALUE, e.g. --command actuator=0.3"),
        ("--set left_finger", "write NAME=VALUE, e.g. --set left_finger=0.3"),
        ("--effort 3", "write NAME=VALUE, e.g. --effort joint=0.3"),
        ("--time 3", "--duration"),
        ("--output x.csv", "--out"),
    ],
)
def test_options_of_run(given: str, message: str) -> None:
    option, _, value = given.partition(" ")
    done = called("run", "gripper", option, value)
    assert done.code == 2 and message in done.err, done.err


@pytest.mark.parametrize("given", ["nan", "inf", "-1"])
@pytest.mark.parametrize(
    "command",
    [
        ("run", "gripper", "--duration"),
        ("run", "gripper", "--out", "x.csv", "--duration"),
        ("run", "gripper", "--view", "--duration"),
        ("sweep", "gripper", "--vary", "palm.mass=1:2:2", "--metric", "energy:last", "--duration"),
        ("run", "gripper", "--dt"),
        ("view", "gripper", "--dt"),
        ("export", "gripper", "--target", "c", "--dt"),
        ("serve", "canopen_arm", "--dt"),
    ],
    ids=" ".join,
)
def test_times_that_are_none(command: tuple[str, ...], given: str) -> None:
    done = called(*command, given)
    assert done.code == 2 and command[-1] in done.err and given in done.err, done.err


@pytest.mark.parametrize("given", ["nan", "inf", "-1"])
@pytest.mark.parametrize("option", ["--cycle", "--factor", "--supply-resistance"])
def test_numbers_of_serve_that_are_none(option: str, given: str) -> None:
    done = called("serve", "canopen_arm", option, given)
    assert done.code == 1 and f"not {given}" in done.err, done.err


def test_a_duration_beyond_the_clock() -> None:
    done = called("run", "gripper", "--duration", "1e308")  # more steps than a float can count
    assert done.code == 2 and "the clock counts" in done.err, done.err


def test_a_bus_without_speed() -> None:
    done = called("serve", "canopen_arm", "--bitrate", "0")
    assert done.code == 1 and "bitrate must be positive" in done.err, done.err


def test_a_recording_is_no_robot(tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_bytes(b"\x89MCAP0\r\n")
    done = called("run", tmp_path / "run.mcap")
    assert done.code == 1 and "is a recording: `gearwright view" in done.err, done.err


def test_a_robot_is_no_saved_simulation(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text('<?xml version="1.0"?><robot name="a"><link name="b"/></robot>')
    with pytest.raises(gw.LoadError, match=r"not a saved simulation.*did you mean gearwright.load") as caught:
        gw.open(file, trust=True)
    assert "damaged" not in str(caught.value)


def test_a_saved_simulation_is_no_robot(tmp_path: Path) -> None:
    (tmp_path / "arm.gw").write_bytes(b"gearwright simulation 1\n")
    with pytest.raises(gw.LoadError, match=r"is a saved simulation: gearwright\.open"):
        gw.load(tmp_path / "arm.gw")


def test_arguments_of_another_kind() -> None:
    with pytest.raises(gw.ModelError, match="not None"):
        gw.load(None)  # type: ignore[arg-type]
    with pytest.raises(gw.ModelError, match=r"given by joint, as \{'\w+': 0.1\}, not \[0.1\]"):
        gw.load(GRIPPER).forward_kinematics([0.1])  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [("--protocol", "canopn"), ("--clock", "slow"), ("--adapter", "slcn")])
def test_serve_exits_with_2_for_a_wrong_command(wrong: tuple[str, str]) -> None:
    done = called("serve", "canopen_arm", *wrong)
    assert done.code == 2 and wrong[1] in done.err, done.err


def test_export_prints_a_command_that_works_where_one_stands(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new dir").mkdir()
    done = called("export", GRIPPER, "--target", "c", "--out", "new dir/arm")
    assert done.code == 0 and "new dir/arm_test.c" in done.out, done.err
    command = done.out.partition("test it: ")[2].strip().partition(" -lm")[0].replace("-O2", "-fsyntax-only")
    subprocess.run(command, shell=True, check=True, timeout=60)
