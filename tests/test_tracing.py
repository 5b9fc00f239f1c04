"""Tracing: a function on traced arrays has the values that NumPy gives it, or says why it cannot be traced."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gearwright import CompileError, ModelError, TracingError
from gearwright.compiler.ops import OPS
from gearwright.compiler.program import function_program
from gearwright.tracing import Traced, elements, lift, trace
from gearwright.tracing.elementwise import RULES
from gearwright.tracing.functions import FUNCTIONS

casadi = pytest.importorskip("casadi")

M = np.array([[1.0, 2.0, 0.0], [0.0, -3.0, 0.5], [4.0, 0.0, 1.0]])
XP, FP = [-1.0, 0.0, 0.25, 2.0], [3.0, -1.0, 4.0, 0.5]


def values(result: Any) -> list[np.ndarray[Any, Any]]:
    """NumPy's own result in the shape that `trace` gives it."""
    return [np.array(elements(r)) for r in (result if isinstance(result, tuple) else (result,))]


def same(f: Callable[..., Any], *arguments: Any) -> None:
    """Traced and plain agree. A few ulps are allowed: CasADi multiplies by 1/c where NumPy divides by c."""
    sizes = [None if np.ndim(x) == 0 else np.size(x) for x in arguments]
    traced = trace(f, sizes)(*arguments)
    traced = traced if isinstance(traced, tuple) else (traced,)
    expected = values(f(*arguments))
    assert len(traced) == len(expected)
    for got, wanted in zip(traced, expected, strict=True):
        np.testing.assert_allclose(np.array(got).ravel(), wanted, rtol=1e-12, atol=1e-12)


def accumulate(x: Any) -> Any:
    total = np.zeros_like(x)
    for i, xi in enumerate(x):
        total[i:] += xi
    return total


def in_place(x: Any) -> Any:
    y = x * 2
    y += 1
    y[1] = x[0]
    y[1:] *= 3
    return y


def unpacked(x: Any) -> Any:
    a, b, c = x
    return a * b - c


def rotation(x: Any) -> Any:
    c, s = np.cos(x[0]), np.sin(x[0])
    R = np.array([[c, -s], [s, c]])
    return R @ x[1:]


FUNCTIONS_OF_THREE: dict[str, Callable[..., Any]] = {
    "arithmetic": lambda x: (2 * x + 1 - x / 3) * x[0] - 1 / (2 + x * x),
    "powers": lambda x: x**2 + x**3 - (x * x + 1) ** -0.5 + 2.0**x + np.float_power(x * x, 1.5),
    "numpy scalars on the left": lambda x: np.float64(2) * x + np.array([1.0, 2.0, 3.0]) - x,
    "divmod": lambda x: np.stack(divmod(x, 0.7)) + x // 0.7 + x % -0.4,
    "broadcasting": lambda x: (x[:, None] * x + M).ravel(),
    "matrix times vector": lambda x: M @ x,
    "vector times matrix": lambda x: x @ M,
    "traced matrix": lambda x: (x[:, None] * M) @ (M * x),
    "batched product": lambda x: np.ones((2, 4, 3)) @ x,
    "dot": lambda x: (np.dot(M, x), np.dot(x, x), np.dot(x, 3.0), x.dot(x), np.vdot(x, x)),
    "inner and outer": lambda x: (np.inner(x, x), np.outer(x, x), np.add.outer(x, x), np.multiply.outer(x, [1, 2])),
    "cross": lambda x: np.cross(x, [1.0, 2.0, 3.0]),
    "slices": lambda x: (
        x[::-1],
        x[1:],
        x[-1],
        x[[2, 0]],
        x[..., None],
        x[:, None].T,
        x[np.array([True, False, True])],
    ),
    "iteration": lambda x: [xi * i for i, xi in enumerate(x)],
    "unpacking": unpacked,
    "loop into zeros_like": accumulate,
    "in place": in_place,
    "comparisons": lambda x: (x > 0) + 2 * (x >= 0.5) + 4 * (x < -0.5) + 8 * (x <= 0) + 16 * (x != x[0]) + (x == x[1]),
    "logic": lambda x: np.where(np.logical_and(x > -1, x < 1) | (x > 2), 1.0, np.where(~(x > 0) ^ (x < -2), 2.0, 3.0)),
    "and, or, not, xor": lambda x: (
        1.0 * np.logical_or(x > 1, x < 0) + np.logical_not(x > 0) * 2.0 + np.logical_xor(x > 0, x < 1) * 4.0
    ),
    "where": lambda x: np.where(x > 0, np.sin(x), [-1.0, 0.0, 1.0]),
    "select": lambda x: np.select([x > 1, x > 0], [x, 2 * x], default=-1.0),
    "clip": lambda x: (np.clip(x, -0.5, 0.5), x.clip(min=0), np.clip(x, [-1.0, 0.0, 1.0], None)),
    "minimum": lambda x: np.minimum(x, 0.3) + np.maximum(x, x[::-1]) + np.fmin(x, 1) + np.fmax(x, -1),
    "absolute": lambda x: np.abs(x) + abs(x) + np.fabs(x) + np.sign(x) + np.copysign(2, x),
    "heaviside": lambda x: np.heaviside(x, 0.5),
    "rounding": lambda x: np.floor(x) + np.ceil(x) * 10 + np.rint(x) * 100 + np.trunc(x) * 1000 + np.round(x, 2),
    "mod": lambda x: np.mod(x, 0.3) + np.remainder(x, -0.3) + np.fmod(x, 0.3) + np.floor_divide(x, 0.3),
    "sum": lambda x: (np.sum(x), x.sum(), np.sum(x[:, None] * M, axis=0), (x * M).sum(axis=1, keepdims=True), sum(x)),
    "product and mean": lambda x: (np.prod(x), np.mean(x), x.mean(), (x * M).mean(axis=1)),
    "cumulated": lambda x: (np.cumsum(x), np.cumprod(x), np.cumsum(x * M, axis=1), np.add.accumulate(x)),
    "extremes": lambda x: (
        np.max(x),
        np.min(x),
        x.max(),
        np.max(x * M, axis=1),
        1.0 * np.any(x > 1),
        1.0 * np.all(x < 1),
    ),
    "diff": lambda x: (np.diff(x), np.diff(x * M, axis=0), np.diff(x, n=2)),
    "stack": lambda x: (np.stack([x, 2 * x]), np.stack([x[0], x[1]]), np.stack([x, [1, 2, 3]], axis=1)),
    "concatenate": lambda x: (
        np.concatenate([x, [1.0], x[:1]]),
        np.hstack([x, x]),
        np.vstack([x, x]),
        np.append(x, 1.0),
    ),
    "shapes": lambda x: (x.reshape(3, 1), np.tile(x, 2), np.repeat(x, 2), np.roll(x, 1), np.flip(x), np.diag(x), x.T),
    "array of scalars": lambda x: np.array([x[0] * x[1], np.cos(x[2]), 1.0]),
    "array, then functions": lambda x: np.sin(np.array([x[0], x[1]])) * 2 + np.exp(np.array([x[1], x[2]])) ** 2,
    "array, then traced": lambda x: np.where(x[:2] > np.array([x[1], x[2]]), np.array([x[0], 1.0]), 0.0),
    "array, then binary": lambda x: (
        np.arctan2(np.array([x[0], x[1]]), np.array([x[2], 1.0])) + abs(np.array([x[0], x[1]]))
    ),
    "array, then dot": lambda x: np.dot(M, np.array([x[0], x[1], x[2]])) + np.array([x[0], x[1], x[2]]).sum(),
    "rotation": rotation,
    "interp": lambda x: np.interp(x, XP, FP),
    "interp beyond": lambda x: np.interp(x, XP, FP, left=-9.0, right=9.0),
    "interp over a turn": lambda x: np.interp(3 * x, [0.5, 2.0, 4.0], [1.0, 5.0, 2.0], period=2 * np.pi),
    "interp of one": lambda x: np.interp(x[0], XP, FP),
    "polynomial": lambda x: np.polyval([1.0, -2.0, 0.5, 3.0], x),
    "norms": lambda x: (
        np.linalg.norm(x),
        np.linalg.norm(x * M, axis=1),
        np.linalg.norm(x, 1),
        np.linalg.norm(x, np.inf),
    ),
    "nested output": lambda x: [x[0], [x[1], x[1:]], 3.0],
    "no unknown at all": lambda x: [1.0, np.ones(2)],
    "ones and full": lambda x: (
        np.ones_like(x) + np.full_like(x, 2.0) + np.zeros_like(x) + np.shape(x)[0] + len(x) + x.ndim
    ),
    "trace of a matrix": lambda x: np.trace(x * M) + np.triu(x * M).sum(),
    "methods": lambda x: x.copy().flatten().astype(float).reshape((3,)).cumsum() + x.prod(),
}


@pytest.mark.parametrize("name", FUNCTIONS_OF_THREE)
def test_a_function_of_arrays(name: str, rng: np.random.Generator) -> None:
    f = FUNCTIONS_OF_THREE[name]
    for x in (rng.normal(size=3), 2 * rng.normal(size=3), np.array([0.25, 2.0, -1.0]), np.array([0.5, -2.5, 1.5])):
        same(f, x)


# where a function is defined, if not everywhere
DOMAIN: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.abs,
    "log": np.abs,
    "log2": np.abs,
    "log10": np.abs,
    "log1p": np.abs,
    "arcsin": np.tanh,
    "arccos": np.tanh,
    "arctanh": np.tanh,
    "arccosh": np.cosh,
    "reciprocal": lambda x: x + np.copysign(0.1, x),
}
TRUTH = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert"}
BINARY_POSITIVE = {"power", "float_power"}


@pytest.mark.parametrize("name", RULES)
def test_an_elementwise_function(name: str, rng: np.random.Generator) -> None:
    ufunc = getattr(np, name)
    for _ in range(5):
        arguments = [rng.normal(scale=2, size=4) for _ in range(ufunc.nin)]
        if name in BINARY_POSITIVE:
            arguments[0] = np.abs(arguments[0])

        def f(*xs: Any) -> Any:
            if name in TRUTH:
                return 1.0 * ufunc(*(x > 0 for x in xs))
            return 1.0 * ufunc(*(DOMAIN.get(name, np.positive)(x) for x in xs))

        same(f, *arguments)


def test_halves_round_as_numpy_rounds_them() -> None:
    same(lambda x: (np.rint(x), np.round(x)), np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999999999999996, 0.0]))


def test_everything_that_can_be_compiled_can_be_traced() -> None:
    """Each op of the compiler that has a NumPy function as its meaning is known here."""
    known = {op.meaning.__name__ for op in OPS.values() if isinstance(op.meaning, np.ufunc)}
    assert known <= set(RULES)
    assert len(known) > 25


@pytest.mark.parametrize("name", RULES)
def test_everything_that_can_be_traced_can_be_compiled(name: str) -> None:
    ufunc = getattr(np, name)
    function = trace(lambda *xs: 1.0 * ufunc(*xs), [2] * ufunc.nin)
    assert function_program(function).verify().stages


def test_methods_are_functions() -> None:
    x = lift(np.arange(3.0))
    assert elements(x.sin()) == elements(np.sin(np.arange(3.0)))
    with pytest.raises(AttributeError):
        x.imag  # noqa: B018
    assert not hasattr(x, "__array__")


def test_scalars_and_several_arguments() -> None:
    same(lambda a, q, v: (a * np.sin(q) + v, a**2), 0.7, np.array([0.1, 0.2]), np.array([1.0, -1.0]))
    assert trace(lambda a: a, [None]).size_in(0) == (1, 1)
    assert trace(lambda a: [], [2]).size_out(0) == (0, 1)


def test_derivatives_are_exact(rng: np.random.Generator) -> None:
    f = trace(lambda x: np.array([x[0] * np.cos(x[1]), np.where(x[0] > 0, x[0] ** 3, 0.0)]), [2])
    q = casadi.SX.sym("q", 2)
    J = casadi.Function("J", [q], [casadi.jacobian(f(q), q)])
    r, angle = 1.3, 0.4
    expected = [[np.cos(angle), -r * np.sin(angle)], [3 * r**2, 0]]
    np.testing.assert_allclose(np.array(J([r, angle])), expected, rtol=1e-15)


def test_an_infinite_bound_is_none() -> None:
    f = trace(lambda x: np.clip(x, [-np.inf, 0.0], np.inf), [2])
    np.testing.assert_array_equal(np.array(f([-3.0, -3.0]))[:, 0], [-3.0, 0.0])
    assert function_program(f).verify()


def test_what_a_matrix_leaves_out_costs_nothing() -> None:
    """A product with a sparse matrix holds no products with zero."""
    f = trace(lambda x: np.diag([1.0, 2.0, 0.0]) @ x, [3])
    assert f.n_instructions() <= 3 + 3 + 2  # inputs, outputs, and 2·x₂ with the constant 0


# --- what cannot be traced says so ------------------------------------------------------------------------------------


def branches(x: Any) -> Any:
    if x[0] > 0:
        return x
    return -x


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (branches, "np.where"),
        (lambda x: x if x.any() else 0.0, "np.where"),
        (lambda x: max(x[0], x[1]), "np.maximum"),
        (lambda x: x[0] > 0 and x[1] > 0, "np.logical_and"),
        (lambda x: np.clip(np.array([x[0], x[1]]), -1, 1), "np.stack"),
        (lambda x: float(x[0]), "np.floor"),
        (lambda x: int(x[0]), "np.floor"),
        (lambda x: math.sin(x[0]), "np.sin"),
        (lambda x: np.array([x[0], x[1]], dtype=float), "dtype=float"),
        (lambda x: np.asarray(x, dtype=float), "dtype=float"),
        (lambda x: np.zeros(3).__setitem__(0, x[0]), "np.zeros_like"),
        (lambda x: np.add(x, 1, out=np.zeros(3)), "np.zeros_like"),
        (lambda x: [1, 2, 3][x[0]], "np.floor"),
        (lambda x: x[x > 0], "np.where"),
        (lambda x: np.linalg.svd(x[:, None] * M), "np.svd is not known"),
        (np.spacing, "np.spacing is not known"),
        (lambda x: np.interp(0.5, x, [1, 2, 3]), "xp must be numbers"),
        (lambda x: np.where(x > 0), "two values"),
        (lambda x: None, "not None"),
        (lambda x: {"a": x}, "returns numbers or arrays"),
        (lambda x: "text", "returns numbers or arrays"),
        (lambda x: [x[0], np.nan], "returns NaN"),
        (lambda x: x * np.nan, "computes NaN"),
        (lambda x: x[7], "IndexError"),
        (lambda x: 1 / 0, "ZeroDivisionError"),
        (lambda x: M @ x[:2], "ValueError"),
        (lambda x: np.stack([x, x[:2]]), "ValueError"),
        (lambda: 1.0, "TypeError"),
    ],
)
def test_what_cannot_be_traced(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(TracingError, match=words):
        trace(function, [3])


def test_the_error_names_the_function_and_its_line() -> None:
    with pytest.raises(TracingError, match=r"branches \(test_tracing\.py, line \d+\)") as caught:
        trace(branches, [3])
    line = branches.__code__.co_firstlineno + 1
    assert f"line {line})" in str(caught.value)
    with pytest.raises(TracingError, match="my gear"):
        trace(branches, [3], name="my gear")


def test_it_is_an_error_of_the_model_and_of_compiling() -> None:
    assert issubclass(TracingError, ModelError) and issubclass(TracingError, CompileError)


@pytest.mark.parametrize(
    ("returns", "words"),
    [([2], "3 values, not 2"), ([3, 1], "1 output, not 2"), ([None], None), ([3], None)],
)
def test_the_number_of_values(returns: list[int | None], words: str | None) -> None:
    if words is None:
        assert trace(lambda x: x, [3], returns=returns).numel_out() == 3
        return
    with pytest.raises(TracingError, match=words):
        trace(lambda x: x, [3], returns=returns)


def test_two_outputs_where_one_is_asked_for_are_one_vector() -> None:
    assert trace(lambda x: (x[0], x[1:]), [3], returns=[3]).numel_out() == 3
    with pytest.raises(TracingError, match="2 values as output 2, not 1"):
        trace(lambda x: (x[0], x[1:]), [3], returns=[1, 1])


def test_names_that_casadi_does_not_take() -> None:
    for name in ("two words", "é", "1st", "__x__", "jac", ""):
        trace(lambda x: x, [1], name=name)


def test_symbols_are_lifted() -> None:
    x = casadi.SX.sym("x", 2)
    assert lift(x).shape == (2,) and lift(x[0]).shape == () and lift(casadi.SX.zeros(2, 3)).shape == (2, 3)
    assert elements(lift([casadi.SX(3.0), 1])) == [3.0, 1.0]
    assert lift(Traced([1.0], ())).shape == ()


def test_every_function_of_arrays_is_tried() -> None:
    """The table above names each function, as np.name or as a method, but for those that only move elements about."""
    source = Path(__file__).read_text(encoding="utf-8")
    unnamed = {f.__name__ for f in FUNCTIONS if f"{f.__name__}(" not in source}
    assert unnamed <= {
        "ndim", "size", "amax", "amin", "around", "empty_like", "transpose", "squeeze", "expand_dims", "moveaxis",
        "swapaxes", "take", "delete", "broadcast_to", "atleast_1d", "atleast_2d", "fliplr", "flipud", "rot90", "split",
        "array_split", "hsplit", "vsplit", "column_stack", "dstack", "diagonal", "tril", "ravel", "matmul",
    }  # fmt: skip
