"""Resets to a named state of the robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gearwright.model.keyframes import Keyframe
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.reset.starting import reset

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def reset_to_keyframe(sim: Simulation, key: Keyframe, position: Mapping[str, Any], velocity: Mapping[str, Any]) -> None:
    """Its positions and velocities, then those that are given beside it; its commands are held.

    A file rounds its numbers: loops are closed near its pose, and only what is given beside it stays to the bit.
    """
    at, rates = _independent(sim, key.position), _independent(sim, key.velocity)
    near = (at.keys() - position.keys(), rates.keys() - velocity.keys())
    reset(sim, {**at, **position}, {**rates, **velocity}, near=near)
    if key.command:
        sim.inputs.hold(StepSlot.COMMAND, key.command)


def _independent(sim: Simulation, values: Mapping[str, tuple[float, ...]]) -> dict[str, Any]:
    """Without followers of exact couplings, which files round differently from their leaders, and cut joints."""
    followers = {c.follower.joint for c in sim.robot.couplings.exact}
    there = {j.name for j in sim.robot.tree.joints if j.dof}
    kept = {name: x for name, x in values.items() if name in there and name not in followers}
    return {name: x[0] if len(x) == 1 else x for name, x in kept.items()}
