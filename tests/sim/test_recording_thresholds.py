"""Numbers at which recordings decide: how many rows wait, what is thinned, and how large a file may say that it is."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightError
from gearwright.model.geometry import Plane
from gearwright.sim import compile
from gearwright.sim.recorder import recorded_scene, step_recorder
from gearwright.sim.recordings import blocks, channels, journal, mcap_file, scene, schema_text
from gearwright.sim.recordings.bands import checked
from gearwright.sim.running import running
from tests.sim.robots import FOLLOWING


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved on."""
    now = SimpleNamespace(time=0.0)
    for module in (running, step_recorder, mcap_file):
        monkeypatch.setattr(module, "perf_counter", lambda: now.time)
    return now


# --- rows on their way to a sink -------------------------------------------------------------------------------------


class Sink:
    """Keeps how many rows come at a time, each of which takes some seconds."""

    def __init__(self, clock, seconds=0.0):
        self.clock, self.seconds, self.sizes = clock, seconds, []

    def open(self, schema): ...
    def close(self): ...

    def write(self, chunk):
        rows = len(chunk.time)
        self.sizes.append(rows)
        self.clock.time += self.seconds * rows


def test_a_sink_is_tried_with_256_rows_and_then_gets_what_it_writes_in_a_fifth_of_a_second(clock):
    sink = Sink(clock, seconds=0.2 / 400)  # 400 rows in that time
    compile(gw.loads(FOLLOWING)).run(2.0, sink=sink)
    assert sink.sizes == [1, 256, 400, 400, 400, 400, 144]


@pytest.mark.parametrize(("seconds", "size"), [(0.24, 2), (0.26, 1)])
def test_a_row_of_a_python_controller_waits_for_a_quarter_of_a_second(clock, seconds, size):
    def controller(sim):
        clock.time += seconds
        return {}

    sink = Sink(clock)
    compile(gw.loads(FOLLOWING)).run(0.01, controller=controller, sink=sink)
    assert set(sink.sizes[1:]) == {size}


def recorder(monkeypatch, tmp_path, sink):
    monkeypatch.setattr(step_recorder, "opened", lambda path, schema: nullcontext(sink))
    return step_recorder.StepRecorder(compile(gw.loads(FOLLOWING)), tmp_path / "x.npz")


def test_a_recorder_of_steps_writes_256_rows_at_a_time(clock, monkeypatch, tmp_path):
    sink = Sink(clock)
    recording = recorder(monkeypatch, tmp_path, sink)
    for _ in range(600):
        recording.keep()
    recording.close()
    assert sink.sizes == [1, 256, 256, 88]


def test_a_recorder_of_steps_keeps_no_row_for_longer_than_a_quarter_of_a_second(clock, monkeypatch, tmp_path):
    sink = Sink(clock)
    recording = recorder(monkeypatch, tmp_path, sink)
    for _ in range(10):
        clock.time += 0.1
        recording.keep()
    assert sink.sizes == [1, 3, 3, 3]


@pytest.fixture
def waiting(clock, monkeypatch, tmp_path):
    """A sink of .mcap whose flushes are counted; `write(rows)` after some seconds."""
    pytest.importorskip("mcap")
    sink = mcap_file.McapSink(tmp_path / "x.mcap")
    numbers = SimpleNamespace(count=1)
    monkeypatch.setattr(mcap_file, "table", lambda schema, chunk: np.zeros((1, numbers.count)))
    flushes = []
    monkeypatch.setattr(sink, "_flush", lambda: flushes.append(clock.time))
    sink._schema, sink._stride, sink._links = None, 1, ()

    def write(after, count=1):
        clock.time += after
        numbers.count = count
        sink.write(SimpleNamespace(time=np.zeros(1), rows=1))
        return len(flushes)

    yield write
    sink._file.close()


def test_rows_of_an_mcap_file_wait_for_half_a_second(waiting):
    assert [waiting(0.09) for _ in range(6)] == [0, 0, 0, 0, 0, 1]  # 0.54 s


def test_rows_of_an_mcap_file_that_come_slowly_do_not_wait(waiting):
    assert waiting(0.09) == 0 and waiting(0.11) == 1


def test_half_a_million_numbers_of_an_mcap_file_do_not_wait(waiting):
    assert waiting(0.01, count=1 << 19) == 0
    assert waiting(0.01, count=1) == 1


# --- what is written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fields", "links", "strides"), [(25, 1, (1, 17)), (26, 1, (2, 17)), (1, 100, (1, 50))])
def test_messages_for_looking_are_thinned(fields, links, strides):
    """25,000 numbers and 2,000 poses a second, and 60 sets of poses: here of rows at 1 kHz."""
    schema = SimpleNamespace(dt=1e-3, every=1, tables={"link_pose": range(links)})
    assert channels.strides(schema, [SimpleNamespace(fields=range(fields))]) == strides


def test_differences_up_to_the_fifth_order():
    rows = np.arange(300, dtype=np.int64)
    powers = np.stack([rows**degree for degree in range(8)])  # the differences of order n of xⁿ are all the same
    assert blocks._orders(powers).max() == 5
    with pytest.raises(GearwrightError, match="damaged"):
        blocks.decode(blocks.HEAD.pack(0, 1) + b"\x06" + blocks.zlib.compress(b""), 1)


def test_the_order_is_decided_by_256_rows_in_the_middle():
    column = np.random.default_rng(1).integers(-(2**60), 2**60, 4000)
    first = 2000 - 128
    column[first : first + 256] = 2**50 + np.arange(256)
    assert blocks._orders(column[None, :])[0] == 2  # as of a line


def test_shapes_without_a_colour_are_grey_and_planes_are_thin():
    kind, size = recorded_scene._kind(Plane(size=(2.0, 3.0)))
    assert (kind, size) == ("box", (2.0, 3.0, 1e-3))
    shape = scene.SceneShape(link="a", kind=kind, size=size)
    assert scene._primitive(shape)["color"] == {"r": 0.72, "g": 0.74, "b": 0.78, "a": 1.0}


def test_the_usual_bands():
    assert checked(True) == (0.05, 0.25, 0.5, 0.75, 0.95)


# --- what is read ----------------------------------------------------------------------------------------------------


def test_files_of_version_1_are_read():
    text = (
        '{"gearwright": 1, "robot": "r", "batch": 1, "dt": 0.001, "every": 1, "start": 0.0, "first_step": 0, '
        '"bands": [], "followers": [], "signals": [], "members": {}, "kinds": {}, "limits": {}}'
    )
    schema = schema_text.from_text(text, "file")
    assert schema_text.to_text(schema).startswith('{"gearwright": 1, ')
    with pytest.raises(GearwrightError, match="version 2"):
        schema_text.from_text(text.replace('"gearwright": 1', '"gearwright": 2'), "file")


@pytest.mark.parametrize(("signals", "error"), [(1_000_000, KeyError), (1_000_001, ValueError)])
def test_a_million_signals_are_read(signals, error):
    """KeyError: it goes on to what comes after the signals, which is not there."""

    class Signals(tuple):
        def __len__(self):
            return signals

    with pytest.raises(error):
        schema_text._schema({"signals": Signals()})


@pytest.mark.parametrize(("rows", "decompressed"), [(1 << 28, True), ((1 << 28) + 1, False)])
def test_a_block_of_two_gibibytes_is_read(monkeypatch, rows, decompressed):
    asked = []

    class Zlib:
        error = blocks.zlib.error

        @staticmethod
        def decompressobj():
            return SimpleNamespace(decompress=lambda data, most: asked.append(most) or b"")

    monkeypatch.setattr(blocks, "zlib", Zlib)
    with pytest.raises(GearwrightError, match="damaged"):
        blocks.decode(blocks.HEAD.pack(rows, 1) + bytes(9), 1)
    assert bool(asked) == decompressed


def test_a_journal_that_promises_more_is_read_up_to_a_quarter_of_a_gibibyte():
    asked = []
    answers = iter([journal.MAGIC, journal.HEAD.pack(0xFFFFFFFF, 0), b""])
    reader = object.__new__(journal.JournalReader)
    reader.path, reader._file = "file", SimpleNamespace(read=lambda size: asked.append(size) or next(answers))
    with pytest.raises(GearwrightError, match="cut off"):
        reader._read_schema()
    assert asked[-1] == 1 << 28


def test_a_record_of_an_mcap_file_is_read_up_to_two_gibibytes(monkeypatch, tmp_path):
    stream_reader = pytest.importorskip("mcap.stream_reader")
    asked = {}

    def reader(file, **options):
        asked.update(options)
        return SimpleNamespace(records=())

    monkeypatch.setattr(stream_reader, "StreamReader", reader)
    with (tmp_path / "file").open("w+b") as file:
        assert list(mcap_file._records(file, "file", False)) == []
    assert asked["record_size_limit"] == 1 << 31
