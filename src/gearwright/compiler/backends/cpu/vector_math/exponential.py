"""exp, log and pow, and the two that stay accurate near zero, in double precision, to 2 ulp."""

from __future__ import annotations

from math import factorial, inf

from gearwright.compiler.backends.cpu.llvm.ir import Pair, Value, polynomial
from gearwright.compiler.backends.cpu.vector_math.trigonometric import ROUNDER

LN2_1 = float.fromhex("0x1.62e42fefa3800p-1")  # 42 bits: exact times any exponent
LN2_2 = float.fromhex("0x1.ef35793c76730p-45")
ONE_OVER_LN2 = 1.4426950408889634
TWO_THIRDS_LOW = float.fromhex("0x1.5555555555555p-55")
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD
ROUNDER_BITS = 0x4338000000000000

EXPONENTIAL = tuple(1 / factorial(n) for n in range(2, 14))  # (eʳ − 1 − r)/r², |r| ≤ ln 2 / 2
LOGARITHM = (  # fdlibm's minimax of (ln((1+s)/(1−s)) − 2s)/s³ in s²
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
LOGARITHM_TAIL = tuple(2 / (2 * i + 5) for i in range(11))  # the same series without its 2/3


def _split_exponential(x: Value, low: Value | None = None) -> tuple[Value, Value]:
    """(eʳ − 1, k) with x + low = k·ln 2 + r; k is an integer value."""
    shifted = x.fma(ONE_OVER_LN2, ROUNDER)
    minus_k = ROUNDER - shifted
    first = minus_k.fma(LN2_1, x)
    r = minus_k.fma(LN2_2, first) if low is None else first + minus_k.fma(LN2_2, low)
    return (r * r).fma(polynomial(r, EXPONENTIAL), r), shifted.bits() - ROUNDER_BITS


def power_of_two(k: Value) -> Value:
    """2ᵏ for an integer value −1022 ≤ k ≤ 1023."""
    return ((k + 1023) << 52).as_number()


def _clamped(x: Value, low: float, high: float) -> Value:
    """NaN stays NaN."""
    x = x.constant(high).where(x > high, x)
    return x.constant(low).where(x < low, x)


def exp_times_power_of_two(x: Value, power: int, low: Value | None = None) -> Value:
    """eˣ⁺ˡᵒʷ·2ᵖᵒʷᵉʳ, scaled in two halves so that gradual underflow and overflow come out right."""
    p, k = _split_exponential(_clamped(x, -800.0, 800.0), low)
    k = k + power
    half = k >> 1
    return (1.0 + p) * power_of_two(half) * power_of_two(k - half)


def exp(x: Value) -> Value:
    return exp_times_power_of_two(x, 0)


def expm1(x: Value) -> Value:
    p, k = _split_exponential(_clamped(x, -60.0, 720.0))
    top = k - 1  # 2¹⁰²⁴ is no double, so everything is halved until the last line
    too_large = x > 709.8
    scale = power_of_two(k.constant(1023).where(too_large, top))
    result = scale.fma(p, scale - 0.5) * 2.0
    result = x.where(x.abs() < 1e-300, result)
    return x.constant(inf).where(too_large, result)


def _exponent_and_mantissa(x: Value) -> Pair:
    """x = 2ᵏ·m with √½ ≤ m < √2; k as a floating-point value. For positive, normal x."""
    bits = x.bits()
    k = (bits - ROOT_HALF_BITS) >> 52
    mantissa = (bits - (k << 52)).as_number()
    return (k + ROUNDER_BITS).as_number() - ROUNDER, mantissa


def _normal(x: Value) -> tuple[Value, Value]:
    """(x scaled out of the subnormal range, exponent that this took off)."""
    tiny = x < 2.2250738585072014e-308
    scaled = (x * 18014398509481984.0).where(tiny, x)
    return scaled, x.constant(54.0).where(tiny, 0.0)


def _log_of(k: Value, f: Value, correction: Value | None) -> Value:
    """k·ln 2 + ln(1 + f) + correction."""
    s = f / (2.0 + f)
    z = s * s
    half_square = f * f * 0.5
    tail = s * z.fma(polynomial(z, LOGARITHM), half_square)
    small = k.fma(LN2_2, tail) if correction is None else k.fma(LN2_2, tail + correction)
    return k.fma(LN2_1, f - (half_square - small))


def _log_edges(x: Value, result: Value, zero_at: float) -> Value:
    """Poles and domain: −∞ at `zero_at`, NaN below, +∞ at +∞."""
    result = x.where(x.equals(inf), result)
    result = x.constant(-inf).where(x.equals(zero_at), result)
    return x.constant(float("nan")).where(x < zero_at, result)


def log(x: Value) -> Value:
    normal, taken = _normal(x)
    k, m = _exponent_and_mantissa(normal)
    return _log_edges(x, x.where(x.is_nan(), _log_of(k - taken, m - 1.0, None)), 0.0)


def log1p(x: Value) -> Value:
    u = 1.0 + x
    lost = (1.0 - (u - x)).where(u > 2.0, x - (u - 1.0))  # 1 + x − u, exactly
    k, m = _exponent_and_mantissa(u)
    result = _log_of(k, m - 1.0, lost / u)
    result = x.where(x.abs() < 1e-300, x.where(x.is_nan(), result))
    return _log_edges(x, result, -1.0)


def _log_in_two_parts(x: Value) -> Pair:
    """ln x as high + low, relative error about 2⁻⁶⁵, for positive x."""
    normal, taken = _normal(x)
    k, m = _exponent_and_mantissa(normal)
    k = k - taken
    f = m - 1.0
    d = 2.0 + f
    inverse = 1.0 / d
    s = f * inverse
    s_low = ((-s).fma(d, f) - s * (f - (d - 2.0))) * inverse
    z = s * s
    z_low = s.fma(s, -z) + s * 2.0 * s_low
    tail = z * polynomial(z, LOGARITHM_TAIL)
    c = 2 / 3 + tail
    c_low = ((2 / 3 - c) + tail) + TWO_THIRDS_LOW
    w = s * z
    w_low = s.fma(z, -w) + (s * z_low + s_low * z)
    p = w * c
    p_low = w.fma(c, -p) + (w * c_low + w_low * c)
    twice = s * 2.0
    high = twice + p
    low = ((twice - high) + p) + (s_low * 2.0 + p_low)
    whole = k * LN2_1
    total = whole + high
    return total, ((whole - total) + high) + k.fma(LN2_2, low)


def pow(x: Value, y: Value) -> Value:
    """xʸ with C's edge cases."""
    size = x.abs()
    high, low = _log_in_two_parts(size)
    product = y * high
    remainder = y.fma(high, -product) + y * low
    remainder = remainder.where(product.abs() < 1000.0, 0.0)
    towards = (-y).where(size.equals(0.0), y)  # sign of y·ln x at the poles of the logarithm
    product = (towards * inf).where(size.equals(0.0) | size.equals(inf), product)
    result = exp_times_power_of_two(product, 0, remainder)
    whole = y.unary("floor").equals(y)
    odd = whole & (y * 0.5).unary("floor").differs(y * 0.5)
    negative = (x.bits() >> 63).differs(0)
    result = (-result).where(odd & negative, result)
    impossible = (x < 0.0) & ~whole & x.differs(-inf)
    result = x.constant(float("nan")).where(impossible, result)
    result = (x + y).where(x.is_nan() | y.is_nan(), result)
    certain = y.equals(0.0) | x.equals(1.0) | (x.equals(-1.0) & y.abs().equals(inf))
    return x.constant(1.0).where(certain, result)
