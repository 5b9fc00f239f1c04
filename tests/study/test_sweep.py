"""Sweeps: designs, metrics, tables, and going on after an interruption."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.study.designs import designs
from gearwright.study.figures import pareto_front
from gearwright.study.metrics import split
from tests.cli.commands import called
from tests.sim.robots import ARM, GRIPPER
from tests.sim.test_dead_points import crank

polars = pytest.importorskip("polars")

VARY = {"motor.stall_torque": (0.005, 0.05, 4), "right_finger_link.mass": (0.05, 3.0, 3)}
METRICS = {"end": "right_finger.position:last", "peak": "motor.torque:max"}
RUN = {"duration": 0.03, "command": {"motor": 0.5}}


@pytest.fixture(scope="module")
def gripper() -> gw.Mechanism:
    return gw.load(GRIPPER, base="fixed")


@pytest.fixture(scope="module")
def table(gripper):
    return gw.sweep(gripper, VARY, METRICS, **RUN)


def test_a_row_is_what_a_simulation_of_that_design_gives(gripper, table) -> None:
    assert table.columns == [*VARY, *METRICS] and len(table) == 12
    sim = gw.compile(gripper, parameters=list(VARY))
    for row in table.rows(named=True)[::5]:
        sim.set_parameters({name: row[name] for name in VARY})
        sim.reset()
        rec = sim.run(**RUN)
        assert row["end"] == rec.position["right_finger"][-1]  # same bits for every batch size
        assert row["peak"] == rec.actuator["motor"].torque.max()


@pytest.mark.parametrize("how", ["last", "max", "min", "mean", "rms", "range"])
def test_reductions_equal_functions(gripper, how: str) -> None:
    own = {
        "last": lambda x: x[-1], "max": lambda x: x.max(axis=0), "min": lambda x: x.min(axis=0),
        "mean": lambda x: x.mean(axis=0), "rms": lambda x: np.sqrt((x**2).mean(axis=0)),
        "range": lambda x: np.ptp(x, axis=0),
    }[how]  # fmt: skip
    found = gw.sweep(
        gripper, {"motor.stall_torque": (0.005, 0.05, 3)},
        {"a": f"right_finger.velocity:{how}", "b": lambda rec: own(rec.velocity["right_finger"])}, **RUN,
    )  # fmt: skip
    np.testing.assert_allclose(found["a"], found["b"], rtol=1e-13)  # sums in another order


def test_chunks_do_not_change_a_bit(gripper, table) -> None:
    assert gw.sweep(gripper, VARY, METRICS, chunk=5, **RUN).equals(table)


@pytest.mark.parametrize("sampling", ["random", "lhs", "sobol"])
def test_samplings_fill_their_ranges(sampling: str) -> None:
    vary = {"a": (1.0, 2.0), "b": (-3.0, 5.0)}
    tried = designs(vary, sampling, 256, 3)
    rows = tried.rows(0, 256)
    assert np.array_equal(rows[100:], designs(vary, sampling, 256, 3).rows(100, 256))
    assert not np.array_equal(rows, designs(vary, sampling, 256, 4).rows(0, 256))
    for column, (low, high) in zip(rows.T, vary.values(), strict=True):
        counts, _ = np.histogram(column, bins=16, range=(low, high))
        assert counts.sum() == 256
        if sampling != "random":
            assert (counts == 16).all()  # that is what they are for


def test_a_design_that_diverges_is_nan_and_others_are_not() -> None:
    metrics, run = {"end": "j1.velocity:last"}, {"duration": 0.05, "position": {"j2": 0.5}, "integrator": "euler"}
    wild = gw.sweep(ARM, {"gravity.z": [-9.81, -1e14, -5.0]}, metrics, **run)
    sound = gw.sweep(ARM, {"gravity.z": [-9.81, -7.0, -5.0]}, metrics, **run)
    assert np.isnan(wild["end"][1])
    assert wild["end"][0] == sound["end"][0] and wild["end"][2] == sound["end"][2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vary": {"motor.stal_torque": (1, 2, 3)}}, "did you mean 'motor.stall_torque'"),
        ({"vary": {"motor.stall_torque": (2, 1, 3)}}, "first end must be the lower"),
        ({"vary": {"motor.stall_torque": (1, 2)}}, "a grid needs the number of values"),
        ({"vary": {"motor.stall_torque": (1, float("nan"), 3)}}, "finite numbers"),
        ({"vary": {"motor.stall_torque": "1:2"}}, "not '1:2'"),
        ({"vary": {}}, "with at least one"),
        ({"metrics": {"x": "right_finger.position:lst"}}, "did you mean 'last'"),
        ({"metrics": {"x": "right_finger.position:time_to"}}, "signal:time_to:TARGET"),
        ({"metrics": {"x": "right_finger.position:max:3"}}, "signal:max$"),
        ({"metrics": {"x": "rigth_finger.position:last"}}, "did you mean 'right_finger.position'"),
        ({"metrics": {"x": lambda rec: rec.time}}, "of shape"),
        ({"metrics": {"motor.stall_torque": "motor.torque:max"}}, "is the column of a parameter"),
        ({"metrics": {3: "motor.torque:max"}}, "a metric's name must be a text"),
        ({"metrics": {"x": lambda rec: 1 / 0}}, "raised ZeroDivisionError"),
        ({"metrics": {"x": 3}}, "'signal:reduction' or a function"),
        ({"sampling": "gird"}, "did you mean 'grid'"),
        ({"sampling": "lhs"}, "needs the number of designs"),
        ({"engine": "locl"}, "did you mean 'local'"),
        ({"out": "table.txt"}, "must end in .parquet or .csv"),
        ({"chunk": 0}, "chunk must be a whole number"),
        ({"batch": 3}, "batch= has no effect on a sweep"),
    ],
)  # fmt: skip
def test_wrong_calls_fail_before_anything_runs(gripper, changes, message: str) -> None:
    given = {"vary": VARY, "metrics": METRICS, **RUN, **changes}
    with pytest.raises(gw.GearwrightError, match=message):
        gw.sweep(gripper, given.pop("vary"), given.pop("metrics"), **given)


def test_a_metric_may_be_nan_for_what_never_happens(gripper, table) -> None:
    """And may look at any time of the run, though the first designs are tried before all others."""

    def time_to(rec):
        reached = rec.position["right_finger"] > 0.5 * table["end"].max()
        return np.where(reached.any(axis=0), rec.time[reached.argmax(axis=0)], np.nan)

    found = gw.sweep(gripper, VARY, {"time": time_to, "late": lambda rec: rec.velocity["right_finger"][25]}, **RUN)
    assert 0 < found["time"].is_nan().sum() < 12 and found["late"].is_finite().all()
    never = gw.sweep(gripper, VARY, {"time": lambda rec: np.full(rec.batch, np.nan)}, **RUN)
    assert never["time"].is_nan().all() and "failed" not in never.columns


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_tables_hold_the_call_and_are_not_made_again(gripper, table, ending: str, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / f"sweep{ending}"
    gw.sweep(gripper, VARY, METRICS, out=out, **RUN)
    assert [p.name for p in tmp_path.iterdir()] == [out.name]  # no chunks are left
    about = str(polars.read_parquet_metadata(out)) if ending == ".parquet" else out.read_text()
    assert "motor.stall_torque" in about and "seed" in about and gw.__version__ in about
    monkeypatch.setattr("gearwright.study.chunks.simulate", None)  # it would be called if a chunk were made
    monkeypatch.setattr("gearwright.study.engines.simulate", None)
    again = gw.sweep(gripper, VARY, METRICS, out=out, **RUN)
    assert again.equals(table)


STEP_METRICS = {"there": "x:time_to:1", "beyond": "x:overshoot:1", "settled": "x:settling:1:0.05"}
TIME = np.linspace(0.0, 10.0, 1001)
ANSWERS = {  # of second order, to a step of 1; one that only comes near; one that is there
    "under-damped": 1.0 - np.exp(-0.5 * TIME) * (np.cos(2.0 * TIME) + 0.25 * np.sin(2.0 * TIME)),
    "too weak": 0.9 * (1.0 - np.exp(-2.0 * TIME)),
    "at rest": np.ones_like(TIME),
}


@pytest.mark.parametrize("pieces", [1, 7])
def test_steps_are_measured_as_control_engineers_do(pieces: int) -> None:
    x = np.column_stack([*ANSWERS.values()])
    found = {}
    for name, spec in STEP_METRICS.items():
        _, reduction = split(spec)
        for rows in np.array_split(np.arange(len(TIME)), pieces):
            reduction.add(TIME[rows], x[rows])
        found[name] = reduction.result()
    first, peak = np.argmax(x[:, 0] >= 1.0), x[:, 0].max()
    last_outside = np.flatnonzero(abs(x[:, 0] - 1.0) > 0.05)[-1]
    np.testing.assert_array_equal(found["there"], [TIME[first], np.nan, 0.0])
    np.testing.assert_allclose(found["beyond"], [peak - 1.0, np.nan, np.nan], atol=1e-12)
    np.testing.assert_array_equal(found["settled"], [TIME[last_outside + 1], np.nan, 0.0])
    assert peak == pytest.approx(1.0 + np.exp(-np.pi / 4), abs=1e-4)  # the formula of the book


@pytest.mark.parametrize("vary", [1, 2])
@pytest.mark.parametrize("sampling", ["grid", "random"])
def test_a_picture_marks_designs_where_nothing_happens(vary: int, sampling: str, tmp_path: Path) -> None:
    ranges = ["--vary=motor.stall_torque=0.002:0.05:4", "--vary=right_finger_link.mass=0.1:2:3"][:vary]
    some = [] if sampling == "grid" else ["--sampling=random", "--designs=6"]
    picture = tmp_path / "study.png"
    done = called(
        "sweep", "gripper", *ranges, *some, "--command=motor=0.012", "--duration=0.05", f"--plot={picture}",
        "--metric=never=left_finger.position:time_to:1e3", "--metric=end=left_finger.position:last",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert picture.stat().st_size > 5_000
    designs = {"grid": 4 * 3 ** (vary - 1), "random": 6}[sampling]
    assert re.search(rf"^never +{designs} *$", done.out, re.MULTILINE)


LABELS = {
    "curves": (["motor.stall_torque"], [], "motor.stall_torque [N·m]|beyond|speed [rad/s]|there [s]|speed:rms [m/s]"),
    "maps": (["motor.stall_torque", "left_finger.multiplier"], [], "motor.stall_torque [N·m]|left_finger.multiplier"),
    "matrix": (["motor.stall_torque", "left_finger.multiplier", "palm.mass"], [], "palm.mass [kg]|speed [rad/s]"),
    "front": (["motor.stall_torque"], ["--pareto=speed,-there"], "speed [rad/s]|there [s]"),
}


@pytest.mark.parametrize(("names", "more", "labels"), LABELS.values(), ids=LABELS)
def test_axes_of_pictures_have_units(names, more, labels: str, tmp_path: Path, monkeypatch) -> None:
    """A share of a way and a ratio have none."""
    drawn: list[str] = []

    def saved(figure, *_, **__) -> None:
        drawn.extend(text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()))

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", saved)
    metrics = (
        "speed=motor.velocity:max", "beyond=right_finger.position:overshoot:0.01",
        "speed:rms=left_finger.velocity:rms", "there=right_finger.position:time_to:0.01",
    )  # fmt: skip
    done = called(
        "sweep", "gripper", *(f"--vary={name}=0.02:0.05:2" for name in names), "--command=motor=0.012",
        "--duration=0.05", *(f"--metric={metric}" for metric in metrics), f"--plot={tmp_path / 's.png'}", *more,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert set(labels.split("|")) <= set(drawn), drawn


def test_a_metric_is_known_by_what_it_has_taken_from_around_it(gripper, tmp_path: Path) -> None:
    """A table of one closure is not taken for that of another."""

    def scaled(by: float):
        metric = {"end": lambda rec: by * rec.position["right_finger"][-1]}
        return gw.sweep(
            gripper, {"motor.stall_torque": (0.005, 0.05, 2)}, metric, out=tmp_path / "t.csv", overwrite=True, **RUN
        )

    assert scaled(2.0)["end"].to_list() == [2.0 * x for x in scaled(1.0)["end"]]


def test_chunks_of_another_sweep_are_refused(gripper, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    folder = tmp_path / "sweep.csv.parts"
    folder.mkdir()
    (folder / "about.json").write_text('{"fingerprint": "other"}')
    with pytest.raises(gw.GearwrightError, match="chunks of another sweep"):
        gw.sweep(gripper, VARY, METRICS, out=out, **RUN)


def test_a_sweep_that_failed_lets_go_of_its_folder(gripper, tmp_path: Path, monkeypatch) -> None:
    """Its traceback may live on, as in a notebook, and hold the folder's lock with it."""
    from gearwright.study import store

    def full(*_: object) -> None:
        raise gw.GearwrightError("the disk is full")

    monkeypatch.setattr(store.ResultStore, "add", full)
    with pytest.raises(gw.GearwrightError, match="disk is full") as error:
        gw.sweep(gripper, VARY, METRICS, out=tmp_path / "sweep.csv", **RUN)
    monkeypatch.undo()
    assert error.traceback and len(gw.sweep(gripper, VARY, METRICS, out=tmp_path / "sweep.csv", **RUN))


def test_a_damaged_chunk_is_made_again(gripper, table, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "sweep.csv"
    from gearwright.study import store

    monkeypatch.setattr(store.ResultStore, "finish", lambda self, columns: None)
    gw.sweep(gripper, VARY, METRICS, out=out, chunk=5, **RUN)
    monkeypatch.undo()
    parts = tmp_path / "sweep.csv.parts"
    (parts / "1.npz").write_bytes((parts / "1.npz").read_bytes()[:100])
    assert gw.sweep(gripper, VARY, METRICS, out=out, chunk=5, **RUN).equals(table)


SCRIPT = """
import sys
import gearwright as gw
robot = gw.load(sys.argv[1], base="fixed")
gw.sweep(robot, {"motor.stall_torque": (0.005, 0.05, 40), "right_finger_link.mass": (0.05, 3.0, 30)},
         {"end": "right_finger.position:last"}, duration=0.2, command={"motor": 0.5}, chunk=30, out=sys.argv[2])
"""


@pytest.mark.parametrize("signals", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_and_interrupted_sweeps_go_on_to_the_same_table(signals: int, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    whole, torn = tmp_path / "whole.csv", tmp_path / "torn.csv"
    subprocess.run([sys.executable, "-c", SCRIPT, str(GRIPPER), str(whole)], check=True, env=env)
    rng, parts = np.random.default_rng(5), tmp_path / "torn.csv.parts"
    for k in range(signals):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(GRIPPER), str(torn)], env=env, stderr=subprocess.DEVNULL
        )
        had, until = len(list(parts.glob("*.npz"))), time.monotonic() + 60
        while len(list(parts.glob("*.npz"))) < had + 2 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.01))
        process.send_signal((signal.SIGKILL, signal.SIGINT)[k % 2])
        process.wait()
    assert torn.exists() or list(parts.glob("*.npz"))  # something was kept
    subprocess.run([sys.executable, "-c", SCRIPT, str(GRIPPER), str(torn)], check=True, env=env)
    rows = [[x for x in f.read_text().splitlines() if not x.startswith("#")] for f in (whole, torn)]
    assert rows[0] == rows[1] and len(rows[0]) == 1201


def test_a_full_disk_loses_nothing(gripper, tmp_path: Path, monkeypatch) -> None:
    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gearwright.study.store.write", full)
    with pytest.raises(gw.GearwrightError, match="all chunks are kept"):
        gw.sweep(gripper, VARY, METRICS, out=tmp_path / "t.csv", **RUN)
    assert list((tmp_path / "t.csv.parts").glob("*.npz"))


def test_pareto_front() -> None:
    points = np.array([[1, 5], [2, 4], [2, 3], [3, 1], [0, 6], [3, 1], [np.nan, 9]])
    assert sorted(pareto_front(points).tolist()) == [0, 1, 3, 4]  # of two that are equal, the first


def test_the_command(tmp_path: Path) -> None:
    arguments = [
        "sweep", str(GRIPPER), "--base", "fixed", "--vary", "motor.stall_torque=0.005:0.05:4",
        "--vary", "right_finger_link.mass=0.05:3:3", "--metric", "end=right_finger.position:last",
        "--duration", "0.03", "--command", "motor=0.5",
    ]  # fmt: skip
    done = called(*arguments, "--out", tmp_path / "t.parquet", "--plot", tmp_path / "t.png")
    assert done.code == 0, done.err
    assert f"wrote {tmp_path / 't.png'}" in done.out
    assert "12 designs" in done.out and (tmp_path / "t.png").stat().st_size > 5000
    assert len(polars.read_parquet(tmp_path / "t.parquet")) == 12
    assert called(*arguments, "--metric", "x=nothing:last").code == 2
    assert called(*arguments, "--vary", "a").code == 2


@pytest.mark.slow
def test_ray_gives_the_same_table_though_a_worker_is_killed(gripper, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    given = {"duration": 0.2, "command": {"motor": 0.5}, "chunk": 50}
    vary = {"motor.stall_torque": (0.005, 0.05, 40), "right_finger_link.mass": (0.05, 3.0, 30)}
    expected = gw.sweep(gripper, vary, METRICS, **given)
    killer = subprocess.Popen(
        [sys.executable, "-c",
         "import os,signal,time,subprocess\n"
         "t=time.time()\n"
         "while time.time()-t<60:\n"
         "    out=subprocess.run(['pgrep','-f','ray::_remote'],capture_output=True,text=True).stdout.split()\n"
         "    if out:\n"
         "        time.sleep(0.5); os.kill(int(out[0]), signal.SIGKILL); break\n"
         "    time.sleep(0.05)\n"]
    )  # fmt: skip
    found = gw.sweep(gripper, vary, METRICS, engine="ray", out=tmp_path / "t.parquet", **given)
    killer.wait(timeout=90)
    assert found.equals(expected)


def test_an_unreachable_cluster(gripper) -> None:
    pytest.importorskip("ray")
    with pytest.raises(gw.GearwrightError, match="no Ray cluster"):
        gw.sweep(gripper, VARY, METRICS, engine="ray", address="127.0.0.1:1", **RUN)


def test_two_sweeps_of_one_table_do_not_meet(gripper, tmp_path: Path) -> None:
    import fcntl

    out = tmp_path / "sweep.csv"
    parts = tmp_path / "sweep.csv.parts"
    parts.mkdir()
    with (parts / "lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(gw.GearwrightError, match="another process is working"):
            gw.sweep(gripper, VARY, METRICS, out=out, **RUN)
    gw.sweep(gripper, VARY, METRICS, out=out, **RUN)
    assert not parts.exists()


@pytest.mark.parametrize("twice", ["--vary=motor.stall_torque=1:2:3", "--metric=a=right_finger.velocity:max"])
def test_a_name_given_twice_is_a_mistake(twice: str) -> None:
    from typer.testing import CliRunner

    from gearwright.cli import app

    given = ["--vary=motor.stall_torque=1:2:2", "--metric=a=right_finger.position:last"]
    said = CliRunner().invoke(app, ["sweep", "gripper", *given, twice])
    assert said.exit_code == 2 and "is given twice" in said.output


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_a_table_of_another_sweep_is_kept(gripper, ending: str, tmp_path: Path) -> None:
    out, vary = tmp_path / f"t{ending}", {"motor.stall_torque": (0.005, 0.05, 2)}
    first = gw.sweep(gripper, vary, {"a": "motor.torque:max"}, out=out, **RUN)
    before = out.read_bytes()
    with pytest.raises(
        gw.GearwrightError, match=r"holds another sweep, gearwright.sweep\(.*motor.torque:max.*--overwrite"
    ):
        gw.sweep(gripper, vary, {"b": "motor.velocity:max"}, out=out, **RUN)
    assert out.read_bytes() == before and first.columns[-1] == "a"
    with pytest.raises(gw.ModelError, match="overwrite must be True or False, not 'no'"):
        gw.sweep(gripper, vary, {"b": "motor.velocity:max"}, out=out, overwrite="no", **RUN)
    assert gw.sweep(gripper, vary, {"b": "motor.velocity:max"}, out=out, overwrite=True, **RUN).columns[-1] == "b"
    out.write_text("time,mine\n1,2\n")
    with pytest.raises(gw.GearwrightError, match="holds no table of a sweep"):
        gw.sweep(gripper, vary, {"b": "motor.velocity:max"}, out=out, **RUN)
    assert out.read_text() == "time,mine\n1,2\n"


def test_overwriting_takes_chunks_of_another_sweep_away(gripper, table, tmp_path: Path) -> None:
    parts = tmp_path / "t.csv.parts"
    parts.mkdir()
    (parts / "about.json").write_text('{"fingerprint": "other"}')
    np.savez(parts / "0.npz", end=np.zeros(12), peak=np.zeros(12))
    assert gw.sweep(gripper, VARY, METRICS, out=tmp_path / "t.csv", overwrite=True, **RUN).equals(table)


def test_metrics_take_the_names_that_plots_take(gripper) -> None:
    run = {**RUN, "duration": 0.005}
    found = gw.sweep(
        gripper, {"motor.stall_torque": [0.05]}, {"a": "motor.velocity:max", "b": "motor.shaft_velocity:max"}, **run
    )
    assert found["a"][0] == found["b"][0] > 0
    for wrong, message in {
        "right_finger.speed:max": "did you mean 'right_finger.velocity'",
        "velocity.right_finger:max": "did you mean 'right_finger.velocity'",
        "speed.right_finger:max": "did you mean 'right_finger.velocity'",
        "position:max": "'position' has 3 of them",
    }.items():
        with pytest.raises(gw.GearwrightError, match=message):
            gw.sweep(gripper, {"motor.stall_torque": [0.05]}, {"a": wrong}, **run)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("--vary motor.stall_torque=1:2:2 --pareto x,y --plot s.png", "no metric or parameter 'x'"),
        ("--vary motor.stall_torque=1:2:2 --pareto end --plot s.png", "two metrics"),
        ("--vary motor.stall_torque=1:2:2 --pareto end,end", "needs --plot FILE"),
        ("--vary motor.stall_torque=1:2:2 --plot s.txt", ".png, .svg, .pdf"),
        ("--vary motor.stall_torque=10:60", "motor.stall_torque=10:60:N"),
        ("--vary motor.stall_torque=1:2 --sampling lhs", "--designs N"),
        ("--vary motor.stall_torque=1:2:2 --designs 4", "--vary gives its number of values"),
        ("--vary motor.stal_torque=1:2:2", "did you mean 'motor.stall_torque'"),
        ("--vary motor.stall_torque=1:2:2 --command motor=6V", "leave out the unit 'V'"),
        ("--vary motor.stall_torque=1:2:2 --command left_finger=6", "write --effort left_finger=6"),
    ],
)
def test_wrong_commands_speak_of_options(given: str, message: str) -> None:
    done = called("sweep", "gripper", "--metric", "end=right_finger.position:last", *given.split())
    assert done.code == 2 and message in " ".join(done.err.split()), done.err
    assert "designs" not in done.out


def test_designs_that_cannot_be_are_rows_that_say_why(tmp_path: Path) -> None:
    """A four-bar that does not close; the others are what they are alone."""
    robot = crank()
    run = {"metrics": {"end": "j.position:last"}, "duration": 0.01, "position": {"motor.rotor": 0.3}}
    table = gw.sweep(robot, {"t.coupler": [0.4, 0.41, 9.0]}, **run, out=tmp_path / "t.csv", chunk=2)
    why = "'t.coupler' = 9: no four-bar closes with a coupler longer than the other three together"
    assert table["failed"].to_list() == [None, None, why]
    alone = gw.sweep(robot, {"t.coupler": [0.4, 0.41]}, **run)
    assert np.isnan(table["end"][2]) and table["end"][:2].to_list() == alone["end"].to_list()
    assert "failed" not in alone.columns and why in (tmp_path / "t.csv").read_text()
    with pytest.raises(gw.ModelError, match=r"none of the 2 designs is possible: 't.coupler' = 9"):
        gw.sweep(robot, {"t.coupler": [9.0, 10.0]}, **run)
    with pytest.raises(gw.ModelError, match=r"'t.coupler' must be positive"):
        gw.sweep(robot, {"t.coupler": [0.4, -0.4]}, **run)
    with pytest.raises(gw.ModelError, match="'failed' is the column"):
        gw.sweep(robot, {"t.coupler": [0.4]}, {"failed": "j.position:last"}, duration=0.01)
