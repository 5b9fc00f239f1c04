"""MuJoCo: `mj_step` for one robot, `rollout` and, since version 4, `mujoco.batch` for many."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any, ClassVar
from xml.etree import ElementTree

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.bench.clock import Runner
from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.robots import Robot

mj: Any = mujoco
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS")  # not compared; a file that has none of them pays nothing for them here


def first_order_integrators() -> dict[str, Any]:
    """By name. `discrete`, which solves constraints and the implicit velocity update in one, is new in 3.13."""
    names = {"Euler": "EULER", "implicitfast": "IMPLICITFAST", "discrete": "DISCRETE"}
    members = mj.mjtIntegrator.__members__
    return {name: members[f"mjINT_{key}"] for name, key in names.items() if f"mjINT_{key}" in members}


class MuJoCo(Contestant):
    """Euler, implicit in joint damping (its default): the same scheme as ours. A mimic is a stiff equality."""

    title: ClassVar[str] = "MuJoCo"
    package: ClassVar[str] = "mujoco"
    how: ClassVar[str] = (
        "`mj_step(model, data, nstep=n)`: the loop is C; batches: `rollout` or `mujoco.batch`, on all cores or on one, "
        "whichever takes less core time"
    )

    def __init__(self, robot: Robot, dt: float) -> None:
        self.model = loaded(robot)
        option = self.model.opt
        option.timestep, option.integrator = dt, mj.mjtIntegrator.mjINT_EULER
        for flag in OFF:
            option.disableflags |= getattr(mj.mjtDisableBit, f"mjDSBL_{flag}")
        self.model.eq_solref[:] = (2 * dt, 1.0)  # the stiffest that it takes
        self.model.eq_solimp[:] = (0.99, 0.999, 0.001, 0.5, 2.0)
        self.data = mj.MjData(self.model)
        self.names = tuple(self.model.joint(i).name for i in range(self.model.njnt))

    def reset(self, position: Array, velocity: Array) -> None:
        mj.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = position, velocity

    def step(self, n: int) -> None:
        mj.mj_step(self.model, self.data, n)

    def position(self) -> Array:
        return np.array(self.data.qpos)

    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        self.reset(position, velocity)
        mj.mj_forward(self.model, self.data)
        M = np.zeros((self.model.nv, self.model.nv))
        if hasattr(self.data, "qM"):
            mj.mj_fullM(self.model, M, self.data.qM)
        else:  # MuJoCo 4
            mj.mj_fullM(self.model, self.data, M)
        return M, np.array(self.data.qfrc_bias)

    def batch(self, positions: Array, threads: int) -> Runner:
        size = mj.mj_stateSize(self.model, mj.mjtState.mjSTATE_FULLPHYSICS)
        starts = np.zeros((len(positions), size))
        for start, position in zip(starts, positions, strict=True):
            self.reset(position, np.zeros(self.model.nv))
            mj.mj_getState(self.model, self.data, start, mj.mjtState.mjSTATE_FULLPHYSICS)
        run = RollOuts(self.model, threads, starts)
        return Runner(prepare=lambda: None, run=run, robots=len(positions), shortest=50, longest=100)

    def batches(self, positions: Array, threads: int) -> dict[str, Runner]:
        found = {"": self.batch(positions, threads)}
        if find_spec("mujoco.batch"):
            live = LiveBatch(self.model, threads, positions)
            found[", mujoco.batch"] = replace(found[""], prepare=live.prepare, run=live)
        return found


class LiveBatch:
    """Many robots by `mujoco.batch`, from rest: states stay in memory and go on, without their history."""

    def __init__(self, model: Any, threads: int, positions: Array) -> None:
        from mujoco.batch import Batch

        self.batch, self.begins = Batch(model, nsim=len(positions), nthread=threads), positions
        self.position, self.velocity = self.batch.bind("qpos"), self.batch.bind("qvel")

    def prepare(self) -> None:
        self.position[:], self.velocity[:] = self.begins, 0.0

    def __call__(self, n: int) -> None:
        self.batch.step(nstep=n)


class RollOuts:
    """Many robots from where they start, by `rollout`; calling it makes n steps and keeps them in `state`."""

    def __init__(self, model: Any, threads: int, starts: Array, **more: Any) -> None:
        self.model, self.starts, self.more = model, starts, more
        self.controls = self.more.pop("controls", None)  # (robots, inputs), held
        self._data = [mj.MjData(model) for _ in range(threads)]
        self._pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
        self.state: Array = np.zeros((0, 0, 0))
        self._sensors: Array = self.state
        self._held: Array | None = None

    def __call__(self, n: int) -> None:
        robots, size = self.starts.shape
        if self.state.shape[1] != n:  # memory of its own for the trajectories, once
            self.state, self._sensors = np.zeros((robots, n, size)), np.zeros((robots, n, self.model.nsensordata))
            self._held = None if self.controls is None else np.repeat(self.controls[:, None], n, axis=1)
        self._pool.rollout(
            self.model, self._data, self.starts, self._held, nstep=n, state=self.state, sensordata=self._sensors,
            **self.more,
        )  # fmt: skip


def loaded(robot: Robot) -> Any:
    if robot.mjcf is not None:
        return mj.MjModel.from_xml_string(robot.mjcf)
    return specified(robot).compile()


def specified(robot: Robot) -> Any:
    """MuJoCo reads URDF, mimic joints included since version 4; before that they are added as equalities."""
    spec = mj.MjSpec.from_string(robot.urdf)
    if not spec.equalities:
        _add_mimics(spec, robot)
    return spec


def _add_mimics(spec: Any, robot: Robot) -> None:
    for joint in ElementTree.fromstring(robot.urdf).iterfind("joint"):
        if (mimic := joint.find("mimic")) is None:
            continue
        equality = spec.add_equality()
        equality.type = mj.mjtEq.mjEQ_JOINT
        equality.objtype = mj.mjtObj.mjOBJ_JOINT
        equality.name1, equality.name2 = joint.get("name"), mimic.get("joint")
        equality.data[:2] = float(mimic.get("offset", "0")), float(mimic.get("multiplier", "1"))
