"""Terms along one direction, and their direction over the independent velocities."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gearwright.dynamics.algebra.sparse import Sparse, combined

if TYPE_CHECKING:
    from typing import Self


class OneDirection:
    """The base of terms whose impulse is along one direction J."""

    J: Sparse

    @property
    def rows(self) -> tuple[Sparse, ...]:
        """Directions of the term: this one."""
        return (self.J,)

    def reduced(self, G: list[Sparse]) -> Self:
        """Over the independent velocities."""
        return replace(self, J=combined(self.J, G))  # type: ignore[type-var]
