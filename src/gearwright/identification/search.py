"""The search for one model: from where, by which weights, and what of it the data determine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gearwright.errors import GearwrightError, ModelError, counted
from gearwright.given_numbers import number
from gearwright.identification.advice import Advisor, Setting
from gearwright.identification.experiment import Experiment
from gearwright.identification.fit import Combination
from gearwright.identification.least_squares import ENOUGH, ITERATIONS, ROUGHLY, Bounds, minimise, spread_starts
from gearwright.identification.progress import shown
from gearwright.identification.residuals import Fits, Residuals
from gearwright.identification.uncertainty import Information, information
from gearwright.identification.unknowns import Unknown, starts
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array

FEW = 12  # iterations in which a number that is far away has to explain what was measured
MOST_ROUNDS = 3  # of holding what is not determined, where that finds a better minimum
NEAR = 0.4  # of its size: spread of the starts of the second search about the best of the first
NEAR_ZERO = 0.1  # of its first size: a number that is smaller, and may be 0, is judged by this much
FAR = 100.0  # sizes of a number without an upper bound: where a limit does not act
FADED = 0.1  # of a derivative: a number of which less is left at its upper end may be a limit that was not reached
SURE = 9.0  # variances of the noise: what a held value may add to the squares
BETTER = 0.98  # of the squares: with fewer unknowns a better minimum cannot be, unless the search had missed it
PIECES = (6, 12)  # into which logs are cut to find starts
FEWEST_SAMPLES = 6  # of an output in a piece
REWEIGHTED = 3  # rounds in which outputs are weighed by the residuals of the round before
LIMITS = ("limit", "slew", "supply", "maximum", "max_", "stall", "no_load")  # words of what may never be reached


@dataclass(frozen=True, kw_only=True)
class Given:
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


class TooShortError(ModelError):
    """Logs cannot be cut into so many pieces."""


def starts_of(sim: Simulation, experiments: Sequence[Experiment], given: Given) -> tuple[Unknown, ...]:
    return starts(experiments, given.fit_start and not sim.robot.tree.cuts)


def cut(whole: Residuals, given: Given, count: int | None) -> Residuals:
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
        for k, (begin, end) in enumerate(pairwise(edges.tolist())):
            piece = experiment.piece(float(begin), float(end), k)
            if all(len(o.time) >= FEWEST_SAMPLES for o in piece.outputs):
                pieces.append(piece)
                begins.append((log, float(begin)))
    if not pieces:
        message = f"segment={given.segment!r} leaves no piece with {FEWEST_SAMPLES} samples: take a longer one"
        raise TooShortError(message)
    nominal = np.array([u.clipped(u.value) for u in whole.unknowns])
    inner = whole.states_at(nominal, begins)
    return Residuals(whole.sim, pieces, (*parameters, *starts_of(whole.sim, pieces, given)), inner)


def bounds_of(unknowns: Sequence[Unknown], held: Mapping[int, float]) -> Bounds:
    lower = np.array([held.get(i, u.lower) for i, u in enumerate(unknowns)])
    upper = np.array([held.get(i, u.upper) for i, u in enumerate(unknowns)])
    return Bounds(lower=lower, upper=upper, scale=np.array([u.scale for u in unknowns]))


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    intervals: Mapping[str, tuple[float, float]]
    combinations: tuple[Combination, ...]
    at_bounds: tuple[str, ...]


class FitSearch:
    """The search for one model."""

    def __init__(self, residuals: Residuals, count: int, given: Given) -> None:
        self.residuals, self.count, self.given = residuals, count, given
        self.whole = residuals  # without cuts
        self.unknowns = residuals.unknowns
        self.nominal = np.array([u.clipped(u.value) for u in self.unknowns])
        self.weights = self._first_weights()
        self.limitless: set[int] = set()  # limits that the data do not show

    # --- the search ------------------------------------------------------------------------------------------------

    def solved(self) -> tuple[Array, Array, bool]:
        """The unknowns, and directions that are not determined: along these, one parameter each stays where it was."""
        first = self.residuals.fit(self.nominal)
        self._check_dependence(first)
        several = self.given.starts > 1
        z, complete = self._freely(self._spread(), ROUGHLY if several else ENOUGH)
        if complete and several:
            z, complete = self._freely(np.concatenate([self._around(z), self._from_pieces(z)]))
        if complete:
            z, complete = self._without_limits(z)
        for _ in range(MOST_ROUNDS):
            loose = self._information(z).loose_directions()
            if not len(loose) or not complete:
                break
            beside, complete = self._held_where_loose(z, loose)
            if self._cost(beside) > BETTER * self._cost(z):
                z = beside
                break
            z, complete = self._freely(beside[None])  # the search had ended in a minimum beside the best one
        return z, loose, complete

    def _held_where_loose(self, z: Array, loose: Array) -> tuple[Array, bool]:
        """With one parameter of each direction at its nominal value: together, or else those that the data allow."""
        places = [int(np.argmax(np.abs(d))) for d in loose]
        beside, complete = self._beside(z, {i: self.nominal[i] for i in places})
        if len(places) == 1 or not complete or not self._contradicted(beside, z):
            return (z if complete and self._contradicted(beside, z) else beside), complete
        held: dict[int, float] = {}
        found = z
        for i in places:
            beside, complete = self._beside(found, held | {i: self.nominal[i]})
            if complete and not self._contradicted(beside, z):
                found, held = beside, held | {i: self.nominal[i]}
        return found, complete

    def _beside(self, z: Array, held: Mapping[int, float]) -> tuple[Array, bool]:
        return self.minimised(self._starts(z, held), held)

    def _starts(self, z: Array, held: Mapping[int, float]) -> Array:
        return np.array([self._at(z, held), self._at(self.nominal, held)])

    def _without_limits(self, z: Array) -> tuple[Array, bool]:
        """Limits that the data do not show: with them far away, the other numbers explain what was measured as well.

        Such a number is not determined, however sharp the minimum that was found is. It keeps its nominal value, if the
        data allow that.
        """
        complete = True
        for i, far in self._fading(z).items():
            most = self._cost(z) + SURE * self._noise(z)
            beside, complete = self.minimised(
                self._starts(z, {i: far}), {i: far}, enough=ROUGHLY, until=most, iterations=FEW
            )
            if not complete or self._contradicted(beside, z):
                continue
            self.limitless |= {i}
            nominal, complete = self._beside(beside, {i: self.nominal[i]})
            z = beside if self._contradicted(nominal, beside) else nominal
        return z, complete

    def _fading(self, z: Array) -> dict[int, float]:
        """Robot parameters that seem to be determined, but on which hardly anything depends any more at their upper
        end, and this value."""
        loose = np.any(self._information(z).loose_directions() != 0.0, axis=0)
        robot = [i for i in range(self.count) if self.unknowns[i].kind == "robot" and not loose[i]]
        far = {i: min(self.unknowns[i].upper, FAR * self._scale(i, z[i])) for i in robot}
        if not robot:
            return {}
        here = np.linalg.norm(self.residuals.fit(z).jacobian[0], axis=0)
        moved = np.array([self._at(z, {i: x}) for i, x in far.items()]).reshape(-1, len(z))
        there = dict(zip(robot, np.linalg.norm(self.residuals.along(moved, robot), axis=1).tolist(), strict=True))
        return {
            i: far[i] for i in robot
            if there[i] <= FADED * here[i] and here[i] > 0 and self.residuals.possible(self._at(z, {i: far[i]}))
        }  # fmt: skip

    def _contradicted(self, held: Array, best: Array) -> bool:
        """Whether the data speak against the values that were held, as far from the best ones as they are: the squares
        grow by more than noise explains."""
        return self._cost(held) - self._cost(best) > SURE * self._noise(best)

    def _noise(self, z: Array) -> float:
        """What noise adds to the squares for one number that is fitted."""
        return self._cost(z) / max(1, self.residuals.count) * self._information(z).inflation

    def _from_pieces(self, z: Array) -> Array:
        """Starts from logs in pieces: these have no minima beside each other, as errors have no time to grow."""
        if self.residuals is not self.whole or not any(u.log is not None for u in self.unknowns):
            return z[None, :][:0]
        found = []
        for count in PIECES:
            try:
                pieces = cut(self.whole, self.given, count)
            except TooShortError:
                break
            task = FitSearch(pieces, self.count, self.given)
            task.weights = self.weights
            own, complete = task.minimised(
                np.concatenate([z[: self.count], task.nominal[self.count :]])[None], held={}, enough=ROUGHLY
            )
            self.residuals.evaluations += pieces.evaluations
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

    def _freely(self, starts: Array, enough: float = ENOUGH) -> tuple[Array, bool]:
        """The best of all unknowns, outputs weighed by what their residuals are."""
        z, complete = self.minimised(starts, held={}, enough=enough)
        for _ in range(REWEIGHTED if len(self.weights) > 1 and complete else 0):
            if not self._reweighted(z):
                break
            z, complete = self.minimised(z[None], held={}, enough=enough)
        return z, complete

    def _cost(self, z: Array) -> float:
        r = self.residuals.fit(z).residuals[0] * self._row_weights
        return float(r @ r)

    def _spread(self) -> Array:
        fixed = [u.kind == "start" for u in self.unknowns]
        bounds = bounds_of(self.unknowns, {})
        return spread_starts(self.nominal, bounds, self.given.starts, self.given.seed, fixed)

    def _at(self, z: Array, held: Mapping[int, float]) -> Array:
        changed = z.copy()
        for i, value in held.items():
            changed[i] = value
        return changed

    def minimised(
        self, starts: Array, held: Mapping[int, float], *, enough: float = ENOUGH, until: float = 0.0,
        iterations: int = ITERATIONS,
    ) -> tuple[Array, bool]:  # fmt: skip
        what = f"{counted(len(self.residuals.experiments), 'recording')}, {counted(self.count, 'parameter')}"
        with shown(self.given.progress, what) as report:
            search, complete = minimise(
                self._weighted, starts, bounds_of(self.unknowns, held), possible=self.residuals.possible, report=report,
                enough=enough, until=until, iterations=iterations,
            )  # fmt: skip
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
        r = self.residuals.fit(z).residuals[0]
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
        return spread_starts(self.nominal, bounds_of(self.unknowns, {}), 6, 1, fixed)[1:]

    def _acts(self, unknown: Unknown) -> bool:
        """Whether it limits something that was not reached: that is a finding, and no mistake."""
        return any(word in unknown.of for word in LIMITS)

    # --- what it says ----------------------------------------------------------------------------------------------

    def _information(self, z: Array) -> Information:
        fits, w = self.residuals.fit(z), self._row_weights
        jacobian = fits.jacobian[0] * w[:, None]
        jacobian[:, list(self.limitless)] = 0.0
        scales = np.array([self._scale(i, z[i]) for i in range(len(z))])
        return information(fits.residuals[0] * w, jacobian, scales, range(self.count), self.residuals.rows)

    def _scale(self, i: int, value: float) -> float:
        return abs(value) if self.unknowns[i].lower > 0.0 else max(abs(value), NEAR_ZERO * self.unknowns[i].scale)

    def judged(self, z: Array, loose: Array) -> SearchResult:
        own, known = self._information(z), self.unknowns[: self.count]
        combinations = []
        advisor = Advisor(self._setting(z, own)) if len(loose) else None
        for direction in loose:
            names = {known[i].name: float(direction[i]) for i in np.flatnonzero(direction)}
            held = max(names, key=lambda n: abs(names[n]))
            combinations.append(Combination(names=tuple(names), direction=names, held=held, _advisor=advisor))
        vague = {int(i) for d in loose for i in np.flatnonzero(d)}
        shares = own.half_widths(held={int(np.argmax(np.abs(d))) for d in loose}, vague=vague)
        intervals = {}
        for i, u in enumerate(known):
            half = shares[i] * self._scale(i, z[i])
            intervals[u.name] = (float(max(z[i] - half, u.lower)), float(min(z[i] + half, u.upper)))
        ends = [u for i, u in enumerate(known) if i not in vague and self._at_bound(u, z[i])]
        return SearchResult(
            intervals=intervals, combinations=tuple(combinations), at_bounds=tuple(u.name for u in ends)
        )

    def _setting(self, z: Array, information: Information) -> Setting:
        residuals = self.residuals.fit(z).residuals[0]
        return Setting(
            residuals=self.residuals, z=z, scales=np.array([self._scale(i, x) for i, x in enumerate(z)]),
            information=information, deviation=float(np.std(residuals)),
        )  # fmt: skip

    def _at_bound(self, unknown: Unknown, value: float) -> bool:
        near = 1e-9 * unknown.scale
        return value - unknown.lower <= near or unknown.upper - value <= near
