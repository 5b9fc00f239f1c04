"""Parameters: numbers of a mechanism with symbols in their place.

The table of names, values and ranges is `gearwright.model.parameters`. The equations read every number from it, so that
a name given as a parameter becomes an input by putting a symbol in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gearwright.dynamics.algebra.scalar import Expression, Scalar, simplified, total, where
from gearwright.errors import CompileError, UnknownNameError
from gearwright.model import Mechanism
from gearwright.model.mass.massless_designs import mass_givers
from gearwright.model.mass.moved_mass import ASSUMED_ARMATURE, massless_coordinates
from gearwright.model.mass.rotor_numbers import rotor_numbers
from gearwright.model.parameters import (
    actuator_numbers,
    axes,
    canonical,
    device_key,
    losses_key,
    map_unknowns,
    multiplier_names,
    parameter_rows,
    supply_key,
)

__all__ = [
    "actuator_numbers",
    "axes",
    "canonical",
    "device_key",
    "losses_key",
    "map_unknowns",
    "multiplier_names",
    "numbers",
    "supply_key",
    "with_symbols",
]


def numbers(mechanism: Mechanism, gravity: Sequence[float] | None = None) -> dict[str, float]:
    """Every number of the equations by its name, in the order of the mechanism."""
    found = {name: float(value) for name, value, _, _ in parameter_rows(mechanism)}
    for u in massless_coordinates(mechanism):
        found |= dict.fromkeys((f"{name}.armature" for name in u.armatures), ASSUMED_ARMATURE)
    if gravity is not None:
        found |= {f"gravity.{c}": float(g) for c, g in zip("xyz", gravity, strict=True)}
    return found


def with_symbols(
    mechanism: Mechanism, known: Mapping[str, float], names: Iterable[str]
) -> tuple[dict[str, Scalar], dict[str, Expression], dict[str, float]]:
    """The numbers with symbols in the place of the parameters; the symbols; and what the file says of them."""
    values: dict[str, Scalar] = dict(known)
    symbols: dict[str, Expression] = {}
    following = rotor_numbers(mechanism, known)
    rows: dict[str, str] = {}  # of each parameter: the number it stands for
    for name in names:
        row = name if name in known else canonical(mechanism, name)
        if row not in known:
            owner = name.rpartition(".")[0] + "."
            raise UnknownNameError("parameter", name, [n for n in known if n.startswith(owner)] or known)
        if row in rows.values():
            raise CompileError(f"parameter {name!r} is given twice")
        if row in following:
            why = "belongs to a rotor that is a body, and follows from its actuator, joint and transmission"
            raise CompileError(f"{name!r} {why}: use their parameters instead")
        rows[name] = row
        values[row] = symbols[name] = Expression.symbol(name)
    of_rotors = {name: simplified(x) for name, x in rotor_numbers(mechanism, values).items()}
    values |= of_rotors | _armatures(mechanism, values, [*rows.values()])
    return values, symbols, {name: known[row] for name, row in rows.items()}


def _armatures(mechanism: Mechanism, values: Mapping[str, Scalar], parameters: Sequence[str]) -> dict[str, Scalar]:
    """Armatures that are assumed for joints without mass: none as soon as a parameter gives them some."""
    found: dict[str, Scalar] = {}
    for joint, givers in mass_givers(mechanism, parameters).items():
        for name, axis in axes(mechanism.joint(joint)) if givers else ():
            key = f"{name}.armature"
            if key not in parameters:
                given = total(*(abs(values[n]) for n in givers))
                found[key] = where(given > 0.0, axis.dynamics.armature, values[key])
    return found
