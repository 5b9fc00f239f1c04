"""Warnings of a run: how many unsettled steps, and how far beyond a limit, are worth one."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.running.energy_watch import EnergyWatch
from gearwright.sim.running.reporting import warn_beyond_limits, warn_unsettled
from gearwright.sim.signals import Signal
from tests.sim.driven import wheel


def warned(act, *arguments):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        act(*arguments)
    return [str(w.message) for w in found]


@pytest.mark.parametrize(("count", "steps", "expected"), [(2, 1500, 1), (1, 1500, 0), (15, 20_000, 0), (25, 20_000, 1)])
def test_one_step_in_a_thousand_may_not_settle(count, steps, expected):
    state = SimpleNamespace(parts={"unsettled"}, get=lambda slot: np.array([[count]]))
    sim = SimpleNamespace(batch=1, batch_state=state, dt=1e-3)
    assert len(warned(warn_unsettled, sim, 0, steps)) == expected


def start(q, names=None):
    names = names or [f"j{i}" for i in range(len(q))]
    units = dict.fromkeys(names, SimpleNamespace(position="rad"))
    layout = SimpleNamespace(
        ranges=(np.full(len(q), -1.0), np.full(len(q), 1.0)), loop_axes=(),
        names=SimpleNamespace(positions=SimpleNamespace(names=names)), units=units,
    )  # fmt: skip
    robot = SimpleNamespace(tree=SimpleNamespace(cuts=()))
    sim = SimpleNamespace(options=SimpleNamespace(integrator="midpoint"), layout=layout, robot=robot, batch=1)
    return warned(warn_beyond_limits, sim, np.array([q]))


@pytest.mark.parametrize(("beyond", "expected"), [(0.5e-9, 0), (2e-9, 1), (-0.5e-9, 0)])
def test_a_nanoradian_beyond_a_limit_is_on_it(beyond, expected):
    assert len(start([1.0 + beyond])) == expected
    assert len(start([-1.0 - beyond])) == expected


def test_four_joints_are_named():
    (text,) = start([1.5] * 6)
    assert "'j3'" in text and "'j4'" not in text and text.endswith("and 2 more")
    (text,) = start([1.5] * 4)
    assert "'j3'" in text and "more" not in text


# --- energy that Euler's step makes ---------------------------------------------------------------------------------

GIMBALS = """<sdf version="1.11"><model name="m">
  <link name="a"><inertial><mass>0.01</mass>{inertia}</inertial></link>
  <link name="b"><inertial><mass>0.01</mass>{inertia}</inertial></link>
  <link name="c"><inertial><mass>0.5</mass>
    <inertia><ixx>1e-3</ixx><iyy>2e-3</iyy><izz>1.5e-3</izz></inertia></inertial></link>
  <joint name="x" type="continuous"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="y" type="continuous"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>
  <joint name="z" type="continuous"><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint>
  {actuator}</model></sdf>""".replace("{inertia}", "<inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia>")
MOTOR = '<actuator name="motor"><joint>z</joint></actuator>'


def run_gimbals(actuator="", integrator="euler", **given):
    sim = gw.compile(gw.loads(GIMBALS.replace("{actuator}", actuator)), integrator=integrator, dt=2e-3)
    sim.reset(position={"y": 0.3}, velocity={"x": 5.0, "y": 3.0, "z": 20.0})
    return [text for text in warned(lambda: sim.run(2.0, **given)) if "Euler" in text]


def test_a_robot_whose_energy_grows_under_euler_is_reported():
    (text,) = run_gimbals()
    assert "take the default integrator" in text
    assert len(run_gimbals(MOTOR)) == 1  # a motor that is off
    assert run_gimbals(integrator="midpoint") == []


def test_what_is_driven_may_get_energy():
    assert run_gimbals(MOTOR, command={"motor": 1e-3}) == []
    assert run_gimbals(effort={"x": lambda t: 0.0 * t}) == []
    motor = gw.Actuator(name="motor", joint="j", command="velocity", damping_gain=10.0)
    sim = gw.compile(wheel(motor, 1.0), integrator="euler")
    assert warned(lambda: sim.run(1.0, command={"motor": 500.0})) == []
    sim.reset(velocity={"j": 500.0})
    assert warned(lambda: sim.run(1.0)) == []


@pytest.mark.parametrize(
    ("speed", "kinetic", "expected"), [(50.0, 2.5, 1), (50.0, 1.5, 0), (20.0, 2.5, 0), (400.0, 15.0, 1)]
)
def test_energy_that_doubles_at_speed_is_worth_a_warning(speed, kinetic, expected):
    """1 J at the start, in one of two robots."""
    names = ("kinetic_energy", "potential_energy")
    signals = tuple(Signal(family="", name=name, unit="J") for name in names)
    schema = Schema(robot="r", batch=2, dt=1e-3, signals=signals)
    watch = EnergyWatch(SimpleNamespace(dt=1e-3), schema)

    def rows(*energies):
        return SimpleNamespace(thinned=lambda rows: rows_of(energies[rows]), time=np.arange(len(energies)), column=None)

    def rows_of(energies):
        column = {"kinetic_energy": np.array([[0.0, x] for x in energies]), "potential_energy": np.zeros((1, 2))}
        return SimpleNamespace(time=[0.0], column=lambda signal: column[signal.name])

    watch.add(rows(1.0, kinetic), np.array([[[0.0], [0.0]], [[0.0], [-speed]]]))
    assert len(warned(watch.warn)) == expected
