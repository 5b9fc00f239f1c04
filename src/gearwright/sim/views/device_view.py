"""One actuator or friction as users see it, now or over time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.sim.state.values import Read, Value

SHOWN = 8  # numbers of an array that are printed


class DeviceView:
    """The numbers of one device by name. Of an actuator: `torque` in the last step [N·m, N], `position` and `velocity`
    of its own axis [rad, rad/s; m, m/s], the `command` that is held, and the states of its kind (`current`,
    `temperature`, `pressure` …). Of a friction: the states of its kind (`deflection` …).
    """

    def __init__(self, kind: str, name: str, reads: Mapping[str, Read]) -> None:
        self._title, self._values = f"{kind} {name!r}", dict(reads)

    def __getattr__(self, what: str) -> Value:
        reads = self.__dict__.get("_values", {})
        if what not in reads:
            raise AttributeError(f"{self.__dict__.get('_title')} has no {what!r}; it has {', '.join(reads)}")
        return reads[what]()

    def __dir__(self) -> list[str]:
        return [*self._values]

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={_short(read())}" for k, read in self._values.items())
        return f"<{self._title}: {shown}>"


def _short(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    array = np.asarray(value)
    return f"{array}" if array.size <= SHOWN else f"array of shape {array.shape}"
