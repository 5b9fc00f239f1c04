"""Gymnasium's environments: one robot (`Env`), or a batch in one simulation (`VectorEnv`)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from gearwright.errors import ModelError, suggestion
from gearwright.learning.sampling import Distribution
from gearwright.learning.task import Act, Reward, Task
from gearwright.model import Mechanism
from gearwright.sim.state.values import Array

Info = dict[str, Any]
AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}


def _spaces(task: Task) -> tuple[Box, Box]:
    count = len(task.observations.names)
    seen = Box(-np.inf, np.inf, (count,), np.float64)
    return seen, Box(task.low, task.high, task.low.shape, np.float64)


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, Array]):
    """A batch of robots as one environment, all in one simulation.

        env = gw.VectorEnv("cartpole.urdf", batch=256, observe=("cos(hinge.position)", "velocity"), act=("motor",),
                           reward=lambda obs, act: obs[:, 0], reset={"hinge": (-0.1, 0.1)}, period=0.02, duration=5.0)

    observe    signals: "knee.position", "motor.velocity", "encoder.sensor", "energy"; "sin(…)", "cos(…)" of them
    act        actuators; with a mapping their ranges {"motor": (-1, 1)}
    reward     function of observations (B, n) and actions (B, m), evaluated after each action
    reset      starts of joints: numbers, ranges (low, high), or functions of (rng, count)
    randomize  the same for any parameter ("link.mass", "motor.stall_torque"), drawn anew for each episode
    done       function of the same arguments: which robots have ended
    period     from one action to the next [s]; duration: of an episode [s]; other arguments go to `gearwright.compile`

    autoreset  "same_step": robots that end are reset in that step, and `info["final_obs"]` has what they saw last;
               "next_step": in the next one, whose action they leave out, as Gymnasium's wrappers expect it; "disabled":
               by `reset(options={"reset_mask": …})`

    Arrays are NumPy arrays, which other libraries read through DLPack without a copy.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self, robot: Mechanism | str | os.PathLike[str], *, batch: int, observe: Sequence[str], act: Act,
        reward: Reward, reset: Mapping[str, Distribution] | None = None,
        randomize: Mapping[str, Distribution] | None = None, done: Reward | None = None, period: float = 0.02,
        duration: float = 10.0, autoreset: str = "same_step", **options: Any,
    ) -> None:  # fmt: skip
        if autoreset not in AUTORESET:
            raise ModelError(f"there is no autoreset {autoreset!r}{suggestion(str(autoreset), AUTORESET)}")
        self.autoreset = AUTORESET[autoreset]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset}
        self.task = Task(
            robot, batch=batch, observe=observe, act=act, reward=reward, reset=reset, randomize=randomize, done=done,
            period=period, duration=duration, options=options,
        )  # fmt: skip
        self.num_envs = self.task.batch
        self._over = np.zeros(self.num_envs, bool)  # robots that are reset in the next step
        self.single_observation_space, self.single_action_space = _spaces(self.task)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def sim(self) -> Any:
        """The simulation of all robots."""
        return self.task.sim

    def reset(self, *, seed: Any = None, options: Info | None = None) -> tuple[Array, Info]:
        """Begins new episodes: observations (B, n), info. `options={"reset_mask": …}` chooses robots."""
        if seed is not None:
            self._np_random, self._np_random_seed = gymnasium.utils.seeding.np_random(_one_seed(seed))
        robots = np.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            robots = np.asarray(options["reset_mask"], dtype=bool)
        self.task.reset(self.np_random, robots)
        self._over = self._over & ~robots
        return self.task.observe(), {}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, Info]:
        """Holds actions (B, m) for a period: observations, rewards, ended, cut off, info. What ends is reset."""
        seen, rewards, ended, cut = self.task.step(actions)
        if self._over.any():  # they begin anew, and have not acted
            seen = self._begun_anew(self._over)
            rewards[self._over], ended[self._over], cut[self._over] = 0.0, False, False
        over, info = ended | cut, dict[str, Any]()
        self._over = over if self.autoreset is AutoresetMode.NEXT_STEP else self._over
        if over.any() and self.autoreset is AutoresetMode.SAME_STEP:
            info = {"final_obs": seen, "_final_obs": over, "final_info": {}, "_final_info": over}
            seen = self._begun_anew(over)
        return seen, rewards, ended, cut, info

    def _begun_anew(self, robots: Array) -> Array:
        self.task.reset(self.np_random, robots)
        return self.task.observe()


class Env(gymnasium.Env[Array, Array]):
    """One robot. Its arguments are those of `VectorEnv`; reward and done get arrays (1, n) and (1, m)."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self, robot: Mechanism | str | os.PathLike[str], *, observe: Sequence[str], act: Act, reward: Reward,
        reset: Mapping[str, Distribution] | None = None, randomize: Mapping[str, Distribution] | None = None,
        done: Reward | None = None, period: float = 0.02, duration: float = 10.0, **options: Any,
    ) -> None:  # fmt: skip
        self.task = Task(
            robot, batch=1, observe=observe, act=act, reward=reward, reset=reset, randomize=randomize, done=done,
            period=period, duration=duration, options=options,
        )  # fmt: skip
        self.observation_space, self.action_space = _spaces(self.task)
        self.render_mode = None

    @property
    def sim(self) -> Any:
        """The simulation."""
        return self.task.sim

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Begins a new episode: observation (n,), info."""
        super().reset(seed=seed)
        self.task.reset(self.np_random, np.ones(1, bool))
        return self.task.observe()[0], {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, Info]:
        """Holds an action (m,) for a period: observation, reward, ended, cut off, info."""
        seen, rewards, ended, cut = self.task.step(action)
        return seen[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), {}


def _one_seed(seed: Any) -> int:
    """Gymnasium allows a seed for each robot; here they share a generator."""
    return int(seed) if np.ndim(seed) == 0 else int(np.asarray(seed, dtype=np.int64)[0])
