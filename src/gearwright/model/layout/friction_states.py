"""Where the states of frictions are: those of one model after the other, by what it is the friction of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gearwright.model.fields import Quantity
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.parameters import axes, device_key, losses_key
from gearwright.model.transmissions.elastic import ElasticGear

if TYPE_CHECKING:
    from gearwright.model.joints import Joint
    from gearwright.model.mechanism import Mechanism

Owned = tuple[str, FrictionModel | None, bool]  # its owner, the model, and whether it slides


class FrictionStates(NamedTuple):
    """The states of one model, by name, and their places among those of all frictions."""

    model: FrictionModel
    slides: bool
    places: dict[str, int]

    @property
    def units(self) -> tuple[str, ...]:
        """Of the states, in their order; of an angle or of a length by what it moves along."""
        found = tuple(Quantity(unit).unit_on(slides=self.slides) for unit in self.model.state_units)
        return found + ("",) * (len(self.places) - len(found))


def friction_states(mechanism: Mechanism) -> dict[str, FrictionStates]:
    """By owner: `joint`, `motor`, `gear`, `gear.hysteresis`, as the names of parameters have it.

    A transmission of several actuators has one friction an actuator: `gear.motor`.
    """
    found: dict[str, FrictionStates] = {}
    first = 0
    for owner, model, slides in (*_of_shafts(mechanism), *_of_axes(mechanism)):
        if model is not None and model.states:
            found[owner] = FrictionStates(model, slides, {s: first + i for i, s in enumerate(model.states)})
            first += len(model.states)
    return found


def transmission_key(mechanism: Mechanism, name: str, actuator: str) -> str:
    """The owner of a transmission's friction at one of its actuators."""
    t = mechanism.transmissions[name]
    return losses_key(mechanism, t) + (f".{actuator}" if len(t.actuators) > 1 else "")


def hysteresis_key(mechanism: Mechanism, name: str, actuator: str) -> str:
    """The owner of the friction of a gear's twist."""
    return f"{transmission_key(mechanism, name, actuator)}.hysteresis"


def _of_shafts(mechanism: Mechanism) -> Iterator[Owned]:
    for name, a in mechanism.actuators.items():
        slides, t = mechanism.pushes(name), mechanism.acting.get(name)
        yield device_key(mechanism, name), a.friction_model, slides
        if t is not None:
            yield transmission_key(mechanism, t.name, name), t.losses.friction_model, slides
            if isinstance(t.backlash, ElasticGear):
                yield hysteresis_key(mechanism, t.name, name), t.backlash.hysteresis, slides


def _of_axes(mechanism: Mechanism) -> Iterator[Owned]:
    for joint in (*mechanism.tree.joints, *mechanism.tree.cuts):
        for name, axis in axes(joint):
            yield name, axis.dynamics.friction_model, _slides(joint, name)


def _slides(joint: Joint, coordinate: str) -> bool:
    return joint.type.slides(coordinate.removeprefix(joint.name).removeprefix("."))
