"""One rule for numbers: every public class and call takes the same numbers and refuses the same values, by our errors.

A new field of a class, and a new argument in the table, is found here by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisDynamics, Inertia, Limits
from gearwright.model.actuators import ACTUATORS
from gearwright.model.fields import meanings
from gearwright.model.frictions import FRICTIONS
from gearwright.model.hardware.servos import Servo
from gearwright.model.sensors.sensors import SENSORS
from gearwright.model.transmissions import TRANSMISSIONS
from tests.model.samples import sample
from tests.sim.robots import GRIPPER

# never numbers, whatever is asked for
NO_NUMBERS: dict[str, Any] = {
    "a text": "1", "bytes": b"1", "a truth": True, "a truth of NumPy's": np.True_, "nothing known": object(),
    "complex": 1j, "a mapping": {}, "a function": len, "a set": {1.0}, "an array of truths": np.array([True]),
    "a text of NumPy's": np.str_("1"), "texts": ["1", "2"], "NaN": nan, "NaN of NumPy's": np.float64("nan"),
}  # fmt: skip


def instances() -> Iterator[Any]:
    """One of each public class that holds numbers."""
    yield from (sample(ACTUATORS, row, name="m") for row in ACTUATORS)
    yield from (sample(FRICTIONS, row) for row in FRICTIONS)
    yield from (sample(SENSORS, row, name="s") for row in SENSORS)
    yield from (sample(TRANSMISSIONS, row) for row in TRANSMISSIONS)
    yield from (Inertia(mass=1.0), Limits(), AxisDynamics(), gw.Losses(), gw.Backlash(gap=0.1, stiffness=1.0))
    yield from (gw.Drive(stiffness=1.0), gw.PID(joint="j"), Servo(name="s", stiffness=1.0, damping_gain=1.0))
    yield from (gw.Imu(name="i", link="l"), gw.ForceTorque(name="f", joint="j"))
    yield gw.load(GRIPPER, base="fixed").couplings["left_finger"]


FIELDS = [
    pytest.param(part, m, id=f"{type(part).__name__}.{m.name}")
    for part in instances()
    for m in meanings(type(part))
    if m.form in ("number", "whole", "numbers", "matrix") and m.field.init
]


@pytest.mark.parametrize(("part", "meaning"), FIELDS)
def test_fields_of_public_classes(part: Any, meaning: Any) -> None:
    optional = "None" in meaning.type
    for what, value in (NO_NUMBERS | ({} if optional else {"None": None})).items():
        given = [value]
        if meaning.form in ("numbers", "matrix"):
            given += [(value,), ((value,),)]
        if isinstance(value, dict):  # an empty one is empty
            continue
        for each in given:
            with pytest.raises(gw.ModelError):
                replace(part, **{meaning.name: each})
                pytest.fail(f"{type(part).__name__}({meaning.name}={each!r}) is taken: {what}")


def test_there_are_enough_fields() -> None:
    assert len(FIELDS) > 120
    assert {type(part).__name__ for part in instances()} >= {"Drive", "PID", "Inertia", "Limits", "DCMotor", "Encoder"}
    assert all(fields(part) for part in instances())


@pytest.fixture(scope="module")
def robot() -> gw.Mechanism:
    return gw.load(GRIPPER, base="fixed")


@pytest.fixture(scope="module")
def sim(robot: gw.Mechanism) -> gw.Simulation:
    drives = {"right_finger": gw.Drive(stiffness=1.0)}
    return gw.compile(robot, drives=drives, parameters=("motor.damping",), wrenches=("right_finger_link",))


def _port(sim: gw.Simulation, x: Any) -> None:
    sim.port().command("motor").write(x)


def _state(sim: gw.Simulation, x: Any) -> None:
    sim.state = np.where(np.arange(len(sim.state)) == 0, x, sim.state) if isinstance(x, float) else [x] * len(sim.state)


def _time(sim: gw.Simulation, x: Any) -> None:
    sim.time = x


Call = Callable[[gw.Simulation, Any], object]
REAL: dict[str, Call] = {
    "reset(position=)": lambda s, x: s.reset(position={"right_finger": x}),
    "reset(velocity=)": lambda s, x: s.reset(velocity={"right_finger": x}),
    "step(command=)": lambda s, x: s.step(command={"motor": x}),
    "step(effort=)": lambda s, x: s.step(effort={"right_finger": x}),
    "step(wrench=)": lambda s, x: s.step(wrench={"right_finger_link": ((0, 0, x), (0, 0, 0))}),
    "run(duration)": lambda s, x: s.run(x),
    "run(command=)": lambda s, x: s.run(0.002, command={"motor": x}),
    "run(controller=)": lambda s, x: s.run(0.002, controller=lambda _: {"motor": x}),
    "set_parameters": lambda s, x: s.set_parameters({"motor.damping": x}),
    "drive(position=)": lambda s, x: s.drive(position={"right_finger": x}),
    "drive(velocity=)": lambda s, x: s.drive(velocity={"right_finger": x}),
    "inverse_dynamics": lambda s, x: s.inverse_dynamics({"right_finger": x}),
    "port().write": _port,
    "state": _state,
    "time": _time,
    "jacobian(point=)": lambda s, x: s.jacobian("right_finger_link", point=(x, 0, 0)),
    "forward_kinematics": lambda s, x: s.robot.forward_kinematics({"right_finger": x}),
    "compile(dt=)": lambda s, x: gw.compile(s.robot, dt=x),
    "compile(gravity=)": lambda s, x: gw.compile(s.robot, gravity=(0, 0, x)),
    "a transmission": lambda s, x: gw.SimpleTransmission(reduction=2.0).actuator_to_joint_position(x),
    "with_coupling": lambda s, x: s.robot.with_coupling("left_finger", natural_frequency=x),
    "sweep(duration=)": lambda s, x: gw.sweep(s.robot, VARY, METRIC, duration=x),
    "sweep(vary=)": lambda s, x: gw.sweep(s.robot, {"motor.damping": [x]}, METRIC, duration=0.002),
    "sweep(position=)": lambda s, x: gw.sweep(s.robot, VARY, METRIC, duration=0.002, position={"right_finger": x}),
    "Drive": lambda s, x: gw.Drive(stiffness=x),
    "memory of a controller": lambda s, x: gw.compile(s.robot, controller=_Remembering(x)),
    "a linear map": lambda s, x: gw.LinearMap(matrix=[[x]]),
}
WHOLE: dict[str, Call] = {
    "step(n=)": lambda s, x: s.step(n=x),
    "run(every=)": lambda s, x: s.run(0.002, every=x),
    "compile(batch=)": lambda s, x: gw.compile(s.robot, batch=x),
    "compile(iterations=)": lambda s, x: gw.compile(s.robot, solver="pgs", iterations=x),
    "compile(newton_iterations=)": lambda s, x: gw.compile(s.robot, newton_iterations=x),
    "compile(threads=)": lambda s, x: gw.compile(s.robot, threads=x),
    "compile(most_operations=)": lambda s, x: gw.compile(s.robot, most_operations=x),
    "port(robot)": lambda s, x: s.port(x),
    "sweep(chunk=)": lambda s, x: gw.sweep(s.robot, VARY, METRIC, duration=0.002, chunk=x),
    "sweep(n=)": lambda s, x: gw.sweep(s.robot, VARY, METRIC, duration=0.002, sampling="lhs", n=x),
    "sweep(every=)": lambda s, x: gw.sweep(s.robot, VARY, METRIC, duration=0.002, every=x),
    "sweep(seed=)": lambda s, x: gw.sweep(s.robot, VARY, METRIC, duration=0.002, seed=x),
}
VARY, METRIC = {"motor.damping": (0.1, 0.2, 2)}, {"end": "right_finger.position:last"}
TAKES_NONE = {"compile(newton_iterations=)", "compile(threads=)", "sweep(chunk=)", "compile(gravity=)", "with_coupling"}


class _Remembering:
    def __init__(self, start: Any) -> None:
        self.memory = {"x": start}

    def __call__(self, sim: Any, memory: Any) -> Any:
        return {}, memory


NO_END = {"run(every=)", "sweep(chunk=)", "sweep(seed=)"}  # of whole numbers


@pytest.mark.parametrize("name", [*REAL, *WHOLE])
def test_calls_refuse_what_is_not_a_number(sim: gw.Simulation, name: str) -> None:
    values = NO_NUMBERS | {"an array": np.ones(7)}
    values |= {"infinity": inf} if name in REAL else {"a fraction": 1.5, "a float": 1.0, "negative": -1}
    values |= {} if name in NO_END else {"huge": 10**400}
    values |= {} if name in TAKES_NONE else {"None": None}
    if name == "run(command=)":  # of the times
        del values["a function"]
    for what, value in values.items():
        with pytest.raises(gw.GearwrightError):
            {**REAL, **WHOLE}[name](sim, value)
            pytest.fail(f"{name} takes {what}")


@pytest.mark.filterwarnings("ignore")  # a start beyond limits
@pytest.mark.parametrize("name", [n for n in REAL if n not in ("state", "sweep(duration=)", "compile(gravity=)")])
def test_calls_take_numbers_of_any_kind(sim: gw.Simulation, name: str) -> None:
    for value in (0.02, np.float32(0.02), Fraction(1, 50), Decimal("0.02"), np.array(0.02), np.int8(0), 0):
        if value or name not in ("compile(dt=)", "Drive", "with_coupling", "sweep(duration=)"):
            REAL[name](sim, value)
            sim.reset()


@pytest.mark.parametrize("name", ["reset(position=)", "drive(position=)", "state", "forward_kinematics"])
def test_a_position_that_no_mechanism_has(sim: gw.Simulation, name: str) -> None:
    for value in (1e300, -1e300, 1.1e12):
        with pytest.raises(gw.ModelError, match=r"a position beyond ±1e\+12"):
            REAL[name](sim, value)


def test_a_velocity_that_no_mechanism_has(sim: gw.Simulation) -> None:
    """It had ended at a joint limit, at rest or at any speed, without an error."""
    for value in (1e300, -1e150, 1.1e12):
        with pytest.raises(gw.ModelError, match=r"a velocity beyond ±1e\+12"):
            sim.reset(velocity={next(iter(sim.coordinates)): value})


@pytest.mark.parametrize("dt", [1e6, 11.0, 0.0, -1e-3, 1e-12, 1e-300])
def test_a_step_that_no_motion_fits(robot: gw.Mechanism, dt: float) -> None:
    with pytest.raises(gw.CompileError, match=r"dt must be a time from 1e-09 to 10 s"):
        gw.compile(robot, dt=dt)


@pytest.mark.parametrize("batch", [10**9, 10**12])
def test_a_batch_that_no_memory_holds(robot: gw.Mechanism, batch: int) -> None:
    with pytest.raises(gw.CompileError, match=r"a batch of [\d,]+ robots needs .*B, but only .*B is free"):
        gw.compile(robot, batch=batch)


def test_more_robots_than_can_be_counted(robot: gw.Mechanism) -> None:
    with pytest.raises(
        gw.CompileError, match="batch must be a whole number from 1 to 1,000,000,000,000, not 1000000000001"
    ):
        gw.compile(robot, batch=10**12 + 1)


def test_a_grid_that_no_memory_holds(robot: gw.Mechanism) -> None:
    with pytest.raises(gw.ModelError, match="designs; the limit is 1,000,000,000"):
        gw.sweep(robot, {"motor.damping": (0.1, 0.2, 10**12)}, METRIC, duration=0.002)


def test_runs_that_no_memory_holds(sim: gw.Simulation, robot: gw.Mechanism, tmp_path: Path) -> None:
    with pytest.raises(gw.ModelError, match=r"the recording \(.*needs .*TB"):
        gw.compile(robot, batch=3).run(1e9, bands=True)
    with pytest.raises(gw.ModelError, match=r"a function of .* times needs"):
        sim.run(1e10, command={"motor": lambda t: 0.0 * t}, sink=tmp_path / "run.csv")
