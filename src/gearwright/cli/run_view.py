"""`gearwright run FILE --view`: the page on a running simulation, until Ctrl-C."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from gearwright.errors import BeyondLimitsWarning, GearwrightError, NotSimulatedWarning, UnsettledWarning

if TYPE_CHECKING:
    from gearwright.display.runs import Outcome
    from gearwright.model import Mechanism
    from gearwright.sim import Simulation


class Watched(NamedTuple):
    """How long it plays, and where."""

    duration: float | None  # [s]; None: for ever
    every: int
    out: str | None
    port: int | None
    path: tuple[str, ...]  # where meshes are looked for


def watched(robot: Mechanism, options: dict[str, Any], numbers: dict[str, Any], wanted: Watched) -> Outcome:
    """Plays from the start that the command line gives; the figures of what was simulated."""
    from gearwright.page.subject import compiled

    if options.pop("batch", 1) != 1:
        raise GearwrightError("--view shows one robot: leave out --batch")
    started = perf_counter()
    with warnings.catch_warnings():
        for kind in (NotSimulatedWarning, BeyondLimitsWarning, UnsettledWarning):  # the page and the summary list them
            warnings.simplefilter("ignore", kind)
        sim = compiled(robot, options)
        compile_s = perf_counter() - started
        sim.reset(position=numbers["position"], velocity=numbers["velocity"])
        sim.step(command=numbers["command"] or None, effort=numbers["effort"], n=0)  # names are checked here
        return _played(sim, numbers, wanted, compile_s)


def _played(sim: Simulation, numbers: dict[str, Any], wanted: Watched, compile_s: float) -> Outcome:
    from gearwright.display.runs import Outcome
    from gearwright.page import Page
    from gearwright.sim.recorder.step_recorder import StepRecorder

    before, stepping, started = sim.energy, sim.clock.pace.seconds, perf_counter()
    with ExitStack() as stack:
        page = Page(sim, port=wanted.port, search_path=wanted.path)
        player = page.player
        if wanted.out is not None:
            recorder = StepRecorder(sim, wanted.out, wanted.every)
            stack.callback(recorder.close)
            player.stepped = recorder.keep
        player.command, player.effort = dict(numbers["command"]), dict(numbers["effort"])
        if wanted.duration is not None:
            player.ends_at = sim.time + wanted.duration
        player.playing = True
        page.wait()
    errors = {name: abs(float(error)) for name, error in sim.coupling_error.items()}
    wall = perf_counter() - started
    times = {"compile_s": compile_s, "wall_s": wall, "stepping_s": sim.clock.pace.seconds - stepping}
    files = [wanted.out] if wanted.out is not None else []
    return Outcome.of(sim, errors, before, round(sim.time / sim.dt), times, files=files)
