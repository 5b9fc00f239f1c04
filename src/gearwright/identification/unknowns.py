"""The unknowns of a fit: numbers of the robot, delays, gains and offsets of what was measured, and where logs begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Literal

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_names import checked_names
from gearwright.given_numbers import numbers
from gearwright.identification.experiment import Experiment
from gearwright.model import Mechanism
from gearwright.model.actuators import PositionServo
from gearwright.model.parameters import parameter_name
from gearwright.sim.simulation import Simulation

Kind = Literal["robot", "delay", "reading_delay", "gain", "offset", "start"]
LONGEST_DELAY = 0.2  # [s], where no bound is given
TYPICAL = {"rad": 0.1, "m": 0.01, "s": 0.01, "N·m": 0.1, "N": 1.0, "kg": 0.1, "": 0.1}  # sizes of numbers that are 0
READINGS: dict[str, Kind] = {"gain": "gain", "offset": "offset", "delay": "reading_delay"}


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """One number that is sought."""

    name: str  # as the caller gave it; of a start with its log
    kind: Kind
    of: str  # the parameter, actuator, output, or number of the start
    value: float  # where the search begins
    lower: float = -inf
    upper: float = inf
    unit: str = ""
    rig: str | None = None  # None: shared by all
    log: int | None = None  # of a start: the experiment that it belongs to

    @property
    def scale(self) -> float:
        """A size to judge changes by."""
        if self.value and self.kind != "start":
            return abs(self.value)
        width = self.upper - self.lower
        return 0.1 * width if isfinite(width) else TYPICAL.get(self.unit, 0.1)

    def clipped(self, value: float) -> float:
        return min(max(value, self.lower), self.upper)


def sought(
    sim: Simulation, names: Any, bounds: Any, individual: Any, experiments: Sequence[Experiment]
) -> tuple[Unknown, ...]:  # fmt: skip
    """The caller's parameters, checked; one for each rig where a parameter is individual."""
    wanted, own = checked_names("parameters=", names), checked_names("individual=", individual)
    if not wanted:
        raise ModelError(
            "name what to identify: parameters=('elbow.friction', …); robot.parameters lists what there is"
        )
    for name in own:
        if name not in wanted:
            raise UnknownNameError("identified parameter", name, wanted)
    if twice := [n for n in wanted if wanted.count(n) > 1]:
        raise ModelError(f"parameter {twice[0]!r} is given twice")
    if not isinstance(bounds, Mapping):
        raise ModelError(f"bounds must be a mapping from parameters to pairs, not {bounds!r:.60}")
    for name in bounds:
        if name not in wanted:
            raise UnknownNameError("identified parameter", str(name), wanted)
    rigs = list(dict.fromkeys(e.rig for e in experiments))
    found = []
    for name in wanted:
        base = _unknown(sim, name, experiments)
        bounded = _bounded(base, bounds.get(name))
        each: Iterable[str | None] = rigs if name in own and len(rigs) > 1 else [None]
        found += [_of_rig(bounded, rig) for rig in each]
    return tuple(found)


def longest_delay(robot: Mechanism, name: str) -> float:
    """The largest delay for which a servo keeps commands; infinite for other parameters."""
    owner, _, what = name.rpartition(".")
    actuator = robot.actuators.get(owner.removeprefix("device.")) if what == "delay" else None
    return actuator.room_for_delay if isinstance(actuator, PositionServo) else inf


def starts(experiments: Sequence[Experiment], fitted: bool) -> tuple[Unknown, ...]:
    """Positions and speeds where logs begin: measured, and so not known exactly.

    A log that begins at rest begins at rest: with friction, speeds on both sides of 0 are two different motions.
    """
    if not fitted:
        return ()
    return tuple(
        Unknown(name=f"{e.name}: {name}", kind="start", of=name, value=value, log=k,
                unit="rad" if name.endswith("position") else "rad/s")
        for k, e in enumerate(experiments) for name, value in e.start.items()
        if value or not name.endswith(".velocity")
    )  # fmt: skip


def _unknown(sim: Simulation, name: str, experiments: Sequence[Experiment]) -> Unknown:
    known = sim.robot.parameters
    if (of := parameter_name(sim.robot, name)) is not None:
        p = known[of]
        if any(of in e.driven for e in experiments):
            raise ModelError(f"{name!r} is recorded: it is known at every time, and cannot be identified")
        low, high = p.quantity.at_least, p.quantity.at_most
        lower = -inf if low is None else float(low)
        if p.quantity.above is not None:
            lower = max(lower, float(p.quantity.above) + 1e-9 * (abs(p.value) or 1.0))
        upper = inf if high is None else float(high)
        upper = min(upper, longest_delay(sim.robot, of))
        return Unknown(name=name, kind="robot", of=of, value=p.value, lower=lower, upper=upper, unit=p.unit)
    owner, _, what = name.rpartition(".")
    outputs = {o.name: o.signal.unit for e in experiments for o in e.outputs}
    if what == "delay" and owner in sim.robot.actuators:
        return Unknown(name=name, kind="delay", of=owner, value=0.005, lower=0.0, upper=LONGEST_DELAY, unit="s")
    if what in READINGS and owner in outputs:
        start = {"gain": 1.0, "offset": 0.0, "delay": 0.005}[what]
        unit = {"gain": "", "offset": outputs[owner], "delay": "s"}[what]
        low, high = (0.0, LONGEST_DELAY) if what == "delay" else (-inf, inf)
        return Unknown(name=name, kind=READINGS[what], of=owner, value=start, lower=low, upper=high, unit=unit)
    more = [f"{a}.delay" for a in sim.robot.actuators] + [f"{o}.{w}" for o in outputs for w in READINGS]
    near = [n for n in (*known, *more) if n.startswith(f"{owner}.")]
    raise UnknownNameError("parameter", name, near or [*known, *more])


def _bounded(unknown: Unknown, given: Any) -> Unknown:
    if given is None:
        return unknown
    pair = numbers(f"the bounds of {unknown.name!r}", given, infinite=True)
    if pair.shape != (2,):
        raise ModelError(f"the bounds of {unknown.name!r} must be a pair (lowest, highest), not {given!r:.60}")
    low, high = float(pair[0]), float(pair[1])
    if not low < high:
        raise ModelError(f"the bounds of {unknown.name!r} contradict each other: {low:g} is not below {high:g}")
    lower, upper = max(low, unknown.lower), min(high, unknown.upper)
    if not lower < upper:
        possible = f"{unknown.lower:g} to {unknown.upper:g} {unknown.unit}".rstrip()
        raise ModelError(
            f"the bounds of {unknown.name!r}, {low:g} to {high:g}, are outside its valid range, {possible}"
        )
    start = unknown.value
    if not lower <= start <= upper:
        start = (lower * upper) ** 0.5 if lower > 0 and isfinite(upper) else 0.5 * (lower + upper)
        start = start if isfinite(start) else (lower if isfinite(lower) else upper)
    return _replaced(unknown, value=start, lower=lower, upper=upper)


def _of_rig(unknown: Unknown, rig: str | None) -> Unknown:
    return unknown if rig is None else _replaced(unknown, name=f"{rig}: {unknown.name}", rig=rig)


def _replaced(unknown: Unknown, **changes: Any) -> Unknown:
    from dataclasses import replace

    return replace(unknown, **changes)
