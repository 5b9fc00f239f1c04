"""All joints moved by hand through their ranges, as a person does who calibrates an arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from gearwright.errors import UnknownNameError
from gearwright.hardware import shafts
from gearwright.hardware.hands import ACCELERATION, SPEED

if TYPE_CHECKING:
    from gearwright.hardware.plant import Plant

SETTLING = 1.0  # [s] at every end, for a hand that makes up for weight and friction
WAYS: Mapping[str, tuple[str, ...]] = {
    "middle": ("middle",), "low": ("low",), "high": ("high",), "all": ("middle", "low", "high", "middle"),
}  # fmt: skip
SHARE = {"low": 0.0, "middle": 0.5, "high": 1.0}


def swept_joints(plant: Plant) -> dict[str, tuple[float, float]]:
    """Ranges of the joints that drives turn and that have limits, by coordinate."""
    robot = plant.sim.robot
    turned = dict.fromkeys(name for actuator in plant.drives for name in shafts.ratios(robot, actuator))
    limits = {n: a.limits for j in robot.joints.values() for n, a in zip(j.axis_coordinates, j.axes, strict=True)}
    ends = {n: (limits[n].lower, limits[n].upper) for n in turned if n in limits and n in plant.sim.coordinates}
    return {name: (low, high) for name, (low, high) in ends.items() if isfinite(low) and isfinite(high) and low < high}


def sweep(plant: Plant, way: str = "all") -> float:
    """Begins it, and returns how long it takes [s]; it ends in the last place, and a whole sweep lets go there."""
    if way not in WAYS:
        raise UnknownNameError("way to sweep", way, WAYS)
    joints, begin = swept_joints(plant), plant.time
    for at, share in _schedule(joints, WAYS[way]):
        action = HandMovement(plant, {n: low + share * (high - low) for n, (low, high) in joints.items()})
        if at == 0.0:
            action()
        else:
            plant.at(begin + at, action)
    end = len(WAYS[way]) * _longest(joints)
    if way == "all":
        plant.at(begin + end, HandMovement(plant, dict.fromkeys(joints)))
    return end


def _schedule(joints: Mapping[str, tuple[float, float]], places: tuple[str, ...]) -> Iterator[tuple[float, float]]:
    """When each place is gone to, and its share of the range."""
    for k, place in enumerate(places):
        yield k * _longest(joints), SHARE[place]


def _longest(joints: Mapping[str, tuple[float, float]]) -> float:
    """[s] for the widest range from end to end, and to settle."""
    widest = max((high - low for low, high in joints.values()), default=0.0)
    return widest / SPEED + SPEED / ACCELERATION + SETTLING


@dataclass(frozen=True)
class HandMovement:
    """Hands go to these places, or let go of a joint where there is none."""

    plant: Plant
    places: Mapping[str, float | None]

    def __call__(self) -> None:
        for joint, position in self.places.items():
            self.plant.hold(joint, position)
