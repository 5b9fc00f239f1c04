"""Units in which the numbers of an axis can be read: the browser shows three decimals, whatever a signal needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import Any

import numpy as np

PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
PREFIXED = ("rad", "m", "N", "J", "A", "V", "W", "s", "Pa", "Hz")  # units that take a prefix
READABLE = (0.01, 1e4)  # heights of a plot that three decimals are enough for
FLAT, NOTHING = 1e-9, 1e-12  # of its size, and in its unit: changes that are rounding
FAR = 100.0  # heights of a plot that zero may be away


@dataclass(frozen=True)
class Scale:
    """Values are shown less `offset`, divided by ten to the `exponent`, in `unit`."""

    exponent: int
    offset: float
    unit: str
    plain: str  # the unit without a prefix
    flat: bool  # one value, but for rounding

    @staticmethod
    def of(values: Any, unit: str) -> Scale:
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
        span, size = high - low, max(abs(low), abs(high))
        flat = span <= max(FLAT * size, NOTHING)
        read = size if flat else span  # of one value, that is what is read
        exponent = 0 if read <= NOTHING or READABLE[0] <= read < READABLE[1] else 3 * floor(log10(read) / 3)
        exponent = min(max(exponent, min(PREFIXES)), max(PREFIXES))
        step = 10.0 ** (exponent + 3)
        offset = round((low + high) / 2 / step) * step if size > FAR * read else 0.0
        return Scale(exponent, offset, _prefixed(unit, exponent), unit, flat)

    def scaled(self, values: Any) -> Any:
        shown = (values - self.offset) / 10.0**self.exponent
        return np.where(np.isfinite(shown), np.round(np.nanmean(shown), 9), np.nan) if self.flat else shown

    def title(self, name: str) -> str:
        less = f" − {self.offset:.9g} {self.plain}".rstrip() if self.offset else ""
        return f"{name}{less} [{self.unit}]" if self.unit else f"{name}{less}"


def _prefixed(unit: str, exponent: int) -> str:
    if not exponent:
        return unit
    first = unit.replace("/", "·").partition("·")[0]
    if first in PREFIXED:
        return PREFIXES[exponent] + unit
    power = "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{power} {unit}".rstrip()
