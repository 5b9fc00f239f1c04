"""Ctrl-C at any moment, forks, and processes that are killed while they save."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from gearwright.sim.running import clock
from gearwright.sim.running.clock import LONGEST, Pace
from tests.cli.commands import CHECKOUT

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of POSIX")


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize(
    ("kind", "batch"),
    [("step", 1), ("run", 600), *(pytest.param(*p, marks=pytest.mark.slow) for p in (("step", 600), ("run", 1)))],
)
def test_ctrl_c_leaves_a_whole_number_of_steps(kind, batch):
    """25 random moments each, a hundred in all. A call lasts 0.05 s, so that 0.2 s are a wide bound for the median;
    single ones wait for the processor on a machine that others use, too."""
    command = [sys.executable, "-m", "tests.sim.interrupted", kind, str(batch), "25", str(batch)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    latencies = json.loads(done.stdout)
    assert len(latencies) == 25
    assert np.median(latencies) < 0.2 and max(latencies) < 2.0, latencies


class Machine:
    """A clock, and steps that take some time on it."""

    def __init__(self, monkeypatch, seconds):
        self.now, self.seconds = 0.0, seconds
        monkeypatch.setattr(clock, "perf_counter", lambda: self.now)

    def calls(self, pace, n):
        durations, steps = [], 0
        for first, count in pace.calls(n):
            assert first == steps
            steps += count
            durations.append(count * self.seconds(first))
            self.now += durations[-1]
        assert steps == n
        return durations


@pytest.mark.parametrize("seconds", [1e-7, 1e-6, 1e-4, 1e-2])
def test_calls_are_short_and_not_too_many(monkeypatch, seconds):
    n = int(20.0 / seconds)
    durations = Machine(monkeypatch, lambda first: seconds).calls(Pace(20), n)
    assert max(durations) <= max(LONGEST, 1000 * seconds)  # the first is a guess: a thousand steps of 20 numbers
    assert max(durations[1:]) <= LONGEST * 1.01
    assert len(durations) <= 20.0 / LONGEST * 1.2 + 10


def test_calls_get_shorter_where_steps_get_slower(monkeypatch):
    durations = Machine(monkeypatch, lambda first: 1e-6 if first < 10**6 else 4e-6).calls(Pace(20), 3 * 10**6)
    assert max(durations) <= 4 * LONGEST <= 0.2
    assert sorted(durations)[-2] <= LONGEST * 1.01


def test_one_step_is_the_shortest_call(monkeypatch):
    durations = Machine(monkeypatch, lambda first: 1.0).calls(Pace(10**9), 5)
    assert durations == [1.0] * 5


@pytest.mark.parametrize("n", [2**64 + 1, 10**30, 2**53 + 1])
def test_too_many_steps(double_pendulum, n):
    sim = compile(double_pendulum)
    with pytest.raises(gw.ModelError, match=r"the clock counts 9007199254740992 \(2\*\*53\) at most"):
        sim.step(n=n)
    sim.step(n=3)
    with pytest.raises(gw.ModelError, match="3 made before"):
        sim.step(n=2**53 - 2)
    with pytest.raises(gw.ModelError, match=r"2\*\*53"):
        sim.run(1e300, every=10**400)
    assert sim.time == 3 * sim.dt


@pytest.mark.parametrize("n", [1.0, 2.5, True, False, "2", None, [1], np.float64(1.0), -1, np.int64(-3), -(10**30)])
def test_what_is_no_number_of_steps(double_pendulum, n):
    sim = compile(double_pendulum)
    with pytest.raises(gw.ModelError, match=r"n must be a (whole )?number of steps"):
        sim.step(effort={"elbow": 1.0}, n=n)
    assert sim.time == 0.0 and sim.effort["elbow"] == 0.0
    sim.step(n=np.int64(2))
    sim.step(n=0)
    assert sim.time == 2 * sim.dt


def test_a_failed_call_leaves_commands_as_they_were(gripper):
    sim = compile(gripper)
    sim.step(command={"motor": 0.01}, effort={"right_finger": 0.1})
    held = (sim.actuator["motor"].command, sim.effort["right_finger"], sim.time)
    for wrong in (
        {"command": {"motor": 0.5, "motr": 1.0}},
        {"command": {"motor": 0.5}, "effort": {"right_fingr": 1.0}},
        {"command": {"motor": 0.5}, "effort": {"right_finger": np.nan}},
        {"command": {"motor": 0.5}, "effort": {"right_finger": [1.0, 2.0]}},
        {"command": {"motor": 0.5}, "n": -1},
    ):
        with pytest.raises(gw.GearwrightError):
            sim.step(**wrong)
        assert (sim.actuator["motor"].command, sim.effort["right_finger"], sim.time) == held


# --- processes ------------------------------------------------------------------------------------------------------


def stepped(sim):
    sim.step(n=20)
    return sim.state


@POSIX
def test_a_large_batch_is_stepped_in_a_forked_child(double_pendulum):
    sim = compile(double_pendulum, batch=4096, threads=4)
    sim.reset(position={"shoulder": np.linspace(0.1, 1.0, 4096)})
    sim.step(n=5)  # threads were at work before the fork
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(stepped, [sim, sim]).get(timeout=60)
    expected = stepped(sim)
    assert all(np.array_equal(state, expected) for state in found)


@POSIX
def test_a_fork_itself_may_step(double_pendulum):
    """The same memory, not a pickle."""
    sim = compile(double_pendulum, batch=4096, threads=4)
    sim.step(n=5)
    child = os.fork()
    if child == 0:
        sim.step(n=20)
        os._exit(0 if sim.time == 25 * sim.dt else 1)
    deadline = time.monotonic() + 30
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended == (child, 0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_one_bad_file_in_a_pool(tmp_path, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    good, bad = tmp_path / "good.urdf", tmp_path / "bad.urdf"
    good.write_text("<robot name='r'><link name='a'/></robot>")
    bad.write_text("<robot name='r'><link/></robot>")
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert [r.name for r in pool.map_async(gw.load, [good, good]).get(timeout=60)] == ["r", "r"]
        with pytest.raises(gw.LoadError) as raised:
            pool.map_async(gw.load, [good, bad]).get(timeout=60)
    assert raised.value.diagnostics and raised.value.diagnostics[0].file.endswith("bad.urdf")


# --- killed while it saves ------------------------------------------------------------------------------------------


def save_for_ever(recordings, path, ready):
    """One after the other, again and again."""
    while True:
        for recording in recordings:
            recording.save(path)
            ready.set()


@POSIX
@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_kill_while_saving_leaves_the_old_file_or_the_new_one(double_pendulum, tmp_path, ending):
    sim, path, context = compile(double_pendulum), tmp_path / f"run.{ending}", multiprocessing.get_context("fork")
    recordings = [sim.run(0.2), sim.run(0.3)]
    whole = set()
    for recording in recordings:
        recording.save(path)
        whole.add(path.read_bytes() if ending == "csv" else len(np.load(path)["time"]))
    rng = random.Random(9)
    for _ in range(10):
        ready = context.Event()
        child = context.Process(target=save_for_ever, args=(recordings, path, ready))
        child.start()
        assert ready.wait(30)
        time.sleep(rng.uniform(0.0, 0.03))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        assert (path.read_bytes() if ending == "csv" else len(np.load(path)["time"])) in whole
    recordings[0].save(path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]  # what the killed ones left is gone
