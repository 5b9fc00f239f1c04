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
