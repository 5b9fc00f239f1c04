"""A ros2_control tag at work: commands and states of a simulated robot by interface name, in this process.

    robot = gw.with_servos(gw.load("robot.urdf"))      # something has to follow positions and velocities
    sim = gw.compile(robot)
    hw = sim.hardware("GazeboSystem")
    hw.write({"shoulder/position": 0.3})
    sim.step(n=10)
    hw["shoulder/position"], hw.read()

A joint has the states that its tag lists: those of a follower are `m·q + o` and `m·q̇`, and its effort is what its
coupling puts on it. Commands go through the tag's transmissions to the actuators, by the map from joints to actuators.
A joint follows one of its command interfaces at a time: the one that was written last, or claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError, counted
from gearwright.model import Hardware, Interface
from gearwright.model.hardware.servos import MODES, ActuatorGroup, Servo, actuator_groups
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.ros2_control.command_limiter import Actual, CommandLimiter
from gearwright.sim.state.current_maps import mapped
from gearwright.sim.state.given_values import constant
from gearwright.sim.state.values import Value, Values

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

MOTIONS = ("position", "velocity", "effort")
DRIVING = (*MOTIONS, "voltage")  # commands that move a joint; any other is a number that is kept


@dataclass(frozen=True, kw_only=True)
class InterfaceView:
    """One command or state of the tag, `component/name`."""

    component: str
    name: str
    minimum: float = -inf
    maximum: float = inf
    initial: float = nan  # what the file says it starts with; NaN where it does not
    data_type: str = "double"
    size: int = 1
    enable_limits: bool = True
    parameters: Mapping[str, str]

    @property
    def key(self) -> str:
        return f"{self.component}/{self.name}"


class HardwareInterface:
    """Reads and writes a simulation by the interfaces of one ros2_control tag. Made by `Simulation.hardware`."""

    def __init__(self, sim: Simulation, name: str, enforce_command_limits: bool = False) -> None:
        self.sim, self.name = sim, name
        tag = self._tag = sim.robot.hardware[name]
        self._limiters = (
            {j: CommandLimiter(limits, tag.soft_limits.get(j)) for j, limits in tag.limits.items()}
            if enforce_command_limits
            else {}
        )
        self._disabled = tag.is_mock and tag.is_on("disable_commands")
        self._groups = actuator_groups(sim.robot, tag)
        self._joints = {c.name for c in tag.joints}
        self.command_interfaces, self.state_interfaces = listed(tag)
        self._kept: dict[str, Value] = {}  # numbers that nothing in the simulation stands for
        self._given: dict[str, Value] = {}  # commands of joints, as they were written
        self._reads = {key: self._reader(view) for key, view in self.state_interfaces.items()}

    # --- states ----------------------------------------------------------------------------------------------------

    def __getitem__(self, key: str) -> Value:
        """A state as it is now: a float, or an array over the batch."""
        if key not in self._reads:
            raise UnknownNameError("state interface", key, self._reads)
        return self._reads[key]()

    def read(self) -> dict[str, Value]:
        """Every state, by name."""
        return {key: read() for key, read in self._reads.items()}

    @property
    def command(self) -> Mapping[str, Value]:
        """The last value of each command interface; NaN before the first."""
        views = self.command_interfaces
        return {key: self._given.get(key, self._kept.get(key, views[key].initial)) for key in views}

    def _reader(self, view: InterfaceView) -> Callable[[], Value]:
        sim, name = self.sim, view.component
        if name in self._joints and view.name in ("position", "velocity", "acceleration"):
            return lambda: getattr(sim, view.name)[name]
        if name in self._joints and view.name == "effort":
            return lambda: self._effort(name)
        if name in sim.sensor:
            own = self._sensor(view)
            return lambda: self._kept[view.key] if view.key in self._kept else own()  # a mock's command replaces it
        return lambda: self._kept.get(view.key, view.initial)

    def _sensor(self, view: InterfaceView) -> Callable[[], Value]:
        """The robot's own sensor of that name; of several numbers, the interfaces are in their order."""
        sim, name = self.sim, view.component
        own = [v.name for v in self.state_interfaces.values() if v.component == name]
        count = np.shape(sim.sensor[name])[-1] if name not in list(sim.sensor) else 1
        if len(own) != count:
            has = counted(len(own), "state interface")
            raise ModelError(f"sensor {name!r} reads {counted(count, 'number')}, but its tag has {has}")
        i = own.index(view.name)
        return lambda: sim.sensor[name] if count == 1 else sim.sensor[name][..., i]

    def _effort(self, joint: str) -> Value:
        """Efforts on the joint: those that are held, its actuators', and for a follower its coupling's."""
        sim = self.sim
        total = sim.effort[joint]
        group = self._groups[joint]
        if group.actuators and sim.layout.commanded:
            torques = _stacked([sim.actuator[a].torque for a in group.actuators])
            if group.map is not None:
                torques = self._mapped(group, "actuator_to_joint_effort", torques, at=self._at(group))
            here = [r.joint for r in group.joints].index(joint)
            total = total + torques[..., here if group.map is not None else 0]
        if joint in sim.options.drives:
            total = total + self._driven(joint)
        followers = {c.follower.joint: c.name for c in sim.robot.couplings.values()}
        if joint in followers:
            total = total + sim.coupling_effort[followers[joint]]
        return float(total) if np.ndim(total) == 0 else total

    def _driven(self, joint: str) -> Value:
        """Effort of a joint's drive in the last step: λ/dt of its row."""
        place = self.sim.kernels.facts.drive_places[joint]
        return self.sim.batch_state.slot(StepSlot.IMPULSE).reader(place)() / self.sim.dt

    def provide(self, values: Mapping[str, Any]) -> None:
        """Sets states that the simulation does not compute, such as a force sensor's or a gpio's input."""
        for key, value in values.items():
            view = self.state_interfaces[key]
            simulated = view.component in self._joints and view.name in (*MOTIONS, "acceleration")
            if simulated or view.component in self.sim.sensor:
                raise ModelError(f"{key!r} is read from the simulation: it cannot be set")
            self._kept[key] = constant(key, value, self.sim.batch)

    # --- commands --------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Resets the simulation to time 0, with joints at the initial values of their states and nothing claimed."""
        self.sim.reset(position=self._initial("position"), velocity=self._initial("velocity"))
        self._given.clear()
        self._kept.clear()
        for limiter in self._limiters.values():
            limiter.reset()

    def _initial(self, name: str) -> dict[str, float]:
        views = [v for v in self.state_interfaces.values() if v.name == name and v.component in self._joints]
        followers = {c.follower.joint for c in self.sim.robot.couplings.values()}  # theirs follow from the leaders'
        return {v.component: v.initial for v in views if v.initial == v.initial and v.component not in followers}

    def claim(self, *keys: str) -> None:
        """Makes joints follow these interfaces: positions keep their value, velocities and efforts are 0, until
        written.
        """
        self._follow(dict.fromkeys(keys))

    def write(self, values: Mapping[str, Any]) -> None:
        """Writes commands by interface name, limited to its min and max: numbers or arrays (B,), kept until changed.

        A joint follows the interface that was written last. Writing an interface also claims it.
        """
        if not isinstance(values, Mapping):
            raise ModelError(f"write takes a mapping from interfaces to values, not a {type(values).__name__}")
        checked: dict[str, Any] = {}
        for key, value in values.items():
            view = self.command_interfaces[key]
            number = constant(key, value, self.sim.batch)
            checked[key] = self._limited(_bounded(number, view), view)
        if not self._disabled:
            self._follow(checked)

    def _limited(self, value: Any, view: InterfaceView) -> Any:
        """As ros2_control's joint limiter holds it, where it was asked for."""
        limiter = self._limiters.get(view.component)
        if limiter is None or view.name not in (*MOTIONS, "acceleration"):
            return value
        states = (self._reads.get(f"{view.component}/{name}") for name in ("position", "velocity"))
        actual = Actual(*(None if read is None else read() for read in states))
        kept = limiter.enforce(view.name, value, actual, float(self.sim.time), self.sim.dt)
        return float(kept) if np.ndim(kept) == 0 else kept

    def _follow(self, commands: Mapping[str, Any]) -> None:
        moving: dict[ActuatorGroup, dict[str, str]] = {}  # group → joint → interface
        for key in commands:
            view = self.command_interfaces[key]
            if view.component in self._joints and view.name in DRIVING:
                chosen = moving.setdefault(self._groups[view.component], {})
                if chosen.setdefault(view.component, view.name) != view.name:
                    raise ModelError(f"{view.component!r} follows one interface at a time, not {key!r} as well")
        for group, chosen in moving.items():
            if len(set(chosen.values())) > 1:
                both = " and ".join(f"{j}/{i}" for j, i in chosen.items())
                raise ModelError(f"joints behind one transmission follow one kind of interface: not {both}")
            self._check(group, next(iter(chosen.values())), next(iter(chosen)))
        for key, value in commands.items():
            view = self.command_interfaces[key]
            if view.component not in self._joints or view.name not in DRIVING:
                self._keep(key, value)
        for group, chosen in moving.items():
            self._move(group, next(iter(chosen.values())), {j: commands[f"{j}/{i}"] for j, i in chosen.items()})

    def _keep(self, key: str, value: Any) -> None:
        if value is not None:
            self._kept[key] = value  # a state of the same name shows it

    def _check(self, group: ActuatorGroup, kind: str, joint: str) -> None:
        """Whether there is something that follows a kind of command."""
        if joint in self.sim.options.drives and kind != "effort":
            return
        takes = {n: self.sim.robot.actuators[n] for n in group.actuators}
        wrong = [n for n, a in takes.items() if a.command != kind and not (isinstance(a, Servo) and kind in MOTIONS)]
        if wrong:
            problem = f"actuator {wrong[0]!r} takes {takes[wrong[0]].command} commands, not {joint + '/' + kind!r}"
            raise ModelError(f"{problem}; gearwright.with_servos(robot) makes motors follow all kinds")
        if not takes and kind != "effort":
            raise ModelError(
                f"nothing on joint {joint!r} follows a {kind}: compile gearwright.with_servos(robot), "
                f"or give compile(drives={{{joint!r}: …}})"
            )

    def _move(self, group: ActuatorGroup, kind: str, commands: Mapping[str, Any]) -> None:
        sim = self.sim
        joint = next(iter(commands))
        names = [ref.joint for ref in group.joints]
        for name in names:  # an interface that is left is forgotten
            for other in DRIVING:
                if other != kind:
                    self._given.pop(f"{name}/{other}", None)
        each = {n: commands.get(n) for n in names}
        wanted = {n: self._start(n, kind) if x is None else x for n, x in each.items()}
        self._given |= {f"{n}/{kind}": wanted[n] for n in commands}
        if joint in sim.options.drives and kind != "effort":
            sim.drive(**{kind: {joint: wanted[joint]}})
        elif not group.actuators:
            sim.step(effort={joint: wanted[joint]}, n=0)
        else:
            a = _stacked([np.broadcast_to(wanted[n], np.shape(sim.position[n])) for n in names])
            if group.map is not None and kind in MOTIONS:  # a voltage is that of the motor with the joint's place
                more = {} if kind == "position" else {"at": self._at(group)}
                a = self._mapped(group, f"joint_to_actuator_{kind}", a, **more)
            for i, name in enumerate(group.actuators):
                if isinstance(sim.robot.actuators[name], Servo):
                    self._set_mode(name, kind)
                sim.step(command={name: a[..., i] if group.map is not None else a[..., 0]}, n=0)

    def _start(self, joint: str, kind: str) -> Value:
        """A command that has not been written: the one before, the file's initial value, or what changes nothing."""
        key = f"{joint}/{kind}"
        if key in self._given and self.claimed(joint) == kind:
            return self._given[key]
        if (
            key in self.command_interfaces
            and self.command_interfaces[key].initial == self.command_interfaces[key].initial
        ):
            return self.command_interfaces[key].initial
        return self.sim.position[joint] if kind == "position" else 0.0

    def claimed(self, joint: str) -> str | None:
        """The interface that a joint follows; None if it follows none."""
        group = self._groups[joint]
        modes = {self._mode(n) for n in group.actuators if isinstance(self.sim.robot.actuators[n], Servo)}
        if modes:
            mode = MODES[int(min(modes))]
            return None if mode == "idle" else mode
        return next((kind for kind in DRIVING if f"{joint}/{kind}" in self._given), None)

    def switch(self, start: Iterable[str] = (), stop: Iterable[str] = ()) -> None:
        """Switches controllers: interfaces that stop are released, those that start are claimed."""
        begun, ended = [self.command_interfaces[key] for key in start], [self.command_interfaces[key] for key in stop]
        left = [v.component for v in ended if v.component in self._joints and self.claimed(v.component) == v.name]
        if left:
            self.release(*left)
        for view in ended:
            if not (view.component in self._joints and view.name in DRIVING):
                self._kept.pop(view.key, None)
        if begun:
            self.claim(*(view.key for view in begun))

    def release(self, *joints: str) -> None:
        """Makes joints follow no interface; joints of one transmission are released together."""
        for group in {self._groups[j] for j in joints or self._groups}:
            for ref in group.joints:
                for kind in DRIVING:
                    self._given.pop(f"{ref.joint}/{kind}", None)
            for name in group.actuators:
                if isinstance(self.sim.robot.actuators[name], Servo):
                    self._set_mode(name, "idle")
                self.sim.step(command={name: 0.0}, n=0)
            if not group.actuators:
                self.sim.step(effort={group.joints[0].joint: 0.0}, n=0)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _at(self, group: ActuatorGroup) -> Any:
        return _stacked([self.sim.position[r.joint] for r in group.joints])

    def _mapped(self, group: ActuatorGroup, method: str, x: Any, **at: Any) -> Any:
        """Through the group's transmission, as its numbers are now."""
        return mapped(self.sim, self.sim.robot.acting[group.actuators[0]], method, x, **at)

    def _place(self, actuator: str) -> int:
        return self.sim.robot.layout.actuator[actuator]["mode"]

    def _mode(self, actuator: str) -> float:
        return float(self.sim.batch_state.instance.slot(StepSlot.ACTUATOR).column(self._place(actuator))[0, 0])

    def _set_mode(self, actuator: str, kind: str) -> None:
        self.sim.batch_state.fill(StepSlot.ACTUATOR, self._place(actuator), float(MODES.index(kind)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __repr__(self) -> str:
        return f"<hardware {self.name!r}: commands {', '.join(self.command_interfaces) or 'none'}>"


def listed(tag: Hardware) -> tuple[Values, Values]:
    """Command and state interfaces, by `component/name`."""
    commands = [_view(name, i) for name, i in tag.exported_commands]
    states = [_view(c.name, i) for c in tag.components for i in c.states]
    return _values("command interface", commands), _values("state interface", states)


def _values(kind: str, views: list[InterfaceView]) -> Values:
    return Values(kind, {v.key: (lambda v=v: v) for v in views}, {})  # type: ignore[misc]


def _view(component: str, interface: Interface) -> InterfaceView:
    try:
        return InterfaceView(
            component=component, name=interface.name, minimum=interface.minimum, maximum=interface.maximum,
            initial=interface.initial_value, data_type=interface.data_type, size=interface.size,
            enable_limits=interface.enable_limits, parameters=interface.parameters,
        )  # fmt: skip
    except ModelError as error:
        raise ModelError(f"{component}: {error}") from None


def _bounded(value: Any, view: InterfaceView) -> Any:
    if not view.enable_limits:
        return value
    bounded = np.clip(value, view.minimum, view.maximum)
    return float(bounded) if np.ndim(bounded) == 0 else bounded


def _stacked(values: list[Any]) -> Any:
    return np.stack([np.asarray(v, dtype=float) for v in values], axis=-1)
