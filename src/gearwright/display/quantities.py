"""Numbers with units as text: four digits, a real minus, and the unit that suits the size."""

from __future__ import annotations

from collections.abc import Callable
from math import degrees, inf, isinf

from gearwright.model import Axis, Joint, Limits
from gearwright.model.fields import Highlight

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(x: float, digits: int = 4) -> str:
    """`−1.571`, `4096`, `1.2×10⁻⁵`, `∞`."""
    if isinf(x):
        return "∞" if x > 0 else "−∞"
    if x and (abs(x) < 10**-3 or abs(x) >= 10**6):
        mantissa, exponent = f"{x:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPT)}".replace("-", "−")
    whole = f"{x:.{digits}g}" if abs(x) < 10**digits else f"{x:.0f}"
    return (whole if float(whole) else "0").replace("-", "−")


def span(lower: float, upper: float, unit: str) -> str:
    """`±1.571 rad`, `0 … 40 mm`, `≥ 0 rad`."""
    space = "" if unit == "°" else " "
    if lower == -inf or upper == inf:
        return f"≥ {number(lower)}{space}{unit}" if upper == inf else f"≤ {number(upper)}{space}{unit}"
    if lower == -upper and upper:
        return f"±{number(upper)}{space}{unit}"
    return f"{number(lower)} … {number(upper)}{space}{unit}"


def travel(limits: Limits, prismatic: bool) -> str:
    """A position range: angles in radians with degrees beside, lengths in mm below a metre."""
    if not limits.bounded:
        return "no limit"
    low, high = limits.lower, limits.upper
    if prismatic:
        ends = [abs(x) for x in (low, high) if not isinf(x)]
        scale, unit = (1000.0, "mm") if max(ends) < 1 else (1.0, "m")
        return span(low * scale, high * scale, unit)
    turned = [x if isinf(x) else round(degrees(x), 1) for x in (low, high)]
    if low == -high:
        turned[0] = -turned[1]
    return f"{span(low, high, 'rad')} ({span(turned[0], turned[1], '°')})"


def ranges(joint: Joint) -> str:
    """The travel of every axis of a joint; a screw's pitch with it."""
    if joint.type.travels:
        return f"{travel(joint.axes[0].limits, False)}, {length(joint.thread_pitch)}/rev"
    if not joint.refs:
        return ""
    return "; ".join(travel(a.limits, joint.type.prismatic) for a in joint.axes)


def measured(value: float, unit: str, digits: int = 4) -> str:
    """A number with its unit, in the multiple that suits it: `12 V`, `20 mm`, `5 ms`, `50 mN·m`."""
    if unit in _MULTIPLES:
        return _MULTIPLES[unit](value)
    return f"{number(value, digits)} {unit}".rstrip()


def highlight_text(h: Highlight) -> str:
    return h.text if h.value is None else h.text.format(measured(h.value, h.unit, h.digits))


def speed(axis: Axis, prismatic: bool) -> str:
    v = axis.limits.velocity
    return "" if isinf(v) else f"{number(v)} {'m/s' if prismatic else 'rad/s'}"


def effort(axis: Axis, prismatic: bool) -> str:
    return "" if isinf(axis.limits.effort) else force(axis.limits.effort, prismatic)


def force(x: float, prismatic: bool = False) -> str:
    """A force, or a torque with mN·m below 0.1."""
    if prismatic:
        return f"{number(x)} N"
    return f"{number(x * 1000)} mN·m" if 0 < abs(x) < 0.1 else f"{number(x)} N·m"


def length(x: float) -> str:
    return f"{number(x * 1000)} mm" if abs(x) < 1 else f"{number(x)} m"


def mass(x: float) -> str:
    """`60 g`, `1.25 kg`."""
    return f"{number(x * 1000)} g" if 0 < x < 1 else f"{number(x)} kg"


def inertia(x: float, prismatic: bool = False) -> str:
    """Along an axis: a mass where it slides, a moment where it turns."""
    return mass(x) if prismatic else f"{number(x, 3)} kg·m²"


def duration(x: float) -> str:
    return f"{number(x * 1000)} ms" if x < 1 else f"{number(x)} s"


_MULTIPLES: dict[str, Callable[[float], str]] = {
    "m": length, "s": duration, "kg": mass, "N·m": force, "N": lambda x: force(x, True), "kg·m²": inertia,
}  # fmt: skip
