"""Numbers of rotors that are bodies, as functions of the numbers that the file has.

`rotors.with_rotors` makes links, joints and couplings that no file has. Inertia, place and ratios of such a rotor are
those of its actuator, its joint and its transmission: where those are parameters, these follow, and they are no
parameters of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gearwright.errors import CompileError
from gearwright.model.couplings import Coupling
from gearwright.model.layout.layout import turns_body
from gearwright.model.parameters import device_key, map_unknowns, multiplier_names
from gearwright.model.transmissions import Transmission, offsets, rows, with_parameters

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

Numbers = Mapping[str, Any]  # by name: floats or symbols


def rotor_numbers(mechanism: Mechanism, values: Numbers) -> dict[str, Any]:
    """Numbers of rotors that are bodies, by name, from all others."""
    return {name: x for a in mechanism.layout.rotors for name, x in _numbers(mechanism, a, values)}


def tensor_about(axis: Sequence[float], inertia: Any) -> tuple[Any, ...]:
    """ixx, iyy, izz, ixy, ixz, iyz of what has this inertia about an axis, and none across it."""
    x, y, z = axis
    return tuple(_times(c, inertia) for c in (x * x, y * y, z * z, x * y, x * z, y * z))


def _times(c: float, x: Any) -> Any:
    """A factor of 0 or 1 leaves no product."""
    return 0.0 if c == 0 else x if c == 1 else c * x


def _numbers(mechanism: Mechanism, actuator: str, values: Numbers) -> Iterator[tuple[str, Any]]:
    a, rotor = mechanism.actuators[actuator], mechanism.layout.rotors[actuator].joint
    t, coupling = mechanism.acting.get(actuator), mechanism.couplings.get(rotor)
    if turns_body(a):
        yield from _inertia(mechanism, rotor, values[f"{device_key(mechanism, actuator)}.rotor_inertia"])
    if t is not None and coupling is not None:
        yield from _ratio(mechanism, t, t.actuators.index(actuator), coupling, values)
    beside = _beside(t, actuator, coupling)
    if beside is not None and mechanism.joint(beside).parent == mechanism.joint(rotor).parent:
        yield from ((f"{rotor}.origin.{c}", values[f"{beside}.origin.{c}"]) for c in "xyz")


def _inertia(mechanism: Mechanism, rotor: str, inertia: Any) -> Iterator[tuple[str, Any]]:
    joint = mechanism.joints[rotor]
    if joint.type.prismatic:
        yield f"{rotor}.mass", inertia
        return
    entries = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    for entry, x in zip(entries, tensor_about(joint.axes[0].xyz, inertia), strict=True):
        yield f"{rotor}.inertia.{entry}", x


def _ratio(
    mechanism: Mechanism, t: Transmission, place: int, coupling: Coupling, values: Numbers
) -> Iterator[tuple[str, Any]]:
    """Ratios and offset of the coupling by which the rotor follows the joints."""
    assert t.map is not None
    changed = map_unknowns(mechanism, t, values)
    m = with_parameters(t.map, changed) if changed else t.map
    names = dict(zip((term.axis for term in coupling.leaders), multiplier_names(coupling), strict=True))
    for axis, ratio in zip(t.joints, rows(m)[place], strict=True):
        if axis in names:
            yield names[axis], ratio
        elif not isinstance(ratio, float):
            raise CompileError(
                f"transmission {t.name!r}: the file has no ratio between {axis} and actuator {t.actuators[place]!r}, "
                "so it cannot be a parameter while the rotor is a body; give it a value, or take "
                "<rotor>reflected</rotor>"
            )
    yield f"{coupling.name}.offset", offsets(m)[place]


def _beside(t: Transmission | None, actuator: str, coupling: Coupling | None) -> str | None:
    """The joint that it is mounted beside."""
    if t is not None:
        return t.joints[min(t.actuators.index(actuator), len(t.joints) - 1)].joint
    return None if coupling is None else coupling.leaders[0].axis.joint
