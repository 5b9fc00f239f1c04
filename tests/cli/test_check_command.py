from __future__ import annotations

import json
from pathlib import Path

import pytest

from gearwright import robots
from tests.cli import hostile
from tests.cli.commands import called, gearwright
from tests.tolerances import ROUNDING

GOOD = robots.path("gripper")
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ROBOT = "<robot name='r'>\n<link name='a'/>\n{}</robot>"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.urdf"
    joint = "<joint name='j' type='fixed'><parent link='a'/><child link='nowhere'/></joint>"
    file.write_text(ROBOT.format(joint))
    return file


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    file = tmp_path / "warned.urdf"
    file.write_text(ROBOT.format("<wobble/>"))
    return file


def test_a_clean_file_ends_with_0_and_a_line_that_says_what_loaded():
    ran = gearwright("check", GOOD)
    assert ran.code == 0
    parts = "3 links, 3 joints, 1 coupling, 1 transmission, 1 actuator, 1 sensor, 1 degree of freedom"
    assert ran.out == f"✓ {GOOD}: gripper, {parts}\n"


def test_warnings_alone_end_with_0(warned: Path):
    ran = called("check", warned)
    assert ran.code == 0
    assert f"{warned}:3: warning: " in ran.out
    assert "[element-unknown]" in ran.out
    assert "(1 warning)" in ran.out


def test_errors_end_with_1_and_name_the_line(bad: Path):
    ran = called("check", bad)
    assert ran.code == 1
    assert f"{bad}:3: error: " in ran.out
    assert "[link-not-found]" in ran.out
    assert f"✗ {bad}: not loaded, " in ran.out


def test_one_bad_file_among_several_does_not_stop_the_others(bad: Path):
    ran = gearwright("check", bad, "does-not-exist.sdf", GOOD)
    assert ran.code == 1
    assert "does-not-exist.sdf: error: 'does-not-exist.sdf' does not exist [file-unreadable]" in ran.out
    assert f"✓ {GOOD}" in ran.out


@pytest.mark.parametrize(
    "arguments", [["check"], ["check", "--nonsense", "x"], ["check", "--base", "wobbly", "x"], ["chekc"]]
)
def test_a_wrong_command_ends_with_2(arguments: list[str]):
    assert called(*arguments).code == 2


def test_quiet_leaves_out_infos_and_what_loaded():
    loop = robots.path("four_bar")
    assert "info: " in called("check", loop).out
    assert called("check", "--quiet", loop).out == ""


def test_json_has_the_documented_keys(bad: Path, warned: Path):
    ran = called("check", "--json", GOOD, bad, warned)
    assert ran.code == 1
    good, failed, loaded = json.loads(ran.out)
    for entry in (good, failed, loaded):
        assert set(entry) == {"file", "ok", "counts", "diagnostics", "summary"}
        assert set(entry["counts"]) == {"error", "warning", "info"}
        for d in entry["diagnostics"]:
            assert set(d) == {"severity", "code", "message", "file", "line", "element"}
    assert good["file"] == str(GOOD)
    assert (good["ok"], failed["ok"], loaded["ok"]) == (True, False, True)
    summary = {
        "name": "gripper", "links": 3, "joints": 3, "couplings": 1, "transmissions": 1, "actuators": 1, "sensors": 1,
        "hardware": 0, "loops": 0, "dof": 1, "mass": pytest.approx(0.86, rel=ROUNDING), "base": "fixed",
    }  # fmt: skip
    assert good["summary"] == summary
    assert failed["summary"] is None
    assert failed["counts"]["error"] == 1
    assert failed["diagnostics"][0]["line"] == 3
    assert loaded["counts"] == {"error": 0, "warning": 1, "info": 0}


def test_the_help_names_every_key_of_the_json():
    words = called("check", "--help").out
    [entry] = json.loads(called("check", "--json", GOOD).out)
    for key in (*entry, *entry["summary"], *entry["counts"]):
        assert key in words


def test_no_colour_in_a_pipe_and_none_with_no_color(bad: Path):
    assert "\x1b" not in gearwright("check", bad).out
    coloured = called("check", bad, FORCE_COLOR="1", TERM="xterm-256color").out
    assert "\x1b[1;31merror: " in coloured
    plain = called("check", bad, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color").out
    assert "[1;31m" not in plain
    assert "31m" not in plain


def test_a_narrow_terminal_does_not_break_a_diagnostic_into_lines(bad: Path):
    wide, narrow = (called("check", bad, COLUMNS=c).out for c in ("200", "20"))
    assert narrow == wide


def test_hostile_text_is_printed_as_it_is_but_steers_nothing(tmp_path: Path):
    ran = gearwright("check", hostile.write_broken(tmp_path))
    assert ran.code == 1
    assert hostile.MARKUP in ran.out
    assert "\u009b" not in ran.out
    assert "\\x9b2J" in ran.out


def test_the_options_reach_the_loader(tmp_path: Path):
    world = tmp_path / "world.sdf"
    link = "<link name='l'><inertial><mass>1</mass></inertial></link>"
    models = "".join(f"<model name='{n}'>{link}</model>" for n in "ab")
    world.write_text(f"<sdf version='1.9'><world name='w'>{models}</world></sdf>")
    assert "2 links, 0 joints, 12 degrees of freedom, floating base" in called("check", world).out  # both of them
    [entry] = json.loads(called("check", "--json", world, "--model", "b", "--base", "fixed").out)
    assert (entry["summary"]["name"], entry["summary"]["dof"], entry["summary"]["base"]) == ("b", 0, "fixed")
    [entry] = json.loads(called("check", "--json", world, "--model", "b").out)
    assert (entry["summary"]["dof"], entry["summary"]["base"]) == (6, "floating")
    [entry] = json.loads(called("check", "--json", robots.path("four_bar"), "--cut", "pin_b").out)
    assert ["pin_b" in d["message"] for d in entry["diagnostics"]] == [True]


def test_plugins_run_only_where_they_are_allowed(tmp_path: Path):
    ran_marker = tmp_path / "ran"
    (tmp_path / "own.py").write_text(f"open({str(ran_marker)!r}, 'w')\ndef position(q): return q\n")
    file = tmp_path / "custom.sdf"
    link = "<link name='l'><inertial><mass>1</mass></inertial></link>"
    file.write_text(
        f"<sdf version='1.9'><model name='m'>{link}"
        "<joint name='j' type='revolute'><parent>world</parent><child>l</child><axis><xyz>0 0 1</xyz></axis></joint>"
        "<actuator name='a' type='electric_motor'/>"
        "<transmission name='t' type='custom_functions'><actuator>a</actuator><joint>j</joint>"
        "<mapping_plugin name='own' filename='own.py'/></transmission></model></sdf>"
    )
    refused = called("check", file)
    assert refused.code == 1
    assert "[plugin-untrusted]" in refused.out
    assert not ran_marker.exists()
    assert called("check", file, "--plugins", tmp_path).code == 0
    assert ran_marker.exists()
    assert called("check", file, "--plugins", "trust").code == 0


def test_what_cannot_be_simulated_is_reported_and_loads(tmp_path: Path) -> None:
    """Exit code 1 is for what `load` refuses; `run` gives the same line as an error."""
    file = tmp_path / "rotor.urdf"
    rotor = "<actuator name='m'><joint>j</joint><rotor>body</rotor></actuator>"
    joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint>"
    file.write_text(ROBOT.format(f"<link name='b'>{INERTIAL}</link>\n{joint}\n{rotor}"))
    checked = called("check", file)
    assert checked.code == 0
    assert f"{file}:5: warning: actuator 'm': a rotor that is a body needs <rotor_inertia>" in checked.out
    assert "`compile` refuses it) [not-simulable]" in checked.out
    assert called("show", file).code == 0
    ran = called("run", file)
    assert ran.code == 1 and f"{file}:5: error: actuator 'm': a rotor that is a body" in ran.err


def test_a_linkage_that_does_not_reach_its_start_is_reported(tmp_path: Path) -> None:
    from tests.sim.test_diverging import LINKAGE

    file = tmp_path / "linkage.sdf"
    file.write_text(LINKAGE.format(ground=1, coupler=1))
    checked = called("check", file)
    assert checked.code == 0
    assert f"{file}:4: warning: transmission 't': at the start, the linkage does not reach" in checked.out


@pytest.mark.parametrize("command", [("check",), ("show",), ("run", "--duration", "0.01")], ids=lambda c: c[0])
def test_strict_refuses_what_would_be_left_out(command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(
        f'<robot name="r"><link name="a"/><link name="b">{INERTIAL}</link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
        '<actuator name="m"/><transmission name="t" type="simple"><actuator>m</actuator><joint>k</joint>'
        "</transmission></robot>"
    )
    assert called(command[0], file, *command[1:]).code == 0
    refused = called(command[0], file, *command[1:], "--strict")
    assert refused.code == 1 and "transmission-joint-not-found" in refused.out + refused.err
