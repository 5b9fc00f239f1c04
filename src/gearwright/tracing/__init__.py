"""A user's Python function, written for NumPy arrays, becomes a CasADi Function: exact derivatives, compiled code.

    >>> from gearwright.tracing import trace
    >>> import numpy as np
    >>> f = trace(lambda q: np.array([q[0] * np.cos(q[1]), q[0] * np.sin(q[1])]), sizes=[2])
    >>> f.size_out(0)
    (2, 1)

CasADi is imported when a function is traced, not before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from gearwright.errors import CompileError, TracingError, counted
from gearwright.optional import missing_package
from gearwright.tracing.arrays import NO_NUMBER, Traced, lift
from gearwright.tracing.elementwise import Scalar

__all__ = ["Scalar", "Traced", "TracingError", "called", "elements", "imported_casadi", "lift", "trace"]

_HERE = str(Path(__file__).parent)
_NUMPY = str(Path(np.__file__).parent)


def imported_casadi() -> Any:
    """The module; where only saved simulations are run, it need not be installed."""
    try:
        import casadi
    except ImportError as error:
        raise CompileError(missing_package("casadi", "the derivative of a user's or curved map")) from error
    return casadi


def trace(
    function: Callable[..., Any],
    sizes: Sequence[int | None],
    name: str | None = None,
    returns: Sequence[int | None] | None = None,
) -> Any:
    """The function as a `casadi.Function` of SX columns.

    `sizes`: of each argument, a vector of this many values; None for a scalar. A tuple that the function returns is
    several outputs, anything else is one: a scalar, an array, a list of these in any depth, flattened in order.
    `returns`: how many values each output must have, None for any number. TracingError names the fault and
    where in the function.
    """
    casadi = imported_casadi()
    name = name or _name(function)
    symbols = [casadi.SX.sym(f"x{i}", 1 if n is None else n) for i, n in enumerate(sizes)]
    arguments = [
        Traced(casadi.vertsplit(s) if s.numel() else [], () if n is None else (n,))
        for s, n in zip(symbols, sizes, strict=True)
    ]
    columns = [casadi.vertcat(casadi.SX(0, 1), *values) for values in called(function, arguments, name, returns)]
    plain = "f_" + re.sub(r"[\W_]+", "_", name, flags=re.ASCII).strip("_")
    traced = casadi.Function(plain, symbols, columns)
    constants = [k for k in range(traced.n_instructions()) if traced.instruction_id(k) == casadi.OP_CONST]
    if any(isnan(traced.instruction_constant(k)) for k in constants):
        raise TracingError(f"{name} computes NaN for all arguments")
    return traced


def called(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    name: str | None = None,
    returns: Sequence[int | None] | None = None,
) -> list[list[Scalar]]:
    """The elements of each output, floats or SX, of a function called on traced arrays."""
    name = name or _name(function)
    try:
        result = function(*arguments)
        outputs = [elements(r) for r in (result if isinstance(result, tuple) else (result,))]
    except TracingError as error:
        raise TracingError(f"{name}{_line(error.__traceback__)}: {error}") from error.__cause__
    except Exception as error:  # the user's code may raise anything
        said = f"{type(error).__name__}: {error}"
        if "array element with a sequence" in said:  # what NumPy says of a traced value in an array of numbers
            said = NO_NUMBER
        raise TracingError(f"{name}{_line(error.__traceback__)} cannot be traced: {said}") from error
    _checked(name, outputs, returns)
    return outputs


def elements(value: Any) -> list[Scalar]:
    """A function's return value as a flat list of floats and SX, in order."""
    if value is None or isinstance(value, str | dict | set):
        raise TracingError(f"a traced function returns numbers or arrays, not {value!r}")
    if isinstance(value, list | tuple):
        return [e for v in value for e in elements(v)]
    return lift(value).elements


def _checked(name: str, outputs: list[list[Scalar]], returns: Sequence[int | None] | None) -> None:
    if any(type(e) is float and isnan(e) for values in outputs for e in values):
        raise TracingError(f"{name} returns NaN for all arguments")
    if returns is None:
        return
    if len(returns) == 1 and len(outputs) > 1:  # `return x, y` where one vector is asked for
        outputs[:] = [[e for values in outputs for e in values]]
    if len(outputs) != len(returns):
        raise TracingError(f"{name} returns {counted(len(outputs), 'output')}, not {len(returns)}")
    for i, (values, size) in enumerate(zip(outputs, returns, strict=True)):
        if size is not None and len(values) != size:
            which = f" as output {i + 1}" if len(returns) > 1 else ""
            raise TracingError(f"{name} returns {counted(len(values), 'value')}{which}, not {size}")


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


def _line(traceback: TracebackType | None) -> str:
    """Where in the user's code it happened: the innermost line that is neither ours nor NumPy's."""
    found = ""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith((_HERE, _NUMPY)):
            found = f" ({Path(file).name}, line {traceback.tb_lineno})"
        traceback = traceback.tb_next
    return found
