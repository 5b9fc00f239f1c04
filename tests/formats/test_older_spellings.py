"""Gearbox joints and the draft mimic joint, against a simulation of what they promise.

A gearbox says θ₂ = −ratio·θ₁, θ₁ being the rotation of its parent link against the reference body about <axis>, θ₂ that
of its child link about <axis2>. Here both angles are measured from the poses of the links, along the coupling that was
read; how the joints are written (which end the reference is, which way an axis points) must not matter.
"""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import gearwright
from gearwright import LoadError, Mechanism
from tests.corpus.files import REPOSITORY
from tests.tolerances import ROUNDING

RATIO = 2.5
ANGLES = np.linspace(-2 * pi, 2 * pi, 97)  # of the leader; steps small enough to unwrap, also at the ratio


BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def link(name: str, pose: str = "0 0 0 0 0 0") -> str:
    return f'<link name="{name}"><pose>{pose}</pose>{BODY}</link>'


def joint(
    name: str, parent: str, child: str, axis: str, kind: str = "revolute", expressed_in: str = "__model__"
) -> str:
    xyz = f'<axis><xyz expressed_in="{expressed_in}">{axis}</xyz></axis>' if kind != "fixed" else ""
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{xyz}</joint>'


def gearbox(axis: str = "0 0 1", axis2: str = "0 0 1", expressed_in: str = "__model__", ratio: float = RATIO) -> str:
    return (
        '<joint name="gears" type="gearbox"><parent>in</parent><child>out</child>'
        f"<gearbox_ratio>{ratio}</gearbox_ratio>"
        "<gearbox_reference_body>frame</gearbox_reference_body><axis><xyz "
        f'expressed_in="{expressed_in}">{axis}</xyz></axis>'
        f'<axis2><xyz expressed_in="{expressed_in}">{axis2}</xyz></axis2></joint>'
    )


def robot(parts: str, version: str = "1.11") -> Mechanism:
    return gearwright.loads(f'<sdf version="{version}"><model name="m">{parts}</model></sdf>', base="fixed")


def turned(m: Mechanism, link: str, reference: str, axis_model: np.ndarray, leader: str) -> np.ndarray:
    """How far `link` turns against `reference` about an axis given in the model frame at zero, along the coupling."""
    zero = m.forward_kinematics()
    axis_R = zero[reference][:3, :3].T @ axis_model  # fixed in the reference body
    start = zero[reference][:3, :3].T @ zero[link][:3, :3]
    found = []
    for q in ANGLES:
        X = m.forward_kinematics({leader: q})
        R = X[reference][:3, :3].T @ X[link][:3, :3] @ start.T
        np.testing.assert_allclose(R @ axis_R, axis_R, atol=ROUNDING, rtol=ROUNDING)  # it turns about this axis only
        sine = axis_R @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        found.append(np.arctan2(sine, (np.trace(R) - 1) / 2))
    angles = np.unwrap(np.array(found))
    return angles - angles[len(ANGLES) // 2]  # from zero


def promised(m: Mechanism, axis: str, axis2: str, ratio: float = RATIO, reference: str = "frame") -> None:
    """θ₂ = −ratio·θ₁ at every angle, and the input does turn."""
    coupling = m.couplings["gears"]
    a1, a2 = (np.array([float(x) for x in a.split()]) for a in (axis, axis2))
    a1, a2 = a1 / np.linalg.norm(a1), a2 / np.linalg.norm(a2)
    theta1 = turned(m, "in", reference, a1, str(coupling.leader))
    theta2 = turned(m, "out", reference, a2, str(coupling.leader))
    assert abs(theta1[-1] - theta1[0]) == pytest.approx(4 * pi, rel=ROUNDING)
    np.testing.assert_allclose(theta2, -ratio * theta1, atol=ROUNDING, rtol=ROUNDING)


LINKS = link("frame", "0.1 0 0 0.3 0.2 0.1") + link("in", "1 0 0 0 1.5707963267948966 0") + link("out", "0 1 0 0.4 0 0")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -1"])
@pytest.mark.parametrize("axis2", ["0 0 1", "0 0 -1"])
@pytest.mark.parametrize("input_axis", ["0 0 1", "0 0 -1"])
@pytest.mark.parametrize("output_axis", ["0 0 1", "0 0 -1"])
@pytest.mark.parametrize("input_end", ["parent", "child"])
@pytest.mark.parametrize("output_end", ["parent", "child"])
def test_a_gearbox_however_its_joints_are_written(
    axis: str, axis2: str, input_axis: str, output_axis: str, input_end: str, output_end: str
) -> None:
    """`…_end`: which end of the joint the reference body is."""
    ends = {"parent": lambda other: ("frame", other), "child": lambda other: (other, "frame")}
    joints = joint("ji", *ends[input_end]("in"), input_axis) + joint("jo", *ends[output_end]("out"), output_axis)
    m = robot(LINKS + joints + gearbox(axis, axis2))
    signs = [1 if a == "0 0 1" else -1 for a in (axis, axis2, input_axis, output_axis)]
    ends_sign = (1 if input_end == "parent" else -1) * (1 if output_end == "parent" else -1)
    assert m.couplings["gears"].multiplier == pytest.approx(-RATIO * np.prod(signs) * ends_sign, rel=ROUNDING)
    promised(m, axis, axis2)


@pytest.mark.parametrize("ratio", [0.1, -3.0, 7.0])
def test_any_ratio(ratio: float) -> None:
    m = robot(LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "out", "frame", "0 0 1") + gearbox(ratio=ratio))
    angles = ANGLES / 7  # so that the faster side unwraps
    assert m.couplings["gears"].multiplier == pytest.approx(ratio, rel=ROUNDING)
    for q in angles[::8]:
        assert m.configuration({"ji": q})["jo"] == pytest.approx((ratio * q,), rel=ROUNDING)


def test_a_bevel_gear_has_two_directions() -> None:
    m = robot(
        LINKS + joint("ji", "frame", "in", "1 0 0") + joint("jo", "frame", "out", "0 -1 0") + gearbox("1 0 0", "0 1 0")
    )
    assert m.couplings["gears"].multiplier == pytest.approx(RATIO, rel=ROUNDING)
    promised(m, "1 0 0", "0 1 0")


def test_an_oblique_axis() -> None:
    m = robot(
        LINKS
        + joint("ji", "frame", "in", "1 2 3")
        + joint("jo", "out", "frame", "-1 -2 -3")
        + gearbox("2 4 6", "1 2 3")
    )
    promised(m, "1 2 3", "1 2 3")


@pytest.mark.parametrize("end", ["in", "out", "frame"])
def test_fixed_joints_in_between(end: str) -> None:
    """The joint holds a link that is welded to the one the gearbox names."""
    extra = link("mount", "0.5 0 0 0.7 0 0.2")
    for weld in (joint("w", "mount", end, "", "fixed"), joint("w", end, "mount", "", "fixed")):
        names = {"in": "in", "out": "out", "frame": "frame", end: "mount"}
        joints = joint("ji", names["frame"], names["in"], "0 0 1") + joint("jo", names["out"], names["frame"], "0 0 1")
        m = robot(LINKS + extra + weld + joints + gearbox())
        assert m.couplings["gears"].multiplier == pytest.approx(RATIO, rel=ROUNDING)
        promised(m, "0 0 1", "0 0 1")


def test_axes_in_the_joint_frame() -> None:
    """Without expressed_in, an axis is in the gearbox joint's frame: that of its child link."""
    child_z = "0 -0.3894183423086505 0.9210609940028851"  # z of `out`, which is turned by 0.4 about x, in the model
    m = robot(
        LINKS
        + joint("ji", "frame", "in", child_z)
        + joint("jo", "frame", "out", child_z)
        + gearbox("0 0 1", "0 0 1").replace(' expressed_in="__model__"', "")
    )
    assert m.couplings["gears"].multiplier == pytest.approx(-RATIO, rel=ROUNDING)
    promised(m, child_z, child_z)


def test_axes_in_the_model_frame_before_15() -> None:
    joints = joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1")
    m = robot((LINKS + joints + gearbox()).replace(' expressed_in="__model__"', ""), "1.4")
    promised(m, "0 0 1", "0 0 1")


def test_a_rotated_model_changes_nothing() -> None:
    parts = LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "out", "frame", "0 0 1") + gearbox()
    m = robot("<pose>1 2 3 0.4 0.5 0.6</pose>" + parts)
    assert m.couplings["gears"].multiplier == pytest.approx(RATIO, rel=ROUNDING)


def test_a_gearbox_in_a_nested_model() -> None:
    parts = LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "out", "frame", "0 0 1") + gearbox()
    m = robot(f'<link name="a"/><model name="n"><pose>0 0 1 0.5 0 0</pose>{parts}</model>')
    assert m.couplings["n::gears"].multiplier == pytest.approx(RATIO, rel=ROUNDING)
    assert str(m.couplings["n::gears"].follower) == "n::jo"


def test_the_ratio_is_one_by_default() -> None:
    m = robot(
        LINKS
        + joint("ji", "frame", "in", "0 0 1")
        + joint("jo", "frame", "out", "0 0 1")
        + gearbox().replace(f"<gearbox_ratio>{RATIO}</gearbox_ratio>", "")
    )
    assert m.couplings["gears"].multiplier == -1


def test_a_gearbox_is_a_coupling_and_no_joint() -> None:
    m = robot(LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1") + gearbox())
    assert set(m.joints) == {"ji", "jo"}
    assert m.dof == 1
    assert m.couplings["gears"] is m.couplings["jo"]
    assert m.couplings["jo"].spelling == "gearbox"
    assert [d.code for d in m.diagnostics] == ["gearbox-deprecated"]


@pytest.mark.parametrize(
    ("joints", "why"),
    [
        (joint("ji", "frame", "in", "1 0 0") + joint("jo", "frame", "out", "0 0 1"), "axis joins 'in'"),
        (joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "1 0 0"), "axis2 joins 'out'"),
        (joint("ji", "frame", "in", "0 0 1") + joint("jo", "in", "out", "0 0 1"), "joins 'out'"),
        (joint("ji", "frame", "in", "0 0 1", "prismatic") + joint("jo", "frame", "out", "0 0 1"), "joins 'in'"),
    ],
)
def test_a_gearbox_that_no_joints_carry(joints: str, why: str) -> None:
    with pytest.raises(LoadError, match=why) as caught:
        robot(LINKS + joints + gearbox())
    assert "gearbox-unresolved" in [d.code for d in caught.value.diagnostics]


# --- the draft mimic joint --------------------------------------------------------------------------------------------

DRAFT = (
    '<joint name="gears" type="mimic"><parent>ji</parent><child>jo</child><gearbox_ratio>2.5</gearbox_ratio></joint>'
)


def test_a_draft_mimic_joint_equals_the_gearbox_it_stands_for() -> None:
    parts = LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1")
    draft, gears = robot(parts + DRAFT), robot(parts + gearbox())
    assert draft.couplings["gears"].multiplier == gears.couplings["gears"].multiplier == -RATIO
    assert draft.couplings["gears"].spelling == "mimic joint"
    assert [d.code for d in draft.diagnostics] == ["mimic-joint-deprecated"]
    promised(draft, "0 0 1", "0 0 1")


def test_a_draft_mimic_joint_couples_lengths_too() -> None:
    m = robot(LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1", "prismatic") + DRAFT)
    assert m.configuration({"ji": 1.0})["jo"] == (-RATIO,)


@pytest.mark.parametrize(
    ("ends", "code"),
    [(("jx", "jo"), "joint-not-found"), (("ji", "jx"), "joint-not-found"), (("ji", "ji"), "mimic-self")],
)
def test_a_draft_mimic_joint_of_nothing(ends: tuple[str, str], code: str) -> None:
    text = DRAFT.replace("<parent>ji", f"<parent>{ends[0]}").replace("<child>jo", f"<child>{ends[1]}")
    with pytest.raises(LoadError, match=code):
        robot(LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1") + text)


# --- what to write instead --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [gearbox(), DRAFT])
@pytest.mark.parametrize("model", ["{}", '<link name="a"/><model name="n">{}</model>'])
def test_the_deprecation_prints_the_mimic_to_write(old: str, model: str) -> None:
    parts = LINKS + joint("ji", "frame", "in", "0 0 1") + joint("jo", "frame", "out", "0 0 1")
    before = robot(model.format(parts + old))
    message = next(d.message for d in before.diagnostics if d.code.endswith("-deprecated"))
    assert "in <axis> of joint 'jo' write <mimic" in message
    mimic = message[message.index("<mimic joint") : message.index("</mimic>") + len("</mimic>")]
    after = robot(model.format(parts.removesuffix("</axis></joint>") + mimic + "</axis></joint>"))
    assert [c.row for c in after.couplings.values()] == [c.row for c in before.couplings.values()]


# --- the proposals' own examples, where they are at hand --------------------------------------------------------------

SEEDS = REPOSITORY.parent / "shared" / "seeds"


def printed(number: str) -> list[str]:
    """The blocks of XML in a proposal, from one ~~~ fence to the next."""
    found = sorted(SEEDS.glob(f"{number}_*"))
    if not found:
        pytest.skip("the proposals are not here")
    blocks = found[0].read_text(errors="replace").replace("```", "~~~").split("~~~")[1::2]
    return [b for b in blocks if "<" in b]


def whole(*blocks: str) -> str:
    body = "".join(b if "<" in b.lstrip()[:1] else b[b.index("\n") :] for b in blocks)
    return f'<sdf version="1.10"><model name="printed">{body}</model></sdf>'


def test_the_printed_gearbox_and_its_draft() -> None:
    blocks = printed("002")
    links_and_gearbox = next(b for b in blocks if 'type="gearbox"' in b)
    mimic = next(b for b in blocks if 'type="mimic"' in b)
    gears = gearwright.loads(whole(links_and_gearbox))
    assert gears.couplings["gearbox_demo"].multiplier == pytest.approx(-5)
    start = links_and_gearbox.index('<joint name="gearbox_demo"')
    draft = gearwright.loads(whole(links_and_gearbox[:start], mimic))
    assert draft.couplings["mimic_demo"].multiplier == pytest.approx(-5)


def test_the_printed_rack_and_pinion_names_a_link_that_is_not_there() -> None:
    block = next(b for b in printed("000") if "mimic_rack_and_pinion" in b)
    with pytest.raises(LoadError) as caught:
        gearwright.loads(block[block.index("<sdf") :])
    assert {d.code for d in caught.value.diagnostics if d.severity == "error"} == {"link-not-found"}
    assert "'chassis'" in str(caught.value)


def test_the_printed_actuation_model() -> None:
    block = next(b for b in printed("004") if "<model" in b)
    m = gearwright.loads(block[block.index("<model") :])
    assert list(m.actuators) == ["test_actuator_01", "test_actuator_12"]
    assert m.transmissions["test_generic_transmission"].actuators == ("test_actuator_01", "test_actuator_12")
    assert m.encoders["test_encoder"].transmission == "test_transmission"


def test_a_name_of_two_lines_makes_a_diagnostic_of_one() -> None:
    mass, axis = (
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>",
        "<axis><xyz>1 0 0</xyz></axis>",
    )
    links = "".join(f'<link name="{n}">{mass}</link>' for n in ("base", "in", "out"))
    joint = f'<joint name="{{}}" type="revolute"><parent>base</parent><child>{{}}</child>{axis}</joint>'
    robot = gearwright.loads(
        f'<sdf version="1.9"><model name="m">{links}{joint.format("i", "in")}{joint.format("a&#10;b", "out")}'
        '<joint name="g" type="gearbox"><parent>in</parent><child>out</child><gearbox_ratio>5</gearbox_ratio>'
        f"<gearbox_reference_body>base</gearbox_reference_body>{axis}<axis2><xyz>1 0 0</xyz></axis2>"
        "</joint></model></sdf>"
    )
    assert robot.couplings["g"].follower.joint == "a\nb"
    assert all("\n" not in str(d) for d in robot.diagnostics)
    assert any("a\\nb = -5·i" in d.message for d in robot.diagnostics)
