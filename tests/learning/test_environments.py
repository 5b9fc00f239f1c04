"""Learning environments: Gymnasium's checks, batches that are reset one by one, randomised parameters, messages."""

import runpy
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import gearwright as gw
from gearwright.learning.starts import Starts
from tests.sim.robots import GRIPPER

gymnasium = pytest.importorskip("gymnasium")
ROOT = Path(__file__).parents[2]
COMMON = {
    "observe": ("left_finger.position", "velocity", "motor.torque", "cos(right_finger.position)"),
    "act": ("motor",),
    "reward": lambda obs, act: obs[:, 0] - act[:, 0] ** 2,
    "reset": {"right_finger": (0.005, 0.03), "right_finger.velocity": 0.01},
    "period": 0.01,
    "duration": 0.05,
}


def vector(batch=4, **changes):
    return gw.VectorEnv(gw.load(GRIPPER), batch=batch, **COMMON | changes)


def test_gymnasiums_own_check():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on ranges of spaces
        check_env(gw.Env(gw.load(GRIPPER), **COMMON, randomize={"motor.stall_torque": (0.02, 0.05)}))


def test_spaces_and_shapes():
    """As Gymnasium's vector environments have them."""
    env = vector()
    assert env.num_envs == 4 and env.single_action_space.shape == (1,) and env.action_space.shape == (4, 1)
    assert env.single_action_space.high[0] == 0.012  # the motor's limit
    obs, info = env.reset(seed=1)
    assert env.observation_space.contains(obs) and obs.shape == (4, 6) and info == {}
    obs, rewards, ended, cut, info = env.step(env.action_space.sample())
    assert env.observation_space.contains(obs)
    assert [x.shape for x in (rewards, ended, cut)] == [(4,)] * 3 and ended.dtype == cut.dtype == bool
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)  # a wrapper of Gymnasium's runs on it
    wrapped.reset(seed=1)
    for _ in range(6):
        *_, info = wrapped.step(env.action_space.sample())


@pytest.mark.parametrize("batch", [1, 5])
def test_seeds_decide_everything(batch):
    runs = []
    for _ in range(2):
        env = vector(batch, randomize={"motor.stall_torque": (0.02, 0.05)})
        env.action_space.seed(3)
        seen = [env.reset(seed=7)[0]]
        for _ in range(8):
            obs, rewards, *_ = env.step(env.action_space.sample())
            seen += [obs, rewards[:, None]]
        runs.append(np.concatenate([x.ravel() for x in seen]))
    assert np.array_equal(*runs)


def test_a_step_is_the_simulations():
    env = vector()
    env.reset(seed=0)
    other = gw.compile(gw.load(GRIPPER), batch=4)
    other.state = env.sim.state
    actions = np.array([[0.001], [0.002], [-0.001], [1.0]])  # the last one is more than the motor takes
    obs, rewards, *_ = env.step(actions)
    other.step(command={"motor": np.minimum(actions[:, 0], 0.012)}, n=10)
    assert np.array_equal(obs[:, 0], other.position["left_finger"])
    assert np.array_equal(obs[:, 5], np.cos(other.position["right_finger"]))
    assert np.array_equal(rewards, obs[:, 0] - np.minimum(actions[:, 0], 0.012) ** 2)


def test_robots_are_reset_one_by_one():
    """One ends by its own condition, and begins anew in the same step; the others go on to the end of their time."""
    far = vector(
        done=lambda obs, act: obs[:, 0] > 0.031, reset={"right_finger": lambda rng, n: [0.01, 0.02, 0.03, 0.0305]}
    )
    obs, _ = far.reset(seed=0)
    actions = np.array([[0.0], [0.0], [0.0], [0.012]])
    ends = []
    for _ in range(5):
        obs, _, ended, cut, info = far.step(actions)
        ends.append(ended | cut)
        if ended[3]:
            assert info["final_obs"][3, 0] > 0.031 and obs[3, 0] == 0.0305 and info["_final_obs"].tolist()[3]
    ends = np.array(ends)
    assert ends[:4, :3].sum() == 0 and ends[4, :3].all() and ends[:, 3].any()


@pytest.mark.parametrize(
    "wrapper", ["RecordEpisodeStatistics", "NormalizeObservation", "NormalizeReward", "ClipReward"]
)
def test_gymnasiums_vector_wrappers(wrapper):
    options = {"min_reward": -1.0, "max_reward": 1.0} if wrapper == "ClipReward" else {}
    env = getattr(gymnasium.wrappers.vector, wrapper)(vector(autoreset="next_step"), **options)
    env.reset(seed=1)
    for _ in range(12):
        obs, rewards, *_ = env.step(env.action_space.sample())
        assert np.isfinite(obs).all() and np.isfinite(rewards).all() and obs.shape == (4, 6)


def test_the_batch_is_what_gymnasium_makes_of_single_environments():
    """The same numbers as its SyncVectorEnv, through two episodes, ends and resets included."""
    fixed = {"reset": {"right_finger": 0.02, "right_finger.velocity": 0.01}}
    ours = vector(3, autoreset="next_step", **fixed)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: gw.Env(gw.load(GRIPPER), **COMMON | fixed)] * 3)
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    actions = np.random.default_rng(0).uniform(-0.012, 0.012, (13, 3, 1))
    assert np.array_equal(ours.reset(seed=0)[0], theirs.reset(seed=0)[0])
    for action in actions:
        for a, b in zip(ours.step(action)[:4], theirs.step(action)[:4], strict=True):
            assert a.dtype == b.dtype and a == pytest.approx(b, abs=1e-12)


def test_robots_that_end_wait_for_a_reset_where_that_is_asked_for():
    env = vector(autoreset="disabled")
    env.reset(seed=0)
    for _ in range(6):
        *_, cut, info = env.step(np.zeros((4, 1)))
    assert cut.all() and not info  # they are beyond their time, and go on
    env.reset(options={"reset_mask": np.array([True, False, False, False])})
    assert env.step(np.zeros((4, 1)))[3].tolist() == [False, True, True, True]


def test_parameters_are_drawn_for_each_episode():
    env = vector(64, randomize={"motor.stall_torque": (0.02, 0.05), "left_finger_link.mass": lambda rng, n: 0.1})
    env.reset(seed=0)
    first = env.sim.parameters["motor.stall_torque"]
    assert 0.02 <= first.min() < 0.025 and 0.045 < first.max() <= 0.05 and np.ptp(first) > 0.02
    assert (env.sim.parameters["left_finger_link.mass"] == 0.1).all()
    for _ in range(5):
        env.step(np.zeros((64, 1)))
    assert not np.array_equal(env.sim.parameters["motor.stall_torque"], first)


def test_arrays_go_by_dlpack():
    env = vector()
    obs, _ = env.reset(seed=0)
    acted = env.step(env.action_space.sample())
    sim = env.sim
    sim_arrays = (sim.position["left_finger"], sim.state, sim.mass_matrix(), sim.sensor["motor_encoder"])
    for array in (obs, *acted[:4], *sim_arrays, sim.run(0.01).position["left_finger"]):
        assert np.shares_memory(np.from_dlpack(array), array) and array.flags.writeable


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"observe": ("left_fingr.position",)}, "did you mean 'left_finger.position'"),
        ({"observe": ()}, "what a policy sees"),
        ({"observe": ("exp(left_finger.position)",)}, "sin, cos"),
        ({"act": ("moter",)}, "did you mean 'motor'"),
        ({"act": {"motor": (1, -1)}}, "no range"),
        ({"reset": {"right_finger": (1, 2, 3)}}, "a range"),
        ({"reset": {"right_finger": (0.03, 0.01)}}, "above its end"),
        ({"randomize": {"motor.stall_torqe": (1, 2)}}, "stall_torque"),
        ({"autoreset": "next-step"}, "did you mean 'next_step'"),
        ({"period": 0.0105}, "period must be a whole number"),
        ({"duration": 0.0}, "duration must be a whole number"),
    ],
)
def test_mistakes(changes, message):
    with pytest.raises(gw.GearwrightError, match=message):
        vector(**changes)


def test_a_reward_of_the_wrong_shape():
    with pytest.raises(gw.ModelError, match="a number per robot"):
        vector(reward=lambda obs, act: obs)


def test_a_policy_search_solves_the_swing_up():
    """In well under two minutes: some seconds on two cores."""
    example = runpy.run_path(str(ROOT / "examples/swing_up.py"))
    begun = perf_counter()
    env, mean, curve = example["search"]()
    assert perf_counter() - begun < 120 and len(curve) < 40
    _, angles = example["episode"](env, np.repeat(mean[None], env.num_envs, axis=0), seed=1000)
    assert example["upright"](angles).mean() > 0.95


def test_starts_are_drawn_for_many_actions(monkeypatch):
    """A hundred robots whose episodes last two hundred actions begin half an episode a step."""
    draws, draw = [], Starts.draw
    monkeypatch.setattr(Starts, "draw", lambda *given: draws.append(1) or draw(*given))
    env = vector(100, duration=2.0)
    env.reset(seed=1)
    draws.clear()
    for _ in range(60):
        env.step(env.action_space.sample())
    assert len(draws) <= 1


def test_large_batches_draw_their_starts_once(monkeypatch):
    """So that on a GPU nothing comes from the host between actions. Different robots get the same start in turn."""
    monkeypatch.setattr("gearwright.learning.task.MOST_REDRAWN", 50)
    monkeypatch.setattr("gearwright.learning.task.MANY_STARTS", 600)
    draws, draw = [], Starts.draw
    monkeypatch.setattr(Starts, "draw", lambda *given: draws.append(given[0].count) or draw(*given))
    env = vector(100, autoreset="disabled")
    env.reset(seed=1)
    draws.clear()
    seen = [env.reset()[0][:, 0] for _ in range(40)]
    assert not draws and len(np.unique(seen)) == 600
