"""The table of signals: every quantity that can be read by name, with its unit and the place where it lives.

Views of a simulation, ports, recordings, plots, the page, sweeps and policies read this table. To add a quantity, add
its row to `FAMILIES`; to add a single number, add its row to `SINGLE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gearwright.model.contacts.counts import point_count
from gearwright.model.layout.layout import coordinate_of
from gearwright.model.layout.slots import SlotName, StepSlot
from gearwright.sim.state.units import actuator_units, reading_units, state_units

if TYPE_CHECKING:
    from gearwright.model import Joint
    from gearwright.sim.state.layout import Layout

# --- where a number lives -------------------------------------------------------------------------------------------


class SlotElement(NamedTuple):
    """Elements of a slot, from this one on."""

    slot: str
    element: int

    @property
    def terms(self) -> tuple[Derived, ...]:
        """Derived quantities that it needs."""
        return ()


class Derived(NamedTuple):
    """Computed from slots: elements of a kernel's output, from this one on."""

    kernel: str
    output: str
    element: int

    @property
    def terms(self) -> tuple[Derived, ...]:
        return (self,)


class Total(NamedTuple):
    """A sum of derived quantities."""

    terms: tuple[Derived, ...]


Source = SlotElement | Derived | Total | None  # None: the time of a row, or numbers that a file holds


@dataclass(frozen=True, kw_only=True)
class Signal:
    """One quantity over time."""

    family: str  # position, velocity, …; "" for a quantity that there is one of
    name: str
    unit: str
    source: Source = None
    shape: tuple[int, ...] = ()  # of one instant of one robot
    stored: bool = True  # whether files hold it

    @property
    def key(self) -> tuple[str, str]:
        return self.family, self.name


TIME = Signal(family="", name="time", unit="s")

# --- families of signals ---------------------------------------------------------------------------------------------

Groups = Mapping[str, tuple[str, ...]]  # further names, each of several signals (or one: a second name)


class SignalPlace(NamedTuple):
    """One signal of a family."""

    name: str
    unit: str
    source: Source
    shape: tuple[int, ...] = ()
    state: str = ""  # of states: the rest of the family's name


@dataclass(frozen=True, kw_only=True)
class Family:
    """Signals of one quantity. Everything that anyone asks of them is in one row."""

    name: str
    of: str  # what its names are names of
    each: Callable[[Layout], Iterable[SignalPlace]]
    groups: Callable[[Layout], Groups] = lambda layout: {}
    stored: bool = True  # whether files hold it without being asked
    word: str = ""  # its name where another family has the same: `position` of a shaft; empty: the name itself
    title: str = ""  # of its panel in plots; empty: the word
    also: str = ""  # the family that the same view reads, and does not list
    unlike_loops: str = ""  # why joints that close loops do not have it

    def signals(self, layout: Layout) -> Iterator[Signal]:
        for p in self.each(layout):
            family = self.name + p.state
            yield Signal(family=family, name=p.name, unit=p.unit, source=p.source, shape=p.shape, stored=self.stored)


Each = Callable[["Layout"], Iterator[SignalPlace]]
Find = Callable[["Layout", int], Source]


def _derived(kernel: str, output: str) -> Find:
    return lambda layout, i: Derived(kernel, output, i)


def _state(slot: SlotName) -> Find:
    return lambda layout, i: SlotElement(slot, i)


def _input(slot: SlotName) -> Find:
    """A compiled controller's commands stand among its own numbers."""
    return lambda layout, i: SlotElement(*layout.place(slot, i))


def _motion(slot: SlotName) -> Each:
    """Independent positions or velocities stand in the state, those of followers are computed."""

    def each(layout: Layout) -> Iterator[SignalPlace]:
        group, free = layout.independent(slot)
        places = {i: n for n, i in enumerate(free)}
        for i, name in enumerate(group.names):
            source = SlotElement(slot, places[i]) if i in places else Derived("tree", f"tree_{slot}", i)
            yield SignalPlace(name, getattr(layout.units[name], slot), source)

    return each


def _along(quantity: str, find: Find) -> Each:
    """Along every velocity coordinate of the tree."""

    def each(layout: Layout) -> Iterator[SignalPlace]:
        for i, name in enumerate(layout.names.coordinates.names):
            yield SignalPlace(name, getattr(layout.units[name], quantity), find(layout, i))

    return each


def _joints(slot: SlotName) -> Callable[[Layout], Groups]:
    """Joints of several coordinates, or of none."""

    def groups(layout: Layout) -> Groups:
        group = layout.independent(slot)[0]
        return {joint: tuple(group.names[i] for i in own) for joint, own in group.joints.items()}

    return groups


def _loop_motion(slot: SlotName) -> Each:
    def each(layout: Layout) -> Iterator[SignalPlace]:
        for i, name in enumerate(name for j in layout.robot.tree.cuts for name in _coordinates(j, slot)):
            yield SignalPlace(name, getattr(layout.units[name], slot), Derived("cut_joints", f"cut_{slot}", i))

    return each


def _loop_joints(slot: SlotName) -> Callable[[Layout], Groups]:
    def groups(layout: Layout) -> Groups:
        each = {j.name: _coordinates(j, slot) for j in layout.robot.tree.cuts}
        return {joint: own for joint, own in each.items() if own != (joint,)}

    return groups


def _coordinates(joint: Joint, slot: SlotName) -> tuple[str, ...]:
    return joint.positions if slot == StepSlot.POSITION else joint.coordinates


def _actuators(quantity: str, find: Find) -> Each:
    """One number of every actuator; none where no actuator acts."""

    def each(layout: Layout) -> Iterator[SignalPlace]:
        for i, name in enumerate(layout.robot.actuators if layout.commanded else ()):
            yield SignalPlace(name, actuator_units(layout.robot, name)[quantity], find(layout, i))

    return each


def _actuator_states(layout: Layout) -> Iterator[SignalPlace]:
    for name, places in layout.robot.layout.actuator.items() if layout.commanded else ():
        units = state_units(layout.robot, name)
        for state, i in places.items():
            if state != "torque":
                yield SignalPlace(name, units.get(state, ""), SlotElement(StepSlot.ACTUATOR, i), state=state)


def _friction_states(layout: Layout) -> Iterator[SignalPlace]:
    """None where frictions do not act."""
    for name, f in layout.robot.layout.frictions.items() if StepSlot.FRICTION in layout.slots else ():
        for (state, i), unit in zip(f.places.items(), f.units, strict=True):
            yield SignalPlace(name, unit, SlotElement(StepSlot.FRICTION, i), state=state)


def _readings(layout: Layout) -> Iterator[SignalPlace]:
    sensing = layout.sensing
    units = reading_units(layout.robot, sensing.shown)
    for i, name in enumerate(sensing.readings):
        yield SignalPlace(name, units.get(name, "0/1"), SlotElement(StepSlot.SENSOR, i))  # marks are 0 or 1


def _sensors(layout: Layout) -> Groups:
    return {sensor: own for sensor, own in layout.sensing.shown.items() if own != (sensor,)}


def _couplings(quantity: str, find: Find) -> Each:
    """In the unit of the follower."""

    def each(layout: Layout) -> Iterator[SignalPlace]:
        for i, c in enumerate(layout.robot.couplings.ordered):
            follower = coordinate_of(layout.robot.joint(c.follower.joint), c.follower)
            yield SignalPlace(c.name, getattr(layout.units[follower], quantity), find(layout, i))

    return each


def _second_names(layout: Layout) -> Groups:
    """A coupling that has a name of its own answers to its follower's, too."""
    couplings = layout.robot.couplings
    return {
        c.alias: (couplings[c.alias].name,)
        for c in couplings.values()
        if c.alias is not None and c.alias not in {c.name for c in couplings.ordered}
    }


WRENCH = (*((f"f{x}", "N") for x in "xyz"), *((f"t{x}", "N·m") for x in "xyz"))


def _reactions(layout: Layout) -> Iterator[SignalPlace]:
    """Six signals per joint, `joint.fx` … `joint.tz`."""
    for i, joint in enumerate(layout.robot.layout.reacting):
        for k, (part, unit) in enumerate(WRENCH):
            yield SignalPlace(f"{joint}.{part}", unit, Derived("reaction", "reaction", 6 * i + k))


def _contact_forces(layout: Layout) -> Iterator[SignalPlace]:
    """Three signals per link that may touch, `link.x` … `link.z`."""
    for i, link in enumerate(_touching_links(layout)):
        for k, x in enumerate("xyz"):
            yield SignalPlace(f"{link}.{x}", "N", Derived("contact_force", "contact_force", 3 * i + k))


def _touching_links(layout: Layout) -> Groups:
    """None where contacts do not act."""
    links = layout.robot.touching_links if StepSlot.IMPULSE in layout.slots else ()
    return {link: tuple(f"{link}.{x}" for x in "xyz") for link in links}


def _contact_points(layout: Layout) -> tuple[str, ...]:
    """The pair of links of each point, `foot|ground`."""
    pairs = layout.robot.contacts
    return tuple("|".join(p.links) for p in pairs for _ in range(point_count(p.a.shape, p.b.shape)))


WIDTHS = {"link_pose": 12, "contacts": 14}  # numbers of a row; of other tables 6


def _tables(layout: Layout) -> Iterator[SignalPlace]:
    """Whole outputs of kernels. A pose is its rotation matrix row by row, and the origin."""
    for name, rows in _table_rows(layout).items():
        source = Derived("link_poses", "poses", 0) if name == "link_pose" else Derived(name, name, 0)
        yield SignalPlace(name, "", source, shape=(len(rows), WIDTHS.get(name, 6)))


def _table_rows(layout: Layout) -> Groups:
    """What each row of a table belongs to."""
    links = tuple(layout.robot.links)
    each = dict.fromkeys(("link_velocity", "link_acceleration", "link_pose"), links)
    points = {"contacts": _contact_points(layout)} if _touching_links(layout) else {}
    return {"reaction": layout.robot.layout.reacting, **each, **points}


KINETIC, POTENTIAL = Derived("energy", "kinetic", 0), Derived("energy", "potential", 0)
SINGLE: list[tuple[str, str, Source]] = [  # quantities that there is one of: name, unit, place
    ("energy", "J", Total((KINETIC, POTENTIAL))),
    ("kinetic_energy", "J", KINETIC),
    ("potential_energy", "J", POTENTIAL),
    ("unsettled", "", SlotElement(StepSlot.UNSETTLED, 0)),
]


def _single(layout: Layout) -> Iterator[SignalPlace]:
    for name, unit, source in SINGLE:
        there = not isinstance(source, SlotElement) or source.slot in layout.slots
        yield SignalPlace(name, unit, source if there else Total(()))


def _memory(layout: Layout) -> Iterator[SignalPlace]:
    """Of a compiled controller."""
    for name, i in layout.memory.items():
        yield SignalPlace(name, "", SlotElement(StepSlot.CONTROL, i))


STATE, FRICTION = "actuator.", "friction."  # families of states begin with them
Q, V = StepSlot.POSITION, StepSlot.VELOCITY
# fmt: off
_ROWS = (
    Family(name="position", of="joint", each=_motion(Q), groups=_joints(Q), also="loop_position"),
    Family(name="velocity", of="joint", each=_motion(V), groups=_joints(V), also="loop_velocity"),
    Family(name="effort", of="joint", each=_along("effort", _input(StepSlot.EFFORT)), groups=_joints(V),
        unlike_loops="it cannot be pushed; sim.reaction has the force and torque in it"),
    Family(name="acceleration", of="joint", each=_along("acceleration", _derived("observation", "tree_acceleration")),
        groups=_joints(V), stored=False,
        unlike_loops="its acceleration is not computed; sim.link_acceleration has those of its two links"),
    Family(name="command", of="actuator", each=_actuators("command", _input(StepSlot.COMMAND))),
    Family(name="torque", of="actuator", each=_actuators("torque", _state(StepSlot.ACTUATOR)), title="actuator effort"),
    Family(name="shaft_position", of="actuator", each=_actuators("position", _derived("shafts", "shaft_position")),
        word="position", title="actuator position"),
    Family(name="shaft_velocity", of="actuator", each=_actuators("velocity", _derived("shafts", "shaft_velocity")),
        word="velocity", title="actuator velocity"),
    Family(name=STATE, of="actuator", each=_actuator_states),
    Family(name=FRICTION, of="friction", each=_friction_states),
    Family(name="sensor", of="sensor", each=_readings, groups=_sensors, title="sensor reading"),
    Family(name="coupling_error", of="coupling", each=_couplings("position", _derived("tree", "coupling_error")),
        groups=_second_names),
    Family(name="coupling_effort", of="coupling", each=_couplings("effort", _derived("observation", "coupling_effort")),
        groups=_second_names, stored=False),
    Family(name="contact_force", of="link", each=_contact_forces, groups=_touching_links, title="contact force"),
    Family(name="reaction", of="joint", each=_reactions, stored=False),
    Family(name="", of="signal", each=_single),
    Family(name="loop_position", of="joint", each=_loop_motion(Q), groups=_loop_joints(Q), word="position"),
    Family(name="loop_velocity", of="joint", each=_loop_motion(V), groups=_loop_joints(V), word="velocity"),
    Family(name="table", of="table", each=_tables, groups=_table_rows, stored=False),
    Family(name="memory", of="memory", each=_memory, stored=False),
)
# fmt: on
FAMILIES: dict[str, Family] = {row.name: row for row in _ROWS}  # in the order of files


def family_of(name: str) -> Family | None:
    """The row of a family; None of a family that a file has and this table does not."""
    return FAMILIES.get(name) or FAMILIES.get(name.partition(".")[0] + ".")


def word(family: str) -> str:
    """A family as people name it: `position` of `shaft_position`, `current` of `actuator.current`."""
    row = family_of(family)
    return family if row is None else row.word or family.removeprefix(row.name) or family


def kind(family: str) -> str:
    """The kind of thing that has a quantity of this family; the family itself where that is not known."""
    row = family_of(family)
    return family if row is None else row.of


class FamilySignals(NamedTuple):
    """The signals of one family by name."""

    kind: str  # what the names are names of
    signals: Mapping[str, Signal]
    groups: Groups


class SignalTable:
    """The signals of a simulation by family, each made when it is first asked for."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._made: dict[str, tuple[Signal, ...]] = {}

    def __iter__(self) -> Iterator[Signal]:
        """All of them, in the order of files."""
        return (s for name in FAMILIES for s in self._of(name))

    def _of(self, family: str) -> Sequence[Signal]:
        if family not in self._made:
            self._made[family] = tuple(FAMILIES[family].signals(self._layout))
        return self._made[family]

    def family(self, name: str) -> FamilySignals:
        row = FAMILIES[name]
        return FamilySignals(row.of, {s.name: s for s in self._of(name)}, row.groups(self._layout))

    def of_kind(self, of: str) -> Iterator[Signal]:
        """The signals of all families whose names are of this kind."""
        return (s for name, row in FAMILIES.items() if row.of == of for s in self._of(name))
