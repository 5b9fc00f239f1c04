"""URDF: what each element means."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import gearwright
from gearwright import LoadError, Mechanism
from gearwright.model import Box, Mesh, Sphere
from tests.tolerances import ROUNDING

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
ENDS = '<parent link="a"/><child link="b"/>'


def robot(parts: str, links: str = "ab", **options: object) -> Mechanism:
    made = "".join(f'<link name="{n}">{MASS}</link>' for n in links)
    return gearwright.loads(f'<robot name="r">{made}{parts}</robot>', **options)  # type: ignore[arg-type]


def joint(kind: str, inner: str = "", name: str = "j", ends: str = ENDS) -> str:
    return f'<joint name="{name}" type="{kind}">{ends}{inner}</joint>'


def codes(m: Mechanism) -> list[str]:
    return [d.code for d in m.diagnostics]


def test_a_robot_has_its_parts_in_document_order() -> None:
    m = robot(
        joint("continuous", ends='<parent link="a"/><child link="z"/>', name="q") + joint("fixed", name="b"),
        links="azb",
    )
    assert m.name == "r"
    assert list(m.links) == ["a", "z", "b"]
    assert list(m.joints) == ["q", "b"]


@pytest.mark.parametrize(
    ("kind", "dof"),
    [("fixed", 0), ("revolute", 1), ("continuous", 1), ("prismatic", 1), ("planar", 3), ("floating", 6)],
)
def test_joint_types(kind: str, dof: int) -> None:
    m = robot(joint(kind, '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'))
    assert m.joints["j"].kind == kind
    assert m.dof == dof


def test_types_are_read_in_any_case() -> None:
    assert (
        robot(joint(" Revolute ", '<axis xyz="0 0 1"/><limit effort="1" velocity="1"/>')).joints["j"].kind == "revolute"
    )


def test_the_origin_is_fixed_axis_roll_pitch_yaw() -> None:
    m = robot(joint("fixed", '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'))
    X = m.forward_kinematics()["b"]

    def turn(i: int, j: int, angle: float) -> np.ndarray:
        R = np.eye(3)
        R[i, i] = R[j, j] = np.cos(angle)
        R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
        return R

    expected = turn(0, 1, 0.3) @ turn(2, 0, 0.2) @ turn(1, 2, 0.1)
    np.testing.assert_allclose(X[:3, :3], expected, atol=ROUNDING, rtol=ROUNDING)
    np.testing.assert_allclose(X[:3, 3], [1, 2, 3], rtol=ROUNDING)


@pytest.mark.parametrize("attribute", ["quat_wxyz", "quat_xyzw"])
def test_an_origin_may_hold_a_quaternion(attribute: str) -> None:
    half = 0.5**0.5
    q = f"{half} 0 0 {half}"  # w x y z: a quarter turn about z; x y z w: the same quarter about x
    R = robot(joint("fixed", f'<origin {attribute}="{q}"/>')).forward_kinematics()["b"][:3, :3]
    expected = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] if attribute == "quat_wxyz" else [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    np.testing.assert_allclose(R, expected, atol=ROUNDING, rtol=ROUNDING)


@pytest.mark.parametrize("scale", ["1e-90", "1", "1e90"])
def test_a_quaternion_is_normalised_whatever_its_size(scale: str) -> None:
    R = robot(joint("fixed", f'<origin quat_wxyz="{scale} 0 0 {scale}"/>')).forward_kinematics()["b"][:3, :3]
    np.testing.assert_allclose(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=ROUNDING, rtol=ROUNDING)


def test_the_axis_is_x_by_default_and_of_unit_length() -> None:
    assert robot(joint("continuous")).joints["j"].axes[0].xyz == (1.0, 0.0, 0.0)
    m = robot(joint("continuous", '<axis xyz="0 3 4"/>'))
    assert m.joints["j"].axes[0].xyz == pytest.approx((0, 0.6, 0.8), rel=ROUNDING)
    assert "axis-not-unit" in codes(m)


@pytest.mark.parametrize("scale", ["1e-200", "1e-11", "1e11", "1e90"])
def test_an_axis_of_any_length_keeps_its_direction(scale: str) -> None:
    try:
        xyz = robot(joint("continuous", f'<axis xyz="0 {scale} {scale}"/>')).joints["j"].axes[0].xyz
    except LoadError as error:
        assert {d.code for d in error.diagnostics if d.severity == "error"} == {"axis-zero"}
        assert float(scale) < ROUNDING
    else:
        assert xyz == pytest.approx((0, 0.5**0.5, 0.5**0.5), rel=ROUNDING)


def test_limits() -> None:
    limits = (
        robot(joint("revolute", '<axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="3" velocity="4"/>'))
        .joints["j"]
        .axes[0]
        .limits
    )
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1, 2, 3, 4)


def test_limits_of_a_continuous_joint_are_those_of_speed_and_effort() -> None:
    limits = (
        robot(joint("continuous", '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="3" velocity="4"/>'))
        .joints["j"]
        .axes[0]
        .limits
    )
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-inf, inf, 3, 4)


@pytest.mark.parametrize("text", ["1e16", "1e17", "inf", "1e999"])
def test_huge_limits_are_none(text: str) -> None:
    limits = (
        robot(
            joint(
                "revolute",
                f'<axis xyz="0 0 1"/><limit lower="-{text}" upper="{text}" effort="{text}" velocity="{text}"/>',
            )
        )
        .joints["j"]
        .axes[0]
        .limits
    )
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-inf, inf, inf, inf)


def test_one_limit_leaves_the_other_at_urdfs_zero() -> None:
    limits = (
        robot(joint("revolute", '<axis xyz="0 0 1"/><limit upper="1" effort="1" velocity="1"/>'))
        .joints["j"]
        .axes[0]
        .limits
    )
    assert (limits.lower, limits.upper) == (0, 1)


def test_dynamics_and_safety() -> None:
    inner = (
        '<axis xyz="0 0 1"/><dynamics damping="0.5" friction="0.25"/><safety_controller '
        'k_velocity="7" k_position="6" soft_lower_limit="-1" soft_upper_limit="2"/>'
    )
    j = robot(joint("continuous", inner)).joints["j"]
    assert (j.axes[0].dynamics.damping, j.axes[0].dynamics.friction) == (0.5, 0.25)
    assert j.safety is not None
    assert (j.safety.k_velocity, j.safety.k_position, j.safety.soft_lower_limit, j.safety.soft_upper_limit) == (
        7,
        6,
        -1,
        2,
    )


def test_inertia_is_about_the_centre_of_mass_in_its_own_axes() -> None:
    text = (
        '<link name="a"><inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="3"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    inertia = gearwright.loads(f'<robot name="r">{text}</robot>').links["a"].inertia
    assert inertia.mass == 3
    np.testing.assert_allclose(inertia.center, [1, 0, 0], rtol=ROUNDING)
    np.testing.assert_allclose(inertia.tensor, np.diag([2, 1, 2.5]), atol=ROUNDING, rtol=ROUNDING)


def test_geometry_and_colours() -> None:
    text = (
        '<robot name="r"><material name="red"><color rgba="1 0 0 0.5"/></material><link name="a">'
        '<visual name="v"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>'
        '<visual><geometry><mesh filename="package://p/m.stl" scale="2 2 2"/></geometry></visual>'
        '<collision><geometry><sphere radius="0.5"/></geometry></collision></link></robot>'
    )
    link = gearwright.loads(text).links["a"]
    box, mesh = link.visuals
    assert (box.name, box.shape, box.rgba) == ("v", Box(size=(1, 2, 3)), (1, 0, 0, 0.5))
    assert isinstance(mesh.shape, Mesh)
    assert (mesh.shape.uri, mesh.shape.scale) == ("package://p/m.stl", (2, 2, 2))
    assert link.collisions[0].shape == Sphere(radius=0.5)


# --- the base ---------------------------------------------------------------------------------------------------------


def test_the_root_is_fixed_unless_the_caller_says_otherwise() -> None:
    parts = joint("continuous", '<axis xyz="0 0 1"/>')
    assert robot(parts).dof == 1
    assert robot(parts, base="fixed").dof == 1
    floating = robot(parts, base="floating")
    assert floating.dof == 7
    assert floating.bases["base"].kind == "floating"


def test_a_link_called_world_is_the_world() -> None:
    parts = '<link name="world"/>' + joint(
        "fixed", '<origin xyz="0 0 2"/>', name="w", ends='<parent link="world"/><child link="a"/>'
    )
    m = robot(parts + joint("fixed"), base="floating")
    assert m.dof == 0
    assert not m.bases
    assert m.forward_kinematics()["b"][2, 3] == 2


def test_a_joint_called_base_keeps_its_name() -> None:
    m = robot(joint("continuous", '<axis xyz="0 0 1"/>', name="base"), base="floating")
    assert m.joints["base"].kind == "continuous"
    assert list(m.bases) == ["base_"]


def test_several_roots_and_none_are_errors() -> None:
    for parts in ("", joint("fixed") + joint("fixed", name="k", ends='<parent link="b"/><child link="a"/>')):
        if parts:
            m = robot(parts)  # a loop: one of the two is cut
            assert "loop-closed" in codes(m)
        else:
            with pytest.raises(LoadError) as caught:
                robot(parts)
            assert [d.code for d in caught.value.diagnostics] == ["root-multiple"]


# --- mimic ------------------------------------------------------------------------------------------------------------

THREE = [
    joint("continuous", f'<axis xyz="0 0 1"/>{mimic}', name=name, ends=f'<parent link="{p}"/><child link="{c}"/>')
    for name, p, c, mimic in (
        ("j", "a", "b", ""),
        ("k", "b", "c", '<mimic joint="j" multiplier="-2" offset="0.5"/>'),
        ("l", "c", "d", '<mimic joint="k" multiplier="3" offset="0.25"/>'),
    )
]


def test_a_mimic_is_one_and_zero_by_default() -> None:
    m = robot(
        THREE[0]
        + joint(
            "continuous", '<axis xyz="0 0 1"/><mimic joint="j"/>', name="k", ends='<parent link="b"/><child link="c"/>'
        ),
        links="abc",
    )
    assert (m.couplings["k"].multiplier, m.couplings["k"].offset, m.couplings["k"].reference) == (1, 0, 0)
    assert m.couplings["k"].formula == "k = 1·j + 0"
    assert m.dof == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_chains_compose_in_any_order(order: tuple[int, ...]) -> None:
    m = robot("".join(THREE[i] for i in order), links="abcd")
    q = m.configuration({"j": 0.4})
    assert q["k"] == (-2 * 0.4 + 0.5,)
    assert q["l"] == pytest.approx((3 * (-2 * 0.4 + 0.5) + 0.25,), rel=ROUNDING)
    assert m.dof == 1


def test_a_mimic_across_units_and_subtrees() -> None:
    slide = joint(
        "prismatic",
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="0.02"/>',
        name="rack",
        ends='<parent link="a"/><child link="c"/>',
    )
    m = robot(THREE[0] + slide, links="abc")
    assert m.forward_kinematics({"j": 10.0})["c"][2, 3] == pytest.approx(0.2, rel=ROUNDING)


# --- Gazebo's blocks --------------------------------------------------------------------------------------------------


def test_gazebo_joints_close_loops() -> None:
    """A parallelogram: three joints of the URDF, the fourth in a block for Gazebo."""
    tree = [
        joint("continuous", '<axis xyz="0 0 1"/>', "j", '<parent link="a"/><child link="b"/>'),
        joint("continuous", '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>', "k", '<parent link="a"/><child link="d"/>'),
        joint("continuous", '<origin xyz="0 1 0"/><axis xyz="0 0 1"/>', "l", '<parent link="b"/><child link="c"/>'),
    ]
    close = (
        '<gazebo><joint name="m" type="revolute"><pose>1 0 0 0 0 0</pose><parent>d</parent>'
        "<child>c</child><axis><xyz>0 0 1</xyz></axis></joint></gazebo>"
    )
    m = robot("".join(tree) + close, links="abcd")
    assert [j.name for j in m.tree.cuts] == ["m"]
    assert m.dof == 1
    X_CJ = m.joints["m"].X_CJ
    np.testing.assert_allclose(X_CJ.p, [1, 0, 0], rtol=ROUNDING)
    np.testing.assert_allclose(m.joints["m"].X_PJ.p, [0, 1, 0], rtol=ROUNDING)


def test_gazebo_settings_are_told() -> None:
    m = robot(
        joint("fixed")
        + (
            '<gazebo reference="a"><material>Grey</material><implicitSpringDamper>1</implicitSpringDamper></gazebo>'
            "<gazebo><plugin/></gazebo>"
        )
    )
    told = [d.message for d in m.diagnostics if d.code == "element-ignored"]
    assert len(told) == 2
    assert any("material" in t for t in told)
    assert any("implicitSpringDamper" in t for t in told)


# --- leniency ---------------------------------------------------------------------------------------------------------


def test_fields_of_other_tools_load_with_a_warning() -> None:
    body = '<robot name="r"><link name="a"><drake:thing x="1"/></link></robot>'
    for text in (body, f'<!-- first --><?xml version="1.0"?>{body}', f'<?xml version="0.0"?>{body}'):
        m = gearwright.loads(text)
        assert "xml-lenient" in codes(m)
        assert all(d.severity != "error" for d in m.diagnostics)


def test_a_robot_inside_urdf() -> None:
    m = gearwright.loads('<urdf><robot name="r"><link name="a"/></robot></urdf>')
    assert m.name == "r"
    assert "xml-lenient" in codes(m)


def test_names_that_do_not_exist_come_with_the_nearest() -> None:
    m = robot(THREE[0] + THREE[1] + THREE[2], links="abcd")
    for family, name in (("links", "aa"), ("joints", "jj"), ("couplings", "kk")):
        with pytest.raises(KeyError, match=r"did you mean|valid"):
            getattr(m, family)[name]
    with pytest.raises(gearwright.ModelError, match="there is no joint"):
        m.configuration({"jj": 1.0})


def test_huge_limits_of_either_sign_are_none() -> None:
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="i" type="prismatic"><parent link="a"/><child link="b"/></joint>'
        '<joint name="j" type="prismatic"><parent link="a"/><child link="c"/>'
        '<limit lower="1e16" upper="1e16" effort="1" velocity="1"/><mimic joint="i"/></joint></robot>'
    )
    limits = gearwright.loads(text).joints["j"].axes[0].limits
    assert not limits.bounded


def test_limits_without_an_end_do_not_trouble_a_coupling() -> None:
    """One side of each is open, so that no finite number is left to compare by."""
    text = (
        '<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="i" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>'
        '<joint name="j" type="prismatic"><parent>a</parent><child>c</child><axis><xyz>1 0 0</xyz>'
        "<limit><lower>inf</lower></limit><mimic joint='i'/></axis></joint></model></sdf>"
    )
    assert not gearwright.loads(text).joints["j"].axes[0].limits.bounded
