"""Finished recordings stay what they are: journals of killed runs, saves that fail, and runs that never begin."""

import os
import subprocess
import sys

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim.recordings.journal import JournalWriter, journal_of
from tests.cli.commands import CHECKOUT
from tests.sim.robots import GRIPPER

WHOLE = ("npz", "parquet")  # formats that are written in one piece, with a journal until then
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals of POSIX")


def recording(command, duration=0.02):
    return gw.compile(gw.load(GRIPPER)).run(duration, command={"motor": command})


def leave_journal(path, rows):
    """What a run leaves that was killed: its rows, and no file."""
    writer = JournalWriter(path)
    writer.open(rows.schema)
    for chunk in rows.chunks:
        writer.write(chunk)
    writer.close()
    return journal_of(path)


def same(a, b):
    return np.array_equal(a.position["left_finger"], b.position["left_finger"])


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("ending", WHOLE)
def test_a_recording_that_is_saved_takes_the_place_of_a_killed_run(tmp_path, ending):
    path, killed, saved = tmp_path / f"run.{ending}", recording(0.01), recording(0.02, 0.03)
    leave_journal(path, killed)
    with pytest.warns(gw.RecordingWarning, match="has not ended"):
        assert same(gw.Recording.open(path), killed)
    saved.save(path)
    assert names(tmp_path) == [path.name]
    assert same(gw.Recording.open(path), saved)


@pytest.mark.parametrize("ending", WHOLE)
def test_the_newer_of_a_file_and_its_journal_is_read(tmp_path, ending):
    path, old, new = tmp_path / f"run.{ending}", recording(0.01), recording(0.02)
    old.save(path)
    journal = leave_journal(path, new)
    os.utime(path, ns=(10**18, 10**18))
    with pytest.warns(gw.RecordingWarning, match="has not ended"):
        assert same(gw.Recording.open(path), new)
    os.utime(journal, ns=(10**18 - 1, 10**18 - 1))  # left behind, and its file was copied here later
    assert same(gw.Recording.open(path), old)


@pytest.mark.parametrize("content", [b"", b"gearwright journal 1\n", b"something else"])
def test_a_file_is_read_where_its_journal_holds_nothing(tmp_path, content):
    path, old = tmp_path / "run.npz", recording(0.01)
    old.save(path)
    os.utime(path, ns=(10**18, 10**18))
    journal_of(path).write_bytes(content)
    with pytest.warns(gw.RecordingWarning, match="previous content of"):
        assert same(gw.Recording.open(path), old)


def test_a_file_of_another_origin_beside_a_recording_stays(tmp_path):
    journal_of(tmp_path / "run.npz").write_text("my notes")
    recording(0.01).save(tmp_path / "run.npz")
    assert journal_of(tmp_path / "run.npz").read_text() == "my notes"


def test_a_journal_that_is_damaged_inside_says_so(tmp_path):
    path = tmp_path / "run.npz"
    rows = recording(0.01)
    writer = JournalWriter(path)
    writer.open(rows.schema)
    for _ in range(3):
        writer.write(rows.chunks[-1])
    writer.close()
    content = bytearray(journal_of(path).read_bytes())
    content[len(content) // 2] ^= 1
    journal_of(path).write_bytes(content)
    with pytest.warns(gw.RecordingWarning, match="what follows them is damaged"):
        assert len(gw.Recording.open(path)) == rows.chunks[-1].rows


def test_a_run_ends_well_although_somebody_removed_its_journal(tmp_path):
    path = tmp_path / "run.npz"
    sim = gw.compile(gw.load(GRIPPER))
    sim.clock.listen(lambda clock: journal_of(path).unlink(missing_ok=True), every=10)
    sim.run(0.05, command={"motor": 0.01}, sink=path)
    assert names(tmp_path) == ["run.npz"] and same(gw.Recording.open(path), recording(0.01, 0.05))


LIMITED = """
import resource, sys, warnings
import gearwright as gw
warnings.simplefilter("ignore")
path, limit = sys.argv[1], int(sys.argv[2])
sim = gw.compile("gripper")
rec = sim.run(0.5)
sys.dont_write_bytecode = True  # the limit would cut off compiled modules, which other processes import
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, -1))
try:
    rec.save(path)
except OSError as error:
    print(error.filename)
"""


@POSIX
@pytest.mark.parametrize("limit", [100, 20_000, 75_000])
@pytest.mark.parametrize("ending", ["npz", "parquet", "csv", "mcap"])
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, ending, limit):
    path = tmp_path / f"run.{ending}"
    recording(0.01).save(path)
    before = path.read_bytes()
    command = [sys.executable, "-c", LIMITED, str(path), str(limit)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    written = path.read_bytes() != before
    assert done.stdout.split() == ([] if written else [str(path)]), done.stderr
    assert names(tmp_path) == [path.name] and (limit > 70_000 or not written)
    gw.Recording.open(path)


@pytest.mark.parametrize("ending", ["npz", "csv", "mcap"])
def test_what_is_wrong_with_a_run_is_said_before_its_file_is_opened(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    recording(0.01).save(path)
    before, sim = path.read_bytes(), gw.compile(gw.load(GRIPPER))
    wrong = (
        {"every": 0}, {"bands": "many"}, {"command": {"nobody": 1.0}}, {"effort": {"palm": "x"}},
        {"record": ("nothing",)}, {"wrench": {"nothing": 1}}, {"controller": 3},
        {"controller": lambda sim: {}, "control_period": 1.5e-3},
    )  # fmt: skip
    for options in wrong:
        with pytest.raises(gw.GearwrightError):
            sim.run(0.01, sink=path, **options)
    with pytest.raises(gw.GearwrightError):
        sim.run("long", sink=path)
    assert path.read_bytes() == before and names(tmp_path) == [path.name]


def after(calls):
    """A controller that fails after so many calls."""
    count = iter(range(calls))

    def controller(sim):
        if next(count, None) is None:
            raise ZeroDivisionError
        return {}

    return controller


@pytest.mark.parametrize("ending", ["npz", "csv", "mcap", "parquet"])
@pytest.mark.parametrize("bands", [None, (0.5,)])
def test_a_controller_that_fails_at_its_first_call_leaves_the_old_file(tmp_path, ending, bands):
    path = tmp_path / f"run.{ending}"
    recording(0.01).save(path)
    before, sim = path.read_bytes(), gw.compile(gw.load(GRIPPER), batch=2)
    with pytest.raises(ZeroDivisionError):
        sim.run(0.01, controller=after(0), sink=path, bands=bands)
    assert path.read_bytes() == before and names(tmp_path) == [path.name]
    with pytest.raises(ZeroDivisionError):
        sim.run(1.0, controller=after(400), sink=path, bands=bands)
    assert 200 < len(gw.Recording.open(path)) <= 401  # rows wait for a quarter of a second at most
    sim.run(0.0, sink=path, bands=bands)
    assert len(gw.Recording.open(path)) == 1


# --- the robot's file in a recording ---------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder that bears its user's name."""
    folder = tmp_path / "homes" / "alice"
    (folder / "models").mkdir(parents=True)
    (folder / "models" / "arm.sdf").write_text(GRIPPER.read_text())
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.mark.parametrize("ending", ["mcap", "npz", "parquet", "csv"])
@pytest.mark.parametrize("place", ["homes/alice/run", "homes/alice/project/runs/run", "elsewhere/run"])
def test_a_recording_does_not_tell_the_folders_of_who_made_it(tmp_path, home, ending, place):
    path = tmp_path / f"{place}.{ending}"
    sim = gw.compile(gw.load(home / "models" / "arm.sdf"))
    rows = sim.run(0.002)
    rows.save(path)
    live = path.with_name(f"live.{ending}")
    sim.run(0.002, sink=live)
    for file in (path, live):
        content = file.read_bytes()
        for word in ("alice", tmp_path.name):
            assert word.encode() not in content and word.encode("utf-32-le") not in content
        if ending != "csv":
            assert gw.Recording.open(file).schema.file == str(home / "models" / "arm.sdf")  # and yet it is found
    gw.Recording.open(path).save(path.parent / "moved" / path.name)
    assert (path.parent / "moved" / path.name).stat().st_size
    if ending != "csv":
        assert gw.Recording.open(path.parent / "moved" / path.name).schema.file == str(home / "models" / "arm.sdf")


def test_a_robot_that_lies_elsewhere_is_found_beside_the_recording(tmp_path, home):
    model, path = tmp_path / "robots" / "mine.sdf", home / "run.npz"
    model.parent.mkdir()
    model.write_text(GRIPPER.read_text())
    gw.compile(gw.load(model)).run(0.002).save(path)
    assert "robots".encode("utf-32-le") not in path.read_bytes()
    assert gw.Recording.open(path).schema.file == "mine.sdf"
    (home / "mine.sdf").write_text(GRIPPER.read_text())
    assert gw.Recording.open(path).schema.file == str(home / "mine.sdf")
