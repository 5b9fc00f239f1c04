"""Motors and outputs of closed loops in words: ratios, and what the outputs reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gearwright.display.maps import combination
from gearwright.display.quantities import force, inertia, number
from gearwright.errors import ModelError
from gearwright.model import Mechanism
from gearwright.model.parallel import ActuationJacobian

ROUNDING = 1e-9  # share of a ratio that is left of zero


def slides(robot: Mechanism, output: str) -> bool:
    """Whether an output is a length: a slide's position, or a link's x, y or z."""
    joint = next((j for j in robot.joints.values() if output in j.coordinates), None)
    return output[-2:] in (".x", ".y", ".z") if joint is None else joint.type.prismatic


def ratios(J: ActuationJacobian) -> Iterator[tuple[str, str]]:
    """By actuator: `left_motor`, `24.6·pitch + 22.6·roll`. Raises ModelError at a singular pose."""
    for name, row in zip(J.actuators, J.actuator_per_joint, strict=True):
        yield (
            name,
            combination([float(f"{x:.4g}") if abs(x) > ROUNDING * abs(row).max() else 0.0 for x in row], J.joints),
        )


def reached(robot: Mechanism, J: ActuationJacobian) -> Iterator[tuple[str, str]]:
    """By output: `pitch`, `±76.8 N·m, ±12.3 rad/s, 0.0294 kg·m²`; what has no limit is left out."""
    for k, name in enumerate(J.joints):
        slide = slides(robot, name)
        parts = []
        with suppress(ModelError):
            parts.append(f"±{force(float(J.effort_range()[k, 1]), slide)}")
        with suppress(ModelError):
            parts.append(f"±{number(float(J.velocity_range()[k, 1]))} {'m/s' if slide else 'rad/s'}")
        yield name, ", ".join([*parts, inertia(float(J.joint_inertia[k, k]), slide)])
