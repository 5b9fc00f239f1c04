"""One simulation in several threads: steps take turns, runs that are disturbed raise, Ctrl-C is heard."""

import copy
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gearwright as gw
from tests.cli.commands import CHECKOUT
from tests.sim.robots import DOUBLE_PENDULUM, GRIPPER

LONG = 60.0  # [s] that nothing here takes


def in_threads(*functions):
    """What they raised."""
    raised = []

    def call(function):
        try:
            function()
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=call, args=(f,), daemon=True) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert not any(thread.is_alive() for thread in threads)
    return raised


@pytest.mark.parametrize(("batch", "threads", "steps"), [(1, 1, 20_000), (64, 2, 500)])
def test_no_step_is_lost(batch, threads, steps):
    sim = gw.compile(gw.load(GRIPPER), batch=batch, threads=threads)
    alone = copy.copy(sim)
    assert not in_threads(*[lambda: [sim.step() for _ in range(steps)]] * 3)
    alone.step(n=3 * steps)
    assert sim.clock.steps == 3 * steps and np.array_equal(sim.state, alone.state)


def test_short_and_long_calls_take_turns():
    sim = gw.compile(gw.load(GRIPPER))
    alone = copy.copy(sim)
    assert not in_threads(lambda: sim.step(n=300_000), lambda: [sim.step(n=n) for n in (1, 7, 500) * 50])
    assert sim.clock.steps == 300_000 + 50 * 508
    alone.step(n=sim.clock.steps)
    assert np.array_equal(sim.state, alone.state)


@pytest.mark.parametrize("controller", [None, lambda sim: {}])
@pytest.mark.parametrize("disturb", [lambda sim: sim.step(), lambda sim: sim.reset()])
def test_a_run_that_another_thread_disturbs_raises(controller, disturb):
    sim = gw.compile(gw.load(GRIPPER))
    running = threading.Event()

    def disturbing():
        running.wait(LONG)
        while running.is_set():
            disturb(sim)

    def run():
        running.set()
        try:
            sim.run(1000.0 if controller is None else 20.0, controller, every=100)
        finally:
            running.clear()

    (error,) = in_threads(run, disturbing)
    assert isinstance(error, gw.SimulationError) and "another thread" in str(error)


def test_readings_are_to_be_had_while_another_thread_steps():
    sim = gw.compile(gw.loads(DOUBLE_PENDULUM), batch=64, threads=2)
    going = threading.Event()
    going.set()

    def read():
        for _ in range(300):
            assert np.isfinite(sim.position["elbow"]).all() and np.isfinite(sim.energy).all()
        going.clear()

    def step():
        while going.is_set():
            sim.step(n=10)

    assert not in_threads(step, read)


WHEEL = """<sdf version="1.12"><model name="wheel"><link name="base"/><link name="disc"/>
  <joint name="fixed" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="turn" type="continuous"><parent>base</parent><child>disc</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""


@pytest.mark.parametrize(("batch", "device"), [(1, "cpu"), (4096, "cpu"), (1, "interpreter")])
def test_a_reset_comes_between_two_steps_of_another_thread(batch, device):
    """A wheel that turns freely: at every moment its angle is where it began plus its speed times the time."""
    sim = gw.compile(gw.loads(WHEEL), batch=batch, device=device, threads=2)
    going = threading.Event()
    going.set()

    def reset():
        try:
            for speed in np.linspace(1.0, 300.0, 150):
                sim.reset(position={"turn": 10.0 * speed}, velocity={"turn": speed})
                now = copy.copy(sim)
                angle, rate = now.position["turn"], now.velocity["turn"]
                assert np.all(rate == speed), "steps went on with another speed"
                assert angle == pytest.approx(speed * (10.0 + now.time), rel=1e-12), f"{now.clock.steps} steps"
        finally:
            going.clear()

    def step():
        while going.is_set():
            sim.step()

    assert not in_threads(step, step, reset)


INTERRUPTED = """
import sys, threading
import gearwright as gw
sim = gw.compile("gripper", batch=64, threads=2)
def go():
    while True:
        sim.step(n=100)
for _ in range(2):
    threading.Thread(target=go, daemon=True).start()
print("ready", flush=True)
try:
    go()
except KeyboardInterrupt:
    print("heard", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_is_heard_while_threads_step_one_batch():
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    restored = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, env=environment, **restored
    ) as run:
        assert run.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        try:
            assert run.communicate(timeout=10.0)[0] == b"heard\n"
        finally:
            run.kill()
