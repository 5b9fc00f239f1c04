"""Link poses at random configurations: URDF as in Pinocchio, MuJoCo and Drake, SDFormat as in Drake, all to 1e-9.

Pinocchio reads a URDF with urdfdom and knows its mimic joints; Drake reads SDFormat with libsdformat, and the joint
kinds that Pinocchio lacks; MuJoCo has a reader of its own. Some files that load here are refused there:
`NOT_COMPARED` says which and why. Not compared: closed loops (the joint at which a loop is cut is taken out for
Drake), screw, ball and universal joints walked from child to parent, and Drake's curvilinear joint.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.corpus.files import RobotFile
from tests.oracles.random_sdf import random_sdf
from tests.oracles.random_urdf import random_urdf
from tests.tolerances import ROUNDING

etree = pytest.importorskip("lxml.etree")

CONFIGURATIONS = 3

# files that load here, and that the oracle refuses
NOT_COMPARED = {
    "pinocchio": {
        "corpus/peers/drake/models/Acrobot.urdf": "urdfdom wants an effort limit of every revolute joint",
        "corpus/peers/joint_state_publisher/models/mimic_chain.urdf": "<robot> is inside <urdf>",
        "corpus/peers/newton/models/mimic_defaults.urdf": "urdfdom wants effort and velocity limits",
        "corpus/peers/newton/models/mimic_test.urdf": "urdfdom wants effort and velocity limits",
        "corpus/robots/shadow_hand/shadowhand_motor.urdf": "an XML declaration after a comment",
    },
    "drake": {},
    "mujoco": {
        "corpus/peers/drake/models/Acrobot.urdf": "a joint whose parent, the world, is no link of the file",
    },
}


def skip_unless_compared(oracle: str, file: RobotFile, refused: bool) -> None:
    """A file that is refused on either side is skipped, if the tables say so; else the test fails."""
    listed = NOT_COMPARED[oracle].get(file.name)
    if not refused:
        assert listed is None, f"{oracle} loads it now"
        return
    assert listed is not None, f"{oracle} refuses it"
    pytest.skip(f"{oracle} refuses it: {listed}")


def from_gazebo(part: object) -> bool:
    """Parts in <gazebo> blocks, which only Gazebo and Gearwright read."""
    return part.source.element.startswith("gazebo")  # type: ignore[attr-defined]


def assert_same_poses(robot: gw.Mechanism, q: dict, expected: dict[str, np.ndarray]) -> None:
    ours = robot.forward_kinematics(q)
    assert set(expected) == {name for name in ours if not from_gazebo(robot.links[name])}
    worst = max(expected, key=lambda link: np.abs(expected[link] - ours[link]).max())
    np.testing.assert_allclose(ours[worst], expected[worst], rtol=0, atol=ROUNDING, err_msg=f"link {worst!r}")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """urdfdom writes to the standard error stream directly."""
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


# --- URDF: Pinocchio ------------------------------------------------------------------------------------------------


def pinocchio_model(path: Path, mimic: bool = False):
    pin = pytest.importorskip("pinocchio")
    try:
        with quiet():
            return pin.buildModelFromUrdf(str(path), mimic=mimic)
    except (ValueError, RuntimeError):
        return None


def random_positions(model, rng: np.random.Generator) -> tuple[np.ndarray, dict]:
    """Pinocchio's q, and the same as Gearwright's positions."""
    import pinocchio as pin

    q, ours = pin.neutral(model), {}
    for name, joint in zip(model.names[1:], list(model.joints)[1:], strict=True):
        at = slice(joint.idx_q, joint.idx_q + joint.nq)
        if joint.nq == 1:
            q[at] = ours[name] = rng.uniform(-2, 2)
        elif joint.nq == 2:  # continuous: cosine and sine
            ours[name] = rng.uniform(-3, 3)
            q[at] = np.cos(ours[name]), np.sin(ours[name])
        elif joint.nq == 4:  # planar: x, y, cosine and sine
            x, y, angle = ours[name] = rng.uniform(-2, 2, 3)
            q[at] = x, y, np.cos(angle), np.sin(angle)
        elif joint.nq == 7:  # floating: the quaternion's scalar comes last there
            p, u = rng.uniform(-2, 2, 3), rng.normal(size=4)
            u /= np.linalg.norm(u)
            q[at] = *p, *u
            ours[name] = [*p, u[3], *u[:3]]
        elif joint.nq:
            raise AssertionError(f"a joint kind without a mapping: {joint.shortname()}")
    return q, ours


def pinocchio_poses(model, q: np.ndarray) -> dict[str, np.ndarray]:
    import pinocchio as pin

    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    bodies = [(f, X) for f, X in zip(model.frames, data.oMf, strict=True) if f.type == pin.FrameType.BODY]
    return {f.name: X.homogeneous for f, X in bodies if f.name != "universe"}


@pytest.mark.sampled(6)
def test_urdf_as_in_pinocchio(urdf_file: RobotFile, rng: np.random.Generator) -> None:
    robot = gw.load(urdf_file.path)
    model = pinocchio_model(urdf_file.path)
    skip_unless_compared("pinocchio", urdf_file, model is None)
    for _ in range(CONFIGURATIONS):
        q, ours = random_positions(model, rng)
        assert_same_poses(robot, ours, pinocchio_poses(model, q))


def followers_by_hand(path: Path, leaders: dict) -> dict:
    """Positions of all followers by URDF's formula, `multiplier·leader + offset`, straight from the XML."""
    mimics = {}
    root = etree.fromstring(path.read_bytes(), etree.XMLParser(recover=True))
    for joint in root.iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            mimics[joint.get("name")] = mimic

    def position(name: str) -> float:
        m = mimics.get(name)
        if m is None:
            return leaders[name]
        return float(m.get("multiplier", "1")) * position(m.get("joint")) + float(m.get("offset", "0"))

    return {name: position(name) for name in mimics}


@pytest.mark.sampled(4)
def test_mimic_as_in_pinocchio(mimic_file: RobotFile, rng: np.random.Generator) -> None:
    """Only leaders are given here. Pinocchio gets the followers from URDF's formula, and aligns them by its own mimic
    joints where it can: a leader that is written after its follower, or follows itself, is too much for it."""
    robot = gw.load(mimic_file.path)
    plain, own = pinocchio_model(mimic_file.path), pinocchio_model(mimic_file.path, mimic=True)
    skip_unless_compared("pinocchio", mimic_file, plain is None)
    followers = {c.follower.joint for c in robot.couplings.values()}
    for _ in range(CONFIGURATIONS):
        q, ours = random_positions(plain, rng)
        aligned = followers_by_hand(mimic_file.path, ours)
        assert set(aligned) == followers
        for name, value in aligned.items():
            _put(plain, q, name, value)
        assert_same_poses(robot, {n: x for n, x in ours.items() if n not in followers}, pinocchio_poses(plain, q))
        if own is not None:
            q, ours = random_positions(own, rng)
            assert not followers & set(ours)
            assert_same_poses(robot, ours, pinocchio_poses(own, q))


def _put(model, q: np.ndarray, name: str, value: float) -> None:
    joint = model.joints[model.getJointId(name)]
    q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))


# --- URDF: MuJoCo ---------------------------------------------------------------------------------------------------

FOR_OTHERS = ("visual", "collision", "transmission", "gazebo", "ros2_control", "mimic", "limit", "inertial", "mujoco")


def mujoco_text(path: Path) -> str:
    """The tree alone, each link with a unit mass: MuJoCo wants one of everything that moves."""
    root = etree.fromstring(path.read_bytes(), etree.XMLParser(recover=True, huge_tree=True, remove_comments=True))
    root = root.find("robot") if root.tag == "urdf" else root
    for element in list(root.iter(*FOR_OTHERS)):
        element.getparent().remove(element)
    for link in root.iter("link"):
        inertial = etree.SubElement(link, "inertial")
        etree.SubElement(inertial, "mass", value="1")
        etree.SubElement(inertial, "inertia", ixx="1", iyy="1", izz="1", ixy="0", ixz="0", iyz="0")
    etree.SubElement(etree.SubElement(root, "mujoco"), "compiler", fusestatic="false")
    return etree.tostring(root, encoding="unicode")


@pytest.mark.sampled(6)
def test_urdf_as_in_mujoco(urdf_file: RobotFile, rng: np.random.Generator) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = gw.load(urdf_file.path)
    try:
        model = mujoco.MjModel.from_xml_string(mujoco_text(urdf_file.path))
    except ValueError:
        model = None
    skip_unless_compared("mujoco", urdf_file, model is None)
    data = mujoco.MjData(model)
    for _ in range(CONFIGURATIONS):
        data.qpos[:] = rng.uniform(-2, 2, model.nq)
        q = {model.joint(i).name: data.qpos[model.jnt_qposadr[i]] for i in range(model.njnt)}
        mujoco.mj_kinematics(model, data)
        poses = {base.child: np.eye(4) for base in robot.bases.values()}  # MuJoCo's root is the world's body
        for i in range(1, model.nbody):
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = data.xmat[i].reshape(3, 3), data.xpos[i]
            poses[model.body(i).name] = X
        if "world" in robot.links:
            poses["world"] = np.eye(4)
        assert_same_poses(robot, q, poses)


# --- URDF and SDFormat: Drake ---------------------------------------------------------------------------------------


def assert_same_as_drake(
    robot: gw.Mechanism, plant, rng: np.random.Generator, count: int = CONFIGURATIONS, frames: bool = False
) -> None:
    from tests.oracles.drake_plants import place_bases, renamed

    ours = {renamed(name): name for name in robot.joints} | {name: name for name in robot.joints}
    for i in range(count + 1):
        q = plant.home() if i == 0 else plant.move(rng)  # first where the file puts it, then anywhere
        for base in robot.bases.values():
            if base.kind == "fixed":
                plant.hold(base.child, robot.poses()[base.child].matrix)
        expected = plant.poses()
        q = {ours[declared(name, ours)]: value for name, value in q.items()}
        if i > 0:
            place_bases(robot, expected, q)
        if "world" in robot.links:  # a URDF's link of that name is Drake's world itself
            expected["world"] = np.eye(4)
        assert_same_poses(robot, q, expected)
        for frame in robot.frames.values() if frames else ():
            X_WL = np.eye(4) if frame.link == "world" else expected[frame.link]
            np.testing.assert_allclose(X_WL @ frame.X_LF.matrix, plant.frame(frame.name), rtol=0, atol=ROUNDING)


def declared(name: str, known: Collection[str]) -> str:
    """Drake moves a joint to the innermost model of its child; here it stays in the model that declares it."""
    *scopes, last = name.split("::")
    return next(n for i in range(len(scopes), -1, -1) if (n := "::".join([*scopes[:i], last])) in known)


def plant_of(file: RobotFile, robot: gw.Mechanism, kind: str, top: str):
    pytest.importorskip("pydrake")
    from tests.oracles import drake_plants

    cuts = [j.name.split("::")[-1] for j in robot.tree.cuts if not from_gazebo(j)]
    try:
        plant = drake_plants.from_text(drake_plants.digestible(file.path, cuts), kind, top)
    except drake_plants.RefusedError:
        plant = None
    skip_unless_compared("drake", file, plant is None)
    return plant


@pytest.mark.sampled(3)
def test_sdf_as_in_drake(sdf_file: RobotFile, rng: np.random.Generator) -> None:
    robot = gw.load(sdf_file.path, model="*")
    is_world = b"<world" in sdf_file.path.read_bytes()
    plant = plant_of(sdf_file, robot, "sdf", "" if is_world else robot.name)
    assert_same_as_drake(robot, plant, rng)


@pytest.mark.sampled(6)
def test_urdf_as_in_drake(urdf_file: RobotFile, rng: np.random.Generator) -> None:
    robot = gw.load(urdf_file.path)
    assert_same_as_drake(robot, plant_of(urdf_file, robot, "urdf", robot.name), rng, count=2)


def random_text_for_drake(seed: int):
    """The first random text that Drake can hold: it cannot turn a screw, ball or universal joint round."""
    from tests.oracles import drake_plants

    for attempt in range(100):
        text = random_sdf(np.random.default_rng([seed, attempt]))
        try:
            return text, drake_plants.from_text(text, "sdf", "top")
        except drake_plants.RefusedError as refusal:
            assert "reversed" in str(refusal)
    raise AssertionError("no text in a hundred that Drake takes")


@pytest.mark.parametrize("seed", range(20))
def test_random_urdf_as_in_drake(seed: int, rng: np.random.Generator) -> None:
    pytest.importorskip("pydrake")
    from tests.oracles import drake_plants

    text = random_urdf(np.random.default_rng(seed))
    assert_same_as_drake(gw.loads(text), drake_plants.from_text(text, "urdf", "top"), rng)


def test_drakes_own_joint_test_as_in_drake(corpus_folder: Path, rng: np.random.Generator) -> None:
    """Its curvilinear joint, which only Drake has, is held fixed on both sides."""
    pytest.importorskip("pydrake")
    from tests.oracles import drake_plants

    path = corpus_folder / "peers" / "drake" / "models" / "joint_parsing_test.urdf"
    root = etree.fromstring(path.read_bytes())
    for joint in root.iter("joint", "{*}joint"):
        if joint.get("type") == "curvilinear":
            joint.tag = "joint"
            joint.set("type", "fixed")
        elif joint.get("type") == "planar":
            etree.SubElement(joint, "axis", xyz="0 0 1")  # URDF's default is x; Drake's plane is always x and y
    text = etree.tostring(root, encoding="unicode")
    robot = gw.loads(text)
    assert {"ball", "universal", "planar", "screw"} <= {j.kind for j in robot.joints.values()}
    assert_same_as_drake(robot, drake_plants.from_text(text, "urdf", robot.name), rng)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_includes_as_in_drake(seed: int, merge: bool, tmp_path: Path, rng: np.random.Generator) -> None:
    """A random model included twice, or merged, at a pose relative to a frame of the including model."""
    pytest.importorskip("pydrake")
    from tests.oracles import drake_plants

    part, _ = random_text_for_drake(seed)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "part.sdf").write_text(part)
    x, y, z, *rpy = rng.uniform(-1, 1, 6)
    pose = f"<pose relative_to='mount'>{x} {y} {z} {' '.join(map(str, rpy))}</pose>"
    include = f"<include merge='{str(merge).lower()}'><uri>model://parts/part.sdf</uri>{{}}{pose}</include>"
    names = ["<name>a</name>"] if merge else ["<name>a</name>", "<name>b</name>"]
    text = (
        "<sdf version='1.10'><model name='top'><link name='body'/><frame name='mount' attached_to='body'>"
        f"<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose></frame>{''.join(map(include.format, names))}</model></sdf>"
    )
    whole = tmp_path / "whole.sdf"
    whole.write_text(text)
    plant = drake_plants.from_file(whole, "top", packages=[folder])
    assert_same_as_drake(gw.load(whole, search_path=[tmp_path]), plant, rng)


@pytest.mark.parametrize("seed", range(120))
def test_random_sdf_as_in_drake(seed: int, rng: np.random.Generator) -> None:
    """Nested models, frames, `relative_to`, `attached_to`, `expressed_in`, placement frames, all spec versions."""
    pytest.importorskip("pydrake")
    text, plant = random_text_for_drake(seed)
    assert_same_as_drake(gw.loads(text), plant, rng, count=2, frames=True)
