"""The base of all kinds of friction: how much resists, by speed or by what an axis has done before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from gearwright.model.fields import Highlight, Rules, check, highlights


@dataclass(frozen=True, kw_only=True)
class FrictionModel:
    """Dry friction along one axis, beside its Coulomb and viscous numbers.

    A type has `level`, the effort that holds or resists. A type with its own states has `respond` instead. Both are
    written with NumPy functions, so that they accept floats, arrays, and the unknowns of the equations: steps solve for
    the motion and the friction together.
    """

    states: ClassVar[tuple[str, ...]] = ()  # names of its states, kept from step to step; 0 at the start

    def __post_init__(self) -> None:
        check(self)

    def rules(self) -> Rules:
        """Rules between its fields: whether each holds, and the rule in words. Fields may be arrays over designs."""
        return ()

    def level(self, speed: Any) -> Any:
        """The largest resisting effort at this speed, as magnitudes [N·m, N; rad/s, m/s]; at 0 the holding effort.
        Traced.
        """
        raise NotImplementedError

    def respond(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """The effort against positive motion [N·m, N], and the states, after an axis has moved so far [rad, m] in a
        time [s] at constant speed, from states at its start. Traced."""
        raise NotImplementedError

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`."""
        return highlights(self)
