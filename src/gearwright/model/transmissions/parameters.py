"""The numbers of a map by name, and copies of it with other numbers, or with symbols in their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from numbers import Real
from typing import Any, TypeVar

from gearwright.errors import ModelError, UnknownNameError
from gearwright.model.fields import Quantity, meanings
from gearwright.model.transmissions.linear import LinearTransmission, is_zero
from gearwright.model.transmissions.maps import TransmissionMap
from gearwright.model.transmissions.series import Series

_T = TypeVar("_T")


def parameters(part: Any) -> dict[str, float]:
    """Its real numbers: {"reduction": 50.0, "offset": 0.0}. Entries of a tuple count from 1 ("joint_reduction1"), those
    of a matrix by row and column ("matrix1_2"), those of a series by stage ("stage1.reduction").

    Also of `Losses` and `Backlash`.
    """
    return {name: value for name, (value, _) in parameter_quantities(part).items()}


def parameter_quantities(part: Any) -> dict[str, tuple[float, Quantity]]:
    """The same with their meanings."""
    if isinstance(part, Series):
        stages = enumerate(part.stages, 1)
        return {f"stage{i}.{k}": v for i, s in stages for k, v in parameter_quantities(s).items()}
    found: dict[str, tuple[float, Quantity]] = {}
    for m in meanings(type(part)):
        if m.is_parameter and getattr(part, m.name) is not None:
            found |= {name: (x, m.quantity) for name, x in _named(m.name, getattr(part, m.name)).items()}
    return found


def with_parameters(part: _T, values: Mapping[str, Any]) -> _T:
    """A copy that holds these values, *not validated*: numbers, CasADi symbols or traced scalars."""
    return with_values(part, {n: x if isinstance(x, Real) else _traced(x) for n, x in values.items()})


def with_values(part: _T, values: Mapping[str, Any]) -> _T:
    """The same for values of any sort, such as an array over designs."""
    known = parameters(part)
    for name in values:
        if name not in known:
            raise UnknownNameError("parameter", name, known)
    if isinstance(part, Series):
        stages = [
            with_values(s, {k.partition(".")[2]: v for k, v in values.items() if k.startswith(f"stage{i}.")})
            for i, s in enumerate(part.stages, 1)
        ]
        return _copy(part, {"stages": tuple(stages)})
    return _copy(part, {f: _entries(f, getattr(part, f), values.get) for f in _real_fields(part)})


def efficiency_only(part: TransmissionMap) -> set[str]:
    """Numbers of a linear kind that its own efficiency reads, and no ratio or offset."""
    if part.losses().own is None or not isinstance(part, LinearTransmission):
        return set()
    at, numbers = _ratio_and_offset(part), parameters(part)
    changed = {name: with_values(part, {name: 1.5 * x + 0.1}) for name, x in numbers.items()}
    return {name for name, other in changed.items() if _ratio_and_offset(other) == at}


def _ratio_and_offset(part: TransmissionMap) -> object:
    try:
        return rows(part), offsets(part)
    except (ModelError, ZeroDivisionError):  # of a changed number: so they depend on it
        return None


def rows(part: TransmissionMap) -> list[list[Any]]:
    """A of `v_a = A·v_j` of a linear map, floats or SX scalars; 0.0 is zero whatever the parameters are."""
    return [[_plain(x) for x in row] for row in _linear(part).actuator_entries()]


def offsets(part: TransmissionMap) -> list[Any]:
    """Actuator positions of a linear map when the joints stand at zero [rad or m], floats or SX scalars."""
    at_zero = _linear(part).joint_offsets_at_zero()
    found: list[Any] = []
    for row in _linear(part).actuator_entries():
        terms = [-(r * o) for r, o in zip(row, at_zero, strict=True) if not (is_zero(r) or is_zero(o))]
        found.append(_plain(sum(terms[1:], terms[0])) if terms else 0.0)
    return found


def _linear(part: TransmissionMap) -> LinearTransmission:
    if not isinstance(part, LinearTransmission):
        raise ModelError(f"{type(part).__name__} has no constant ratio")
    return part


def _real_fields(part: Any) -> list[str]:
    """Fields of real numbers; branches, sizes, tables and functions are left out."""
    return [m.name for m in meanings(type(part)) if m.is_parameter]


def _entries(name: str, value: Any, change: Callable[[str, Any], Any], separator: str = "") -> Any:
    """The value of a field, with `change(name of the parameter, number)` in the place of each number."""
    if not isinstance(value, tuple):
        return change(name, value)
    return tuple(_entries(f"{name}{separator}{i}", entry, change, "_") for i, entry in enumerate(value, 1))


def _named(name: str, value: Any) -> dict[str, float]:
    found: dict[str, Any] = {}
    _entries(name, value, found.__setitem__)
    return {name: _number(x) for name, x in found.items()}


def _number(x: Any) -> Any:
    """A plain float, also of an int or of one of NumPy's; a symbol stays one."""
    return float(x) if isinstance(x, Real) else x


def _copy(part: _T, changed: Mapping[str, Any]) -> _T:
    copy = object.__new__(type(part))
    for f in fields(part):  # type: ignore[arg-type]
        object.__setattr__(copy, f.name, changed.get(f.name, getattr(part, f.name)))
    return copy


def _traced(value: Any) -> Any:
    from gearwright.tracing import lift

    return lift(value)


def _plain(x: Any) -> Any:
    """A float, or the SX scalar that a traced one holds."""
    if isinstance(x, Real):
        return float(x)
    (element,) = x.elements
    return element
