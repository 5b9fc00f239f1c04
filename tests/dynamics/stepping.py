"""Steps of `Equations` alone: their stages run on numbers, without a compiler."""

import numpy as np

from gearwright.dynamics.steps.builder import Repeat, Unless
from tests.dynamics.random_mechanisms import flat

DT = 1e-3


def run(body, slots):
    """Stages over named slots, loops and branches, which end where their number is not zero: as a program does it."""
    for node in body:
        if isinstance(node, Repeat):
            for _ in range(node.count):
                if node.until is not None and slots[node.until].any():
                    break
                run(node.body, slots)
            continue
        if isinstance(node, Unless):
            if not slots[node.unless].any():
                run(node.body, slots)
            continue
        outputs = node.call([slots[name] for name in node.name_in()])
        slots |= {name: flat(x) for name, x in zip(node.name_out(), outputs, strict=True)}


def started(equations, q, v, effort=None, dt=DT):
    """All slots that a step begins with: at rest but for what is given, and the mean velocity that of the start."""
    slots = {name: np.zeros(symbol.numel()) for name, symbol in equations._step_inputs.items()}
    slots |= {"position": np.asarray(q, float), "velocity": np.asarray(v, float), "dt": np.array([dt])}
    if effort is not None:
        slots["effort"] = np.asarray(effort, float)
    if "mean_velocity" in slots:
        slots["mean_velocity"] = slots["velocity"]
    return slots


def one_step(equations, q, v, effort, dt=DT):
    """Position, velocity and impulses after a step from rest of everything else."""
    slots = started(equations, q, v, effort, dt)
    run(equations.stages, slots)
    return slots["position"], slots["velocity"], slots["impulse"]
