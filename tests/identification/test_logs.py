"""Logs: what is read from files of all kinds, and what is refused."""

import json
import struct

import numpy as np
import polars
import pytest

import gearwright as gw
from gearwright.identification.log import Log, as_logs, log_of
from gearwright.identification.units import factor
from tests.identification.logs import ARM, swinging

TIME = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
ANGLE = np.array([0.0, 1.0, 2.0, 3.0, 2.0, 1.0])


def test_recordings_of_our_own(tmp_path):
    sim = gw.compile(ARM)
    rec = sim.run(0.2, command={"motor": 0.1}, every=10)
    direct = log_of(rec)
    for ending in (".csv", ".npz", ".parquet", ".mcap"):
        rec.save(tmp_path / f"run{ending}")
        log = gw.read_log(tmp_path / f"run{ending}")
        assert log.column("elbow.position") == pytest.approx(rec.position["elbow"], abs=1e-15)
        assert set(log.columns) == set(direct.columns) and log.units["elbow.position"] == "rad"
        assert log.column("motor.command").tolist() == [0.1] * len(log.time)
    assert as_logs(rec)[0].time == pytest.approx(rec.time)


def test_tables(tmp_path):
    (tmp_path / "a.csv").write_text("t [ms],angle [deg],on,note\n" + "".join(
        f"{1000 * t},{q},true,x\n" for t, q in zip(TIME, ANGLE, strict=True)))  # fmt: skip
    polars.DataFrame({"time": TIME, "angle [deg]": ANGLE}).write_parquet(tmp_path / "a.parquet")
    np.savez(tmp_path / "a.npz", time=TIME, **{"angle [deg]": ANGLE})
    for ending in ("csv", "parquet", "npz"):
        log = gw.read_log(tmp_path / f"a.{ending}")
        assert log.time == pytest.approx(TIME)
        assert log.column("angle").tolist() == ANGLE.tolist() and log.units["angle"] == "deg"
    assert gw.read_log(tmp_path / "a.csv").column("on").tolist() == [1.0] * 6
    (tmp_path / "b.csv").write_text("when,q\n" + "".join(f"{t},{q}\n" for t, q in zip(TIME, ANGLE, strict=True)))
    assert gw.read_log(tmp_path / "b.csv", time="when").column("q").tolist() == ANGLE.tolist()


def bam(entries, **notes):
    return json.dumps({"mass": 1.1, "kp": 32, "entries": entries, **notes})


ENTRIES = [{"timestamp": t, "position": q, "goal_position": 0.1, "torque_enable": True} for t, q in zip(TIME, ANGLE)]  # noqa: B905


def test_logs_of_bam(tmp_path):
    (tmp_path / "a.json").write_text(bam(ENTRIES))
    log = gw.read_log(tmp_path / "a.json")
    assert log.column("position").tolist() == ANGLE.tolist() and log.column("torque_enable").tolist() == [1.0] * 6
    assert log.notes == {"mass": 1.1, "kp": 32} and not log.leads


def test_goals_of_bam_are_sent_before_a_row_is_stamped(tmp_path):
    late = [e | {"timestamp": e["timestamp"] + 0.013} for e in ENTRIES]
    (tmp_path / "a.json").write_text(bam(late))
    assert gw.read_log(tmp_path / "a.json").leads == {"goal_position": 0.013, "torque_enable": 0.013}


def cdr(time, names, positions):
    """A JointState as ROS 2 writes it."""

    def text(word):
        data = word.encode() + b"\0"
        return struct.pack("<I", len(data)) + data

    body = struct.pack("<iI", int(time), round(1e9 * (time % 1.0))) + text("")
    for part in (names, positions, [], []):
        body += b"\0" * (-len(body) % 4) + struct.pack("<I", len(part))
        for x in part:
            if isinstance(x, str):
                body += b"\0" * (-len(body) % 4) + text(x)
            else:
                body += b"\0" * (-len(body) % 8) + struct.pack("<d", x)
    return b"\0\1\0\0" + body


def test_bags_of_ros_2(tmp_path):
    from mcap.writer import Writer

    with open(tmp_path / "bag.mcap", "wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library="")
        schemas = {
            n: writer.register_schema(n, "ros2msg", b"") for n in ("sensor_msgs/msg/JointState", "std_msgs/msg/Float64")
        }
        states = writer.register_channel("/joint_states", "cdr", schemas["sensor_msgs/msg/JointState"])
        goals = writer.register_channel("/goal", "cdr", schemas["std_msgs/msg/Float64"])
        for k, (t, q) in enumerate(zip(TIME, ANGLE, strict=True)):
            now = round(1e9 * t)
            writer.add_message(states, now, cdr(100.0 + t, ["elbow", "wrist"], [q, -q]), now)
            if k in (0, 3):
                goal = b"\0\1\0\0" + struct.pack("<d", float(k))
                writer.add_message(goals, round(1e9 * (100.0 + t - 0.05)), goal, now)
        writer.finish()
    log = gw.read_log(tmp_path / "bag.mcap")
    assert log.time == pytest.approx(TIME, abs=1e-9)
    assert log.column("elbow.position").tolist() == ANGLE.tolist()
    assert log.column("wrist.position").tolist() == (-ANGLE).tolist()
    assert log.column("goal").tolist() == [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]  # each holds until the next


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"", "ends in none of"),
        ("a.csv", b"", "no rows"),
        ("a.csv", b"time,q\n0,1\n1\n", "line 3"),
        ("a.csv", b"angle,q\n0,1\n1,2\n", "no column of times"),
        ("a.csv", b"\xff\xfe\0", "UTF-8"),
        ("a.csv", b"time,q\n0,1\n,2\n2,3\n3,4\n4,5\n", "row 1 is missing"),
        ("a.csv", b"time,q\n0,1\n1,2\n1,3\n3,4\n4,5\n", "the same as"),
        ("a.csv", b"time,q\n0,1\n2,2\n1,3\n3,4\n4,5\n", "before"),
        ("a.csv", b"time,q\n0,1\n1,2\n", "too few"),
        ("a.csv", b"time,q\n0,a\n.1,b\n.2,c\n.3,d\n.4,e\n", "no column but time"),
        ("a.csv", b"time,q\n0,1\n20,2\n40,3\n60,4\n8000,5\n", "milliseconds"),
        ("a.npz", b"PK", "not an .npz"),
        ("a.parquet", b"PAR1", "not a Parquet"),
        ("a.mcap", b"\x89MCAP0\r\n", "MCAP|messages"),
        ("a.json", b"{", "JSON"),
        ("a.json", b"[" * 100_000, "JSON"),
        ("a.json", b'{"a": 1}', "entries"),
        ("a.json", b'{"entries": [{"position": 1.0}]}', "no time stamps"),
        ("a.json", b'{"entries": [{"timestamp": 0.0, "position": 1.0}, {"timestamp": 1.0}]}', "missing in row 1"),
    ],
)
def test_files_that_are_no_logs(name, data, says, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(gw.GearwrightError, match=says):
        gw.read_log(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(gw.GearwrightError, match="cannot read"):
        gw.read_log(tmp_path / "none.csv")
    with pytest.raises(gw.GearwrightError):
        gw.read_log(3)


def test_numbers_that_are_missing():
    log = swinging(duration=0.5)
    gappy = log.columns["elbow.position"].copy()
    gappy[7:9] = np.nan
    broken = Log(name="gaps", time=log.time, columns={**log.columns, "elbow.position": gappy})
    with pytest.raises(gw.GearwrightError, match=r"gaps: 'elbow.position' is nan in row 7, at 0.07 s, and in 1 other"):
        gw.identify(ARM, broken, "arm.mass")
    with pytest.raises(gw.GearwrightError, match="there are 50 times"):
        Log(name="short", time=log.time, columns={"q": np.zeros(3)})


@pytest.mark.parametrize(
    ("given", "wanted", "times"),
    [("deg", "rad", np.pi / 180), ("rpm", "rad/s", np.pi / 30), ("mA", "A", 1e-3), ("", "rad", 1.0), ("kN", "N", 1e3)],
)
def test_units(given, wanted, times):
    assert factor("a column", given, wanted) == pytest.approx(times, rel=1e-12)


@pytest.mark.parametrize("times", [1e3, 1e9])
def test_times_in_other_units(times):
    log = swinging(duration=0.5)
    with pytest.raises(gw.GearwrightError, match="milliseconds"):
        Log(name="fast", time=times * log.time, columns=log.columns)


def test_a_joint_is_not_measured_far_beyond_its_stops():
    time = 0.01 * np.arange(50)
    columns = {"right_finger.position": 20.0 * np.sin(9.0 * time), "motor.command": 0.01 * np.sin(9.0 * time)}  # mm
    log, robot = Log(name="mm", time=time, columns=columns), gw.load("gripper")
    with pytest.raises(gw.GearwrightError, match="another unit"):
        gw.identify(robot, log, "motor.damping")


def test_a_step_that_is_longer_than_the_recording():
    with pytest.raises(gw.GearwrightError, match="too long"):
        gw.identify(ARM, swinging(duration=0.5), "arm.mass", dt=0.1)


def test_two_columns_for_one_signal():
    log = swinging(duration=0.5)
    twice = Log(name="twice", time=log.time, columns={**log.columns, "a": log.time, "b": log.time})
    with pytest.raises(gw.GearwrightError, match="'a' and 'b' cannot all be"):
        gw.identify(ARM, twice, "arm.mass", signals={"a": "elbow.position", "b": "elbow.position"})


def test_a_fit_that_explains_nothing_warns():
    log = swinging(duration=1.0)
    degrees = Log(name="deg", time=log.time, columns={
        "elbow.position": np.rad2deg(log.column("elbow.position")), "motor.command": log.column("motor.command")
    })  # fmt: skip
    with pytest.warns(UserWarning, match="explains nothing of"):
        gw.identify(ARM, degrees, "arm.mass", starts=1)


def test_degrees_give_the_same_fit():
    log = swinging(duration=1.0)
    columns = {"angle": np.rad2deg(log.column("elbow.position")), "u": log.column("motor.command")}
    degrees = Log(name="deg", time=log.time, units={"angle": "deg"}, columns=columns)
    names = {"angle": "elbow.position", "u": "motor.command"}
    a, b = gw.identify(ARM, log, "arm.mass", starts=1), gw.identify(ARM, degrees, "arm.mass", signals=names, starts=1)
    assert b.values["arm.mass"] == pytest.approx(a.values["arm.mass"], rel=1e-6)
