"""An environment in the form that libraries of learning ask for: `env.for_trainer("rsl_rl")`.

A library is one row of `TRAINERS`, and is imported when it is asked for. CleanRL's scripts take the environment as it
is: they use Gymnasium's vector interface.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode

from gearwright.errors import ModelError, suggestion
from gearwright.learning.libraries import LIBRARIES
from gearwright.learning.program import EnvironmentSlot
from gearwright.optional import require

if TYPE_CHECKING:
    from gearwright.learning.environments import VectorEnv


def _checked(env: VectorEnv, arrays: str, trainer: str) -> VectorEnv:
    if env.autoreset is not AutoresetMode.SAME_STEP or env.task.library.taken is not LIBRARIES[arrays]:
        raise ModelError(f'{trainer} needs VectorEnv(arrays="{arrays}", autoreset="same_step")')
    return env


def rsl_rl(env: VectorEnv) -> Any:
    """A `rsl_rl.env.VecEnv`, for its runners; observations are the group "policy"."""
    torch, tensors = require("torch", "rsl_rl"), require("tensordict", "rsl_rl")
    base = require("rsl_rl.env", "rsl_rl's environments").VecEnv
    task = _checked(env, "torch", "rsl_rl").task

    class Adapted(base):  # type: ignore[misc,valid-type]
        num_envs, num_actions = env.num_envs, len(task.names)
        max_episode_length, cfg = task.length, {"robots": env.num_envs, "period": task.period}

        def __init__(self) -> None:
            self._seen, _ = env.reset()
            self.device = self._seen.device

        @property
        def unwrapped(self) -> VectorEnv:
            return env

        @property
        def episode_length_buf(self) -> Any:
            return task.library.rows(task.instance, EnvironmentSlot.AGE)[:, 0].long()

        @episode_length_buf.setter
        def episode_length_buf(self, ages: Any) -> None:
            task.library.give(task.instance, EnvironmentSlot.AGE, ages.to(torch.float64)[:, None])

        def get_observations(self) -> Any:
            return tensors.TensorDict({"policy": self._seen.float()}, batch_size=[env.num_envs], device=self.device)

        def reset(self) -> tuple[Any, dict[str, Any]]:
            self._seen, info = env.reset()
            return self.get_observations(), info

        def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
            self._seen, reward, ended, cut, _ = env.step(actions)
            return self.get_observations(), reward.float(), (ended | cut).long(), {"time_outs": cut.float()}

    return Adapted()


def skrl(env: VectorEnv) -> Any:
    """A `skrl` wrapper that leaves tensors where they are."""
    base = require("skrl.envs.wrappers.torch", "skrl's environments").Wrapper
    own = _checked(env, "torch", "skrl")
    first = own.reset()

    class Adapted(base):  # type: ignore[misc,valid-type]
        observation_space, action_space = own.single_observation_space, own.single_action_space
        state_space, num_envs, num_agents, device = None, own.num_envs, 1, first[0].device

        def __init__(self) -> None:
            super().__init__(own)
            self._seen, self._info = first

        def state(self) -> None:
            return None

        def reset(self) -> tuple[Any, Any]:  # once: robots that end begin anew by themselves
            return self._seen.float(), self._info

        def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Any]:
            self._seen, reward, ended, cut, self._info = own.step(actions)
            return self._seen.float(), reward.float()[:, None], ended[:, None], cut[:, None], self._info

        def render(self, *args: Any, **kwargs: Any) -> None:
            return None

        def close(self) -> None:
            own.close()

    return Adapted()


def stable_baselines3(env: VectorEnv) -> Any:
    """A `VecEnv` of Stable-Baselines3, with NumPy arrays."""
    base = require("stable_baselines3.common.vec_env", "Stable-Baselines3").VecEnv
    own = _checked(env, "numpy", "Stable-Baselines3")

    class Adapted(base):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__(own.num_envs, own.single_observation_space, own.single_action_space)
            self._actions: Any = None

        def reset(self) -> Any:
            seeds = [s for s in self._seeds if s is not None]
            seen, _ = own.reset(seed=seeds[0] if seeds else None)
            self._reset_seeds()
            return seen

        def step_async(self, actions: Any) -> None:
            self._actions = actions

        def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
            seen, reward, ended, cut, info = own.step(self._actions)
            over = ended | cut
            infos: list[dict[str, Any]] = [{"TimeLimit.truncated": bool(c)} for c in cut]
            for i in np.flatnonzero(over):
                infos[i]["terminal_observation"] = info["final_obs"][i]
            return seen, reward.astype(np.float32), over, infos

        def close(self) -> None:
            own.close()

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(own, attr_name, None) for _ in self._get_indices(indices)]

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            setattr(own, attr_name, value)

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
            return [getattr(own, method_name)(*args, **kwargs)] * len([*self._get_indices(indices)])

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False for _ in self._get_indices(indices)]

    return Adapted()


TRAINERS: dict[str, Callable[[VectorEnv], Any]] = {
    "rsl_rl": rsl_rl, "skrl": skrl, "sb3": stable_baselines3,
}  # fmt: skip


def adapted(env: VectorEnv, trainer: str) -> Any:
    if trainer not in TRAINERS:
        raise ModelError(f"there is no trainer {trainer!r}{suggestion(str(trainer), TRAINERS)}")
    return TRAINERS[trainer](env)
