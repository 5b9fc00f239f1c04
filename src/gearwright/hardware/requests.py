"""Requests of JSON Lines: one key, one row."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any

from gearwright.errors import ModelError, UnknownNameError
from gearwright.hardware.pacing import LONGEST_TURN
from gearwright.hardware.setpoints import Torque
from gearwright.sim.state.units import actuator_units

if TYPE_CHECKING:
    from gearwright.hardware.bench import Bench
    from gearwright.sim.ros2_control.hardware_interfaces import HardwareInterface
    from gearwright.sim.ros2_control.mock_hardware import MockHardware

MOST_STEPS = 100_000  # in one request

Answer = dict[str, Any] | None


class Requests:
    """Turns a request into changes of the bench and an answer: the state, or what was asked for."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._sequence = bench, 0
        self.mock = self.enforce_command_limits = False  # of ros2_control tags
        self._cycle = 0.0  # [s]: when mocks were last updated
        self._each: dict[str, Callable[[Any], Answer | Generator[None, None, Answer]]] = {
            "command": self._command, "step": self._step, "mode": self._mode, "reset": self._reset, "hold": self._hold,
            "sweep": self._sweep,
            "fault": self._fault, "clear": self._clear, "state": lambda _: None, "devices": lambda _: self.devices(),
            "read": lambda _: self._read(), "write": self._write, "switch": self._switch,
            "hardware": lambda _: self._info(),
        }  # fmt: skip

    def hello(self) -> dict[str, Any]:
        robot = self._bench.sim.robot
        return {
            "gearwright": 1, "robot": robot.name, "dt": self._bench.rig.plant.dt, "clock": self._bench.pacer.mode,
            "joints": [*self._bench.sim.coordinates], "actuators": [*robot.actuators], "sensors": [*robot.sensors],
        }  # fmt: skip

    def handle(self, request: Mapping[str, Any]) -> Generator[None, None, dict[str, Any]]:
        """Keys in the order in which they are written; returns the last answer, or the state after all of them.

        It pauses now and then where it takes long, so that other clients have their turn.
        """
        for key in request:
            if key not in self._each:
                raise UnknownNameError("request", str(key)[:80], self._each)
        answer: Answer = None
        for key, value in request.items():
            work = self._each[key](value)
            answer = (yield from work) if isinstance(work, Generator) else work
        if self._bench.failure is not None:
            raise self._bench.failure
        if answer is None:
            answer = self.state()
            if "command" in request:
                answer["commanded"] = {name: self._commanded(name) for name in request["command"]}
        return answer

    def state(self) -> dict[str, Any]:
        sim, drives = self._bench.sim, self._bench.rig.plant.drives
        self._sequence += 1
        names = [*sim.coordinates]
        return {
            "t": sim.time, "seq": self._sequence, "name": names,
            "position": [float(sim.position[n]) for n in names],
            "velocity": [float(sim.velocity[n]) for n in names],
            "effort": [float(sim.effort[n]) for n in names],
            "actuator": {n: d.sample._asdict() for n, d in drives.items()},
            "sensor": {n: _plain(sim.sensor[n]) for n in sim.robot.sensors},
        }  # fmt: skip

    def devices(self) -> dict[str, Any]:
        """Rows of the live table."""
        rig = self._bench.rig
        rows = {
            b.actuator: {
                "protocol": b.protocol.name, "node": rig.devices[b.actuator].node,
                "state": rig.devices[b.actuator].shown_state, "mode": rig.devices[b.actuator].mode,
                "errors": [*rig.devices[b.actuator].errors], "malformed": rig.devices[b.actuator].malformed,
            }
            for b in rig.bound
        }  # fmt: skip
        faults = [[kind, target, value] for (kind, target), value in self._bench.faults.active.items()]
        pacer = self._bench.pacer
        return {
            "devices": rows, "faults": faults, "clock": pacer.mode, "overruns": pacer.overruns,
            "lateness_p999": pacer.lateness.percentile(0.999),
        }  # fmt: skip

    # --- ros2_control -------------------------------------------------------------------------------------------

    @cached_property
    def _hardware(self) -> list[HardwareInterface | MockHardware]:
        from gearwright.sim.ros2_control.mock_hardware import MockHardware

        sim = self._bench.sim
        if self.mock:
            return [MockHardware(sim.robot, name) for name in sim.robot.hardware]
        enforced = self.enforce_command_limits
        return [sim.hardware(name, enforce_command_limits=enforced) for name in sim.robot.hardware]

    def _info(self) -> dict[str, Any]:
        """`{"hardware": {}}`: what the tags say, in the words of ros2_control's HardwareInfo."""
        from gearwright.model.hardware.hardware_info import hardware_info

        robot = self._bench.sim.robot
        return {"hardware": [hardware_info(robot, tag) for tag in robot.hardware.values()]}

    def _read(self) -> dict[str, Any]:
        """`{"read": {}}`: every state interface of the robot's ros2_control tags, and the commands that hold."""
        period, self._cycle = self._bench.sim.time - self._cycle, self._bench.sim.time
        if self.mock and period > 0.0:
            for hw in self._hardware:
                hw.update(period)  # type: ignore[union-attr]  # all of them are mocks
        state = {key: _finite(value) for hw in self._hardware for key, value in hw.read().items()}
        command = {key: _finite(value) for hw in self._hardware for key, value in hw.command.items()}
        return {"t": self._bench.sim.time, "state": state, "command": command}

    def _write(self, values: Any) -> dict[str, Any]:
        """`{"write": {"joint/position": 0.3}}`, within the interfaces' min and max; answered as `read` is."""
        given = _mapping(values, "write")
        owner = {key: hw for hw in self._hardware for key in hw.command_interfaces}
        for key in given:
            if key not in owner:
                raise UnknownNameError("command interface", str(key)[:80], owner)
        for hw in self._hardware:
            own = {k: _number(v, f"command {k!r}") for k, v in given.items() if owner[k] is hw}
            if own:
                hw.write(own)
        return self._read()

    def _switch(self, values: Any) -> dict[str, Any]:
        """`{"switch": {"start": ["joint/velocity"], "stop": ["joint/position"]}}`: controllers come and go."""
        given = _mapping(values, "switch")
        start, stop = (_names(given.get(key, []), key) for key in ("start", "stop"))
        known = {key for hw in self._hardware for key in hw.command_interfaces}
        for key in (*start, *stop):
            if key not in known:
                raise UnknownNameError("command interface", key[:80], known)
        for hw in self._hardware:
            own = [[key for key in keys if key in hw.command_interfaces] for keys in (start, stop)]
            hw.switch(*own)
        return self._read()

    # --- rows ---------------------------------------------------------------------------------------------------

    def _command(self, values: Any) -> None:
        """By actuator: torque of a drive on the bus, the actuator's own command of others."""
        sim, drives = self._bench.sim, self._bench.rig.plant.drives
        for name, value in _mapping(values, "command").items():
            number = _number(value, f"command of {name!r}")
            if name in drives:
                drives[name].write(Torque(number / self._bench.rig.plant.gears[name].servos))
            else:
                sim.port(0).command(name).write(number)

    def _commanded(self, name: str) -> dict[str, Any]:
        """The unit of a command, and why it has no effect, where it has none."""
        plant, robot = self._bench.rig.plant, self._bench.sim.robot
        if name not in plant.drives:
            return {"unit": actuator_units(robot, name)["command"]}
        drive = plant.drives[name]
        found = {"unit": actuator_units(robot, name)["torque"]}
        if not drive.powered:
            found["no_effect"] = "the drive has no power"
        elif drive.faults.open_winding:
            found["no_effect"] = "its winding is open"
        return found

    def _step(self, value: Any) -> Generator[None, None, None]:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_STEPS:
            raise ModelError(f"step takes a whole number, 0 … {MOST_STEPS}, not {value!r:.60}")
        self._bench.pacer.arm()
        while value:
            made = self._bench.advance(value, monotonic() + LONGEST_TURN)
            if not made:
                return  # the simulation failed, or the server ends
            value -= made
            if value:
                yield

    def _mode(self, value: Any) -> None:
        self._bench.pacer.set_mode(str(value))

    def _reset(self, values: Any) -> None:
        self._cycle = 0.0
        self.__dict__.pop("_hardware", None)  # interfaces begin anew: nothing is commanded
        self._bench.reset({k: _number(v, f"position of {k!r}") for k, v in _mapping(values, "reset").items()})

    def _hold(self, values: Any) -> None:
        for joint, value in _mapping(values, "hold").items():
            self._bench.rig.plant.hold(joint, None if value is None else _number(value, f"position of {joint!r}"))

    def _sweep(self, value: Any) -> Answer:
        """`{"sweep": "middle"}`, "low", "high" or "all"; answered with the seconds that it takes. null lets go."""
        if value is None:
            self._bench.release_all()
            return None
        return {"sweep": str(value)[:20], "seconds": self._bench.sweep(str(value)[:20])}

    def _fault(self, values: Any) -> None:
        """`{"fault": {"kind": "drop", "actuator": null, "value": 0.1}}`."""
        given = _mapping(values, "fault")
        value = given.get("value")
        number = None if value is None else _number(value, "value of a fault")
        self._bench.faults.inject(str(given.get("kind", "")), given.get("actuator"), number)

    def _clear(self, values: Any) -> None:
        given = _mapping(values, "clear")
        self._bench.faults.clear(given.get("kind"), given.get("actuator"))


def _mapping(values: Any, what: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ModelError(f"{what} takes an object, not {values!r:.60}")
    return values


def _names(values: Any, what: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(name, str) for name in values):
        raise ModelError(f"{what} takes a list of interfaces, not {values!r:.60}")
    return values


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise ModelError(f"{what} must be a finite number, not {value!r:.60}")
    return float(value)


def _finite(value: Any) -> float | None:
    """JSON has no NaN, which stands for what was never written."""
    number = float(value)
    return number if number - number == 0.0 else None


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value
