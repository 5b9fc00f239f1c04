"""Parameters: numbers of a mechanism with symbols in their place.

The table of names, values and ranges is `gearwright.model.parameters`. The equations read every number from it, so that
a name given as a parameter becomes an input by putting a symbol in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from casadi import SX

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.errors import CompileError, UnknownNameError
from gearwright.model import Mechanism, Transmission
from gearwright.model.moved_mass import ASSUMED_ARMATURE, massless_joints
from gearwright.model.parameters import actuator_numbers, axes, canonical, device_key, parameter_rows
from gearwright.model.transmissions import parameters as transmission_parameters

__all__ = ["actuator_numbers", "axes", "canonical", "device_key", "map_unknowns", "numbers", "with_symbols"]


def map_unknowns(mechanism: Mechanism, t: Transmission, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The numbers of a transmission's map that are parameters."""
    assert t.map is not None
    keys = {n: f"{device_key(mechanism, t.name)}.{n}" for n in transmission_parameters(t.map)}
    return {n: values[key] for n, key in keys.items() if not isinstance(values.get(key, 0.0), float)}


def numbers(mechanism: Mechanism, gravity: Sequence[float] | None = None) -> dict[str, float]:
    """Every number of the equations by its name, in the order of the mechanism."""
    found = {name: float(value) for name, value, _, _ in parameter_rows(mechanism)}
    for joint, _ in massless_joints(mechanism):
        for name, _ in axes(joint):
            found[f"{name}.armature"] = found[f"{name}.armature"] or ASSUMED_ARMATURE
    if gravity is not None:
        found |= {f"gravity.{c}": float(g) for c, g in zip("xyz", gravity, strict=True)}
    return found


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
