"""Command ports: the numbers of one robot of a batch, each looked up once."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import UnknownNameError
from gearwright.sim import compile
from tests.sim.robots import FOLLOWING

SIZES = [1, 3, 8, 13]  # robots: one, a part of a SIMD block, a block of 4 or 8, and more


def of(value, robot):
    return float(np.atleast_1d(value)[robot])


@pytest.mark.parametrize("device", ["cpu", "interpreter"])
@pytest.mark.parametrize("batch", [1, 3])
def test_all_of_a_gripper(gripper, device, batch):
    sim = compile(gripper, batch=batch, device=device)
    ports = [sim.port(robot=k) for k in range(batch)]
    for k, port in enumerate(ports):
        port.command("motor").write(0.1 * (k + 1))
    sim.clock.advance(20)
    for k, port in enumerate(ports):
        assert port.command("motor").read() == port.actuator("motor", "command")() == 0.1 * (k + 1)
        for name in sim.position:
            assert port.position(name)() == of(sim.position[name], k)
            assert port.velocity(name)() == of(sim.velocity[name], k)
        for what in ("torque", "velocity", "position"):
            assert port.actuator("motor", what)() == of(getattr(sim.actuator["motor"], what), k)
        for name in sim.sensor:
            assert port.sensor(name)() == of(sim.sensor[name], k)


@pytest.mark.parametrize("batch", SIZES)
def test_writing_is_stepping_with_an_array(double_pendulum, batch):
    """Bit by bit, whichever robot is written, the last one included, whose copies fill a block's free lanes."""
    efforts = np.linspace(-1, 1, batch)
    sims = [compile(double_pendulum, batch=batch) for _ in range(2)]
    sims[0].step(effort={"elbow": efforts[0] if batch == 1 else efforts}, n=50)
    for k in range(batch):
        sims[1].port(robot=k).effort("elbow").write(float(efforts[k]))
    sims[1].clock.advance(50)
    assert np.array_equal(sims[0].state, sims[1].state)
    memory = [sim.batch_state.instance.memory.numbers() for sim in sims]
    assert np.array_equal(*memory)


def test_a_channel_stays_with_its_robot():
    """Followers are computed for the state of now, and a write is seen by everything that reads."""
    sim = compile(gw.loads(FOLLOWING), batch=5)
    sim.reset(position={"leader": np.linspace(0, 0.4, 5)})
    follower, push = sim.port(robot=2).position("follower"), sim.port(robot=2).effort("leader")
    assert follower() == sim.position["follower"][2] == pytest.approx(0.1 - 2 * 0.2, abs=1e-15)
    before = sim.acceleration["leader"].copy()
    push.write(0.7)
    assert sim.effort["leader"].tolist() == [0, 0, 0.7, 0, 0]
    changed = sim.acceleration["leader"] != before
    assert changed.tolist() == [False, False, True, False, False]
    sim.step(n=5)
    assert follower() == sim.position["follower"][2]
    sim.reset()
    assert push.read() == 0.0


def test_wrong_names_and_values(gripper):
    sim = compile(gripper, batch=2)
    port = sim.port(robot=1)
    for wrong, problem in [
        (lambda: sim.port(robot=2), r"robot must be one of 0 … 1, not 2"),
        (lambda: sim.port(robot=-1), r"robot must be one of 0 … 1, not -1"),
        (lambda: sim.port(robot=0.5), r"robot must be one of 0 … 1, not 0.5"),
        (lambda: port.command("moto"), "no actuator named 'moto'.*'motor'"),
        (lambda: port.position("left_fingr"), "left_finger"),
        (lambda: port.sensor("nothing"), "no sensor named 'nothing'"),
        (lambda: port.actuator("motor", "torqe"), "torque"),
        (lambda: port.command("motor").write(float("nan")), "not finite"),
        (lambda: port.command("motor").write(float("inf")), "not finite"),
    ]:
        with pytest.raises(gw.GearwrightError, match=problem):
            wrong()
    assert port.command("motor").read() == 0.0


def test_joints_of_several_numbers_are_taken_one_by_one():
    from tests.sim.robots import FREE

    port = compile(gw.loads(FREE), batch=2).port(robot=1)
    assert port.position("socket.qw")() == 1.0
    with pytest.raises(gw.ModelError, match=r"'socket' is not a single number; it has 'socket.qw'"):
        port.position("socket")


def test_a_compiled_controller_keeps_its_commands(double_pendulum):
    sim = compile(double_pendulum, controller=lambda sim: {"elbow": 0.3})
    sim.step()
    with pytest.raises(gw.ModelError, match="the compiled controller's"):
        sim.port().effort("elbow")
    sim.port().effort("shoulder").write(0.1)
    assert sim.effort["shoulder"] == 0.1


def test_a_robot_without_acting_motors(gripper):
    with pytest.warns(gw.NotSimulatedWarning):
        sim = compile(gripper, integrator="rk4")
    with pytest.raises(gw.GearwrightError, match="actuators do not act"):
        sim.port().command("motor")


def test_a_parameter_is_written_as_set_parameters_does():
    a, b = (compile(gw.loads(FOLLOWING), parameters=("leader.damping",)) for _ in range(2))
    channel = a.port().parameter("leader.damping")
    channel.write(0.5)
    b.set_parameters({"leader.damping": 0.5})
    for sim in (a, b):
        sim.step(effort={"leader": 1.0}, n=20)
    assert channel.read() == 0.5 and np.array_equal(a.state, b.state)
    with pytest.raises(UnknownNameError):
        a.port().parameter("leader.friction")
