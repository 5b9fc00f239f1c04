"""`gw.excite`: a trajectory that tells parameters apart, within limits.

    q(t) = q₀ + Σ aₖ·sin(k·ω·t) + bₖ·cos(k·ω·t)         a Fourier series over the duration (Swevers and others 1997)

Of many such trajectories within the limits, the one counts that gives the most information: the largest determinant of
JᵀJ, with J the derivatives of the outputs by the parameters, in shares of their sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.errors import ModelError, SimulationError, UnknownNameError
from gearwright.given_names import checked_instance, checked_names
from gearwright.given_numbers import number, whole
from gearwright.model import Mechanism
from gearwright.sim.compiling import compile as compiled
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array

HARMONICS = 5
TRIED = 24  # trajectories
CANNOT = -1e300  # the score of one that breaks a limit


@dataclass(frozen=True, kw_only=True)
class Excitation:
    """A trajectory of commands, and how well it tells the parameters apart."""

    time: Array  # (n,) [s], of the steps
    command: Mapping[str, Array]  # by actuator, (n,): what `Simulation.run(command=…)` takes
    deviation: Mapping[str, float]  # by parameter, in shares of its size, for errors of 0.001 in each sample
    condition: float  # of the information: 1 is best

    def __repr__(self) -> str:
        return f"<Excitation of {', '.join(self.command)} for {self.time[-1]:.3g} s, condition {self.condition:.3g}>"


def excite(
    robot: Mechanism, parameters: Any, duration: float, *, outputs: Any = None, amplitude: Mapping[str, float],
    harmonics: int = HARMONICS, tried: int = TRIED, seed: int = 0, dt: float = 1e-3, **options: Any,
) -> Excitation:  # fmt: skip
    """Designs commands that tell parameters apart, within amplitudes and the limits of the joints.

    parameters  to be identified
    duration    of the trajectory [s], which begins and ends at rest
    amplitude   by actuator: the largest command, in its unit
    outputs     signals that will be recorded; by default all positions
    harmonics   of the Fourier series
    tried       number of random trajectories to compare, by this `seed`

    The robot is simulated with its present parameters, so that positions and speeds stay within the joints' limits.
    """
    checked_instance("the robot to excite", robot, Mechanism)
    names = checked_names("parameters=", parameters)
    if not isinstance(amplitude, Mapping) or not amplitude:
        raise ModelError("give the largest command of at least one actuator: amplitude={'motor': …}")
    for actuator, value in amplitude.items():
        if actuator not in robot.actuators:
            raise UnknownNameError("actuator", str(actuator), list(robot.actuators))
        number(f"the amplitude of {actuator!r}", value, low=0.0)
    seconds = number("duration", duration, what="a time in seconds", low=10 * dt)
    sim = compiled(robot, dt=dt, **options)
    observed = checked_names("outputs=", outputs) if outputs is not None else _positions(sim)
    rng, best = np.random.default_rng(whole("seed", seed, low=0)), None
    for _ in range(whole("tried", tried)):
        command = _series(rng, seconds, dt, amplitude, whole("harmonics", harmonics))
        found = _judged(sim, names, observed, seconds, command)
        if best is None or found[0] > best[0]:
            best = (*found, command)
    assert best is not None
    score, spread, condition, command = best
    if score <= CANNOT:
        raise ModelError("every trajectory that was tried leaves the limits of a joint: give smaller amplitudes")
    return Excitation(
        time=dt * np.arange(round(seconds / dt)), command=command, condition=condition,
        deviation=dict(zip(names, spread.tolist(), strict=True)),
    )  # fmt: skip


def _positions(sim: Simulation) -> tuple[str, ...]:
    return tuple(f"{name}.position" for name in sim.independent)


def _series(
    rng: np.random.Generator, duration: float, dt: float, amplitude: Mapping[str, float], harmonics: int
) -> dict[str, Array]:
    """Random coefficients; the first and last tenth fade in and out."""
    n = round(duration / dt)
    phase = 2 * np.pi * np.outer(np.arange(1, harmonics + 1), np.arange(n) / n)
    fade = np.clip(10 * np.minimum(np.arange(n), n - 1 - np.arange(n)) / n, 0.0, 1.0)
    found = {}
    for actuator, largest in amplitude.items():
        a, b = rng.normal(size=(2, harmonics))
        wave = (a @ np.sin(phase) + b @ np.cos(phase)) * fade**2 * (3 - 2 * fade)
        found[actuator] = largest * rng.uniform(0.5, 1.0) * wave / np.abs(wave).max()
    return found


def _judged(
    sim: Simulation, names: tuple[str, ...], outputs: tuple[str, ...], duration: float, command: Mapping[str, Array]
) -> tuple[float, Array, float]:
    """The logarithm of the determinant, the deviation of each parameter, the condition."""
    nothing = np.full(len(names), np.inf)
    every = max(1, round(duration / sim.dt / 500))
    limited = [n for n in sim.independent if n in sim.layout.names.positions.index]
    watched = tuple(dict.fromkeys((*outputs, *(f"{n}.position" for n in limited))))
    try:
        found = sim.sensitivity(duration, outputs=watched, parameters=names, command=command, every=every)
    except SimulationError:
        return CANNOT, nothing, np.inf
    lower, upper = sim.layout.ranges
    for name in limited:
        i, q = sim.layout.names.positions.index[name], found.values[f"{name}.position"]
        if q.min() < lower[i] or q.max() > upper[i]:
            return CANNOT, nothing, np.inf
    sizes = np.array([abs(sim.robot.parameters[n].value) or 0.1 for n in names])
    J = found.matrix[:, : len(outputs)].reshape(-1, len(names)) * sizes
    values = np.linalg.eigvalsh(J.T @ J)
    spread = 1e-3 * np.sqrt(np.maximum(np.diag(np.linalg.pinv(J.T @ J, hermitian=True)), 0.0))
    condition = float(np.sqrt(values[-1] / values[0])) if values[0] > 0 else np.inf
    return float(np.log(np.maximum(values, 1e-300)).sum()), spread, condition
