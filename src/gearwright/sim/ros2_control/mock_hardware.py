"""`mock_components/GenericSystem` of ros2_control: commands become states, without a mechanism in between.

    hw = gw.MockHardware(robot)
    hw.write({"shoulder/position": 0.3})
    hw.update(0.01)                        # a cycle of the controller manager [s]
    hw.read()["shoulder/position"]         # 0.3, and the offset of `position_state_following_offset`

Parameters of the plugin: `calculate_dynamics`, `disable_commands`, `mock_sensor_commands`, `mock_gpio_commands`,
`position_state_following_offset`, `custom_interface_with_following_offset`, and `initial_value` of a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, isnan, nan
from typing import Any

from gearwright.errors import ModelError
from gearwright.model import Hardware, Mechanism
from gearwright.sim.ros2_control.hardware_interfaces import listed

STANDARD = ("position", "velocity", "acceleration", "effort")  # 0 before the first command, not NaN
INTEGRATED = STANDARD[:3]  # with `calculate_dynamics` one of them leads, and the others are its derivatives


class MockHardware:
    """One tag with the behaviour of ros2_control's mock. If a robot has only one tag, its name is optional."""

    def __init__(self, robot: Mechanism, name: str | None = None) -> None:
        known = list(robot.hardware)
        if name is None and len(known) != 1:
            raise ModelError(f"name the hardware; the robot has {', '.join(map(repr, known)) or 'none'}")
        tag = self.tag = robot.hardware[known[0] if name is None else name]
        self.name = tag.name
        self.command_interfaces, self.state_interfaces = listed(tag)
        self._offset = _offset(tag)
        self._custom = tag.parameters.get("custom_interface_with_following_offset", "").strip()
        self._dynamic = tag.is_on("calculate_dynamics")
        self._joints = tuple(c.name for c in tag.joints)
        self.reset()

    def reset(self) -> None:
        """Restores initial values without commands, as after activation; joints follow their position interfaces."""
        self._state = {f"{j}/{name}": 0.0 for j in self._joints for name in STANDARD}
        for key, view in self.state_interfaces.items():
            joint = view.component in self._joints and view.name in STANDARD
            self._state[key] = 0.0 if joint and isnan(view.initial) else view.initial
        self._command = dict.fromkeys(self.command_interfaces, nan)
        self._leads = dict.fromkeys(self._joints, "position")

    # --- interfaces ---------------------------------------------------------------------------------------------

    def __getitem__(self, key: str) -> float:
        return self._state[self.state_interfaces[key].key]

    def read(self) -> dict[str, float]:
        """Every state, by name, as of the last `update`."""
        return {key: self._state[key] for key in self.state_interfaces}

    @property
    def command(self) -> Mapping[str, float]:
        """The last value of each command interface; NaN before the first."""
        return dict(self._command)

    def write(self, values: Mapping[str, Any]) -> None:
        """Commands by interface name, kept until changed; a joint follows the interface that was written last."""
        if not isinstance(values, Mapping):
            raise ModelError(f"write takes a mapping from interfaces to values, not a {type(values).__name__}")
        checked: dict[str, float] = {}
        for key, value in values.items():
            view = self.command_interfaces[key]
            if isinstance(value, bool | str) or not isfinite(float(value)):
                raise ModelError(f"command {key!r} must be a finite number, not {value!r:.60}")
            checked[view.key] = float(value)
        self._command |= checked
        self.claim(*checked)

    def claim(self, *keys: str) -> None:
        """Makes joints follow these interfaces from now on."""
        for key in keys:
            view = self.command_interfaces[key]
            if view.component in self._joints and view.name in INTEGRATED:
                self._leads[view.component] = view.name

    def switch(self, start: Iterable[str] = (), stop: Iterable[str] = ()) -> None:
        """Switches controllers: the commands of those that stop are discarded."""
        for key in (*stop, *start):
            self._command[self.command_interfaces[key].key] = nan
        self.claim(*start)

    # --- a cycle ------------------------------------------------------------------------------------------------

    def update(self, period: float) -> None:
        """Makes one cycle of `period` seconds: the `read` of the mock."""
        if not period > 0.0:
            raise ModelError(f"a period must be positive, not {period}")
        if self.tag.is_on("disable_commands"):
            return
        for joint in self._joints:
            if self._dynamic:
                self._integrate(joint, period)
            else:
                self._mirror(f"{joint}/position", self._shift)
        for key in self.command_interfaces:
            joint, _, name = key.rpartition("/")
            moves = joint in self._joints and name in (INTEGRATED if self._dynamic else STANDARD[:1])
            if not moves and key in self._state:
                self._mirror(key)
        self._follow()

    @property
    def _shift(self) -> float:
        """The offset of positions; a custom interface takes it instead, where there is one."""
        return 0.0 if self._custom else self._offset

    def _mirror(self, key: str, offset: float = 0.0) -> None:
        value = self._command.get(key, nan)
        if not isnan(value):
            self._state[key] = value + offset

    def _integrate(self, joint: str, period: float) -> None:
        """The leading interface takes its command; those above are integrated before, those below differentiated."""
        position, velocity, acceleration = (f"{joint}/{name}" for name in INTEGRATED)
        s, lead = self._state, self._leads[joint]
        command = self._command.get(f"{joint}/{lead}", nan)
        if lead == "position":
            if not isnan(command):
                before = s[position], s[velocity]
                s[position] = command + self._shift
                s[velocity] = (s[position] - before[0]) / period
                s[acceleration] = (s[velocity] - before[1]) / period
            return
        s[position] += s[velocity] * period + self._shift
        if lead == "acceleration":
            s[velocity] += s[acceleration] * period
            s[acceleration] = s[acceleration] if isnan(command) else command
        elif not isnan(command):
            s[acceleration] = (command - s[velocity]) / period
            s[velocity] = command

    def _follow(self) -> None:
        for m in self.tag.mimic_joints:
            for name in STANDARD:
                offset = m.offset if name == "position" else 0.0
                self._state[f"{m.joint}/{name}"] = offset + m.multiplier * self._state[f"{m.leader}/{name}"]
        for joint in self._joints if self._custom else ():
            command = self._command.get(f"{joint}/position", nan)
            if f"{joint}/{self._custom}" in self.state_interfaces and not isnan(command):
                self._state[f"{joint}/{self._custom}"] = command + self._offset

    def __repr__(self) -> str:
        return f"<mock hardware {self.name!r}: commands {', '.join(self.command_interfaces) or 'none'}>"


def _offset(tag: Hardware) -> float:
    name = "position_state_following_offset"
    text = tag.parameters.get(name, "").strip()
    try:
        value = float(text) if text else 0.0
    except ValueError:
        value = nan
    if not isfinite(value):
        raise ModelError(f"ros2_control tag {tag.name!r}: {name} must be a number, not {text!r:.60}")
    return value
