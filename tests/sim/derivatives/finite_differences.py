"""Derivatives of roll-outs by central differences of the sixth order, in one batch."""

from dataclasses import replace

import numpy as np

from gearwright.sim.derivatives.sensitivity import differentiable
from gearwright.sim.programs.kernels import CompiledKernels
from gearwright.sim.recordings.signal_names import find
from gearwright.sim.simulation import Simulation

OFFSETS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60.0


def differences(sim, duration, outputs, parameters=(), state=(), commands=(), command=None, effort=None, h=1e-5):
    """(T, outputs, inputs) of one robot. Parameters change by a share of their size, the rest by `h`."""
    names = (*parameters, *commands, *state)
    twin = differentiable(sim, parameters)
    options = replace(twin.options, batch=len(names) * len(OFFSETS))
    each = Simulation(twin.robot, options, CompiledKernels(twin.robot, options))
    B = each.batch
    steps = {n: h * (abs(twin.robot.parameters[n].value) or 1.0) if n in parameters else h for n in names}
    moved = {n: np.zeros(B) for n in names}
    for k, n in enumerate(names):
        moved[n][k * len(OFFSETS) : (k + 1) * len(OFFSETS)] = steps[n] * OFFSETS
    for slot in each.batch_state.parts:
        each.batch_state.set(slot, sim.batch_state.get(slot)[0])
    each.set_parameters({n: twin.robot.parameters[n].value + moved[n] for n in parameters})
    for slot in ("position", "velocity"):
        values = each.batch_state.get(slot)
        for i, e in enumerate(each.layout.elements(slot)):
            values[:, i] += moved.get(f"{e.owner}.{e.quantity}", 0.0)
        each.batch_state.set(slot, values)
    given = {
        what: {n: np.asarray(x)[..., None] + moved.get(n, 0.0) for n, x in (values or {}).items()}
        for what, values in (("command", command), ("effort", effort))
    }
    rec = each.run(duration, **given)
    found = np.zeros((len(rec), len(outputs), len(names)))
    for i, output in enumerate(outputs):
        values = rec.read(*find(rec.schema, output))
        for k, n in enumerate(names):
            part = values[:, k * len(OFFSETS) : (k + 1) * len(OFFSETS)]
            found[:, i, k] = part @ WEIGHTS / steps[n]
    return found
