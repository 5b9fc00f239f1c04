"""Many steps as a row of short calls, so that Ctrl-C is heard in time.

A call cannot be interrupted, and leaves every robot after the same number of steps (`Instance.clock`). Python raises
KeyboardInterrupt between calls, when all of them are done. What is computed does not depend on where a call ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gearwright.compiler import Buffer
from gearwright.errors import ModelError, SimulationError
from gearwright.sim.failing import failure

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

LONGEST = 0.05  # [s] of one call: a quarter of the 0.2 s after which Ctrl-C is to be heard
FIRST = 20_000  # state entries in the first call: 10 ms at 0.5 µs each, more than any robot of the benchmark takes
GROWTH = 8  # from one call to the next at most
MOST_STEPS = 2**53  # whole numbers up to here are exact in the clock


def checked(n: Any, made: int = 0, what: str = "n") -> int:
    """A number of steps that a caller gives; `made` steps have been made before."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise ModelError(f"{what} is a whole number of steps, not {n!r:.60}")
    count: int = n.__index__()
    if count < 0:
        raise ModelError(f"{what} is a number of steps, 0 or more, not {_shown(count)}")
    if count > MOST_STEPS - made:
        before = f" and {made} made before" if made else ""
        raise ModelError(f"{what} is {_shown(count)} steps{before}: the clock counts {MOST_STEPS} (2**53) at most")
    return count


def _shown(n: int) -> str:
    return str(n) if abs(n) < 10**20 else f"{'-' * (n < 0)}2**{abs(n).bit_length() - 1} or more"


class Pace:
    """How many steps a simulation makes in `LONGEST`, measured as it goes."""

    def __init__(self, entries: int) -> None:
        self.steps = max(1, FIRST // max(1, entries))

    def calls(self, n: int) -> Iterator[tuple[int, int]]:
        """The first step and the number of steps of each call; what the caller does between two of them counts."""
        first = 0
        while first < n:
            count = min(self.steps, n - first)
            begun = perf_counter()
            yield first, count
            self._adapt(count, perf_counter() - begun)
            first += count

    def _adapt(self, count: int, seconds: float) -> None:
        fitting = int(count * LONGEST / max(seconds, 1e-9))
        if count == self.steps or fitting < self.steps:  # a short last call says little
            self.steps = max(1, min(fitting, GROWTH * self.steps))


def step(sim: Simulation, given: Mapping[str, Any], n: Any) -> None:
    """See `Simulation.step`; inputs by slot."""
    command = given["command"]
    if command is not None and not isinstance(command, Mapping):
        raise ModelError(f"command maps actuators to values; for {command!r} steps write step(n={command!r})")
    begun, held = sim._steps, sim._inputs
    before: list[tuple[str, Any]] = []
    try:
        for slot, values in given.items():
            if values is not None:
                if slot in held:
                    flat = sim._flat[slot]
                    before.append((slot, held[slot].copy() if flat is None else flat.copy()))
                sim._hold(slot, values)
        if type(n) is not int or n != 1:
            advance(sim, checked(n, begun))
        else:
            sim._version += 1
            if not sim._advance():
                raise failure(sim, begun)
    except BaseException:
        if sim._steps == begun:  # no step was made with what was given
            for slot, old in before:
                held[slot].copy_from(old) if isinstance(old, Buffer) else held[slot].assign(old)
        raise


def advance(sim: Simulation, n: int) -> None:
    """n steps with all inputs held. Raises SimulationError if a robot fails."""
    begun, failed = sim._steps, False
    for first, count in sim._pace.calls(n):
        sim._version += 1
        if count == n:
            failed = not sim._instance.step(n)
        else:
            failed |= not sim._instance.run_buffers(count, first=first, continues=failed)
        if error := stopped(sim, failed, begun, last=first + count == n):
            raise error


def stopped(sim: Simulation, failed: bool, begun: int, *, last: bool) -> SimulationError | None:
    """Why a run that began at that step ends after this call, if a robot failed.

    A single robot stops at once. Of several, the others go on to the end.
    """
    return failure(sim, begun) if failed and (last or sim.batch == 1) else None
