"""Whole slots as arrays, exchanged by DLPack: on the CPU, and in the memory of CUDA kernels."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import backends
from tests.compiler.cuda_on_cpu import CudaOnCpu, gpu
from tests.tolerances import ROUNDING


class Foreign:
    """An array of another library: DLPack is all that it has."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@pytest.fixture(params=["cpu", "cuda"])
def sim(request, monkeypatch):
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    options = {"integrator": "euler", "parameters": ("right_finger.damping",)}
    return gw.compile("gripper", batch=5, device=request.param, **options)


def host(array):
    return array.get() if hasattr(array, "get") else np.asarray(array)


def test_rows_have_names_and_columns_are_robots(sim):
    sim.step(command={"motor": np.linspace(0.1, 0.5, 5)}, n=20)
    for slot, values in (("position", sim.position), ("velocity", sim.velocity), ("sensor", sim.sensor)):
        names, array = sim.arrays.names(slot), host(sim.arrays[slot])
        assert array.shape == (len(names), 5)
        for i, name in enumerate(names):
            assert array[i].tolist() == values[name].tolist()
    assert host(sim.arrays["command"])[0].tolist() == np.linspace(0.1, 0.5, 5).tolist()
    assert set(sim.arrays) == {"position", "velocity", "effort", "command", "sensor", "parameter"}


def test_arrays_of_other_libraries_are_taken(sim):
    xp = np if type(sim.arrays["command"]) is np.ndarray else __import__("cupy")
    sim.arrays["command"] = Foreign(xp.linspace(0.1, 0.5, 5)[None])
    sim.arrays["parameter"] = Foreign(xp.linspace(1.0, 9.0, 5)[None])
    sim.arrays["velocity"] = np.zeros((1, 5))  # of the host, too
    sim.step(n=20)
    twin = gw.compile("gripper", batch=5, integrator="euler", parameters=("right_finger.damping",))
    twin.set_parameters({"right_finger.damping": np.linspace(1.0, 9.0, 5)})
    twin.step(command={"motor": np.linspace(0.1, 0.5, 5)}, n=20)
    np.testing.assert_allclose(sim.state, twin.state, rtol=1e-12, atol=1e-15)


def test_the_memory_of_kernels_is_not_copied(sim):
    before = sim.arrays["position"]
    sim.step(command={"motor": 0.5}, n=50)
    same = host(before).tolist() == host(sim.arrays["position"]).tolist()
    assert same == (sim.options.device == "cuda")  # the CPU's lanes are apart: a copy


def test_mistakes(sim):
    with pytest.raises(gw.ModelError, match="did you mean 'command'"):
        sim.arrays.names("comand")
    with pytest.raises(gw.ModelError, match=r"shape \(1, 5\)"):
        sim.arrays["command"] = np.zeros(5)
    with pytest.raises(gw.ModelError, match="array to be set"):
        sim.arrays["sensor"] = np.zeros((1, 5))


def test_learning_environments_on_the_device(monkeypatch):
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    made = {}
    for device in ("cpu", "cuda"):
        env = gw.VectorEnv("gripper", batch=4, observe=("right_finger.position", "motor.torque"), act=("motor",),
                           reward=lambda obs, act: obs[:, 0], reset={"right_finger": (0.0, 0.01)}, device=device,
                           integrator="euler")  # fmt: skip
        env.reset(seed=3)
        made[device] = [env.step(np.full((4, 1), 0.1 * k))[0] for k in range(5)]
    np.testing.assert_allclose(made["cuda"], made["cpu"], rtol=ROUNDING, atol=ROUNDING)


def test_without_a_gpu_the_error_says_so():
    if gpu():
        pytest.skip("there is one")
    with pytest.raises(gw.CompileError, match=r"needs cupy|needs an NVIDIA GPU"):
        gw.VectorEnv("gripper", batch=4, observe=("right_finger.position",), act=("motor",),
                     reward=lambda obs, act: obs[:, 0], device="cuda")  # fmt: skip
