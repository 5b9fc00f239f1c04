"""NumPy's functions of whole arrays, on traced ones. A function that is missing is one row at the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gearwright.errors import TracingError
from gearwright.tracing.arrays import Traced, accumulated, elementwise, lift, reduced
from gearwright.tracing.elementwise import choose

# --- new shapes of the same elements --------------------------------------------------------------------------------


def _rearranged(function: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
    """Lets NumPy do it to the elements' indices. Index 0 is a zero, for functions that fill up with zeros."""
    parts = [lift(p) for p in x] if isinstance(x, list | tuple) else [lift(x)]
    pool = Traced([0.0, *(e for p in parts for e in p.elements)], (1 + sum(p.size for p in parts),))
    starts = np.cumsum([1, *(p.size for p in parts)])
    indices = [p.index + start for p, start in zip(parts, starts, strict=False)]
    moved = function(indices if isinstance(x, list | tuple) else indices[0], *args, **kwargs)
    return [pool.taken(m) for m in moved] if isinstance(moved, list | tuple) else pool.taken(moved)


# --- sums and products ----------------------------------------------------------------------------------------------


def _reduction(ufunc: np.ufunc) -> Callable[..., Traced]:
    def reduce(a: Any, axis: Any = None, keepdims: Any = False, **options: Any) -> Traced:
        return reduced(ufunc, a, axis, keepdims is True, **options)

    return reduce


def _running(ufunc: np.ufunc) -> Callable[..., Traced]:
    def accumulate(a: Any, axis: int | None = None, **options: Any) -> Traced:
        return accumulated(ufunc, lift(a).flatten() if axis is None else a, axis or 0, **options)

    return accumulate


def _mean(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    total = reduced(np.add, a, axis, keepdims is True)
    return total * (max(total.size, 1) / max(lift(a).size, 1))


def _matmul(a: Any, b: Any) -> Any:
    """The rows of a with the columns of b, over any leading axes."""
    a, b = lift(a), lift(b)
    if not a.ndim or not b.ndim:
        raise ValueError("a matrix product takes no scalars")
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else -1]:
        raise ValueError(f"shapes {a.shape} and {b.shape} do not fit a matrix product")
    A = a if a.ndim > 1 else a[None, :]
    B = b if b.ndim > 1 else b[:, None]
    out = reduced(np.add, elementwise(np.multiply, A[..., :, :, None], B[..., None, :, :]), axis=-2)
    out = out if b.ndim > 1 else out[..., 0]
    return out if a.ndim > 1 else out[..., 0, :] if b.ndim > 1 else out[..., 0]


def _dot(a: Any, b: Any) -> Any:
    a, b = lift(a), lift(b)
    if max(a.ndim, b.ndim) > 2:
        raise TracingError("np.dot of traced arrays takes at most two dimensions; use @")
    return a * b if not a.ndim or not b.ndim else _matmul(a, b)


def _outer(a: Any, b: Any) -> Any:
    return lift(a).flatten()[:, None] * lift(b).flatten()


def _cross(a: Any, b: Any) -> Any:
    (a1, a2, a3), (b1, b2, b3) = ([lift(x)[..., i] for i in range(3)] for x in (a, b))
    return np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=-1)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = lift(x)
    if ord in (None, 2, "fro") and not (ord == 2 and axis is None and x.ndim > 1):
        return np.sqrt(reduced(np.add, x * x, axis, keepdims))
    if ord in (1, np.inf) and (x.ndim == 1 or isinstance(axis, int)):
        return reduced(np.add if ord == 1 else np.maximum, np.abs(x), axis, keepdims)
    raise TracingError(f"np.linalg.norm of traced arrays does not support ord={ord!r} here")


# --- choices and tables ---------------------------------------------------------------------------------------------


def _where(condition: Any, x: Any = None, y: Any = None) -> Traced:
    if x is None or y is None:
        raise TracingError("np.where of a traced condition takes two values: np.where(condition, x, y)")
    arrays = [lift(v) for v in (condition, x, y)]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    c, a, b = ([arr.elements[i] for i in np.broadcast_to(arr.index, shape).ravel().tolist()] for arr in arrays)
    return Traced([choose(*three) for three in zip(c, a, b, strict=True)], shape)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = _where(condition, choice, result)
    return result


def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    a = a if low is None else elementwise(np.maximum, a, low)
    return a if high is None else elementwise(np.minimum, a, high)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Straight lines between the points of a table, whose places are numbers; its values may be traced."""
    if any(isinstance(v, Traced) for v in (xp, period)):
        raise TracingError("np.interp takes a table at known places: xp must be numbers")
    xp, fp = np.asarray(xp, dtype=float), lift(fp)
    if period is not None:
        order = np.argsort(xp % period)
        xp, fp, x = (xp % period)[order], fp[order], np.mod(lift(x), period)
        xp = np.concatenate([[xp[-1] - period], xp, [xp[0] + period]])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
        left = right = None
    x = lift(x)
    result = fp[0] if left is None else lift(left)
    for i in range(len(xp) - 1):
        line = fp[i] + (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i]) * (x - xp[i])
        result = _where(x >= xp[i], line, result)
    last = _where(x >= xp[-1], fp[-1], result)
    return last if right is None else _where(x > xp[-1], right, last)


def _polyval(p: Any, x: Any) -> Any:
    """Horner's rule, highest power first."""
    result: Any = 0.0
    for coefficient in lift(p):
        result = result * lift(x) + coefficient
    return result


def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    return np.rint(lift(a) * 10.0**decimals) / 10.0**decimals if decimals else np.rint(lift(a))


def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    index = lift(a).index
    for _ in range(n):
        a = lift(a)
        index = np.moveaxis(a.index, axis, -1)
        a = np.moveaxis(a.taken(index[..., 1:]) - a.taken(index[..., :-1]), -1, axis)
    return a


def _filled(value: float) -> Callable[..., Traced]:
    def like(a: Any, dtype: Any = None, order: Any = None, subok: bool = True, shape: Any = None) -> Traced:
        shape = lift(a).shape if shape is None else tuple(np.atleast_1d(shape).tolist())
        return Traced([value] * int(np.prod(shape)), shape)

    return like


def _full_like(a: Any, fill_value: Any, **options: Any) -> Traced:
    full = _filled(0.0)(a, **options)
    full[...] = fill_value
    return full


def _append(arr: Any, values: Any, axis: int | None = None) -> Any:
    arr, values = lift(arr), lift(values)
    return np.concatenate([arr.flatten(), values.flatten()] if axis is None else [arr, values], axis or 0)


REARRANGING = (
    np.reshape, np.ravel, np.transpose, np.squeeze, np.expand_dims, np.moveaxis, np.swapaxes, np.roll, np.flip,
    np.fliplr, np.flipud, np.rot90, np.repeat, np.tile, np.take, np.delete, np.broadcast_to, np.atleast_1d,
    np.atleast_2d, np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack, np.split,
    np.array_split, np.hsplit, np.vsplit, np.diag, np.diagonal, np.triu, np.tril, np.copy,
)  # fmt: skip
FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {f: partial(_rearranged, f) for f in REARRANGING}
FUNCTIONS |= {
    np.shape: lambda a: lift(a).shape,
    np.ndim: lambda a: lift(a).ndim,
    np.size: lambda a, axis=None: lift(a).size if axis is None else lift(a).shape[axis],
    np.sum: _reduction(np.add),
    np.prod: _reduction(np.multiply),
    np.max: _reduction(np.maximum),
    np.min: _reduction(np.minimum),
    np.amax: _reduction(np.maximum),
    np.amin: _reduction(np.minimum),
    np.all: _reduction(np.logical_and),
    np.any: _reduction(np.logical_or),
    np.cumsum: _running(np.add),
    np.cumprod: _running(np.multiply),
    np.mean: _mean,
    np.matmul: _matmul,
    np.dot: _dot,
    np.vdot: lambda a, b: _dot(lift(a).flatten(), lift(b).flatten()),
    np.inner: lambda a, b: _matmul(a, lift(b).T) if lift(a).ndim and lift(b).ndim else a * b,
    np.outer: _outer,
    np.cross: _cross,
    np.trace: lambda a: reduced(np.add, np.diagonal(a)),
    np.linalg.norm: _norm,
    np.where: _where,
    np.select: _select,
    np.clip: _clip,
    np.interp: _interp,
    np.polyval: _polyval,
    np.round: _round,
    np.around: _round,
    np.diff: _diff,
    np.append: _append,
    np.zeros_like: _filled(0.0),
    np.ones_like: _filled(1.0),
    np.empty_like: _filled(0.0),
    np.full_like: _full_like,
}
