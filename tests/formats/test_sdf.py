"""SDFormat: frames, poses, axes, nesting and includes, and what changed between versions."""

from __future__ import annotations

from math import inf, pi, radians
from pathlib import Path

import numpy as np
import pytest

import gearwright
from gearwright import LoadError, Mechanism
from gearwright.model import Pose
from tests.tolerances import ROUNDING

AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def sdf(parts: str, version: str = "1.11", attributes: str = "") -> str:
    return f'<sdf version="{version}"><model name="m"{attributes}>{parts}</model></sdf>'


def robot(parts: str, version: str = "1.11", attributes: str = "", **options: object) -> Mechanism:
    return gearwright.loads(sdf(parts, version, attributes), **options)  # type: ignore[arg-type]


BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def link(name: str, pose: str = "", attributes: str = "") -> str:
    placed = f"<pose{attributes}>{pose}</pose>" if pose else ""
    return f'<link name="{name}">{placed}{BODY}</link>'


def joint(name: str, kind: str, parent: str, child: str, inner: str = AXIS) -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inner}</joint>'


def errors(parts: str, version: str = "1.11", attributes: str = "") -> list[str]:
    with pytest.raises(LoadError) as caught:
        robot(parts, version, attributes)
    return [d.code for d in caught.value.diagnostics if d.severity == "error"]


def placed(m: Mechanism, name: str, **position: float) -> np.ndarray:
    return m.forward_kinematics(position)[name]


def pose(x: float, y: float, z: float, r: float, p: float, w: float) -> np.ndarray:
    return Pose.from_rpy((x, y, z), (r, p, w)).matrix


# --- poses ------------------------------------------------------------------------------------------------------------


def test_links_stand_in_the_model_frame() -> None:
    m = robot(f"<pose>1 2 3 0 0 0.5</pose>{link('a')}{link('b', '0 0 1 0.1 0.2 0.3')}")
    np.testing.assert_allclose(placed(m, "a"), pose(1, 2, 3, 0, 0, 0.5), atol=ROUNDING, rtol=ROUNDING)
    np.testing.assert_allclose(
        placed(m, "b"), pose(1, 2, 3, 0, 0, 0.5) @ pose(0, 0, 1, 0.1, 0.2, 0.3), atol=ROUNDING, rtol=ROUNDING
    )


@pytest.mark.parametrize("order", [1, -1])
def test_relative_to_in_any_order(order: int) -> None:
    parts = [
        link("a", "0 0 1 0 0 0.3"),
        link("b", "1 0 0 0.2 0 0", ' relative_to="a"'),
        '<frame name="f"><pose relative_to="b">0 1 0 0 0.1 0</pose></frame>',
        link("c", "0 0 2 0 0 0", ' relative_to="f"'),
    ]
    m = robot("".join(parts[::order]))
    expected = pose(0, 0, 1, 0, 0, 0.3) @ pose(1, 0, 0, 0.2, 0, 0) @ pose(0, 1, 0, 0, 0.1, 0) @ pose(0, 0, 2, 0, 0, 0)
    np.testing.assert_allclose(placed(m, "c"), expected, atol=ROUNDING, rtol=ROUNDING)


@pytest.mark.parametrize("order", [1, -1])
def test_long_chains_of_frames_in_either_order(order: int) -> None:
    """Which part is written first does not matter."""
    n = 400
    frames = [
        f'<frame name="f{i}"><pose relative_to="{f"f{i - 1}" if i else "a"}">0 0 0.01 0 0 0</pose></frame>'
        for i in range(n)
    ]
    m = robot(link("a") + "".join(frames[::order]) + link("b", "0 0 0 0 0 0", f' relative_to="f{n - 1}"'))
    assert placed(m, "b")[2, 3] == pytest.approx(0.01 * n, rel=ROUNDING)


def test_a_joint_may_be_relative_to() -> None:
    hinge = joint("j", "revolute", "a", "b", f"<pose>0 0 1 0 0 0</pose>{AXIS}")
    m = robot(
        link("a")
        + link("b", "1 0 0 0 0 0")
        + hinge
        + '<frame name="f"><pose relative_to="j"/></frame>'
        + link("c", "0 1 0 0 0 0", ' relative_to="j"')
    )
    np.testing.assert_allclose(placed(m, "c")[:3, 3], [1, 1, 1], rtol=ROUNDING)
    assert m.frames["f"].link == "a"  # the canonical link carries what is attached to the model


def test_degrees_and_quaternions() -> None:
    m = robot(
        link("a", "0 0 0 90 0 0", ' degrees="true"')
        + link("b", "0 0 0 0.7071067811865476 0 0 0.7071067811865476", ' rotation_format="quat_xyzw"')
        + link("c", "0 0 0 1.5707963267948966 0 0")
    )
    for name in "ab":
        np.testing.assert_allclose(placed(m, name), placed(m, "c"), atol=ROUNDING, rtol=ROUNDING)


def test_an_empty_pose_is_the_identity() -> None:
    m = robot(link("a", "1 0 0 0 0 0") + f'<link name="b"><pose relative_to="a"/>{BODY}</link>')
    np.testing.assert_allclose(placed(m, "b"), placed(m, "a"), rtol=ROUNDING)


def test_placement_frame_puts_that_frame_at_the_pose() -> None:
    m = robot(
        "<pose>0 0 5 0 0 0</pose>" + link("a", "1 0 0 0 0 0") + link("b", "3 0 0 0 0 1"),
        attributes=' placement_frame="b"',
    )
    np.testing.assert_allclose(placed(m, "b"), pose(0, 0, 5, 0, 0, 0), atol=ROUNDING, rtol=ROUNDING)


def test_frames_ride_on_what_they_are_attached_to() -> None:
    frames = (
        '<frame name="f" attached_to="b"><pose>0 0 1 0 0 0</pose></frame><frame name="g" '
        'attached_to="f"/><frame name="h" attached_to="j"/>'
    )
    m = robot(link("a") + link("b", "1 0 0 0 0 0") + joint("j", "revolute", "a", "b") + frames)
    assert {n: f.link for n, f in m.frames.items()} == {"f": "b", "g": "b", "h": "b"}
    np.testing.assert_allclose(m.frames["g"].X_LF.p, [0, 0, 1], rtol=ROUNDING)


def test_joints_may_name_frames() -> None:
    m = robot(link("a") + link("b") + '<frame name="f" attached_to="b"/>' + joint("j", "fixed", "a", "f", ""))
    assert m.joints["j"].child == "b"


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ('<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>', "frame-cycle"),
        ('<frame name="f"><pose relative_to="f"/></frame>', "frame-cycle"),
        ('<frame name="f" attached_to="nothing"/>', "frame-not-found"),
        (link("c", "0 0 0 0 0 0", ' relative_to="nothing"'), "frame-not-found"),
        ('<frame name="a"/>', "name-duplicate"),
        ('<frame name="__f__"/>', "name-reserved"),
        ('<link name="world"/>', "name-reserved"),
    ],
)
def test_frames_that_cannot_be(parts: str, code: str) -> None:
    assert code in errors(link("a") + parts)


def test_before_17_a_joint_may_share_a_links_name() -> None:
    parts = link("a") + link("b") + joint("b", "revolute", "a", "b")
    assert robot(parts, "1.6").joints["b"].child == "b"
    assert "name-duplicate" in errors(parts, "1.7")


# --- axes -------------------------------------------------------------------------------------------------------------

QUARTER = pi / 2  # the child is turned by a quarter about x: its z axis is the model's −y


def axis_in_model(version: str, inner: str) -> np.ndarray:
    """The direction of the joint's axis in the model's frame."""
    m = robot(
        link("a")
        + link("b", f"0 0 0 {QUARTER} 0 0")
        + joint("j", "revolute", "a", "b", f"<axis><xyz>0 0 1</xyz>{inner}</axis>"),
        version,
    )
    X = m.forward_kinematics()["b"] @ m.joints["j"].X_CJ.matrix
    return X[:3, :3] @ np.array(m.joints["j"].axes[0].xyz)


JOINT_FRAME, MODEL_FRAME = [0, -1, 0], [0, 0, 1]


@pytest.mark.parametrize(
    ("version", "inner", "expected"),
    [
        ("1.4", "", MODEL_FRAME),
        ("1.5", "", JOINT_FRAME),
        ("1.6", "", JOINT_FRAME),
        ("1.7", "", JOINT_FRAME),
        ("1.11", "", JOINT_FRAME),
        ("1.4", "<use_parent_model_frame>0</use_parent_model_frame>", JOINT_FRAME),
        ("1.5", "<use_parent_model_frame>1</use_parent_model_frame>", MODEL_FRAME),
        ("1.6", "<use_parent_model_frame>true</use_parent_model_frame>", MODEL_FRAME),
        ("1.6", "<use_parent_model_frame>0</use_parent_model_frame>", JOINT_FRAME),
    ],
)
def test_the_frame_of_an_axis_by_version(version: str, inner: str, expected: list[float]) -> None:
    np.testing.assert_allclose(axis_in_model(version, inner), expected, atol=ROUNDING, rtol=ROUNDING)


def test_expressed_in() -> None:
    frames = f'<frame name="f"><pose>0 0 0 0 {QUARTER} 0</pose></frame>'
    for where, expected in (("__model__", [0, 0, 1]), ("f", [1, 0, 0]), ("b", [0, -1, 0]), ("a", [0, 0, 1])):
        inner = f'<axis><xyz expressed_in="{where}">0 0 1</xyz></axis>'
        m = robot(link("a") + link("b", f"0 0 0 {QUARTER} 0 0") + frames + joint("j", "revolute", "a", "b", inner))
        X = m.forward_kinematics()["b"] @ m.joints["j"].X_CJ.matrix
        np.testing.assert_allclose(
            X[:3, :3] @ np.array(m.joints["j"].axes[0].xyz), expected, atol=ROUNDING, rtol=ROUNDING
        )


def test_an_axis_expressed_in_nothing() -> None:
    assert "frame-not-found" in errors(
        link("a") + link("b") + joint("j", "revolute", "a", "b", '<axis><xyz expressed_in="x">0 0 1</xyz></axis>')
    )


def test_both_axes_of_a_universal_joint() -> None:
    inner = (
        "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><mimic joint='j'>"
        "<multiplier>3</multiplier></mimic></axis2>"
    )
    m = robot(joint("j", "universal", "a", "b", inner) + link("a") + link("b") + joint("w", "fixed", "world", "a", ""))
    assert [a.xyz for a in m.joints["j"].axes] == [(1, 0, 0), (0, 1, 0)]
    assert m.couplings["j.axis2"].formula == "j.axis2 = 3·j + 0"
    assert m.dof == 1
    assert m.configuration({"j.axis": 0.1})["j"] == pytest.approx((0.1, 0.3), rel=ROUNDING)


# --- joints -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "dof"),
    [
        ("fixed", 0),
        ("revolute", 1),
        ("continuous", 1),
        ("prismatic", 1),
        ("screw", 1),
        ("universal", 2),
        ("revolute2", 2),
        ("ball", 3),
    ],
)
def test_joint_types(kind: str, dof: int) -> None:
    axes = AXIS + "<axis2><xyz>0 1 0</xyz></axis2>"
    m = robot(link("a") + link("b") + joint("w", "fixed", "world", "a", "") + joint("j", kind, "a", "b", axes))
    assert (m.joints["j"].kind, m.dof) == (kind, dof)


def test_a_joint_stands_in_its_childs_frame() -> None:
    m = robot(
        link("a") + link("b", "1 0 0 0 0 0") + joint("j", "revolute", "a", "b", f"<pose>0 0.5 0 0 0 0</pose>{AXIS}"),
        base="fixed",
    )
    np.testing.assert_allclose(m.joints["j"].X_PJ.p, [1, 0.5, 0], rtol=ROUNDING)
    np.testing.assert_allclose(m.joints["j"].X_CJ.p, [0, 0.5, 0], rtol=ROUNDING)
    np.testing.assert_allclose(placed(m, "b", j=pi)[:3, 3], [1, 1, 0], atol=ROUNDING, rtol=ROUNDING)


LIMITED = "<axis><xyz>0 0 1</xyz><limit>{}</limit></axis>"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity>", (-1, 2, 3, 4)),
        ("", (-inf, inf, inf, inf)),
        ("<lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity>", (-inf, inf, inf, inf)),
        ("<lower>-inf</lower><upper>inf</upper><effort>inf</effort><velocity>inf</velocity>", (-inf, inf, inf, inf)),
        ("<lower>-1.79769e+308</lower><upper>1.79769e+308</upper>", (-inf, inf, inf, inf)),
        ("<lower>-1e17</lower><upper>0.5</upper>", (-inf, 0.5, inf, inf)),
    ],
)
def test_limits(inner: str, expected: tuple[float, ...]) -> None:
    limits = (
        robot(link("a") + link("b") + joint("j", "revolute", "a", "b", LIMITED.format(inner)))
        .joints["j"]
        .axes[0]
        .limits
    )
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == expected


def test_stops_and_springs() -> None:
    inner = (
        "<axis><xyz>0 0 1</xyz><limit><stiffness>5</stiffness><dissipation>6</dissipation></limit>"
        "<dynamics><damping>1</damping>"
        "<friction>2</friction><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>4</spring_reference></dynamics></axis>"
    )
    a = robot(link("a") + link("b") + joint("j", "revolute", "a", "b", inner)).joints["j"].axes[0]
    assert (a.limits.stiffness, a.limits.dissipation) == (5, 6)
    assert (a.dynamics.damping, a.dynamics.friction, a.dynamics.spring_stiffness, a.dynamics.spring_reference) == (
        1,
        2,
        3,
        4,
    )


def test_screws_old_and_new() -> None:
    """Metres a turn, right-handed; the older number is radians a metre and turns the other way."""

    def travel(inner: str) -> float:
        m = robot(link("a") + link("b") + joint("j", "screw", "a", "b", inner + AXIS), base="fixed")
        return float(placed(m, "b", j=2 * pi)[2, 3])

    assert travel("<screw_thread_pitch>0.01</screw_thread_pitch>") == pytest.approx(0.01, rel=ROUNDING)
    assert travel("<thread_pitch>10</thread_pitch>") == pytest.approx(-2 * pi / 10, rel=ROUNDING)
    assert travel("<screw_thread_pitch>0.01</screw_thread_pitch><thread_pitch>10</thread_pitch>") == pytest.approx(
        0.01, rel=ROUNDING
    )


def test_mimic_of_an_axis() -> None:
    inner = (
        "<axis><xyz>0 0 1</xyz><mimic joint='j' axis='axis2'><multiplier>2</multiplier>"
        "<offset>0.1</offset><reference>0.3</reference></mimic></axis>"
    )
    two = AXIS + "<axis2><xyz>0 1 0</xyz></axis2>"
    m = robot(
        link("a")
        + link("b")
        + link("c")
        + joint("j", "universal", "a", "b", two)
        + joint("k", "revolute", "b", "c", inner),
        base="fixed",
    )
    c = m.couplings["k"]
    assert str(c.leader) == "j.axis2"
    assert m.configuration({"j": [0.0, 1.0]})["k"] == pytest.approx((2 * (1.0 - 0.3) + 0.1,), rel=ROUNDING)
    assert c.row[0] == {c.follower: 1.0, c.leader: -2.0}
    assert c.row[1] == pytest.approx(2 * 0.3 - 0.1, rel=ROUNDING)


# --- the base ---------------------------------------------------------------------------------------------------------


def test_a_model_floats_unless_tied() -> None:
    parts = link("a", "0 0 3 0 0 0") + link("b") + joint("j", "revolute", "a", "b")
    assert robot(parts).dof == 7
    assert robot(parts, base="fixed").dof == 1
    assert robot(parts + "<static>true</static>").dof == 1
    assert robot(parts + "<static>1</static>", base="floating").dof == 7
    assert robot(parts + joint("w", "fixed", "world", "a", "")).dof == 1
    for m in (robot(parts), robot(parts, base="fixed"), robot(parts + joint("w", "fixed", "world", "a", ""))):
        assert placed(m, "a")[2, 3] == 3


def test_several_parts_each_get_a_base() -> None:
    m = robot(link("a") + link("b", "1 0 0 0 0 0") + link("c") + joint("j", "fixed", "b", "c", ""))
    assert [(n, j.child) for n, j in m.bases.items()] == [("base", "a"), ("base_b", "b")]
    assert m.dof == 12


def test_the_base_gives_way_to_joints_of_its_name() -> None:
    m = robot(link("a") + link("b") + joint("base", "revolute", "a", "b"))
    assert list(m.bases) == ["base_"]
    assert m.joint("base").kind == "revolute"


# --- nesting and includes ---------------------------------------------------------------------------------------------

INNER = (
    '<model name="inner"><pose>0 0 1 0 0 '
    f"{QUARTER}</pose>{link('x', '1 0 0 0 0 0')}{link('y')}{joint('j', 'revolute', 'x', 'y')}</model>"
)


def test_nested_models_are_scoped() -> None:
    m = robot(link("a") + INNER + joint("weld", "fixed", "a", "inner::x", "") + '<frame name="f" attached_to="inner"/>')
    assert list(m.links) == ["inner::x", "inner::y", "a"]
    assert set(m.joints) == {"inner::j", "weld"}
    np.testing.assert_allclose(placed(m, "inner::x")[:3, 3], [0, 1, 1], atol=ROUNDING, rtol=ROUNDING)
    assert m.frames["f"].link == "inner::x"
    assert m.dof == 7


def test_models_in_models_in_models() -> None:
    parts = link("a") + (
        '<model name="one"><pose>1 0 0 0 0 0</pose><model name="two"><pose>0 1 0 0 0 '
        f"0</pose>{link('z', '0 0 1 0 0 0')}</model></model>"
    )
    m = robot(
        parts + joint("j", "revolute", "a", "one::two::z", '<axis><xyz expressed_in="one::two">0 0 1</xyz></axis>')
    )
    np.testing.assert_allclose(placed(m, "one::two::z")[:3, 3], [1, 1, 1], rtol=ROUNDING)
    assert m.joints["j"].child == "one::two::z"


def test_nested_couplings_and_devices_are_scoped() -> None:
    inner = (
        '<model name="n">'
        + link("x")
        + link("y")
        + link("z")
        + joint("j", "revolute", "x", "y")
        + joint("k", "revolute", "y", "z", '<axis><xyz>0 0 1</xyz><mimic joint="j"/></axis>')
        + '<actuator name="m"><joint>j</joint></actuator><encoder name="e"><actuator>m</actuator></encoder></model>'
    )
    m = robot(link("a") + inner)
    assert str(m.couplings["n::k"].leader) == "n::j"
    assert str(m.actuators["n::m"].joint) == "n::j"
    assert m.sensors["n::e"].actuator == "n::m"


PART = sdf(link("x") + link("y", "0 0 1 0 0 0") + joint("j", "revolute", "x", "y")).replace('name="m"', 'name="part"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "part.sdf").write_text(PART)
    (tmp_path / "models" / "tool").mkdir(parents=True)
    (tmp_path / "models" / "tool" / "model.sdf").write_text(PART)
    return tmp_path


def from_file(folder: Path, parts: str, version: str = "1.11", **options: object) -> Mechanism:
    (folder / "robot.sdf").write_text(sdf(parts, version))
    return gearwright.load(folder / "robot.sdf", **options)  # type: ignore[arg-type]


def test_an_include_is_a_nested_model(folder: Path) -> None:
    m = from_file(
        folder,
        link("a", "0 0 1 0 0 0")
        + '<include><uri>part.sdf</uri><name>tool</name><pose relative_to="a">1 0 0 0 0 0</pose></include>',
    )
    assert set(m.links) == {"a", "tool::x", "tool::y"}
    np.testing.assert_allclose(placed(m, "tool::y")[:3, 3], [1, 0, 2], rtol=ROUNDING)


def test_an_include_twice_by_different_names(folder: Path) -> None:
    two = "".join(f"<include><uri>part.sdf</uri><name>{n}</name></include>" for n in ("left", "right"))
    assert set(from_file(folder, link("a") + two).links) == {"a", "left::x", "left::y", "right::x", "right::y"}


def test_an_include_may_be_static(folder: Path) -> None:
    m = from_file(folder, link("a") + "<include><uri>part.sdf</uri><static>true</static></include>")
    assert {j.child: j.kind for j in m.bases.values()} == {"a": "floating", "part::x": "fixed"}


def test_an_include_with_a_placement_frame(folder: Path) -> None:
    m = from_file(
        folder,
        link("a")
        + "<include><uri>part.sdf</uri><pose>0 0 5 0 0 0</pose><placement_frame>y</placement_frame></include>",
    )
    assert placed(m, "part::y")[2, 3] == pytest.approx(5, rel=ROUNDING)
    assert placed(m, "part::x")[2, 3] == pytest.approx(4, rel=ROUNDING)


def test_a_merged_include_has_no_scope_of_its_own(folder: Path) -> None:
    m = from_file(
        folder,
        link("a")
        + '<include merge="true"><uri>part.sdf</uri><pose>1 0 0 0 0 0</pose></include>'
        + joint("w", "fixed", "a", "x", ""),
    )
    assert set(m.links) == {"a", "x", "y"}
    assert set(m.joints) == {"j", "w"}
    np.testing.assert_allclose(placed(m, "y")[:3, 3], [1, 0, 1], rtol=ROUNDING)


def test_a_merged_include_keeps_both_versions(folder: Path) -> None:
    """The older file's axes are in its model's frame, the newer one's in their joints'."""
    old = sdf(link("x") + link("y", f"0 0 0 {QUARTER} 0 0") + joint("j", "revolute", "x", "y"), "1.4").replace(
        'name="m"', 'name="old"'
    )
    (folder / "old.sdf").write_text(old)
    m = from_file(
        folder,
        link("a")
        + link("b", f"0 0 0 {QUARTER} 0 0")
        + joint("k", "revolute", "a", "b")
        + '<include merge="true"><uri>old.sdf</uri></include>',
    )
    assert m.joints["k"].axes[0].xyz == (0, 0, 1)
    assert m.joints["j"].axes[0].xyz == pytest.approx((0, 1, 0), rel=ROUNDING)


def test_addresses_are_found_on_the_search_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = link("a") + "<include><uri>model://tool</uri></include>"
    assert "part::x" in from_file(folder, parts, search_path=[folder / "models"]).links
    monkeypatch.setenv("GEARWRIGHT_PATH", str(folder / "models"))
    assert "part::x" in from_file(folder, parts).links
    assert (
        "part::x" in gearwright.loads(sdf(link("a") + "<include><uri>package://tool/model.sdf</uri></include>")).links
    )


def test_an_included_file_must_hold_one_model(folder: Path) -> None:
    for text in (
        "<mujoco model='r'/>",
        '<sdf version="1.11"/>',
        '<sdf version="1.11"><model name="a"/><model name="b"/></sdf>',
    ):
        (folder / "odd.sdf").write_text(text)
        with pytest.raises(LoadError, match="include-not-found"):
            from_file(folder, link("a") + "<include><uri>odd.sdf</uri></include>")


def test_problems_in_an_included_file_name_that_file(folder: Path) -> None:
    (folder / "bad.sdf").write_text(sdf("\n\n" + joint("j", "revolute", "x", "y")).replace('name="m"', 'name="bad"'))
    with pytest.raises(LoadError) as caught:
        from_file(folder, link("a") + "<include><uri>bad.sdf</uri></include>")
    found = [d for d in caught.value.diagnostics if d.code == "link-not-found"]
    assert found
    assert all(d.file.endswith("bad.sdf") and d.line == 3 for d in found)


# --- worlds -----------------------------------------------------------------------------------------------------------

WORLD = (
    '<sdf version="1.11"><world name="w"><gravity>0 0 -1</gravity><frame name="f"><pose>0 0 7 0 0 0</pose></frame>'
    f'<model name="ground"><static>true</static>{link("g")}</model><model '
    f'name="arm">{link("a")}</model>{{}}</world></sdf>'
)


def test_the_only_model_that_moves_is_taken() -> None:
    m = gearwright.loads(WORLD.format(""))
    assert (m.name, list(m.links), m.gravity) == ("arm", ["a"], (0, 0, -1))


def test_a_model_is_chosen_by_name() -> None:
    two = WORLD.format(f'<model name="leg">{link("l")}</model>')
    assert set(gearwright.loads(two).links) == {"ground::g", "arm::a", "leg::l"}  # several move: all of them
    assert list(gearwright.loads(two, model="leg").links) == ["l"]
    assert set(gearwright.loads(two, model="*").links) == {"ground::g", "arm::a", "leg::l"}
    with pytest.raises(LoadError, match="did you mean 'leg'"):
        gearwright.loads(two, model="lge")


def test_all_models_of_a_world_keep_their_bases() -> None:
    m = gearwright.loads(WORLD.format(f'<model name="leg"><pose relative_to="f"/>{link("l")}</model>'), model="*")
    assert {j.child: j.kind for j in m.bases.values()} == {
        "ground::g": "fixed",
        "arm::a": "floating",
        "leg::l": "floating",
    }
    assert placed(m, "leg::l")[2, 3] == 7


def test_a_models_pose_relative_to_a_frame_of_the_world_is_not_lost() -> None:
    m = gearwright.loads(WORLD.format(f'<model name="leg"><pose relative_to="f"/>{link("l")}</model>'), model="leg")
    assert placed(m, "l")[2, 3] == 7
    assert [d.severity for d in m.diagnostics] == ["info", "info"]  # of the other models


def test_a_bare_model_is_read() -> None:
    m = gearwright.loads(f'<model name="m">{link("a")}</model>')
    assert list(m.links) == ["a"]
    assert "version-unknown" in [d.code for d in m.diagnostics]


@pytest.mark.parametrize("version", ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"])
def test_known_versions(version: str) -> None:
    assert not robot(link("a"), version).diagnostics


# --- links ------------------------------------------------------------------------------------------------------------


def test_inertia_of_a_link() -> None:
    text = (
        '<link name="a"><inertial><pose degrees="true">0 0 1 0 0 90</pose><mass>2</mass><inertia>'
        "<ixx>1</ixx><iyy>2</iyy><izz>2.5</izz>"
        "<ixy>0</ixy></inertia></inertial><gravity>false</gravity></link>"
    )
    found = robot(text).links["a"]
    assert (found.inertia.mass, found.gravity) == (2, False)
    np.testing.assert_allclose(found.inertia.tensor, np.diag([2, 1, 2.5]), atol=ROUNDING, rtol=ROUNDING)


def test_a_link_without_inertial_has_the_formats_default() -> None:
    inertia = robot('<link name="a"/>').links["a"].inertia
    assert (inertia.mass, inertia.moments) == (1, (1, 1, 1))


def test_geometry_relative_to_another_frame() -> None:
    text = (
        '<frame name="f"><pose>0 0 1 0 0 0</pose></frame><link name="a"><pose>1 0 0 0 0 0</pose>'
        f'<visual name="v"><pose relative_to="f">0 1 0 0 0 {radians(10)}</pose><geometry><box><size>1 '
        "1 1</size></box></geometry></visual></link>"
    )
    np.testing.assert_allclose(robot(text).links["a"].visuals[0].pose.p, [-1, 1, 1], atol=ROUNDING, rtol=ROUNDING)


def test_nothing_is_dropped_silently() -> None:
    parts = (
        '<link name="a" colour="red"><inertial><mass>1</mass><masss>2</masss></inertial><sensor '
        'name="s" type="lidar"/></link><frams/><plugin name="p" filename="f"/>'
    )
    told = {(d.severity, d.code, d.message.split(";")[0]) for d in robot(parts).diagnostics}
    assert ("warning", "element-unknown", "attribute 'colour' of <link> is not known") in told
    assert ("warning", "element-unknown", "<masss> in <inertial> is not known") in told
    assert ("warning", "element-unknown", "<frams> in <model> is not known") in told
    assert {m.split(":")[0] for s, c, m in told if c == "element-ignored" and s == "info"} == {"<sensor>", "<plugin>"}


def test_the_gravity_is_that_of_the_models_own_world() -> None:
    def world(name: str, gravity: str) -> str:
        model = f'<model name="in_{name}"><link name="l"/></model>'
        return f'<world name="{name}"><gravity>0 0 {gravity}</gravity>{model}</world>'

    text = f'<sdf version="1.9">{world("a", "-1")}{world("b", "-2")}</sdf>'
    assert gearwright.loads(text, model="in_a").gravity == (0.0, 0.0, -1.0)
    assert gearwright.loads(text, model="in_b").gravity == (0.0, 0.0, -2.0)
