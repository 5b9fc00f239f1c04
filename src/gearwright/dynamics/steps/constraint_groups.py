"""The constraint groups of a mechanism: one row per cause, in the order of their impulses.

A script or package adds a cause of its own by a row, `CONSTRAINTS["detent"] = groups`: a function of the `Assembly`
that gives groups. A subclass of `constraints.rows.OneRow` needs `name` and `act`, which returns terms (`solve.terms`).
While there are such rows, code is not taken from the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import NamedTuple

from gearwright.dynamics.actuation.actuators import Actuation
from gearwright.dynamics.actuation.backlash import backlash_rows
from gearwright.dynamics.actuation.shaft_rows import shaft_rows
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.constraints.axis_laws import axis_rows
from gearwright.dynamics.constraints.closures import closure_rows
from gearwright.dynamics.constraints.contacts import contact_groups
from gearwright.dynamics.constraints.drives import DriveRow
from gearwright.dynamics.constraints.rows import ConstraintGroup, coupling_rows
from gearwright.dynamics.parameters import axes
from gearwright.dynamics.tree.bodies import Bodies
from gearwright.model import Mechanism
from gearwright.model.hardware.drives import Drive


class Assembly(NamedTuple):
    """A mechanism's parts, from which groups are made."""

    mechanism: Mechanism
    bodies: Bodies
    values: Mapping[str, Scalar]  # numbers by name: floats, or symbols of parameters
    drives: Mapping[str, Drive]
    actuation: Actuation


Maker = Callable[[Assembly], Iterable[ConstraintGroup]]

OWN: dict[str, Maker] = {
    "couplings": lambda a: coupling_rows(a.mechanism, a.values),
    "loops": lambda a: closure_rows(a.mechanism, a.bodies, a.values),
    "drives": lambda a: drive_rows(a.mechanism, a.bodies, a.drives),
    "shafts": lambda a: shaft_rows(a.actuation),
    "backlash": lambda a: backlash_rows(a.mechanism, a.values),
    "axes": lambda a: axis_rows(a.mechanism, a.values, a.actuation.friction),
    "contacts": lambda a: contact_groups(a.mechanism),
}
CONSTRAINTS: dict[str, Maker] = dict(OWN)


def constraint_groups(assembly: Assembly) -> list[ConstraintGroup]:
    return [group for make in CONSTRAINTS.values() for group in make(assembly)]


def drive_rows(mechanism: Mechanism, system: Bodies, drives: Mapping[str, Drive]) -> list[DriveRow]:
    """Drives go by the coordinate that they drive. One without a limit has its joint's."""
    limits = {name: axis.limits.effort for j in mechanism.tree.joints for name, axis in axes(j)}
    return [
        DriveRow(name, drive.within(limits.get(name, inf)), *_coordinate(system, name), index)
        for index, (name, drive) in enumerate(drives.items())
    ]


def _coordinate(system: Bodies, name: str) -> tuple[int, int]:
    return system.positions.index(name), system.velocities.index(name)
