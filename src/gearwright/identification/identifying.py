"""`gw.identify`: numbers of a robot from recordings, by exact derivatives of its roll-outs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from gearwright.errors import GearwrightError, ModelError, UnknownNameError, counted, warn
from gearwright.given_names import checked_flag, checked_instance, checked_names
from gearwright.given_numbers import number, whole
from gearwright.identification.advice import Advisor, Setting
from gearwright.identification.experiment import Columns, Experiment
from gearwright.identification.fit import Combination, Fit, Residual
from gearwright.identification.least_squares import Bounds, minimise, spread_starts
from gearwright.identification.log import Log, as_logs
from gearwright.identification.progress import shown
from gearwright.identification.residuals import Fits, Residuals
from gearwright.identification.uncertainty import Information, information, quantile
from gearwright.identification.unknowns import Unknown, sought, starts
from gearwright.model import Mechanism
from gearwright.sim.compiling import compile as compiled
from gearwright.sim.derivatives.sensitivity import differentiable
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array

MOST_ROUNDS = 3  # of holding what is not determined, where that finds a better minimum
NEAR = 0.4  # of its size: spread of the starts of the second search about the best of the first
BETTER = 0.98  # of the squares: with fewer unknowns a better minimum cannot be, unless the search had missed it
PIECES = (6, 12)  # into which logs are cut to find starts
FEWEST_SAMPLES = 6  # of an output in a piece
REWEIGHTED = 3  # rounds in which outputs are weighed by the residuals of the round before


class InterruptedWarning(UserWarning):
    """The search was ended by Ctrl-C: the fit is the best so far."""


def identify(
    robot: Mechanism | Mapping[str, Mechanism] | str | os.PathLike[str],
    recordings: Any,
    parameters: Any,
    *,
    bounds: Any = None,
    holdout: Any = None,
    signals: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    outputs: Sequence[str] | str | None = None,
    linear: Sequence[str] | str = (),
    individual: Sequence[str] | str = (),
    start: Mapping[str, float] | None = None,
    fit_start: bool = True,
    segment: float | None = None,
    starts: int = 4,
    seed: int = 0,
    dt: float = 1e-3,
    progress: bool = False,
    **options: Any,
) -> Fit:
    """Fits numbers of a robot to recordings of it.

    What is sought, and from what:

    robot       a mechanism or a file; several of them by name: the one is chosen whose error in `holdout` is least
    recordings  files, `gw.read_log` or recordings of `Simulation.run`; by rig ({"left": […], "right": […]}) if there are
                several robots of one kind
    parameters  names of `robot.parameters`, and of readings: `MOTOR.delay` of a command, `OUTPUT.offset`, `OUTPUT.gain`
                and `OUTPUT.delay`, such as "elbow.position.offset"; by model, if several are compared
    bounds      by parameter, (lowest, highest)
    individual  parameters that each rig has of its own; the others are shared
    holdout     recordings that are not fitted, only predicted

    What the columns of recordings are:

    signals     by column, the name for the robot: {"goal": "motor.command", "angle": "elbow.position"}. A column may be a
                number of an actuator that changes over time, such as its supply voltage
    units       by column, where the file does not say: {"angle": "deg"}
    outputs     signals that are compared; by default all positions, or else the sensors
    linear      commands that go in straight lines from one sample to the next; otherwise each holds until the next

    How it is sought:

    start       by number of the start ("elbow.velocity"), where it is not what the first samples say
    fit_start   also seek where each recording begins, within what was measured; it is not part of the result
    segment     cut recordings into pieces of so many seconds, each with a start of its own: for motions in which small
                errors grow fast
    starts      searches from so many points of the bounds at once, by this `seed`; the best one counts
    dt          step of the simulation [s]; `options` are others of `gearwright.compile`
    progress    show iterations on the error stream. Ctrl-C ends the search with the best fit so far

    Combinations of parameters that the data cannot tell apart are named in `Fit.undetermined`, and not guessed.
    """
    checked_flag("progress", progress)
    checked_flag("fit_start", fit_start)
    given = _Given(
        recordings=recordings, bounds={} if bounds is None else bounds, holdout=holdout, signals=signals or {},
        units=units or {}, outputs=None if outputs is None else checked_names("outputs=", outputs),
        linear=frozenset(checked_names("linear=", linear)), individual=individual, start=start or {},
        fit_start=fit_start, segment=segment, starts=whole("starts", starts, high=4096),
        seed=whole("seed", seed, low=0), dt=dt, progress=progress, options=options,
    )  # fmt: skip
    if isinstance(robot, Mapping):
        return _best(robot, parameters, given)
    return _fitted(_loaded(robot), parameters, given)


@dataclass(frozen=True, kw_only=True)
class _Given:
    """The arguments of `identify` beside robot and parameters."""

    recordings: Any
    bounds: Any
    holdout: Any
    signals: Mapping[str, str]
    units: Mapping[str, str]
    outputs: tuple[str, ...] | None
    linear: frozenset[str]
    individual: Any
    start: Mapping[str, float]
    fit_start: bool
    segment: float | None
    starts: int
    seed: int
    dt: float
    progress: bool
    options: Mapping[str, Any]


def _loaded(robot: Any) -> Mechanism:
    if isinstance(robot, str | os.PathLike):
        from gearwright.formats import load

        return load(robot)
    checked_instance("the robot to identify", robot, Mechanism)
    found: Mechanism = robot
    return found


def _best(robots: Mapping[str, Any], parameters: Any, given: _Given) -> Fit:
    """The candidate with the least error in recordings that are held back."""
    if given.holdout is None:
        raise ModelError("several models are compared by recordings that none of them has seen: give holdout=…")
    if not robots:
        raise ModelError("there is no model to compare")
    fits = {}
    for name, robot in robots.items():
        own = parameters[name] if isinstance(parameters, Mapping) else parameters
        fits[name] = _fitted(_loaded(robot), own, replace(given, bounds=_of_model(given.bounds, own)))
    best = min(fits, key=lambda name: fits[name].holdout_error)
    return replace(fits[best], candidates=fits, model=best)


def _of_model(bounds: Any, names: Any) -> Any:
    own = checked_names("parameters=", names)
    return {n: x for n, x in bounds.items() if n in own} if isinstance(bounds, Mapping) else bounds


# --- one model --------------------------------------------------------------------------------------------------------


def _fitted(robot: Mechanism, names: Any, given: _Given) -> Fit:
    begun = perf_counter()
    fitted, held_back, unknowns, sim = _checked(robot, names, given)
    parameters = sought(sim, names, given.bounds, given.individual, [*fitted, *held_back])
    whole = Residuals(sim, fitted, (*parameters, *_starts(sim, fitted, given)))
    task = _Task(whole if given.segment is None else _cut(whole, given, None), len(parameters), given)
    task.whole = whole
    z, loose, complete = task.solved()
    found = task.judged(z, loose)
    if not complete:
        warn("interrupted: the fit is the best so far", InterruptedWarning)
    values = {u.name: float(z[i]) for i, u in enumerate(parameters)}
    return Fit(
        robot=_with(robot, parameters, z, None), values=values, units={u.name: u.unit for u in parameters},
        intervals=found.intervals, undetermined=found.combinations, at_bounds=found.at_bounds,
        residuals=(
            *_residuals(sim, fitted, parameters, z, given, held_back=False),
            *_residuals(sim, held_back, parameters, z, given, held_back=True),
        ),
        complete=complete, roll_outs=task.residuals.evaluations, seconds=perf_counter() - begun,
        rigs={rig: _with(robot, parameters, z, rig) for rig in _rigs(fitted)},
    )  # fmt: skip


def _checked(
    robot: Mechanism, names: Any, given: _Given
) -> tuple[list[Experiment], list[Experiment], tuple[str, ...], Simulation]:  # fmt: skip
    """Logs as experiments, and the robot compiled with all unknowns as inputs: every mistake is found here."""
    for option in ("batch", "parameters", "controller"):
        if option in given.options:
            raise ModelError(f"{option}= is not for identify")
    wanted = checked_names("parameters=", names)
    rigs = _by_rig(given.recordings)
    back = {} if given.holdout is None else _by_rig(given.holdout)
    for rig in back:
        if rig not in rigs:
            raise UnknownNameError("rig", rig, list(rigs))
    driven = [n for n in given.signals.values() if n in robot.parameters]
    inputs = tuple(dict.fromkeys([*(n for n in wanted if n in robot.parameters), *driven]))
    sim = differentiable(compiled(robot, dt=given.dt, **given.options), inputs)
    columns = Columns(sim=sim, signals=given.signals, units=given.units, outputs=given.outputs, linear=given.linear)
    each = []
    for group in (rigs, back):
        each.append([columns.experiment(log, rig, given.start) for rig, logs in group.items() for log in logs])
    return each[0], each[1], inputs, sim


def _by_rig(given: Any) -> dict[str, tuple[Log, ...]]:
    if isinstance(given, Mapping):
        found = {str(rig): as_logs(logs) for rig, logs in given.items()}
        if not found:
            raise ModelError("there is no recording: give at least one")
        return found
    return {"": as_logs(given)}


def _rigs(experiments: Sequence[Experiment]) -> list[str]:
    rigs = list(dict.fromkeys(e.rig for e in experiments))
    return rigs if len(rigs) > 1 else []


def _starts(sim: Simulation, experiments: Sequence[Experiment], given: _Given) -> tuple[Unknown, ...]:
    return starts(experiments, given.fit_start and not sim.robot.tree.cuts)


def _cut(whole: Residuals, given: _Given, count: int | None) -> Residuals:
    """Pieces whose starts are sought each by itself (multiple shooting). What motors and frictions have in them where a
    piece begins is taken from a roll-out of the whole."""
    parameters = [u for u in whole.unknowns if u.log is None]
    pieces, begins = [], []
    for log, experiment in enumerate(whole.experiments):
        if count is None:
            length = number("segment", given.segment, what="a time in seconds", low=10 * given.dt)
            own = max(1, round(experiment.duration / length))
        else:
            own = count
        edges = np.linspace(0.0, experiment.duration, own + 1)
        for k, (begin, end) in enumerate(zip(edges, edges[1:], strict=False)):
            piece = experiment.piece(float(begin), float(end), k)
            if all(len(o.time) >= FEWEST_SAMPLES for o in piece.outputs):
                pieces.append(piece)
                begins.append((log, float(begin)))
    if not pieces:
        raise ModelError(f"segment={given.segment!r} leaves no piece with {FEWEST_SAMPLES} samples: take a longer one")
    nominal = np.array([u.clipped(u.value) for u in whole.unknowns])
    inner = whole.states_at(nominal, begins)
    return Residuals(whole.sim, pieces, (*parameters, *_starts(whole.sim, pieces, given)), inner)


def _with(robot: Mechanism, unknowns: Sequence[Unknown], z: Array, rig: str | None) -> Mechanism:
    own = {u.of: float(z[i]) for i, u in enumerate(unknowns) if u.kind == "robot" and u.rig in (None, rig)}
    return robot.with_parameters(own)


def _residuals(
    sim: Simulation, experiments: Sequence[Experiment], parameters: Sequence[Unknown], z: Array, given: _Given,
    *, held_back: bool,
) -> list[Residual]:  # fmt: skip
    """Whole recordings with the fitted numbers; where they begin is sought, and nothing else."""
    if not experiments:
        return []
    own = Residuals(sim, experiments, (*parameters, *_starts(sim, experiments, given)))
    candidate = np.array([*z[: len(parameters)], *(u.value for u in own.unknowns[len(parameters) :])])
    bounds = _bounds(own.unknowns, held=dict(enumerate(candidate[: len(parameters)])))
    search, _ = minimise(own.at, candidate[None], bounds, iterations=8)
    r = own.at(search.z[None], differentiated=False).residuals[0]
    return [
        Residual(log=e.name, output=o.name, unit=o.signal.unit, time=o.time, measured=o.values,
                 fitted=o.values + r[part], held_back=held_back)
        for (e, o), part in zip(((e, o) for e in experiments for o in e.outputs), own.rows, strict=True)
    ]  # fmt: skip


def _bounds(unknowns: Sequence[Unknown], held: Mapping[int, float]) -> Bounds:
    lower = np.array([held.get(i, u.lower) for i, u in enumerate(unknowns)])
    upper = np.array([held.get(i, u.upper) for i, u in enumerate(unknowns)])
    return Bounds(lower=lower, upper=upper, scale=np.array([u.scale for u in unknowns]))


@dataclass(frozen=True, kw_only=True)
class _Found:
    intervals: Mapping[str, tuple[float, float]]
    combinations: tuple[Combination, ...]
    at_bounds: tuple[str, ...]


class _Task:
    """The search for one model."""

    def __init__(self, residuals: Residuals, count: int, given: _Given) -> None:
        self.residuals, self.count, self.given = residuals, count, given
        self.whole = residuals  # without cuts
        self.unknowns = residuals.unknowns
        self.nominal = np.array([u.clipped(u.value) for u in self.unknowns])
        self.weights = self._first_weights()

    # --- the search ------------------------------------------------------------------------------------------------

    def solved(self) -> tuple[Array, Array, bool]:
        """The unknowns, and directions that are not determined: along these, one parameter each stays where it was."""
        first = self.residuals.at(self.nominal[None])
        self._check_dependence(first)
        z, complete = self._freely(self._spread())
        if complete and self.given.starts > 1:
            z, complete = self._freely(np.concatenate([self._around(z), self._from_pieces(z)]))
        for _ in range(MOST_ROUNDS):
            loose = self._information(z).loose_directions()
            if not len(loose) or not complete:
                break
            held = {i: self.nominal[i] for i in (int(np.argmax(np.abs(d))) for d in loose)}
            beside, complete = self._minimised(np.array([self._at(z, held), self._at(self.nominal, held)]), held)
            if self._cost(beside) > BETTER * self._cost(z):
                z = beside
                break
            z, complete = self._freely(beside[None])  # the search had ended in a minimum beside the best one
        return z, loose, complete

    def _from_pieces(self, z: Array) -> Array:
        """Starts from logs in pieces: these have no minima beside each other, as errors have no time to grow."""
        if self.residuals is not self.whole or not any(u.log is not None for u in self.unknowns):
            return z[None, :][:0]
        found = []
        for count in PIECES:
            cut = _cut(self.whole, self.given, count)
            task = _Task(cut, self.count, self.given)
            task.weights = self.weights
            own, complete = task._minimised(
                np.concatenate([z[: self.count], task.nominal[self.count :]])[None], held={}
            )
            self.residuals.evaluations += cut.evaluations
            if complete:
                found.append(np.concatenate([own[: self.count], z[self.count :]]))
        return np.array(found).reshape(-1, len(z))

    def _around(self, z: Array) -> Array:
        """The best so far, and others near it: friction and stops leave minima beside each other."""
        rng = np.random.default_rng(self.given.seed + 1)
        found = np.repeat(z[None], self.given.starts, axis=0)
        scale = np.array([self._scale(i, x) for i, x in enumerate(z)])
        found[1:, : self.count] += NEAR * (rng.normal(size=found[1:].shape) * scale)[:, : self.count]
        return found

    def _freely(self, starts: Array) -> tuple[Array, bool]:
        """The best of all unknowns, outputs weighed by what their residuals are."""
        z, complete = self._minimised(starts, held={})
        for _ in range(REWEIGHTED if len(self.weights) > 1 and complete else 0):
            if not self._reweighted(z):
                break
            z, complete = self._minimised(z[None], held={})
        return z, complete

    def _cost(self, z: Array) -> float:
        r = self._weighted(z[None], differentiated=False).residuals[0]
        return float(r @ r)

    def _spread(self) -> Array:
        fixed = [u.kind == "start" for u in self.unknowns]
        bounds = _bounds(self.unknowns, {})
        return spread_starts(self.nominal, bounds, self.given.starts, self.given.seed, fixed)

    def _at(self, z: Array, held: Mapping[int, float]) -> Array:
        changed = z.copy()
        for i, value in held.items():
            changed[i] = value
        return changed

    def _minimised(self, starts: Array, held: Mapping[int, float]) -> tuple[Array, bool]:
        what = f"{counted(len(self.residuals.experiments), 'recording')}, {counted(self.count, 'parameter')}"
        with shown(self.given.progress, what) as report:
            search, complete = minimise(
                self._weighted, starts, _bounds(self.unknowns, held), possible=self.residuals.possible, report=report
            )
        if not np.isfinite(search.cost):
            raise GearwrightError("every start diverges: give narrower bounds, better values, or a smaller dt")
        return search.z, complete

    def _weighted(self, candidates: Array, *, differentiated: bool = True) -> Fits:
        fits, w = self.residuals.at(candidates, differentiated=differentiated), self._row_weights
        return Fits(residuals=fits.residuals * w, jacobian=fits.jacobian * w[:, None])

    @property
    def _row_weights(self) -> Array:
        w = np.empty(self.residuals.count)
        for output, part in zip(self.residuals.outputs, self.residuals.rows, strict=True):
            w[part] = self.weights[output.name]
        return w

    def _first_weights(self) -> dict[str, float]:
        """Outputs of one unit count alike; of several, each by how much it changes."""
        one = len(self.residuals.units) == 1
        sizes = {o.name: max(float(np.std(o.values)), 1e-12) for o in self.residuals.outputs}
        return {name: 1.0 if one else 1.0 / size for name, size in sizes.items()}

    def _reweighted(self, z: Array) -> bool:
        """Weighs each output by its residuals; whether that changed much."""
        r = self.residuals.at(z[None], differentiated=False).residuals[0]
        squares: dict[str, list[float]] = {}
        for output, part in zip(self.residuals.outputs, self.residuals.rows, strict=True):
            squares.setdefault(output.name, []).append(float(np.mean(r[part] ** 2)))
        new = {name: 1.0 / max(np.sqrt(np.mean(x)), 1e-12) for name, x in squares.items()}
        old, self.weights = self.weights, {n: float(x) for n, x in new.items()}
        ratios = np.array([self.weights[n] / old[n] for n in new])
        return bool(ratios.max() / ratios.min() > 1.2)

    def _check_dependence(self, first: Fits) -> None:
        """Raises for a parameter that nothing depends on, wherever it may be: before any work."""
        if not np.isfinite(first.residuals).all():
            return  # the first candidate diverges: others may not
        still = ~np.any(first.jacobian[0], axis=0)
        still[self.count :] = False
        if not still.any():
            return
        probes = self._spread_probes()
        moved = np.any(self.residuals.at(probes).jacobian, axis=(0, 1))
        self._silent = frozenset(np.flatnonzero(still & ~moved))
        for i in self._silent:
            unknown = self.unknowns[i]
            if unknown.kind == "robot" and not self._acts(unknown):
                raise ModelError(
                    f"nothing that was measured depends on {unknown.name!r}, whatever its value: leave it out, or "
                    "record something that does"
                )

    def _spread_probes(self) -> Array:
        fixed = [u.kind == "start" for u in self.unknowns]
        return spread_starts(self.nominal, _bounds(self.unknowns, {}), 6, 1, fixed)[1:]

    def _acts(self, unknown: Unknown) -> bool:
        """Whether it limits something that was not reached: that is a finding, and no mistake."""
        return any(word in unknown.of for word in LIMITS)

    # --- what it says ----------------------------------------------------------------------------------------------

    def _information(self, z: Array) -> Information:
        fits = self._weighted(z[None])
        scales = np.array([self._scale(i, z[i]) for i in range(len(z))])
        return information(fits.residuals[0], fits.jacobian[0], scales, range(self.count), self.residuals.rows)

    def _scale(self, i: int, value: float) -> float:
        return abs(value) if abs(value) > 1e-3 * self.unknowns[i].scale else self.unknowns[i].scale

    def judged(self, z: Array, loose: Array) -> _Found:
        own, known = self._information(z), self.unknowns[: self.count]
        combinations = []
        advisor = Advisor(self._setting(z, own)) if len(loose) else None
        for direction in loose:
            names = {known[i].name: float(direction[i]) for i in np.flatnonzero(direction)}
            held = max(names, key=lambda n: abs(names[n]))
            combinations.append(Combination(names=tuple(names), direction=names, held=held, _advisor=advisor))
        vague = {i for d in loose for i in np.flatnonzero(d)}
        held_places = {int(np.argmax(np.abs(d))) for d in loose}
        free = [i for i in range(self.count) if i not in held_places]
        deviation = np.zeros(self.count)
        if free:
            deviation[free] = np.sqrt(np.maximum(np.diag(own.covariance(free)), 0.0))
        q = quantile(self.count - len(vague))
        intervals = {}
        for i, u in enumerate(known):
            half = np.inf if i in vague else q * deviation[i] * self._scale(i, z[i])
            intervals[u.name] = (float(max(z[i] - half, u.lower)), float(min(z[i] + half, u.upper)))
        ends = [u for i, u in enumerate(known) if i not in vague and self._at_bound(u, z[i])]
        return _Found(intervals=intervals, combinations=tuple(combinations), at_bounds=tuple(u.name for u in ends))

    def _setting(self, z: Array, information: Information) -> Setting:
        residuals = self.residuals.at(z[None], differentiated=False).residuals[0]
        return Setting(
            residuals=self.residuals, z=z, scales=np.array([self._scale(i, x) for i, x in enumerate(z)]),
            information=information, deviation=float(np.std(residuals)),
        )  # fmt: skip

    def _at_bound(self, unknown: Unknown, value: float) -> bool:
        near = 1e-9 * unknown.scale
        return value - unknown.lower <= near or unknown.upper - value <= near


LIMITS = ("limit", "slew", "supply", "maximum", "max_", "stall", "no_load")  # words of what may never be reached
