"""Simulations by CUDA kernels: on a GPU where there is one, otherwise the kernels' text on the CPU."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import backends
from tests.compiler.cuda_on_cpu import CudaOnCpu, gpu, sized
from tests.sim.robots import FOLDER

BATCH = 5
SOME = ("gripper.sdf", "four_bar.sdf", "reference_arm.urdf")
ALL = tuple(sorted(f.name for f in FOLDER.iterdir() if f.suffix in (".sdf", ".urdf")))


@pytest.fixture(autouse=True, params=["usual", "limbs", "far"])
def _device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    sized(monkeypatch, request.param)
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)


def both(robot: str, **options: object) -> tuple[gw.Simulation, gw.Simulation]:
    mechanism = gw.load(FOLDER / robot)
    return tuple(gw.compile(mechanism, batch=BATCH, device=device, **options) for device in ("cpu", "cuda"))  # type: ignore[return-value,arg-type]


def pushed(sim: gw.Simulation) -> dict[str, np.ndarray]:
    """Efforts on joints of one axis: 1 N·m about a thin rod's own axis would make its motion chaotic."""
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=BATCH) for name in sim.coordinates if "." not in name}


# One step: sines of two libraries differ by a unit in the last place, 1e-16, which a loop's projection has seen grow
# to 3e-16. 200 steps: that grows with the motion, to 1.6e-11 in the pushed four-bar, which turns fast enough for parts.
@pytest.mark.parametrize("robot", [r if r in SOME else pytest.param(r, marks=pytest.mark.slow) for r in ALL])
def test_cpu_and_cuda_agree(robot: str) -> None:
    cpu, cuda = both(robot)
    for sim in (cpu, cuda):
        sim.step(effort=pushed(sim))
    assert np.abs(cuda.state - cpu.state).max() < 5e-13  # efforts are impulses over 1 ms: found 2e-13; the rest 3e-16
    for sim in (cpu, cuda):
        sim.step(n=199)
    assert np.ptp(cpu.state, axis=0).max() > 1e-6  # robots differ
    assert np.abs(cuda.state - cpu.state).max() < 1e-10  # fused products and another libm, over the run


def test_recordings_parameters_and_readings() -> None:
    options = {"parameters": ["right_finger.damping"], "integrator": "euler"}
    found = []
    for sim in both("gripper.sdf", **options):
        sim.set_parameters({"right_finger.damping": np.linspace(1.0, 20.0, BATCH)})
        rec = sim.run(0.05, command={"motor": lambda t: 0.5 + 0.1 * np.sin(40 * t)}, every=5)
        found.append((rec.position["right_finger"], rec.actuator["motor"].torque, rec.energy, sim.sensor, sim.time))
    (q, torque, energy, sensors, t), (q2, torque2, energy2, sensors2, t2) = found
    assert np.ptp(q[-1]) > 1e-6 and t == t2
    for a, b in ((q, q2), (torque, torque2), (energy, energy2)):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)
    for name in sensors:
        np.testing.assert_allclose(sensors2[name], sensors[name], rtol=1e-12)


def test_failures_name_the_robot_and_leave_its_last_good_state() -> None:
    errors, states = [], []
    for sim in both("reference_arm.urdf", integrator="euler"):
        push = np.zeros(BATCH)
        push[3] = 1e7
        with pytest.raises(gw.SimulationError, match="robot 3") as error:
            sim.step(effort={sim.coordinates[0]: push}, n=50)
        errors.append(str(error.value))
        states.append(sim.state)
    assert errors[0] == errors[1]
    np.testing.assert_allclose(states[1], states[0], rtol=1e-12, atol=1e-15)


def test_a_simulation_is_pickled_with_its_state() -> None:
    _, sim = both("gripper.sdf", integrator="euler")
    sim.step(effort={"right_finger": 3.0}, n=20)
    again = pickle.loads(pickle.dumps(sim))
    assert np.array_equal(again.state, sim.state)
    for each in (sim, again):
        each.step(n=10)
    assert np.array_equal(again.state, sim.state)


def test_without_a_gpu_the_error_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    if gpu():
        pytest.skip("a GPU is here")
    monkeypatch.delitem(backends.BACKENDS, "cuda")
    with pytest.raises(gw.CompileError, match=r"needs (cupy|an NVIDIA GPU)"):
        gw.compile(gw.load(FOLDER / "gripper.sdf"), device="cuda")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_calls_of_few_steps_are_like_long_ones(n: int) -> None:
    """In single precision they have a kernel of their own; here both are compiled exactly, and agree to the bit."""
    sims = [gw.compile(gw.load(FOLDER / "gripper.sdf"), batch=BATCH, device="cuda", precision="single") for _ in "ab"]
    for sim in sims:
        sim.reset(position={"right_finger": np.linspace(0.01, 0.03, BATCH)})
    for _ in range(12 // n):
        sims[0].step(n=n)
    sims[1].step(n=12)
    assert np.ptp(sims[0].state, axis=0).max() > 1e-6
    np.testing.assert_allclose(sims[0].state, sims[1].state, rtol=1e-4 if gpu() else 0.0, atol=1e-6 if gpu() else 0.0)
