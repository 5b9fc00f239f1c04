"""Libraries of learning take an environment as they are."""

import numpy as np
import pytest

import gearwright as gw

pytest.importorskip("gymnasium")
TASK = {
    "observe": ("right_finger.position", "motor.velocity"),
    "act": {"motor": (-0.01, 0.01)},
    "reward": lambda obs, act: -((obs[:, 0] - 0.02) ** 2),
    "reset": {"right_finger": (0.01, 0.02)},
    "period": 0.01,
    "duration": 0.1,
    "normalized": True,
    "precision": "single",
    "integrator": "euler",
}


def made(arrays, **changes):
    return gw.VectorEnv("gripper", batch=8, **TASK | {"arrays": arrays} | changes)


def test_stable_baselines3():
    sb3 = pytest.importorskip("stable_baselines3")
    env = made("numpy").for_trainer("sb3")
    model = sb3.PPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu").learn(256)
    assert model.num_timesteps == 256 and np.isfinite(model.predict(env.reset())[0]).all()
    env.reset()
    for _ in range(10):
        _, _, over, infos = env.step(np.zeros((8, 1)))
    assert over.all() and infos[3]["TimeLimit.truncated"] and infos[3]["terminal_observation"].shape == (2,)


def test_rsl_rl():
    pytest.importorskip("tensordict")
    runners = pytest.importorskip("rsl_rl.runners")
    env = made("torch").for_trainer("rsl_rl")
    network = {"class_name": "MLPModel", "hidden_dims": [16], "activation": "elu"}
    spread = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}
    settings = {
        "num_steps_per_env": 8, "save_interval": 100, "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 2},
        "actor": network | {"distribution_cfg": spread}, "critic": network,
    }  # fmt: skip
    runner = runners.OnPolicyRunner(env, settings, log_dir=None, device="cpu")
    runner.learn(2, init_at_random_ep_len=True)
    assert env.get_observations()["policy"].shape == (8, 2)
    assert (env.episode_length_buf < env.max_episode_length).all()


def test_skrl():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skrl")
    from skrl.envs.wrappers.torch import Wrapper

    env = made("torch").for_trainer("skrl")
    assert isinstance(env, Wrapper) and env.num_envs == 8 and env.observation_space.shape == (2,)
    seen, _ = env.reset()
    for _ in range(10):
        seen, reward, ended, cut, _ = env.step(torch.zeros((8, 1)))
    assert seen.shape == (8, 2) and reward.shape == ended.shape == (8, 1) and cut.all()


def test_cleanrl_takes_it_as_it_is():
    """What its scripts do with Gymnasium's vector environments."""
    env = made("numpy")
    seen, _ = env.reset(seed=1)
    size = np.array(env.single_observation_space.shape).prod(), np.prod(env.single_action_space.shape)
    assert size == (2, 1) and seen.dtype == np.float32
    for _ in range(12):
        seen, reward, ended, cut, info = env.step(np.stack([env.single_action_space.sample() for _ in range(8)]))
        done = np.logical_or(ended, cut)
        assert reward.shape == done.shape == (8,) and ("final_obs" in info) == done.any()


def test_mistakes():
    with pytest.raises(gw.ModelError, match="no trainer 'rslrl'"):
        made("numpy").for_trainer("rslrl")
    with pytest.raises(gw.GearwrightError, match=r'sb3|Stable-Baselines3|autoreset="same_step"'):
        made("numpy", autoreset="next_step").for_trainer("sb3")
