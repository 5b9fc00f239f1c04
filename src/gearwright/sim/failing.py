"""A state that stops being finite: which number of which robot, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.errors import SimulationError
from gearwright.sim import controlled

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def failure(sim: Simulation, n: int) -> SimulationError:
    """Of the last n steps; the clock is set to the last good state of a single robot, or to the end for several."""
    failures = sim._instance.failures
    first = min(failures, key=lambda f: f.step)
    what = controlled.not_finite(sim, first.robot) or _entry(sim, first.address.slot, first.address.element)
    step = sim._steps + first.step + 1
    sim._steps += first.step if sim.batch == 1 else n
    which = "" if sim.batch == 1 else f" of robot {first.robot}"
    others = f" ({len(failures)} robots failed)" if len(failures) > 1 else ""
    return SimulationError(
        f"the {what}{which} is not finite after step {step}, "
        f"at {sim._start + step * sim.dt:.6g} s{others}; the last good state is kept"
    )


def _entry(sim: Simulation, part: str, element: int) -> str:
    """What an entry of the state is."""
    if part in ("position", "velocity"):
        return sim._names.state[element + (len(sim._names.free_positions) if part == "velocity" else 0)]
    if part == "impulse":
        return f"impulse of {sim._kernels.equations.rows[element]!r}"
    if part == "actuator":
        places = sim._devices.memory.items()
        return next(f"{what} of {name!r}" for name, own in places for what, i in own.items() if i == element)
    if part == "control":
        return controlled.described(sim, element)
    sensing = sim._devices.sensing
    return f"reading or state of sensor {(*sensing.readings, *sensing.state)[element]!r}"
