"""The errors that Gearwright raises. All derive from `GearwrightError`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

    from gearwright.diagnostics import Diagnostic


class GearwrightError(Exception):
    """Base class of every error that Gearwright raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by what it holds: the arguments of a subclass need not be those of `Exception`."""
        return _rebuilt, (type(self), self.args), self.__dict__


def _rebuilt(kind: type[GearwrightError], args: tuple[Any, ...]) -> GearwrightError:
    error = kind.__new__(kind)
    error.args = args
    return error


class LoadError(GearwrightError):
    """A file could not be turned into a mechanism.

    `diagnostics` holds everything that was found, warnings included, in the order of the file.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        errors = [d for d in self.diagnostics if d.severity == "error"]
        super().__init__("\n".join(str(d) for d in errors))


class ModelError(GearwrightError):
    """An unknown part of a mechanism was requested, or a value is invalid.

    If a whole mechanism was checked, `diagnostics` holds the findings.
    """

    def __init__(self, message: str = "", diagnostics: Iterable[Diagnostic] = ()) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(message)


class CompileError(GearwrightError):
    """A mechanism could not be compiled."""


class TracingError(ModelError, CompileError):
    """A user's function cannot be traced into an expression."""


class SimulationError(GearwrightError):
    """A simulation could not continue; its last good state is kept."""


class NotSimulatedWarning(UserWarning):
    """A part of the robot is not simulated."""


class UnsettledWarning(RuntimeWarning):
    """Steps of a run were accepted although they had not converged; `Simulation.unsettled` counts them.

    It is also issued if steps of integrator="euler" created energy; those are not counted."""


class BeyondLimitsWarning(UserWarning):
    """A joint starts outside its limits."""


class VelocityLimitWarning(BeyondLimitsWarning):
    """A joint moves faster than its velocity limit, which nothing enforces; given once per simulation."""


class BranchWarning(UserWarning):
    """A closed loop may be assembled in another branch than that of the file."""


class CacheWarning(UserWarning):
    """Compiled code is kept in an unusual place, without the user's signature, or not at all."""


class LoadWarning(UserWarning):
    """A file was loaded, or a robot compiled, with warnings; `Mechanism.diagnostics` has all of them."""


class RecordingWarning(UserWarning):
    """A recording will be larger than the disk or the memory, or was cut off."""


class SweepWarning(UserWarning):
    """A sweep cannot be resumed, because it depends on something that cannot be compared with the data on disk."""


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """`1 link`, `4 links`."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def warn(message: str, category: type[Warning]) -> None:
    """Warns at the line of the caller's own code, however deep in this package it was called from."""
    warnings.warn(message, category, stacklevel=users_frame()[1])


def users_frame() -> tuple[FrameType, int]:
    """The nearest caller's frame outside this package, and its level: 1 is the function that asks."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == "gearwright":
        frame, level = frame.f_back, level + 1
    return frame, level


class UnknownNameError(ModelError, KeyError):
    """A name that does not exist; the message holds the nearest one that does."""

    def __init__(self, kind: str, name: object, valid: Iterable[str], hint: str = "", meant: str = "") -> None:
        self.name = name
        more = f"; {hint}" if hint else ""
        near = f"; did you mean {meant!r}?" if meant else suggestion(str(name), valid)
        super().__init__(f"there is no {kind} named {name!r}{near}{more}")

    def __str__(self) -> str:  # KeyError would print the quotes of repr()
        return str(self.args[0])


def nearest(name: str, valid: Iterable[str]) -> str:
    """Message part after an unknown name: the nearest valid one, or nothing."""
    return _nearest(name[:100], tuple(sorted(set(valid))[:2000]))


@lru_cache(maxsize=256)  # a file repeats its mistakes, and the search is slow
def _nearest(name: str, valid: tuple[str, ...]) -> str:
    near = get_close_matches(
        name, valid, n=3, cutoff=0.6 if len(name) <= 6 else 0.7
    )  # two letters swapped in three: 0.67
    score = [SequenceMatcher(None, candidate, name).ratio() for candidate in near]
    alike = [repr(n) for n, s in zip(near, score, strict=True) if s > score[0] - 0.01]
    return f"; did you mean {' or '.join(alike)}?" if alike else ""


def shortened(names: Sequence[str], most: int) -> str:
    """`a, b, c and 4 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def suggestion(name: str, valid: Iterable[str]) -> str:
    """Message part after an unknown name: the nearest valid one, or all valid ones."""
    names = sorted(set(valid))
    near = nearest(name, names)
    if near:
        return near
    if not names:
        return "; there are none"
    most = 9 if len(names) == 9 else 8  # "and 1 more" would be as long as its name
    return f"; valid: {shortened([*map(repr, names)], most)}"
