"""What goes from process to process: errors, mechanisms, recordings, simulations."""

import copy
import inspect
import pickle
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import errors
from gearwright.model.couplings import CircleError
from gearwright.model.joints import AxisRef
from gearwright.sim import compile
from tests.sim.driven import body, driven, rigid

WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy, "copy": copy.copy}
DIAGNOSTIC = gw.Diagnostic(severity="error", code="c", message="m", file="f", line=3, element="e")
ARGUMENTS = {  # of errors that take other things than a message
    errors.LoadError: ([DIAGNOSTIC],),
    errors.ModelError: ("wrong", [DIAGNOSTIC]),
    errors.UnknownNameError: ("joint", "elbw", ["elbow"]),
    CircleError: ([AxisRef("a"), AxisRef("b")],),
}
PUBLIC = [e for _, e in inspect.getmembers(errors, inspect.isclass) if issubclass(e, Exception)]


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def carried(request):
    return request.param


@pytest.mark.parametrize("kind", [*PUBLIC, CircleError], ids=lambda kind: kind.__name__)
def test_every_error(kind, carried):
    error = kind(*ARGUMENTS.get(kind, ("said",)))
    again = carried(error)
    assert type(again) is kind and str(again) == str(error) and again.args == error.args
    assert vars(again) == vars(error)


def test_an_error_as_it_is_raised(carried):
    with pytest.raises(gw.LoadError) as raised:
        gw.loads("<robot><link/></robot>")
    again = carried(raised.value)
    assert again.diagnostics == raised.value.diagnostics and again.diagnostics


def doubled(q):
    return 2.0 * q


def with_map(function):
    through = gw.CustomTransmission(position=function)
    return driven(rigid(body("j")), gw.Actuator(name="motor"), through=through)


def test_mechanisms(carried, arm, gripper):
    for robot in (arm, gripper, with_map(doubled)):
        assert robot.dof >= 1 and robot.tree  # computed, and not carried along
        again = carried(robot)
        assert again.name == robot.name and again.joints["j" if "j" in robot.joints else next(iter(robot.joints))]
        assert np.array_equal(compile(again).mass_matrix(), compile(robot).mass_matrix())


def test_a_function_that_cannot_be_pickled_is_named():
    robot = with_map(lambda q: 2.0 * q)
    with pytest.raises(
        gw.ModelError,
        match=r"transmission 'gear' cannot be pickled: .* cannot import its function '.*lambda.*`def`",
    ):
        pickle.dumps(robot)
    assert copy.deepcopy(robot) is robot
    sensor = gw.CustomSensor(name="s", joint=AxisRef("j"), function=lambda q, v, state: q)
    with pytest.raises(gw.ModelError, match="sensor 's' cannot be pickled"):
        pickle.dumps(compile(rigid(body("j")).with_sensor(sensor)))


@pytest.mark.parametrize("batch", [1, 5])
def test_recordings(carried, gripper, batch):
    sim = compile(gripper, batch=batch, parameters=("gravity.z",))
    recording = sim.run(0.02, command={"motor": 0.01}, every=2)
    again = carried(recording)
    assert len(again) == 11 and np.array_equal(again.time, recording.time)
    for family in ("position", "velocity", "effort", "coupling_error", "sensor", "command"):
        ours, theirs = getattr(recording, family), getattr(again, family)
        assert list(ours) == list(theirs) and all(np.array_equal(ours[n], theirs[n]) for n in ours)
    assert np.array_equal(again.energy, recording.energy)


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.filterwarnings("ignore:.*is taken as 500 Hz:gearwright.NotSimulatedWarning")
def test_simulations_go_on_elsewhere(carried, gripper, batch):
    sim = compile(gripper, batch=batch, parameters=("gravity.z",), dt=2e-3)
    sim.set_parameters({"gravity.z": -3.0})
    sim.time = 4.0
    sim.step(command={"motor": 0.01}, effort={"right_finger": 0.2}, n=7)
    again = carried(sim)
    assert again.time == sim.time and again.options == sim.options and again.from_cache
    assert np.array_equal(again.parameters["gravity.z"], sim.parameters["gravity.z"])
    for one in (sim, again):
        one.step(n=5)
    assert again.state.tobytes() == sim.state.tobytes() and again.time == sim.time
    sim.step()
    assert again.time < sim.time  # nothing is shared


class Counter:
    memory = {"calls": 0.0}  # noqa: RUF012

    def __call__(self, sim, memory):
        return {"motor": 0.01 * np.sin(memory["calls"])}, {"calls": memory["calls"] + 1}


def test_controllers_go_along(gripper):
    inside = compile(gripper, controller=Counter())
    inside.step(n=7)
    again = pickle.loads(pickle.dumps(inside))
    for one in (inside, again):
        one.step(n=5)
    assert again.state.tobytes() == inside.state.tobytes() and again.memory["calls"] == 12.0
    outside = compile(gripper)
    outside.run(0.007, controller=Counter())
    assert pickle.loads(pickle.dumps(outside)).memory["calls"] == 7.0
    outside.run(0.007, controller=lambda sim: None)  # remembers nothing
    assert pickle.loads(pickle.dumps(outside)).time == outside.time


def test_a_controller_that_cannot_be_pickled_is_named(gripper):
    sim = compile(gripper, controller=lambda sim: {"motor": 0.01})
    with pytest.raises(
        gw.ModelError, match=r"the simulation cannot be pickled: .* cannot import its function '.*lambda"
    ):
        pickle.dumps(sim)
    sim.step()
    assert copy.deepcopy(sim).time == sim.time  # within a process it can be copied


def test_drives_go_along(double_pendulum):
    sim = compile(double_pendulum, drives={"elbow": gw.Drive(stiffness=10.0, damping=1.0)})
    sim.drive(position={"elbow": 0.5})
    sim.step(n=3)
    again = pickle.loads(pickle.dumps(sim))
    for one in (sim, again):
        one.step(n=50)
    assert again.state.tobytes() == sim.state.tobytes()
    assert replace(again.options) == sim.options
