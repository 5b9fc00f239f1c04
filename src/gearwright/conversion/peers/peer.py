"""What is asked of a program that reads our files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from gearwright.conversion.bare import Sample
from gearwright.model import Pose
from gearwright.model.poses import Array, Vector3


class RefusedError(Exception):
    """The program does not read this file; the message says why."""


class Peer(ABC):
    """A robot as a program has read it. Bodies and joints go by their names in the file."""

    package: ClassVar[str]  # that is imported
    formats: ClassVar[tuple[str, ...]]  # endings of files that it reads
    passive: ClassVar[tuple[str, ...]] = ()  # formats in which it has dampers, springs and armature

    @abstractmethod
    def __init__(self, text: str, ending: str, gravity: Vector3) -> None:
        """Raises RefusedError."""

    @abstractmethod
    def move(self, sample: Sample, free: Mapping[str, tuple[str, Pose]]) -> None:
        """`free`: links that float, and where they are, by their joints."""

    @abstractmethod
    def poses(self) -> dict[str, Array]:
        """Link → 4x4 pose in the world."""

    @abstractmethod
    def mass_matrix(self) -> tuple[list[str], Array]:
        """Of joints with one coordinate, in the order of the names."""

    @abstractmethod
    def bias(self) -> dict[str, float]:
        """Coriolis, centrifugal and gravity efforts of these joints."""

    def motion(self, duration: float, dt: float) -> dict[str, float] | None:
        """Positions after a motion by its own RK4, under dampers and springs; None where it has none of these."""
        return None
