"""The reference arm against MuJoCo: mass matrix, bias, and where a step leads."""

from dataclasses import replace

import numpy as np
import pytest

from gearwright import robots
from gearwright.dynamics import Equations
from gearwright.formats import load
from gearwright.model import Couplings
from tests.dynamics.random_mechanisms import flat, relative_error
from tests.tolerances import ROUNDING

mujoco = pytest.importorskip("mujoco")

ARM = robots.path("reference_arm")


@pytest.fixture(scope="module")
def arm():
    theirs = mujoco.MjModel.from_xml_path(str(ARM.with_suffix(".xml")))
    ours = Equations(load(ARM), gravity=tuple(theirs.opt.gravity))
    order = [mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, name) for name in ours.coordinates]
    return ours, theirs, mujoco.MjData(theirs), order


def test_mass_matrix_and_bias(arm, rng):
    ours, model, data, order = arm
    for _ in range(20):
        data.qpos[:], data.qvel[:] = rng.normal(size=9), rng.normal(size=9)
        mujoco.mj_forward(model, data)
        M = np.zeros((9, 9))
        mujoco.mj_fullM(model, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, M)
        q, v = data.qpos[order], data.qvel[order]
        assert relative_error(np.array(ours.observer("mass_matrix")(q, [])), M[np.ix_(order, order)]) < 1e-12
        assert relative_error(flat(ours.observer("bias")(q, v, [])), data.qfrc_bias[order]) < 1e-12


def test_trajectory(arm, rng):
    """Without the coupling, and with dampers implicit on both sides, it is the same scheme: 300 steps agree to rounding
    times what the motion amplifies."""
    _, model, data, order = arm
    free = replace(load(ARM), couplings=Couplings())
    step = Equations(free, gravity=tuple(model.opt.gravity)).step
    mujoco.mj_resetData(model, data)
    data.eq_active[:] = 0
    data.qpos[:], data.qvel[:] = 0.5 * rng.normal(size=9), 0.5 * rng.normal(size=9)
    q, v, effort = data.qpos[order], data.qvel[order], 0.3 * rng.normal(size=9)
    data.qfrc_applied[order] = effort
    start = q.copy()
    for _ in range(300):
        mujoco.mj_step(model, data)
        q, v = (flat(x) for x in step(q, v, effort, [], model.opt.timestep))
    assert np.abs(q - data.qpos[order]).max() < ROUNDING
    assert np.abs(v - data.qvel[order]).max() < ROUNDING
    assert np.abs(q - start).max() > 0.1


def test_coupled_trajectory(arm, rng):
    """MuJoCo holds the mimic with a stiff row, we substitute it: the arm moves alike to what the row gives way."""
    ours, model, data, order = arm
    mujoco.mj_resetData(model, data)
    start = np.concatenate([0.5 * rng.normal(size=7), [0.01, 0.01]])
    data.qpos[order] = start
    keep = ours.model.reduction.positions
    q, u = start[keep], np.zeros(8)
    effort = 0.3 * rng.normal(size=9)
    data.qfrc_applied[order] = effort
    for _ in range(100):
        mujoco.mj_step(model, data)
        q, u = (flat(x) for x in ours.step(q, u, effort, [], model.opt.timestep))
    moved = np.abs(q - start[keep]).max()
    assert np.abs(q - data.qpos[order][keep]).max() < 2e-5 * moved  # found 3e-6
