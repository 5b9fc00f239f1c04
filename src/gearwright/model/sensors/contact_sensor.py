"""Contact sensors, or bumpers: whether a link is touched, and how hard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from gearwright.errors import ModelError
from gearwright.model.fields import Highlight, quantity
from gearwright.model.sensors.sensors import Sensor


@dataclass(frozen=True, kw_only=True)
class ContactSensor(Sensor):
    """Reads 1 while something pushes on `link`, otherwise 0; then the sum of the forces on it [N], in the world's axes.

    The forces are means over a step, as in `Simulation.contacts`.
    """

    kind: ClassVar[str] = "contact"
    labels: ClassVar[tuple[str, ...]] = ("touched", "fx", "fy", "fz")

    shapes: tuple[str, ...] = ()  # the link's shapes that it feels with; empty: all of them
    threshold: float = quantity("N", at_least=0, doc="sum of normal forces from which it is touched", default=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.link is None:
            raise ModelError("a contact sensor needs a link: give link=…")
        if not isinstance(self.shapes, tuple) or not all(isinstance(c, str) for c in self.shapes):
            raise ModelError(f"shapes must be a tuple of names, not {self.shapes!r:.60}")

    def unit(self, *, length: bool, index: int = 0) -> str:
        return "N" if index else "0/1"

    def highlights(self) -> Iterator[Highlight]:
        if self.threshold:
            yield Highlight("from {}", self.threshold, "N")
