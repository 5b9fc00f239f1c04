"""Sinks and formats: files written while a run goes on, and formats of other packages."""

import tracemalloc

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from gearwright.sim.recordings import formats
from gearwright.sim.running import running
from tests.installed import install
from tests.sim.robots import FOLLOWING


class Memory:
    """A sink that keeps what it is given, and in which order it is called."""

    def __init__(self, fails_at=None):
        self.calls, self.rows, self.fails_at = [], [], fails_at

    def open(self, schema):
        self.schema = schema
        self.calls.append("open")

    def write(self, chunk):
        self.calls.append("write")
        if len(self.calls) == self.fails_at:
            raise OSError("the disk is full")
        signal = self.schema.signal("position", "follower")
        self.rows.append((chunk.time, chunk.column(signal)[:, 0]))

    def close(self):
        self.calls.append("close")


def simulation(**options):
    sim = compile(gw.loads(FOLLOWING), **options)
    sim.reset(position={"leader": 0.5})
    return sim


@pytest.mark.parametrize(
    "controller", [None, lambda sim: {"leader": 0.2 * sim.position["leader"]}], ids=["code", "python"]
)
@pytest.mark.parametrize("every", [1, 3])
def test_a_sink_gets_the_rows_of_a_recording(monkeypatch, controller, every):
    recording = simulation().run(0.1, controller=controller, every=every)
    monkeypatch.setattr(running, "WRITTEN_AT_ONCE", 600)  # bytes: some rows a chunk
    sink = Memory()
    empty = simulation().run(0.1, controller=controller, every=every, sink=sink)
    assert len(empty) == 0 and sink.calls == ["open", *["write"] * len(sink.rows), "close"] and len(sink.rows) > 2
    assert np.array_equal(np.concatenate([time for time, _ in sink.rows]), recording.time)
    assert np.array_equal(np.concatenate([rows for _, rows in sink.rows]), recording.position["follower"])


@pytest.mark.parametrize("ending", ["npz", "csv"])
@pytest.mark.parametrize("batch", [1, 3])
def test_a_file_while_running_is_the_file_that_is_saved(monkeypatch, tmp_path, ending, batch):
    simulation(batch=batch).run(0.05, every=2).save(tmp_path / f"saved.{ending}")
    monkeypatch.setattr(running, "WRITTEN_AT_ONCE", 2000)
    simulation(batch=batch).run(0.05, every=2, sink=tmp_path / f"written.{ending}")
    saved, written = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("saved", "written"))
    assert saved == written
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"saved.{ending}", f"written.{ending}"]


def test_memory_does_not_grow_with_the_duration(monkeypatch, tmp_path):
    """Ten times the rows within a quarter more memory: of an archive, only the list of chunks grows."""
    monkeypatch.setattr(running, "WRITTEN_AT_ONCE", 50_000)
    peaks = []
    sim = simulation()
    for duration in (2.0, 20.0):
        sim.reset(position={"leader": 0.5})
        tracemalloc.start()
        sim.run(duration, sink=tmp_path / "run.npz")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.25 * peaks[0]
    with np.load(tmp_path / "run.npz") as data:
        assert data["time"].shape == (20_001,)


def test_a_sink_that_fails_is_closed_and_ends_the_run(monkeypatch):
    monkeypatch.setattr(running, "WRITTEN_AT_ONCE", 2000)
    sink, sim = Memory(fails_at=3), simulation()
    with pytest.raises(OSError, match="disk is full"):
        sim.run(0.1, sink=sink)
    assert sink.calls == ["open", "write", "write", "close"]
    assert 0 < sim.clock.steps < 100


@pytest.mark.parametrize(("sink", "problem"), [("run.xyz", "is not a recording format"), (5, "open, write and close")])
def test_a_sink_that_is_none(sink, problem):
    sim = simulation()
    with pytest.raises(gw.GearwrightError, match=problem):
        sim.run(0.1, sink=sink)
    assert sim.time == 0.0


OUTSIDE = """
import json
import numpy as np
from gearwright.sim.recordings.columns import ArrayChunk
from gearwright.sim.recordings.formats import Format
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import Signal

class Sink:
    def __init__(self, path):
        self.path, self.rows = path, []
    def open(self, schema):
        self.schema = schema
    def write(self, chunk):
        names = self.schema.by_family["position"]
        self.rows += zip(chunk.time.tolist(), *(chunk.column(s)[:, 0].tolist() for s in names.values()))
    def close(self):
        units = {n: s.unit for n, s in self.schema.by_family["position"].items()}
        self.path.write_text(json.dumps([self.schema.robot, self.schema.dt, units, self.rows]))

def read(path):
    robot, dt, units, rows = json.loads(path.read_text())
    signals = tuple(Signal(family="position", name=n, unit=u) for n, u in units.items())
    time, *columns = (np.array(c) for c in zip(*rows))
    recording = Recording(Schema(robot=robot, batch=1, dt=dt, signals=signals), None)
    recording.add(ArrayChunk(time, {s.key: c[:, None] for s, c in zip(signals, columns)}))
    return recording

FORMAT = Format(Sink, read)
"""


def test_another_package_brings_a_format_and_its_reader(tmp_path, monkeypatch):
    install(tmp_path, "toy_format", "[gearwright.recordings]\ntoy = toy_format:FORMAT\n", {"toy_format.py": OUTSIDE})
    monkeypatch.syspath_prepend(str(tmp_path))
    assert formats.endings() == (".npz", ".csv", ".mcap", ".parquet", ".toy")
    recording = simulation().run(0.02)
    recording.save(tmp_path / "run.TOY")
    again = formats.read(tmp_path / "run.TOY")
    assert np.array_equal(again.time, recording.time)
    assert np.array_equal(again.position["follower"], recording.position["follower"])
    assert repr(again) == "<Recording of 'following': 21 samples, until 0.02 s>"


def test_what_cannot_be_read_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(formats.FORMATS, ".npz", formats.Format("gearwright.sim.recordings.npz:NpzSink"))
    with pytest.raises(gw.GearwrightError, match="cannot be read"):
        formats.read(tmp_path / "run.npz")
    with pytest.raises(gw.GearwrightError, match=r"'.xls' is not a recording format; valid: .npz, .csv"):
        formats.read(tmp_path / "run.xls")
