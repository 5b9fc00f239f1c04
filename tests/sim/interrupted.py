"""Interrupts a simulation again and again, as a process: `python -m tests.sim.interrupted KIND BATCH MOMENTS SEED`.

Prints one JSON line: the seconds from each SIGINT to its KeyboardInterrupt. Fails where a state is not that of a whole
number of steps of every robot, or the clock says another number.
"""

import copy
import json
import os
import random
import signal
import sys
import threading
import time

import numpy as np

import gearwright as gw
from tests.sim.robots import DOUBLE_PENDULUM

STEPS = 10_000_000  # 0.6 s and more: none of the runs comes to its end
EFFORT = 1e-3 * np.sin(np.arange(STEPS) * 1e-3)  # new in every step, so that a run reads a buffer of its own


class Interrupt(threading.Thread):
    """Sends SIGINT to this process, some time from now."""

    def __init__(self, delay):
        super().__init__(daemon=True)
        self.delay, self.sent = delay, 0.0

    def run(self):
        time.sleep(self.delay)
        self.sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)


def interrupted(act, delay):
    """Seconds from the signal to the exception."""
    thread = Interrupt(delay)
    try:
        thread.start()
        act()
    except KeyboardInterrupt:
        caught = time.perf_counter()
        thread.join()
        return caught - thread.sent
    raise AssertionError("nothing interrupted it")


def check_consistent(sim, before, kind):
    """The same steps, made at once from where it began, give the same bits."""
    steps = round((sim.time - before.time) / sim.dt)
    assert 0 <= steps < STEPS and sim.time == before.clock.start + (before.clock.steps + steps) * sim.dt
    if kind == "step":
        before.step(n=steps)
    else:
        before.run(steps * sim.dt, effort={"elbow": EFFORT[:steps, None]}, every=STEPS)
    assert np.array_equal(sim.state, before.state), "not the state of a whole number of steps"
    assert np.isfinite(sim.state).all()


def main():
    kind, batch, moments, seed = sys.argv[1], *map(int, sys.argv[2:5])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin with it ignored
    rng = random.Random(seed)
    sim = gw.compile(gw.loads(DOUBLE_PENDULUM), batch=batch, threads=None if batch == 1 else 4)
    acts = {
        "step": lambda: sim.step(n=STEPS),
        "run": lambda: sim.run(STEPS * sim.dt, effort={"elbow": EFFORT[:, None]}, every=700),
    }
    latencies = []
    for _ in range(moments):
        sim.reset(position={"shoulder": rng.uniform(0.1, 1.0)})
        before = copy.copy(sim)
        latencies.append(interrupted(acts[kind], rng.uniform(0.0, 0.12)))
        check_consistent(sim, before, kind)
    print(json.dumps(latencies))


if __name__ == "__main__":
    main()
