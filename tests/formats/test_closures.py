"""Joints that close loops in files that have no element for them: Drake's constraints, and lists beside a URDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.cli import app
from gearwright.diagnostics import Diagnostic
from tests.tolerances import ROUNDING

MASS = '<inertial><origin xyz="0 0 0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'


def hinge(name: str, parent: str, child: str, xyz: str, rpy: str = "0 0 0") -> str:
    return (
        f'<joint name="{name}" type="continuous"><origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 1 0"/></joint>'
    )


# A parallelogram of 1 m and 2 m, open at the top right: `coupler` ends where `rocker` does.
LINKS = '<link name="base"/>' + "".join(f'<link name="{n}">{MASS}</link>' for n in ("crank", "coupler", "rocker"))
OPEN = (
    LINKS
    + hinge("a", "base", "crank", "0 0 0")
    + hinge("b", "crank", "coupler", "0 0 1", "0 1.5707963267948966 0")
    + hinge("d", "base", "rocker", "2 0 0")
)
TIPS = (
    '<link name="tip_1"/><link name="tip_2"/><joint name="t1" type="fixed"><origin xyz="0 0 2" '
    'rpy="0 -1.5707963267948966 0"/><parent link="coupler"/><child link="tip_1"/></joint><joint name="t2" type="fixed">'
    '<origin xyz="0 0 1"/><parent link="rocker"/><child link="tip_2"/></joint>'
)
FRAMES = (
    '<frame name="frame_1" link="coupler" xyz="0 0 2" rpy="0 -1.5707963267948966 0"/>'
    '<frame name="frame_2" link="rocker" xyz="0 0 1"/>'
)


def robot(parts: str, **options: Any) -> gw.Mechanism:
    return gw.loads(f'<robot name="r" xmlns:drake="d">{OPEN}{parts}</robot>', **options)


def warnings(mechanism: gw.Mechanism) -> list[Diagnostic]:
    return [d for d in mechanism.diagnostics if d.severity == "warning"]


def errors(parts: str, **options: Any) -> list[Diagnostic]:
    with pytest.raises(gw.LoadError) as caught:
        robot(parts, **options)
    return [d for d in caught.value.diagnostics if d.severity == "error"]


def closing(mechanism: gw.Mechanism, kind: str, parent: str = "coupler", child: str = "rocker") -> str:
    """The one joint that was added: its frames coincide where the parallelogram closes. Gives its name."""
    (j,) = (j for j in mechanism.joints.values() if j.name not in ("a", "b", "d", "t1", "t2"))
    assert (j.kind, j.parent, j.child) == (kind, parent, child)
    poses = mechanism.forward_kinematics({})
    ends = [np.asarray(poses[link]) @ X.matrix for link, X in ((parent, j.X_PJ), (child, j.X_CJ))]
    np.testing.assert_allclose(ends[0][:3, 3], [2, 0, 1], atol=ROUNDING)
    np.testing.assert_allclose(ends[1][:3, 3], [2, 0, 1], atol=ROUNDING)
    return j.name


def moves_as_one(mechanism: gw.Mechanism) -> None:
    assert mechanism.dof == 1
    sim = gw.compile(mechanism)
    sim.step(effort={"a": 1.0}, n=200)
    assert sim.position["a"] == pytest.approx(sim.position["d"], abs=1e-9)  # sides of a parallelogram
    assert abs(sim.position["a"]) > 0.005


# --- Drake's constraints ----------------------------------------------------------------------------------------------

BALL = (
    '<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/><drake:ball_constraint_p_AP value="0 0 2"/>'
    '<drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_BQ value="0 0 1"/></drake:ball_constraint>'
)


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_a_ball_constraint_closes_a_loop() -> None:
    mechanism = robot(BALL)
    assert closing(mechanism, "ball") == "ball_constraint_1"
    assert warnings(mechanism) == []
    assert [d.code for d in mechanism.diagnostics if d.code == "loop-closed"] == ["loop-closed"]
    moves_as_one(mechanism)


def test_where_a_ball_constraint_leaves_out_a_point() -> None:
    closing(robot(BALL.replace('<drake:ball_constraint_p_BQ value="0 0 1"/>', "")), "ball")


def test_a_weld_constraint_makes_frames_coincide() -> None:
    """As Drake's own example writes it: the second half of the coupler, which the rocker carries."""
    half = f'<link name="half">{MASS}</link>' + hinge("e", "rocker", "half", "0 0 1", "0 -1.5707963267948966 0")
    ends = "<drake:weld_constraint><{0}>{2}</{0}><{1}>{3}</{1}></drake:weld_constraint>"
    frames = '<frame name="f" link="coupler" xyz="0 0 1"/>'
    frames += '<frame name="g" link="half" xyz="0 0 1" rpy="0 3.141592653589793 0"/>'
    for tags in (("parent", "child"), ("drake:parent", "drake:child")):
        mechanism = robot(half + frames + ends.format(*tags, "f", "g"))
        weld = mechanism.joints["weld_constraint_1"]
        assert (weld.kind, weld.parent, weld.child) == ("fixed", "coupler", "half")
        assert mechanism.dof == 1 and warnings(mechanism) == []
        moves_as_one(mechanism)
    turned = '<drake:weld_constraint_X_BQ value="0 0 1 0 3.141592653589793 0"/></drake:weld_constraint>'
    placed = ends.format("parent", "child", "f", "half").replace("</drake:weld_constraint>", turned)
    assert robot(half + frames + placed).dof == 1


STIFF, SOFT = "2e4", "0"
BUSHINGS = {
    "continuous": ((1, 1, 1), (1, 0, 1), [(0.0, 1.0, 0.0)]),
    "ball": ((1, 1, 1), (0, 0, 0), []),
    "fixed": ((1, 1, 1), (1, 1, 1), []),
    "universal": ((1, 1, 1), (0, 0, 1), [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]),
    "prismatic": ((1, 0, 1), (1, 1, 1), [(0.0, 1.0, 0.0)]),
    "planar": ((0, 1, 0), (1, 0, 1), [(0.0, 1.0, 0.0)]),
}


def bushing(force: tuple[int, ...], torque: tuple[int, ...], damping: str = "0 0.5 0") -> str:
    stiffness = {k: " ".join(STIFF if x else SOFT for x in v) for k, v in (("force", force), ("torque", torque))}
    values = "".join(f'<drake:bushing_{k}_stiffness value="{v}"/>' for k, v in stiffness.items())
    values += f'<drake:bushing_torque_damping value="{damping}"/><drake:bushing_force_damping value="{damping}"/>'
    ends = '<drake:bushing_frameA name="frame_1"/><drake:bushing_frameC name="frame_2"/>'
    return f"{FRAMES}<drake:linear_bushing_rpy>{ends}{values}</drake:linear_bushing_rpy>"


@pytest.mark.parametrize("kind", BUSHINGS)
def test_a_bushing_is_the_joint_that_it_stands_for(kind: str) -> None:
    force, torque, axes = BUSHINGS[kind]
    mechanism = robot(bushing(force, torque))
    joint = mechanism.joints[closing(mechanism, kind)]
    assert [a.xyz for a in joint.axes] == axes
    assert [a.dynamics.damping for a in joint.axes] == [0.5 if a[1] else 0.0 for a in axes]
    found = next(d for d in warnings(mechanism) if "bushing" in d.message)
    assert found.code == "not-simulated" and f"simulated as a {kind} joint" in found.message


def test_a_bushing_that_is_no_joint_is_left_out() -> None:
    mechanism = robot(bushing((1, 0, 1), (0, 0, 1)))
    assert list(mechanism.joints) == ["a", "b", "d"]
    assert [d.code for d in warnings(mechanism)] == ["not-simulated"]


def test_a_hinge_of_a_bushing_moves_and_damps() -> None:
    mechanism = robot(bushing((1, 1, 1), (1, 0, 1)))
    moves_as_one(mechanism)


def test_frames_on_links_are_read() -> None:
    mechanism = robot(FRAMES)
    assert {n: f.link for n, f in mechanism.frames.items()} == {"frame_1": "coupler", "frame_2": "rocker"}
    assert warnings(mechanism) == []
    assert [d.code for d in warnings(robot('<frame name="f" link="nobody"/>'))] == ["link-not-found"]


def test_constraints_of_drake_that_are_not_simulated_are_warned_of() -> None:
    found = warnings(robot("<drake:distance_constraint><drake:x/></drake:distance_constraint>"))
    assert [(d.code, "drake:distance_constraint" in d.message) for d in found] == [("not-simulated", True)]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (('name="coupler"', 'name="cuopler"'), "link-not-found"),
        (('<drake:ball_constraint_body_A name="coupler"/>', ""), "element-missing"),
        (('value="0 0 2"', 'value="0 2"'), "number-invalid"),
        (('name="coupler"', 'name="rocker"'), "joint-self"),
    ],
)
def test_constraints_that_cannot_be(changed: tuple[str, str], code: str) -> None:
    (d,) = errors(BALL.replace(*changed))
    assert d.code == code and d.line


SDF_BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
SDF = f"""<sdf version="1.9"><model name="m">
<link name="base">{SDF_BODY}</link><link name="crank">{SDF_BODY}</link>
<link name="rocker"><pose>2 0 0 0 0 0</pose>{SDF_BODY}</link>
<joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="a" type="revolute"><parent>base</parent><child>crank</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="d" type="revolute"><parent>base</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint>
<model name="inner"><pose>0 0 1 0 0 0</pose><link name="coupler">{SDF_BODY}</link>
<frame name="end"><pose>2 0 0 0 0 0</pose></frame></model>
<joint name="b" type="revolute"><parent>crank</parent><child>inner::coupler</child><axis><xyz>0 1 0</xyz></axis></joint>
<frame name="top" attached_to="rocker"><pose>0 0 1 0 0 0</pose></frame>
{{}}</model></sdf>"""


@pytest.mark.parametrize(
    ("constraint", "kind"),
    [
        (
            "<drake:ball_constraint><drake:ball_constraint_body_A>inner::coupler</drake:ball_constraint_body_A>"
            "<drake:ball_constraint_p_AP>2 0 0</drake:ball_constraint_p_AP><drake:ball_constraint_body_B>rocker"
            "</drake:ball_constraint_body_B><drake:ball_constraint_p_BQ>0 0 1</drake:ball_constraint_p_BQ>"
            "</drake:ball_constraint>",
            "ball",
        ),
        (
            "<drake:linear_bushing_rpy><drake:bushing_frameA>inner::end</drake:bushing_frameA><drake:bushing_frameC>top"
            "</drake:bushing_frameC><drake:bushing_force_stiffness>1 1 1</drake:bushing_force_stiffness>"
            "<drake:bushing_torque_stiffness>1 0 1</drake:bushing_torque_stiffness></drake:linear_bushing_rpy>",
            "continuous",
        ),
    ],
)
def test_constraints_in_sdformat(constraint: str, kind: str) -> None:
    mechanism = gw.loads(SDF.format(constraint))
    (j,) = mechanism.tree.cuts
    assert (j.kind, j.parent, j.child) == (kind, "inner::coupler", "rocker")
    assert mechanism.dof == 1


# --- lists ------------------------------------------------------------------------------------------------------------

PIN = {"name": "pin", "type": "revolute", "links": ["coupler", "rocker"], "origin": [0, 0, 2], "axis": [0, 2, 0]}
BOTH = {k: v for k, v in PIN.items() if k != "origin"} | {"origins": [[0, 0, 2, 0, -np.pi / 2, 0], "0 0 1"]}
LISTS: dict[str, tuple[Any, str]] = {
    "a pair": ([["tip_1", "tip_2"]], "fixed"),
    "a mapping": ([PIN], "revolute"),
    "origins in both": ([BOTH], "revolute"),
    "a key": ({"closures": [PIN]}, "revolute"),
    "3d": ({"closed_loop": [["tip_1", "tip_2"]], "type": ["3d"], "name_mot": ["a"]}, "ball"),
    "6D by default": ({"closed_loop": [["tip_1", "tip_2"]]}, "fixed"),
    "another name of a type": ([{**PIN, "type": "spherical_joint"}], "ball"),
}


@pytest.mark.parametrize("case", LISTS)
def test_lists_of_closures(case: str, tmp_path: Path) -> None:
    import yaml

    given, kind = LISTS[case]
    ends = ("tip_1", "tip_2") if "tip_1" in str(given) else ("coupler", "rocker")
    name = closing(robot(TIPS, closures=given), kind, *ends)
    assert name == ("pin" if "pin" in str(given) else "closure_1")
    file = tmp_path / "closures.yaml"
    file.write_text(yaml.safe_dump(given))
    assert closing(robot(TIPS, closures=file), kind, *ends) == name
    assert closing(robot(TIPS, closures=str(file)), kind, *ends) == name


def test_a_listed_closure_is_the_joint_that_gazebo_has() -> None:
    joint = '<gazebo><joint name="pin" type="{}"><pose>0 0 1 0 0 0</pose><parent>coupler</parent><child>rocker</child>'
    theirs = robot(joint.format("revolute") + "<axis><xyz>0 1 0</xyz></axis></joint></gazebo>")
    ours = robot("", closures=[BOTH])
    a, b = theirs.joints["pin"], ours.joints["pin"]
    assert (a.kind, a.parent, a.child, a.axes) == (b.kind, b.parent, b.child, b.axes)
    for mine, other in ((a.X_PJ, b.X_PJ), (a.X_CJ, b.X_CJ)):
        np.testing.assert_allclose(mine.matrix, other.matrix, atol=ROUNDING)
    moves_as_one(ours)


XML = {
    "loop_joint": (
        '<loop_joint name="pin" type="continuous"><axis xyz="0 1 0"/><link1 link="coupler" xyz="0 0 2" '
        'rpy="0 -1.5707963267948966 0"/><link2 link="rocker" xyz="0 0 1"/></loop_joint>'
    ),
    "constraint": (
        '<constraint name="pin" type="spherical_joint"><parent link="coupler"/><parent_origin xyz="0 0 2" rpy="0 0 0"/>'
        '<child link="rocker"/><child_origin xyz="0 0 1" rpy="0 0 0"/></constraint>'
    ),
    "loop": (
        '<loop name="pin" type="revolute"><predecessor link="coupler">'
        '<origin xyz="0 0 2" rpy="0 -1.5707963267948966 0"/></predecessor><successor link="rocker">'
        '<origin xyz="0 0 1"/></successor><axis xyz="0 1 0"/></loop>'
    ),
    "closure": '<closure name="pin" link1="tip_1" link2="tip_2"/>',
}
KINDS = {"loop_joint": "continuous", "constraint": "ball", "loop": "revolute", "closure": "fixed"}


@pytest.mark.parametrize("tag", XML)
def test_lists_in_xml(tag: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.srdf"
    file.write_text(f'<robot name="r"><group name="arm"/>{XML[tag]}<disable_collisions link1="a" link2="b"/></robot>')
    ends = ("tip_1", "tip_2") if tag == "closure" else ("coupler", "rocker")
    assert closing(robot(TIPS, closures=file), KINDS[tag], *ends) == "pin"


@pytest.mark.parametrize("tag", ["loop_joint", "constraint", "loop"])
def test_such_elements_in_the_urdf_itself_are_warned_of(tag: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(f'<robot name="r">{OPEN}{XML[tag]}</robot>')
    (d,) = warnings(gw.load(file))
    assert d.code == "not-simulated" and f"closures='{file}' reads it" in d.message
    closing(gw.load(file, closures=file), KINDS[tag])


def test_types_of_joints_that_a_list_changes() -> None:
    given = {"closed_loop": [["tip_1", "tip_2"]], "joint_name": ["b", "d"], "joint_type": ["SPHERICAL", "UJOINT_YX"]}
    mechanism = robot(TIPS, closures=given)
    assert [mechanism.joints[n].kind for n in "abd"] == ["continuous", "ball", "universal"]
    assert [a.xyz for a in mechanism.joints["d"].axes] == [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]


WRONG: dict[str, tuple[Any, str, str]] = {
    "no list": ({"loops": []}, "closure-value", "closed_loop"),
    "three links": ([["a", "b", "c"]], "closure-value", "two links"),
    "an unknown key": ([{**PIN, "axes": 1}], "closure-value", "'axes'"),
    "an unknown link": ([["tip_1", "tip_3"]], "link-not-found", "did you mean 'tip_2' or 'tip_1'?"),
    "an unknown type": ([{**PIN, "type": "revolut"}], "joint-type-unknown", "did you mean 'revolute'"),
    "no numbers": ([{**PIN, "origin": "here"}], "closure-value", "an origin must be 3 or 6 numbers"),
    "no axis": ([{**PIN, "axis": "0 0 0"}], "closure-value", "length zero"),
    "itself": ([["tip_1", "tip_1"]], "joint-self", "to itself"),
    "uneven lists": (
        {"closed_loop": [["tip_1", "tip_2"]], "type": ["3d", "6d"]},
        "closure-value",
        "of the same length",
    ),
    "an unknown joint": ({"closed_loop": [], "joint_name": ["x"], "joint_type": ["FIXED"]}, "closure-value", "'x'"),
    "no such file": ("nowhere.yaml", "file-unreadable", "nowhere.yaml"),
}


@pytest.mark.parametrize("case", WRONG)
def test_lists_that_cannot_be(case: str) -> None:
    given, code, message = WRONG[case]
    (d,) = errors(TIPS, closures=given)
    assert (d.code, message in d.message) == (code, True), d


def test_files_that_cannot_be(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    for text, code in (
        ("a: [", "closure-value"),
        ("!!python/object/apply:os.system [echo]", "closure-value"),
        ("<robot>", "xml-malformed"),
        ('<robot><closure link1="tip_1"/></robot>', "closure-value"),
        ('<robot><closure link1="tip_1" link2="tip_2" axis="x"/></robot>', "closure-value"),
        (f"closures: {'[' * 2000}", "closure-value"),
    ):
        file.write_text(text)
        assert [d.code for d in errors(TIPS, closures=file)] == [code], text
    with pytest.raises(gw.ModelError, match="closures must be the path of a file"):
        robot(TIPS, closures=3)


def test_a_name_that_is_taken_gets_a_number() -> None:
    mechanism = robot(TIPS, closures=[{"name": "a", "links": ["tip_1", "tip_2"]}])
    assert list(mechanism.joints)[-1] == "a_1"


def test_closures_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{OPEN}{TIPS}</robot>')
    (tmp_path / "loops.yaml").write_text("closed_loop: [[tip_1, tip_2]]\ntype: ['3d']\n")
    for options, loops in (([], 0), (["--closures", str(tmp_path / "loops.yaml")], 1)):
        done = CliRunner().invoke(app, ["check", str(tmp_path / "robot.urdf"), "--json", *options])
        assert done.exit_code == 0 and f'"loops": {loops}' in done.output
