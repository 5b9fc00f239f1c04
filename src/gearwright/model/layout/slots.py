"""The slots of a step that several layers use, one line each. Everything that anyone asks of a slot is on its line.

Dynamics fills slots; simulation, hardware and export read them. To add a state, add its line here: programs, resets,
retried substeps, error messages and the exported C header follow. Slots that live only between the stages of one step
are declared in `dynamics.steps.slots`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NewType

SlotName = NewType("SlotName", str)  # of a slot: not any text
Kind = Literal["state", "derived", "input", "parameter", "question"]


@dataclass(frozen=True, kw_only=True)
class SlotSizes:
    """Counts of a mechanism, in which the size of a slot is given."""

    positions: int  # independent
    velocities: int
    tree_positions: int
    tree_velocities: int
    force_laws: int
    rows: int
    drives: int
    actuators: int
    actuator_states: int
    friction_states: int
    loops: int  # loop-closing joints
    sensor: int  # readings and states
    one: int = 1


@dataclass(frozen=True, kw_only=True)
class SlotFacts:
    """One slot."""

    name: SlotName
    kind: Kind
    size: tuple[tuple[int, str], ...]  # multiples of fields of `SlotSizes`; empty if the equations decide
    unit: str  # of its numbers, as far as all of them have one
    start: str  # of a state after a reset: "0", the slot whose numbers it takes, or "" if whoever owns it says
    meaning: str  # a sentence
    retried: bool = False  # a substep that is given up restores it
    midpoint: bool = False  # only the midpoint step begins with it
    rates: bool = False  # velocities of the independent coordinates

    def elements(self, sizes: SlotSizes) -> int:
        return sum(count * int(getattr(sizes, what)) for count, what in self.size)

    @property
    def described(self) -> str:
        """Meaning and unit."""
        return f"{self.meaning} [{self.unit}]" if self.unit else self.meaning


SLOTS: dict[SlotName, SlotFacts] = {}


def _slot(name: str, kind: Kind, size: str, unit: str, start: str, flags: str, meaning: str) -> SlotName:
    """`size`: "positions", "2 velocities", "actuators + actuator_states", or "" if the equations decide."""
    terms = [term.rpartition(" ") for term in size.split(" + ") if term]
    facts = SlotFacts(
        name=SlotName(name), kind=kind, size=tuple((int(n or 1), what) for n, _, what in terms), unit=unit, start=start,
        meaning=meaning, **dict.fromkeys(flags.split(), True),
    )  # fmt: skip
    SLOTS[facts.name] = facts
    return facts.name


class StepSlot:
    """Names of the slots. The order is that of a simulation's state."""

    # fmt: off
    #                name          kind     size          unit    start  flags
    POSITION = _slot("position", "state", "positions", "rad, m", "", "retried", "independent positions")
    VELOCITY = _slot("velocity", "state", "velocities", "rad/s, m/s", "", "retried rates", "independent velocities")
    MEAN_VELOCITY = _slot("mean_velocity", "state", "velocities", "rad/s, m/s", "velocity", "retried midpoint rates",
        "mean velocities of the last step, from which the next ones are guessed")
    MISSED = _slot("missed", "state", "2 velocities", "rad/s, m/s", "0", "retried midpoint rates",
        "error of that guess in the last step, then in the one before")
    SMOOTH = _slot("smooth", "state", "one", "", "0", "retried midpoint",
        "steps without a kink, up to two: then the last two errors correct the guess")
    IMPULSE = _slot("impulse", "state", "rows", "N s, N m s", "0", "retried",
        "impulses of the last step, from which the solver starts")
    SEGMENT = _slot("segment", "state", "force_laws", "", "0", "retried",
        "segment that each force law was on at the end of the last step")
    SUBSTEPPING = _slot("substepping", "state", "3 one", "", "0", "midpoint",
        "substeps beside the first, steps since that number changed, and how many times as long as usual it stays")
    UNSETTLED = _slot("unsettled", "state", "one", "", "0", "", "number of steps that did not converge")
    OPENED = _slot("opened", "state", "loops", "", "0", "retried",
        "by loop-closing joint: number of steps, or substeps, that ended with its loop open")
    ACTUATOR = _slot("actuator", "state", "actuators + actuator_states", "", "", "retried",
        "efforts of the last step [N m, N], then the actuators' own states")
    FRICTION = _slot("friction", "state", "friction_states", "", "", "retried", "the frictions' own states")
    SENSOR = _slot("sensor", "state", "sensor", "", "", "", "readings, then the sensors' own states")
    PHASE = _slot("phase", "state", "", "", "0", "", "0 in a step that asks the controller")
    CLOCK = _slot("clock", "state", "", "", "0", "", "steps made, and the time that they are counted from [s]")
    CONTROL = _slot("control", "state", "", "", "", "", "the controller's commands, then its memory")
    MASS = _slot("mass", "derived", "", "", "", "", "mass matrix at the position, kept for the next step")
    FACTORS = _slot("factors", "derived", "", "", "", "", "its factors, kept for the next step")
    FRESH = _slot("fresh", "derived", "one", "", "", "midpoint",
        "set it to 0 after writing states or parameters: what follows from them is then computed again")
    EFFORT = _slot("effort", "input", "tree_velocities", "N m, N", "", "",
        "efforts from outside along the coordinates, held until changed")
    WRENCH = _slot("wrench", "input", "", "N, N m", "", "", "forces and torques on links, held until changed")
    COMMAND = _slot("command", "input", "actuators", "", "", "",
        "commands to the actuators, in the unit of each; held until changed")
    TARGET = _slot("target", "input", "2 drives", "rad, m, rad/s, m/s", "", "",
        "position and velocity that each drive is to reach, held until changed")
    PARAMETER = _slot("parameter", "parameter", "", "", "", "", "numbers of the robot that were made inputs")
    DT = _slot("dt", "parameter", "one", "s", "", "", "length of a step")

    # of questions about one state
    TREE_POSITION = _slot("tree_position", "question", "tree_positions", "rad, m", "", "",
        "positions of the tree's joints")
    TREE_VELOCITY = _slot("tree_velocity", "question", "tree_velocities", "rad/s, m/s", "", "", "their velocities")
    ACCELERATION = _slot("acceleration", "question", "velocities", "rad/s², m/s²", "", "", "independent accelerations")
    # fmt: on


def slots_that(are: str) -> tuple[SlotName, ...]:
    """Names of the slots with one of the flags of `SlotFacts`, in the order of the state."""
    return tuple(name for name, facts in SLOTS.items() if getattr(facts, are))


def in_state_order(names: Iterable[str]) -> list[SlotName]:
    """The names that are in the table, in its order."""
    given = set(names)
    return [name for name in SLOTS if name in given]
