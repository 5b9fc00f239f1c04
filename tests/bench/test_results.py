"""The harness from end to end on tiny sizes: tables, JSON, page, plots. No time is ever asserted."""

import json
from dataclasses import replace
from importlib import import_module
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks import peers, plots, report
from benchmarks.bench import clock, run, scaling
from benchmarks.bench.clock import Runner, race
from benchmarks.bench.contestant import Peers
from benchmarks.bench.effort import Effort
from benchmarks.bench.results import SCHEMA
from benchmarks.bench.rows import tables
from benchmarks.bench.table import rendered
from benchmarks.bench.targets import targets
from benchmarks.bench.trees import gear_train
from tests.cli.commands import called
from tests.tolerances import ROUNDING

# robots are timed from anywhere
pytestmark = pytest.mark.filterwarnings("ignore:joints start beyond their limits:gearwright.BeyondLimitsWarning")
TINY = Effort(slices=1, seconds=1e-4, states=1, processes=1, sizes=(3, 4), followers=(3,), batches=(1, 10))


@pytest.fixture(scope="module")
def results():
    return run.run(names=["arm"], peers=peers.peers(), effort=TINY, with_scaling=True, command="gearwright bench")


@pytest.fixture(scope="module")
def alone():
    """Where no peer is installed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(peers, "PEERS", {"engine_that_nobody_has": "benchmarks.peers.engine_that_nobody_has:Engine"})
        return run.run(names=["arm"], peers=peers.peers(), effort=TINY, with_scaling=False, command="gearwright bench")


def test_every_installed_peer_has_an_entry(results):
    (arm,) = results.robots
    assert {e.engine for e in arm.entries} == {"gearwright", *peers.installed()}
    for entry in arm.entries:
        assert entry.note == ""
        assert entry.one or entry.batch
        assert (entry.agreement is None) == (entry.engine == "gearwright")
    assert (arm.joints, arm.dof) == (9, 8)


def test_peers_absent(alone):
    assert {e.engine for e in alone.robots[0].entries} == {"gearwright"}
    assert next(t.title for t in tables(alone)).startswith("A robot's first-order step")
    assert not any("mj_step" in t.what for t in targets(alone))


def test_a_peer_that_fails_is_reported_and_the_others_are_measured(monkeypatch):
    class Broken(peers.Contestant):
        title, package, how = "Broken", "broken", ""

        def __init__(self, robot, dt):
            raise RuntimeError("no such luck\nat all")

        reset = step = position = mass_matrix_and_bias = None

    from benchmarks.bench import speed
    from benchmarks.bench.robots import robots

    found = speed.robot_result(robots(["arm"])[0], {"broken": Broken}, TINY, 1e-3)
    assert found.entries[-1].note == "not loaded: RuntimeError: no such luck"
    assert found.entries[0].one is not None


def test_json_is_plain_and_versioned(results):
    data = json.loads(json.dumps(results.as_data()))
    assert data["schema"] == SCHEMA
    assert list(data) == [
        "machine", "versions", "cores", "load", "date", "dt", "robots", "cases", "driven", "sizes", "chains", "batches",
        "how", "command", "schema",
    ]  # fmt: skip
    assert list(data["robots"][0]) == [
        "name", "title", "joints", "dof", "entries", "call_overhead_ns", "compilation",
    ]  # fmt: skip
    assert list(data["robots"][0]["entries"][0]) == [
        "engine", "title", "agreement", "couplings", "one", "batch", "threads", "ratio_one", "ratio_batch", "note",
    ]  # fmt: skip
    assert set(data["robots"][0]["entries"][0]["one"]) == {
        "wall_ns", "cpu_ns", "cpu_median_ns", "slices", "steps", "robots",
    }  # fmt: skip
    assert list(data["cases"][0]) == ["robot", "title", "joints", "dof", "mode", "situation", "entries"]


def test_tables_render(results):
    console = Console(width=200, record=True, file=StringIO())
    for table in rendered(results):
        console.print(table)
    text = console.export_text()
    for expected in ("Gearwright", "reference arm with gripper (9 joints, 8 DoF)", "Targets", "state and commands"):
        assert expected in text


def test_rows_fit_their_columns(results):
    for table in tables(results):
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_the_page_keeps_what_others_wrote(results, tmp_path):
    page = tmp_path / "docs" / "performance.md"
    page.parent.mkdir()
    page.write_text("# Performance\n\n## Loading\n\nmine\n")
    report.write(results, page)
    first = page.read_text()
    page.write_text(first + "\nbelow\n")
    report.write(replace(results, command="gearwright bench --again"), page)
    second = page.read_text()
    assert "## Loading\n\nmine\n" in second
    assert second.endswith("\nbelow\n")
    assert second.count(report.BEGIN) == second.count(report.END) == 1
    assert "bench --again" in second
    assert "bench --again" not in first
    assert "figures/performance-dof.svg" in second


def test_plots_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    files = plots.draw(results, tmp_path)
    assert [f.name for f in files] == ["performance-dof.svg", "performance-batch.svg"]
    assert all(f.read_text().rstrip().endswith("</svg>") for f in files)
    assert sorted(report.FIGURES) == sorted(f.stem for f in files)


def test_nothing_to_plot(alone, tmp_path):
    pytest.importorskip("matplotlib")
    assert plots.draw(alone, tmp_path) == []


def test_a_race_counts_every_robot_and_puts_them_back():
    prepared, steps = [], []
    runner = Runner(prepare=lambda: prepared.append(1), run=steps.append, robots=4, shortest=3, longest=5)
    timing = race({"a": runner}, slices=2, seconds=1e-5)["a"]
    assert timing.robots == 4
    assert timing.steps >= 3
    assert max(steps) <= 5
    assert len(prepared) == len(steps)


def test_a_slice_is_as_long_as_asked(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(clock, "perf_counter", lambda: now[0])
    monkeypatch.setattr(clock, "process_time", lambda: now[0] / 2)

    def run_steps(n):
        now[0] += n * 1e-6

    timing = race({"a": Runner(prepare=lambda: None, run=run_steps, robots=10)}, slices=3, seconds=0.01)["a"]
    assert timing.steps == pytest.approx(10_000, rel=ROUNDING)
    assert timing.wall_ns == pytest.approx(100, rel=ROUNDING)
    assert timing.cpu_ns == pytest.approx(50, rel=ROUNDING)


def test_robots_of_mujoco_batch_move_as_one_does():
    pytest.importorskip("mujoco.batch")
    mujoco = pytest.importorskip("benchmarks.peers.mujoco")
    engine, begins = mujoco.MuJoCo(gear_train(3), 1e-3), np.array([[0.1, -0.101, 0.10201], [0.2, -0.202, 0.20402]])
    many = mujoco.LiveBatch(engine.model, 1, begins)
    for _ in range(2):
        many.prepare()
        many(50)
        engine.reset(begins[1], np.zeros(3))
        engine.step(50)
        assert many.position[1] == pytest.approx(engine.position(), abs=1e-15)
    assert set(engine.batches(begins, 1)) == {"", ", mujoco.batch"}


def test_lengths_are_a_table_and_a_plot(tmp_path, monkeypatch):
    pytest.importorskip("mujoco")
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    import lengths

    kinds = [(kind, n, i) for kind in ("chain", "tree") for n in (5, 10) for i in lengths.INTEGRATORS]
    points = [lengths.Point(kind, n, i, 100.0 * n, 1000.0 * n, 90 * n, 0.03 * n) for kind, n, i in kinds]
    assert points[0].cells == ["500", "100", "10.0", "450", "0.1"]
    lengths.draw(points, tmp_path / "lengths.svg")
    text = (tmp_path / "lengths.svg").read_text(encoding="utf-8")
    assert all(words in text for words in ("seconds to compile", "instructions of a step", "chain, MuJoCo"))


def test_chains_of_mimics(results):
    assert [(p.shape, p.mode) for p in results.chains] == [
        ("gear train", "exact"), ("gear train", "hard"), ("curling finger", "exact"),
        ("curling finger", "hard"), ("curling finger", "compliant"),
    ]  # fmt: skip
    assert all(p.joints == 3 and p.one_ns > 0 and p.batch_ns > 0 for p in results.chains)


@pytest.mark.parametrize(("before", "after"), [('value="0.1"', 'value="0.2"'), ("<mimic", "<nothing")])
def test_a_size_that_mujoco_disagrees_on_is_timed_without_it(before, after):
    robot = gear_train(3)
    MuJoCo = pytest.importorskip("benchmarks.peers.mujoco").MuJoCo

    class Another(MuJoCo):
        def __init__(self, robot, dt):
            super().__init__(replace(robot, urdf=robot.urdf.replace(before, after, 1)), dt)

    _, timings = scaling._measured(robot, "exact", {"mujoco": Another}, TINY, 1e-3)
    assert set(timings) == {"one", "batch"}


def test_memory_counts_the_batch(results):
    assert scaling.memory is not None
    points = {p.robots: p for p in results.batches}
    assert points[10].bytes_per_robot > points[10].state_and_commands == 8 * (2 * 8 + 9)


@pytest.mark.parametrize("arguments", [["--robots", "pandda"], ["--robots", "arm,pandda"]])
def test_unknown_robots_end_in_usage(arguments):
    ran = called("bench", *arguments)
    assert ran.code == 2
    assert "pandda" in ran.err
    assert "panda" in ran.err


def test_command_line(monkeypatch, alone):
    asked = {}

    def pretend(**options):
        asked.update(options)
        return alone

    monkeypatch.setattr(run, "run", pretend)
    ran = called("bench", "--quick", "--robots", "arm, panda", "--json")
    assert ran.code == 0
    assert json.loads(ran.out) == json.loads(json.dumps(alone.as_data()))
    assert asked["command"] == "gearwright bench --quick --robots arm, panda"
    assert (asked["names"], asked["peers"], asked["with_scaling"]) == (["arm", "panda"], Peers(), False)
    assert "Targets" in called("bench").out


def test_command_line_writes_the_page(monkeypatch, results, tmp_path):
    monkeypatch.setattr(run, "run", lambda **options: results)
    monkeypatch.setattr(plots, "draw", lambda *_: [])
    ran = called("bench", "--write", tmp_path / "page.md")
    assert ran.code == 0
    assert report.BEGIN in (tmp_path / "page.md").read_text()
    assert called("bench", "--write", tmp_path / "page.md" / "below.md").code == 1


def test_without_the_repository_the_message_says_what_to_do(monkeypatch, tmp_path):
    """As from a wheel: no benchmarks folder beside the package."""
    monkeypatch.setattr(import_module("gearwright.cli.bench"), "CLONE", tmp_path)
    monkeypatch.setattr(run, "run", lambda **options: pytest.fail("measured all the same"))
    ran = called("bench", "--quick")
    assert ran.code == 2
    assert "bench needs the folder benchmarks/" in ran.err and "pip install -e ." in ran.err
