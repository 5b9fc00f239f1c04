"""Transmissions in all their spellings: ROS 1, ros2_control, and a model's own elements."""

from __future__ import annotations

import subprocess
import sys
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright
from gearwright import (
    Backlash,
    CustomTransmission,
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    LoadError,
    Losses,
    Mechanism,
    Series,
    SimpleTransmission,
)
from gearwright.model import AxisRef

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def text(parts: str) -> str:
    """An arm whose joints' names are not in the order of the file, nor of the alphabet."""
    links = "".join(f'<link name="l{i}">{MASS}</link>' for i in range(3))
    joints = "".join(
        f'<joint name="{n}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0 1"/></joint>'
        for i, n in enumerate(("zeta", "alpha"))
    )
    return f'<robot name="r">{links}{joints}{parts}</robot>'


def robot(parts: str) -> Mechanism:
    return gearwright.loads(text(parts))


def errors(parts: str) -> list[str]:
    with pytest.raises(LoadError) as caught:
        robot(parts)
    return [d.code for d in caught.value.diagnostics if d.severity == "error"]


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


MOTORS = '<actuator name="m"/><actuator name="n"/>'


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


ENDS = "<actuator>m</actuator><joint>zeta</joint>"


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
    assert t.map.reduction == pytest.approx(reduction)


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


def test_names_twice_are_an_error() -> None:
    one = ros1(
        "SimpleTransmission", JOINT, '<actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator>'
    )
    assert errors(one + one) == ["name-duplicate"]


def test_reflected_inertia_goes_with_the_square_of_the_reduction() -> None:
    m = robot(
        '<actuator name="m"><rotor_inertia>2</rotor_inertia></actuator>'
        f'<transmission name="t" type="simple">{ENDS}<mechanical_reduction>10</mechanical_reduction></transmission>'
    )
    assert m.reflected_inertia() == {AxisRef("zeta"): pytest.approx(200)}


# --- the user's own ---------------------------------------------------------------------------------------------------

CUSTOM = (
    f'{MOTORS}<transmission name="t" type="custom_functions">{ENDS}<mapping_plugin name="w" '
    'filename="wrist.py"/></transmission>'
)


@pytest.mark.parametrize("function", ["position", "effort"])
def test_allowed_code_gives_the_map(tmp_path: Path, function: str) -> None:
    arguments = "q" if function == "position" else "a, q, v"
    (tmp_path / "wrist.py").write_text(f"def {function}({arguments}):\n    return {arguments[0]}\n")
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    for plugins in ("trust", [tmp_path], [str(tmp_path)]):
        found = gearwright.load(tmp_path / "robot.urdf", plugins=plugins).transmissions["t"].map  # type: ignore[arg-type]
        assert isinstance(found, CustomTransmission)
        assert (found.position is None) == (function == "effort")
        assert (found.actuators, found.joints) == (1, 1)


def test_compiled_code_leaves_the_identity() -> None:
    m = robot(CUSTOM.replace("wrist.py", "libwrist.so"))
    found = m.transmissions["t"].map
    assert isinstance(found, LinearMap)
    np.testing.assert_array_equal(found.matrix, [[1.0]])
    assert "plugin-not-found" in [d.code for d in m.diagnostics]


def test_the_plugin_form_is_a_transmission() -> None:
    arrays = "<actuator_array>m</actuator_array><joint_array>zeta</joint_array>"
    m = robot(f'{MOTORS}<plugin name="p" filename="libx.so">{arrays}</plugin>')
    assert (m.transmissions["p"].actuators, m.transmissions["p"].joints) == (("m",), (AxisRef("zeta"),))


def test_a_transmission_may_drive_the_second_axis() -> None:
    robot = gearwright.loads(
        '<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/><joint name="u" type="universal">'
        "<parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
        '<actuator name="motor" type="electric_motor"/><transmission name="t" type="simple"><actuator>motor</actuator>'
        "<joint>u.axis2<mechanical_reduction>3</mechanical_reduction></joint></transmission></model></sdf>"
    )
    assert robot.transmissions["t"].joints == (AxisRef("u", 1),)


# --- one after another ------------------------------------------------------------------------------------------------

PLANETARY = '<stage type="planetary"><sun_teeth>20</sun_teeth><ring_teeth>60</ring_teeth></stage>'
BELT = '<stage type="belt"><driver_teeth>20</driver_teeth><driven_teeth>50</driven_teeth></stage>'


def series(inner: str, ends: str = ENDS) -> str:
    return f'{MOTORS}<transmission name="t" type="series">{inner}{ends}</transmission>'


def test_a_series_of_stages() -> None:
    m = robot(series(PLANETARY + BELT))
    t = m.transmissions["t"]
    assert t.map == Series([SimpleTransmission(reduction=4), SimpleTransmission(reduction=2.5)])
    assert (t.type, t.actuators, t.joints) == ("series", ("m",), (AxisRef("zeta"),))
    assert t.map.actuator_to_joint_effort(1.0) == 10
    assert m.reflected_inertia() == {}
    assert [d.code for d in m.diagnostics if d.severity == "warning"] == []


def test_ends_of_a_series_belong_to_its_first_and_last_stage() -> None:
    ends = (
        "<actuator>m<mechanical_reduction>3</mechanical_reduction></actuator>"
        "<joint>zeta<mechanical_reduction>-2</mechanical_reduction><offset>0.5</offset></joint>"
    )
    middle = '<stage type="simple"><mechanical_reduction>7</mechanical_reduction><offset>0.1</offset></stage>'
    t = robot(series(PLANETARY + middle + BELT, ends)).transmissions["t"].map
    assert t == Series(
        [
            SimpleTransmission(reduction=12),
            SimpleTransmission(reduction=7, offset=0.1),
            SimpleTransmission(reduction=-5, offset=0.5),
        ]
    )


def test_a_series_of_pairs_keeps_the_roles() -> None:
    """The order of the file is another one on both sides."""
    ends = (
        '<actuator role="actuator2">m</actuator><actuator role="actuator1">n</actuator>'
        '<joint role="joint2">zeta</joint>'
        '<joint role="joint1">alpha<mechanical_reduction>3</mechanical_reduction></joint>'
    )
    t = robot(series('<stage type="differential"/><stage type="four_bar"/>', ends)).transmissions["t"]
    assert (t.actuators, t.joints) == (("n", "m"), (AxisRef("alpha"), AxisRef("zeta")))
    assert t.map == Series([DifferentialTransmission(), FourBarLinkageTransmission(joint_reduction=(3, 1))])


def test_a_linkage_may_be_a_stage() -> None:
    bars = "<ground>4</ground><input>1</input><coupler>3.5</coupler><output>3</output>"
    t = robot(series(f'{PLANETARY}<stage type="four_bar_linkage">{bars}</stage>')).transmissions["t"].map
    linkage = FourBarLinkage(ground=4, input=1, coupler=3.5, output=3)
    assert t == Series([SimpleTransmission(reduction=4), linkage])
    ratio = linkage.actuator_per_joint_at(2.0)
    np.testing.assert_allclose(t.actuator_per_joint_at(2.0), 4 * ratio)


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        ("", "element-missing"),
        ('<stage type="plannetary"/>', "transmission-type-unknown"),
        ("<stage/>", "transmission-type-unknown"),
        ('<stage type="series"/>', "transmission-type-unknown"),
        ('<stage type="belt"/>', "element-missing"),
        ('<stage type="simple"><mechanical_reduction>0</mechanical_reduction></stage>', "transmission-ratio-zero"),
        ('<stage type="differential"/>', "transmission-size"),
        (f'{PLANETARY}<stage type="differential"/>', "transmission-size"),
        ('<stage type="simple"><mechanical_reduction>x</mechanical_reduction></stage>', "number-invalid"),
    ],
)
def test_stages_that_make_no_series(inner: str, code: str) -> None:
    assert errors(series(inner)) == [code]


def test_a_stage_is_checked_for_what_nobody_reads() -> None:
    m = robot(series('<stage type="simple"><mechanical_reductoin>3</mechanical_reductoin></stage>'))
    assert any("mechanical_reductoin" in d.message for d in m.diagnostics)


def test_a_series_without_ends() -> None:
    for ends in ("", "<actuator>m</actuator>", "<joint>zeta</joint>"):
        assert errors(series(PLANETARY + BELT, ends)) == ["transmission-size"]


# --- losses -----------------------------------------------------------------------------------------------------------

LOSSES = (
    "<efficiency>0.85</efficiency><friction>0.01</friction><damping>1e-4</damping>"
    "<backlash><gap>0.002</gap><stiffness>5000</stiffness><damping>3</damping></backlash>"
)


@pytest.mark.parametrize("dialect", ["ros1", "ros2", "model"])
def test_losses_in_every_dialect(dialect: str) -> None:
    inner = f'<joint name="zeta"/><actuator name="m"/>{LOSSES}'
    kind = "transmission_interface/SimpleTransmission"
    parts = {
        "ros1": f'<transmission name="t"><type>{kind}</type>{inner}</transmission>',
        "ros2": f'<ros2_control name="s" type="system"><transmission name="t"><plugin>{kind}</plugin>{inner}'
        "</transmission></ros2_control>",
        "model": f'<transmission name="t" type="simple">{inner}</transmission>',
    }
    m = robot(parts[dialect])
    t = m.transmissions["t"]
    assert t.losses == Losses(efficiency=0.85, friction=0.01, damping=1e-4)
    assert t.backlash == Backlash(gap=0.002, stiffness=5000, damping=3)
    assert not [d for d in m.diagnostics if "unknown" in d.code]


def test_without_losses_there_are_none() -> None:
    t = robot(f'{MOTORS}<transmission name="t" type="simple">{ENDS}</transmission>').transmissions["t"]
    assert t.losses.none and t.backlash is None


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        ("<efficiency>0</efficiency>", "dynamics-invalid"),
        ("<efficiency>1.2</efficiency>", "dynamics-invalid"),
        ("<efficiency>85%</efficiency>", "number-invalid"),
        ("<friction>-1</friction>", "dynamics-invalid"),
        ("<damping>-1</damping>", "dynamics-invalid"),
        ("<backlash><gap>0.1</gap></backlash>", "element-missing"),
        ("<backlash><stiffness>10</stiffness></backlash>", "element-missing"),
        ("<backlash><gap>-0.1</gap><stiffness>10</stiffness></backlash>", "dynamics-invalid"),
        ("<backlash><gap>0.1</gap><stiffness>0</stiffness></backlash>", "dynamics-invalid"),
    ],
)
def test_losses_that_cannot_be(inner: str, code: str) -> None:
    assert errors(f'{MOTORS}<transmission name="t" type="simple">{ENDS}{inner}</transmission>') == [code]


# --- numbers that a kind has no use for, and branches -----------------------------------------------------------------


def test_a_gear_pair_lies_in_series_with_its_ends() -> None:
    ends = "<actuator>m<mechanical_reduction>3</mechanical_reduction></actuator><joint>zeta</joint>"
    t = robot(f'{MOTORS}<transmission name="t" type="screw">{ends}<lead>0.01</lead></transmission>').transmissions["t"]
    assert isinstance(t.map, SimpleTransmission)
    assert t.map.reduction == pytest.approx(3 * 2 * pi / 0.01)


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


# --- code that is not allowed, or of no use ---------------------------------------------------------------------------


def messages(parts: str, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(LoadError) as caught:
        gearwright.loads(text(parts), **options)
    return [(d.code, d.message) for d in caught.value.diagnostics if d.severity == "error"]


def test_code_is_refused_and_the_message_says_how_to_allow_it() -> None:
    ((code, message),) = messages(CUSTOM)
    assert code == "plugin-untrusted"
    for words in ("wrist.py", "plugins='trust'", "plugins=[folders]", "--plugins"):
        assert words in message


def test_an_entry_point_that_is_not_installed() -> None:
    parts = CUSTOM.replace(' filename="wrist.py"', "")
    assert [code for code, _ in messages(parts, plugins="trust")] == ["plugin-not-found"]


class _EntryPoint:
    name = "w"

    def load(self) -> Any:
        return lambda q: q**3


def test_an_entry_point_is_refused_or_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gearwright.formats.plugins.entry_points", lambda group: [_EntryPoint()])
    parts = CUSTOM.replace(' filename="wrist.py"', "")
    ((code, message),) = messages(parts)
    assert code == "plugin-untrusted" and "entry point w" in message
    t = gearwright.loads(text(parts), plugins="trust").transmissions["t"].map
    assert t is not None and t.joint_to_actuator_position(2.0) == 8.0


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1", "there is no function"),
        ("def position(q): return q\ndef effort(a, q, v): return a", "either position or effort"),
        ("def position(): return 1", r"called as position(q)"),
        ("def effort(a): return a", r"called as effort(a, q, v)"),
        ("import nothing_like_this", "ModuleNotFoundError"),
        ("position = 3", "either position(q) or effort(a, q, v)"),
    ],
)
def test_files_that_hold_no_map(tmp_path: Path, code: str, words: str) -> None:
    (tmp_path / "wrist.py").write_text(code)
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    with pytest.raises(LoadError) as caught:
        gearwright.load(tmp_path / "robot.urdf", plugins="trust")
    (error,) = (d for d in caught.value.diagnostics if d.severity == "error")
    assert error.code == "plugin-not-found" and words in error.message


def test_a_function_from_a_file_is_differentiated(tmp_path: Path) -> None:
    (tmp_path / "wrist.py").write_text("import numpy as np\ndef position(q):\n    return 3 * np.sin(q)\n")
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    t = gearwright.load(tmp_path / "robot.urdf", plugins="trust").transmissions["t"].map
    assert t is not None
    assert t.actuator_to_joint_effort(1.0, at=0.3) == pytest.approx(3 * np.cos(0.3), rel=1e-15)


def test_loading_a_function_needs_no_casadi(tmp_path: Path) -> None:
    (tmp_path / "wrist.py").write_text("def position(q):\n    return q\n")
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    code = f"import gearwright as gw, sys; gw.load({str(tmp_path / 'robot.urdf')!r}, plugins='trust'); "
    code += "print('casadi' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
