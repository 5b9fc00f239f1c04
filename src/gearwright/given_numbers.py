"""What a number may be, wherever a caller gives one.

A number is real and finite: an int, a float, a fraction, a decimal, or one of NumPy's, also as an array without
dimensions. A truth value or a text is not a number. Infinity is one only where it means "no limit".
"""

from __future__ import annotations

from decimal import Decimal
from math import inf, isfinite, isnan
from numbers import Real
from typing import Any

import numpy as np

from gearwright.errors import GearwrightError, ModelError

Array = np.ndarray[Any, np.dtype[np.float64]]
FARTHEST = 1e12  # [m, rad], also per second; positions beyond it lose their millimetres, and products of them overflow
NUMERIC = "iuf"  # kinds of NumPy's types that are numbers
WIDTH = 60  # characters of a wrong value in a message


def as_float(value: Any) -> float | None:
    """The number as a float, ±inf for one that is too large; None for what is not a number."""
    if type(value) is float or type(value) is int:
        return _converted(value)
    if isinstance(value, bool | str | bytes):
        return None
    if isinstance(value, Real | Decimal):
        return _converted(value)
    if not hasattr(value, "__array__") or getattr(value, "shape", None) != ():
        return None
    array = np.asarray(value)
    return float(array) if array.dtype.kind in NUMERIC and array.ndim == 0 else None


def is_number_text(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _converted(value: Any) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
    except (TypeError, ValueError):  # a signalling NaN
        return None


def number(
    name: str, value: Any, *, what: str = "a number", low: float = -inf, high: float = inf, infinite: bool = False,
    error: type[GearwrightError] = ModelError,
) -> float:  # fmt: skip
    """A number that a caller gives, between two ends. Raises an error that says `name is what`."""
    found = as_float(value)
    if found is None or isnan(found) or not (infinite or isfinite(found)):
        raise error(f"{name} must be {what if found is None else _finite(what)}, not {value!r:.{WIDTH}}")
    if not low <= found <= high:
        raise error(f"{name} must be {what} {_between(low, high)}, not {value!r:.{WIDTH}}")
    return found


def whole(
    name: str, value: Any, *, what: str = "a whole number", low: int = 1, high: int | None = None,
    error: type[GearwrightError] = ModelError,
) -> int:  # fmt: skip
    """A whole number that a caller gives: an int, or one of NumPy's. A float is refused, even 3.0."""
    found = as_index(value)
    if found is None or found < low or (high is not None and found > high):
        bounds = f" from {low} to {high:,}" if high is not None else f" of at least {low}" if low else ", 0 or more"
        shown = f"{value!r:.{WIDTH}}" if found is None or abs(found) < 10**20 else f"one of {found.bit_length()} bits"
        raise error(f"{name} must be {what}{bounds}, not {shown}")
    return found


def as_index(value: Any) -> int | None:
    """None for what is not a whole number."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or getattr(value, "shape", ()) != ():
        return None
    try:
        return int(value.__index__())
    except TypeError:  # an array without dimensions that holds floats
        return None


def numbers(name: str, value: Any, *, infinite: bool = False, error: type[GearwrightError] = ModelError) -> Array:
    """Numbers that a caller gives, as an array of any shape. With `infinite` they need not be finite."""
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":  # fractions, decimals, integers of any size
            each = [as_float(x) for x in array.ravel().tolist()]
            if None in each:
                raise TypeError
            array = np.array(each, dtype=np.float64).reshape(array.shape)
        if (array.dtype.kind not in NUMERIC and array.size) or _has_truth(value):
            raise TypeError
    except (TypeError, ValueError):  # rows of different lengths
        raise error(f"{name} takes numbers, not {value!r:.{WIDTH}}") from None
    if not (infinite or np.isfinite(array).all()):
        raise error(f"{name} is given a value that is not finite")
    return array.astype(np.float64, copy=False)


def _has_truth(value: Any) -> bool:
    """Whether a truth value hides among numbers, which NumPy takes for 0 or 1."""
    if isinstance(value, list | tuple):
        return any(map(_has_truth, value))
    return isinstance(value, bool | np.bool_)


def position_checked(name: str, array: Array) -> Array:
    """Positions, which no mechanism has beyond `FARTHEST`."""
    return _within(f"{name} is given a position", array, "rad or m")


def velocity_checked(name: str, array: Array) -> Array:
    """Velocities to begin with. A step from a larger one overflows, and may end at rest at a joint limit."""
    return _within(f"{name} is given a velocity", array, "rad/s or m/s")


def _within(what: str, array: Array, units: str) -> Array:
    if array.size and np.abs(array).max() > FARTHEST:
        raise ModelError(f"{what} beyond ±{FARTHEST:g} {units}")
    return array


def _finite(what: str) -> str:
    """`a finite number` of `a number`."""
    article, _, rest = what.partition(" ")
    return what if "finite" in what else f"{article} finite {rest}"


def _between(low: float, high: float) -> str:
    if low > -inf and high < inf:
        return f"from {low:g} to {high:g}"
    return f"of at least {low:g}" if low > -inf else f"of at most {high:g}"
