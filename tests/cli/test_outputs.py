"""Files that commands write: their folders are made, nothing is touched before all is checked, and a full disk
leaves what was there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.cli.outputs import check_writable
from gearwright.errors import GearwrightError
from tests.cli.commands import CHECKOUT, called, gearwright

SHORT = ("--duration", "0.01")
VARIED = ("--vary", "palm.mass=0.9:1.1:2", "--metric", "energy:last")
COMMANDS = {
    "run --out": ("run", "gripper", *SHORT, "--out", "run.npz"),
    "run --plot": ("run", "gripper", *SHORT, "--plot", "run.svg"),
    "run --plot html": ("run", "gripper", *SHORT, "--plot", "run.html"),
    "run --report": ("run", "gripper", *SHORT, "--report", "run.html"),
    "show --svg": ("show", "gripper", "--svg", "graph.svg"),
    "sweep --out": ("sweep", "gripper", *SHORT, *VARIED, "--out", "table.csv"),
    "sweep --plot": ("sweep", "gripper", *SHORT, *VARIED, "--plot", "table.svg"),
    "export c": ("export", "gripper", "--target", "c", "--out", "gripper"),
    "export cuda": ("export", "gripper", "--target", "cuda", "--out", "gripper"),
}
SHEETS = {
    "serve --eds": ("serve", "gripper", "--protocol", "cia402", "--eds", "node.eds"),
    "serve --dbc": ("serve", "gripper", "--protocol", "odrive", "--dbc", "bus.dbc"),
}
OLD_EDS = "[DeviceInfo]\nVendorName=Gearwright\n"  # one that we have written may be written again
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits and devices of POSIX")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_folder_is_made(name: str, tmp_path: Path) -> None:
    *words, file = COMMANDS[name]
    target = tmp_path / "made" / "for it" / file
    ran = called(*words, target)
    assert ran.code == 0, ran.err
    assert [p for p in target.parent.iterdir() if p.stem == target.stem]


def test_a_recording_and_a_plot_make_their_folders_as_commands_do(tmp_path: Path) -> None:
    recording = gw.compile("gripper").run(0.002)
    recording.save(tmp_path / "a" / "run.csv")
    recording.plot(tmp_path / "b" / "run.svg")
    gw.compile("gripper").run(0.002, sink=tmp_path / "c" / "run.mcap")
    assert all((tmp_path / folder).is_dir() for folder in "abc")


def test_a_file_that_cannot_be_written_is_reported_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for file in (tmp_path / "file" / "x.csv", f"{tmp_path}/\0/x.csv", tmp_path):
        with pytest.raises(GearwrightError, match="cannot write"):
            check_writable(None, str(file))
    check_writable(str(tmp_path / "new" / "deeper" / "x.csv"))
    assert not (tmp_path / "new").exists()


# --- a full disk -----------------------------------------------------------------------------------------------------

# a file of more than 200 bytes fails as it does on a full disk, with another number
FULL = """
import resource, sys
sys.dont_write_bytecode = True  # the limit would cut off compiled modules, which other processes import
resource.setrlimit(resource.RLIMIT_FSIZE, (200, -1))
sys.argv = ["gearwright", *sys.argv[1:]]
from gearwright.cli import main
main()
"""


@POSIX
@pytest.mark.parametrize("name", [*COMMANDS, *SHEETS])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(name: str, tmp_path: Path) -> None:
    *words, file = (COMMANDS | SHEETS)[name]
    if name == "sweep --out":
        words.insert(1, "--overwrite")
    endings = {"export c": (".c", ".h", "_test.c"), "export cuda": (".cu",)}.get(name, ("",))
    old = [tmp_path / f"{file}{ending}" for ending in endings]
    for path in old:
        path.write_text(OLD_EDS if name == "serve --eds" else "old")
    before = [path.read_text() for path in old]
    done = subprocess.run(
        [sys.executable, "-c", FULL, *words, str(tmp_path / file)], capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "PYTHONPATH": str(CHECKOUT / "src")},
    )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert file in done.stderr and "File too large" in done.stderr, done.stderr
    assert "None" not in done.stderr
    assert [path.read_text() for path in old] == before
    left = {p.name for p in tmp_path.iterdir()} - {p.name for p in old}
    assert left <= {"table.csv.parts"}  # where the same command goes on


@POSIX
@pytest.mark.parametrize("ending", ["csv", "mcap", "npz", "parquet"])
def test_a_device_that_is_full_is_named(ending: str, tmp_path: Path) -> None:
    device = tmp_path / f"full.{ending}"
    device.symlink_to("/dev/full")
    if ending == "parquet":
        pytest.importorskip("polars")
    ran = gearwright("run", "gripper", *SHORT, "--out", device)
    assert ran.code == 1 and f"cannot write {device}: No space left" in ran.err, ran.err


@POSIX
@pytest.mark.parametrize("words", [("show", "gripper"), ("show", "gripper", "--json"), ("run", "gripper", *SHORT)])
def test_a_full_disk_behind_standard_output(words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gearwright", *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
            check=False, env={**os.environ, "PYTHONPATH": str(CHECKOUT / "src")},
        )  # fmt: skip
    assert done.returncode == 1 and "cannot write the output: No space left on device" in done.stderr, done.stderr
    assert "should not happen" not in done.stderr


# --- nothing before all is checked -----------------------------------------------------------------------------------

WRONG = {  # exit status and words
    "--every": (2, "run", "--every", "0", "--out"),
    "--every and --view": (2, "run", "--view", "--every", "0", "--out"),
    "--dt": (2, "run", "--dt", "-1", "--out"),
    "--set": (2, "run", "--set", "nothing=1", "--out"),
    "--fault": (2, "serve", "--protocol", "cia402", "--fault", "nothing", "--record"),
    "--fault at": (2, "serve", "--protocol", "cia402", "--fault", "encoder-freeze@nobody", "--record"),
    "--dbc": (2, "serve", "--protocol", "feetech", "--dbc", "none.dbc", "--record"),
    "--tcp": (1, "serve", "--protocol", "cia402", "--tcp", "nowhere", "--record"),
}


@pytest.mark.parametrize("ending", ["csv", "mcap", "npz"])
@pytest.mark.parametrize("name", WRONG)
def test_a_mistyped_option_leaves_a_recording_as_it_is(name: str, ending: str, tmp_path: Path) -> None:
    code, command, *words = WRONG[name]
    old = tmp_path / "new folder" / f"old.{ending}"
    gw.compile("gripper").run(0.005).save(old)
    before = old.read_bytes()
    ran = called(command, "gripper", *words, old)
    assert ran.code == code and ran.err
    assert old.read_bytes() == before and [p.name for p in old.parent.iterdir()] == [old.name]
    ran = called(command, "gripper", *words, tmp_path / "another" / f"run.{ending}")
    assert ran.code == code and not (tmp_path / "another").exists()  # nor is a folder made


def test_export_asks_before_it_writes_over_a_file_that_the_model_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for target, file in (("c", "gripper_test.c"), ("c", "gripper.h"), ("cuda", "gripper.cu")):
        (tmp_path / file).write_text("mine")
        ran = called("export", "gripper", "--target", target)
        assert ran.code == 1 and f"{file} exists" in ran.err and "--out gripper" in ran.err
        assert (tmp_path / file).read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
        assert called("export", "gripper", "--target", target, "--out", "gripper").code == 0  # the user's own word
        assert (tmp_path / file).read_text() != "mine"
        for written in tmp_path.iterdir():
            written.unlink()
