"""The initial guess of a step's mean velocity, from those of the last steps and the errors of their guesses."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import Scalar, minimum, where
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.tuning import TUNING


def first_guess(build: StepBuilder) -> Column:
    """The line through the last mean velocity and the velocity.

    Its error is dt²/2 times the jerk. If the last steps were smooth, so is this error, and the line through the errors
    of the last two steps is added; impacts and efforts that jump spoil it.
    """
    n = len(build.velocity)
    last, before = Column(build.missed[:n]), build.missed[n:]
    smooth = build.smooth[0] >= TUNING.smooth
    return _line(build) + select(smooth, 2.0 * last - before, Column.zeros(n))


def remember(build: StepBuilder, w: Sequence[Scalar], at_end: Sequence[Scalar]) -> None:
    """Stores the mean velocity that was found, in the axes of the step's end, and the error of the line."""
    missed = w - _line(build)
    build.missed, build.mean_velocity = [*missed, *build.missed[: len(missed)]], at_end


def count_quick_steps(build: StepBuilder, *, loops: bool) -> None:
    """Counts quick steps in a row, up to the number that makes a motion smooth."""
    quick = build.iteration[0] <= (TUNING.quick_loop if loops else TUNING.quick)
    build.smooth = [where(quick, minimum(build.smooth[0] + 1.0, TUNING.smooth), 0.0)]


def _line(build: StepBuilder) -> Column:
    return 2.0 * build.velocity - build.mean_velocity
