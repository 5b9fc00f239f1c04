"""Files of recordings: every format reads back exactly, survives SIGKILL, and shows in other programs."""

import contextlib
import json
import random
import signal
import struct
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from gearwright.sim.recorder import room
from gearwright.sim.recordings import formats
from gearwright.sim.recordings.blocks import decode, encode
from gearwright.sim.recordings.channels import quaternions
from gearwright.sim.signals import TIME
from tests.corpus.files import robot_data
from tests.sim.robots import FOLLOWING, FREE, GRIPPER
from tests.tolerances import ROUNDING

ENDINGS = ("mcap", "parquet", "npz", "csv")


def gripper(batch=1, **options):
    sim = compile(gw.load(GRIPPER), batch=batch)
    command = 0.012 if batch == 1 else np.linspace(0.01, 0.02, batch)
    return sim.run(0.05, command={"motor": command}, record=("reaction", "coupling_effort", "acceleration"), **options)


def free(batch):
    sim = compile(gw.loads(FREE), batch=batch)
    sim.reset(velocity={"spin": 2.0, "socket.rx": 1.0, "base.z": 0.5})
    return sim.run(0.03, every=2)


def assert_same(a, b):
    assert [s.key for s in a.schema.stored] == [s.key for s in b.schema.stored] and a.batch == b.batch
    for s in a.schema.stored:
        one, two = (r.time if s == TIME else r.read(r.schema.signal(*s.key)) for r in (a, b))
        assert one.tobytes() == two.tobytes() and one.shape == two.shape, s.key
        assert b.schema.signal(*s.key).unit == s.unit


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("made", [gripper, free])
def test_every_format_reads_back_to_the_bit(tmp_path, ending, batch, made):
    recording = made(batch)
    recording.save(tmp_path / f"gripper.{ending}")
    again = gw.Recording.open(tmp_path / f"gripper.{ending}")
    assert_same(recording, again)
    assert [p.name for p in tmp_path.iterdir()] == [f"gripper.{ending}"]
    assert again.time[0] == 0.0 and again.dt * again.every == pytest.approx(
        recording.dt * recording.every, rel=ROUNDING
    )
    if made is gripper:
        joint = next(iter(recording.reaction))
        assert np.array_equal(again.reaction[joint].torque, recording.reaction[joint].torque)
        assert np.array_equal(again.actuator["motor"].velocity, recording.actuator["motor"].velocity)
    else:
        assert np.array_equal(again.position["base"], recording.position["base"])  # all coordinates of a joint
    again.save(tmp_path / f"twice.{ending}")  # what was opened can be saved, in another format too
    assert_same(recording, gw.Recording.open(tmp_path / f"twice.{ending}"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_written_while_running_is_what_is_saved(tmp_path, ending):
    recording = gripper()
    empty = gripper(sink=tmp_path / f"run.{ending}")
    assert len(empty) == 0
    assert_same(recording, gw.Recording.open(tmp_path / f"run.{ending}"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_that_diverges_leaves_its_rows(double_pendulum, tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    with pytest.raises(gw.SimulationError):
        compile(double_pendulum, integrator="euler").run(
            0.1, effort={"elbow": lambda t: np.where(t < 0.0495, 0.0, 1e15)}, sink=path
        )
    rows = gw.Recording.open(path)
    assert 1 <= len(rows) <= 52 and np.isfinite(rows.position["elbow"]).all()


def test_quantities_on_request():
    sim = compile(gw.load(GRIPPER))
    usual = {s.family for s in sim.run(0.002).schema.stored}
    asked = sim.run(0.002, record=("coupling_effort", "command", "reaction"))
    assert {s.family for s in asked.schema.stored} - usual == {"coupling_effort", "reaction"} and "command" in usual
    assert asked.coupling_effort["left_finger"][-1] == pytest.approx(sim.coupling_effort["left_finger"], rel=1e-12)
    assert asked.acceleration["left_finger"][-1] == pytest.approx(sim.acceleration["left_finger"], rel=1e-12)
    with pytest.raises(gw.ModelError, match="coupling_effort"):
        sim.run(0.002, record=("coupling_efort",))


# --- killed ----------------------------------------------------------------------------------------------------------

KILLED = """
import sys, time
import gearwright as gw
sim = gw.compile(gw.load(sys.argv[1]))
print("ready", flush=True)
def watch(clock):
    time.sleep(0.01)                                   # a second of wall time has some thousand steps
    print(clock.steps, time.time(), flush=True)
sim.clock.listen(watch, every=100)
sim.run(1e5, command={"motor": 0.012}, sink=sys.argv[2])
"""


def killed(path, after):
    """The rows that a run leaves which is killed after some seconds, and how many it had made a second before."""
    command = [sys.executable, "-c", KILLED, str(GRIPPER), str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    if after > 1.0:
        process.stdout.readline()  # the first steps are made: on a loaded machine that alone takes a second
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    moment = time.time()
    lines = [line.split() for line in process.communicate()[0].splitlines() if len(line.split()) == 2]
    old = max((int(steps) for steps, then in lines if float(then) < moment - 1.0), default=0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gw.RecordingWarning)
            return gw.Recording.open(path), old
    except gw.GearwrightError:
        assert not old  # it had hardly begun
        return None, old


def assert_nothing_old_is_lost(path, after, whole):
    found, old = killed(path, after)
    if found is not None:
        n = min(len(found), len(whole))
        assert len(found) >= old
        assert np.array_equal(found.position["left_finger"][:n], whole.position["left_finger"][:n])
    for left in path.parent.iterdir():
        left.unlink()
    return old


@pytest.fixture(scope="module")
def whole():
    return compile(gw.load(GRIPPER)).run(20.0, command={"motor": 0.012})


@pytest.mark.parametrize("ending", ["mcap", "csv", "npz"])
def test_at_most_a_second_is_lost_to_a_kill(tmp_path, ending, whole):
    """What was simulated more than a second before is in the file, and the same to the bit."""
    assert assert_nothing_old_is_lost(tmp_path / f"run.{ending}", 1.5, whole) > 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_ten_random_kills(tmp_path, ending, whole):
    moments = random.Random(ending)
    old = [assert_nothing_old_is_lost(tmp_path / f"run.{ending}", moments.uniform(0, 3), whole) for _ in range(10)]
    assert max(old) > 1000


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_is_cut_anywhere(tmp_path, ending):
    """Reads the rows that are whole and says so, or says that it cannot; never anything else."""
    gripper().save(tmp_path / f"run.{ending}")
    data = (tmp_path / f"run.{ending}").read_bytes()
    cut = tmp_path / f"cut.{ending}"
    for size in np.linspace(0, len(data) - 1, 25).astype(int):
        cut.write_bytes(data[:size])
        between_lines = ending == "csv" and data[:size].endswith(b"\n")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", gw.RecordingWarning)
            try:
                assert len(gw.Recording.open(cut)) <= 51
            except gw.GearwrightError as error:
                assert "cut" in str(error)
            else:
                assert between_lines or "is cut off" in str(said[0].message)


@pytest.mark.parametrize("ending", ENDINGS)
def test_damaged_bytes(tmp_path, ending):
    gripper().save(tmp_path / f"run.{ending}")
    data = bytearray((tmp_path / f"run.{ending}").read_bytes())
    damaged, rng = tmp_path / f"bad.{ending}", np.random.default_rng(1)
    for _ in range(25):
        other = data.copy()
        for at in rng.integers(0, len(data), 4):
            other[at] = rng.integers(256)
        damaged.write_bytes(other)
        with contextlib.suppress(gw.GearwrightError):  # either: a byte may be one of a number
            gw.Recording.open(damaged)


# --- MCAP ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [gripper, free])
def test_mcap_in_its_own_reader(tmp_path, made):
    """Every message is valid by its schema; joints and motors are those of the recording, to nine digits."""
    jsonschema, reader = pytest.importorskip("jsonschema"), pytest.importorskip("mcap.reader")
    recording = made(1)
    recording.save(tmp_path / "run.mcap")
    topics = {}
    with open(tmp_path / "run.mcap", "rb") as file:
        for schema, channel, message in reader.make_reader(file).iter_messages():
            data = json.loads(message.data)
            jsonschema.validate(data, json.loads(schema.data))
            topics.setdefault(channel.topic, []).append((schema.name, message.log_time, data))
    assert topics["/joint_states"][0][0] == "foxglove.JointStates" and topics["/tf"][0][0] == "foxglove.FrameTransforms"
    assert topics["/scene"][0][0] == "foxglove.SceneUpdate" and topics["/scene"][0][1] == 0
    time, states = topics["/joint_states"][-1][1:]
    row = int(np.argmin(np.abs(recording.time - time * 1e-9)))
    for joint in states["joints"]:
        for family in ("position", "velocity", "effort"):
            if family in joint:
                assert joint[family] == pytest.approx(getattr(recording, family)[joint["name"]][row], rel=1e-8)
    if made is gripper:
        assert {"/motors/motor", "/energy", "/coupling_error", "/reaction"} <= set(topics)
        motor = topics["/motors/motor"][-1][2]
        assert motor["torque"] == pytest.approx(recording.actuator["motor"].torque[row], rel=5e-9)  # nine digits
        entities = topics["/scene"][0][2]["entities"]
        assert {e["frame_id"] for e in entities} <= {t["child_frame_id"] for t in topics["/tf"][0][2]["transforms"]}
        assert sum(len(e["cubes"]) + len(e["cylinders"]) + len(e["models"]) for e in entities) > 0


def test_transforms_are_the_links_poses(tmp_path):
    reader = pytest.importorskip("mcap.reader")
    sim = compile(gw.loads(FOLLOWING))
    sim.reset(position={"leader": 0.5})
    sim.run(0.2).save(tmp_path / "run.mcap")
    with open(tmp_path / "run.mcap", "rb") as file:
        *_, last = reader.make_reader(file).iter_messages(topics=["/tf"])
    again = compile(gw.loads(FOLLOWING))
    again.reset(position={"leader": 0.5})
    again.step(n=round(last[2].log_time * 1e-6))
    for t in json.loads(last[2].data)["transforms"]:
        X = again.pose[t["child_frame_id"]]
        assert [t["translation"][axis] for axis in "xyz"] == pytest.approx(X[:3, 3], abs=ROUNDING)
        # seven digits
        assert [t["rotation"][axis] for axis in "xyzw"] == pytest.approx(quaternions(X[:3, :3]), abs=1e-7)


def test_large_robots_are_thinned_for_looking_only(tmp_path):
    """Channels stay below 25,000 numbers a second; the recording has every row."""
    reader = pytest.importorskip("mcap.reader")
    inertia = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    bodies = "".join(
        f"<link name='l{i}'><inertial><mass value='1'/>{inertia}</inertial></link>"
        f"<joint name='j{i}' type='continuous'><parent link='base'/><child link='l{i}'/></joint>"
        for i in range(20)
    )
    sim = compile(gw.loads(f"<robot name='many'><link name='base'/>{bodies}</robot>"))
    sim.run(0.3, sink=tmp_path / "run.mcap")
    with open(tmp_path / "run.mcap", "rb") as file:
        count = sum(1 for _ in reader.make_reader(file).iter_messages(topics=["/joint_states"]))
    assert count == 101  # 64 numbers at 1 kHz: every third row
    assert len(gw.Recording.open(tmp_path / "run.mcap")) == 301


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning", "ignore::gearwright.LoadWarning")
def test_ten_minutes_of_pr2(tmp_path):
    """At 1 kHz, every joint in motion. The file grows by the second, so that two short runs give its rate; the run in
    full has 252 MB, which this rate gives to 2 %."""
    folder = robot_data()
    if folder is None:
        pytest.skip("PR2's file comes with example-robot-data")
    sim = compile(gw.load(folder / "pr2_description/urdf/pr2.urdf"))
    rng = np.random.default_rng(0)
    amplitude, rate, phase = rng.uniform((0.5, 0.2, 0.0), (2.0, 1.5, 6.0), (len(sim.coordinates), 3)).T
    moving = [n for n in sim.coordinates if n in sim.effort]
    effort = {
        name: lambda t, i=i: amplitude[i] * np.sin(2 * np.pi * rate[i] * t + phase[i]) for i, name in enumerate(moving)
    }
    sizes = {}
    for seconds in (5.0, 15.0):
        sim.reset()
        sim.run(seconds, effort=effort, sink=tmp_path / "pr2.mcap")
        sizes[seconds] = (tmp_path / "pr2.mcap").stat().st_size
    each = (sizes[15.0] - sizes[5.0]) / 10.0
    assert sizes[5.0] + 595.0 * each < 300e6


# --- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 3), (1000, 5)])
def test_blocks_are_exact(shape):
    """Random bits: infinities, NaN and denormals among them."""
    table = np.frombuffer(np.random.default_rng(0).bytes(8 * shape[0] * shape[1]), "<f8").reshape(shape)
    assert decode(encode(table), shape[1]).tobytes() == table.tobytes()


def test_blocks_of_smooth_signals_are_small():
    t = np.linspace(0, 1, 1001)
    table = np.stack([np.sin(3 * t + k) for k in range(10)], axis=1)
    assert len(encode(table)) < 0.45 * table.nbytes
    assert len(encode(np.ones((1000, 10)))) < 600


@pytest.mark.parametrize("data", [b"", b"\xff" * 8, struct.pack("<II", 2**31, 3) + b"abc", encode(np.ones((4, 2)))])
def test_blocks_that_are_none(data):
    with pytest.raises(gw.GearwrightError, match="damaged"):
        decode(data, 3)


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["polars", "pandas"])
def test_tables(package):
    pytest.importorskip(package)
    recording = gripper()
    frame = getattr(recording, f"to_{package}")()
    assert frame.shape == (51, len(recording.schema.stored)) and next(iter(frame.columns)) == "time"
    assert np.array_equal(frame["left_finger.position"].to_numpy(), recording.position["left_finger"])
    assert np.array_equal(frame["motor.torque"].to_numpy(), recording.actuator["motor"].torque)
    batch = gripper(3)
    frame = getattr(batch, f"to_{package}")()
    assert frame.shape[0] == 51 * 3
    own = frame["left_finger.position"].to_numpy()[frame["robot"].to_numpy() == 2]
    assert np.array_equal(own, batch.position["left_finger"][:, 2])


def test_lerobot(tmp_path):
    """The layout of v3.0: an episode a robot, its rows by index, and statistics of every feature."""
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    recording = gripper(3)
    recording.to_lerobot(tmp_path / "set", task="close the gripper", every=5)
    info = json.loads((tmp_path / "set/meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"], info["total_episodes"], info["total_frames"]) == ("v3.0", 200, 3, 33)
    frames = polars.read_parquet(tmp_path / "set" / info["data_path"].format(chunk_index=0, file_index=0))
    assert set(frames.columns) == set(info["features"]) and frames["index"].to_list() == list(range(33))
    names = info["features"]["observation.state"]["names"]
    column = np.stack(frames["observation.state"].to_list())[11:22, names.index("left_finger.position")]
    assert np.array_equal(column, recording.position["left_finger"][::5, 1].astype(np.float32))
    episodes = polars.read_parquet(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet")
    assert episodes["dataset_from_index"].to_list() == [0, 11, 22] and episodes["length"].to_list() == [11] * 3
    tasks = pandas.read_parquet(tmp_path / "set/meta/tasks.parquet")
    assert tasks.iloc[0].name == "close the gripper" and tasks["task_index"].tolist() == [0]
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())
    assert set(stats) == set(info["features"]) and stats["action"]["count"] == [33]
    with pytest.raises(gw.GearwrightError, match="not empty"):
        recording.to_lerobot(tmp_path / "set", task="again")


# --- bands and sizes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_bands_in_the_place_of_robots(tmp_path, ending):
    recording = gripper(5)
    bands = gripper(5, bands=(0.0, 0.5, 1.0))
    left = recording.position["left_finger"]
    assert bands.position["left_finger"].shape == (51, 3)
    assert np.array_equal(bands.position["left_finger"][:, 1], np.median(left, axis=1))
    assert np.array_equal(recording.bands((0.0, 0.5, 1.0)).position["left_finger"], bands.position["left_finger"])
    gripper(5, bands=(0.0, 0.5, 1.0), sink=tmp_path / f"run.{ending}")
    again = gw.Recording.open(tmp_path / f"run.{ending}")
    assert np.array_equal(again.position["left_finger"], bands.position["left_finger"])
    assert again.schema.bands == (() if ending == "csv" else (0.0, 0.5, 1.0))


@pytest.mark.parametrize("bands", [(), (2,), "half", (0.1, None), 0.5])
def test_bands_that_are_none(bands):
    with pytest.raises(gw.ModelError, match="quantiles"):
        gripper(5, bands=bands)


@pytest.mark.parametrize(("disk", "memory", "message"), [(10, 10**12, "on its disk"), (10**12, 10, "free memory")])
def test_a_warning_before_a_file_that_has_no_room(tmp_path, monkeypatch, disk, memory, message):
    monkeypatch.setattr(room, "_free", lambda path: disk)
    monkeypatch.setattr(room, "available_memory", lambda: memory)
    with pytest.warns(gw.RecordingWarning, match=message):
        gripper(sink=tmp_path / "run.csv")


def test_estimates_of_sizes(tmp_path):
    """Within a factor of three, for a robot that moves."""
    recording = gripper()
    for ending in ("npz", "csv"):
        recording.save(tmp_path / f"run.{ending}")
        expected = room.file_size(f"run.{ending}", recording.schema, len(recording))
        assert expected / 3 < (tmp_path / f"run.{ending}").stat().st_size < 3 * expected


def test_what_is_no_recording(tmp_path):
    for ending in ENDINGS:
        (tmp_path / f"x.{ending}").write_bytes(b"something else\n" * 9)
        with pytest.raises(gw.GearwrightError, match="x." + ending):
            gw.Recording.open(tmp_path / f"x.{ending}")
        with pytest.raises(gw.GearwrightError, match="cannot read"):
            gw.Recording.open(tmp_path / f"none.{ending}")
    with pytest.raises(gw.GearwrightError, match=r"valid: \.npz, \.csv, \.mcap, \.parquet"):
        gw.Recording.open("run.xls")
    assert formats.endings()[:4] == (".npz", ".csv", ".mcap", ".parquet")
