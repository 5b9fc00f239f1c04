"""Transmissions as formulas: what a joint does when its actuators move."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import singledispatch
from math import pi

from gearwright.display.quantities import highlight_text, length, number, span
from gearwright.errors import ModelError
from gearwright.model import (
    CustomJointMap,
    CustomTransmission,
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    LinearTransmission,
    Mechanism,
    Series,
    SimpleTransmission,
    Transmission,
    TransmissionMap,
)
from gearwright.model.transmissions import LinearSeries


def slides(mechanism: Mechanism, joint: str) -> bool:
    return joint in mechanism.joints and mechanism.joints[joint].type.prismatic


def ratio(mechanism: Mechanism, t: Transmission) -> str:
    """A simple one in a word: `50:1`, `2 mm/rev`; otherwise nothing."""
    if not isinstance(t.map, SimpleTransmission):
        return ""
    r = t.map.reduction
    if slides(mechanism, t.joints[0].joint):
        return f"{length(2 * pi / r)}/rev"
    return f"{number(r)}:1" if abs(r) >= 1 else f"{'−' if r < 0 else ''}1:{number(1 / abs(r))}"


def formulas(t: Transmission) -> list[str]:
    """`pitch = left/80 + right/80`, one line per joint; if the map cannot be inverted, one line per actuator."""
    if t.map is None:
        return ["no map: the type is not known"]
    return map_formulas(t.map, t.actuators, [str(j) for j in t.joints])


@singledispatch
def map_formulas(m: TransmissionMap, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    """A map without a formula: its numbers. One function for each class that has more to say than its fields."""
    numbers = _listed(m)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(m).__name__).lower()
    return [f"{name}: {numbers}" if numbers else name]


@map_formulas.register
def _of_linear(m: LinearTransmission, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    """The formula, and the numbers that it is made of."""
    return _ratios(m, actuators, joints) + _numbers(m)


@map_formulas.register(SimpleTransmission)
@map_formulas.register(DifferentialTransmission)
@map_formulas.register(FourBarLinkageTransmission)
def _ratios(m: LinearTransmission, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    """The formula alone, of kinds whose numbers it shows."""
    shares, outputs = _shares(m, actuators), joints
    if shares is None:
        shares, outputs = [combination(row, joints) for row in m.actuator_per_joint.tolist()], actuators
    return [f"{y} = {x}" for y, x in zip(outputs, shares, strict=True)]


@map_formulas.register
def _of_matrix(m: LinearMap, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    return _ratios(m, actuators, joints) + _clipped(m)


@map_formulas.register
def _of_linkage(m: FourBarLinkage, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    return [f"linkage: {_listed(m)}"]


@map_formulas.register
def _of_joint_map(m: CustomJointMap, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    return [f"{', '.join(joints)} = position({', '.join(actuators)})"]


@map_formulas.register
def _of_function(m: CustomTransmission, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    own = f"{', '.join(actuators)} = position({', '.join(joints)})"
    return [own if m.position else f"efforts of {', '.join(joints)} = effort({', '.join(actuators)}, q, v)"]


@map_formulas.register
def _of_series(m: Series, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Stage by stage, with names for the shafts between them; one of linear stages has a formula of its own."""
    lines: list[str] = []
    ends: Sequence[str] = actuators
    for i, stage in enumerate(m.stages, 1):
        between = [f"shaft{i}" if stage.joints == 1 else f"shaft{i}.{k + 1}" for k in range(stage.joints)]
        starts, ends = ends, joints if i == len(m.stages) else between
        lines += [f"stage {i}: {line}" for line in map_formulas(stage, starts, ends)]
    return lines


@map_formulas.register
def _of_linear_series(m: LinearSeries, actuators: Sequence[str], joints: Sequence[str]) -> list[str]:
    stages = ((i, line) for i, stage in enumerate(m.stages, 1) for line in _numbers(stage))
    return _ratios(m, actuators, joints) + [f"stage {i}: {line}" for i, line in stages]


def _numbers(m: TransmissionMap) -> list[str]:
    """A line with the numbers of a kind, unless its formula shows them."""
    shown = isinstance(m, SimpleTransmission | DifferentialTransmission | FourBarLinkageTransmission | LinearMap)
    return [text] if not shown and (text := _listed(m)) else []


def _listed(m: TransmissionMap) -> str:
    return ", ".join(highlight_text(h) for h in m.highlights())


def joint_shares(t: Transmission) -> list[str] | None:
    """Formula of each joint in its actuators; None if the map has no inverse."""
    return _shares(t.map, t.actuators) if isinstance(t.map, LinearTransmission) else None


def _shares(m: LinearTransmission, actuators: Sequence[str]) -> list[str] | None:
    try:
        rows = m.joint_per_actuator.tolist()
    except ModelError:
        return None
    offsets = m.position_offset.tolist()
    return [combination(row, actuators, offset) for row, offset in zip(rows, offsets, strict=True)]


def combination(coefficients: Iterable[float], names: Sequence[str], offset: float = 0.0) -> str:
    """`a/50 − 0.5·b + 0.1`."""
    text = ""
    for c, name in zip(coefficients, names, strict=True):
        if c:
            sign = ("−" if c < 0 else "") if not text else (" − " if c < 0 else " + ")
            text += sign + _scaled(abs(c), name)
    if offset:
        text += (" − " if offset < 0 else " + ") + number(abs(offset))
    return text or "0"


def _scaled(c: float, name: str) -> str:
    """A share is written as a division where that is the rounder number."""
    if c == 1:
        return name
    times, over = number(c, 5), number(1 / c, 5)
    return f"{name}/{over}" if len(over) < len(times) else f"{times}·{name}"


def _clipped(m: LinearMap) -> list[str]:
    if not m.lower or not m.upper:
        return []
    return ["efforts kept to " + ", ".join(span(lo, hi, "N·m") for lo, hi in zip(m.lower, m.upper, strict=True))]
