"""Observations of a policy as users write them: signals by name, as they are or through a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import casadi

from gearwright.dynamics.algebra.scalar import Expression, Scalar, cos, expression, sin
from gearwright.errors import ModelError

CALL = re.compile(r"(\w+)\((.+)\)")


def tanh(x: Scalar) -> Scalar:
    return Expression(casadi.tanh(expression(x).sx))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {"sin": sin, "cos": cos, "tanh": tanh, "abs": abs}


def observed(given: Any) -> list[Any]:
    """Functions as they are; names with the function that they are called through, or None."""
    each: Sequence[Any] = [given] if isinstance(given, str) or callable(given) else list(given)
    if not each:
        raise ModelError("observe must name what a policy sees, such as ('knee.position', 'motor.velocity')")
    return [one if callable(one) else _named(one) for one in each]


def _named(name: Any) -> tuple[Any, str | None]:
    call = CALL.fullmatch(name) if isinstance(name, str) else None
    if call and call[1] not in FUNCTIONS:
        raise ModelError(f"{name!r}: a function of a signal is one of {', '.join(FUNCTIONS)}")
    return (call[2], call[1]) if call else (name, None)
