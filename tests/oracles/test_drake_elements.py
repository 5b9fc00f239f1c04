"""Drake's own elements against Drake: reflected rotors and planar joints."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from tests.corpus.files import corpus

pytest.importorskip("pydrake")
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

logging.getLogger("drake").setLevel(logging.ERROR)
BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
HELD = (
    f'<link name="a">{BODY}</link><link name="b">{BODY}</link>'
    '<joint name="held" type="fixed"><parent>world</parent><child>a</child></joint>'
)


def sdf(inner: str) -> str:
    return f'<sdf version="1.9" xmlns:drake="drake.mit.edu"><model name="m">{HELD}{inner}</model></sdf>'


def plant_of(text: str, kind: str) -> MultibodyPlant:
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, kind)
    plant.Finalize()
    return plant


def drake_rotors(plant: MultibodyPlant) -> dict[str, float]:
    """What Drake adds to the diagonal of the mass matrix for each actuated joint."""
    found = {}
    for i in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(i)
        found[actuator.joint().name()] = actuator.default_reflected_inertia()
    return found


def our_rotors(robot: gw.Mechanism) -> dict[str, float]:
    return {n: j.axes[0].dynamics.armature for n, j in robot.joints.items() if j.axes and j.axes[0].dynamics.armature}


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "continuous"])
@pytest.mark.parametrize("limit", ["", "<limit><effort>3</effort></limit>", "<limit><effort>0</effort></limit>"])
def test_rotors_of_sdformat(kind: str, limit: str, rng: np.random.Generator) -> None:
    inertia, ratio = float(rng.uniform(1e-5, 1e-2)), float(rng.uniform(-100, 100))
    rotor = f"<drake:rotor_inertia>{inertia!r}</drake:rotor_inertia><drake:gear_ratio>{ratio!r}</drake:gear_ratio>"
    joint = f'<joint name="j" type="{kind}"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>{limit}</axis>'
    text = sdf(f"{joint}{rotor}</joint>")
    plant = plant_of(text, "sdf")
    ours = our_rotors(gw.loads(text))
    assert ours == pytest.approx(drake_rotors(plant), rel=1e-15)
    M = plant.CalcMassMatrix(plant.CreateDefaultContext())
    assert 1.0 + ours.get("j", 0.0) == pytest.approx(M[0, 0], rel=1e-14)  # 1 kg or 1 kg·m² of the link


@pytest.mark.parametrize("reduction", ["", "<mechanicalReduction>3</mechanicalReduction>"])
def test_rotors_of_a_urdf(reduction: str) -> None:
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = (
        f'<robot name="r" xmlns:drake="drake.mit.edu"><link name="world"/><link name="b">{mass}</link>'
        '<joint name="j" type="revolute"><parent link="world"/><child link="b"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="2" velocity="3"/></joint>'
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j"/>'
        f'<actuator name="m"><drake:rotor_inertia value="0.01"/><drake:gear_ratio value="30"/>{reduction}</actuator>'
        "</transmission></robot>"
    )
    assert our_rotors(gw.loads(text)) == pytest.approx(drake_rotors(plant_of(text, "urdf")), rel=1e-15)


def test_rotors_of_a_real_robot() -> None:
    folder = corpus()
    path = folder / "robots" / "iiwa14_drake" / "iiwa14_primitive_collision.urdf" if folder is not None else None
    if path is None or not path.is_file():
        pytest.skip("the corpus is not here")
    text = path.read_text()
    drake = drake_rotors(plant_of(text, "urdf"))
    assert len(drake) == 7
    assert our_rotors(gw.load(path)) == pytest.approx(drake, rel=1e-15)


def test_a_planar_joint_of_sdformat(rng: np.random.Generator) -> None:
    poses = {body: " ".join(map(repr, rng.uniform(-1, 1, 6).tolist())) for body in "ab"}
    frames = "".join(f'<frame name="f{b}" attached_to="{b}"><pose>{X}</pose></frame>' for b, X in poses.items())
    ends = "<drake:parent>fa</drake:parent><drake:child>fb</drake:child>"
    joint = f'<drake:joint name="j" type="planar">{ends}<drake:damping>0 0 3</drake:damping></drake:joint>'
    text = sdf(frames + joint)
    plant, robot = plant_of(text, "sdf"), gw.loads(text)
    context = plant.CreateDefaultContext()
    q = rng.uniform(-1, 1, 3)
    plant.SetPositions(context, q)
    theirs = plant.GetBodyByName("b").EvalPoseInWorld(context).GetAsMatrix4()
    assert robot.forward_kinematics({"j": q.tolist()})["b"] == pytest.approx(theirs, abs=1e-14)
    assert robot.joints["j"].axes[0].dynamics.damping == plant.GetJointByName("j").default_damping_vector()[2] == 3
    assert not [d for d in robot.diagnostics if d.severity == "warning"]


URDF_BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
DAMPED_BALLS = {
    "sdf": sdf('<joint name="j" type="ball"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>'
               "<dynamics><damping>0.3</damping></dynamics></axis></joint>"),
    "urdf": f'<robot name="m"><link name="a">{URDF_BODY}</link><link name="b">{URDF_BODY}</link>'
            '<drake:joint name="j" type="ball"><parent link="a"/><child link="b"/><dynamics damping="0.3"/>'
            "</drake:joint></robot>",
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMPED_BALLS)
def test_damping_of_ball_joints(kind: str, tmp_path: Path) -> None:
    """As Drake reads the file, and the one that we write."""
    robot = gw.loads(DAMPED_BALLS[kind])
    written = gw.save(robot, tmp_path / f"m.{kind}")
    assert not [d for d in robot.diagnostics if d.code == "not-simulated"] and not written.lost
    for text in (DAMPED_BALLS[kind], (tmp_path / f"m.{kind}").read_text()):
        assert plant_of(text, kind).GetJointByName("j").default_damping() == robot.joints["j"].damping == 0.3


@pytest.mark.parametrize(
    ("inner", "code", "severity"),
    [
        ('<drake:joint name="j" type="ball"/>', "joint-type-unknown", "error"),
        ('<drake:joint type="planar"/>', "name-missing", "error"),
        ('<drake:joint name="j" type="planar"><drake:parent>a</drake:parent></drake:joint>', "link-not-found", "error"),
        (
            '<drake:joint name="j" type="planar"><drake:parent>a</drake:parent><drake:child>b</drake:child>'
            "<drake:damping>1 1 1</drake:damping></drake:joint>",
            "element-ignored",
            "warning",
        ),
    ],
)
def test_what_is_wrong_with_a_drake_joint(inner: str, code: str, severity: str) -> None:
    try:
        found = gw.loads(sdf(f"\n{inner}")).diagnostics
    except gw.LoadError as error:
        found = error.diagnostics
    assert [(d.severity, d.line) for d in found if d.code == code] == [(severity, 2)]
