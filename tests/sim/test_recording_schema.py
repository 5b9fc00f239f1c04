"""The schema of recordings: signals with units and sources, columns in chunks, and an evaluator for the rest."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightError
from gearwright.sim import compile
from gearwright.sim.recordings import columns as columns_module
from gearwright.sim.recordings import schema_text
from gearwright.sim.recordings.columns import ArrayChunk, SlotChunk
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.signal_names import find
from gearwright.sim.signals import TIME, Derived, Signal, SlotElement, Total
from tests.sim.robots import FOLLOWING


class Plain:
    """A slot over some rows, as NumPy holds it."""

    def __init__(self, data):
        self.data, self.shape = data, data.shape

    def numbers(self):
        return self.data.copy()

    def column(self, element):
        return self.data[:, :, element].copy()

    def rows(self, rows):
        return Plain(self.data[rows])


class Doubles:
    """Twice the position, and its square."""

    def __init__(self):
        self.calls = 0

    def inputs(self, kernel):
        assert kernel == "double"
        return ["position"]

    def evaluate(self, kernel, slots):
        self.calls += 1
        return {"twice": 2 * slots["position"], "square": slots["position"] ** 2}


SIGNALS = (
    TIME,
    Signal(family="position", name="a", unit="rad", source=SlotElement("position", 0)),
    Signal(family="position", name="b", unit="rad", source=Derived("double", "twice", 1)),
    Signal(
        family="", name="sum", unit="J", source=Total((Derived("double", "twice", 1), Derived("double", "square", 0)))
    ),
    Signal(family="point", name="p", unit="m", source=SlotElement("position", 0), shape=(2,), stored=False),
)


def made(batch=2, every=3):
    """Two chunks of 4 and 3 rows of `batch` robots."""
    schema = Schema(robot="r", batch=batch, dt=0.5, every=every, start=10.0, first_step=4, signals=SIGNALS)
    data = np.random.default_rng(0).normal(size=(7, batch, 2))
    recording, evaluator = Recording(schema, None), Doubles()
    recording.add(SlotChunk(schema, 0, {"position": Plain(data[:4])}, evaluator))
    recording.add(SlotChunk(schema, 4, {"position": Plain(data[4:])}, evaluator))
    return recording, data, evaluator


@pytest.mark.parametrize("batch", [1, 2])
def test_columns_of_all_sources(batch):
    recording, data, _ = made(batch)
    shown = data[:, 0] if batch == 1 else data
    assert np.array_equal(recording.time, 10.0 + (4 + 3 * np.arange(7)) * 0.5)
    assert np.array_equal(recording.position["a"], shown[..., 0])
    assert np.array_equal(recording.position["b"], 2 * shown[..., 1])
    assert np.array_equal(recording.read(recording.schema.signal("", "sum")), 2 * shown[..., 1] + shown[..., 0] ** 2)
    assert np.array_equal(recording.read(recording.schema.signal("point", "p")), shown)
    assert [c.name for c in recording.columns()] == ["time", "a", "b", "sum"]


def test_a_kernel_is_evaluated_once_a_chunk(monkeypatch):
    recording, _, evaluator = made()
    for _ in range(3):
        recording.position["b"]
    assert evaluator.calls == 2
    monkeypatch.setattr(columns_module, "PIECE", 4)  # states, of two robots each
    recording, data, evaluator = made()
    assert np.array_equal(recording.position["b"], 2 * data[..., 1])
    assert evaluator.calls == 4


def test_only_what_signals_need_is_kept():
    assert made()[0].schema.derived == {"double": {"twice": [1], "square": [0]}}


def test_numbers_from_a_file_need_no_evaluator():
    """A reader makes a recording of a schema and arrays."""
    schema = Schema(robot="r", batch=1, dt=0.1, signals=(TIME, Signal(family="position", name="a", unit="m")))
    recording = Recording(schema)
    recording.add(ArrayChunk(np.array([0.1, 0.2]), {("position", "a"): np.array([[1.0], [2.0]])}))
    assert recording.position["a"].tolist() == [1.0, 2.0] and len(recording) == 2
    with pytest.raises(gw.GearwrightError, match="no signal named 'energy'"):
        _ = recording.energy
    with pytest.raises(gw.GearwrightError, match="does not contain the robot"):
        _ = recording.robot


def test_recordings_pickle_without_what_follows():
    recording, _, _ = made()
    before = recording.position["b"]
    again = pickle.loads(pickle.dumps(recording))
    assert np.array_equal(again.position["b"], before) and np.array_equal(again.time, recording.time)


def test_the_schema_of_a_gripper(gripper):
    schema = compile(gripper, batch=2).schema
    units = {s.key: s.unit for s in schema.signals}
    assert schema.signals[0] == TIME and schema.batch == 2 and schema.robot == gripper.name
    assert units["position", "left_finger"] == "m" and units["velocity", "left_finger"] == "m/s"
    assert units["torque", "motor"] == "N·m" and units["shaft_velocity", "motor"] == "rad/s"
    assert units["", "energy"] == "J" and units["coupling_error", "left_finger"] == "m"
    assert {"left_finger"} <= set(schema.followers)
    with pytest.raises(gw.GearwrightError, match="'left_finger'"):
        schema.signal("position", "left_fingr")


def test_rows_of_a_run_begin_where_the_clock_is():
    sim = compile(gw.loads(FOLLOWING))
    sim.step(n=3)
    sim.time = 1.0
    sim.step(n=2)
    recording = sim.run(0.01, every=4)
    assert (recording.schema.start, recording.schema.first_step, recording.schema.every) == (1.0, 2, 4)
    assert recording.time == pytest.approx([1.002, 1.006, 1.010], abs=1e-12)  # rounding of 1 + k·dt


def test_the_documented_names_are_signals():
    """The table of `docs/recordings.md`: every name, and which of them files hold."""
    page = (Path(__file__).parents[2] / "docs" / "recordings.md").read_text(encoding="utf-8")
    table = page.partition("## Signal names")[2].partition("##")[0]
    rows = [row.split("|") for row in table.splitlines() if row.startswith("| `")]
    schema = gw.compile("gripper").schema
    documented = set()
    for row in rows:
        for name in re.findall("`([^`]+)`", row[1]):
            (signal,) = find(schema, name)
            assert signal.stored == (row[-2].strip() == "yes"), name
            documented.add(signal.family or signal.name)
    assert documented == {s.family or s.name for s in schema.signals if s.family != "table"}


def test_names_print_as_names(gripper):
    """`print(rec.position.keys())` printed every array."""
    sim = compile(gripper)
    recording = sim.run(0.005)
    for mapping in (recording.position, recording.reaction, sim.pose, sim.arrays, gripper.joints, gripper.couplings):
        assert repr(mapping.keys()) == f"keys({list(mapping)!r})"
        assert "left_finger" not in mapping or mapping.keys() >= {"left_finger"}
    assert repr(recording.position.keys()) == "keys(['right_finger', 'left_finger'])"


def test_files_of_a_later_version_are_refused():
    text = (
        '{"gearwright": 1, "robot": "r", "batch": 1, "dt": 0.001, "every": 1, "start": 0.0, "first_step": 0, '
        '"bands": [], "followers": [], "signals": [], "members": {}, "kinds": {}, "limits": {}}'
    )
    schema = schema_text.from_text(text, "file")
    assert schema_text.to_text(schema).startswith('{"gearwright": 1, ')
    with pytest.raises(GearwrightError, match="format 2"):
        schema_text.from_text(text.replace('"gearwright": 1', '"gearwright": 2'), "file")
