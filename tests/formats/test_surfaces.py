"""Surfaces of collision shapes in every spelling, what touches what by the file, and shapes that cannot be read."""

from __future__ import annotations

from math import pi

import pytest

import gearwright as gw
from gearwright.model.shapes.surface import Surface

MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BALL = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"


def sdf(inside: str = "", link: str = "", shape: str = BALL, model: str = "") -> gw.Mechanism:
    collision = f"<collision name='c'>\n{shape}{inside}</collision>"
    return gw.loads(
        f"<sdf version='1.11'><model name='m'>{model}<link name='l'>{MASS}{link}{collision}</link></model></sdf>"
    )


def surface(inside: str) -> Surface | None:
    return sdf(f"<surface>{inside}</surface>").links["l"].collisions[0].surface


def urdf(collision: str = "", link: str = "", robot: str = "") -> gw.Mechanism:
    return gw.loads(
        "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        f"iyz='0'/></inertial>{link}<collision><geometry><sphere radius='0.1'/></geometry>{collision}</collision>"
        f"</link>{robot}</robot>"
    )


SPELLINGS = [
    ("", Surface()),
    ("<friction><ode><mu>0.6</mu></ode></friction>", Surface(friction=0.6)),
    ("<friction><ode><mu>0.6</mu><mu2>0.6</mu2></ode></friction>", Surface(friction=0.6)),
    (
        "<friction><ode><mu>0.6</mu><mu2>0.1</mu2><fdir1>1 0 0</fdir1></ode></friction>",
        Surface(friction=0.6, friction2=0.1, friction_direction=(1.0, 0.0, 0.0)),
    ),
    (
        "<friction><bullet><friction>0.4</friction><rolling_friction>0.02</rolling_friction></bullet></friction>",
        Surface(friction=0.4, rolling_friction=0.02),
    ),
    (
        "<friction><torsional><coefficient>0.5</coefficient><patch_radius>0.1</patch_radius></torsional></friction>",
        Surface(torsional_friction=3 * pi / 16 * 0.05),
    ),
    ("<contact><ode><kp>1e6</kp><kd>50</kd></ode></contact>", Surface(stiffness=1e6, damping=50.0)),
    ("<contact><ode><kp>1e6</kp></ode></contact>", Surface(stiffness=1e6, damping=1.0)),
    ("<contact><ode><kp>1e15</kp><kd>1e13</kd></ode></contact>", Surface()),  # as rigid as can be
    (
        "<bounce><restitution_coefficient>0.8</restitution_coefficient><threshold>0.1</threshold></bounce>",
        Surface(restitution=0.8, restitution_speed=0.1),
    ),
    ("<gearwright:surface_velocity>0.5 0 0</gearwright:surface_velocity>", Surface(velocity=(0.5, 0.0, 0.0))),
]


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
@pytest.mark.parametrize("inside, expected", SPELLINGS)
def test_surfaces_of_sdf(inside: str, expected: Surface) -> None:
    found = surface(inside)
    assert (found or Surface()) == expected


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_surfaces_of_drake_in_both_formats() -> None:
    inside = "<drake:mu_static>0.9</drake:mu_static><drake:mu_dynamic>0.7</drake:mu_dynamic>"
    inside += "<drake:point_contact_stiffness>1e4</drake:point_contact_stiffness>"
    inside += "<drake:relaxation_time>0.1</drake:relaxation_time>"
    robot = sdf(f"<drake:proximity_properties>{inside}</drake:proximity_properties>")
    expected = Surface(friction=0.7, stiffness=1e4, damping=1e3)
    assert robot.links["l"].collisions[0].surface == expected
    inside = "<drake:mu_dynamic value='0.7'/><drake:point_contact_stiffness value='1e4'/>"
    inside += "<drake:relaxation_time value='0.1'/><drake:hydroelastic_modulus value='1e7'/>"
    robot = urdf(f"<drake:proximity_properties>{inside}</drake:proximity_properties>")
    assert robot.links["l"].collisions[0].surface == expected
    assert any("pressure fields" in d.message for d in robot.diagnostics)


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_surfaces_of_urdf() -> None:
    block = "<mu1>0.6</mu1><mu2>0.2</mu2><fdir1>0 1 0</fdir1><kp>1e5</kp><kd>10</kd><minDepth>0.001</minDepth>"
    robot = urdf(robot=f"<gazebo reference='l'>{block}<selfCollide>true</selfCollide><material>G</material></gazebo>")
    expected = Surface(friction=0.6, friction2=0.2, friction_direction=(0.0, 1.0, 0.0), stiffness=1e5, damping=10.0)
    assert robot.links["l"].collisions[0].surface == expected
    assert robot.self_collide == ("l",)
    (left,) = [d.message for d in robot.diagnostics if "<gazebo>" in d.message]
    assert "(material)" in left
    contact = (
        "<contact><lateral_friction value='0.5'/><restitution value='0.3'/><spinning_friction value='0.01'/></contact>"
    )
    bullet = urdf(link=contact).links["l"].collisions[0].surface
    assert bullet == Surface(friction=0.5, restitution=0.3, torsional_friction=0.01)
    old = urdf("<contact_coefficients mu='0.3' kp='1000' kd='1'/>").links["l"].collisions[0].surface
    assert old == Surface(friction=0.3, stiffness=1000.0, damping=1.0)
    belt = urdf("<gearwright:surface_velocity xyz='1 0 0'/>").links["l"].collisions[0].surface
    assert belt == Surface(velocity=(1.0, 0.0, 0.0))


def test_links_that_touch_their_own_robot() -> None:
    assert sdf().self_collide == ()
    assert sdf(link="<self_collide>true</self_collide>").self_collide == ("l",)
    assert sdf(model="<self_collide>true</self_collide>").self_collide == ("l",)
    both = sdf(model="<self_collide>true</self_collide>", link="<self_collide>false</self_collide>")
    assert both.self_collide == ()


def test_a_mask_of_bits() -> None:
    masked = sdf("<surface><contact><collide_bitmask>0x02</collide_bitmask></contact></surface>")
    (shape,) = masked.links["l"].collisions
    assert (shape.collision_bits, shape.collides_with) == (2, 2)
    sensing = sdf("<surface><contact><collide_without_contact>1</collide_without_contact></contact></surface>")
    assert sensing.links["l"].collisions[0].collision_bits == 0


FAULTS = [
    ("<surface><friction><ode><mu>nan</mu></ode></friction></surface>", "number-invalid", "'nan'"),
    ("<surface><friction><ode><mu>-1</mu></ode></friction></surface>", "surface-value", "friction"),
    ("<surface><contact><ode><kp>-5</kp></ode></contact></surface>", "surface-value", "stiffness"),
    ("<surface><friction><ode><fdir1>1 0</fdir1></ode></friction></surface>", "number-invalid", "three numbers"),
]


@pytest.mark.parametrize("inside, code, said", FAULTS)
def test_values_that_cannot_be(inside: str, code: str, said: str) -> None:
    with pytest.warns(gw.LoadWarning):
        robot = sdf(inside)
    (shape,) = robot.links["l"].collisions  # the shape stays
    assert (shape.surface or Surface()) == Surface()
    (found,) = [d for d in robot.diagnostics if d.code == code]
    assert (found.severity, found.line) == ("warning", 2)
    assert said in found.message


def test_shapes_that_cannot_be() -> None:
    with pytest.warns(gw.LoadWarning, match="negative"):
        robot = sdf(shape="<geometry><sphere><radius>-1</radius></sphere></geometry>")
    assert robot.links["l"].collisions == ()
    assert [d.line for d in robot.diagnostics if d.code == "number-invalid"] == [2]


def test_what_is_not_used_is_said() -> None:
    robot = sdf(
        "<surface><friction><ode><mu>1</mu><slip1>0.1</slip1></ode></friction><contact><ode><max_vel>0.1</max_vel>"
        "<min_depth>0.001</min_depth></ode></contact></surface>"
    )
    said = " ".join(d.message for d in robot.diagnostics if d.code == "element-ignored")
    assert all(f"<{tag}>" in said for tag in ("slip1", "max_vel", "min_depth"))
    with pytest.warns(gw.LoadWarning, match="without <fdir1>"):
        assert surface("<friction><ode><mu>0.6</mu><mu2>0.1</mu2></ode></friction>") == Surface(friction=0.6)
