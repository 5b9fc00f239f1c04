"""Commands at 80 columns: words stay whole, summaries are not cut, numbers keep their units."""

from __future__ import annotations

import json
import re
import warnings
from io import StringIO
from pathlib import Path
from time import sleep

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

import gearwright as gw
from gearwright.cli import COMMANDS
from gearwright.cli.findings import print_line
from gearwright.display.phrases import Phrases
from gearwright.sim.recorder import room
from tests.cli.commands import called
from tests.tolerances import ROUNDING

WARNED = """<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="knee" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit uper="3"/></joint><actuator name="m" joint="knee"/></robot>"""


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    (tmp_path / "r.urdf").write_text(WARNED)
    return tmp_path / "r.urdf"


def test_the_help_of_80_columns_cuts_no_summary():
    listed = called("--help", COLUMNS="80").out.split("Commands:")[1].split("Bundled robots")[0]
    assert len(listed.strip().splitlines()) == len(COMMANDS)
    assert "…" not in listed and "..." not in listed


@pytest.mark.parametrize("width", [40, 80])
def test_a_diagnostic_goes_on_below_between_words(width: int):
    out = Console(file=StringIO(), width=width, color_system=None)
    words = "arm.urdf:9: warning: attribute 'uper' of <limit> is not known; did you mean 'upper'? [element-unknown]"
    print_line(out, Text(words), wrapped=True)
    lines = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in lines) and all(line.startswith("    ") for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == words and lines[0].startswith("arm.urdf:9: ")


def test_a_word_that_is_too_long_is_not_broken():
    out = Console(file=StringIO(), width=30, color_system=None)
    print_line(out, Text(f"see {'x' * 50} for more"), wrapped=True)
    assert "x" * 50 in out.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", range(24, 60, 5))
def test_numbers_keep_their_units(width: int):
    out = Console(file=StringIO(), width=width, color_system=None)
    table = Table.grid()  # where they stand
    table.add_row(Phrases("50 mN·m stall, 780 rad/s free, held to 12 mN·m, rotor 5×10⁻⁷ kg·m², 1000 Hz, 1 ms late"))
    out.print(table)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert not re.search(r"[0-9⁰-⁹] *\n", text) and "\ue000" not in text


@pytest.mark.parametrize("robot", ["gripper", "scara", "hand", "planetary"])
@pytest.mark.parametrize("command", [("show",), ("run", "--duration", "0.01")], ids=lambda c: c[0])
def test_pages_of_80_columns(robot: str, command: tuple[str, ...]):
    ran = called(command[0], robot, *command[1:], COLUMNS="80")
    assert ran.code == 0 and max(map(len, ran.out.splitlines())) <= 80


def _long_names() -> str:
    """An arm whose joints differ only at the end of long names, with a long transmission."""
    side, parent, text = "gripper_left_very_long_prefix", "base", "<link name='base'/>"
    for n in range(6):
        text += (
            f"<link name='{side}_{n}_link'/><joint name='{side}_{n}_joint' type='revolute'><parent link='{parent}'/>"
            f"<child link='{side}_{n}_link'/><limit lower='-2.23456' upper='0.00349' effort='1' velocity='1'/></joint>"
        )
        parent = f"{side}_{n}_link"
    ends = "".join(
        f"<joint name='{side}_{n}_joint'><hardwareInterface>EffortJointInterface</hardwareInterface><role>joint{n}"
        f"</role></joint><actuator name='{side}_{n}_motor'><role>actuator{n}</role>"
        f"<mechanicalReduction>2</mechanicalReduction></actuator>" for n in (1, 2)
    )  # fmt: skip
    kind = "transmission_interface/DifferentialTransmission"
    return f"<robot name='r'>{text}<transmission name='{side}_trans'><type>{kind}</type>{ends}</transmission></robot>"


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
@pytest.mark.parametrize("width", [60, 80, 120])
def test_show_tells_joints_with_long_names_apart(width: int, tmp_path: Path):
    (tmp_path / "r.urdf").write_text(_long_names())
    lines = called("show", tmp_path / "r.urdf", COLUMNS=str(width)).out.splitlines()
    rows = [line for line in lines if "↻" in line]
    assert len(rows) == len({row.split()[1] for row in rows}) == 6
    assert all("−2.235 … 0.00349 rad" in row for row in rows)
    assert max(map(len, lines)) <= width


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
@pytest.mark.parametrize("width", [60, 80, 120])
def test_show_cuts_nothing_off_a_transmission(width: int, tmp_path: Path):
    (tmp_path / "r.urdf").write_text(_long_names())
    text = called("show", tmp_path / "r.urdf", COLUMNS=str(width)).out.split("\ntransmissions\n")[1].split("\n\n")[0]
    side = "gripper_left_very_long_prefix"
    assert "…" not in text and "differential" in text
    for n in (1, 2):
        assert f"{side}_{n}_joint = " in text
        assert text.count(f"{side}_{n}_motor") == 3  # as an end, and in both formulas


COMMANDS_OF_A_FILE = {
    "check": (), "show": (), "run": ("--duration", "0.01"), "export": ("--target", "c", "--out", "{}/x"),
    "sweep": ("--vary", "rod.mass=1:2:2", "--duration", "0.01", "--metric", "knee.position:last"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*do nothing:gearwright.NotSimulatedWarning")  # the file's motor
@pytest.mark.parametrize("command", COMMANDS_OF_A_FILE)
def test_every_command_mentions_the_warnings_of_a_file(command: str, warned: Path, tmp_path: Path):
    with warnings.catch_warnings():  # the command line replaces how they are shown
        more = [text.format(tmp_path) for text in COMMANDS_OF_A_FILE[command]]
        ran = called(command, warned, *more)
    said = ran.out if command == "check" else ran.err
    assert ran.code == 0 and said.count("did you mean 'upper'") == 1


def test_strict_refuses_a_file_with_warnings(warned: Path):
    assert called("check", warned).code == 0
    ran = called("check", warned, "--strict")
    assert ran.code == 1 and "✗" in ran.out and "--strict refuses warnings" in ran.out
    assert called("check", "gripper", "--strict").code == 0


class SlowSink:
    def open(self, schema):
        sleep(0.1)

    def write(self, chunk):
        sleep(0.1)

    def close(self):
        sleep(0.1)


def test_the_speed_of_a_run_is_that_of_its_steps():
    """What start-up and files take is no part of it."""
    sim = gw.compile(gw.load("gripper"))
    sim.run(0.05, sink=SlowSink())
    assert 0 < sim.clock.pace.seconds < 0.1
    data = json.loads(called("run", "gripper", "--duration", "0.5", "--json").out)
    assert data["ns_per_robot_step"] == pytest.approx(1e9 * data["stepping_s"] / 500, rel=ROUNDING)
    assert data["real_time_factor"] == pytest.approx(0.5 / data["stepping_s"], rel=ROUNDING)
    assert data["stepping_s"] < data["wall_s"]


@pytest.mark.parametrize("ending", ["mcap", "parquet", "npz", "csv"])
def test_a_run_is_written_while_it_goes_on(ending: str, tmp_path: Path):
    file, picture = tmp_path / f"run.{ending}", tmp_path / "run.svg"
    ran = called("run", "gripper", "--command", "motor=0.01", "--duration", "0.05", "--out", file, "--plot", picture)
    assert ran.code == 0 and picture.read_text().startswith("<?xml")
    sim = gw.compile(gw.load("gripper"))
    expected = sim.run(0.05, command={"motor": 0.01})
    assert (gw.Recording.open(file).position["left_finger"] == expected.position["left_finger"]).all()


def test_a_shell_completes_bundled_robots():
    ran = called(COMP_WORDS="gearwright show gri", COMP_CWORD="2", _GEARWRIGHT_COMPLETE="complete_bash")
    assert ran.out.split() == ["gripper"]
    assert (
        "complete -o default -F _gearwright_completion gearwright"
        in called("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").out
    )  # whatever shell the tests run in


def test_a_file_without_room_is_reported_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(room, "_free", lambda path: 10)
    ran = called("run", "gripper", "--duration", "0.01", "--out", tmp_path / "run.csv")
    assert ran.code == 0 and "are free on its disk" in ran.err and "on its disk" not in ran.out
