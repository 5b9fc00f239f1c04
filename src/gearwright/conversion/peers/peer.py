"""What is asked of a program that reads our files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from gearwright.conversion.bare import TreeSample
from gearwright.model import Mechanism, Pose
from gearwright.model.poses import Array, Vector3

URDF_KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")


class PeerRefusedError(Exception):
    """The program does not read this file; the message says why."""


class Peer(ABC):
    """A robot as a program has read it. Bodies and joints go by their names in the file."""

    package: ClassVar[str]  # that is imported
    formats: ClassVar[tuple[str, ...]]  # endings of files that it reads
    kinds: ClassVar[Mapping[str, tuple[str, ...]]]  # of joints, by format
    passive: ClassVar[tuple[str, ...]] = ()  # formats in which it has dampers, springs and armature
    weightless: ClassVar[tuple[str, ...]] = ()  # formats in which it has links without gravity

    @classmethod
    def strange_joint(cls, robot: Mechanism, ending: str) -> str | None:
        """A kind of joint in the robot's tree that the program does not read in this format."""
        kinds = (b.joint.kind for b in robot.tree.branches)
        return next((kind for kind in kinds if kind not in cls.kinds[ending]), None)

    @staticmethod
    def replaced_inertia(robot: Mechanism) -> str | None:
        """Why masses are not compared: the program takes other inertias than the file's."""
        return None

    @abstractmethod
    def __init__(self, text: str, ending: str, gravity: Vector3) -> None:
        """Raises RefusedError."""

    @abstractmethod
    def move(self, sample: TreeSample, free: Mapping[str, tuple[str, Pose]]) -> None:
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
