"""States of actuators, such as a motor's current, are in the files of recordings."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from gearwright.sim.recordings.frames import titles
from tests.sim.driven import wheel

ENDINGS = ("mcap", "parquet", "npz", "csv")
STATES = {"current": "A", "temperature": "°C", "voltage": "V"}
MOTOR = gw.DCMotor(
    name="motor", resistance=2.0, torque_constant=0.05, inductance=0.01, thermal_capacitance=1.0, command="voltage"
)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_motors_states_read_back_to_the_bit(tmp_path, ending, batch, streamed):
    path = tmp_path / f"run.{ending}"
    sim = compile(wheel(MOTOR, 4e-4), batch=batch)
    recording = sim.run(0.02, command={"motor": 6.0})
    if streamed:
        sim.reset()
        sim.run(0.02, command={"motor": 6.0}, sink=path)
    else:
        recording.save(path)
    again = gw.Recording.open(path)
    for state, unit in STATES.items():
        kept, found = (getattr(r.actuator["motor"], state) for r in (recording, again))
        assert np.ptp(kept) > 0 and found.shape == kept.shape and found.tobytes() == kept.tobytes()
        assert again.schema.signal(f"actuator.{state}", "motor").unit == unit


@pytest.mark.parametrize("ending", ENDINGS)
def test_states_of_any_name(tmp_path, ending):
    """A user's states may have spaces, or the name of a quantity that joints have."""

    def respond(command, speed, state):
        return command, {"two words": state["two words"] + 1.0, "effort": state["effort"] + 2.0, "5%20": 3.0}

    own = gw.CustomActuator(name="j", function=respond, memory={"two words": 0.0, "effort": 0.0, "5%20": 0.0})
    recording = compile(wheel(own, 4e-4)).run(0.005, command={"j": 0.01})
    recording.save(tmp_path / f"run.{ending}")
    again = gw.Recording.open(tmp_path / f"run.{ending}")
    for state in own.memory:
        assert np.array_equal(getattr(again.actuator["j"], state), getattr(recording.actuator["j"], state))
    assert np.array_equal(again.effort["j"], recording.effort["j"])
    assert len(titles(recording.schema)) == len(recording.schema.stored)  # no two columns have one name
