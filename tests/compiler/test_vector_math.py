"""Transcendental functions against long double, and at their edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gearwright.compiler.backends.cpu.vector_math import FUNCTIONS
from tests.compiler.building import evaluate_op, same_bits, ulps

LONG = np.longdouble
needs_long_double = pytest.mark.skipif(np.finfo(LONG).nmant < 63, reason="long double is no wider than double here")


def logarithmic(low: float, high: float, n: int = 4000) -> np.ndarray:
    """Both signs, magnitudes spread evenly over decades."""
    rng = np.random.default_rng(7)
    size = 10 ** rng.uniform(math.log10(low), math.log10(high), n)
    return size * rng.choice([-1.0, 1.0], n)


def uniform(low: float, high: float, n: int = 4000) -> np.ndarray:
    return np.random.default_rng(8).uniform(low, high, n)


def both(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate(parts)


# op: (oracle in long double, arguments, allowed ulps)
ONE_ARGUMENT = {
    "asin": (np.arcsin, both(uniform(-1, 1), logarithmic(1e-12, 1)), 2),
    "acos": (np.arccos, both(uniform(-1, 1), 1 - np.abs(logarithmic(1e-14, 1))), 2),
    "atan": (np.arctan, both(uniform(-5, 5), logarithmic(1e-12, 1e12)), 2),
    "exp": (np.exp, both(uniform(-700, 700), uniform(-745, -700), uniform(-1, 1)), 2),
    "expm1": (np.expm1, both(uniform(-40, 700), uniform(-2, 2), logarithmic(1e-15, 1)), 2),
    "log": (
        np.log,
        both(uniform(0.4, 3), np.abs(logarithmic(1e-320, 1e300)), 1 + logarithmic(1e-12, 0.1)),
        2,
    ),
    "log1p": (
        np.log1p,
        both(uniform(-0.99, 3), np.abs(logarithmic(1e-18, 1e300)), logarithmic(1e-17, 0.5)),
        2,
    ),
    "sinh": (np.sinh, both(uniform(-5, 5), uniform(-709, 710), logarithmic(1e-12, 1)), 2),
    "cosh": (np.cosh, both(uniform(-5, 5), uniform(-709, 710)), 2),
    "tanh": (np.tanh, both(uniform(-5, 5), uniform(-30, 30), logarithmic(1e-12, 1)), 2),
    "asinh": (np.arcsinh, both(uniform(-5, 5), logarithmic(1e-12, 1e300)), 4),
    "acosh": (np.arccosh, both(uniform(1, 5), np.abs(logarithmic(1.1, 1e300))), 4),
    "atanh": (np.arctanh, both(uniform(-1, 1), logarithmic(1e-12, 0.9)), 4),
}
TWO_ARGUMENTS = {
    "atan2": (np.arctan2, (logarithmic(1e-8, 1e8), logarithmic(1e-8, 1e8)[::-1].copy()), 2),
    "hypot": (np.hypot, (logarithmic(1e-300, 1e300), logarithmic(1e-300, 1e300)[::-1].copy()), 2),
    "pow": (np.power, (np.abs(logarithmic(1e-20, 1e20)), uniform(-15, 15)), 2),
    "constpow": (np.power, (np.abs(logarithmic(1e-5, 1e5)), np.full(4000, 2.3)), 2),
}


def test_every_function_is_tested() -> None:
    assert set(ONE_ARGUMENT) | set(TWO_ARGUMENTS) == set(FUNCTIONS)


@needs_long_double
@pytest.mark.parametrize("op", ONE_ARGUMENT)
def test_one_argument_functions_are_accurate(op: str) -> None:
    oracle, x, allowed = ONE_ARGUMENT[op]
    assert ulps(evaluate_op(op, x), oracle(x.astype(LONG))).max() <= allowed


@needs_long_double
@pytest.mark.parametrize("op", TWO_ARGUMENTS)
def test_two_argument_functions_are_accurate(op: str) -> None:
    oracle, (x, y), allowed = TWO_ARGUMENTS[op]
    assert ulps(evaluate_op(op, x, y), oracle(x.astype(LONG), y.astype(LONG))).max() <= allowed


def near_multiples_of_half_pi(largest: float) -> np.ndarray:
    """The doubles nearest to k·π/2, where the result loses most leading bits."""
    k = np.unique(np.geomspace(1, largest / (math.pi / 2), 3000).astype(np.int64)).astype(LONG)
    half_pi = LONG(1.5707963267948966) + LONG(6.123233995736766e-17)
    x = (k * half_pi).astype(float)
    return both(x, np.nextafter(x, 0), -x)


ANGLES = {
    "small": both(uniform(-10, 10), logarithmic(1e-12, 1)),
    "up to 1e5": both(uniform(-1e5, 1e5), near_multiples_of_half_pi(1e5)),
    "beyond 1e5": both(uniform(1e5, 1e7), logarithmic(1e5, 1e18), near_multiples_of_half_pi(1e9)),
    "huge": both(logarithmic(1e18, 1e308), np.array([6381956970095103.0 * 2.0**797])),
}


@needs_long_double
@pytest.mark.parametrize("kind", ANGLES)
@pytest.mark.parametrize("op", ["sin", "cos"])
def test_sine_and_cosine_are_accurate(op: str, kind: str) -> None:
    x = ANGLES[kind]
    assert ulps(evaluate_op(op, x), getattr(np, op)(x.astype(LONG))).max() <= 1


def test_the_hardest_double_for_argument_reduction() -> None:
    """6381956970095103·2⁷⁹⁷ is the double closest to a multiple of π/2; cos of it is −4.68716592425462761e−19."""
    x = np.array([6381956970095103.0 * 2.0**797])
    assert evaluate_op("cos", x)[0] == pytest.approx(-4.68716592425462761112e-19, rel=4e-16)


def test_tangent_is_accurate() -> None:
    x = ANGLES["small"]
    assert ulps(evaluate_op("tan", x), np.tan(x.astype(LONG))).max() <= 2


INF, NAN = math.inf, math.nan
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    3.0,
    -3.0,
    INF,
    -INF,
    NAN,
    5e-324,
    -5e-324,
    1e308,
    -1e308,
    1000.0,
    -1000.0,
]


@pytest.mark.parametrize("op", [*sorted(ONE_ARGUMENT), "sin", "cos", "tan"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_edges_of_one_argument(op: str, lanes: int) -> None:
    x = np.array(EDGES)
    oracle = {
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
    }.get(op) or getattr(np, op)
    with np.errstate(all="ignore"):
        expected = oracle(x)
    np.testing.assert_allclose(evaluate_op(op, x, lanes=lanes), expected, rtol=1e-15, atol=0)


@pytest.mark.parametrize("op", sorted(TWO_ARGUMENTS))
def test_edges_of_two_arguments(op: str) -> None:
    x, y = (a.ravel().copy() for a in np.meshgrid(EDGES, EDGES))
    if op == "constpow":
        op = "pow"
    oracle = {"atan2": np.arctan2, "hypot": np.hypot, "pow": np.power}[op]
    with np.errstate(all="ignore"):
        expected = oracle(x, y)
    got = evaluate_op(op, x, y)
    np.testing.assert_allclose(got, expected, rtol=1e-15, atol=5e-324)
    assert np.array_equal(np.signbit(got[~np.isnan(expected)]), np.signbit(expected[~np.isnan(expected)]))


@pytest.mark.parametrize("op", ["sin", "exp", "atan", "log"])
def test_single_precision_is_within_an_ulp(op: str) -> None:
    x = np.abs(uniform(0.1, 80)).astype(np.float32)
    exact = {"sin": np.sin, "exp": np.exp, "atan": np.arctan, "log": np.log}[op](x.astype(float))
    got = evaluate_op(op, x, lanes=4, precision="single")
    assert got.dtype == np.float32
    assert ulps(got, exact.astype(LONG)).max() <= 0.51


@pytest.mark.parametrize("op", [*sorted(FUNCTIONS), "sin", "cos", "tan"])
def test_all_lanes_give_the_bits_of_scalar_code(op: str) -> None:
    arguments = (
        TWO_ARGUMENTS[op][1]
        if op in TWO_ARGUMENTS
        else (ONE_ARGUMENT[op][1],)
        if op in ONE_ARGUMENT
        else (both(ANGLES["up to 1e5"], ANGLES["huge"]),)
    )
    scalar = evaluate_op(op, *arguments)
    for lanes in (2, 4, 8):
        assert same_bits(evaluate_op(op, *arguments, lanes=lanes), scalar)
