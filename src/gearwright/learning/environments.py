"""Gymnasium's environments: one robot (`Env`), or a batch in one simulation (`VectorEnv`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
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

Info = dict[str, Any]
AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}


def _spaces(task: Task) -> tuple[Box, Box]:
    count, kind = len(task.environment.names), task.executable.dtype
    seen = Box(-np.inf, np.inf, (count,), kind)
    low, high = (-np.ones_like(task.low), np.ones_like(task.high)) if task.normalized else (task.low, task.high)
    return seen, Box(low.astype(kind), high.astype(kind), low.shape, kind)


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A batch of robots as one environment, all in one simulation.

        env = gw.VectorEnv("cartpole.urdf", batch=256, observe=("cos(hinge.position)", "velocity"), act=("motor",),
                           reward=lambda obs, act: obs[:, 0], reset={"hinge": (-0.1, 0.1)}, period=0.02, duration=5.0)

    observe    signals: "knee.position", "motor.velocity", "encoder.sensor", "energy"; "sin(…)", "cos(…)" of them; or
               functions of one argument, see below
    act        actuators; with a mapping their ranges {"motor": (-1, 1)}; with `normalized`, actions go from -1 to 1
    reward     function of observations (B, n) and actions (B, m), evaluated after each action; or of one argument
    done       the same: which robots have ended
    reset      starts of joints: numbers, ranges (low, high), or functions of (rng, count); `keyframe` names a start
    randomize  the same for any parameter ("link.mass", "motor.stall_torque"), drawn anew for each episode
    goal       the same for numbers of your own, such as the speed to walk with
    period     from one action to the next [s]; duration: of an episode [s]; other arguments go to `gearwright.compile`

    noise          standard deviation of observations: a number, or by name
    push           velocities that jump, by a speed or within a range, on average every `push_interval` seconds
    command_delay  from an action to the command [s], a number or a range; rounded to steps
    sensor_delay   of observations [s]; between two periods they are interpolated

    autoreset  "same_step": robots that end are reset in that step, and `info["final_obs"]` has what they saw last;
               "next_step": in the next one, whose action they leave out, as Gymnasium's wrappers expect it; "disabled":
               by `reset(options={"reset_mask": …})`
    arrays     "numpy", "cupy", "torch" or "jax"; by default NumPy's on the CPU and CuPy's on a GPU. Actions may be
               arrays of any of these.

    Functions of one argument get what a compiled controller reads (`sim.position["knee"]`, `sim.pose["trunk"]`, …),
    and `sim.action`, `sim.last_action`, `sim.goal["speed"]`, `sim.observation`, `sim.time` of the episode and
    `sim.signal("trunk.contact_force")`. All functions are traced once and become part of the step.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self, robot: Mechanism | str | os.PathLike[str], *, batch: int, observe: Any, act: Act, reward: Reward,
        reset: Mapping[str, Distribution] | None = None, randomize: Mapping[str, Distribution] | None = None,
        done: Reward | None = None, period: float = 0.02, duration: float = 10.0, autoreset: str = "same_step",
        **options: Any,
    ) -> None:  # fmt: skip
        if autoreset not in AUTORESET:
            raise ModelError(f"there is no autoreset {autoreset!r}{suggestion(str(autoreset), AUTORESET)}")
        self.autoreset = AUTORESET[autoreset]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset}
        own, options = _split(options)
        self.task = Task(
            robot, batch=batch, observe=observe, act=act, reward=reward, reset=reset, randomize=randomize, done=done,
            period=period, duration=duration, autoreset=autoreset, options=options, **own,
        )  # fmt: skip
        self.num_envs = self.task.batch
        self._seeded = False
        self.single_observation_space, self.single_action_space = _spaces(self.task)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def sim(self) -> Any:
        """The simulation of all robots."""
        return self.task.sim

    def reset(self, *, seed: Any = None, options: Info | None = None) -> tuple[Any, Info]:
        """Begins new episodes: observations (B, n), info. `options={"reset_mask": …}` chooses robots."""
        if seed is not None:
            self._np_random, self._np_random_seed = gymnasium.utils.seeding.np_random(_one_seed(seed))
        if seed is not None or not self._seeded:
            self.task.seed(self.np_random)
            self._seeded = True
        mask = (options or {}).get("reset_mask")
        return self.task.reset(None if mask is None else np.asarray(mask, dtype=bool)), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Holds actions (B, m) for a period: observations, rewards, ended, cut off, info. What ends is reset."""
        now = self.task.step(actions)
        info = dict[str, Any]()
        if self.autoreset is AutoresetMode.SAME_STEP:
            over = now.ended | now.cut
            if self.task.library.on_device or over.any():  # on a device, asking would mean to wait
                info = {"final_obs": now.final_observation, "_final_obs": over, "final_info": {}, "_final_info": over}
        return now.observation, now.reward, now.ended, now.cut, info

    def for_trainer(self, name: str) -> Any:
        """The environment as "rsl_rl", "skrl" or "sb3" (Stable-Baselines3) ask for it. CleanRL takes it as it is."""
        from gearwright.learning.trainers import adapted

        return adapted(self, name)


class Env(gymnasium.Env[Any, Any]):
    """One robot. Its arguments are those of `VectorEnv`; reward and done get arrays (1, n) and (1, m)."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self, robot: Mechanism | str | os.PathLike[str], *, observe: Any, act: Act, reward: Reward,
        reset: Mapping[str, Distribution] | None = None, randomize: Mapping[str, Distribution] | None = None,
        done: Reward | None = None, period: float = 0.02, duration: float = 10.0, **options: Any,
    ) -> None:  # fmt: skip
        own, options = _split(options)
        self.task = Task(
            robot, batch=1, observe=observe, act=act, reward=reward, reset=reset, randomize=randomize, done=done,
            period=period, duration=duration, autoreset="disabled", options=options, **own,
        )  # fmt: skip
        self.observation_space, self.action_space = _spaces(self.task)
        self.render_mode, self._seeded = None, False

    @property
    def sim(self) -> Any:
        """The simulation."""
        return self.task.sim

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """Begins a new episode: observation (n,), info."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.task.seed(self.np_random)
            self._seeded = True
        return self.task.reset()[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Holds an action (m,) for a period: observation, reward, ended, cut off, info."""
        now = self.task.step(action)
        return now.observation[0], float(now.reward[0]), bool(now.ended[0]), bool(now.cut[0]), {}


def _one_seed(seed: Any) -> int:
    """Gymnasium allows a seed for each robot; here they share a generator."""
    return int(seed) if np.ndim(seed) == 0 else int(np.asarray(seed, dtype=np.int64)[0])


OF_THE_TASK = (
    "goal", "noise", "push", "push_interval", "command_delay", "sensor_delay", "normalized", "keyframe", "arrays",
)  # fmt: skip


def _split(options: Mapping[str, Any]) -> tuple[Info, Info]:
    """Arguments of the task, and those of `gearwright.compile`."""
    own = {name: value for name, value in options.items() if name in OF_THE_TASK}
    return own, {name: value for name, value in options.items() if name not in OF_THE_TASK}
