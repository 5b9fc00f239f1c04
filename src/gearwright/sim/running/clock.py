"""The stepping clock: time, steps in short calls so that Ctrl-C takes effect in time, and listeners.

A call cannot be interrupted, and leaves every robot after the same number of steps (`Instance.clock`). Python raises
KeyboardInterrupt between calls, when all of them are done. What is computed does not depend on where a call ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from gearwright.errors import ModelError, SimulationError
from gearwright.given_numbers import number, whole
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state.batch_state import BatchState

LONGEST = 0.05  # [s] of one call: a quarter of the 0.2 s after which Ctrl-C is to be heard
FIRST = 20_000  # state entries in the first call: 10 ms at 0.5 µs each, more than any robot of the benchmark takes
GROWTH = 8  # from one call to the next at most
SHORT = 8  # times shorter than the pace: a call that is not measured, and from which nothing is learnt
MOST_STEPS = 2**53  # whole numbers up to here are exact in the clock


def checked(n: Any, made: int = 0, what: str = "n") -> int:
    """A number of steps that a caller gives; `made` steps have been made before."""
    count = whole(what, n, what="a whole number of steps", low=0)
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
        self._paused = 0.0  # [s] of the call in progress
        self.seconds = 0.0  # in calls that make steps, since the simulation was made

    def pause(self, seconds: float) -> None:
        """Time that the caller has spent on things other than steps, and in which Ctrl-C takes effect."""
        self._paused += seconds

    def calls(self, n: int, most: Callable[[], int] = lambda: MOST_STEPS) -> Iterator[tuple[int, int]]:
        """The first step and the number of steps of each call, `most()` at most; what the caller does between two of
        them counts, but for what it tells `pause`."""
        first = 0
        while first < n:
            count = min(self.steps, n - first, most())
            begun, self._paused = perf_counter(), 0.0
            yield first, count
            self.took(count, perf_counter() - begun - self._paused)
            first += count

    def took(self, count: int, seconds: float) -> None:
        """A call has made so many steps."""
        self.seconds += seconds
        fitting = int(count * LONGEST / max(seconds, 1e-9))
        if SHORT * count >= self.steps or fitting < self.steps:  # a short last call says little
            self.steps = max(1, min(fitting, GROWTH * self.steps))


class Listener(NamedTuple):
    """A function that is called with the clock: after every call of machine code, or after every so many steps."""

    function: Callable[[Clock], object]
    every: int | None


class Clock:
    """Time and steps of a simulation. `advance` makes steps with constant inputs.

    >>> import gearwright as gw
    >>> sim = gw.compile(gw.loads('<robot name="r"><link name="a"/></robot>'), dt=1e-3)
    >>> times = []
    >>> stop = sim.clock.listen(lambda clock: times.append(round(clock.time, 3)), every=2)
    >>> sim.clock.advance(5)
    >>> times
    [0.002, 0.004]
    >>> stop()
    """

    def __init__(self, state: BatchState, dt: float, failure: Callable[[int], SimulationError]) -> None:
        self.dt, self.start = dt, 0.0  # [s], [s]
        self._state, self._failure = state, failure
        self._counter = state.instance.clock
        self.pace = Pace(state.size * sum(state.parts.values()))
        self._listeners: list[Listener] = []
        self._calling = False
        self.one_step: Callable[[], bool] = state.instance.step  # False if a robot failed

    # --- time ------------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Steps made since the clock was set."""
        return self._counter.value

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.start + self._counter.value * self.dt

    def set(self, start: float, steps: int = 0) -> None:
        """So many steps after `start` [s]."""
        self.start, self._state.steps = start, steps

    def restart(self, time: float) -> None:
        """Counts from that time; a compiled controller is asked in the next step."""
        self.set(number("time", time, what="a finite number of seconds"))
        if self._state.has(StepSlot.CLOCK):
            self._state.set(StepSlot.CLOCK, [0.0, self.start])
            self._state.set(StepSlot.PHASE, 0.0)

    def take_from_state(self) -> None:
        """With a compiled controller, steps and time are part of the state."""
        if self._state.has(StepSlot.CLOCK):
            steps, start = self._state.get(StepSlot.CLOCK)[0].tolist()
            self.set(start, round(steps))

    # --- steps -----------------------------------------------------------------------------------------------------

    def advance(self, n: int = 1) -> None:
        """Makes n steps with constant inputs. Raises SimulationError if a robot fails."""
        if type(n) is int and 0 < n <= self.pace.steps and not self._listeners and not self._calling:
            self._advance_at_once(n)
            return
        steps = checked(n, self.steps)
        begun, failed, instance = self.steps, False, self._state.instance
        for first, count in self.chunks(steps):
            if count == steps:
                failed = not instance.step(steps)
            else:
                failed |= not instance.run_buffers(count, first=first, continues=failed)
            self.check(failed, begun, last=first + count == steps)

    def _advance_at_once(self, n: int) -> None:
        """In one call without listeners: the rest of `advance` would cost as much as ten steps of an arm."""
        begun, short = self._counter.value, SHORT * n < self.pace.steps
        before = 0.0 if short else perf_counter()
        if n > MOST_STEPS - begun:
            checked(n, begun)
        made = self._state.instance.step(n)
        if not short:
            self.pace.took(n, perf_counter() - before)
        if not made:
            raise self._failure(begun)

    def chunks(self, n: int, most: Callable[[], int] = lambda: MOST_STEPS) -> Iterator[tuple[int, int]]:
        """The first step and the number of steps of each call that makes n steps, `most()` in each. The caller makes
        them; listeners are called after each, and a chunk ends where one of them is due."""
        self._check_not_calling()
        for first, count in self.pace.calls(n, lambda: min(most(), self._until_due())):
            yield first, count
            self._notify()

    def check(self, failed: bool, begun: int, *, last: bool) -> None:
        """Raises after a call in which a robot failed. A single robot stops at once. Of several, the others go on to
        the end of what began at step `begun`."""
        if failed and (last or self._state.size == 1):
            raise self._failure(begun)

    def failure(self, begun: int) -> SimulationError:
        """The error to raise after calls that began at that step."""
        return self._failure(begun)

    # --- listeners -------------------------------------------------------------------------------------------------

    def listen(self, function: Callable[[Clock], object], every: int | None = None) -> Callable[[], None]:
        """Calls `function(clock)` after each call of machine code (0.05 s at most, and any number of steps), or with
        `every` whenever the number of steps is a multiple of it. Returns a function that stops these calls.

        The function may read the simulation and give commands, but must not step. An exception in it ends the run.
        """
        if every is not None:
            every = checked(every, what="every")
            if every < 1:
                raise ModelError("every is a whole number of steps, 1 or more, not 0")
        listener = Listener(function, every)
        self._listeners = [*self._listeners, listener]
        self.one_step = self._step_and_notify

        def stop() -> None:
            self._listeners = [other for other in self._listeners if other is not listener]
            if not self._listeners:
                self.one_step = self._state.instance.step

        return stop

    def _until_due(self) -> int:
        return min((o.every - self.steps % o.every for o in self._listeners if o.every is not None), default=MOST_STEPS)

    def _step_and_notify(self) -> bool:
        self._check_not_calling()
        begun = self.steps
        good = self._state.instance.step()
        if self.steps != begun:
            self._notify()
        return good

    def _notify(self) -> None:
        self._calling = True
        try:
            for listener in self._listeners:
                if listener.every is None or self.steps % listener.every == 0:
                    listener.function(self)
        finally:
            self._calling = False

    def _check_not_calling(self) -> None:
        if self._calling:
            raise ModelError("a listener of the clock cannot step the simulation that it listens to")
