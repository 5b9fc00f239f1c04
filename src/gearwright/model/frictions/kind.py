"""The base of all kinds of friction: how much resists, by speed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gearwright.model.fields import Highlight, Rules, check, highlights


@dataclass(frozen=True, kw_only=True)
class FrictionModel(ABC):
    """Dry friction along one axis, beside its Coulomb and viscous numbers. It never pushes: it holds, or resists."""

    def __post_init__(self) -> None:
        check(self)

    def rules(self) -> Rules:
        """Rules between its fields: whether each holds, and the rule in words. Fields may be arrays over designs."""
        return ()

    @abstractmethod
    def level(self, speed: Any) -> Any:
        """The most that resists at this speed, both magnitudes [N·m, N; rad/s, m/s]; at 0 what holds. Traced."""

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`."""
        return highlights(self)
