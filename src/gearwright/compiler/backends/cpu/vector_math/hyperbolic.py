"""Hyperbolic functions (to 2 ulp), their inverses (to 4 ulp) and hypot, in double precision."""

from __future__ import annotations

from math import factorial, inf, log

from gearwright.compiler.backends.cpu.llvm.ir import Value, polynomial
from gearwright.compiler.backends.cpu.vector_math.exponential import exp_times_power_of_two, expm1, log1p
from gearwright.compiler.backends.cpu.vector_math.exponential import log as natural_log

HYPERBOLIC_SINE = tuple(1 / factorial(2 * n + 3) for n in range(9))  # (sinh x − x)/x³ in x², |x| ≤ 1


def sinh(x: Value) -> Value:
    size = x.abs()
    z = size * size
    near = (z * size).fma(polynomial(z, HYPERBOLIC_SINE), size)
    half = exp_times_power_of_two(size, -1)
    return near.where(size < 1.0, half - 0.25 / half).copysign(x)


def cosh(x: Value) -> Value:
    half = exp_times_power_of_two(x.abs(), -1)
    return half + 0.25 / half


def tanh(x: Value) -> Value:
    size = x.abs()
    t = expm1(size.constant(44.0).where(size > 22.0, size * 2.0))
    return (t / (t + 2.0)).copysign(x)


def asinh(x: Value) -> Value:
    size = x.abs()
    square = size * size
    near = log1p(size + square / (1.0 + (1.0 + square).sqrt()))
    return near.where(size < 1e8, natural_log(size) + log(2.0)).copysign(x)


def acosh(x: Value) -> Value:
    t = x - 1.0
    near = log1p(t + t.fma(t, t * 2.0).sqrt())
    return near.where(x < 1e8, natural_log(x) + log(2.0))


def atanh(x: Value) -> Value:
    size = x.abs()
    return (log1p(size * 2.0 / (1.0 - size)) * 0.5).copysign(x)


def hypot(x: Value, y: Value) -> Value:
    """√(x² + y²) without overflow or underflow on the way."""
    a, b = x.abs(), y.abs()
    larger = a.where(a > b, b)
    scale = larger.constant(2.0**-600).where(
        larger > 2.0**500, larger.constant(2.0**600).where(larger < 2.0**-400, 1.0)
    )
    a, b = a * scale, b * scale
    # 1/scale is exact: scale is a power of two
    unscale = larger.constant(2.0**600).where(
        larger > 2.0**500, larger.constant(2.0**-600).where(larger < 2.0**-400, 1.0)
    )
    result = a.fma(a, b * b).sqrt() * unscale
    return x.constant(inf).where(x.abs().equals(inf) | y.abs().equals(inf), result)
