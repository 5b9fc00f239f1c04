"""Networks as actuators: inside the step as NumPy evaluates them outside, and their files."""

import io

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.actuators.network import Layer, Network, RecurrentLayer
from gearwright.model.actuators.network_files import read_network
from tests.sim.driven import body, rigid

DT, INERTIA = 1e-3, 0.5


def weights(rng, inputs=6, hidden=16):
    return {
        "weight_0": rng.normal(size=(hidden, inputs)), "bias_0": rng.normal(size=hidden),
        "weight_1": rng.normal(size=(8, hidden)) / 4, "bias_1": rng.normal(size=8),
        "weight_2": rng.normal(size=(1, 8)), "bias_2": rng.normal(size=1),
        "activation": np.array("softsign"), "input_scale": np.array([0.1, 0.1, 0.1, 5.0, 5.0, 5.0]),
        "output_scale": np.array(3.0),
    }  # fmt: skip


def saved(tmp_path, arrays, name="net.npz"):
    np.savez(tmp_path / name, **arrays)
    return tmp_path / name


def on_wheel(actuator, **options):
    return gw.compile(rigid(body("j", INERTIA)).with_actuator(actuator), dt=DT, **options)


def test_a_network_in_the_step_is_that_of_numpy(rng, tmp_path):
    """Errors and speeds of the last three samples, at a fifth of the step's rate."""
    arrays = weights(rng)
    actuator = gw.LearnedActuator.load(
        saved(tmp_path, arrays), name="m", joint="j", history=3, sample_rate=200.0, effort_limit=4.0
    )
    sim = on_wheel(actuator)
    errors, speeds, output, seen = [], [], 0.0, []
    for k in range(200):
        goal = np.sin(0.02 * k)
        sim.step(command={"m": goal})
        assert sim.actuator["m"].torque == pytest.approx(np.clip(output, -4.0, 4.0), abs=1e-9)
        if k % 5 == 0:
            new = goal - sim.position["j"], sim.velocity["j"]
            errors, speeds = ([x, *(old or [x] * 2)[:2]] for x, old in zip(new, (errors, speeds), strict=True))
            x = np.array([*errors, *speeds]) / arrays["input_scale"]
            for i in (0, 1):
                x = arrays[f"weight_{i}"] @ x + arrays[f"bias_{i}"]
                x = x / (1 + np.abs(x))
            output = float((arrays["weight_2"] @ x + arrays["bias_2"])[0] * 3.0)
        seen.append(sim.actuator["m"].torque)
    assert np.ptp(seen) > 1.0


def test_a_gru_in_the_step_is_that_of_its_equations(rng, tmp_path):
    n = 4
    arrays = {
        "weight_ih": rng.normal(size=(3 * n, 2)), "weight_hh": rng.normal(size=(3 * n, n)),
        "bias_ih": rng.normal(size=3 * n), "bias_hh": rng.normal(size=3 * n),
        "weight_0": rng.normal(size=(1, n)), "bias_0": np.zeros(1),
    }  # fmt: skip
    sim = on_wheel(gw.LearnedActuator.load(saved(tmp_path, arrays), name="m", joint="j"))
    h, output = np.zeros(n), 0.0
    for k in range(100):
        goal = np.cos(0.05 * k)
        sim.step(command={"m": goal})
        assert sim.actuator["m"].torque == pytest.approx(output, abs=1e-9)
        a = arrays["weight_ih"] @ [goal - sim.position["j"], sim.velocity["j"]] + arrays["bias_ih"]
        b = arrays["weight_hh"] @ h + arrays["bias_hh"]
        r, z = (1 / (1 + np.exp(-(a + b)[i * n : (i + 1) * n])) for i in (0, 1))
        h = (1 - z) * np.tanh(a[2 * n :] + r * b[2 * n :]) + z * h
        output = float((arrays["weight_0"] @ h)[0])


def test_it_is_saved_batched_and_parallel(rng, tmp_path):
    actuator = gw.LearnedActuator.load(saved(tmp_path, weights(rng)), name="m", joint="j", history=3)
    sim = on_wheel(actuator, batch=3)
    goals = np.array([0.1, 0.5, -0.3])
    sim.step(command={"m": goals}, n=50)
    alone = on_wheel(actuator)
    alone.step(command={"m": 0.5}, n=50)
    assert sim.position["j"][1] == pytest.approx(alone.position["j"], rel=1e-12)
    sim.save(tmp_path / "net.gw")
    again = gw.open(tmp_path / "net.gw")
    assert again.robot == sim.robot
    again.step(command={"m": goals}, n=50)
    sim.step(command={"m": goals}, n=50)
    assert np.array_equal(again.state, sim.state)


def test_an_onnx_file_is_the_same_network(rng, tmp_path):
    onnx = pytest.importorskip("onnx")
    W0, b0, W1, b1 = (rng.normal(size=s).astype(np.float32) for s in ((5, 2), (5,), (1, 5), (1,)))
    make = onnx.helper
    nodes = [
        make.make_node("Gemm", ["x", "W0", "b0"], ["h"], transB=1), make.make_node("Elu", ["h"], ["e"]),
        make.make_node("MatMul", ["e", "W1"], ["y"]), make.make_node("Add", ["y", "b1"], ["z"]),
    ]  # fmt: skip
    given = {"W0": W0, "b0": b0, "W1": W1.T, "b1": b1}
    tensors = [onnx.numpy_helper.from_array(np.ascontiguousarray(x), n) for n, x in given.items()]
    ends = [make.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1, s]) for n, s in (("x", 2), ("z", 1))]
    onnx.save(make.make_model(make.make_graph(nodes, "net", ends[:1], ends[1:], tensors)), tmp_path / "net.onnx")
    x = np.array([0.3, -0.7])
    h = W0 @ x + b0
    expected = W1 @ np.where(h > 0, h, np.exp(h) - 1) + b1
    assert read_network(tmp_path / "net.onnx").evaluate(x)[0] == pytest.approx([expected[0]], rel=1e-6)
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    with pytest.raises(gw.ModelError, match=r"not an ONNX file|at least one layer"):
        read_network(tmp_path / "bad.onnx")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"weight_1": np.zeros((8, 15))}, "a layer takes 15 numbers, but the one before it gives 16"),
        ({"weight_2": np.zeros((2, 8)), "bias_2": np.zeros(2)}, "must give one number, its effort, not 2"),
        ({"activation": np.array("gelu")}, "activation.*gelu"),
        ({"weight_0": np.full((16, 6), np.nan)}, "must be finite"),
        ({"input_scale": np.zeros(6)}, "cannot be zero"),
        ({"bias_0": np.zeros(3)}, "must have 3 rows"),
        ({"bias_0": np.array(["a", "b"])}, "must be of numbers"),
    ],
)
def test_what_a_file_has_wrongly(rng, tmp_path, changes, says):
    with pytest.raises(gw.GearwrightError, match=says):
        path = saved(tmp_path, weights(rng) | changes)
        gw.LearnedActuator.load(path, name="m", joint="j", inputs=("error", "velocity"), history=3)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"x" * 1000])
def test_files_that_are_none(tmp_path, content):
    (tmp_path / "net.npz").write_bytes(content)
    with pytest.raises(gw.ModelError):
        read_network(tmp_path / "net.npz")
    with pytest.raises(gw.ModelError, match="cannot be read"):
        read_network(tmp_path / "none.npz")


def test_a_pickle_is_not_opened(tmp_path):
    """An array of objects would run code when it is loaded."""
    buffer = io.BytesIO()
    np.savez(buffer, weight_0=np.array([object()], dtype=object))
    (tmp_path / "net.npz").write_bytes(buffer.getvalue())
    with pytest.raises(gw.ModelError, match="not a NumPy file of arrays"):
        read_network(tmp_path / "net.npz")


def test_inputs_have_to_fit():
    layer = Layer(weight=((1.0, 2.0),), bias=(0.0,))
    with pytest.raises(gw.ModelError, match="are 6 numbers, and its network takes 2"):
        gw.LearnedActuator(name="m", network=Network(layers=(layer,)), history=3)
    with pytest.raises(gw.GearwrightError, match="'errors'"):
        gw.LearnedActuator(name="m", network=Network(layers=(layer,)), inputs=("errors", "velocity"))
    with pytest.raises(gw.ModelError, match="biases of 6"):
        RecurrentLayer(input_weight=((1.0,),) * 6, hidden_weight=((1.0, 0.0),) * 6, input_bias=(0.0,), hidden_bias=())
