"""Efforts along the axes by who exerts them, for friction that depends on the load.

The efforts of motors are those at the start of the step. For a stiff drive, whose effort there says little about the
step, it is the mean over the last step; β interpolates between the two, as in `constraints.phases`. External efforts
are all others except friction: weight and other bias forces, the user's efforts, springs.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.constraints.phases import Phase, implicit_share
from gearwright.dynamics.motion import Model
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState


def axis_loads(
    model: Model, phase: Phase, tree: TreeState, at: Configuration, M: FrontalMatrix,
    acting: Sequence[ActuatorLinearization], build: StepBuilder,
) -> tuple[Column, Column]:  # fmt: skip
    """Along the tree's velocities: of motors, and of all else."""
    motors = Column.zeros(len(tree.v))
    mass = M.diagonal(model.dof)
    for unit, now in zip(model.actuation.driven, acting, strict=True):
        along = combined(now.seen.A, tree.G)
        beta = implicit_share(build.length_now, along, now.slope, mass)
        effort = now.effort + beta * (build.actuator[unit.command] - now.effort)
        for k, x in now.seen.A.items():
            motors[k] = motors[k] + x * effort
    bias = model.inverse_dynamics(at, tree, tree.vd)
    outside = model.with_loads(at, build.effort) - bias
    return motors, outside + _springs(model, tree)


def _springs(model: Model, tree: TreeState) -> Column:
    axes = model.bodies.axes
    rows = zip(axes.stiffness, axes.reference, model.bodies.spring_positions, strict=True)
    return Column(-(k * (tree.q[i] - reference)) for k, reference, i in rows)
