"""Another package brings a transmission, an actuator, a sensor and a joint: each is one class and one entry point.

They are used from a file, in `show`, in a batch, and as parameters, without a line of this package knowing them.
"""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import gearwright as gw
from gearwright.display.as_data import as_data
from gearwright.display.sections import sections
from gearwright.display.tree_text import tree_text
from gearwright.model import ACTUATORS, JOINT_KINDS, SENSORS
from gearwright.model.joints.closing import Travel
from gearwright.model.transmissions import TRANSMISSIONS
from tests.cli.commands import called
from tests.installed import install

PACKAGE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from casadi import floor as np_floor

from gearwright.dynamics.constraints.moment import spring_damper
from gearwright.dynamics.constraints.rows import OneRow
from gearwright.model import Actuator, CustomSensor, LinearTransmission
from gearwright.model.frictions import FrictionModel
from gearwright.sim.recordings.formats import Format
from gearwright.model.fields import check, quantity
from gearwright.model.joints.prismatic import Prismatic


@dataclass(frozen=True, kw_only=True)
class StrainWaveGear(LinearTransmission):
    """A flexible ring with two teeth less than the one around it, which turns: two teeth a turn of the motor."""

    teeth: float = quantity(above=2, doc="of the ring that turns; the reduction is half of it")
    load_map: tuple[tuple[float, float], ...] = quantity(
        "N·m, 1", table=True, default=((0.0, 0.5), (1.0, 0.9)), doc="load, efficiency, load, efficiency …"
    )
    drag: float = quantity("s/rad", at_least=0, default=1e-3, doc="by which the efficiency falls with the speed")

    def __post_init__(self):
        check(self)

    def actuator_entries(self):
        return [[self.teeth / 2.0]]

    def joint_entries(self):
        return [[2.0 / self.teeth]]

    def efficiency_at(self, load, speed):
        loads, efficiencies = zip(*self.load_map)
        return np.interp(load, loads, efficiencies) / (1.0 + self.drag * speed)


@dataclass(frozen=True, kw_only=True)
class AirMotor(Actuator):
    """Torque by pressure."""

    type: ClassVar[str] = "air_motor"

    displacement: float = quantity("m³", above=0, doc="per radian")
    pressure: float = quantity("Pa", above=0, doc="of the supply", default=6e5)

    def respond(self, command, shaft, state=()):
        share = np.minimum(np.maximum(command, -1.0), 1.0)
        return self.bounded(share * self.displacement * self.pressure, shaft), state


@dataclass(frozen=True, kw_only=True)
class Tachometer(CustomSensor):
    kind: ClassVar[str] = "tachometer"

    gain: float = quantity("V·s/rad", doc="voltage per speed", default=1.0)

    def unit(self, *, length, index=0):
        return "V"

    def read(self, positions, velocities, state):
        return self.gain * velocities


class Telescope(Prismatic):
    sign: ClassVar[str] = "⇥"


@dataclass(frozen=True, kw_only=True)
class Detent(FrictionModel):
    """Rests every so many radians: dry friction, and a spring to the nearest of them."""

    drag: float = quantity("N·m | N", at_least=0, doc="at any speed")
    pitch: float = quantity("rad | m", above=0, doc="between two rests")
    stiffness: float = quantity("N·m/rad | N/m", at_least=0, doc="of the spring", default=0.0)

    def level(self, speed):
        return self.drag + 0.0 * speed


@dataclass(frozen=True)
class DetentSpring(OneRow):
    name: str
    position: int
    velocity: int
    pitch: float
    stiffness: object
    equality: ClassVar[bool] = True  # a line: without bounds

    def act(self, now):
        q = now.tree.q[self.position]
        away = q - self.pitch * np_floor(q / self.pitch + 0.5)
        return [spring_damper(now, {self.velocity: 1.0}, self.stiffness, 0.0, away)]


def detents(assembly):
    layout = assembly.mechanism.layout
    for joint in assembly.mechanism.tree.joints:
        for name, axis in zip(joint.axis_coordinates, joint.axes):
            if isinstance(axis.dynamics.friction_model, Detent):
                numbers = (assembly.values[f"{name}.friction_model.{n}"] for n in ("pitch", "stiffness"))
                yield DetentSpring(name, layout.positions.index(name), layout.velocities.index(name), *numbers)


class HexSink:
    """Numbers as C writes them in hexadecimal, a line an instant."""

    def __init__(self, path):
        self.file = path.open("w")

    def open(self, schema):
        self.signals = schema.stored

    def write(self, chunk):
        for i in range(chunk.rows):
            self.file.write(" ".join(float(x).hex() for x in np.ravel(chunk.column(self.signals[1])[i])) + "\\n")

    def close(self):
        self.file.close()


HEX = Format(HexSink)
'''
POINTS = """
[gearwright.transmissions]
strain_wave = outside_kinds:StrainWaveGear
[gearwright.actuators]
air_motor = outside_kinds:AirMotor
[gearwright.sensors]
tachometer = outside_kinds:Tachometer
[gearwright.joints]
telescope = outside_kinds:Telescope
[gearwright.frictions]
detent = outside_kinds:Detent
[gearwright.recordings]
hex = outside_kinds:HEX
"""
LINK = "<inertial><mass>1</mass><inertia><ixx>2</ixx><iyy>2</iyy><izz>2</izz></inertia></inertial>"
FILE = f"""<sdf version="1.11"><model name="arm"><link name="base"/>
<link name="a">{LINK}</link><link name="b">{LINK}</link>
<joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="elbow" type="revolute"><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="reach" type="telescope"><parent>base</parent><child>b</child><axis><xyz>0 1 0</xyz><dynamics>
<friction_model type="detent"><drag>0.5</drag><pitch>0.1</pitch><stiffness>50</stiffness></friction_model>
</dynamics></axis></joint>
<actuator name="motor" type="air_motor"><displacement>1e-6</displacement><pressure>500000</pressure></actuator>
<transmission name="gear" type="strain_wave"><actuator>motor</actuator><joint>elbow</joint><teeth>80</teeth>
<load_map>0 0.5 0.5 0.8 1 0.9</load_map></transmission>
<tachometer name="speed"><joint>elbow</joint><gain>3</gain></tachometer>
</model></sdf>"""
DT, INERTIA = 1e-3, 2.0


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package beside ours, as an installer leaves it."""
    install(tmp_path, "outside_kinds", POINTS, {"outside_kinds.py": PACKAGE})
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture
def robot(package: None) -> gw.Mechanism:
    return gw.loads(FILE)


def test_in_a_file(robot: gw.Mechanism) -> None:
    assert not [d for d in robot.diagnostics if d.severity != "info"]
    gear, motor, sensor = robot.transmissions["gear"], robot.actuators["motor"], robot.sensors["speed"]
    assert [type(x).__name__ for x in (gear.map, motor, sensor)] == ["StrainWaveGear", "AirMotor", "Tachometer"]
    assert gear.losses.efficiency_at(-0.5, 1000.0) == pytest.approx(0.4, rel=1e-15)  # of either sign: 0.8/2
    assert (motor.displacement, motor.pressure, sensor.gain) == (1e-6, 500_000.0, 3.0)  # type: ignore[attr-defined]
    reach = robot.joints["reach"]
    assert reach.type.prismatic
    assert reach.type.readings(reach) == (Travel((0.0, 1.0, 0.0)),)  # also where it closes a loop


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<teeth>80</teeth>", "<teeth>1.5</teeth>", "teeth must be above 2"),
        ("<teeth>80</teeth>", "<tooth>80</tooth>", "needs <teeth>; 'tooth' is not known, did you mean 'teeth'"),
        ("<displacement>1e-6</displacement>", "", "a air_motor needs <displacement>"),
        ("<displacement>1e-6</displacement>", "<displacement>-1</displacement>", "displacement must be positive"),
    ],
)
def test_what_a_file_says_wrongly(package: None, old: str, new: str, says: str) -> None:
    with pytest.raises(gw.LoadError, match=says):
        gw.loads(FILE.replace(old, new))


def test_a_file_may_give_other_losses(package: None) -> None:
    text = FILE.replace("<teeth>80</teeth>", "<teeth>80</teeth><efficiency>0.6</efficiency>")
    assert gw.loads(text).transmissions["gear"].losses.efficiency_at(0.5, 1000.0) == 0.6
    text = FILE.replace("<teeth>80</teeth>", "<teeth>80</teeth><friction>0.1</friction>")  # beside its own efficiency
    assert gw.loads(text).transmissions["gear"].losses.efficiency_at(0.5, 1000.0) == pytest.approx(0.4, rel=1e-15)


@pytest.mark.filterwarnings("ignore:.*<drag> has no effect:gearwright.LoadWarning")
def test_numbers_that_a_given_efficiency_makes_useless_are_named(package: None) -> None:
    text = FILE.replace("<teeth>80</teeth>", "<teeth>80</teeth>\n<drag>0.1</drag>\n<efficiency>0.6</efficiency>")
    robot = gw.loads(text)
    assert "gear.teeth" in robot.parameters and "gear.drag" not in robot.parameters
    (warning,) = [d for d in robot.diagnostics if d.severity == "warning"]
    assert warning.code == "element-ignored" and warning.line == 1 + text[: text.rindex("<drag>")].count("\n")
    assert "transmission 'gear': <drag> has no effect beside an efficiency" in warning.message


def test_an_offset_is_refused_in_one_message(package: None) -> None:
    text = FILE.replace("<joint>elbow</joint><teeth>", "<joint>elbow<offset>0.1</offset></joint><teeth>")
    with pytest.raises(gw.LoadError, match=r"an offset of 'elbow' has no meaning .* put a simple stage") as error:
        gw.loads(text)
    assert [d.code for d in error.value.diagnostics if d.severity != "info"] == ["transmission-size"]


def test_in_show(robot: gw.Mechanism) -> None:
    console = Console(width=160, record=True, file=StringIO())
    console.print(tree_text(robot))
    for _, _, table in sections(robot):
        console.print(table)
    shown = console.export_text()
    for words in ("elbow = motor/40", "strain_wave", "efficiency by load and speed",
                  "air_motor", "displacement 1×10⁻⁶ m³", "pressure", "tachometer",
                  "gain 3 V·s/rad", "⇥", "Detent", "drag 0.5 N"):  # fmt: skip
        assert words in shown, words
    data = as_data(robot)
    json.dumps(data)
    assert data["transmissions"][0]["own"]["teeth"] == 80.0 and data["transmissions"][0]["losses"]["varies"]
    assert data["actuators"][0]["own"] == {"displacement": 1e-6, "pressure": 500_000.0}
    assert data["sensors"][0]["gain"] == 3.0
    (axis,) = data["joints"][-1]["axes"]
    assert axis["friction_model"] == {"drag": 0.5, "pitch": 0.1, "stiffness": 50.0}


def test_in_a_batch_and_as_parameters(robot: gw.Mechanism) -> None:
    names = ("gear.teeth", "gear.drag", "motor.pressure")
    sim = gw.compile(robot, dt=DT, batch=3, parameters=names, gravity=(0, 0, 0))
    teeth, drag, pressure = np.array([80.0, 40.0, 20.0]), np.array([1e-3, 2e-3, 5e-3]), np.array([5e5, 2.5e5, 1e6])
    sim.set_parameters(dict(zip(names, (teeth, drag, pressure), strict=True)))
    sim.reset(velocity={"elbow": 2.0})
    sim.step(command={"motor": 1.0})
    load, speed = 1e-6 * pressure, 2.0 * (teeth / 2)
    efficiency = np.interp(load, [0, 0.5, 1], [0.5, 0.8, 0.9]) / (1 + drag * speed)
    expected = 2.0 + efficiency * load * (teeth / 2) * DT / INERTIA
    # the efficiency is that of the speed in the step, which grows by 0.4 %
    np.testing.assert_allclose(sim.velocity["elbow"], expected, rtol=2e-6)
    np.testing.assert_allclose(sim.sensor["speed"], 3.0 * expected, rtol=2e-6)
    with pytest.raises(gw.ModelError, match=r"'gear.teeth' must be above 2"):
        sim.set_parameters({"gear.teeth": 2.0})


def test_friction_in_a_batch_and_as_a_parameter(robot: gw.Mechanism) -> None:
    """1 kg slides off at 2 m/s: it loses drag·dt a step, whatever the drag of each robot is."""
    sim = gw.compile(robot, dt=DT, batch=2, parameters=("reach.friction_model.drag",), gravity=(0, 0, 0))
    sim.set_parameters({"reach.friction_model.drag": [0.5, 3.0]})
    sim.reset(velocity={"reach": 2.0})
    sim.step()
    np.testing.assert_allclose(sim.velocity["reach"], 2.0 - np.array([0.5, 3.0]) * DT, rtol=1e-14)
    sim.reset()
    sim.step(effort={"reach": 1.0})
    np.testing.assert_allclose(sim.velocity["reach"], [0.5 * DT, 0.0], rtol=1e-14, atol=1e-18)  # the second one holds
    shown = robot.parameters["reach.friction_model.drag"]
    assert (str(shown), shown.doc) == ("0.5 N", "at any speed")


@pytest.mark.parametrize("solver", ["direct", "pgs"])
def test_a_constraint_group(robot: gw.Mechanism, monkeypatch: pytest.MonkeyPatch, solver: str) -> None:
    """A row of `CONSTRAINTS`: the slider swings about the rest at 0.1 m, in a batch and with its stiffness given."""
    from gearwright.dynamics.steps.constraint_groups import CONSTRAINTS

    detents = import_module("outside_kinds").detents
    monkeypatch.setitem(CONSTRAINTS, "detents", detents)
    names = ("reach.friction_model.drag", "reach.friction_model.stiffness")
    options = {"integrator": "euler", "solver": solver, "gravity": (0, 0, 0)}
    sim = gw.compile(robot, dt=DT, batch=2, parameters=names, **options)
    stiffness = np.array([50.0, 200.0])
    sim.set_parameters({names[0]: 0.0, names[1]: stiffness})
    sim.reset(position={"reach": 0.11})
    sim.step()
    spring = stiffness * DT / (1.0 + stiffness * DT**2)  # implicit Euler
    np.testing.assert_allclose(sim.velocity["reach"], -0.01 * spring, rtol=1e-12)
    assert not sim.from_cache
    sim.step(n=200)
    assert (abs(sim.position["reach"] - 0.1) < 0.0101).all()


def test_a_recording_format(robot: gw.Mechanism, tmp_path: Path) -> None:
    sim = gw.compile(robot, dt=DT, batch=2, gravity=(0, 0, 0))
    sim.reset(velocity={"elbow": [1.0, 2.0]})
    recording = sim.run(5 * DT, command={"motor": 0.0})
    recording.save(tmp_path / "run.hex")
    lines = (tmp_path / "run.hex").read_text().splitlines()
    found = [[float.fromhex(x) for x in line.split()] for line in lines]
    first = recording.schema.stored[1]
    np.testing.assert_array_equal(found, getattr(recording, first.family)[first.name])
    sim.reset(velocity={"elbow": [1.0, 2.0]})
    sim.run(5 * DT, command={"motor": 0.0}, sink=tmp_path / "streamed.hex")
    assert (tmp_path / "streamed.hex").read_text().splitlines() == lines
    with pytest.raises(gw.GearwrightError, match=r"\.hex"):
        recording.save(tmp_path / "run.hax")


def test_among_the_parameters(robot: gw.Mechanism) -> None:
    shown = {name: str(robot.parameters[name]) for name in ("gear.teeth", "motor.pressure")}
    assert shown == {"gear.teeth": "80", "motor.pressure": "500000 Pa"}
    assert str(robot.parameters["gear.drag"]) == "0.001 s/rad" and "gear.load_map1_1" not in robot.parameters
    assert robot.parameters["motor.displacement"].doc == "per radian"
    assert robot.parameters["reach.damping"].unit == "N·s/m" and robot.parameters["elbow.damping"].unit == "N·m·s/rad"


def test_saved_and_opened(robot: gw.Mechanism, tmp_path: Path) -> None:
    sim = gw.compile(robot, dt=DT, parameters=("gear.teeth",), gravity=(0, 0, 0))
    sim.reset(velocity={"elbow": 2.0, "reach": 0.1})
    sim.save(tmp_path / "arm.gw")
    again = gw.open(tmp_path / "arm.gw")
    assert again.robot.transmissions["gear"].map == robot.transmissions["gear"].map
    sim.step(command={"motor": 1.0}, n=20), again.step(command={"motor": 1.0}, n=20)
    assert again.state.tobytes() == sim.state.tobytes() and again.sensor["speed"] == sim.sensor["speed"]


def test_a_script_adds_a_row(package: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = TRANSMISSIONS["strain_wave"]
    monkeypatch.setitem(TRANSMISSIONS, "my_drive", kind)
    robot = gw.loads(FILE.replace('type="strain_wave"', 'type="my_drive"'))
    assert robot.transmissions["gear"].type == "my_drive" and type(robot.transmissions["gear"].map) is kind


def test_without_the_package_they_are_unknown() -> None:
    for registry, name in ((TRANSMISSIONS, "strain_wave"), (ACTUATORS, "air_motor"), (SENSORS, "tachometer")):
        assert name not in registry
    assert "telescope" not in JOINT_KINDS
    with pytest.raises(gw.LoadError, match="there is no type 'telescope'") as caught:
        gw.loads(FILE)
    assert any("type 'air_motor' is not known" in d.message for d in caught.value.diagnostics)


def test_a_broken_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "second", "[gearwright.actuators]\nair_motor = no_such_module:AirMotor\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(gw.GearwrightError, match="no_such_module:AirMotor, cannot be loaded"):
        ACTUATORS["air_motor"]


def test_a_name_that_this_package_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "second", "[gearwright.transmissions]\nsimple = second_kinds:Simple\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(UserWarning, match="'simple' of .* second_kinds:Simple of an installed package is not used"):
        list(TRANSMISSIONS)
    assert TRANSMISSIONS["simple"] is gw.SimpleTransmission
    monkeypatch.syspath_prepend(str(tmp_path / "more"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(TRANSMISSIONS)  # searched again, and said once
    ran = called("check", "gripper")
    assert ran.code == 0
    assert "warning: 'simple' of 'gearwright.transmissions' is " in ran.out and "[kind-shadowed]" in ran.out
