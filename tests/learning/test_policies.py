"""Trained policies as controllers: in the step, from Python, in exported C code; files of both kinds."""

import subprocess

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.actuators.network_files import read_network, write_network
from tests.export.test_c import built

RANGES = {"motor": (-0.01, 0.02)}
OBSERVE = ("left_finger.position", "cos(right_finger.position)", "motor.velocity", "motor_encoder.sensor",
           lambda sim: [sim.goal["width"], sim.action[0] - sim.last_action[0]])  # fmt: skip


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(1)
    weights = {"weight_0": rng.normal(size=(8, 6)), "weight_1": rng.normal(size=(1, 8))}
    biases = {"bias_0": rng.normal(size=8), "bias_1": rng.normal(size=1)}
    scales = {"input_mean": rng.normal(size=6), "input_scale": rng.uniform(1, 2, 6), "output_mean": np.array([0.2])}
    np.savez(tmp_path / "net.npz", activation="tanh", **weights, **biases, **scales)
    return tmp_path / "net.npz"


def policy(path, **changes):
    return gw.Policy.load(
        path, **{"observe": OBSERVE, "act": RANGES, "goal": {"width": 0.03}, "normalized": True} | changes
    )


def test_in_the_step_as_from_python(path):
    here = gw.compile("gripper", controller=policy(path), control_period=0.01)
    here.run(0.2)
    there = gw.compile("gripper")
    there.run(0.2, controller=policy(path), control_period=0.01)
    assert here.position["left_finger"] == pytest.approx(there.position["left_finger"], rel=1e-9)
    before = here.position["left_finger"]
    here.reset()
    here.set_parameters({"width": -3.0})
    here.run(0.2)
    assert here.position["left_finger"] != pytest.approx(before, rel=1e-3)


def test_in_exported_c_code(path, tmp_path):
    exported = gw.export_c("gripper", tmp_path / "arm", controller=policy(path), control_period=0.01)
    done = subprocess.run([built(exported, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("ending", ["npz", "onnx"])
def test_saved_it_is_the_same(path, tmp_path, ending):
    if ending == "onnx":
        pytest.importorskip("onnx")
    policy(path).save(tmp_path / f"again.{ending}")
    x = np.linspace(-1.0, 1.0, 6)
    before, after = (read_network(p).evaluate(x)[0] for p in (path, tmp_path / f"again.{ending}"))
    assert after == pytest.approx(before, rel=1e-5 if ending == "onnx" else 1e-12)


def test_what_cannot_be_written(path, tmp_path):
    network = read_network(path)
    layers = (*network.layers[:-1], gw.model.actuators.network.Layer(
        weight=network.layers[-1].weight, bias=network.layers[-1].bias, activation="tanh"))  # fmt: skip
    bent = type(network)(layers=layers, output_scale=2.0)
    with pytest.raises(gw.ModelError, match="is scaled"):
        write_network(bent, tmp_path / "bent.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"act": {"a": (0, 1), "b": (0, 1)}}, "returns 1 numbers"), ({"observe": ("left_finger.colour",)}, "cannot read")],
)
def test_mistakes(path, changes, message):
    with pytest.raises(gw.GearwrightError, match=message):
        gw.compile("gripper", controller=policy(path, **changes))
