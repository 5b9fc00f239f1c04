"""Transmissions in all their spellings: ROS 1, ros2_control, and a model's own elements."""

from __future__ import annotations

from math import pi

import pytest

import gearwright
from gearwright import (
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    LoadError,
    SimpleTransmission,
)
from gearwright.model import AxisRef
from tests.formats.arms import ENDS, MOTORS, errors, robot
from tests.tolerances import ROUNDING


def ros1(kind: str, joint: str, actuator: str) -> str:
    return f'<transmission name="t"><type>{kind}</type>{joint}{actuator}</transmission>'


JOINT = '<joint name="zeta"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>'


@pytest.mark.parametrize(
    "kind",
    ["transmission_interface/SimpleTransmission", "SimpleTransmission", "transmission_interface::SimpleTransmission"],
)
def test_ros1_simple(kind: str) -> None:
    m = robot(ros1(kind, JOINT, '<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>'))
    t = m.transmissions["t"]
    assert t.map == SimpleTransmission(reduction=50)
    assert (t.type, t.actuators, t.joints) == ("simple", ("m",), (AxisRef("zeta"),))
    assert "m" in m.actuators


def test_ros1_reduction_on_the_joint() -> None:
    m = robot(
        ros1(
            "SimpleTransmission",
            JOINT.replace("</joint>", "<mechanicalReduction>-4</mechanicalReduction></joint>"),
            '<actuator name="m"/>',
        )
    )
    assert m.transmissions["t"].map == SimpleTransmission(reduction=-4)


def test_a_missing_reduction_is_one_and_told() -> None:
    m = robot(ros1("SimpleTransmission", JOINT, '<actuator name="m"/>'))
    assert m.transmissions["t"].map == SimpleTransmission(reduction=1)
    assert "element-missing" in [d.code for d in m.diagnostics]


def test_a_reduction_that_is_no_number_is_an_error_with_its_line() -> None:
    with pytest.raises(LoadError) as caught:
        robot(
            "\n"
            + ros1(
                "SimpleTransmission",
                JOINT,
                '\n<actuator name="m">\n<mechanicalReduction>reduction</mechanicalReduction></actuator>',
            )
        )
    (error,) = (d for d in caught.value.diagnostics if d.severity == "error")
    assert (error.code, error.line) == ("number-invalid", 4)


def pair(
    joints: tuple[str, str], roles: tuple[str, str], kind: str = "DifferentialTransmission", spelling: str = "ros2"
) -> str:
    """Two actuators and two joints; joints in the order given, reductions 3 for joint1 and 7 for joint2 by role."""
    reductions = {"joint1": 3, "joint2": 7, "": 1}
    js = "".join(
        (
            f'<joint name="{j}" role="{r}"><mechanical_reduction>{reductions[r]}</mechanical_reduction>'
            f"<offset>{reductions[r] / 10}</offset></joint>"
        )
        for j, r in zip(joints, roles, strict=True)
    )
    acts = (
        '<actuator name="b" role="actuator1"><mechanical_reduction>11</mechanical_reduction></actuator>'
        '<actuator name="a" role="actuator2"><mechanical_reduction>13</mechanical_reduction></actuator>'
    )
    if spelling == "model":
        return f'<transmission name="t" type="differential">{acts}{js}</transmission>'
    if spelling == "ros1":
        inner = (acts + js).replace("mechanical_reduction", "mechanicalReduction")
        for word in ("joint1", "joint2", "actuator1", "actuator2"):
            inner = inner.replace(f' role="{word}">', f"><role>{word}</role>")
        return f'<transmission name="t"><type>transmission_interface/{kind}</type>{inner}</transmission>'
    return (
        '<ros2_control name="s" type="system"><transmission name="t">'
        f"<plugin>transmission_interface/{kind}</plugin>{acts}{js}</transmission></ros2_control>"
    )


@pytest.mark.parametrize("spelling", ["ros1", "ros2", "model"])
@pytest.mark.parametrize(
    ("joints", "roles"),
    [
        (("zeta", "alpha"), ("joint1", "joint2")),
        (("alpha", "zeta"), ("joint2", "joint1")),
        (("alpha", "zeta"), ("joint1", "joint2")),
        (("zeta", "alpha"), ("joint2", "joint1")),
    ],
)
def test_the_role_decides(joints: tuple[str, str], roles: tuple[str, str], spelling: str) -> None:
    """Neither the alphabet nor the order in the file does."""
    t = robot(pair(joints, roles, spelling=spelling)).transmissions["t"]
    first = joints[roles.index("joint1")]
    second = joints[roles.index("joint2")]
    assert t.joints == (AxisRef(first), AxisRef(second))
    assert t.actuators == ("b", "a")
    assert t.map == DifferentialTransmission(
        actuator_reduction=(11, 13), joint_reduction=(3, 7), joint_offset=(0.3, 0.7)
    )


def test_four_bar_of_ros() -> None:
    t = robot(pair(("alpha", "zeta"), ("joint1", "joint2"), "FourBarLinkageTransmission")).transmissions["t"]
    assert t.map == FourBarLinkageTransmission(
        actuator_reduction=(11, 13), joint_reduction=(3, 7), joint_offset=(0.3, 0.7)
    )


def test_no_roles_means_the_order_of_the_file() -> None:
    plain = (
        pair(("zeta", "alpha"), ("", ""))
        .replace(' role=""', "")
        .replace(' role="actuator1"', "")
        .replace(' role="actuator2"', "")
    )
    m = robot(plain)
    assert m.transmissions["t"].joints == (AxisRef("zeta"), AxisRef("alpha"))
    assert [d.code for d in m.diagnostics].count("transmission-role") == 2


@pytest.mark.parametrize("roles", [("joint1", "joint1"), ("joint2", "joint2")])
def test_a_role_twice_is_an_error(roles: tuple[str, str]) -> None:
    assert errors(pair(("zeta", "alpha"), roles)) == ["transmission-role"]


def test_linear_map() -> None:
    t = robot(
        f'{MOTORS}<transmission name="t" type="linear_map"><actuator_array>m n</actuator_array>'
        "<joint_array>zeta alpha</joint_array>"
        "<mapping><t_aj>1 2 3 4</t_aj><actuator_offsets>5 6</actuator_offsets><joint_offsets>7 8</joint_offsets>"
        "<joint_effort_lower>-20 -30</joint_effort_lower><joint_effort_upper>20 "
        "30</joint_effort_upper></mapping></transmission>"
    ).transmissions["t"]
    assert t.map == LinearMap(
        matrix=((1, 2), (3, 4)), actuator_offsets=(5, 6), joint_offsets=(7, 8), lower=(-20, -30), upper=(20, 30)
    )


def test_linear_map_is_the_identity_by_default() -> None:
    arrays = "<actuator_array>m n</actuator_array><joint_array>zeta alpha</joint_array>"
    assert robot(f'{MOTORS}<transmission name="t" type="linear_map">{arrays}</transmission>').transmissions[
        "t"
    ].map == LinearMap(matrix=((1, 0), (0, 1)))
    assert errors(
        f'{MOTORS}<transmission name="t" type="linear_map"><actuator_array>m n</actuator_array>'
        "<joint_array>zeta</joint_array></transmission>"
    ) == ["transmission-size"]


def test_linear_map_need_not_be_square() -> None:
    t = robot(
        f'{MOTORS}<transmission name="t" type="linear_map"><actuator_array>m n</actuator_array>'
        "<joint_array>zeta</joint_array><mapping><t_aj>1 2</t_aj></mapping></transmission>"
    ).transmissions["t"]
    assert t.map == LinearMap(matrix=((1, 2),))


def test_an_array_may_name_the_joint_of_an_actuator() -> None:
    m = robot(
        '<actuator name="m"><joint>zeta</joint></actuator><transmission name="t" type="linear_map">'
        "<actuator_array>zeta</actuator_array><joint_array>alpha</joint_array></transmission>"
    )
    assert m.transmissions["t"].actuators == ("m",)
    two = '<actuator name="m"><joint>zeta</joint></actuator><actuator name="n"><joint>zeta</joint></actuator>'
    assert errors(
        two
        + (
            '<transmission name="t" type="linear_map"><actuator_array>zeta</actuator_array>'
            "<joint_array>alpha</joint_array></transmission>"
        )
    ) == ["transmission-actuator-not-found"]


@pytest.mark.parametrize(
    ("kind", "inner", "reduction"),
    [
        ("simple", "<mechanical_reduction>6</mechanical_reduction>", 6),
        ("screw", "<lead>0.01</lead>", 2 * pi / 0.01),
        ("rack_and_pinion", "<pinion_radius>0.02</pinion_radius>", 50),
        ("belt", "<driver_teeth>20</driver_teeth><driven_teeth>60</driven_teeth>", 3),
        ("planetary", "<sun_teeth>20</sun_teeth><ring_teeth>60</ring_teeth>", 4),
    ],
)
def test_kinds_with_one_reduction(kind: str, inner: str, reduction: float) -> None:
    t = robot(f'{MOTORS}<transmission name="t" type="{kind}">{ENDS}{inner}</transmission>').transmissions["t"]
    assert isinstance(t.map, SimpleTransmission)
    assert t.map.reduction == pytest.approx(reduction, rel=ROUNDING)


def test_teeth_that_are_not_whole_are_mentioned() -> None:
    inner = "<sun_teeth>20.5</sun_teeth><ring_teeth>60</ring_teeth>"
    found = robot(f'{MOTORS}<transmission name="t" type="planetary">{ENDS}{inner}</transmission>')
    (said,) = [d for d in found.diagnostics if d.severity == "warning"]
    assert said.message == "transmission 't': <sun_teeth> is a number of teeth, and 20.5 is not whole"


@pytest.mark.parametrize(
    ("kind", "inner", "code"),
    [
        ("belt", "<driver_teeth>20</driver_teeth>", "element-missing"),
        ("screw", "<lead>0</lead>", "transmission-ratio-zero"),
        ("rack_and_pinion", "<pinion_radius>-1</pinion_radius>", "transmission-ratio-zero"),
        ("simple", "<mechanical_reduction>0</mechanical_reduction>", "transmission-ratio-zero"),
        (
            "four_bar_linkage",
            "<ground>9</ground><input>1</input><coupler>1</coupler><output>1</output>",
            "transmission-size",
        ),
        ("differential", "", "transmission-size"),
    ],
)
def test_values_that_make_no_transmission(kind: str, inner: str, code: str) -> None:
    assert errors(f'{MOTORS}<transmission name="t" type="{kind}">{ENDS}{inner}</transmission>') == [code]


def test_the_real_four_bar() -> None:
    inner = "<ground>4</ground><input>1</input><coupler>3.5</coupler><output>3</output><branch>-1</branch>"
    t = robot(f'{MOTORS}<transmission name="t" type="four_bar_linkage">{ENDS}{inner}</transmission>').transmissions["t"]
    assert t.map == FourBarLinkage(ground=4, input=1, coupler=3.5, output=3, branch=-1)


def test_an_unknown_type_is_kept_by_name() -> None:
    m = robot(
        '<transmission name="t"><type>my_package/Strange</type><joint name="zeta"/><actuator name="m"/></transmission>'
    )
    assert m.transmissions["t"].map is None
    assert m.transmissions["t"].type == "my_package/Strange"


def test_a_second_one_of_a_name_gets_a_number() -> None:
    ends = '<joint name="{0}"/><actuator name="{0}_m"><mechanicalReduction>{1}</mechanicalReduction></actuator>'
    one, other = (ros1("SimpleTransmission", "", ends.format(*x)) for x in (("zeta", 2), ("alpha", 3)))
    m = robot(one + other)
    first, second = m.transmissions.values()
    assert (second.name, [str(j) for j in second.joints]) == (f"{first.name}_1", ["alpha"])
    assert m.acting["alpha_m"] is second
    assert [(d.severity, d.code) for d in m.diagnostics] == [("warning", "name-duplicate")]


def test_reflected_inertia_goes_with_the_square_of_the_reduction() -> None:
    m = robot(
        '<actuator name="m"><rotor_inertia>2</rotor_inertia></actuator>'
        f'<transmission name="t" type="simple">{ENDS}<mechanical_reduction>10</mechanical_reduction></transmission>'
    )
    assert m.reflected_inertia() == {AxisRef("zeta"): pytest.approx(200, rel=ROUNDING)}


def test_a_transmission_may_drive_the_second_axis() -> None:
    robot = gearwright.loads(
        '<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/><joint name="u" type="universal">'
        "<parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
        '<actuator name="motor" type="electric_motor"/><transmission name="t" type="simple"><actuator>motor</actuator>'
        "<joint>u.axis2<mechanical_reduction>3</mechanical_reduction></joint></transmission></model></sdf>"
    )
    assert robot.transmissions["t"].joints == (AxisRef("u", 1),)


# --- numbers that a kind has no use for, and branches -----------------------------------------------------------------


def test_a_gear_pair_lies_in_series_with_its_ends() -> None:
    ends = "<actuator>m<mechanical_reduction>3</mechanical_reduction></actuator><joint>zeta</joint>"
    t = robot(f'{MOTORS}<transmission name="t" type="screw">{ends}<lead>0.01</lead></transmission>').transmissions["t"]
    assert isinstance(t.map, SimpleTransmission)
    assert t.map.reduction == pytest.approx(3 * 2 * pi / 0.01, rel=ROUNDING)


@pytest.mark.parametrize("kind", ["four_bar_linkage", "linear_map", "custom_functions"])
@pytest.mark.parametrize("number", ["<mechanical_reduction>3</mechanical_reduction>", "<offset>0.1</offset>"])
def test_numbers_without_a_meaning_are_not_dropped(kind: str, number: str) -> None:
    parts = f'<transmission name="t" type="{kind}"><actuator>m</actuator><joint>zeta{number}</joint></transmission>'
    assert errors(MOTORS + parts) == ["transmission-size"]


def test_the_input_branch_of_a_linkage() -> None:
    bars = "<ground>4</ground><input>1</input><coupler>3.5</coupler><output>3</output>"
    parts = f'{MOTORS}<transmission name="t" type="four_bar_linkage">{ENDS}{bars}'
    t = robot(f"{parts}<input_branch>-1</input_branch></transmission>").transmissions["t"]
    assert t.map == FourBarLinkage(ground=4, input=1, coupler=3.5, output=3, input_branch=-1)
    for branch in ("<branch>1.5</branch>", "<input_branch>0</input_branch>", "<branch>2</branch>"):
        assert errors(f"{parts}{branch}</transmission>") == ["transmission-size"]
