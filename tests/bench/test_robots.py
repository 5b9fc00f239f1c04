"""What the contestants are given."""

import pytest

import gearwright as gw
from benchmarks.bench.plain_urdf import plain
from benchmarks.bench.robots import ROBOTS, robots
from benchmarks.bench.trees import chain, curl, gear_train, tree
from tests.tolerances import ROUNDING

DETAILED = """
<robot name="r">
  <link name="base"/>
  <link name="l">
    <visual><geometry><mesh filename="package://nowhere/l.dae"/></geometry></visual>
    <collision><geometry><sphere radius="1"/></geometry></collision>
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="4" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="l"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="0.5" friction="0.7"/>
    <safety_controller k_velocity="1"/>
  </joint>
  <transmission name="t"/>
  <gazebo reference="l"/>
</robot>
"""


def test_only_what_is_compared_is_left():
    text = plain(DETAILED)
    for gone in ("visual", "collision", "mesh", "friction", "transmission", "gazebo", "safety"):
        assert gone not in text
    robot = gw.loads(text)
    assert robot.joints["j"].axes[0].dynamics.damping == 0.5
    assert robot.links["l"].inertia.moments == pytest.approx(
        (2, 2, 2), rel=ROUNDING
    )  # 1 + 1 < 4: no body has such moments
    assert robot.links["l"].inertia.mass == 2.0
    assert robot.dof == 1


def test_a_plain_file_stays_as_it_is():
    text = plain(DETAILED)
    assert plain(text) == text


@pytest.mark.filterwarnings("ignore:.*is not known:gearwright.LoadWarning")  # panda's file
@pytest.mark.parametrize("name", ROBOTS)
def test_robots_load(name):
    found = robots([name])
    if not found:
        pytest.skip("example-robot-data is not installed")
    assert gw.loads(found[0].urdf).dof > 0
    assert gw.loads(found[0].uncoupled.urdf).couplings == {}


def test_unknown_robots_are_refused():
    with pytest.raises(gw.GearwrightError, match="panda"):
        robots(["pandda"])


@pytest.mark.parametrize("dof", [1, 5, 16, 40])
@pytest.mark.parametrize("shape", [chain, tree])
def test_random_mechanisms_have_their_size(shape, dof):
    assert gw.loads(shape(dof).urdf).dof == dof


@pytest.mark.parametrize("chain_of_mimics", [gear_train, curl])
def test_a_chain_of_mimics_has_one_degree_of_freedom(chain_of_mimics):
    robot = gw.loads(chain_of_mimics(12).urdf)
    assert (len(robot.joints), len(robot.couplings), robot.dof) == (12, 11, 1)


def test_stops_and_friction_stay_where_they_are_compared():
    robot = gw.loads(plain(DETAILED, bounded=True)).joints["j"].axes[0]
    assert (robot.limits.lower, robot.limits.upper, robot.dynamics.friction) == (-1, 1, 0.7)
    assert robot.limits.effort > 1e15


def test_a_tree_has_limbs_on_a_trunk():
    joints = gw.loads(tree(31).urdf).joints.values()
    parents = [j.parent for j in joints]
    assert max(map(parents.count, parents)) == 3  # two limbs and the next piece of the trunk
    depth = {"base": 0}
    for j in joints:
        depth[j.child] = depth[j.parent] + 1
    assert max(depth.values()) == 2 + 7
