"""An array of symbols: NumPy code that runs on it builds its own expression.

`Traced` holds CasADi scalars, and floats for what is constant, in an array's shape. It takes part in NumPy's two
protocols, so that a function written for arrays of numbers runs on it unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gearwright.errors import TracingError
from gearwright.tracing.elementwise import RULES, Scalar, apply

NO_TRUTH = (
    "a traced value is neither true nor false: it stands for every value at once. Instead of `if x > 0`, `and`, `or`, "
    "min() and max() use np.where, np.logical_and, np.logical_or, np.minimum and np.maximum; build arrays of traced "
    "values by np.stack or np.concatenate, since what np.array and np.asarray make of them can be computed with but "
    "not compared"
)
NO_NUMBER = (
    "a traced value is not one number: it stands for every value at once. Use np.sin instead of math.sin, np.floor "
    "instead of int(), and np.stack or np.zeros_like instead of writing into np.zeros(…) or asking for dtype=float"
)


class Traced(NDArrayOperatorsMixin):
    """Scalars in an array's shape, row by row. Indexing copies."""

    __slots__ = ("elements", "shape")

    def __init__(self, elements: Sequence[Scalar], shape: tuple[int, ...]) -> None:
        self.elements = list(elements)
        self.shape = shape

    # --- what an array is --------------------------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return len(self.elements)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(float)

    @property
    def T(self) -> Traced:
        return self.taken(self.index.T)

    @property
    def index(self) -> np.ndarray[Any, Any]:
        """Where each element stands in `elements`, in this array's shape."""
        return np.arange(self.size).reshape(self.shape)

    def taken(self, index: Any) -> Traced:
        """The elements that an array of their indices names, in its shape."""
        index = np.asarray(index)
        return Traced([self.elements[i] for i in index.ravel().tolist()], index.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a traced scalar")
        return self.shape[0]

    def __iter__(self) -> Iterator[Traced]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Traced:
        return self.taken(self.index[_known(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        places = np.asarray(self.index[_known(key)])
        new = np.broadcast_to(lift(value).index, places.shape).ravel().tolist()
        values = lift(value).elements
        for place, i in zip(places.ravel().tolist(), new, strict=True):
            self.elements[place] = values[i]

    def __bool__(self) -> bool:
        raise TracingError(NO_TRUTH)

    def __float__(self) -> float:
        raise TracingError(NO_NUMBER)

    __int__ = __index__ = __complex__ = __float__

    def __repr__(self) -> str:
        return f"Traced({self.elements if self.shape else self.elements[0]})"

    # --- NumPy's protocols -------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc is np.matmul and method == "__call__":
            return _functions()[np.matmul](*inputs)
        if ufunc is np.divmod and method == "__call__":
            return np.floor_divide(*inputs), np.remainder(*inputs)
        if ufunc.__name__ not in RULES or method not in ("__call__", "reduce", "accumulate", "outer"):
            raise TracingError(_unknown(f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")))
        out = options.pop("out", None)
        if out is not None and not isinstance(out[0], Traced):
            raise TracingError(NO_NUMBER)  # a traced value into an array of numbers
        if method == "__call__":
            result = elementwise(ufunc, *inputs)
        elif method == "outer":
            a, b = map(lift, inputs)
            result = elementwise(ufunc, a.taken(a.index.reshape(a.shape + (1,) * b.ndim)), b)
        else:
            result = {"reduce": reduced, "accumulate": accumulated}[method](ufunc, *inputs, **options)
        if out is None:
            return result
        out[0][...] = result
        return out[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in _functions():
            raise TracingError(_unknown(f"np.{function.__name__}"))
        return _functions()[function](*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """An array's methods are NumPy's functions of the same name: `x.sum()` is `np.sum(x)`."""
        function: Any = getattr(np, name, None)
        known = name in RULES if isinstance(function, np.ufunc) else function in _functions()
        if name.startswith("_") or not known:
            raise AttributeError(f"a traced array has no attribute {name!r}")
        rule = function if isinstance(function, np.ufunc) else _functions()[function]  # older NumPys ask for more
        return lambda *args, **kwargs: rule(self, *args, **kwargs)

    def astype(self, *_: Any, **__: Any) -> Traced:
        return self.copy()

    def copy(self) -> Traced:
        return Traced(self.elements, self.shape)

    def flatten(self) -> Traced:
        return Traced(self.elements, (self.size,))

    def item(self) -> Any:
        raise TracingError(NO_NUMBER)

    def tolist(self) -> Any:
        return [x.tolist() for x in self] if self.shape else self

    def transpose(self, *axes: Any) -> Traced:
        return self.taken(self.index.transpose(*axes))

    def reshape(self, *shape: Any) -> Traced:
        return self.taken(self.index.reshape(*shape))

    def __floor__(self) -> Any:
        return np.floor(self)

    def __ceil__(self) -> Any:
        return np.ceil(self)

    def __trunc__(self) -> Any:
        return np.trunc(self)

    def __round__(self, digits: int = 0) -> Any:
        return np.round(self, digits)


def _functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    """NumPy function → what it is on traced arrays, where those are known already."""
    from gearwright.tracing.functions import FUNCTIONS

    return FUNCTIONS


def _known(key: Any) -> Any:
    if any(isinstance(k, Traced) for k in (key if isinstance(key, tuple) else (key,))):
        raise TracingError("an index cannot depend on traced values; use np.where")
    return key


def _unknown(name: str) -> str:
    return f"{name} is not known for traced arrays; write it with arithmetic, np.where and the element-wise functions"


def lift(value: Any) -> Traced:
    """Anything that stands for numbers, as a traced array: numbers, arrays, SX, lists of these, in any depth."""
    if isinstance(value, Traced):
        return value
    if isinstance(value, list | tuple):
        parts = [lift(v) for v in value]
        if len({p.shape for p in parts}) > 1:
            raise ValueError(f"parts of different shapes do not make an array: {[p.shape for p in parts]}")
        inner = parts[0].shape if parts else ()
        return Traced([e for p in parts for e in p.elements], (len(parts), *inner))
    if hasattr(value, "__SX__"):  # CasADi's protocol, which the expressions of `dynamics` follow
        value = value.__SX__()
    if type(value).__module__.startswith("casadi"):
        return _from_casadi(value)
    array = np.asarray(value)
    if array.dtype == object:
        return Traced([lift(v).elements[0] for v in array.ravel().tolist()], array.shape)
    try:
        numbers = array.astype(float)
    except (TypeError, ValueError):
        raise TracingError(f"{value!r} is not a number, nor an array of numbers") from None
    return Traced(numbers.ravel().tolist(), array.shape)


def _from_casadi(value: Any) -> Traced:
    """A column is a vector, one entry a scalar, anything else a matrix."""
    import casadi

    value = casadi.densify(casadi.SX(value))
    rows, columns = value.shape
    shape = () if rows == columns == 1 else (rows,) if columns == 1 else (rows, columns)
    return Traced([_constant(value[i, j]) for i in range(rows) for j in range(columns)], shape)


def _constant(x: Any) -> Scalar:
    return float(x) if x.is_constant() else x


def elementwise(ufunc: np.ufunc, *inputs: Any) -> Traced:
    """The function on each element, after broadcasting."""
    arrays = [lift(x) for x in inputs]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    places = [np.broadcast_to(x.index, shape).ravel().tolist() for x in arrays]
    pools = [x.elements for x in arrays]
    return Traced(
        [apply(ufunc, tuple(p[i] for p, i in zip(pools, at, strict=True))) for at in zip(*places, strict=True)], shape
    )


def reduced(ufunc: np.ufunc, x: Any, axis: Any = 0, keepdims: bool = False, **options: Any) -> Traced:
    """All elements along the axes (None: all axes) joined by a function of two."""
    _plain(ufunc, options)
    x = lift(x)
    axes = tuple(range(x.ndim)) if axis is None else np.atleast_1d(axis)
    axes = tuple(int(a) % x.ndim for a in axes)
    kept = [a for a in range(x.ndim) if a not in axes]
    rows = x.index.transpose(*kept, *axes).reshape(prod(x.shape[a] for a in kept), -1)
    total = [_joined(ufunc, [x.elements[i] for i in row]) for row in rows.tolist()]
    shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape) if keepdims or a in kept)
    return Traced(total, shape)


def accumulated(ufunc: np.ufunc, x: Any, axis: int = 0, **options: Any) -> Traced:
    """Accumulation of the elements along the axis, as `ufunc.accumulate`."""
    _plain(ufunc, options)
    x = lift(x)
    index = np.moveaxis(x.index, axis, 0)
    layers = [x.taken(layer) for layer in index]
    for i, _ in enumerate(pairwise(layers.copy())):
        layers[i + 1] = elementwise(ufunc, layers[i], layers[i + 1])
    stacked = lift(layers)
    return stacked.taken(np.moveaxis(stacked.index, 0, axis))


def _joined(ufunc: np.ufunc, values: list[Scalar]) -> Scalar:
    if not values:
        if ufunc.identity is None:
            raise ValueError(f"np.{ufunc.__name__} of nothing")
        return float(ufunc.identity)
    result = values[0]
    for v in values[1:]:
        result = apply(ufunc, (result, v))
    return result


def _plain(ufunc: np.ufunc, options: dict[str, Any]) -> None:
    given = [k for k, v in options.items() if k not in ("dtype", "out") and v is not np._NoValue]
    if given:
        raise TracingError(f"np.{ufunc.__name__} of traced arrays takes no {given[0]}")
