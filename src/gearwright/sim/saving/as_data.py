"""A mechanism and its options as plain data for JSON, and back: no pickle, and a file names only what is registered.

A value of a class is a table with a name under "_". Kinds of the families below go by family and row,
"gearwright.actuators:dc_motor", also those of other packages; classes of `MODULES` without a row go by their own names.
They are made again by their own constructors, which check what they are given.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from math import isfinite
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.model import IDENTITY, Actuator, Couplings, LinearTransmission, Pose, Sensor, TransmissionMap
from gearwright.model.actuators import ACTUATORS
from gearwright.model.frictions import FRICTIONS, FrictionModel
from gearwright.model.sensors.sensors import SENSORS
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.registry import Registry
from gearwright.sim.saving.map_functions import functions_as_data, with_functions

FAMILIES: Mapping[str, Registry[Any]] = {r.group: r for r in (ACTUATORS, FRICTIONS, SENSORS, TRANSMISSIONS)}
# where classes without a row are: parts of a mechanism, declared controllers, options of a simulation, saved code
MODULES = (
    "model.actuators.custom_actuator", "model.actuators.supply", "model.actuators.network",
    "model.actuators.learned_actuator",
    "model.sensors.body_sensors", "model.sensors.contact_sensor", "model.layout.control_places", "model.couplings",
    "model.contacts.pair", "model.shapes.surface", "model.shapes.hull", "model.shapes.height_field",
    "model.hardware.device_bindings", "model.hardware.drives", "model.geometry", "model.hardware.hardware",
    "model.keyframes", "model.mass.inertia",
    "model.joints.axes", "model.joints.joint", "model.links", "model.mechanism", "model.layout.sensor_layout",
    "model.sensors.sensors", "model.transmissions.custom", "model.transmissions.custom_joint_map",
    "model.transmissions.rod_linkage", "model.transmissions.elastic", "model.transmissions.spatial_tendon",
    "model.transmissions.losses", "model.transmissions.series", "model.transmissions.tied", "control.declared",
    "sim.programs.kernels", "sim.options",
)  # fmt: skip
LEFT_OUT = {"source", "reported", "search_path"}  # fields that say where in a file something was
BASES: Mapping[type[Any], str] = {
    Actuator: "gearwright.actuators", FrictionModel: "gearwright.frictions", Sensor: "gearwright.sensors",
    TransmissionMap: "gearwright.transmissions",
}  # fmt: skip
KIND, FUNCTIONS = "_", "_.functions"  # no field can have the second name


class SavedFunction:
    """A user's function in a saved simulation: its result is in the code, and it is not here to be called."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> Any:
        raise ModelError(
            f"the function {self.name!r} is compiled into this saved simulation and is not in the file: compile the "
            "robot where the function is"
        )


@cache
def classes() -> Mapping[str, type[Any]]:
    """By name, what a file may hold beside registered kinds."""
    found: dict[str, type[Any]] = {}
    for place in MODULES:
        module = import_module(f"gearwright.{place}")
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__ and _fields(value)
            if own and not _in_a_family(value) and found.setdefault(value.__name__, value) is not value:
                raise TypeError(f"two classes of saved files are called {value.__name__}: rename {value}")
    return found


def _in_a_family(kind: type[Any]) -> bool:
    """Whether a class of this package has a row, also where a script has put another in its place."""
    return any(f"{kind.__module__}:{kind.__qualname__}" in r.rows.values() for r in FAMILIES.values())


def _row(kind: type[Any]) -> str | None:
    """Family and row of a registered kind."""
    named = ((group, registry.name_of(kind)) for group, registry in FAMILIES.items())
    return next((f"{group}:{name}" for group, name in named if name is not None), None)


def _name(kind: type[Any]) -> str | None:
    """The name that a file has for a class; None of one that it cannot hold."""
    if classes().get(kind.__name__) is kind:
        return kind.__name__
    return _row(kind) if dataclasses.is_dataclass(kind) else None


def _class(name: Any) -> type[Any]:
    """The other way. A file chooses among rows: it imports nothing that is not registered."""
    group, _, row = name.partition(":") if isinstance(name, str) else ("", "", "")
    if group not in FAMILIES:
        if name not in classes():
            raise ValueError(f"there is no class {name!r:.60}")
        return classes()[name]
    if row not in FAMILIES[group]:
        raise ModelError(f"{group} has no {row!r:.60} here: install the package that it comes from, or add its row")
    kind = FAMILIES[group][row]
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):  # entry points may also be functions
        raise ValueError(f"{name!r:.60} is not a class of a mechanism")
    return kind


def _fields(kind: type[Any]) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(f.name for f in dataclasses.fields(kind) if f.init and f.name not in LEFT_OUT)
    return tuple(getattr(kind, "_fields", ())) if issubclass(kind, tuple) else ()


# --- to data ---------------------------------------------------------------------------------------------------------


def to_data(value: Any) -> Any:
    """Raises ModelError for what cannot be written."""
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if isfinite(number) else {KIND: "float", "value": repr(number)}
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, Pose):
        return {KIND: "Pose"} if value is IDENTITY else {KIND: "Pose", "R": value.R.tolist(), "p": value.p.tolist()}
    if isinstance(value, np.ndarray):
        return {KIND: "array", "values": value.tolist()}
    if isinstance(value, Couplings):
        return {KIND: "Couplings", "values": [to_data(c) for c in value.values()]}
    if isinstance(value, Mapping):
        return {KIND: "mapping", "items": [[to_data(k), to_data(v)] for k, v in value.items()]}
    kind = type(value)
    if (name := _name(kind)) is not None:
        return _of_class(value, name)
    if isinstance(value, tuple | list):
        return [to_data(x) for x in value]
    if callable(value) and not isinstance(value, type) and not dataclasses.is_dataclass(value):
        return {KIND: "function", "name": str(getattr(value, "__name__", kind.__name__))}
    raise ModelError(f"a {kind.__module__}.{kind.__qualname__} cannot be saved: {_remedy(value)}")


def _remedy(value: Any) -> str:
    family = next((group for base, group in BASES.items() if isinstance(value, base)), None)
    if family is None:
        return "put its numbers into fields of the part that holds it; a field is a number, a text, or a tuple of them"
    return f"give its class a row in its table, by which an opened file finds it, or an entry point of {family}"


def _of_class(value: Any, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {KIND: name}
    found |= {name: to_data(getattr(value, name)) for name in _fields(type(value))}
    if isinstance(value, TransmissionMap) and not isinstance(value, LinearTransmission):
        if "size" in found and found["size"] is None:  # of a custom one, which would try its function
            found["size"] = [value.actuators, value.joints]
        found[FUNCTIONS] = functions_as_data(value)
    return found


# --- from data -------------------------------------------------------------------------------------------------------


def from_data(data: Any) -> Any:
    """Raises whatever the classes raise, and ValueError for what `to_data` does not write."""
    if isinstance(data, list):
        return tuple(from_data(x) for x in data)
    if not isinstance(data, dict):
        return data
    given = dict(data)
    kind = given.pop(KIND, None)
    if kind in _PLAIN:
        return _PLAIN[kind](given)
    return _made(_class(kind), given)


def _made(kind: type[Any], given: dict[str, Any]) -> Any:
    functions = given.pop(FUNCTIONS, None)
    if unknown := set(given) - set(_fields(kind)):
        raise ValueError(f"{kind.__name__} has no field {sorted(unknown)[0]!r:.60}")
    made = kind(**{name: from_data(value) for name, value in given.items()})
    return made if functions is None else with_functions(made, functions)


def _pose(given: dict[str, Any]) -> Pose:
    if not given:
        return IDENTITY
    R, p = np.array(given["R"], dtype=np.float64), np.array(given["p"], dtype=np.float64)
    if R.shape != (3, 3) or p.shape != (3,):
        raise ValueError("a pose is a rotation and a translation")
    return Pose(R, p)


def _mapping(given: dict[str, Any]) -> dict[Any, Any]:
    return {from_data(key): from_data(value) for key, value in given["items"]}


_PLAIN: dict[Any, Callable[[dict[str, Any]], Any]] = {
    "float": lambda given: {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}[given["value"]],
    "array": lambda given: np.array(given["values"], dtype=np.float64),
    "function": lambda given: SavedFunction(str(given["name"])),
    "Pose": _pose,
    "mapping": _mapping,
    "Couplings": lambda given: Couplings(from_data(c) for c in given["values"]),
}
