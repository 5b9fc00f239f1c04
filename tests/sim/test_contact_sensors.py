"""Contact sensors: when they close, and the force that they show."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gearwright as gw

G = 9.81


def ball_on(sensor: gw.ContactSensor, mass: float = 2.0, height: float = 0.1) -> gw.Mechanism:
    world = gw.World(gravity=(0, 0, -G))
    world.sphere("ball", radius=0.1, mass=mass, pose=(0, 0, height))
    world.ground()
    return world.finish().with_sensor(sensor)


@pytest.mark.parametrize("integrator", ["euler", "midpoint"])
def test_what_rests_presses_with_its_weight(integrator: str) -> None:
    sim = gw.compile(ball_on(gw.ContactSensor(name="foot", link="ball")), integrator=integrator)
    sim.step(n=500)
    assert sim.sensor["foot.touched"] == 1
    assert sim.sensor["foot.fz"] == pytest.approx(2 * G, rel=1e-6)
    assert sim.sensor["foot.fx"] == pytest.approx(0, abs=1e-6)


def test_the_other_side_feels_the_opposite() -> None:
    sim = gw.compile(ball_on(gw.ContactSensor(name="scale", link="ground")))
    sim.step(n=500)
    assert sim.sensor["scale.fz"] == pytest.approx(-2 * G, rel=1e-6)


def test_it_closes_when_something_lands() -> None:
    height, dt = 0.3, 1e-3
    sim = gw.compile(ball_on(gw.ContactSensor(name="foot", link="ball"), height=0.1 + height), dt=dt)
    run = sim.run(0.5)
    first = float(run.time[run.sensor["foot.touched"].argmax()])
    assert first == pytest.approx((2 * height / G) ** 0.5, abs=2 * dt)
    assert run.sensor["foot.touched"][0] == 0


def test_a_threshold_and_a_rate() -> None:
    heavy = gw.ContactSensor(name="foot", link="ball", threshold=2.5 * G, update_rate=100.0)
    sim = gw.compile(ball_on(heavy))
    sim.step(n=500)
    assert sim.sensor["foot.touched"] == 0
    assert sim.sensor["foot.fz"] == pytest.approx(2 * G, rel=1e-6)


def test_only_the_named_shapes_feel() -> None:
    robot = ball_on(gw.ContactSensor(name="foot", link="ball", shapes=("other",)))
    sim = gw.compile(robot)
    sim.step(n=200)
    assert sim.sensor["foot.touched"] == 0
    robot = robot.with_sensor(replace(robot.sensors["foot"], shapes=("ball",)))
    sim = gw.compile(robot)
    sim.step(n=200)
    assert sim.sensor["foot.touched"] == 1


def test_a_bumper_of_a_file() -> None:
    shape = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
    text = f"""<sdf version="1.11"><model name="m"><link name="l">
      <inertial><mass>1</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
      <collision name="bumper_shape">{shape}</collision>
      <sensor name="bumper" type="contact"><update_rate>100</update_rate>
        <contact><collision>bumper_shape</collision><topic>bumper</topic></contact></sensor></link></model></sdf>"""
    robot = gw.loads(text)
    found = robot.sensors["bumper"]
    assert found == gw.ContactSensor(name="bumper", link="l", shapes=("bumper_shape",), update_rate=100.0)
    sim = gw.compile(robot, ground=True)
    sim.reset(position={"base.z": 0.1})
    sim.step(n=300)
    assert sim.sensor["bumper.touched"] == 1


def test_without_any_contact_it_is_open() -> None:
    robot = gw.load("gripper").with_sensor(gw.ContactSensor(name="pad", link="left_finger_link"))
    sim = gw.compile(robot)
    sim.step(n=10)
    assert sim.sensor["pad.touched"] == 0


def test_what_it_needs() -> None:
    with pytest.raises(gw.ModelError, match="needs a link"):
        gw.ContactSensor(name="foot")
    with pytest.raises(gw.ModelError, match="link"):
        gw.load("gripper").with_sensor(gw.ContactSensor(name="pad", link="thumb"))
