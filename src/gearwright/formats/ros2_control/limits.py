"""Limits of a ros2_control joint: the URDF's, narrowed by `min` and `max` of its command interfaces."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

from gearwright.errors import ModelError
from gearwright.model import CommandLimits, Component, Interface, Joint, SafetyController


def command_limits(joint: Joint, component: Component) -> CommandLimits:
    """An interface whose limits are switched off has none, whatever the URDF says."""
    limits = joint.axes[0].limits
    found = CommandLimits(
        min_position=limits.lower, max_position=limits.upper, max_velocity=limits.velocity, max_effort=limits.effort,
        angle_wraparound=joint.kind == "continuous",
    )  # fmt: skip
    for interface in component.commands:
        found = replace(found, **_narrowed(interface, found))  # type: ignore[arg-type]  # numbers only
    return found


def _narrowed(interface: Interface, limits: CommandLimits) -> dict[str, float]:
    name, enabled = interface.name, interface.enable_limits
    try:
        low, high = interface.minimum, interface.maximum
    except ModelError:  # said where the interface is used
        low, high = -inf, inf
    if name == "position":
        if not enabled:
            return {"min_position": -inf, "max_position": inf}
        return {"min_position": max(low, limits.min_position), "max_position": min(high, limits.max_position)}
    if name in ("velocity", "effort"):
        most = min(abs(low), high, getattr(limits, f"max_{name}"))
        return {f"max_{name}": most if enabled else inf}
    if name == "acceleration" and enabled:
        return {"max_acceleration": high, "max_deceleration": abs(low)}
    return {"max_jerk": abs(high)} if name == "jerk" and enabled else {}


def soft_limits(joint: Joint, limits: CommandLimits) -> SafetyController | None:
    """Those of the URDF's safety controller, within the hard ones."""
    soft = joint.safety
    if soft is None or not limits.has_position_limits:
        return soft
    low, high = limits.min_position, limits.max_position
    return replace(
        soft,
        soft_lower_limit=max(soft.soft_lower_limit, low) if isfinite(low) else soft.soft_lower_limit,
        soft_upper_limit=min(soft.soft_upper_limit, high) if isfinite(high) else soft.soft_upper_limit,
    )
