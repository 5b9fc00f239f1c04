"""What a file leaves out or writes in the wrong place is reported, with its line: nothing is defaulted in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

import gearwright as gw

HERE = "<!--here-->"
BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def sdf(
    link: str = BODY, rest: str = "", model: str = "", joint: str = "", kind: str = "revolute", axis: str = ""
) -> str:
    ends = f"<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>{axis}</axis>"
    return (
        f'<sdf version="1.11">\n<model name="m"{model}>\n<link name="a">{BODY}</link><link name="b">{link}</link>'
        f'\n<joint name="j" type="{kind}">{ends}{joint}</joint>{rest}</model></sdf>'
    )


def urdf(link: str = MASS, rest: str = "", joint: str = "", robot: str = "", kind: str = "continuous") -> str:
    axis = "" if "<axis" in joint else '<axis xyz="0 0 1"/>'
    ends = f'<parent link="a"/><child link="b"/>{axis}'
    return (
        f'<robot name="r"{robot}>\n<link name="a">{MASS}</link><link name="b">{link}</link>'
        f'\n<joint name="j" type="{kind}">{ends}{joint}</joint>{rest}</robot>'
    )


def ros2(inner: str) -> str:
    return urdf(rest=f'<ros2_control name="s" type="system">{inner}</ros2_control>')


TENSOR = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
HARDWARE = "<hardware><plugin>p</plugin></hardware>"
PITCHED = '<joint name="j" type="screw">'

# text → severity, code, a part of the message
CASES: dict[str, tuple[str, str, str, str]] = {
    # shapes
    "urdf, no radius": (
        urdf(f"{MASS}<visual><geometry>\n<sphere/>{HERE}</geometry></visual>"),
        "warning",
        "element-missing",
        "<sphere> has no radius; 1 m is used",
    ),
    "sdf, negative size": (
        sdf(f'{BODY}<visual name="v"><geometry>\n<box>{HERE}<size>1 -1 1</size></box></geometry></visual>'),
        "warning",
        "number-invalid",
        "size cannot be negative (-1 m); this visual is left out",
    ),
    # inertials
    "sdf, no mass": (sdf(f"\n<inertial>{HERE}{TENSOR}</inertial>"), "warning", "inertia-missing", "1 kg is used"),
    "sdf, misspelt mass": (
        sdf(f"\n<inertial>{HERE}{TENSOR}<masss>2</masss></inertial>"),
        "warning",
        "inertia-missing",
        "did you mean 'mass'?",
    ),
    "sdf, no inertia": (
        sdf(f"\n<inertial>{HERE}<mass>1</mass></inertial>"),
        "warning",
        "inertia-missing",
        "no <inertia>",
    ),
    "sdf, no moments": (
        sdf(f"<inertial><mass>1</mass>\n<inertia>{HERE}<ixx>2</ixx></inertia></inertial>"),
        "warning",
        "inertia-missing",
        "no iyy, izz",
    ),
    "sdf, relative inertial": (
        sdf(f'<inertial>\n<pose relative_to="a">0 0 1 0 0 0</pose>{HERE}<mass>1</mass>{TENSOR}</inertial>'),
        "warning",
        "pose-invalid",
        "relative_to='a' is ignored",
    ),
    "urdf, no mass": (
        urdf(f'\n<inertial>{HERE}<inertia ixx="1" iyy="1" izz="1"/></inertial>'),
        "warning",
        "inertia-missing",
        "no <mass value=…>; 0 kg",
    ),
    "urdf, mass of no value": (
        urdf(f'<inertial>\n<mass kg="1"/>{HERE}<inertia ixx="1" iyy="1" izz="1"/></inertial>'),
        "warning",
        "inertia-missing",
        "no <mass value=…>; 0 kg",
    ),
    "urdf, no inertia": (
        urdf(f'\n<inertial>{HERE}<mass value="1"/></inertial>'),
        "warning",
        "inertia-missing",
        "no <inertia>; 0 kg·m²",
    ),
    "urdf, no moments": (
        urdf(f'<inertial><mass value="1"/>\n<inertia ixx="1" iyy="1"/>{HERE}</inertial>'),
        "warning",
        "inertia-missing",
        "no izz; 0",
    ),
    # text where attributes belong
    "urdf, mass as text": (
        urdf(f'<inertial>\n<mass>2</mass>{HERE}<inertia ixx="1" iyy="1" izz="1"/></inertial>'),
        "error",
        "element-missing",
        '<mass value="2"/>',
    ),
    "urdf, axis as text": (
        urdf(joint=f"\n<axis>0 1 0</axis>{HERE}"),
        "error",
        "element-missing",
        '<axis xyz="0 1 0"/>',
    ),
    "urdf, origin as text": (
        urdf(joint=f"\n<origin>0 1 0 0 0 0</origin>{HERE}"),
        "error",
        "element-missing",
        '<origin xyz="0 1 0 0 0 0"/>',
    ),
    "urdf, size as text": (
        urdf(f"{MASS}<visual><geometry>\n<box>1 1 1</box>{HERE}</geometry></visual>"),
        "warning",
        "element-missing",
        '<box size="1 1 1"/>',
    ),
    "urdf, stray text": (urdf(f"{HERE}\n{MASS}heavy"), "warning", "element-unknown", 'the text "heavy" in <link>'),
    # joints
    "sdf, screw of no pitch": (
        sdf(kind="screw").replace(PITCHED, PITCHED + HERE),
        "warning",
        "element-missing",
        "no <screw_thread_pitch>; SDFormat's 1 m/rev",
    ),
    "urdf, screw of no pitch": (
        urdf(kind="screw").replace(PITCHED, PITCHED + HERE),
        "error",
        "element-missing",
        "needs <drake:screw_thread_pitch",
    ),
    "sdf, negative spring": (
        sdf(axis=f"\n<dynamics>{HERE}<spring_stiffness>-1</spring_stiffness></dynamics>"),
        "warning",
        "dynamics-invalid",
        "a negative spring_stiffness (-1) pushes away",
    ),
    "sdf, ratio without a rotor": (
        sdf(joint=f"\n<drake:gear_ratio>3</drake:gear_ratio>{HERE}"),
        "warning",
        "element-missing",
        "no rotor",
    ),
    "sdf, canonical link": (
        sdf(model=' canonical_link="c"').replace('"c">', f'"c">{HERE}'),
        "warning",
        "link-not-found",
        "canonical link 'c' does not exist",
    ),
    # versions
    "urdf version": (
        urdf(robot=' version="2.0"').replace('2.0">', f'2.0">{HERE}'),
        "warning",
        "version-unknown",
        "'2.0'",
    ),
    "sdf version with a patch": (sdf().replace('1.11">', f'1.11.0">{HERE}'), "warning", "version-unknown", "'1.11.0'"),
    "sdf version too old": (
        sdf().replace('1.11">', f'1.1">{HERE}'),
        "warning",
        "version-unknown",
        "did you mean 1.10?",
    ),
    # ros2_control
    "nameless param": (
        ros2(f"<hardware><plugin>p</plugin>\n<param>1</param>{HERE}</hardware>"),
        "warning",
        "name-missing",
        "<param> of <hardware>",
    ),
    "nameless param of an interface": (
        ros2(
            f'{HARDWARE}<joint name="j"><state_interface name="position">'
            f"\n<param>1</param>{HERE}</state_interface></joint>"
        ),
        "warning",
        "name-missing",
        "<param> of <state_interface>",
    ),
    "no plugin": (
        ros2(f"\n<hardware>{HERE}<plugn>p</plugn></hardware>"),
        "warning",
        "element-missing",
        "did you mean 'plugin'?",
    ),
    "no hardware": (
        ros2("").replace('type="system">', f'type="system">{HERE}'),
        "warning",
        "element-missing",
        "no <hardware>",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_reported(case: str) -> None:
    text, severity, code, fragment = CASES[case]
    line = text[: text.index(HERE)].count("\n") + 1
    try:
        found = gw.loads(text).diagnostics
    except gw.LoadError as error:
        found = error.diagnostics
    shown = "\n".join(map(str, found))
    assert [(d.severity, d.line) for d in found if d.code == code and fragment in d.message] == [(severity, line)], (
        shown
    )


@pytest.mark.parametrize("case", ["nameless param", "no plugin", "sdf, canonical link", "urdf, size as text"])
def test_what_does_not_move_is_an_error_if_strict(case: str) -> None:
    text, _, code, _ = CASES[case]
    with pytest.raises(gw.LoadError, match=code):
        gw.loads(text, strict=True)


def test_xacro_files_are_read_alike(tmp_path: Path) -> None:
    """Text where an attribute belongs, and hyphens in a comment."""
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><!-- a -- b -->'
    inertial = "<inertial>\n<mass>${m}</mass></inertial>"
    link = f'<xacro:property name="m" value="2"/><link name="a">{inertial}</link>'
    (tmp_path / "r.xacro").write_text(f"{head}\n{link}</robot>")
    with pytest.raises(gw.LoadError) as caught:
        gw.load(tmp_path / "r.xacro")
    found = [(d.severity, d.code, d.line) for d in caught.value.diagnostics]
    assert ("warning", "xml-lenient", 1) in found
    assert ("error", "element-missing", 3) in found


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2"])
def test_versions_of_urdf(version: str) -> None:
    assert not gw.loads(urdf(robot=f' version="{version}"')).diagnostics


def test_ros2_control_inside_a_model() -> None:
    joint = '<joint name="j"><command_interface name="position"/><state_interface name="position"/></joint>'
    drive = (
        '<transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>'
        '<joint name="j"><mechanical_reduction>30</mechanical_reduction></joint></transmission>'
    )
    tag = f'<ros2_control name="s" type="system">{HARDWARE}{joint}{drive}</ros2_control>'
    robot = gw.loads(sdf(rest=tag))
    assert [c.name for c in robot.hardware["s"].joints] == ["j"]
    assert robot.transmissions["t"].map.reduction == 30
    assert not robot.diagnostics
    inner = sdf(rest=tag).partition("\n")[2].removesuffix("</sdf>")
    nested = gw.loads(f'<sdf version="1.11"><model name="outer">{inner}</model></sdf>')
    assert [c.name for c in nested.hardware["m::s"].joints] == ["m::j"]
    assert str(nested.transmissions["m::t"].joints[0]) == "m::j"
    with pytest.raises(gw.LoadError, match="ros2-joint-not-found"):
        gw.loads(sdf(rest=tag.replace('<joint name="j"><command', '<joint name="k"><command')))


# --- rounding ---------------------------------------------------------------------------------------------------------


def limited(upper: float, multiplier: str) -> str:
    mass = f'<link name="c">{MASS}</link>'
    limit = '<limit lower="0" upper="{}" effort="1" velocity="1"/>'
    return urdf(
        kind="revolute",
        joint=limit.format("0.6"),
        rest=f'{mass}<joint name="k" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>'
        f'{limit.format(upper)}<mimic joint="j" multiplier="{multiplier}"/></joint>',
    )


@pytest.mark.parametrize(
    ("upper", "multiplier", "severity"),
    [
        (0.2, "0.333", None),  # mapped to 0.6006
        (0.4, "0.667", None),  # 0.59970: 0.05 % of the range
        (0.3, "0.501", None),  # 0.5988: 0.2 %
        (0.3, "0.503", "warning"),  # 0.5964: 0.6 %, which no rounding to three digits explains
        (0.29, "0.5", "warning"),
    ],
)
def test_rounding_does_not_tighten_limits(upper: float, multiplier: str, severity: str | None) -> None:
    found = [d.severity for d in gw.loads(limited(upper, multiplier)).diagnostics if d.code == "mimic-limits-tighten"]
    assert found == ([] if severity is None else [severity])
