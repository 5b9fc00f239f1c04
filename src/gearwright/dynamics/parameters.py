"""The numbers of a mechanism by name: the table of everything that can be a parameter.

The equations read every number from here, so that a name given as a parameter becomes an input by putting a symbol
in its place. Names are `link.mass`, `joint.damping`, `follower.multiplier`, `motor.stall_torque`, `gearbox.reduction`,
`gravity.z`, …
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

from casadi import SX

from gearwright.dynamics.scalar import Scalar
from gearwright.errors import CompileError, UnknownNameError
from gearwright.model import Actuator, Axis, Coupling, Joint, Link, Mechanism, Transmission
from gearwright.model.transmissions import parameters as transmission_parameters

Row = tuple[str, float]
_XYZ = ("x", "y", "z")


def link_rows(link: Link) -> Iterator[Row]:
    """Mass [kg], centre of mass in the link's frame [m], inertia about it in the axes of the file's [kg·m²]."""
    inertia = link.inertia
    yield f"{link.name}.mass", inertia.mass
    for c, value in zip(_XYZ, inertia.center, strict=True):
        yield f"{link.name}.com.{c}", value
    moments = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (*inertia.moments, *inertia.products), strict=True)
    for c, value in moments:
        yield f"{link.name}.inertia.{c}", value


def joint_rows(joint: Joint) -> Iterator[Row]:
    """Where the joint sits on its parent link [m], and what acts along its axes."""
    for c, value in zip(_XYZ, joint.X_PJ.p, strict=True):
        yield f"{joint.name}.origin.{c}", value
    for name, axis in axes(joint):
        yield f"{name}.damping", axis.dynamics.damping
        yield f"{name}.friction", axis.dynamics.friction
        yield f"{name}.spring_stiffness", axis.dynamics.spring_stiffness
        yield f"{name}.spring_reference", axis.dynamics.spring_reference
        yield f"{name}.armature", axis.dynamics.armature


def axes(joint: Joint) -> Iterator[tuple[str, Axis]]:
    """Each axis with the coordinate along or about it; of a planar joint that is the turn about its normal."""
    return zip(joint.coordinates[joint.dof - len(joint.axes) :], joint.axes, strict=True)


def coupling_rows(coupling: Coupling) -> Iterator[Row]:
    if coupling.through is not None:
        return  # its numbers are the transmission's
    only = len(coupling.leaders) == 1
    for term in coupling.leaders:
        yield f"{coupling.name}.multiplier" + ("" if only else f".{term.axis}"), term.multiplier
    yield f"{coupling.name}.offset", coupling.offset
    yield f"{coupling.name}.reference", coupling.reference
    for k, value in enumerate(coupling.powers, start=2):
        yield f"{coupling.name}.power{k}", value
    if coupling.mode == "hard":
        yield f"{coupling.name}.erp", coupling.erp
    if coupling.mode == "compliant":
        yield f"{coupling.name}.natural_frequency", coupling.natural_frequency or 0.0
        yield f"{coupling.name}.damping_ratio", coupling.damping_ratio or 0.0


def actuator_numbers(actuator: Actuator) -> dict[str, float]:
    """Its numbers by the names of its fields; limits that there are not, and tables, are not among them."""
    fields = {f.name: getattr(actuator, f.name) for f in dataclasses.fields(actuator)}
    return {n: x for n, x in fields.items() if isinstance(x, float) and isfinite(x)}


def device_key(mechanism: Mechanism, name: str) -> str:
    """What an actuator's or transmission's numbers are called after: itself, unless a link, joint or coupling is so."""
    taken = name in mechanism.links or name in mechanism.joints or name in mechanism.couplings
    return f"device.{name}" if taken else name


def device_rows(mechanism: Mechanism) -> Iterator[Row]:
    for name, actuator in mechanism.actuators.items():
        for field, value in actuator_numbers(actuator).items():
            yield f"{device_key(mechanism, name)}.{field}", value
    for name, t in mechanism.transmissions.items():
        key = device_key(mechanism, name)
        if t.map is not None and not (name in mechanism.actuators and key == name):
            for field, value in transmission_parameters(t.map).items():
                yield f"{key}.{field}", value


def map_unknowns(mechanism: Mechanism, t: Transmission, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The numbers of a transmission's map that are parameters."""
    assert t.map is not None
    keys = {n: f"{device_key(mechanism, t.name)}.{n}" for n in transmission_parameters(t.map)}
    return {n: values[key] for n, key in keys.items() if not isinstance(values.get(key, 0.0), float)}


def numbers(mechanism: Mechanism, gravity: Sequence[float] | None = None) -> dict[str, float]:
    """Every number of the equations by its name, in the order of the mechanism."""
    rows: list[Row] = []
    for link in mechanism.links.values():
        rows += link_rows(link) if link.same_as is None else ()
    for joint in (*mechanism.joints.values(), *mechanism.bases.values()):
        rows += joint_rows(joint)
    for coupling in mechanism.couplings.values():
        rows += coupling_rows(coupling)
    rows += device_rows(mechanism)
    rows += [(f"gravity.{c}", g) for c, g in zip(_XYZ, mechanism.gravity if gravity is None else gravity, strict=True)]
    return {name: float(value) for name, value in rows}


def canonical(mechanism: Mechanism, name: str) -> str:
    """A coupling's numbers also go by its alias (`left_finger.multiplier` for a coupling with a name of its own)."""
    for coupling in mechanism.couplings.values():
        if coupling.alias is not None and name.startswith(coupling.alias + "."):
            rest = name[len(coupling.alias) :]
            if any(row == coupling.name + rest for row, _ in coupling_rows(coupling)):
                return coupling.name + rest
    return name


# what numbers must be, by the last part of their names; all others may be anything finite
POSITIVE = {
    "stall_torque", "no_load_speed", "resistance", "torque_constant", "supply_voltage", "thermal_resistance",
    "velocity_limit", "bore_area", "supply_pressure", "time_constant", "ground", "input", "coupler", "output",
    "natural_frequency",
}  # fmt: skip
NOT_NEGATIVE = {
    "mass", "ixx", "iyy", "izz", "damping", "friction", "armature", "spring_stiffness", "rotor_inertia", "stiffness",
    "damping_gain", "effort_limit", "inductance", "temperature_coefficient", "thermal_capacitance", "damping_ratio",
}  # fmt: skip


def impossible(name: str, values: Sequence[float]) -> str | None:
    """Why a parameter cannot have these values; None if it can."""
    last, smallest = name.rpartition(".")[2], min(values)
    if last in POSITIVE and not smallest > 0:
        return f"{name!r} must be positive, not {smallest:g}"
    if last in NOT_NEGATIVE and not smallest >= 0:
        return f"{name!r} cannot be negative ({smallest:g})"
    if "reduction" in last and 0.0 in values:
        return f"{name!r} cannot be zero"
    return None


def with_symbols(
    mechanism: Mechanism, known: Mapping[str, float], names: Iterable[str]
) -> tuple[dict[str, Scalar], dict[str, SX], dict[str, float]]:
    """The numbers with symbols in the place of the parameters; the symbols; and what the file says of them."""
    values: dict[str, Scalar] = dict(known)
    symbols: dict[str, SX] = {}
    rows: dict[str, str] = {}  # of each parameter: the number it stands for
    for name in names:
        row = name if name in known else canonical(mechanism, name)
        if row not in known:
            owner = name.rpartition(".")[0] + "."
            raise UnknownNameError("parameter", name, [n for n in known if n.startswith(owner)] or known)
        if row in rows.values():
            raise CompileError(f"parameter {name!r} is given twice")
        rows[name] = row
        values[row] = symbols[name] = SX.sym(name)
    return values, symbols, {name: known[row] for name, row in rows.items()}
