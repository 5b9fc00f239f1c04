"""The result of an identification."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.errors import GearwrightError, ModelError, UnknownNameError
from gearwright.files import checked_path, open_regular, write_whole
from gearwright.given_numbers import number
from gearwright.model import Mechanism
from gearwright.model.actuators import PositionServo
from gearwright.model.parameters import parameter_name
from gearwright.notebooks import NotebookDisplay
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.identification.advice import Advisor

FORMAT, VERSION = "gearwright-fit", 1
LARGEST = 1 << 24  # bytes of a file of a fit


@dataclass(frozen=True, kw_only=True)
class Combination:
    """Parameters that the data cannot tell apart: they can change together without changing what was measured."""

    names: tuple[str, ...]  # of the parameters
    direction: Mapping[str, float]  # shares of their sizes by which they change together
    held: str  # the one that was left where it was, so that the others follow from it
    _advisor: Advisor | None = field(default=None, repr=False, compare=False)

    @property
    def says(self) -> str:
        """In a sentence."""
        if len(self.names) == 1:
            return f"what was measured does not depend on {self.names[0]} enough to determine it"
        names = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        if len(self.names) == 2:
            a, b = (self.direction[n] for n in self.names)
            if abs(abs(a) - abs(b)) < 0.15 * max(abs(a), abs(b)):
                return f"of {names} only the {'product' if a * b < 0 else 'quotient'} is determined"
        return f"{names} can change together without changing what was measured"

    @cached_property
    def experiments(self) -> tuple[str, ...]:
        """Experiments that would tell them apart, the simplest first: each was simulated with the fitted robot."""
        return () if self._advisor is None else self._advisor.experiments(self.names)

    def __str__(self) -> str:
        return self.says

    def __contains__(self, name: str) -> bool:
        return name in self.names


@dataclass(frozen=True, kw_only=True)
class Residual:
    """One output of one recording, as it was measured and as the fitted robot gives it."""

    log: str  # name of the recording
    output: str  # name of the signal
    unit: str  # of measured and fitted
    time: Array  # (m,) [s] after the start of the recording
    measured: Array  # (m,)
    fitted: Array  # (m,) with the identified numbers
    held_back: bool  # not used for the fit

    @property
    def error(self) -> float:
        """Mean of |fitted − measured|."""
        return float(abs(self.fitted - self.measured).mean())


@dataclass(frozen=True, kw_only=True)
class Fit(NotebookDisplay):
    """Identified numbers. Values of parameters in `undetermined` are not findings; their intervals give their range.

    `intervals` hold jointly with 95 % probability: all true values lie in theirs.
    """

    robot: Mechanism  # with the fitted numbers
    values: Mapping[str, float]  # by parameter
    units: Mapping[str, str]  # of the values
    intervals: Mapping[str, tuple[float, float]]  # 95 %, for all together
    undetermined: tuple[Combination, ...]  # what the data cannot tell apart
    at_bounds: tuple[str, ...]  # parameters that ended at a bound: the model may lack something
    residuals: tuple[Residual, ...]  # of every output of every recording
    complete: bool  # False after Ctrl-C
    unpredictable: Mapping[str, tuple[Combination, ...]]  # held-back recordings that depend on what is not determined
    roll_outs: int  # of all logs together
    seconds: float  # that the search took
    rigs: Mapping[str, Mechanism] = field(default_factory=dict)  # by name, where there are several
    candidates: Mapping[str, Fit] = field(default_factory=dict)  # by name, where models were compared
    model: str = ""  # the name of the one that was chosen

    @property
    def unidentifiable(self) -> tuple[Combination, ...]:
        """Another name for `undetermined`."""
        return self.undetermined

    @property
    def determined(self) -> tuple[str, ...]:
        """Parameters that the data determine."""
        return tuple(n for n in self.values if not any(n in c for c in self.undetermined))

    @property
    def error(self) -> float:
        """Mean of |fitted − measured| in the fitted recordings, over all outputs that have the unit of the first."""
        return self._error(held_back=False)

    @property
    def holdout_error(self) -> float:
        """The same in the recordings that were held back; NaN if there are none."""
        return self._error(held_back=True)

    @property
    def errors(self) -> dict[str, dict[str, float]]:
        """The mean of |fitted − measured|, by recording and output."""
        found: dict[str, dict[str, float]] = {}
        for r in self.residuals:
            found.setdefault(r.log, {})[r.output] = r.error
        return found

    def _error(self, *, held_back: bool) -> float:
        own = [r for r in self.residuals if r.held_back is held_back and r.unit == self.residuals[0].unit]
        count = sum(len(r.time) for r in own)
        return sum(r.error * len(r.time) for r in own) / count if count else float("nan")

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes an .html page: values, what is not determined, and residuals over time."""
        from gearwright.identification.report import write

        write(self, path)

    def save(self, path: str | os.PathLike[str], *, rig: str | None = None) -> None:
        """Writes the values to a .json file, for the option `--fit` of the command line.

        `rig`: only those of one robot, if there are several; a file of all is for reading, not for `--fit`.
        """
        if rig is not None and rig not in self.rigs:
            raise UnknownNameError("rig", rig, list(self.rigs))
        place = Path(checked_path(path, "a fit"))
        if place.suffix.lower() != ".json":
            raise GearwrightError(f"{os.fspath(path)!r} must end in .json")
        try:
            write_whole(place, json.dumps(self.as_data(rig), indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise GearwrightError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None

    def as_data(self, rig: str | None = None) -> dict[str, Any]:
        """The contents of its file, as plain data; with a `rig`, its own and what all share."""
        others = tuple(f"{name}: " for name in self.rigs if name != rig) if rig is not None else ()
        parameters = {
            name.removeprefix(f"{rig}: "): {
                "value": value, "unit": self.units[name], "interval": [*map(_plain, self.intervals[name])],
            }
            for name, value in self.values.items() if not name.startswith(others)
        }  # fmt: skip
        return {
            "format": FORMAT, "version": VERSION, "robot": self.robot.name, "complete": self.complete,
            "parameters": parameters, "undetermined": [{"names": c.names, "says": c.says} for c in self.undetermined],
            "error": {"fit": self.error, "held_back": _plain(self.holdout_error)}, "errors": self.errors,
        }  # fmt: skip

    def summary(self) -> str:
        """Values, intervals and what is not determined, as lines of text."""
        width = max(map(len, self.values), default=0)
        lines = []
        for name, value in self.values.items():
            low, high = self.intervals[name]
            sure = f"{low:.4g} … {high:.4g}" if name in self.determined else "not determined"
            lines.append(f"{name:{width}}  {value:.5g} {self.units[name]:8} {sure}")
        unit = self.residuals[0].unit if self.residuals else ""
        lines.append(f"mean error {self.error:.4g} {unit}" + self._held_back(unit))
        for c in self.undetermined:
            lines.append(f"not determined: {c.says}" + (f"; {c.experiments[0]}" if c.experiments else ""))
        lines += self.unpredicted()
        lines += [f"at its bound: {n}" for n in self.at_bounds]
        return "\n".join(lines)

    def unpredicted(self) -> list[str]:
        """Sentences: which held-back recordings cannot be predicted, and why."""
        names = {r: dict.fromkeys(n for c in own for n in c.names) for r, own in self.unpredictable.items()}
        why = "which the fitted recordings do not determine"
        return [f"{r} cannot be predicted: it depends on {', '.join(own)}, {why}" for r, own in names.items()]

    def _held_back(self, unit: str) -> str:
        found = self.holdout_error
        return "" if isnan(found) else f", {found:.4g} {unit} in recordings that were held back"

    def __repr__(self) -> str:
        sure = len(self.determined)
        return (
            f"<Fit of {self.robot.name!r}: {sure} of {len(self.values)} parameters determined, error {self.error:.3g}>"
        )


def _plain(x: float) -> float | None:
    return x if abs(x) < float("inf") else None


def read_fit(path: str | os.PathLike[str], robot: Mechanism) -> Mechanism:
    """The robot with the numbers of a file that `Fit.save` has written."""
    place = Path(checked_path(path, "a fit"))
    try:
        with open_regular(place) as file:
            data = json.loads(file.read(LARGEST).decode())
    except OSError as error:
        raise GearwrightError(f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise ModelError(f"{place.name}: not JSON, or damaged") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("parameters"), dict):
        raise ModelError(f"{place.name}: not a saved fit")
    return _with_rows(place.name, robot, data["parameters"])


def _with_rows(name: str, robot: Mechanism, parameters: Mapping[str, Any]) -> Mechanism:
    """Without delays, gains and offsets of readings, which are no numbers of the robot."""
    found, delays = {}, {}
    for parameter, row in parameters.items():
        if not isinstance(row, dict) or "value" not in row:
            raise ModelError(f"{name}: {parameter!r} has no value")
        owner, _, last = parameter.rpartition(".")
        if ": " in parameter:
            rig = parameter.partition(": ")[0]
            raise ModelError(f"{name}: {parameter!r} belongs to one of several rigs: save it with rig={rig!r}")
        if parameter_name(robot, parameter) is not None or last not in ("delay", "gain", "offset"):
            found[parameter] = row["value"]
        elif last == "delay" and owner in robot.actuators:
            delays[owner] = number(repr(parameter), row["value"], low=0.0)
    return with_delays(robot.with_parameters(found), delays)


def with_delays(robot: Mechanism, delays: Mapping[str, float]) -> Mechanism:
    """With delays of commands, of actuators that have one: position servos."""
    for name, delay in delays.items():
        servo = robot.actuators[name]
        if isinstance(servo, PositionServo):
            robot = robot.with_actuator(replace(servo, delay=delay))
    return robot


def names_of(combinations: Sequence[Combination]) -> set[str]:
    return {n for c in combinations for n in c.names}
