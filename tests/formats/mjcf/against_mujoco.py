"""A file in MuJoCo and here, at the same random states: poses, mass matrix, bias, efforts of actuators."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

import gearwright as gw
from gearwright.model import Couplings
from gearwright.model.actuators import Shaft
from gearwright.model.tree.kinematics import link_poses

SIZES = {0: (7, 6), 1: (4, 3)}  # numbers of position and velocity by MuJoCo's type of joint; else 1 and 1
KINDS = ("free", "ball", "slide", "hinge")


class Pair(NamedTuple):
    """One file, twice."""

    m: Any  # MjModel
    robot: gw.Mechanism


class State(NamedTuple):
    """Joint by joint, MuJoCo's arrays and our names."""

    data: Any  # MjData, forward kinematics and dynamics done
    position: dict[str, tuple[float, ...]]
    velocity: dict[str, float]  # by coordinate
    along: dict[str, int]  # coordinate → MuJoCo's index of velocity


def both(source: str | Path) -> Pair:
    """A text, or a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(source, Path):
            return Pair(mujoco.MjModel.from_xml_path(str(source)), gw.load(source))
        return Pair(mujoco.MjModel.from_xml_string(source), gw.loads(source))


def joint_names(pair: Pair) -> list[str]:
    """Ours, in MuJoCo's order."""
    m, robot = pair
    found: list[str] = []
    for j in range(m.njnt):
        body, kind = m.body(m.jnt_bodyid[j]).name, int(m.jnt_type[j])
        base = next((name for name, b in robot.bases.items() if b.child == body), "")
        name = base if kind == 0 else m.joint(j).name or f"{body}_{KINDS[kind]}"
        found.append(f"{name}_2" if name in found else name)
    return found


def random_state(pair: Pair, rng: np.random.Generator) -> State:
    """Joints that are fixed here stay there where an equality holds them."""
    m, robot = pair
    d = mujoco.MjData(m)
    for i in np.flatnonzero((m.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (m.eq_obj2id < 0)):
        at = m.jnt_qposadr[m.eq_obj1id[i]]
        d.qpos[at] = m.qpos0[at] + m.eq_data[i, 0]
    position: dict[str, tuple[float, ...]] = {}
    velocity: dict[str, float] = {}
    along: dict[str, int] = {}
    for j, name in enumerate(joint_names(pair)):
        joint = robot.joint(name)
        if joint.kind == "fixed":
            continue
        at, first, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], int(m.jnt_type[j])
        n, nv = SIZES.get(kind, (1, 1))
        q, v = rng.uniform(-1, 1, n), rng.normal(size=nv)
        if n > 1:
            q[n - 4 :] /= np.linalg.norm(q[n - 4 :])
        d.qpos[at : at + n], d.qvel[first : first + nv] = q, v
        position[name] = tuple(q.tolist())
        velocity |= dict(zip(joint.coordinates, v.tolist(), strict=True))
        along |= {c: first + i for i, c in enumerate(joint.coordinates)}
    d.ctrl[:] = 3 * rng.normal(size=m.nu)
    d.act[:] = rng.uniform(-1, 1, m.na)
    mujoco.mj_forward(m, d)
    return State(d, position, velocity, along)


def pose_error(pair: Pair, state: State) -> float:
    """Over all bodies [m, and of rotation matrices]."""
    m, robot = pair
    at_start = {n: robot.initial.get(n, j.type.zero) for n, j in {**robot.joints, **robot.bases}.items()}
    X = link_poses(robot.tree, {**at_start, **state.position})
    errors = [0.0]
    for b in range(1, m.nbody):
        name = m.body(b).name
        if name:
            there = X[name]
            errors += [float(np.abs(there.p - state.data.xpos[b]).max())]
            errors += [float(np.abs(there.R - state.data.xmat[b].reshape(3, 3)).max())]
    return max(errors)


def without_constraints(robot: gw.Mechanism) -> gw.Mechanism:
    """The tree alone, so that every coordinate can be anything."""
    joints = {n: j for n, j in robot.joints.items() if n not in robot.cut}
    return replace(
        robot, joints=joints, couplings=Couplings(), cut=(), transmissions={}, actuators={}, sensors={}, keyframes={}
    )


def dynamics_errors(pair: Pair, sim: gw.Simulation, state: State) -> tuple[float, float]:
    """Of mass matrix and bias of the links alone, relative to their largest entries.

    MuJoCo's matrix has rotors and tendons in it, and its bias has gravity where gravcomp lifts it.
    """
    m, d = pair.m, state.data
    m.actuator_armature[:] = m.tendon_armature[:] = 0.0
    mujoco.mj_forward(m, d)
    sim.reset({n: x if len(x) > 1 else x[0] for n, x in state.position.items()}, state.velocity)
    ours = [list(sim.coordinates).index(c) for c in state.along]
    theirs = list(state.along.values())
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    M, h = M[np.ix_(theirs, theirs)], (d.qfrc_bias - d.qfrc_gravcomp)[theirs]
    return (
        _relative(np.asarray(sim.mass_matrix())[np.ix_(ours, ours)], M),
        _relative(np.asarray(sim.bias())[ours], h),
    )


def _relative(a: Any, b: Any) -> float:
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max())) if a.size else 0.0


def actuator_errors(pair: Pair, state: State) -> dict[str, float]:
    """By actuator of MuJoCo that is here, too: the largest relative error of length, speed and force."""
    m, robot = pair
    d, errors = state.data, {}
    for i in range(m.nu):
        actuator = robot.actuators.get(m.actuator(i).name)
        if actuator is None:
            continue
        if actuator.joint is not None:
            x, v = state.position[actuator.joint.joint][0], state.velocity[actuator.joint.joint]
        else:
            t = robot.acting[actuator.name]
            q, w = [state.position[j.joint][0] for j in t.joints], [state.velocity[j.joint] for j in t.joints]
            x = float(np.atleast_1d(t.map.joint_to_actuator_position(np.array(q)))[0])
            v = float((t.map.actuator_per_joint_at(np.array(q)) @ w)[0])
        first, count = m.actuator_actadr[i], m.actuator_actnum[i]
        memory = (*d.act[first : first + count], *actuator.initial[count:]) if count else actuator.initial
        effort = float(actuator.respond(float(d.ctrl[i]), Shaft(x, v, 1e-12), memory)[0])
        there = (d.actuator_length[i], d.actuator_velocity[i], d.actuator_force[i])
        errors[actuator.name] = max(
            abs(a - b) / max(1.0, abs(b)) for a, b in zip((x, v, effort), there, strict=True)
        )  # fmt: skip
    return errors
