"""SDFormat and URDF hold everything: what is written and read again is the same robot, to rounding."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import Pose
from gearwright.writing.nodes import Node, rpy
from gearwright.writing.report import LossLog
from gearwright.writing.saving import FORMATS, text_of
from tests.corpus.files import RobotFile
from tests.corpus.refused import REFUSED
from tests.tolerances import ROUNDING

BOTH = (".sdf", ".urdf")


def rewritten(robot, ending):
    losses = LossLog()
    text = text_of(robot, FORMATS[ending], losses)
    return gw.loads(text), losses


@pytest.mark.parametrize("ending", BOTH)
@pytest.mark.parametrize("name", gw.robots.names())
def test_bundled_robots_lose_nothing(name, ending):
    _, losses = rewritten(gw.load(name), ending)
    assert losses.lost == []


@pytest.mark.parametrize("ending", BOTH)
@pytest.mark.parametrize("name", ("gripper", "ankle", "desk_arm"))
@pytest.mark.filterwarnings("error::gearwright.LoadWarning")
def test_nothing_of_ours_is_unknown(name, ending):
    """Our own elements are read without a warning."""
    gw.loads(text_of(gw.load(name), FORMATS[ending], LossLog()))


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_robots_in_usd_and_back(robot_file: RobotFile):
    """URDF to USD to URDF: all but joints and shapes that USD does not have is the same again."""
    if robot_file.name in REFUSED or robot_file.path.suffix != ".urdf":
        pytest.skip("it is refused, or is no URDF")
    robot = gw.load(robot_file.path)
    stage, lost = rewritten(robot, ".usda")
    again, _ = rewritten(stage, ".urdf")
    if lost.lost:
        kinds = ("planar", "floating", "screw")
        assert any(f"no {kind} joint" in loss.reason for loss in lost.lost for kind in kinds)
        return
    assert [d for d in gw.diff(robot, again) if d.kind != "transmission"] == []


@pytest.mark.sampled(16)
def test_robots_lose_nothing(robot_file: RobotFile):
    if robot_file.name in REFUSED:
        pytest.skip("it is refused")
    try:
        robot = gw.load(robot_file.path)
    except gw.LoadError as error:
        assert all(d.code == "model-choice" for d in error.diagnostics if d.severity == "error")
        pytest.skip("several models")
    for ending in BOTH:
        _, losses = rewritten(robot, ending)
        assert [str(loss) for loss in losses.lost] == [], ending


@pytest.mark.parametrize("name", ("gripper", "hand", "ankle", "wrist", "four_bar"))
@pytest.mark.parametrize("way", ((".sdf", ".urdf", ".sdf"), (".urdf", ".sdf", ".urdf"), (".urdf", ".usda", ".urdf")))
def test_chains_of_formats(name, way):
    first = robot = gw.load(name)
    for ending in way:
        robot, _ = rewritten(robot, ending)
    said = [d for d in gw.diff(first, robot) if not (d.kind == "transmission" and ".role" in d.field + ".")]
    said = [d for d in said if d.field != "type" and not d.field.startswith("parameters") and d.name != "world"]
    assert said == []
    q = {
        n: 0.1
        for n, j in robot.joints.items()
        if j.dof == 1 and n not in {c.follower.joint for c in robot.couplings.values()}
    }
    ours, theirs = first.forward_kinematics(q), robot.forward_kinematics(q)
    assert max(np.abs(ours[link] - theirs[link]).max() for link in ours) < ROUNDING


NUMBERS = (0.1, 1 / 3, -1e-300, 5e-324, 1.7976931348623157e308, 123456789.12345679, -0.0, 2.0, 1e22)


@pytest.mark.parametrize("x", NUMBERS)
def test_numbers_read_back_to_the_same_bits(x):
    text = Node("a", x).text
    assert np.float64(float(text)).tobytes() == np.float64(x + 0.0).tobytes()


@pytest.mark.parametrize("ending", BOTH)
def test_a_mass_keeps_its_bits(ending, rng):
    mass, *moments = (float(x) for x in rng.uniform(1, 2, 4))
    robot = gw.build("r").link("a", mass=mass, inertia=moments).finish()
    again, _ = rewritten(robot, ending)
    inertia = again.links["a"].inertia
    assert (inertia.mass, *inertia.moments) == (mass, *moments)


def test_angles_near_the_pole(rng):
    """A pitch of 90° keeps all digits of the rotation."""
    for _ in range(200):
        near = np.pi / 2 + rng.choice([0.0, 1e-17, 1e-9, 1e-6, 1e-3]) * rng.normal()
        R = Pose.from_rpy((0, 0, 0), (rng.uniform(-3, 3), near, rng.uniform(-3, 3))).R
        assert np.abs(Pose.from_rpy((0, 0, 0), rpy(R)).R - R).max() < ROUNDING


def test_frames_that_urdf_moves_to_their_joints_are_noted():
    text = """<sdf version="1.11"><model name="m"><link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>
      <joint name="j" type="revolute"><pose>{}</pose><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
      </joint></model></sdf>"""
    for place, said in (("0 0 0 0 0 0", False), ("0 0.1 0 0 0 0", True)):
        losses = LossLog()
        text_of(gw.loads(text.format(place)), FORMATS[".urdf"], losses)
        assert any("frames of links at their joints" in note for note in losses.notes) == said
