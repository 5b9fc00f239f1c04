"""Copies with other numbers, by the names of the table of parameters."""

import pytest

import gearwright as gw

CHANGED = 1.01
TOGETHER = (".inertia.", "efficiency")  # which have rules with others


@pytest.mark.parametrize("name", ["gripper", "scara", "hand", "wrist", "planetary", "reference_arm_driven"])
def test_each_number_is_the_one_that_was_asked_for(name):
    robot = gw.load(name)
    wanted = {n: CHANGED * p.value for n, p in robot.parameters.items() if not any(x in n for x in TOGETHER)}
    changed = robot.with_parameters(wanted).parameters
    assert {n: changed[n].value for n in wanted} == pytest.approx(wanted)
    assert robot.with_parameters({}) == robot


def test_moments_and_friction_models():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><dynamics>
      <friction_model type="stribeck"><static>2</static><coulomb>1</coulomb><stribeck_velocity>0.1</stribeck_velocity>
      </friction_model></dynamics></joint></robot>"""
    changed = gw.loads(text).with_parameters({"b.inertia.ixx": 0.12, "b.inertia.ixz": 0.01, "b.com.z": 0.3,
                                              "j.friction_model.static": 3.0, "gravity.z": -1.6})  # fmt: skip
    assert changed.links["b"].inertia.moments == (0.12, 0.1, 0.1)
    assert changed.links["b"].inertia.products == (0.0, 0.01, 0.0)
    assert changed.links["b"].inertia.center.tolist() == [0.0, 0.0, 0.3]
    assert changed.joints["j"].axes[0].dynamics.friction_model.static == 3.0
    assert changed.gravity[2] == -1.6


def geared(backlash):
    """A servo with a shared supply, behind a gear that loses, with friction models on both."""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
      <actuator name="m" type="ideal"><rotor_inertia>2e-5</rotor_inertia></actuator></robot>"""
    robot = gw.loads(text).with_transmission(
        "gear", gw.SimpleTransmission(reduction=50), actuators="m", joints="j", backlash=backlash,
        losses=gw.Losses(efficiency=0.8, friction=0.01, damping=1e-4),
    )  # fmt: skip
    battery = gw.Supply(name="battery", voltage=7.4, resistance=0.4)
    robot = robot.with_servo("m", "sts3215", supply=battery, delay=0.01)
    return robot.with_friction("gear", gw.Friction(kinetic=0.02, static=0.03, stribeck_speed=0.1))


@pytest.mark.parametrize(
    "backlash",
    [
        gw.Backlash(gap=0.1, stiffness=8.0, damping=0.1),
        gw.ElasticGear(stiffness=1.0, cubic=2.0, damping=0.1, hysteresis=gw.Dahl(coulomb=0.1, stiffness=2.0)),
    ],
    ids=["backlash", "twist"],
)
def test_losses_play_supplies_and_friction_models(backlash):
    robot = geared(backlash)
    wanted = {n: CHANGED * p.value + 1e-4 for n, p in robot.parameters.items() if ".inertia." not in n}
    wanted |= {n: robot.parameters[n].value for n in wanted if n.endswith(("duty_limit", "braking"))}
    changed = robot.with_parameters(wanted).parameters
    assert {n: changed[n].value for n in wanted} == pytest.approx(wanted)
    named = {"gear.efficiency", "gear.friction", "supply.battery.voltage", "m.friction_model.kinetic"}
    named |= {"gear.backlash.gap"} if type(backlash) is gw.Backlash else {"gear.hysteresis.coulomb"}
    assert named <= set(wanted)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"left_finger.mas": 1.0}, "did you mean"),
        ({"right_finger.damping": "much"}, "number"),
        ({"right_finger.damping": -1.0}, "right_finger.damping"),
        ({"right_finger.damping": float("nan")}, "finite"),
        (3.0, "mapping"),
    ],
)
def test_refused(values, says):
    with pytest.raises(gw.GearwrightError, match=says):
        gw.load("gripper").with_parameters(values)
