"""The rows of a mechanism: one line a cause."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.dynamics.actuation import Actuation, shaft_rows
from gearwright.dynamics.backlash import backlash_rows
from gearwright.dynamics.bodies import Bodies
from gearwright.dynamics.closures import closure_rows
from gearwright.dynamics.constraints import Kind, axis_rows, coupling_rows
from gearwright.dynamics.drives import Drive, DriveRow
from gearwright.dynamics.scalar import Scalar
from gearwright.model import Mechanism


def rows_of(
    mechanism: Mechanism, system: Bodies, values: Mapping[str, Scalar], drives: Mapping[str, Drive],
    actuation: Actuation,
) -> list[Kind]:  # fmt: skip
    """Couplings, loops, drives, actuators, stops and friction; the order of the impulses."""
    return [
        *coupling_rows(mechanism, values),
        *closure_rows(mechanism, system, values),
        *drive_rows(system, drives),
        *shaft_rows(actuation),
        *backlash_rows(mechanism, system, values),
        *axis_rows(mechanism, values, actuation.friction),
    ]


def drive_rows(system: Bodies, drives: Mapping[str, Drive]) -> list[DriveRow]:
    """Drives go by the coordinate that they drive."""
    return [
        DriveRow(name, drive, system.positions.index(name), system.velocities.index(name), index)
        for index, (name, drive) in enumerate(drives.items())
    ]
