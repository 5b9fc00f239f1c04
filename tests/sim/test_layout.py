"""One table of places: reading, writing, recordings and messages agree on where a number stands."""

import gearwright as gw
from gearwright.sim import compile
from tests.sim.robots import FOLLOWING


def test_followers_are_no_part_of_the_state():
    layout = compile(gw.loads(FOLLOWING)).layout
    group, free = layout.independent("position")
    assert [group.names[i] for i in free] == ["leader"]
    _, signals, second_names = layout.signals.family("coupling_error")
    assert [*signals] == ["follower"] and second_names == {}


def test_a_controller_takes_the_place_of_inputs(gripper):
    plain, controlled = compile(gripper).layout, compile(gripper, controller=lambda sim: {"motor": 0.1}).layout
    assert plain.place("command", 0) == ("command", 0) and plain.controlled("command") == {}
    assert controlled.place("command", 0) == ("control", 0) and controlled.controlled("command") == {0: 0}
    assert controlled.place("effort", 0) == ("effort", 0) and controlled.controlled("position") == {}


def test_a_controllers_memory_comes_after_its_commands(double_pendulum):
    controller = gw.PID(joint="elbow", kp=1.0)
    assert compile(double_pendulum, controller=controller).layout.memory == {"elbow.integral": 1}
