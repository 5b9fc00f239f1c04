"""Logs for tests, by simulation of the driven arm of the examples."""

from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.identification.log import Log

ARM = Path(__file__).parents[2] / "examples" / "motor_arm.sdf"
TRUE = {"motor.friction": 0.006, "elbow.damping": 0.12, "arm.mass": 2.1}
NOISE, SAMPLE = 1e-3, 0.01  # [rad], [s]


def swinging(numbers=TRUE, duration=3.0, seed=0, noise=NOISE, frequency=(5.0, 13.0)):
    """A log of the driven arm: positions with noise, and commands that are held from sample to sample."""
    time = SAMPLE * np.arange(round(duration / SAMPLE))
    command = 0.25 * np.sin(frequency[0] * time) + 0.1 * np.sin(frequency[1] * time)
    sim = gw.compile(gw.load(ARM).with_parameters(numbers), dt=1e-3)
    held = np.repeat(command, 10)[:-10]
    rec = sim.run(time[-1], command={"motor": held}, every=10)
    position = rec.position["elbow"] + noise * np.random.default_rng(seed).normal(size=len(time))
    return Log(name=f"log {seed}", time=time, columns={"elbow.position": position, "motor.command": command})
