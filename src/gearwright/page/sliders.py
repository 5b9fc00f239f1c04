"""Sliders for numbers that may leave their range: the range goes along, and no number is cut to fit."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

from gearwright.page.controls import Act, Controls

DIGITS = 5  # that a box has room for
RESOLUTION = 1000  # steps of a slider, about
FARTHEST = 1e6  # number that a box takes where nothing limits it


class Slider:
    """A slider over `limits`. Without limits it shows `reach` to either side, and follows its value by such ranges."""

    def __init__(
        self, controls: Controls, label: str, limits: tuple[float, float], reach: float, value: float,
        act: Act, *, hint: str | None = None, disabled: bool = False,
    ) -> None:  # fmt: skip
        self._limits, self._reach = limits, reach
        low, high, decimals = self._range(value)
        allowed = max(limits[0], -FARTHEST), min(limits[1], FARTHEST)
        self.handle = controls.slider(
            label, (low, high), 10.0**-decimals, min(high, max(low, value)), act, allowed=allowed, hint=hint,
            disabled=disabled,
        )  # fmt: skip
        self.handle.precision = decimals

    @property
    def value(self) -> float:
        return float(self.handle.value)

    def show(self, value: float) -> None:
        """Moves it, and its range where the value has left that."""
        handle = self.handle
        inside = handle.min <= value <= handle.max
        if not inside or self._is_extended:
            low, high, decimals = self._range(value)
            if (low, high) != (handle.min, handle.max):
                handle.min, handle.max, handle.step, handle.precision = low, high, 10.0**-decimals, decimals
        if not abs(handle.value - value) <= handle.step / 2:
            handle.value = min(handle.max, max(handle.min, round(value, handle.precision)))

    @property
    def _is_extended(self) -> bool:
        """Whether the range was made longer than the limits."""
        return bool(self.handle.min < self._limits[0] or self.handle.max > self._limits[1])

    def _range(self, value: float) -> tuple[float, float, int]:
        """Lowest and highest number to show with this value, and their decimals."""
        low, high = self._limits
        middle = 2 * self._reach * round(value / (2 * self._reach))
        low = low if isfinite(low) else min(middle - self._reach, high - 2 * self._reach)
        high = high if isfinite(high) else max(middle + self._reach, low + 2 * self._reach)
        decimals = _decimals(min(low, value), max(high, value))
        unit = 10.0**-decimals
        inner = round(ceil(low / unit - 1e-9) * unit, decimals), round(floor(high / unit + 1e-9) * unit, decimals)
        low, high = inner if inner[0] < inner[1] else (low, high)
        if not low - unit / 2 <= value <= high + unit / 2:
            low, high = min(low, floor(value / unit) * unit), max(high, ceil(value / unit) * unit)
        return low, high, decimals


def _decimals(low: float, high: float) -> int:
    """As many as the range needs, and as the box has room for."""
    whole = len(str(int(max(abs(low), abs(high)))))
    needed = ceil(log10(RESOLUTION / (high - low)))
    return max(0, min(needed, DIGITS - whole)) if high - low > 10.0 ** (whole - DIGITS) else max(0, needed)
