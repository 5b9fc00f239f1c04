"""An environment as one program: from an action to what a policy observes, its reward, and new episodes.

    a period    push, hold the action; so many steps, with the command as late as it is
    its end     observation, reward, ended, cut; robots that begin anew are the ones `over`
    anew        state, parameters and goals of the robot's next start

One call of the program is one action of all robots. On a GPU this is one kernel: nothing leaves the device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from gearwright.compiler import Branch, Loop, Program, Slot, SlotKind, Stage
from gearwright.compiler.program import Node, stages_of
from gearwright.dynamics.algebra.scalar import Condition, Scalar, equal, expression, maximum, minimum, total, where
from gearwright.dynamics.sensing.noise import advanced, normals, uniform
from gearwright.dynamics.solve.conditions import as_number
from gearwright.errors import ModelError, UnknownNameError
from gearwright.learning.functions import Episode, Seen, Symbols, array, traced
from gearwright.learning.observations import FUNCTIONS
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.programs.programs import step_program
from gearwright.sim.recordings.signal_names import find, label
from gearwright.tracing import called

if TYPE_CHECKING:
    from gearwright.sim import Simulation

Function = Callable[..., Any]
LARGEST = {"double": 1e300, "single": 1e37}  # of a state; a robot that passes it diverges

# What a call does with a robot, in its slot ASKED.
STEP, LOOK, BEGIN = 0.0, 1.0, 2.0


class EnvironmentSlot:
    """Names of the slots that an environment adds to a step."""

    ACTION = "environment.action"  # input (m,)
    START = "environment.start"  # input: the robot's next start, as far as starts differ
    ASKED = "environment.asked"  # what the next call does
    AGE = "environment.age"  # actions in this episode
    CHANCE = "environment.chance"  # state of the generator
    GOAL = "environment.goal"
    ACTIONS = "environment.actions"  # the last ones, newest first
    LATE = "environment.late"  # steps from an action to the command, periods from a state to its observation
    SEEN = "environment.seen"  # observations without delay, newest first
    OBSERVATION, FINAL = "environment.observation", "environment.final_observation"
    REWARD, ENDED, CUT = "environment.reward", "environment.ended", "environment.cut"
    SUBSTEP = "environment.substep"
    NOW = "environment.now"  # scratch: observations without delay and noise
    GOING = "environment.going"  # 0 where a robot begins anew


E = EnvironmentSlot


@dataclass(frozen=True, kw_only=True)
class Rules:
    """An environment in numbers and functions."""

    observe: Sequence[Any]  # names, (function, name) pairs, or one function
    act: Sequence[str]
    low: Sequence[float]
    high: Sequence[float]
    normalized: bool  # actions from -1 to 1
    reward: Function | None  # None: Python has them
    done: Function | None
    steps: int  # of a period
    period: float  # [s]
    length: int  # periods of an episode
    autoreset: str
    goals: Sequence[str] = ()
    parameters: Sequence[str] = ()  # drawn for each episode
    latest_command: int = 0  # steps
    latest_observation: float = 0.0  # periods
    noise: Any = 0.0  # standard deviation of observations: a number, or one for each
    pushes: Mapping[int, tuple[float, float]] = field(default_factory=dict)  # by place among the velocities
    push_interval: float = inf  # [s] between two pushes, on average


class EnvironmentProgram:
    """Writes the program. `names` are those of the observations, `started` the slots that a start sets."""

    def __init__(self, sim: Simulation, rules: Rules) -> None:
        self.sim, self.rules = sim, rules
        self.step = step_program(sim.kernels.equations)
        self.symbols = Symbols(sim)
        varied = {StepSlot.COMMAND, StepSlot.TARGET} | ({StepSlot.PARAMETER} if rules.parameters else set())
        lasting = [s for s in self.step.slots if s.kind is SlotKind.STATE or s.name in varied]
        self.lasting = tuple(replace(s, kind=SlotKind.STATE) for s in lasting)
        self.started: dict[str, int] = {s.name: s.size for s in self.lasting}
        own = ((E.GOAL, len(rules.goals)), (E.LATE, 2 if rules.latest_command or rules.latest_observation else 0))
        self.started |= {name: n for name, n in own if n}
        self._own: dict[str, Slot] = {}
        m = len(rules.act)
        self._held = ceil(rules.latest_command / rules.steps) + 1  # actions that commands may come from
        self.action = self._slot(E.ACTION, m, SlotKind.INPUT)
        self.actions = self._slot(E.ACTIONS, m * max(2, self._held))
        self.asked, self.age = self._slot(E.ASKED, 1)[0], self._slot(E.AGE, 1)[0]
        self.chance = self._slot(E.CHANCE, 3)
        goals = self._slot(E.GOAL, len(rules.goals)) if rules.goals else []
        self.late = self._slot(E.LATE, 2) if E.LATE in self.started else []
        episode = Episode(
            self.age, self.actions[:m], self.actions[m : 2 * m], dict(zip(rules.goals, goals, strict=True))
        )
        self.seen = Seen(self.symbols, episode, rules.period)
        self.names, observed = self._observed()
        self.observed = observed
        self.depth = ceil(rules.latest_observation) + 1 if rules.latest_observation else 0

    def _slot(self, name: str, size: int, kind: SlotKind = SlotKind.STATE) -> list[Scalar]:
        self._own[name] = Slot(name=name, kind=kind, shape=(size,))
        return self.symbols.slot(name, size)

    # --- what a policy observes --------------------------------------------------------------------------------------

    def _observed(self) -> tuple[list[str], list[Scalar]]:
        names: list[str] = []
        values: list[Scalar] = []
        for one in self.rules.observe:
            if callable(one):
                (found,) = called(one, [self.seen], "observe")
                names += [f"observation{len(names) + i}" for i in range(len(found))]
                values += [expression(x) for x in found]
                continue
            name, function = one
            for signal in find(self.sim.schema, name):
                own = self.symbols.signal(signal, self.age * self.rules.period)
                values += [FUNCTIONS[function](x) if function else x for x in own]
                shown = f"{function}({label(signal)})" if function else label(signal)
                names += [shown] if len(own) == 1 else [f"{shown}[{i}]" for i in range(len(own))]
        if not names:
            raise ModelError("observe must name what a policy sees, such as ('knee.position', 'motor.velocity')")
        return names, values

    # --- the program -------------------------------------------------------------------------------------------------

    def program(self, constant: Mapping[str, Mapping[int, float]], drawn: Sequence[tuple[str, int]]) -> Program:
        """`drawn`: the elements of `started` slots that START holds, in its order; the others start at a constant."""
        body: list[Node] = [self._begin()]
        if self.rules.latest_command:
            body.append(Loop(self.rules.steps, (self._command(), *self.step.body)))
        else:
            body.append(Loop(self.rules.steps, self.step.body))
        seen = self.symbols.stage("observe", {E.NOW: self.observed})
        end, anew, again = self._end(), self._anew(constant, drawn), self._again()
        observe = (*self.symbols.observers(), seen)
        whole: tuple[Node, ...] = (
            Branch(E.ASKED, tuple(body)),
            *observe,
            *end,
            Branch(E.GOING, (anew, *observe, again)),
        )
        return Program(name="environment", slots=self._slots(whole), body=whole)

    def _begin(self) -> Stage:
        """Shifts the actions, and pushes the robot now and then."""
        rules, m = self.rules, len(self.rules.act)
        action = [minimum(maximum(a, -1.0), 1.0) if rules.normalized else a for a in self.action]
        if rules.normalized:
            action = [
                lo + (a + 1.0) * (0.5 * (hi - lo)) for a, lo, hi in zip(action, rules.low, rules.high, strict=True)
            ]
        else:
            action = [minimum(maximum(a, lo), hi) for a, lo, hi in zip(action, rules.low, rules.high, strict=True)]
        outputs: dict[str, list[Scalar]] = {E.ACTIONS: [*action, *self.actions[:-m]], E.AGE: [self.age + 1.0]}
        if rules.latest_command:
            outputs[E.SUBSTEP] = [0.0]
        else:
            outputs[StepSlot.COMMAND] = self._commanded(action)
        if rules.pushes:
            state = advanced(self.chance)
            pushed = uniform(state) < rules.period / rules.push_interval
            v = self._lasting(StepSlot.VELOCITY)
            for place, (low, high) in rules.pushes.items():
                state = advanced(state)
                v[place] = v[place] + where(pushed, low + (high - low) * uniform(state), 0.0)
            outputs |= {StepSlot.VELOCITY: v, E.CHANCE: state}
        return self.symbols.stage("begin", outputs)

    def _lasting(self, name: str) -> list[Scalar]:
        return list(self.symbols.slot(name, self.started[name]))

    def _commanded(self, action: Sequence[Scalar]) -> list[Scalar]:
        command = self._lasting(StepSlot.COMMAND)
        places = {name: i for i, name in enumerate(self.sim.robot.actuators)}
        for name, value in zip(self.rules.act, action, strict=True):
            command[places[name]] = value
        return command

    def _command(self) -> Stage:
        """The action of `late` steps ago, in each step."""
        substep = self.symbols.slot(E.SUBSTEP, 1)[0]
        m, late = len(self.rules.act), self.late[0]
        action = list(self.actions[(self._held - 1) * m : self._held * m])
        for k in reversed(range(self._held - 1)):
            there = substep + float(k * self.rules.steps) >= late
            action = [
                where(there, x, older) for x, older in zip(self.actions[k * m : (k + 1) * m], action, strict=True)
            ]
        return self.symbols.stage("command", {StepSlot.COMMAND: self._commanded(action), E.SUBSTEP: [substep + 1.0]})

    def _end(self) -> tuple[Stage, ...]:
        """After the steps: what is observed, and whether the episode goes on."""
        rules, symbols = self.rules, self.symbols
        stepped, begins = equal(self.asked, STEP), self.asked > 0.5 * (LOOK + BEGIN)
        now = symbols.slot(E.NOW, len(self.observed))
        before = self._observation()
        history, shown, chance = self._shown(now, anew=False)
        failed = self._failed()
        good = stepped & equal(failed, 0.0)
        self.seen.observation = array(now, (len(now),))
        action = self.actions[: len(rules.act)]
        reward = traced("reward", rules.reward, self.seen, action) if rules.reward else 0.0
        done: Scalar = traced("done", rules.done, self.seen, action) if rules.done else 0.0
        ended = as_number(stepped & (_is_true(failed) | _is_true(done)))
        cut = as_number(stepped & (self.age >= float(rules.length) - 0.5) & equal(ended, 0.0))
        anew = begins | (stepped & _is_true(failed))
        if rules.autoreset == "same_step":
            anew = anew | _is_true(ended) | _is_true(cut)
        asked = where(_is_true(ended) | _is_true(cut), BEGIN, STEP) if rules.autoreset == "next_step" else STEP
        final = [where(good, x, old) for x, old in zip(shown, before, strict=True)]
        outputs = {
            E.REWARD: [where(good, reward, 0.0)], E.ENDED: [ended], E.CUT: [cut], E.ASKED: [asked],
            E.OBSERVATION: final, E.FINAL: final, E.GOING: [1.0 - as_number(anew)],
            E.CHANCE: [where(stepped, x, old) for x, old in zip(chance, self.chance, strict=True)],
        }  # fmt: skip
        if history:
            kept = symbols.slot(E.SEEN, len(history))
            outputs[E.SEEN] = [where(stepped, x, old) for x, old in zip(history, kept, strict=True)]
        return (symbols.stage("end", outputs),)

    def _observation(self) -> list[Scalar]:
        return self._slot(E.OBSERVATION, len(self.observed))

    def _shown(self, now: list[Scalar], *, anew: bool) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Observations without delay, newest first; those that the policy gets; and the generator after them."""
        n, history, shown = len(now), list[Scalar](), now
        if self.depth:
            count = self.depth + 1
            old = self._slot(E.SEEN, n * count)
            history = [*now] * count if anew else [*now, *old[:-n]]
            late = self.late[1]
            weights = [maximum(0.0, 1.0 - abs(late - float(k))) for k in range(count)]  # linear between two
            shown = now if anew else [total(*(w * history[k * n + i] for k, w in enumerate(weights))) for i in range(n)]
        spread = self._spreads(n)
        noisy = [i for i, s in enumerate(spread) if s]
        drawn, chance = normals(len(noisy), self.chance)
        noise = dict(zip(noisy, drawn, strict=True))
        return history, [x + spread[i] * noise[i] if i in noise else x for i, x in enumerate(shown)], chance

    def _spreads(self, n: int) -> list[float]:
        noise = self.rules.noise
        if not isinstance(noise, Mapping):
            return [float(noise)] * n
        spread = dict.fromkeys(self.names, 0.0)
        for name, deviation in noise.items():
            labels = [name] if name in spread else [label(s) for s in find(self.sim.schema, name)]
            if unseen := [one for one in labels if one not in spread]:
                raise UnknownNameError("observation", unseen[0], self.names)
            spread |= dict.fromkeys(labels, float(deviation))
        return [spread[name] for name in self.names]

    def _failed(self) -> Scalar:
        """1 where a state is not finite, or beyond its bound."""
        largest = LARGEST[self.sim.options.precision]
        found: Condition = False
        for slot in self.lasting:
            if slot.kind is SlotKind.STATE and slot.name not in (StepSlot.COMMAND, StepSlot.TARGET, StepSlot.PARAMETER):
                for x in self._lasting(slot.name):
                    found = found | _is_true(1.0 - as_number(abs(x) <= min(slot.bound, largest)))
        return as_number(found)

    def _anew(self, constant: Mapping[str, Mapping[int, float]], drawn: Sequence[tuple[str, int]]) -> Stage:
        """A new episode where `going` is 0."""
        going = _is_true(self.symbols.slot(E.GOING, 1)[0])
        start = dict(zip(drawn, self._slot(E.START, max(1, len(drawn)), SlotKind.INPUT), strict=False))
        outputs: dict[str, list[Scalar]] = {}
        for name, size in self.started.items():
            old = self.symbols.slot(name, size)
            new = [start[name, i] if (name, i) in start else constant[name][i] for i in range(size)]
            outputs[name] = [where(going, x, y) for x, y in zip(old, new, strict=True)]
        if StepSlot.COMMAND in self.started:
            places = {name: i for i, name in enumerate(self.sim.robot.actuators)}
            command = [
                start.get((StepSlot.COMMAND, i), constant[StepSlot.COMMAND].get(i, 0.0)) for i in range(len(places))
            ]
            held = [command[places[name]] for name in self.rules.act] * (len(self.actions) // len(self.rules.act))
            outputs[E.ACTIONS] = [where(going, x, y) for x, y in zip(self.actions, held, strict=True)]
        outputs[E.AGE] = [where(going, self.age, 0.0)]
        if any(slot.name == StepSlot.FRESH for slot in self.step.slots):
            fresh = self.symbols.slot(StepSlot.FRESH, 1)[0]
            outputs[StepSlot.FRESH] = [where(going, fresh, 0.0)]
        return self.symbols.stage("anew", outputs)

    def _again(self) -> Stage:
        """The first observation of a new episode."""
        going = _is_true(self.symbols.slot(E.GOING, 1)[0])
        history, shown, chance = self._shown(self.symbols.slot(E.NOW, len(self.observed)), anew=True)
        kept = {E.OBSERVATION: (self._observation(), shown), E.CHANCE: (self.chance, chance)}
        if history:
            kept[E.SEEN] = (self.symbols.slot(E.SEEN, len(history)), history)
        return self.symbols.stage(
            "again",
            {name: [where(going, x, y) for x, y in zip(old, new, strict=True)] for name, (old, new) in kept.items()},
        )

    def _slots(self, body: tuple[Node, ...]) -> tuple[Slot, ...]:
        """Those of the step, with inputs that change become states; the environment's; and scratch between stages."""
        named = {s.name: s for s in (*self.step.slots, *self.lasting, *self._own.values())}
        outputs = {E.REWARD: 1, E.ENDED: 1, E.CUT: 1, E.FINAL: len(self.observed)}
        named |= {n: Slot(name=n, kind=SlotKind.OUTPUT, shape=(size,)) for n, size in outputs.items()}
        used = {a.slot for s in stages_of(body) for a in s.tape.reads() | s.tape.writes()}
        for name in sorted(used - named.keys()):
            size = self._size(name, body)
            fixed = {StepSlot.PARAMETER: SlotKind.PARAMETER, StepSlot.DT: SlotKind.PARAMETER}
            written = any(a.slot == name for s in stages_of(body) for a in s.tape.writes())
            kind = SlotKind.SCRATCH if written else fixed.get(name, SlotKind.INPUT)  # type: ignore[call-overload]
            named[name] = Slot(name=name, kind=kind, shape=(size,))
        return tuple(named.values())

    def _size(self, name: str, body: tuple[Node, ...]) -> int:
        places = (a.element for s in stages_of(body) for a in s.tape.reads() | s.tape.writes() if a.slot == name)
        known = self.symbols.slots[name].numel() if name in self.symbols.slots else 0
        return max(known, 1 + max(places))


def _is_true(x: Scalar) -> Condition:
    return x != 0.0 if isinstance(x, float) else expression(x) > 0.5
