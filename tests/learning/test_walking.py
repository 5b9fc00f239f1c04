"""The walking example: its environment on the CPU, a few iterations of learning, and the policy inside the step."""

import runpy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler.backends.cuda.block_shape import BlockShape
from gearwright.compiler.backends.cuda.kernels import cuda_source, few_steps_source

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(ROOT / "examples/walk.py"))


@pytest.fixture(scope="module")
def env(example):
    return example["environment"](16)


def test_robots_that_hold_their_pose_stand(env):
    env.reset(seed=0)
    ended = np.zeros(16, bool)
    for _ in range(50):
        obs, reward, over, _, _ = env.step(np.zeros((16, 12)))
        ended |= over
    assert not ended.any() and np.isfinite(reward).all() and obs.shape == (16, 46)
    assert env.sim.position["base.z"] == pytest.approx(0.29, abs=0.04)


def test_its_kernel_on_a_gpu_has_a_thread_for_each_leg(example):
    """Two threads would leave a third of the numbers out of shared memory; and an action is not one step."""
    program = example["environment"](2, precision="single").task.executable.program
    assert BlockShape.of(cuda_source(program, "single")).lanes == 4
    assert few_steps_source(program, "single") is None


def network(folder, rng, sizes=(46, 16, 12)):
    """A random policy, as a file."""
    weights = {f"weight_{k}": 0.3 * rng.normal(size=(b, a)) for k, (a, b) in enumerate(pairwise(sizes))}
    biases = {f"bias_{k}": 0.1 * rng.normal(size=b) for k, b in enumerate(sizes[1:])}
    np.savez(folder / "walk.npz", activation="elu", **weights, **biases)
    return folder / "walk.npz", weights, biases


def test_the_policy_in_the_step_is_the_one_of_the_environment(example, tmp_path):
    """Without noise, delay and pushes, the compiled controller does what the policy does from outside."""
    path, w, b = network(tmp_path, np.random.default_rng(0))
    plain = {"noise": 0.0, "push": None, "command_delay": 0.0, "randomize": None, "goal": {"speed": 0.8}}
    start = {"base.z": example["HEIGHT"]} | dict(zip(example["JOINTS"], example["POSE"].tolist(), strict=True))
    env = example["environment"](2, reset=start, switches=None, **plain)
    obs, _ = env.reset(seed=0)
    for _ in range(10):
        h = obs @ w["weight_0"].T + b["bias_0"]
        obs = env.step(np.where(h > 0, h, np.expm1(np.minimum(h, 0))) @ w["weight_1"].T + b["bias_1"])[0]
    policy = gw.Policy.load(
        path, observe=example["observe"], act=example["RANGES"], goal={"speed": 0.8}, normalized=True
    )
    sim = gw.compile(example["quadruped"](), dt=example["DT"], controller=policy, control_period=0.02, ground=0.8,
                     contacts=[("*_foot", "ground")], integrator="euler")  # fmt: skip
    sim.reset(position=start)
    sim.run(0.2)
    for name in ("base.x", "base.z", "FL_calf_joint", "RR_thigh_joint"):
        assert sim.position[name] == pytest.approx(env.sim.position[name][0], abs=1e-9)


def test_learning_raises_the_reward(example):
    pytest.importorskip("torch")
    env = example["environment"](64, arrays="torch", precision="single")
    policy, curve = example["train"](env, seed=1, iterations=3, report=None)
    assert curve.shape == (3, 2) and np.isfinite(curve).all()
    assert np.isfinite(policy(env.reset(seed=1)[0]).detach().numpy()).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"act": {"motor": (0, 1)}}, "returns 12 numbers"),
        ({"observe": "position"}, "takes 46 numbers"),
        ({"observe": "nothing.position"}, "cannot read"),
    ],
)
def test_mistakes_of_a_policy(example, tmp_path, changes, message):
    path, *_ = network(tmp_path, np.random.default_rng(0))
    given = {"observe": example["observe"], "act": example["RANGES"], "goal": {"speed": 0.8}}
    with pytest.raises(gw.GearwrightError, match=message):
        gw.compile(example["quadruped"](), controller=gw.Policy.load(path, **given | changes), ground=True)
