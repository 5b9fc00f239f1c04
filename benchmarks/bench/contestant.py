"""The interface that every engine of the benchmark implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench.clock import Runner
from benchmarks.bench.robots import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Begin:
    """Where robots begin and what is held on their joints and motors; arrays are (robots, joints or motors)."""

    names: tuple[str, ...]  # of the joints, in the arrays' order
    position: Array  # [rad, m]
    velocity: Array  # [rad/s, m/s]
    effort: Array  # [N·m, N]
    command: dict[str, Array] = field(default_factory=dict)  # motor → (robots,) [N·m]

    @property
    def robots(self) -> int:
        return len(self.position)

    def some(self, first: int, robots: int = 1) -> Begin:
        """A few of them, from `first` on."""
        which = slice(first, first + robots)
        return Begin(
            names=self.names,
            position=self.position[which],
            velocity=self.velocity[which],
            effort=self.effort[which],
            command={name: values[which] for name, values in self.command.items()},
        )

    def ordered(self, names: tuple[str, ...]) -> Begin:
        """The same in another engine's order."""
        order = [self.names.index(name) for name in names]
        q, v, effort = (x[:, order] for x in (self.position, self.velocity, self.effort))
        return replace(self, names=names, position=q, velocity=v, effort=effort)


class Contestant(ABC):
    """One robot in one engine. Positions and velocities are arrays in the order of `names`, SI units."""

    title: ClassVar[str]  # as tables show it
    package: ClassVar[str]  # as pip knows it
    how: ClassVar[str]  # what is called, and what that includes
    couplings: ClassVar[bool] = True  # False: followers move freely, and the comparison is of the robot without mimics
    batch_robots: ClassVar[int] = 64  # in the batch that is timed: as many as suit the engine
    trajectory_tolerance: float = 1e-3  # share of the motion, see `agreement`
    names: tuple[str, ...]  # of every joint that moves, followers too

    @abstractmethod
    def __init__(self, robot: Robot, dt: float) -> None:
        """Loads the robot; raises whatever the engine raises."""

    @abstractmethod
    def reset(self, position: Array, velocity: Array) -> None:
        """Puts the robot into a state; efforts are zero."""

    @abstractmethod
    def step(self, n: int) -> None:
        """n steps, by the fastest way from Python."""

    @abstractmethod
    def position(self) -> Array:
        """Where the joints are now."""

    @abstractmethod
    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        """M and h (Coriolis, centrifugal and gravity efforts) at a state, of every joint, before couplings."""

    def batch(self, positions: Array, threads: int) -> Runner | None:
        """Steps many robots, if the engine can: positions (robots, joints), at rest."""
        return None

    def batches(self, positions: Array, threads: int) -> dict[str, Runner]:
        """By name, the ways that the engine has for that; the fastest is compared."""
        runner = self.batch(positions, threads)
        return {} if runner is None else {"": runner}

    def runner(self, position: Array) -> Runner:
        """The one robot, from rest."""
        still = np.zeros_like(position)
        return Runner(prepare=lambda: self.reset(position, still), run=self.step)


class BoundedContestant(Contestant):
    """An engine with stops, friction and, where the robot has them, motors."""

    @abstractmethod
    def after(self, begin: Begin, steps: int) -> Array:
        """Positions of the first robot after so many steps."""

    @abstractmethod
    def in_turn(self, begin: Begin, settle: int, longest: int) -> Runner:
        """One robot that starts from each of the states in turn, after `settle` steps."""

    @abstractmethod
    def together(self, begin: Begin, settle: int, longest: int = 100) -> Runner:
        """All states as one batch, after `settle` steps."""


Settings = Mapping[str, Callable[[], BoundedContestant]]  # title of a solver setting → the engine with it


@dataclass(frozen=True, kw_only=True)
class Peers:
    """The engines to compare with; none by default."""

    engines: Mapping[str, type[Contestant]] = field(default_factory=dict)
    bounded: Callable[[Robot, float, str], Settings] | None = None  # (robot, dt, coupling mode)
    driven: Callable[[Robot, float, str], Settings] | None = None
