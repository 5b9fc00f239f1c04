"""Commands and efforts that are held."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("value", [0.5, np.float32(0.5), 1])
def test_the_short_way_and_the_long_way_write_the_same(double_pendulum, batch, value):
    """A float of one robot is written without conversion."""
    sim = compile(double_pendulum, batch=batch)
    sim.inputs.hold("effort", {"elbow": value})
    assert sim.batch_state.get("effort").tolist() == [[0, float(value)]] * batch


def test_no_commands_to_no_actuators(double_pendulum):
    sim = compile(double_pendulum)
    sim.step(command={}, wrench={})
    assert sim.clock.steps == 1
    with pytest.raises(gw.ModelError, match="there is no actuator named 'motor'"):
        sim.step(command={"motor": 1.0})


def test_holding_is_noticed_by_probes(double_pendulum):
    sim = compile(double_pendulum)
    before = sim.acceleration["elbow"]
    sim.inputs.hold("effort", {"elbow": 1.0})
    pushed = sim.acceleration["elbow"]
    assert pushed > before
    old = sim.inputs.copy("effort")
    sim.inputs.clear()
    assert sim.acceleration["elbow"] == before
    sim.inputs.restore("effort", old)
    assert sim.acceleration["elbow"] == pushed


def test_acting_shows_the_commands_of_a_controller(double_pendulum):
    sim = compile(double_pendulum, batch=2, controller=lambda sim: {"elbow": 0.25})
    sim.step(effort={"shoulder": [1.0, 2.0]})
    assert sim.inputs.acting("effort").tolist() == [[1.0, 0.25], [2.0, 0.25]]
    with pytest.raises(gw.ModelError, match="the effort of 'elbow' is the compiled controller's"):
        sim.inputs.hold("effort", {"elbow": 1.0})
