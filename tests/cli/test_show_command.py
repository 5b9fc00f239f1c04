from __future__ import annotations

import json
import subprocess
import sys
from math import pi
from pathlib import Path

import pytest
from lxml import etree

from gearwright import robots
from tests.cli import hostile
from tests.cli.commands import called, gearwright
from tests.tolerances import ROUNDING

GRIPPER = robots.path("gripper")


@pytest.mark.parametrize("name", robots.names())
def test_every_bundled_robot_is_shown_and_drawn(name: str, tmp_path: Path):
    shown = called("show", robots.path(name))
    assert shown.code == 0
    assert shown.out.startswith(name)
    drawing = tmp_path / "graph.svg"
    assert called("show", robots.path(name), "--svg", drawing).code == 0
    assert etree.parse(drawing).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_gripper_at_a_glance():
    out = gearwright("show", GRIPPER).out
    for expected in (
        "left_finger = 1·right_finger + 0",  # the coupling
        "motor ⇄ right_finger  2 mm/rev",  # the transmission
        "0 … 40 mm",  # the range
        "+4.935 kg",  # the rotor, seen at the finger
        "50 mN·m stall, 780 rad/s free",  # the motor
        "4096 counts",  # the encoder
        "1 degree of freedom, 860 g",
    ):
        assert expected in out


def test_hardware_interfaces_and_the_differential():
    out = called("show", robots.path("wrist")).out
    assert "roll = left_motor/80 − right_motor/80" in out
    assert "±1.571 rad (±90°)" in out
    assert "mock_components/GenericSystem" in out
    assert "← position, effort" in out


def test_a_loop_is_shown_where_it_is_cut():
    out = called("show", robots.path("four_bar")).out
    assert "↩ rocker" in out
    assert "pin_c  cut here; ties coupler to rocker" in out


def test_a_narrow_terminal_keeps_the_lines_short_and_says_what_it_left_out():
    out = called("show", GRIPPER, COLUMNS="60").out
    assert max(map(len, out.splitlines())) <= 60
    assert "not shown in 60 columns: " in out


def test_json_is_the_mechanism():
    data = json.loads(called("show", GRIPPER, "--json").out)
    assert set(data) == {
        "schema", "name", "base", "dof", "mass", "links", "joints", "couplings", "transmissions", "actuators",
        "actuation", "sensors", "hardware", "parameters",
    }  # fmt: skip
    assert data["schema"] == 1
    joints = {j["name"]: j for j in data["joints"]}
    axis = joints["right_finger"]["axes"][0]
    assert (axis["lower"], axis["upper"]) == (0.0, 0.04)
    assert axis["reflected_inertia"] == pytest.approx(pi**2 / 2, rel=ROUNDING)
    assert data["couplings"][0]["formula"] == "left_finger = 1·right_finger + 0"
    assert data["transmissions"][0]["joint_per_actuator"] == [[pytest.approx(0.002 / 6.283185307179586, rel=ROUNDING)]]


def test_a_file_with_errors_is_told_on_the_error_stream(tmp_path: Path):
    ran = gearwright("show", hostile.write_broken(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert "[link-not-found]" in ran.err
    assert "\u009b" not in ran.err


def test_a_drawing_that_cannot_be_written_is_an_error_in_words(tmp_path: Path):
    (tmp_path / "file").write_text("")
    ran = called("show", GRIPPER, "--svg", tmp_path / "file" / "folder.svg")
    assert ran.code == 1
    assert "cannot write" in ran.err


def test_hostile_names_in_the_terminal(tmp_path: Path):
    ran = gearwright("show", hostile.write(tmp_path), FORCE_COLOR="1", TERM="xterm-256color", COLUMNS="250")
    assert ran.code == 0
    assert hostile.MARKUP in ran.out
    assert ":warning:" in ran.out  # not an emoji
    assert "\u202e" not in ran.out
    assert "\u009b" not in ran.out
    assert "\\u202e" in ran.out


def test_hostile_names_in_the_drawing(tmp_path: Path):
    drawing = tmp_path / "graph.svg"
    assert called("show", hostile.write(tmp_path), "--svg", drawing).code == 0
    root = etree.parse(drawing).getroot()
    assert {etree.QName(e).localname for e in root.iter()} == {
        "svg",
        "title",
        "style",
        "rect",
        "text",
        "g",
        "path",
        "circle",
    }
    texts = ["".join(e.itertext()) for e in root.iter("{*}text")]
    assert hostile.MARKUP in texts
    assert any(t.startswith("</text><script>") for t in texts)
    assert not any("\u202e" in t or "\u009b" in t for t in root.itertext())


def test_all_lists_what_is_folded_away(tmp_path: Path):
    links = "".join(f"<link name='part{i}'/>" for i in range(30))
    welds = "".join(
        f"<joint name='weld{i}' type='fixed'><parent link='part0'/><child link='part{i}'/></joint>"
        for i in range(1, 30)
    )
    file = tmp_path / "many.urdf"
    file.write_text(f"<robot name='many'>{links}{welds}</robot>")
    folded, listed = (called("show", file, *more).out for more in ([], ["--all"]))
    assert "+29" in folded
    assert "weld7" not in folded
    assert "weld7" in listed


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path):
    command = f"{sys.executable} -m gearwright show {GRIPPER} | true"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
    )
    assert done.stderr == ""
