"""Parts of a robot that are not simulated yet, as diagnostics of the simulation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf, pi

from gearwright.diagnostics import Diagnostic
from gearwright.errors import shortened
from gearwright.model import Axis, Joint, Mechanism
from gearwright.model.layout.layout import moves
from gearwright.sim.options import Options


def unsimulated(robot: Mechanism, options: Options, untimely: Sequence[str]) -> tuple[Diagnostic, ...]:
    """One warning for each kind of thing that is in the file and does nothing, or cannot keep its times."""
    found = [*_messages(robot, options), *untimely]
    return tuple(Diagnostic(severity="warning", code="not-simulated", message=m) for m in found)


def _messages(robot: Mechanism, options: Options) -> Iterator[str]:
    if options.integrator == "rk4":
        yield from _without_rows(robot, options.integrator)
    wound = [j.name for j in robot.tree.cuts if any(_beyond_a_turn(j, axis) for axis in j.axes)]
    if wound:
        yield f"limits of {_listed(wound)}, which close loops, span a turn or more and do not act"
    geared = [j.name for j in robot.tree.cuts if any(axis.dynamics.armature for axis in j.axes)]
    if geared:
        yield f"armatures of loop-closing joints do not act: {_listed(geared)}"
    if locking := [*robot.contradicted]:
        yield f"couplings that contradict loops, and would lock them, are left out: {_listed(locking)}"
    yield from _unconnected(robot)
    if not robot.contacts and _falls(robot, options) and any(link.collisions for link in robot.links.values()):
        yield f"contacts do not act: {robot.name!r} floats, and falls through whatever its collision shapes meet"


def _falls(robot: Mechanism, options: Options) -> bool:
    floats = any(j.kind == "floating" for j in robot.bases.values())
    return floats and any(options.gravity or robot.gravity)


def _unconnected(robot: Mechanism) -> Iterator[str]:
    """Actuators without a joint, and transmissions that are not in anyone's way."""
    unknown = [t.name for t in robot.transmissions.values() if t.map is None]
    if unknown:
        yield f"transmissions of unknown types do not act: {_listed(unknown)}"
    held = [t.name for t in robot.transmissions.values() if t.map is not None and not moves(t, robot.joints)]
    if held:
        yield f"transmissions to joints that cannot move do not act: {_listed(held)}"
    for t in robot.transmissions.values():
        for name in t.actuators if t.name not in (*held, *unknown) else ():
            if robot.acting[name] is not t:
                first = robot.acting[name].name
                yield f"actuator {name!r} is in transmissions {first!r} and {t.name!r}: the first one acts"
    idle = [a.name for a in robot.actuators.values() if a.name not in robot.acting and a.joint is None]
    if idle:
        yield f"actuators that no joint or transmission connects do nothing: {_listed(idle)}"


def _beyond_a_turn(joint: Joint, axis: Axis) -> bool:
    """A cut joint's angle is read within one turn; a screw's by its travel."""
    return not joint.type.prismatic and not joint.type.travels and 2 * pi <= axis.limits.upper - axis.limits.lower < inf


def _without_rows(robot: Mechanism, integrator: str) -> Iterator[str]:
    axes = [(j.name, axis) for j in robot.joints.values() for axis in j.axes]
    bounded = dict.fromkeys(name for name, axis in axes if axis.limits.bounded)
    if bounded:
        yield f"joint limits do not act with {integrator}: {_listed(bounded)} can move beyond them"
    with_friction = dict.fromkeys(name for name, axis in axes if axis.dynamics.friction or axis.dynamics.friction_model)
    if with_friction:
        yield f"Coulomb friction does not act with {integrator}: that of {_listed(with_friction)} is left out"
    if robot.contacts:
        touching = _listed(dict.fromkeys(p.a.link for p in robot.contacts))
        yield f"contacts do not act with {integrator}: those of {touching} are left out"
    if robot.actuators:
        yield f"actuators do not act with {integrator}, but for their rotors' inertia: {_listed(robot.actuators)}"


def _listed(names: Iterable[str]) -> str:
    return shortened([*map(repr, names)], 4)
