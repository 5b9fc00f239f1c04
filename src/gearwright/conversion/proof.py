"""The proof of a conversion: what was written, read by us and by others, moves as the robot does.

Every program gets the same random states of the bare tree (`bare.py`): poses of links, the mass matrix and the bias of
joints with one coordinate, and, in a program that has our dampers, springs and armature, a motion by RK4. Our own
reading is also simulated as a whole, with its couplings, loops, limits and motors, under random efforts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import inf

import numpy as np

from gearwright.conversion.bare import TreeSample, bare, bodies_alone, samples
from gearwright.conversion.checks import Check
from gearwright.conversion.peers import PEERS, PeerRefusedError
from gearwright.conversion.peers.peer import Peer
from gearwright.dynamics import Equations
from gearwright.errors import CompileError, GearwrightError, LoadError, LoadWarning, ModelError, SimulationError
from gearwright.formats import loads
from gearwright.migration.proof import trajectory_difference
from gearwright.model import Joint, Mechanism, Pose
from gearwright.model.mass.moved_mass import massless_coordinates
from gearwright.model.poses import Array
from gearwright.model.tree.topology import forward
from gearwright.sim import compile
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.saving import FORMATS

STATES = 3
NUDGES = (
    3e-16,
    1e-15,
    3e-15,
    1e-14,
)  # of joints' places: rounding errors, as poses that are written and read again have
SENSITIVE = 10.0  # times what the nudges do to a motion counts as rounding
DURATION, DT = 0.2, 1e-4  # [s] of the motion by RK4; at 1 ms it is not stable for fingers of a gram
OWN = "Gearwright"


def prove(robot: Mechanism, text: str, ending: str, tolerance: float) -> tuple[Check, ...]:
    """All checks of one written file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of robots, and said when these were loaded
        rng = np.random.default_rng(0)
        states = samples(robot, rng, STATES)
        return (
            *_own(robot, text, tolerance, states),
            *(c for name in PEERS.rows for c in _by_peer(name, robot, ending, tolerance, states)),
        )


# --- our own reading --------------------------------------------------------------------------------------------------


def _own(robot: Mechanism, text: str, tolerance: float, states: list[TreeSample]) -> Iterator[Check]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LoadWarning)
            again = loads(text)
    except LoadError as error:
        yield Check(program=OWN, what="reading", note=str(error).splitlines()[0][:160])
        return
    yield Check(program=OWN, what="poses", difference=_pose_difference(robot, again, states), tolerance=tolerance)
    yield _own_motion(bodies_alone(robot), bodies_alone(again), tolerance)


def _own_motion(robot: Mechanism, again: Mechanism, tolerance: float) -> Check:
    if (light := _light(robot)) is not None:
        return Check(program=OWN, what="motion", note=light)
    try:
        apart = trajectory_difference(robot, again)
        if apart <= tolerance:
            return Check(program=OWN, what="motion", difference=apart, tolerance=tolerance)
        rounding = SENSITIVE * max(trajectory_difference(robot, _nudged(robot, share)) for share in NUDGES)
    except (ModelError, CompileError) as error:
        return Check(program=OWN, what="motion", note=f"the robot is not simulated: {error}"[:160])
    note = f"a rounding error grows to {rounding:.1g} in this motion" if rounding > tolerance else ""
    return Check(program=OWN, what="motion", difference=apart, tolerance=max(tolerance, rounding), note=note)


def _nudged(robot: Mechanism, share: float) -> Mechanism:
    """With its joints a little elsewhere."""

    def moved(j: Joint) -> Joint:
        X_PJ, X_CJ = (Pose(X.R, X.p * (1 + sign * share)) for X, sign in ((j.X_PJ, 1), (j.X_CJ, -1)))
        return replace(j, X_PJ=X_PJ, X_CJ=X_CJ)

    return replace(robot, joints={name: moved(j) for name, j in robot.joints.items()})


def _light(robot: Mechanism) -> str | None:
    """Why the robot's motion is compared with nobody's: programs differ in what they do without mass."""
    light = massless_coordinates(robot)
    return f"joint {light[0].joint.name!r} moves no mass" if light else None


def _pose_difference(robot: Mechanism, again: Mechanism, states: list[TreeSample]) -> float:
    worst = 0.0
    for state in states:
        try:
            q = {n: x for n, x in state.position.items() if n in again.joints}
            before, after = robot.forward_kinematics(state.position), again.forward_kinematics(q)
        except GearwrightError:
            return inf
        both = [n for n in before if n in after]
        worst = max([worst, *(float(np.abs(before[n] - after[n]).max()) for n in both)])
        if not both:
            return inf
    return worst


# --- others -----------------------------------------------------------------------------------------------------------


def _by_peer(
    name: str, robot: Mechanism, ending: str, tolerance: float, states: list[TreeSample]
) -> Iterator[Check]:  # fmt: skip
    try:
        kind = PEERS[name]
        if ending not in kind.formats:
            return
        __import__(kind.package)
    except ImportError:
        yield Check(program=name, what="reading", note="it is not installed")
        return
    strange = kind.strange_joint(robot, ending)
    if strange is not None:
        yield Check(program=name, what="reading", note=f"it has no {strange} joints in this format")
        return
    try:
        peer = kind(_text(bodies_alone(robot), ending), ending, robot.gravity)
    except PeerRefusedError as error:
        yield Check(program=name, what="reading", note=f"it refuses the file: {error}"[:160])
        return
    states = [_without_screws(state, robot) for state in states]
    ours = _Ours(robot, passive=ending in kind.passive, weightless=ending in kind.weightless)
    found = _compared(ours, peer, states, ours.free(robot), _link_frames(robot, ending))
    for what, result in found.items():
        if isinstance(result, str):
            yield Check(program=name, what=what, note=result)
        else:
            yield Check(program=name, what=what, difference=result, tolerance=tolerance)


def _link_frames(robot: Mechanism, ending: str) -> dict[str, Array]:
    """X_UL of links that others have in another frame: in a URDF, links have those of their joints."""
    if ending != ".urdf":
        return {}
    return {b.link: np.asarray(forward(b).joint.X_CJ.inverse().matrix) for b in robot.tree.branches}


def _text(robot: Mechanism, ending: str) -> str:
    return FORMATS[ending].write(robot, LossLog(), lambda mesh: mesh.uri)


class _Ours:
    """The bare tree: its equations, evaluated without machine code, and a simulation where a motion is compared."""

    def __init__(self, robot: Mechanism, *, passive: bool, weightless: bool) -> None:
        self.robot = bare(robot, passive=passive, weightless=weightless)
        self.passive = passive
        start = self.robot.configuration()
        joints = self.robot.tree.joints
        self._start = {n: x for j in joints for n, x in zip(j.positions, start[j.name], strict=True)}

    @cached_property
    def equations(self) -> Equations:
        return Equations(self.robot)

    def mass_matrix(self, state: TreeSample) -> Array:
        return np.asarray(self.equations.observer("mass_matrix")(self._position(state), []))

    def bias(self, state: TreeSample) -> dict[str, float]:
        v = [state.velocity.get(n, 0.0) for n in self.equations.coordinates]
        h = np.asarray(self.equations.observer("bias")(self._position(state), v, []))
        return dict(zip(self.equations.coordinates, h.ravel().tolist(), strict=True))

    def _position(self, state: TreeSample) -> list[float]:
        q = self._start | dict(state.position)
        return [q[n] for n in self.equations.tree_positions]

    def free(self, robot: Mechanism) -> dict[str, tuple[str, Pose]]:
        placing = Placing(robot)
        return {j.name: (j.child, placing.X_WL(j)) for j in placing.joints if placing.is_free(j)}

    def poses(self, state: TreeSample) -> dict[str, Array]:
        return self.robot.forward_kinematics(state.position)

    def motion(self, state: TreeSample) -> dict[str, float]:
        sim = compile(self.robot, dt=DT, integrator="rk4")
        sim.reset(position=state.position, velocity=state.velocity)
        sim.step(n=round(DURATION / DT))
        return {n: float(sim.position[n]) for n in state.position}


def _compared(
    ours: _Ours,
    peer: Peer,
    states: list[TreeSample],
    free: Mapping[str, tuple[str, Pose]],
    frames: Mapping[str, Array],
) -> dict[str, float | str]:
    """The largest differences, by quantity, or why one was not compared; relative to the largest number of its kind
    where that is above 1.
    """
    worst: dict[str, float | str] = {}

    def add(what: str, difference: float) -> None:
        before = worst.get(what, 0.0)
        worst[what] = difference if isinstance(before, str) else max(before, difference)

    light = (_light(ours.robot) or peer.replaced_inertia(ours.robot)) if states and states[0].position else None
    if light is not None:
        worst["mass matrix"] = light
    for state in states:
        peer.move(state, free)
        theirs = {n: X @ frames[n] if n in frames else X for n, X in peer.poses().items()}
        add("poses", _largest(ours.poses(state), theirs))
        if not state.position or light is not None:
            continue
        names, M = peer.mass_matrix()
        coordinates, joints = list(ours.equations.coordinates), list(state.position)
        missing = any(name not in names for name in joints)
        rows, places = ([each.index(n) for n in joints if n in names] for each in (coordinates, names))
        expected = ours.mass_matrix(state)[np.ix_(rows, rows)]
        add("mass matrix", inf if missing else _scaled(expected, M[np.ix_(places, places)]))
        h, their_h = ours.bias(state), peer.bias()
        scale = max(1e-9, *(abs(h[n]) for n in joints))
        add("bias", max(abs(h[n] - their_h.get(n, inf)) / scale for n in joints))
    if states and ours.passive and states[0].position and "bias" in worst:
        peer.move(states[0], free)
        ended = peer.motion(DURATION, DT)
        if ended is not None:
            try:  # without its limits and friction, a tree may be too light to simulate
                worst["motion"] = _largest(ours.motion(states[0]), ended)
            except (CompileError, SimulationError) as error:
                worst["motion"] = f"the bodies alone are not simulated: {error}"[:160]
    return worst


def _without_screws(state: TreeSample, robot: Mechanism) -> TreeSample:
    """Other programs have screws as two joints, or not at all: they stay at zero."""
    kept = {n: x for n, x in state.position.items() if not robot.joint(n).type.travels}
    return TreeSample(kept, {n: state.velocity[n] for n in kept})


def _largest(ours: Mapping[str, object], theirs: Mapping[str, object]) -> float:
    both = [name for name in ours if name in theirs]
    return max((_relative(np.asarray(ours[n]), np.asarray(theirs[n])) for n in both), default=inf if ours else 0.0)


def _scaled(expected: Array, M: Array) -> float:
    """The largest difference between two mass matrices, each entry beside the inertias of its two joints."""
    scale = np.sqrt(np.abs(np.diagonal(expected)))
    beside = np.maximum(np.outer(scale, scale), 1e-30)
    return float((np.abs(M - expected) / beside).max(initial=0.0))


def _relative(a: Array, b: Array) -> float:
    if not a.size:
        return 0.0
    difference = float(np.abs(a - b).max()) / max(1.0, float(np.abs(a).max()))
    return difference if np.isfinite(difference) else inf
