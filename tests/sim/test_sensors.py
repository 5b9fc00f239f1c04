"""Sensors of a real simulation: through every map, in counts, late, in batches, in recordings, restored to the bit."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisRef
from gearwright.sim import compile
from tests.dynamics.test_actuation import MAPS
from tests.sim.driven import body, driven, motor, rigid, wheel
from tests.tolerances import ROUNDING


def through(m, *sensors):
    """Wheels behind a map, one for each of its joints, and a motor for each of its actuators."""
    joints = [f"j{i}" for i in range(m.joints)]
    motors = [gw.ElectricMotor(name=f"m{i}", rotor_inertia=1e-3) for i in range(m.actuators)]
    robot = driven(rigid(*(body(j, 0.02) for j in joints)), *motors, joints=joints, through=m)
    return replace(robot, sensors={s.name: s for s in sensors})


def with_sensors(robot, *sensors):
    return replace(robot, sensors={s.name: s for s in sensors})


def turning(*sensors, ratio=20.0):
    """A wheel behind 20 : 1 with sensors, thrown at 1 rad/s and driven."""
    return with_sensors(wheel(motor(rotor_inertia=1e-5), 0.02, ratio), *sensors)


# --- through transmissions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*MAPS])
def test_encoders_read_what_the_map_says(name, rng):
    """Position and velocity, on either side, of one actuator or of all: all of one instant, the end of the step."""
    m = MAPS[name]
    robot = through(
        m,
        gw.Encoder(name="all", transmission="gear"),
        gw.Encoder(name="rate", transmission="gear", type="velocity"),
        gw.Encoder(name="joints", transmission="gear", side="joint"),
        gw.Encoder(name="first", actuator="m0"),
        gw.Encoder(name="axis", joint=AxisRef("j0")),
    )
    sim = compile(robot)
    start = 0.3 * rng.normal(size=m.joints)
    sim.reset({f"j{i}": x for i, x in enumerate(start)}, {f"j{i}": x for i, x in enumerate(rng.normal(size=m.joints))})
    for n in (0, 1, 30):
        sim.step(command=dict.fromkeys(robot.actuators, 0.05), n=n)
        q, v = (np.array([view[f"j{i}"] for i in range(m.joints)]) for view in (sim.position, sim.velocity))
        a = np.atleast_1d(m.joint_to_actuator_position(q))
        assert np.atleast_1d(sim.sensor["all"]) == pytest.approx(a, rel=1e-12, abs=1e-12)
        rate = np.atleast_1d(m.joint_to_actuator_velocity(v, at=q))
        assert np.atleast_1d(sim.sensor["rate"]) == pytest.approx(rate, rel=1e-12, abs=1e-12)
        assert (np.atleast_1d(sim.sensor["joints"]) == q).all()
        assert sim.sensor["first"] == pytest.approx(a[0], rel=1e-12, abs=1e-12)
        assert sim.sensor["axis"] == q[0]
    assert np.abs(q - start).max() > 1e-3


def test_several_numbers_of_one_encoder_go_by_themselves_too():
    sim = compile(through(MAPS["differential"], gw.Encoder(name="e", transmission="gear")))
    sim.reset({"j0": 0.2, "j1": -0.1})
    assert sim.sensor["e"].shape == (2,)
    assert (sim.sensor["e"] == [sim.sensor["e.0"], sim.sensor["e.1"]]).all()


def test_an_encoder_through_a_gear_that_is_a_parameter():
    robot = turning(gw.Encoder(name="e", transmission="gear", actuator="motor"))
    sim = compile(robot, parameters=("gear.reduction",), batch=3)
    sim.set_parameters({"gear.reduction": [20.0, 50.0, -7.0]})
    sim.reset({"j": 0.3})
    assert sim.sensor["e"] == pytest.approx(0.3 * np.array([20.0, 50.0, -7.0]), rel=1e-12)
    sim.step(command={"motor": 0.1}, n=10)
    assert sim.sensor["e"] == pytest.approx(sim.position["j"] * [20.0, 50.0, -7.0], rel=1e-12)


# --- counts and times -----------------------------------------------------------------------------------------------


def test_counts_are_exact():
    """4096 a turn of the motor: each reading a whole number of counts, the nearest one to the angle."""
    encoder = gw.Encoder(name="e", actuator="motor", resolution=4096.0, ratio=2.0, offset=0.1)
    rec = compile(turning(encoder)).run(0.5, command={"motor": lambda t: 0.5 * np.sin(20 * t)})
    step = 2 * pi / 4096
    counts = encoder.counts(rec.sensor["e"])
    assert (np.abs(rec.sensor["e"] - counts * step) <= ROUNDING * np.abs(counts)).all()
    angle = 2.0 * rec.actuator["motor"].position + 0.1
    assert (counts == np.floor(angle / step + 0.5)).all()
    assert len(set(counts)) > 100


def test_a_wrapped_encoder_shows_one_turn():
    encoder = gw.Encoder(name="e", actuator="motor", resolution=1000.0, wrap=True)
    rec = compile(turning(encoder)).run(1.0, command={"motor": 0.5})
    turns = rec.actuator["motor"].position / (2 * pi)
    assert turns.max() > 3
    assert (encoder.counts(rec.sensor["e"]) == np.floor(turns * 1000 + 0.5) % 1000).all()


@pytest.mark.parametrize("k", [1, 2, 7])
def test_a_latency_of_k_steps_is_k_steps(k):
    """Row n of a late reading is row n − k of the prompt one, to the bit; before that, where it started."""
    late = gw.Encoder(name="late", actuator="motor", latency=k * 1e-3)
    rec = compile(turning(gw.Encoder(name="now", actuator="motor"), late)).run(0.1, command={"motor": 0.3})
    assert (rec.sensor["late"][k:] == rec.sensor["now"][:-k]).all()
    assert (rec.sensor["late"][:k] == 0.0).all() and rec.sensor["now"][1] != 0.0


def test_samples_are_held_between_updates():
    """250 Hz and a step of 1 ms: what is read changes every fourth step, and is late by the latency as well."""
    slow = gw.Encoder(name="slow", actuator="motor", update_rate=250.0)
    both = gw.Encoder(name="both", actuator="motor", update_rate=250.0, latency=2e-3)
    rec = compile(turning(gw.Encoder(name="now", actuator="motor"), slow, both)).run(0.1, command={"motor": 0.3})
    sampled = np.repeat(rec.sensor["now"][4::4], 4)[: len(rec) - 4]
    assert (rec.sensor["slow"][4:] == sampled).all() and (rec.sensor["slow"][:4] == 0.0).all()
    assert (rec.sensor["both"][2:] == rec.sensor["slow"][:-2]).all()


def test_a_rate_that_does_not_fit_the_step_is_taken_to_the_nearest_and_told():
    with pytest.warns(gw.NotSimulatedWarning, match="300 Hz is taken as 333"):
        sim = compile(turning(gw.Encoder(name="e", actuator="motor", update_rate=300.0)), dt=1e-3)
    rec = sim.run(0.03, command={"motor": 0.3})
    assert (np.flatnonzero(np.diff(rec.sensor["e"])) % 3 == 2).all()  # every third step: 3, 6, …


def test_a_limit_switch_has_hysteresis():
    switch = gw.LimitSwitch(name="end", joint=AxisRef("j"), threshold=0.5, hysteresis=0.1)
    sim = compile(with_sensors(rigid(body("j")), switch))
    seen = []
    for q in (0.4, 0.49, 0.51, 0.45, 0.41, 0.39, 0.45):
        sim.state = np.concatenate([[q, 0.0], sim.state[2:]])  # position, velocity, then what the switch remembers
        sim.step()
        seen.append(sim.sensor["end"])
    assert seen == [0, 0, 1, 1, 1, 0, 0]


# --- noise ----------------------------------------------------------------------------------------------------------


def noisy(**more):
    return gw.Encoder(name="e", actuator="motor", noise=0.02, **more)


def test_noise_has_its_deviation_and_no_memory():  # slack: five deviations
    """20,000 samples: the deviation is known to 1/√(2n) = 0.5 %, mean and correlation to 1/√n = 0.7 %; 5 times that."""
    rec = compile(turning(noisy())).run(20.0)
    error = (rec.sensor["e"] - rec.actuator["motor"].position) / 0.02
    assert error.std() == pytest.approx(1.0, abs=5 / np.sqrt(2 * len(rec)))
    assert error.mean() == pytest.approx(0.0, abs=5 / np.sqrt(len(rec)))
    assert (error[1:] * error[:-1]).mean() == pytest.approx(0.0, abs=5 / np.sqrt(len(rec)))


def test_noise_is_the_same_again_after_a_reset_and_another_with_another_seed():
    sim = compile(turning(noisy(seed=3)))
    first = sim.run(0.05).sensor["e"]
    sim.reset()
    assert (sim.run(0.05).sensor["e"] == first).all()
    other = compile(turning(noisy(seed=4))).run(0.05).sensor["e"]
    assert (other != first).all()


def test_every_robot_of_a_batch_has_its_own_noise():
    rec = compile(turning(noisy()), batch=4).run(1.0)
    assert np.abs(np.corrcoef(rec.sensor["e"].T) - np.eye(4)).max() < 5 / np.sqrt(1000)


# --- batches, recordings, states ------------------------------------------------------------------------------------


def everything():
    return turning(
        gw.Encoder(name="e", actuator="motor", resolution=4096.0, latency=3e-3, index=True),
        gw.Encoder(name="v", actuator="motor", type="velocity", resolution=4096.0, update_rate=500.0),
        gw.Encoder(name="n", joint=AxisRef("j"), noise=1e-3),
        gw.LimitSwitch(name="end", joint=AxisRef("j"), threshold=0.05),
    )


def test_a_batch_reads_each_its_own():
    spread = np.linspace(0.1, 0.5, 5)
    rec = compile(everything(), batch=5).run(0.1, command={"motor": spread})
    for i, u in enumerate(spread):
        one = compile(everything()).run(0.1, command={"motor": float(u)})
        for name in ("e", "v", "end", "e.index"):
            assert (rec.sensor[name][:, i] == one.sensor[name]).all(), name
    alone = compile(everything()).run(0.1, command={"motor": float(spread[0])})
    assert (rec.sensor["n"][:, 0] == alone.sensor["n"]).all()  # noise of the first robot: whatever the batch


def test_recordings_are_what_the_simulation_shows():
    rec = compile(everything()).run(0.05, command={"motor": 0.4})
    sim = compile(everything())
    for k in range(1, len(rec)):
        sim.step(command={"motor": 0.4})
        assert [rec.sensor[n][k] for n in rec.sensor] == [sim.sensor[n] for n in sim.sensor]
    every = compile(everything()).run(0.05, command={"motor": 0.4}, every=5)
    assert (every.sensor["e"] == rec.sensor["e"][::5]).all()


def test_a_state_holds_counters_registers_and_noise():
    """Late samples on their way, the noise's generator, a switch half-way in its hysteresis: all come back."""
    sim = compile(everything())
    sim.step(command={"motor": 0.4}, n=37)
    kept = sim.state
    shown = {n: sim.sensor[n] for n in sim.sensor}
    ahead = sim.run(0.03)
    sim.reset()
    sim.state = kept
    assert {n: sim.sensor[n] for n in sim.sensor} == shown
    again = sim.run(0.03, command={"motor": 0.4})
    for name in again.sensor:
        assert (again.sensor[name] == ahead.sensor[name]).all()


def test_a_reset_begins_again():
    sim = compile(everything())
    first = sim.run(0.03, command={"motor": 0.4})
    sim.step(n=100)
    sim.reset()
    again = sim.run(0.03, command={"motor": 0.4})
    assert all((again.sensor[name] == first.sensor[name]).all() for name in first.sensor)


def test_after_a_reset_sensors_show_where_it_starts():
    sim = compile(everything())
    sim.reset({"j": 0.1}, {"j": 2.0})
    step = 2 * pi / 4096
    assert sim.sensor["e"] == pytest.approx(0.1 * 20.0, abs=step / 2)
    assert sim.sensor["end"] == 1
    assert sim.sensor["v"] == pytest.approx(40.0, abs=step / 2e-3)


def test_a_sensor_of_what_turns_nothing_is_an_error():
    robot = replace(rigid(body("j")), actuators={"lonely": gw.ElectricMotor(name="lonely")})
    with pytest.raises(gw.CompileError, match=r"'e'.*'lonely'.*not connected"):
        compile(with_sensors(robot, gw.Encoder(name="e", actuator="lonely")))


def test_an_encoder_through_a_transmission_that_drives_nothing():
    """Two transmissions over one motor: the first drives, the second is a gear to read through, with its own ratio."""
    robot = turning()
    gauge = replace(robot.transmissions["gear"], name="gauge", map=gw.SimpleTransmission(reduction=3.0, offset=0.1))
    robot = replace(robot, transmissions={**robot.transmissions, "gauge": gauge})
    robot = with_sensors(robot, gw.Encoder(name="e", transmission="gauge"), gw.Encoder(name="d", transmission="gear"))
    with pytest.warns(gw.NotSimulatedWarning, match="the first one acts"):
        sim = compile(robot, parameters=("gauge.reduction",))
    sim.step(command={"motor": 0.3}, n=50)
    assert sim.sensor["d"] == pytest.approx(20.0 * sim.position["j"], rel=1e-12)
    assert sim.sensor["e"] == pytest.approx(3.0 * (sim.position["j"] - 0.1), rel=1e-12)
    sim.set_parameters({"gauge.reduction": 5.0})
    sim.step()
    assert sim.sensor["e"] == pytest.approx(5.0 * (sim.position["j"] - 0.1), rel=1e-12)


def test_a_function_of_efforts_has_no_position_to_read():
    """Better an error than a reading of 0; its speeds are those of virtual work, and can be read."""
    m = gw.CustomTransmission(effort=lambda a, q, v: 3.0 * a * np.cos(q), size=(1, 1))
    with pytest.raises(gw.CompileError, match=r"'e'.*effort.*<side>joint</side>"):
        compile(through(m, gw.Encoder(name="e", transmission="gear")))
    sim = compile(through(m, gw.Encoder(name="e", transmission="gear", type="velocity")))
    sim.reset({"j0": 0.4}, {"j0": 2.0})
    assert sim.sensor["e"] == pytest.approx(3.0 * np.cos(0.4) * 2.0, rel=1e-12)
