"""Files that other programs read are read here, too: text, names and types that are not by the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

import gearwright as gw
from gearwright.diagnostics import Diagnostic
from gearwright.formats.xacro.macros import MacroParameter, read_parameters
from tests.formats.arms import text

PLAIN = b'<robot name="r">\n<link name="a"/></robot>\n'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def told(robot: gw.Mechanism, severity: str = "warning") -> list[Diagnostic]:
    return [d for d in robot.diagnostics if d.severity == severity]


def refused(written: str | bytes, **options: object) -> list[Diagnostic]:
    with pytest.raises(gw.LoadError) as caught:
        gw.loads(written, **options)  # type: ignore[arg-type]
    return [d for d in caught.value.diagnostics if d.severity == "error"]


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("behind", [b"", b"\0\0", b"\n\0 \n", b"<robot", b"</robot>\xff\xfe"])
def test_the_text_ends_at_a_nul(behind: bytes) -> None:
    robot = gw.loads(PLAIN + b"\0" + behind)
    assert list(robot.links) == ["a"]
    (d,) = told(robot)
    assert (d.code, d.line) == ("xml-lenient", 3)
    assert ("are not read" in d.message) == bool(behind.strip(b"\0 \n"))


def test_the_text_ends_at_a_nul_in_utf_16_and_in_xacro() -> None:
    assert list(gw.loads((PLAIN.decode() + "\0x").encode("utf-16")).links) == ["a"]
    declared = b'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="p" value="a"/>'
    assert list(gw.loads(declared + b'<link name="${p}"/></robot>\0').links) == ["a"]


def test_a_text_that_a_nul_cuts_off_is_not_xml() -> None:
    assert [d.code for d in refused(PLAIN.replace(b"/>", b"/>\0"))] == ["xml-malformed"]


# --- xacro ------------------------------------------------------------------------------------------------------------

PARAMETERS = {  # what xacro makes of them
    "robot_ns:='''": [("robot_ns", "'''")],
    "a:='x b": [("a:='x", None), ("b", None)],
    "a:=b'c d'": [("a", "b'c d'")],
    "a:=${x + 1}${y + 1} b": [("a", "${x + 1}${y + 1}"), ("b", None)],
    "a:=$(arg x)y' b": [("a", "$(arg"), ("x)y'", None), ("b", None)],
    ":=3 =": [(":=3", None), ("=", None)],
    "a:= 'b c' d": [("a", "'b c'"), ("d", None)],
    "a:= 'b": [("a", None), ("'b", None)],
    "*block **blocks p:=": [("*block", None), ("**blocks", None), ("p", None)],
}


@pytest.mark.parametrize("written", PARAMETERS)
def test_a_parameter_that_has_no_default_is_a_name(written: str) -> None:
    assert read_parameters(written) == tuple(MacroParameter(name=n, default=d) for n, d in PARAMETERS[written])


def test_long_lists_of_parameters_take_no_time() -> None:
    assert len(read_parameters("a:='" + "'" * 60_000 + '"')) == 1
    assert len(read_parameters("a:=${ " * 60_000)) == 60_000


def test_a_macro_that_is_never_called_may_have_any_parameters() -> None:
    xacro = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="a"/>{}</robot>'
    macro = '<xacro:macro name="m" params="p:=\'x"/>'
    assert list(gw.loads(xacro.format(macro, "")).links) == ["a"]
    (d,) = refused(xacro.format(macro, "<xacro:m/>"))
    assert 'needs the parameter "p:=\'x"' in d.message


# --- parts of other programs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["turbodriver_api/TurbodriverAPI_DRCv4", "steam", "electric_moter"])
def test_an_actuator_of_an_unknown_type_is_left_out(kind: str) -> None:
    parts = f'<actuator name="m" type="{kind}"><node id="3"/></actuator>'
    robot = gw.loads(text(parts))
    assert not robot.actuators
    assert [d.code for d in told(robot)] == ["actuator-type-unknown"]
    assert [d.code for d in refused(text(parts), strict=True)] == ["actuator-type-unknown"]


def test_what_needs_an_actuator_of_an_unknown_type_is_left_out_with_it() -> None:
    robot = gw.loads(
        text(
            '<actuator name="m" type="steam"/><actuator name="n"/>'
            '<transmission name="t" type="simple"><actuator>m</actuator><joint>zeta</joint></transmission>'
            '<transmission name="u" type="simple"><actuator>n</actuator><joint>alpha</joint></transmission>'
            '<encoder name="e"><actuator>m</actuator></encoder>'
            '<encoder name="f"><transmission>t</transmission></encoder>'
            '<encoder name="g"><actuator>n</actuator></encoder>'
        )
    )
    assert (list(robot.actuators), list(robot.transmissions), list(robot.sensors)) == (["n"], ["u"], ["g"])
    gw.compile(robot)


def test_a_transmission_declares_an_actuator_of_an_unknown_type_anew() -> None:
    """As Valkyrie's files do, whose transmissions name actuators as ROS does."""
    ends = '<joint name="zeta"/><actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator>'
    robot = gw.loads(text(f'<actuator name="m" type="a/B"/><transmission name="t"><type>SimpleTransmission</type>{ends}'
                          "</transmission>"))  # fmt: skip
    assert list(robot.acting) == ["m"]


@pytest.mark.parametrize("attribute", ["spring_stiffness", "spring_reference", "armature"])
def test_attributes_that_urdf_does_not_have_do_not_refuse_a_robot(attribute: str) -> None:
    others = {"spring_stiffness": "3", "spring_reference": "1", "armature": "2", attribute: "{unset}"}
    written = "".join(f' {k}="{v}"' for k, v in others.items())
    parts = text("").replace('<axis xyz="0 0 1"/>', f'<axis xyz="0 0 1"/><dynamics damping="4"{written}/>', 1)
    robot = gw.loads(parts)
    d = robot.joints["zeta"].axes[0].dynamics
    spring, armature = (0.0, 2.0) if "spring" in attribute else (3.0, 0.0)  # half a spring is none
    assert (d.damping, d.spring_stiffness, d.armature) == (4.0, spring, armature)
    (warning,) = told(robot)
    assert (warning.code, "which URDF does not have, is left out" in warning.message) == ("number-invalid", True)
    assert [e.code for e in refused(parts, strict=True)] == ["number-invalid"]
    assert [e.code for e in refused(parts.replace('damping="4"', 'damping="{unset}"'))] == ["number-invalid"]


def test_the_reference_of_a_mimic_in_a_urdf() -> None:
    mimic = '<axis xyz="0 0 1"/><mimic joint="zeta" multiplier="2" reference="{unset}"/>'
    robot = gw.loads(text("")[::-1].replace('<axis xyz="0 0 1"/>'[::-1], mimic[::-1], 1)[::-1])
    assert robot.couplings["alpha"].reference == 0.0
    assert [d.code for d in told(robot)] == ["number-invalid"]


def test_elements_with_a_prefix_belong_to_another_program() -> None:
    """SDFormat's rule for what it does not define."""
    robot = gw.loads(
        '<sdf version="1.11" xmlns:gz="g" xmlns:my="m"><world name="w"><gz:policies/><model name="m" my:kind="x">'
        '<link name="a"><my:part><my:inner/></my:part><gz:more/></link></model></world></sdf>'
    )
    assert not told(robot)
    assert [d.message.partition(":")[0] for d in told(robot, "info") if d.code == "element-ignored"] == ["gz", "my"]


def test_a_call_that_an_expansion_left_behind_is_warned_of() -> None:
    robot = gw.loads('<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:sensors/></robot>')
    assert [d.code for d in told(robot)] == ["element-unknown"]


# --- joints and inertias ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["spherical", "Spherical", "ball"])
def test_spherical_joints_are_balls(kind: str) -> None:
    more = '<limit lower="-1" upper="1"/><dynamics damping="0.1"/>'
    links = f'<link name="a"/><link name="b">{MASS}</link>'
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{{}}</joint>'
    assert gw.loads(f'<robot name="r">{links}{joint.format("")}</robot>').diagnostics == ()
    robot = gw.loads(f'<robot name="r">{links}{joint.format(more)}</robot>')
    assert (robot.joints["j"].kind, robot.dof) == ("ball", 3)
    assert [d.message for d in told(robot)] == ["joint 'j' is of type ball: its range is not simulated"]
    assert robot.joints["j"].damping == 0.1


def test_damping_of_a_ball_joint_in_sdformat_is_read() -> None:
    axis = "<axis><xyz>0 0 1</xyz><dynamics><damping>{}</damping></dynamics></axis>"
    joint = f'<joint name="j" type="ball"><parent>a</parent><child>b</child>{axis}</joint>'
    model = f'<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/>{joint}</model></sdf>'
    for damping in (0.1, 0.0):
        robot = gw.loads(model.format(damping))
        assert robot.joints["j"].damping == damping and not told(robot)


@pytest.mark.parametrize("moment", ["-2.41e-35", "-1e-20", "-0.0"])
@pytest.mark.parametrize("mass", ["0", "2"])
def test_what_rounding_leaves_of_a_moment_of_zero_is_not_judged(moment: str, mass: str) -> None:
    inertia = f'<inertia ixx="{moment}" iyy="0" izz="0"/>'
    robot = gw.loads(
        f'<robot name="r"><link name="a"><inertial><mass value="{mass}"/>{inertia}</inertial></link></robot>'
    )
    assert not told(robot)


def test_a_negative_moment_is_judged() -> None:
    inertia = '<inertia ixx="-1e-12" iyy="1e-12" izz="1e-12"/>'
    robot = gw.loads(f'<robot name="r"><link name="a"><inertial><mass value="1"/>{inertia}</inertial></link></robot>')
    assert [d.code for d in told(robot)] == ["inertia-invalid"]


# --- worlds -----------------------------------------------------------------------------------------------------------

WORLD = """<sdf version="1.9"><world name="w">
<include{0}><uri>model://{1}</uri><name>strip</name><static>true</static><pose degrees="true">1 2 3 0 0 90</pose>
<placement_frame>spot</placement_frame><plugin name="p" filename="p"/></include>
<frame name="unused" attached_to="arm"><pose relative_to="arm">1 0 0 0 0 0</pose></frame>
<model name="arm"><pose degrees="true" rotation_format="euler_rpy"/><link name="a"><frame name="f"><pose/></frame>
</link></model></world></sdf>"""


@pytest.mark.parametrize("model", [None, "arm", "strip", "*"])
@pytest.mark.parametrize("merge", ["", ' merge="false"'])
def test_what_stands_beside_the_model_that_is_loaded_is_known(tmp_path: Path, model: str | None, merge: str) -> None:
    (tmp_path / "runway").mkdir()
    runway = '<model name="runway"><static>true</static><link name="l"/><frame name="spot"/></model>'
    (tmp_path / "runway" / "model.sdf").write_text(f'<sdf version="1.9">{runway}</sdf>')
    file = tmp_path / "world.sdf"
    file.write_text(WORLD.format(merge, "runway"))
    assert not told(gw.load(file, model=model))


@pytest.mark.parametrize("model", [None, "*"])
def test_an_include_that_is_not_found_is_told_once(tmp_path: Path, model: str | None) -> None:
    file = tmp_path / "world.sdf"
    file.write_text(WORLD.format("", "nowhere"))
    assert [d.code for d in told(gw.load(file, model=model))] == ["include-not-found"]
