"""The rows of a mechanism: one line a cause."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from gearwright.dynamics.actuation.actuators import Actuation
from gearwright.dynamics.actuation.backlash import backlash_rows
from gearwright.dynamics.actuation.shaft_rows import shaft_rows
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.constraints.axis_laws import axis_rows
from gearwright.dynamics.constraints.closures import closure_rows
from gearwright.dynamics.constraints.drives import Drive, DriveRow
from gearwright.dynamics.constraints.rows import ConstraintGroup, coupling_rows
from gearwright.dynamics.parameters import axes
from gearwright.dynamics.tree.bodies import Bodies
from gearwright.model import Mechanism


def rows_of(
    mechanism: Mechanism, system: Bodies, values: Mapping[str, Scalar], drives: Mapping[str, Drive],
    actuation: Actuation,
) -> list[ConstraintGroup]:  # fmt: skip
    """Couplings, loops, drives, actuators, stops and friction; the order of the impulses."""
    return [
        *coupling_rows(mechanism, values),
        *closure_rows(mechanism, system, values),
        *drive_rows(mechanism, system, drives),
        *shaft_rows(actuation),
        *backlash_rows(mechanism, values),
        *axis_rows(mechanism, values, actuation.friction),
    ]


def drive_rows(mechanism: Mechanism, system: Bodies, drives: Mapping[str, Drive]) -> list[DriveRow]:
    """Drives go by the coordinate that they drive. One without a limit has its joint's."""
    limits = {name: axis.limits.effort for j in mechanism.tree.joints for name, axis in axes(j)}
    return [
        DriveRow(name, drive.within(limits.get(name, inf)), *_coordinate(system, name), index)
        for index, (name, drive) in enumerate(drives.items())
    ]


def _coordinate(system: Bodies, name: str) -> tuple[int, int]:
    return system.positions.index(name), system.velocities.index(name)
