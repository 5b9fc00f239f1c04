"""MuJoCo with the same rows: mimics as equalities, stops and Coulomb friction as it has them, as stiff as it takes.

It is timed with whichever of `SETTINGS` is the fastest on the robot at hand among those that compute the same motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, ClassVar

import mujoco
import numpy as np

from benchmarks.bench.clock import Runner
from benchmarks.bench.contestant import Array, Begin, BoundedContestant
from benchmarks.bench.robots import Robot
from benchmarks.peers.mujoco import MuJoCo, RollOuts, first_order_integrators, loaded
from gearwright.sim.options import DAMPING_RATIO, NATURAL_FREQUENCY

mj: Any = mujoco
PHYSICS = mj.mjtState.mjSTATE_FULLPHYSICS
STATE = mj.mjtState.mjSTATE_INTEGRATION  # warm start and held efforts included
STIFF = (0.999, 0.999, 0.001, 0.5, 2.0)  # impedance: a row lets 1e-3 through; with 1e-4, light fingertips chatter
COMPLIANT_TOLERANCE = 2e-2  # springs of 100 rad/s by two first-order schemes, at μ·dt = 0.1; halves with dt
SOFTEST = (0.0001, 0.0001, 0.001, 0.5, 2.0)  # impedance at which a row is a spring and damper, nothing more


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Changes to MuJoCo's own defaults (Newton, Euler, Jacobian by size: dense here, islands)."""

    title: str
    options: dict[str, Any] = field(default_factory=dict)
    islands: bool = True


SETTINGS = (
    Setting(title="Newton"),
    Setting(title="Newton, no islands", islands=False),
    Setting(title="Newton, no islands, sparse", islands=False, options={"jacobian": mj.mjtJacobian.mjJAC_SPARSE}),
    *(
        Setting(title=f"Newton, no islands, {name}", islands=False, options={"integrator": integrator})
        for name, integrator in first_order_integrators().items()
        if name != "Euler"
    ),
    Setting(title="CG", options={"solver": mj.mjtSolver.mjSOL_CG}),
    Setting(title="CG, no islands", islands=False, options={"solver": mj.mjtSolver.mjSOL_CG}),
    Setting(title="PGS", options={"solver": mj.mjtSolver.mjSOL_PGS}),
)


class BoundedMuJoCo(MuJoCo, BoundedContestant):
    """One mode of the couplings, one setting. Its stiffest equality stands for `exact` and `hard` alike."""

    batch_robots: ClassVar[int] = 16
    inputs: ClassVar[Any] = mj.mjtState.mjSTATE_QFRC_APPLIED  # what is held in a roll-out

    def __init__(self, robot: Robot, dt: float, mode: str, setting: Setting = SETTINGS[0]) -> None:
        self.model = self.made(robot)
        option = self.model.opt
        option.timestep, option.integrator = dt, mj.mjtIntegrator.mjINT_EULER
        option.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT
        if not setting.islands:
            option.disableflags |= mj.mjtDisableBit.mjDSBL_ISLAND
        for name, value in setting.options.items():
            setattr(option, name, value)
        self._harden(dt)
        if mode == "compliant":
            self._soften(dt)
            self.trajectory_tolerance = COMPLIANT_TOLERANCE
        self.data = mj.MjData(self.model)
        self.names = tuple(self.model.joint(i).name for i in range(self.model.njnt))

    def made(self, robot: Robot) -> Any:
        """The model, before it is hardened."""
        return loaded(robot)

    def _harden(self, dt: float) -> None:
        """Time constants of two steps, the least that it takes, and critical damping."""
        model = self.model
        for reference in (model.eq_solref, model.jnt_solref, model.dof_solref):
            reference[:] = (2 * dt, 1.0)
        for impedance in (model.eq_solimp, model.jnt_solimp, model.dof_solimp):
            impedance[:] = STIFF

    def _soften(self, dt: float) -> None:
        """`C̈ = a₀ − μ²·C − 2ζμ·Ċ`, as in Gearwright: a row of the least impedance, its response worked out exactly.

        Friction takes five steps: with two, light fingertips on such springs chatter.
        """
        mu, zeta = NATURAL_FREQUENCY, DAMPING_RATIO
        self.model.eq_solref[:] = (-mu * mu, -2.0 * zeta * mu)
        self.model.eq_solimp[:] = SOFTEST
        self.model.dof_solref[:] = (5 * dt, 1.0)
        self.model.opt.enableflags |= mj.mjtEnableBit.mjENBL_DIAGEXACT

    def begun(self, begin: Begin, robot: int) -> None:
        given = begin.ordered(self.names)
        self.reset(given.position[robot], given.velocity[robot])
        self.data.qfrc_applied[:] = given.effort[robot]

    def after(self, begin: Begin, steps: int) -> Array:
        """Where the first robot is then."""
        self.begun(begin, 0)
        self.step(steps)
        return self.position()

    def in_turn(self, begin: Begin, settle: int, longest: int) -> Runner:
        """One robot that has begun in each of these ways in turn, `settle` steps later."""
        turns = cycle([states[0] for states in self._settled(begin, settle, STATE)])
        model, data = self.model, mj.MjData(self.model)

        def prepare() -> None:
            mj.mj_setState(model, data, next(turns), STATE)

        return Runner(prepare=prepare, run=lambda n: mj.mj_step(model, data, n), longest=longest)

    def together(self, begin: Begin, settle: int, longest: int = 100, threads: int = 1) -> Runner:
        """All of them by `rollout`."""
        found = self._settled(begin, settle, PHYSICS, self.inputs, mj.mjtState.mjSTATE_WARMSTART)
        starts, controls, warm = (np.stack(part) for part in zip(*found, strict=True))
        run = RollOuts(
            self.model, threads, starts, controls=controls, control_spec=self.inputs, initial_warmstart=warm
        )  # fmt: skip
        return Runner(prepare=lambda: None, run=run, robots=begin.robots, shortest=min(50, longest), longest=longest)

    def _settled(self, begin: Begin, steps: int, *parts: Any) -> list[list[Array]]:
        """Parts of the state of each robot."""
        found = []
        for robot in range(begin.robots):
            self.begun(begin, robot)
            self.step(steps)
            found.append([self._state(part) for part in parts])
        return found

    def _state(self, part: Any) -> Array:
        state = np.zeros(mj.mj_stateSize(self.model, part))
        mj.mj_getState(self.model, self.data, state, part)
        return state
