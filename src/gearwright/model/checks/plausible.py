"""Hints at numbers that are possible but probably not intended: degrees for radians, grams for kilograms,
millimetres."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from gearwright.diagnostics import Report, Source

if TYPE_CHECKING:
    from gearwright.model.joints import Joint
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism

FAR = 100.0  # [m] from a joint to its parent: larger than any robot
GYRATION = 1.5  # [m]: a rod of 5 m has it, or a link of 0.05 m whose inertia is a thousand times too large
DENSEST = 2e5  # [kg/m³]: ten times gold; a body of less inertia than such a ball is hardly meant
TURNS = 4 * pi  # [rad]: a range beyond two turns, in whole numbers, is one of degrees
TRAVEL = (30.0, 3e4)  # [m]: a range of a slider between them is one of millimetres; beyond, it stands for "any"
DEGREES = 30.0  # whole numbers below this that are no multiples of five may be radians
Hint = tuple[str, Source | None]


def check_plausible(m: Mechanism, report: Report) -> None:
    for joint in m.joints.values():
        for message, source in _joint(joint):
            report.info("implausible", f"joint {joint.name!r}: {message}", source)
    for link in m.links.values():
        for message, source in _link(link):
            report.info("implausible", f"link {link.name!r}: {message}", source)


def _joint(joint: Joint) -> Iterator[Hint]:
    distance = float(np.linalg.norm(joint.X_PJ.p))
    if distance > FAR:
        yield f"its origin is {distance:.4g} m from its parent's: millimetres?", joint.source
    for axis in joint.axes:
        lower, upper = axis.limits.lower, axis.limits.upper
        if lower == upper:
            yield f"both limits are {lower:g}, so that it cannot move: a fixed joint?", joint.source
        whole = all(isfinite(x) and x % (1 if abs(x) >= DEGREES else 5) == 0 for x in (lower, upper))
        if whole and not joint.type.prismatic and upper - lower > TURNS:
            yield f"limits of {lower:g} and {upper:g} rad look like degrees", joint.source
        if joint.type.prismatic and TRAVEL[0] < upper - lower <= TRAVEL[1]:
            yield f"limits of {lower:g} and {upper:g} m look like millimetres", joint.source


def _link(link: Link) -> Iterator[Hint]:
    inertia = link.inertia
    largest = max(inertia.moments)
    if not (inertia.mass > 0 and largest > 0):
        return
    radius = sqrt(largest / inertia.mass)
    what = f"{largest:.3g} kg·m² of {inertia.mass:.3g} kg implies a radius of gyration of {radius:.3g} m"
    if radius > GYRATION:
        yield f"{what}: wrong units?", link.source
    if largest < 0.4 * inertia.mass * (0.75 * inertia.mass / (pi * DENSEST)) ** (2 / 3):
        yield f"{what}, denser than any material: wrong units?", link.source
