"""Sine and cosine in C: the library's, or where the machine fuses multiply-adds, ours in a third of the time."""

from __future__ import annotations

from gearwright.compiler.backends.cpu.vector_math.trigonometric import (
    COSINE,
    PI_2_1,
    PI_2_2,
    PI_2_3,
    ROUNDER,
    SINE,
    SMALL_ARGUMENT,
    TWO_OVER_PI,
)
from gearwright.compiler.c_code import Dialect


def sines_text(dialect: Dialect) -> str:
    """`gw_sincos`."""
    f = dialect.suffix
    library = f"static void gw_sincos(real x, real *s, real *c)\n{{\n    *s = sin{f}(x);\n    *c = cos{f}(x);\n}}\n"
    if dialect.precision == "single":
        return library
    return f"""#if defined(FP_FAST_FMA) || defined(GW_EXACT)
/* Reduction by pi/2 in three parts, exact under fma for small angles, then a polynomial each: 2 units in the last
   place. Large angles go to the library. */
static inline void gw_sincos(real x, real *s, real *c)
{{
    if (!(fabs(x) <= {SMALL_ARGUMENT!r})) {{
        *s = sin(x);
        *c = cos(x);
        return;
    }}
    const real k = fma(x, {TWO_OVER_PI!r}, {ROUNDER!r}) - {ROUNDER!r};
    const real first = fma(-k, {PI_2_1!r}, x);
    const real r = fma(-k, {PI_2_2!r}, first);
    const real low = fma(-k, {PI_2_3!r}, fma(-k, {PI_2_2!r}, first - r));
    const real z = r * r;
    const real sine = r + fma(z * r, {_horner(SINE)}, fma(z, low * -0.5, low));
    const real half = z * 0.5, less = 1.0 - half;
    const real cosine = less + (((1.0 - less) - half) + fma(z * z, {_horner(COSINE)}, -(r * low)));
    const int quadrant = (int)k;
    const real a = (quadrant & 1) ? cosine : sine, b = (quadrant & 1) ? sine : cosine;
    *s = (quadrant & 2) ? -a : a;
    *c = ((quadrant + 1) & 2) ? -b : b;
}}
#else
{library}#endif
"""


def _horner(coefficients: tuple[float, ...]) -> str:
    text = repr(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        text = f"fma(z, {text}, {c!r})"
    return text
