"""What a robot has and the dynamics leave out yet: told once, on `Simulation.diagnostics`."""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.diagnostics import Diagnostic
from gearwright.model import AxisDynamics, Mechanism


def unsimulated(robot: Mechanism, integrator: str = "euler") -> tuple[Diagnostic, ...]:
    """One warning for each kind of thing that is in the file and does nothing."""
    return tuple(Diagnostic(severity="warning", code="not-simulated", message=m) for m in _messages(robot, integrator))


def _messages(robot: Mechanism, integrator: str) -> Iterator[str]:
    if integrator != "euler":
        yield from _without_rows(robot, integrator)
    stopped = [j.name for j in robot.tree.cuts if any(axis.limits.bounded for axis in j.axes)]
    if stopped:
        yield f"limits of joints that close loops do not act yet: {_listed(stopped)} can move beyond them"
    many = [j.name for j in robot.tree.cuts if len(j.axes) > 1 and any(a.dynamics != AxisDynamics() for a in j.axes)]
    if many:
        yield f"dampers, springs and friction of {_listed(many)}, which close loops, do not act yet"
    actuation = [*robot.actuators, *robot.transmissions]
    if actuation:
        rotors = ", and their rotors' inertia is left out" if robot.reflected_inertia() else ""
        yield f"actuators and transmissions do not act yet{rotors}: {_listed(actuation)}; joints take efforts"
    if robot.sensors:
        yield f"sensors do not read yet: {_listed([*robot.sensors])}"


def _without_rows(robot: Mechanism, integrator: str) -> Iterator[str]:
    axes = [(j.name, axis) for j in robot.joints.values() for axis in j.axes]
    bounded = dict.fromkeys(name for name, axis in axes if axis.limits.bounded)
    if bounded:
        yield f"joint limits do not act with {integrator}: {_listed([*bounded])} can move beyond them"
    rubbing = dict.fromkeys(name for name, axis in axes if axis.dynamics.friction)
    if rubbing:
        yield f"Coulomb friction does not act with {integrator}: that of {_listed([*rubbing])} is left out"


def _listed(names: list[str], most: int = 4) -> str:
    shown = ", ".join(repr(n) for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
