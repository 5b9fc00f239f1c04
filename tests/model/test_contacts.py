"""Which links touch, and what their surfaces make together."""

import pytest

import gearwright as gw
from gearwright.model.contacts.finding import MOST_POINTS, find_contacts
from gearwright.model.contacts.ground import with_ground
from gearwright.model.contacts.pair import ContactSurface
from gearwright.model.shapes.surface import Surface

MASS = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
BALL = f"{MASS}<collision><geometry><sphere radius='0.1'/></geometry></collision>"


def chain(n, **changes):
    links = "".join(f"<link name='l{i}'>{BALL}</link>" for i in range(n))
    joints = "".join(
        f"<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{i + 1}'/></joint>"
        for i in range(n - 1)
    )
    return gw.loads(f"<robot name='chain'>{links}{joints}</robot>", **changes)


def pairs(robot, wanted=None):
    return {p.links for p in find_contacts(robot, wanted).contacts}


def test_a_robot_alone_touches_nothing():
    assert pairs(chain(4)) == set()


def test_a_fixed_base_does_not_touch_the_ground():
    assert pairs(with_ground(chain(3))) == {("l1", "ground"), ("l2", "ground")}


def test_all_of_a_floating_robot_touches_the_ground():
    assert pairs(with_ground(chain(3, base="floating"))) == {(f"l{i}", "ground") for i in range(3)}


def test_links_by_pattern():
    robot = with_ground(chain(4, base="floating"))
    assert pairs(robot, [("l[13]", "ground")]) == {("l1", "ground"), ("l3", "ground")}
    assert pairs(robot, []) == set()
    assert pairs(robot, [("l*", "l*")]) == {("l0", "l2"), ("l0", "l3"), ("l1", "l3")}  # neighbours do not
    assert pairs(robot, [("l1", "l2")]) == {("l1", "l2")}  # but for those named in full
    with pytest.raises(gw.ModelError, match="link with a collision shape named 'foot'"):
        pairs(robot, [("foot", "ground")])


def test_links_of_one_robot_touch_where_the_file_says_so():
    from dataclasses import replace

    robot = replace(chain(4), self_collide=("l0", "l1", "l2", "l3"))
    assert pairs(robot) == {("l2", "l0"), ("l3", "l0"), ("l1", "l3")}  # the environment is the second one
    assert pairs(replace(robot, no_contact=(("l3", "l1"),))) == {("l2", "l0"), ("l3", "l0")}


def test_too_many_points_are_counted_and_named():
    n = MOST_POINTS + 2
    with pytest.raises(gw.CompileError, match=rf"has {n} points .* 'l0' and 'ground' \(1\).*contacts=\[") as error:
        find_contacts(with_ground(chain(n, base="floating")))
    assert "'*_foot'" in str(error.value)


def test_what_a_ground_can_be():
    assert with_ground(chain(2), 0.3).links["ground"].collisions[0].surface.friction == 0.3
    for wrong in ("rough", None, -1.0, float("nan")):
        with pytest.raises(gw.ModelError, match=r"ground must be|friction (cannot|must)"):
            with_ground(chain(2), wrong)
    with pytest.raises(gw.ModelError, match="already has a link 'ground'"):
        with_ground(with_ground(chain(2)))


def test_surfaces_together():
    both = ContactSurface.of(
        Surface(friction=0.5, stiffness=100.0, damping=1.0, restitution=0.4),
        Surface(friction=0.8, stiffness=300.0, damping=2.0),
    )
    assert (both.friction, both.friction2) == (0.5, 0.5)
    assert both.stiffness == pytest.approx(75)
    assert (both.damping, both.restitution) == (3.0, 0.4)
    plain = ContactSurface.of(None, Surface(friction=0.3))
    assert (plain.friction, plain.stiffness, plain.restitution) == (0.3, None, 0.0)
    directed = ContactSurface.of(Surface(friction=0.5, friction2=0.1, friction_direction=(1.0, 0.0, 0.0)), None)
    assert (directed.friction, directed.friction2, directed.direction_a) == (0.5, 0.1, (1.0, 0.0, 0.0))


def test_a_ground_is_compiled_along():
    robot = chain(2)
    sim = gw.compile(robot, ground=0.8, contacts=[("l1", "ground")])
    assert [p.links for p in sim.robot.contacts] == [("l1", "ground")]
    assert sim.robot.contacts[0].surface.friction == 0.8
    with pytest.raises(gw.CompileError, match="contacts must be pairs of links"):
        gw.compile(robot, contacts=["l1"])
