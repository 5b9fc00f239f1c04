"""sin, cos, tan and their inverses, in double precision, to 2 ulp.

Reduction after Cody and Waite with fused multiply-adds; polynomials for sine and cosine are the minimax ones of
fdlibm; those of the inverse functions interpolate at Chebyshev points, computed in 70-digit decimals.
"""

from __future__ import annotations

from typing import NamedTuple

from gearwright.compiler.backends.cpu.llvm.ir import Pair, Value, polynomial

# π/2 in three parts. The first two times a quadrant number below 2¹⁷ are exact under fma.
PI_2_1 = float.fromhex("0x1.921fb54442d18p+0")
PI_2_2 = float.fromhex("0x1.1a62633140000p-54")
PI_2_3 = float.fromhex("0x1.701b839a25205p-92")
PI_2_LOW = float.fromhex("0x1.1a62633145c07p-54")  # π/2 − PI_2_1
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
ROUNDER = 6755399441055744.0  # 1.5·2⁵²: adding it leaves the nearest integer in the low bits
SMALL_ARGUMENT = 1e5  # beyond this the cold path (`large_arguments.py`) reduces

SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
ARCTANGENT = (  # (atan(√z)/√z − 1)/z on [0, 1]
    -0.3333333333333333,
    0.1999999999999992,
    -0.14285714285701234,
    0.11111111110268297,
    -0.0909090906193528,
    0.07692307078827029,
    -0.06666657934573768,
    0.05882264416776449,
    -0.052624922290256754,
    0.04758080083637821,
    -0.043306538430670664,
    0.03938687540798632,
    -0.035271331066871296,
    0.030330719265790507,
    -0.024191345810140718,
    0.01718398172211335,
    -0.010412153260359241,
    0.005140912856746939,
    -0.0019612554271685326,
    0.0005376839297396244,
    -9.371186345052626e-05,
    7.767624330289919e-06,
)
ARCSINE = (  # (asin(√z)/√z − 1)/z on [0, 1/4]
    0.16666666666666669,
    0.07499999999998433,
    0.04464285714635543,
    0.030381944138531247,
    0.02237217294214989,
    0.017352392720869973,
    0.013971212973552933,
    0.011479177415184906,
    0.01032281435018578,
    0.005457506718640358,
    0.01740087944269402,
    -0.014851887071247204,
    0.028757851367421566,
)


class ReducedAngle(NamedTuple):
    """An angle as quadrant·π/2 + high + low, |high| ≤ π/4; only the quadrant's two low bits count."""

    high: Value
    low: Value
    quadrant: Value


def reduce(x: Value) -> ReducedAngle:
    """For |x| ≤ 2·10⁵. Infinities and NaN give NaN."""
    shifted = x.fma(TWO_OVER_PI, ROUNDER)
    k = shifted - ROUNDER
    minus_k = -k
    first = minus_k.fma(PI_2_1, x)
    high = minus_k.fma(PI_2_2, first)
    low = minus_k.fma(PI_2_3, minus_k.fma(PI_2_2, first - high))
    return ReducedAngle(high, low, shifted.bits())


def sincos(angle: ReducedAngle) -> Pair:
    """Sine and cosine of a reduced angle."""
    x, y, quadrant = angle
    z = x * x
    sine = x + (z * x).fma(polynomial(z, SINE), z.fma(y * -0.5, y))
    half = z * 0.5
    one_less = 1.0 - half
    tail = (z * z).fma(polynomial(z, COSINE), -(x * y))
    cosine = one_less + (((1.0 - one_less) - half) + tail)
    odd = (quadrant & 1).differs(0)
    sign_bit = -(1 << 63)
    sine_sign = (quadrant << 62) & sign_bit
    cosine_sign = ((quadrant + 1) << 62) & sign_bit
    return (
        (cosine.where(odd, sine).bits() ^ sine_sign).as_number(),
        (sine.where(odd, cosine).bits() ^ cosine_sign).as_number(),
    )


def atan2(y: Value, x: Value) -> Value:
    """The angle of (x, y); signed zeros and infinities as in C."""
    across, along = y.abs(), x.abs()
    steep = across > along
    smaller, larger = along.where(steep, across), across.where(steep, along)
    ratio = smaller / larger
    ratio = ratio.constant(1.0).where(smaller.equals(float("inf")), ratio)
    ratio = ratio.constant(0.0).where(larger.equals(0.0), ratio)
    z = ratio * ratio
    angle = (z * ratio).fma(polynomial(z, ARCTANGENT), ratio)  # in the first octant
    angle = (PI_2_1 - (angle - PI_2_LOW)).where(steep, angle)
    left = (x.bits() >> 63).differs(0)
    angle = (2 * PI_2_1 - (angle - 2 * PI_2_LOW)).where(left, angle)
    return (x + y).where(x.is_nan() | y.is_nan(), angle.copysign(y))


def atan(x: Value) -> Value:
    return atan2(x, x.constant(1.0))


def _asin_core(x: Value) -> Pair:
    """(asin of `root`, root's square is at most 1/4) for |x|: the root is |x| itself, or √((1 − |x|)/2)."""
    size = x.abs()
    far = size > 0.5
    z = ((1.0 - size) * 0.5).where(far, size * size)
    root = z.sqrt().where(far, size)
    return (z * root).fma(polynomial(z, ARCSINE), root), far


def asin(x: Value) -> Value:
    angle, far = _asin_core(x)
    return (PI_2_1 - (angle * 2.0 - PI_2_LOW)).where(far, angle).copysign(x)


def acos(x: Value) -> Value:
    angle, far = _asin_core(x)
    negative = x < 0.0
    near = PI_2_1 - (angle.copysign(x) - PI_2_LOW)
    twice = angle * 2.0
    return (2 * PI_2_1 - (twice - 2 * PI_2_LOW)).where(negative, twice).where(far, near)
