"""`gw.identify`: numbers of a robot from recordings, by exact derivatives of its roll-outs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError, warn
from gearwright.given_names import checked_flag, checked_instance, checked_names
from gearwright.given_numbers import whole
from gearwright.identification.experiment import Columns, Experiment
from gearwright.identification.fit import Combination, Fit, Residual, with_delays
from gearwright.identification.least_squares import minimise
from gearwright.identification.log import Log, as_logs
from gearwright.identification.residuals import Residuals
from gearwright.identification.search import FitSearch, Given, bounds_of, cut, starts_of
from gearwright.identification.uncertainty import LOOSE
from gearwright.identification.unknowns import Unknown, sought
from gearwright.model import Mechanism
from gearwright.model.parameters import parameter_name
from gearwright.sim.compiling import compile as compiled
from gearwright.sim.derivatives.sensitivity import differentiable
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array


class InterruptedWarning(UserWarning):
    """The search was ended by Ctrl-C: the fit is the best so far."""


class UnexplainedWarning(UserWarning):
    """The fitted robot explains nothing of an output: often its unit or sign, or a command, is wrong."""


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
    """Fits parameters of a robot to recordings of it.

    Robots, recordings and parameters:

    robot       a mechanism or a file; or several by name, of which the one with the least error in `holdout` is chosen
    recordings  files, `gw.read_log` or recordings of `Simulation.run`; by rig ({"left": […], "right": […]}) if there
                are several robots of the same type
    parameters  names of `robot.parameters`, and of readings: `MOTOR.delay` of a command, `OUTPUT.offset`, `OUTPUT.gain`
                and `OUTPUT.delay`, such as "elbow.position.offset"; by model, if several are compared
    bounds      by parameter, (lowest, highest)
    individual  parameters that differ from rig to rig; the others are shared
    holdout     recordings that are not fitted, only predicted

    Columns of the recordings:

    signals     by column, the name for the robot: {"goal": "motor.command", "angle": "elbow.position"}. A column may be
                a number of an actuator that changes over time, such as its supply voltage
    units       by column, where the file does not say: {"angle": "deg"}
    outputs     signals that are compared; by default all positions, or else the sensors
    linear      commands that are interpolated between samples; others hold until the next sample

    The search:

    start       initial values, such as {"elbow.velocity": 0.0}, where the first samples do not give them
    fit_start   also fit the initial state of each recording, near its first samples; it is not part of the result
    segment     cut recordings into pieces of this length [s], each with an initial state of its own: for motions in
                which small errors grow fast
    starts      number of points within the bounds from which to search at once, by this `seed`; the best result is kept
    dt          step of the simulation [s]; `options` are others of `gearwright.compile`
    progress    show iterations on the error stream. Ctrl-C ends the search with the best fit so far

    `Fit.undetermined` names combinations of parameters that the data cannot tell apart; they are not guessed.
    """
    checked_flag("progress", progress)
    checked_flag("fit_start", fit_start)
    given = Given(
        recordings=recordings, bounds={} if bounds is None else bounds, holdout=holdout, signals=signals or {},
        units=units or {}, outputs=None if outputs is None else checked_names("outputs=", outputs),
        linear=frozenset(checked_names("linear=", linear)), individual=individual, start=start or {},
        fit_start=fit_start, segment=segment, starts=whole("starts", starts, high=4096),
        seed=whole("seed", seed, low=0), dt=dt, progress=progress, options=options,
    )  # fmt: skip
    if isinstance(robot, Mapping):
        return _best(robot, parameters, given)
    return _fitted(_loaded(robot), parameters, given)


def _loaded(robot: Any) -> Mechanism:
    if isinstance(robot, str | os.PathLike):
        from gearwright.formats import load

        return load(robot)
    checked_instance("the robot to identify", robot, Mechanism)
    found: Mechanism = robot
    return found


def _best(robots: Mapping[str, Any], parameters: Any, given: Given) -> Fit:
    """The candidate with the least error in recordings that are held back."""
    if given.holdout is None:
        raise ModelError("several models are compared on recordings that are not fitted: give holdout=…")
    if not robots:
        raise ModelError("no model was given to compare")
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


def _fitted(robot: Mechanism, names: Any, given: Given) -> Fit:
    begun = perf_counter()
    fitted, held_back, sim = _checked(robot, names, given)
    parameters = sought(sim, names, given.bounds, given.individual, [*fitted, *held_back])
    whole = Residuals(sim, fitted, (*parameters, *starts_of(sim, fitted, given)))
    task = FitSearch(whole if given.segment is None else cut(whole, given, None), len(parameters), given)
    task.whole = whole
    z, loose, complete = task.solved()
    found = task.judged(z, loose)
    if not complete:
        warn("interrupted: the fit is the best so far", InterruptedWarning)
    values = {u.name: float(z[i]) for i, u in enumerate(parameters)}
    fitted_residuals = _residuals(sim, fitted, parameters, z, given, held_back=False)
    for r in fitted_residuals:
        if np.mean((r.fitted - r.measured) ** 2) > np.var(r.measured):
            warn(
                f"{r.log}: the fit explains nothing of {r.output!r}, with an error of {r.error:.3g} {r.unit}: are its "
                "unit and sign right, and all commands there?",
                UnexplainedWarning,
            )
    return Fit(
        robot=_with(robot, parameters, z, None), values=values, units={u.name: u.unit for u in parameters},
        intervals=found.intervals, undetermined=found.combinations, at_bounds=found.at_bounds,
        residuals=(
            *fitted_residuals,
            *_residuals(sim, held_back, parameters, z, given, held_back=True),
        ),
        unpredictable=_unpredictable(sim, held_back, parameters, z, found.combinations, fitted_residuals),
        complete=complete, roll_outs=task.residuals.evaluations, seconds=perf_counter() - begun,
        rigs={rig: _with(robot, parameters, z, rig) for rig in _rigs(fitted)},
    )  # fmt: skip


def _checked(
    robot: Mechanism, names: Any, given: Given
) -> tuple[list[Experiment], list[Experiment], Simulation]:  # fmt: skip
    """Logs as experiments, and the robot compiled with all unknowns as inputs: every mistake is found here."""
    for option in ("batch", "parameters", "controller"):
        if option in given.options:
            raise ModelError(f"identify takes no {option}=")
    wanted = checked_names("parameters=", names)
    rigs = _by_rig(given.recordings)
    back = {} if given.holdout is None else _by_rig(given.holdout)
    for rig in back:
        if rig not in rigs:
            raise UnknownNameError("rig", rig, list(rigs))
    named = (parameter_name(robot, n) for n in (*wanted, *map(str, given.signals.values())))
    inputs = tuple(dict.fromkeys(n for n in named if n is not None))
    sim = differentiable(compiled(robot, dt=given.dt, **given.options), inputs)
    scaled = frozenset(name.rpartition(".")[0] for name in wanted if name.endswith((".gain", ".offset")))
    columns = Columns(
        sim=sim, signals=given.signals, units=given.units, outputs=given.outputs, linear=given.linear, scaled=scaled
    )
    each = []
    for group in (rigs, back):
        each.append([columns.experiment(log, rig, given.start) for rig, logs in group.items() for log in logs])
    return each[0], each[1], sim


def _by_rig(given: Any) -> dict[str, tuple[Log, ...]]:
    if isinstance(given, Mapping):
        found = {str(rig): as_logs(logs) for rig, logs in given.items()}
        if not found:
            raise ModelError("no recording was given: give at least one")
        return found
    return {"": as_logs(given)}


def _rigs(experiments: Sequence[Experiment]) -> list[str]:
    rigs = list(dict.fromkeys(e.rig for e in experiments))
    return rigs if len(rigs) > 1 else []


def _with(robot: Mechanism, unknowns: Sequence[Unknown], z: Array, rig: str | None) -> Mechanism:
    own = [(u, float(z[i])) for i, u in enumerate(unknowns) if u.rig in (None, rig)]
    changed = robot.with_parameters({u.of: x for u, x in own if u.kind == "robot"})
    return with_delays(changed, {u.of: x for u, x in own if u.kind == "delay"})


def _unpredictable(
    sim: Simulation, held_back: Sequence[Experiment], parameters: Sequence[Unknown], z: Array,
    combinations: Sequence[Combination], fitted: Sequence[Residual],
) -> dict[str, tuple[Combination, ...]]:  # fmt: skip
    """Held-back recordings that change by more than the error of the fit along what the fitted ones leave open."""
    if not held_back or not combinations:
        return {}
    own = Residuals(sim, held_back, tuple(parameters))
    z = z[: len(parameters)]
    J = own.at(z[None]).jacobian[0] * np.array([abs(x) or u.scale for x, u in zip(z, parameters, strict=True)])
    errors = {r.unit: [s.error for s in fitted if s.unit == r.unit] for r in fitted}
    found: dict[str, list[Combination]] = {}
    parts = zip(((e, o) for e in held_back for o in e.outputs), own.rows, strict=True)
    for (e, o), rows in parts:
        least = float(np.mean(errors.get(o.signal.unit, [np.inf])))
        for c in combinations:
            change = J[rows] @ np.array([c.direction.get(u.name, 0.0) for u in parameters])
            if LOOSE * float(np.abs(change).mean()) > least and c not in found.get(e.name, ()):
                found.setdefault(e.name, []).append(c)
    return {name: tuple(each) for name, each in found.items()}


def _residuals(
    sim: Simulation, experiments: Sequence[Experiment], parameters: Sequence[Unknown], z: Array, given: Given,
    *, held_back: bool,
) -> list[Residual]:  # fmt: skip
    """Whole recordings with the fitted numbers; where they begin is sought, and nothing else."""
    if not experiments:
        return []
    own = Residuals(sim, experiments, (*parameters, *starts_of(sim, experiments, given)))
    candidate = np.array([*z[: len(parameters)], *(u.value for u in own.unknowns[len(parameters) :])])
    bounds = bounds_of(own.unknowns, held=dict(enumerate(candidate[: len(parameters)])))
    search, _ = minimise(own.at, candidate[None], bounds, iterations=8)
    r = own.at(search.z[None], differentiated=False).residuals[0]
    return [
        Residual(log=e.name, output=o.name, unit=o.signal.unit, time=o.time, measured=o.values,
                 fitted=o.values + r[part], held_back=held_back)
        for (e, o), part in zip(((e, o) for e in experiments for o in e.outputs), own.rows, strict=True)
    ]  # fmt: skip
