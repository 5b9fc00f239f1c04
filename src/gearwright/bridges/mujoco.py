"""Motors, gears and encoders of a Gearwright robot inside MuJoCo: `attach(model, robot)`.

In a step, the efforts on the joints depend on the velocities at its end, `τ = c − S·v⁺`. MuJoCo solves for v⁺ with

    c           as applied joint forces
    S           as joint damping on its diagonal, and as damping of a tendon over each pair of joints that are coupled
    friction    of motors and gears as MuJoCo's friction loss, of joints or tendons

Damping is implicit in MuJoCo, so that motors behind any gear are stable. Where an actuator leaves its segment during
the step, c and S do not hold at v⁺: the step is taken back and made again with those that do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.bridges.errors import BridgeError, names_there
from gearwright.bridges.mujoco_lines import LinePlaces, Rollout, holds, rolled_out
from gearwright.errors import suggestion
from gearwright.given_numbers import whole
from gearwright.model import Mechanism
from gearwright.optional import require
from gearwright.sim import compile
from gearwright.sim.state.values import Array, Values

__all__ = ["BridgeError", "MuJoCoBridge", "Rollout", "attach"]

if TYPE_CHECKING:
    from gearwright.sim.actuation_part import ActuationPart

CRISP_SOLIMP = np.array([0.999, 0.999, 1e-3, 0.5, 2.0])  # of friction: impedance near 1
TENDON = "gearwright"  # prefix of the tendons that are added
IMPLICIT = ("IMPLICIT", "IMPLICITFAST", "DISCRETE")  # integrators that take damping of tendons implicitly, too


def attach(
    model: Any, robot: Mechanism | str | os.PathLike[str], *, joints: Mapping[str, str] | None = None,
    replace: bool = False, trials: int = 8,
) -> MuJoCoBridge:  # fmt: skip
    """Lets the robot's actuators drive the joints of a MuJoCo model.

    model      an MjSpec, which is copied, or an MjModel, which is changed. An MjModel suffices where every actuator
               moves one joint; a differential needs tendons, and so an MjSpec. Afterwards use `bridge.model`
    robot      a mechanism, or a file, which is loaded
    joints     names of the robot's joint axes in the model, where they differ: {"elbow": "elbow_joint"}
    replace    True: switch off the model's own actuators on these joints. By default they are an error
    trials     largest number of attempts at a step; steps that would need more are counted in `unsettled`

    The actuation takes the model's timestep. The model keeps its own joint damping, friction loss and armature; remove
    the armature if the robot has rotors, since their inertia would count twice.
    """
    mujoco = require("mujoco", "gearwright.bridges.mujoco")
    if not isinstance(robot, Mechanism):
        from gearwright.formats import load

        robot = load(robot)
    trials = whole("trials", trials, error=BridgeError)
    if not isinstance(model, mujoco.MjSpec | mujoco.MjModel):
        raise BridgeError(f"the model must be a mujoco.MjSpec or a mujoco.MjModel, not {type(model).__name__}")
    options = model.option if isinstance(model, mujoco.MjSpec) else model.opt
    act: ActuationPart = compile(robot, part="actuation", dt=float(options.timestep))  # type: ignore[assignment]
    named = names_there(act.names, joints)
    if isinstance(model, mujoco.MjSpec):
        model = _with_tendons(mujoco, model, act, named)
    return MuJoCoBridge(mujoco, model, act, named, replace=replace, trials=trials)


class MuJoCoBridge:
    """A MuJoCo model that is driven by a robot's actuators, made by `attach`. Call `step` instead of `mj_step`."""

    def __init__(
        self, mujoco: Any, model: Any, act: ActuationPart, named: Mapping[str, str], *, replace: bool, trials: int
    ) -> None:
        self._mujoco, self.model, self.actuation, self.trials = mujoco, model, act, trials
        joints = [_joint(mujoco, model, named[name]) for name in act.names]
        pairs = list(_coupled_pairs(act))
        tendons = [_tendon(mujoco, model, _pair_name(act.names, pair)) for pair in pairs]
        self.places = LinePlaces(model, joints, pairs, tendons)
        self._q, self._v = self.places.q, self.places.v
        self._check_integrator(pairs)
        _switch_off(mujoco, model, joints, replace)
        self._take_friction(named)
        self._size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION)
        self.unsettled, self.repeated = 0, 0

    # --- readings --------------------------------------------------------------------------------------------------

    @property
    def actuator(self) -> Values:
        """Of each actuator, `.torque`, `.velocity`, `.position` and its states in the last step."""
        return self.actuation.actuator

    @property
    def sensor(self) -> Values:
        """Readings of the robot's encoders and switches at the end of the last step."""
        return self.actuation.sensor

    @property
    def effort(self) -> dict[str, Any]:
        """Efforts on the joints in the last step, by the robot's names, without friction [N·m, N]."""
        return self.actuation.effort

    # --- stepping --------------------------------------------------------------------------------------------------

    def reset(self, data: Any) -> None:
        """Starts from the joint positions in `data`, with actuators and sensors in their initial state."""
        self.actuation.reset_to(data.qpos[self._q][None], data.qvel[self._v][None])
        self.unsettled = self.repeated = 0

    def step(self, data: Any, command: Mapping[str, Any] | None = None, n: int = 1) -> None:
        """Makes n steps of MuJoCo, with commands by actuator, which hold until changed."""
        self.actuation.command(command)
        for _ in range(whole("n", n, low=0, error=BridgeError)):
            self._step(data)

    def _step(self, data: Any) -> None:
        act, mujoco, state = self.actuation, self._mujoco, np.empty(self._size)
        mujoco.mj_getState(self.model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        applied = data.qfrc_applied[self._v].copy()
        start = act.placed(data.qpos[self._q][None], data.qvel[self._v][None])
        guess = data.qvel[self._v].copy()
        for trial in range(self.trials):
            if trial:
                act.state = start
                mujoco.mj_setState(self.model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
            line = act.line_at(guess[None])
            self.places.damp(self.model, line.matrix[0])
            data.qfrc_applied[self._v] = applied + line.constant[0]
            mujoco.mj_step(self.model, data)
            guess = data.qvel[self._v].copy()
            act.step_to(guess[None], data.qpos[self._q][None])
            if holds(line, guess[None], act.efforts)[0]:
                break
            self.repeated += 1
        else:
            self.unsettled += 1
        data.qfrc_applied[self._v] = applied

    def rollout(
        self, initial_state: Any, command: Mapping[str, Any] | None = None, *, nstep: int = 1, nthread: int = 0
    ) -> Rollout:
        """Makes `nstep` steps from each of B states, as `mujoco.rollout` does, with the actuation in every step.

        initial_state   (B, nstate), MuJoCo's mjSTATE_FULLPHYSICS; actuators and sensors start in their initial state
        command         by actuator: a number, one per step (nstep,), or (B, nstep)
        nthread         of MuJoCo's pool; 0: the calling thread
        """
        return rolled_out(self, initial_state, command or {}, nstep, nthread)

    # --- the model -------------------------------------------------------------------------------------------------

    def _check_integrator(self, pairs: Sequence[tuple[int, int]]) -> None:
        kind = self._mujoco.mjtIntegrator(self.model.opt.integrator).name.removeprefix("mjINT_")
        if kind == "RK4":
            raise BridgeError(
                "RK4 evaluates the efforts of motors at several instants of a step; set the integrator to implicitfast"
            )
        if pairs and kind not in IMPLICIT:
            a, b = (self.actuation.names[i] for i in pairs[0])
            raise BridgeError(
                f"a transmission couples {a!r} and {b!r}, and MuJoCo's integrator {kind} treats that explicitly; "
                "set it to implicitfast"
            )

    @property
    def _crisp(self) -> tuple[Array, Array]:
        """MuJoCo's friction creeps by default: these solref and solimp stop it within a step or two."""
        return np.array([2.0 * self.actuation.dt, 1.0]), CRISP_SOLIMP

    def _take_friction(self, named: Mapping[str, str]) -> None:
        mujoco, model = self._mujoco, self.model
        for name, friction in self.actuation.friction.items():
            if len(friction.ratios) == 1:
                ((joint, ratio),) = friction.ratios.items()
                dof = model.jnt_dofadr[_joint(mujoco, model, named[joint])]
                model.dof_frictionloss[dof] += abs(ratio) * friction.effort
                model.dof_solref[dof], model.dof_solimp[dof] = self._crisp
            else:
                tendon = _tendon(mujoco, model, _shaft_name(name))
                model.tendon_frictionloss[tendon] = friction.effort
                model.tendon_solref_fri[tendon], model.tendon_solimp_fri[tendon] = self._crisp


# --- names ----------------------------------------------------------------------------------------------------------


def _joint(mujoco: Any, model: Any, name: str) -> int:
    found: int = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    if found < 0:
        known = [model.joint(j).name for j in range(model.njnt)]
        raise BridgeError(f"the model has no joint {name!r}{suggestion(name, known)}; map it with joints={{…}}")
    kind = mujoco.mjtJoint(model.jnt_type[found]).name.removeprefix("mjJNT_").lower()
    if kind not in ("hinge", "slide"):
        raise BridgeError(f"joint {name!r} of the model is a {kind} joint: actuators move hinges and slides")
    return found


def _tendon(mujoco: Any, model: Any, name: str) -> int:
    found: int = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TENDON, name)
    if found < 0:
        raise BridgeError(
            f"a transmission of the robot couples several joints ({name.partition(':')[2]}), which needs a tendon: "
            "give attach an MjSpec, mujoco.MjSpec.from_file(…), instead of an MjModel"
        )
    return found


def _pair_name(names: Sequence[str], pair: tuple[int, int]) -> str:
    return f"{TENDON}:{names[pair[0]]}+{names[pair[1]]}"


def _shaft_name(actuator: str) -> str:
    return f"{TENDON}:{actuator}"


# --- what is added to a model, and taken out of it ------------------------------------------------------------------


def _coupled_pairs(act: ActuationPart) -> Iterator[tuple[int, int]]:
    """Joints, by number, whose efforts depend on each other's velocities."""
    for (i, a), (j, b) in combinations(enumerate(act.part.axes), 2):
        if act.part.coupled(a, b):
            yield i, j


def _with_tendons(mujoco: Any, spec: Any, act: ActuationPart, named: Mapping[str, str]) -> Any:
    """The spec as a model, with a tendon per pair of coupled joints and per shaft with friction on several."""
    spec = spec.copy()

    def add(name: str, ratios: Mapping[str, float]) -> None:
        tendon = spec.add_tendon(name=name)
        for joint, ratio in ratios.items():
            tendon.wrap_joint(named[joint], ratio)

    for pair in _coupled_pairs(act):
        add(_pair_name(act.names, pair), dict.fromkeys((act.names[i] for i in pair), 1.0))
    for name, friction in act.friction.items():
        if len(friction.ratios) > 1:
            add(_shaft_name(name), friction.ratios)
    try:
        return spec.compile()
    except ValueError as error:
        raise BridgeError(f"MuJoCo does not compile the model with the actuation's tendons: {error}") from None


def _switch_off(mujoco: Any, model: Any, joints: Sequence[int], replace: bool) -> None:
    """The model's own actuators on these joints."""
    on_joint = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    kinds = {int(kind) for kind in on_joint}
    for i in range(model.nu):
        if int(model.actuator_trntype[i]) not in kinds or int(model.actuator_trnid[i, 0]) not in joints:
            continue
        if not replace:
            joint = model.joint(int(model.actuator_trnid[i, 0])).name
            raise BridgeError(
                f"the model has an actuator {model.actuator(i).name!r} on {joint!r}, which the robot's actuators move, "
                "too: attach(…, replace=True) switches it off"
            )
        model.actuator_gainprm[i], model.actuator_biasprm[i] = 0.0, 0.0
        model.actuator_gaintype[i] = mujoco.mjtGain.mjGAIN_FIXED
        model.actuator_biastype[i] = mujoco.mjtBias.mjBIAS_NONE
