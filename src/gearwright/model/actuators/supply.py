"""A supply that several servos share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gearwright.errors import ModelError
from gearwright.model.fields import check, quantity


class SupplyLoad(NamedTuple):
    """What one servo draws at a voltage V of the supply: `i = conductance·V + current`."""

    conductance: Any  # [1/Ω]
    current: Any  # [A]


@dataclass(frozen=True, kw_only=True)
class Supply:
    """A battery with its leads: `V = V₀ − R·Σ i`. Servos whose supplies have the same name share one."""

    name: str
    voltage: float = quantity("V", above=0, doc="V₀, without a load")
    resistance: float = quantity("Ω", at_least=0, doc="R, of the source and its leads", default=0.0)

    def __post_init__(self) -> None:
        if not self.name:
            raise ModelError("a supply needs a name, by which servos share it")
        check(self, f"supply {self.name!r}: ")

    def voltage_under(self, loads: Sequence[SupplyLoad]) -> Any:
        """The voltage where the supply and all that draw from it agree [V]."""
        conductance = sum((load.conductance for load in loads), start=0.0)
        current = sum((load.current for load in loads), start=0.0)
        return (self.voltage - self.resistance * current) / (1.0 + self.resistance * conductance)
