"""<ros2_control>: hardware descriptions, and the rules that ros2_control itself checks."""

from __future__ import annotations

import pytest

import gearwright
from gearwright import LoadError, Mechanism, SimpleTransmission
from gearwright.model import AxisRef
from tests.tolerances import ROUNDING

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LINKS = "".join(f'<link name="l{i}">{MASS}</link>' for i in range(5))


def joint(i: int, name: str, kind: str = "continuous", inner: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 '
        f'0 1"/>{inner}</joint>'
    )


JOINTS = (
    joint(0, "leader")
    + joint(1, "follower", inner='<mimic joint="leader" multiplier="-2" offset="0.5"/>')
    + joint(2, "free")
    + joint(3, "weld", "fixed")
)
POSITION = '<command_interface name="position"/>'


def robot(inner: str, name: str = "system") -> Mechanism:
    return gearwright.loads(
        f'<robot name="r">{LINKS}{JOINTS}<ros2_control name="{name}" type="system">{inner}</ros2_control></robot>'
    )


def errors(inner: str) -> list[str]:
    with pytest.raises(LoadError) as caught:
        robot(inner)
    return [d.code for d in caught.value.diagnostics if d.severity == "error"]


def test_a_system_with_all_its_parts() -> None:
    m = robot(
        "<hardware><plugin>mock_components/GenericSystem</plugin><param name='rate'>100</param></hardware>"
        '<joint name="leader"><command_interface name="position"><param name="min">-1</param>'
        '<param name="max">1</param></command_interface>'
        '<state_interface name="position"><param name="initial_value">0.2</param>'
        '</state_interface><state_interface name="velocity"/><param name="id">3</param></joint>'
        '<joint name="follower"><state_interface name="position"/></joint>'
        '<sensor name="imu"><state_interface name="x"/></sensor><gpio name="io">'
        '<command_interface name="out"/><state_interface name="in"/></gpio>'
    )
    h = m.hardware["system"]
    assert (h.type, h.plugin, dict(h.parameters)) == ("system", "mock_components/GenericSystem", {"rate": "100"})
    leader, follower = h.joints
    assert [i.name for i in leader.commands] == ["position"]
    assert dict(leader.commands[0].parameters) == {"min": "-1", "max": "1"}
    assert [i.name for i in leader.states] == ["position", "velocity"]
    assert dict(leader.states[0].parameters) == {"initial_value": "0.2"}
    assert dict(leader.parameters) == {"id": "3"}
    assert (leader.mimic, follower.mimic) == (None, None)
    assert [s.name for s in h.sensors] == ["imu"]
    assert [(g.name, len(g.commands), len(g.states)) for g in h.gpios] == [("io", 1, 1)]


def test_the_follower_follows() -> None:
    for attribute in ("", ' mimic="true"'):
        m = robot(f'<joint name="leader">{POSITION}</joint><joint name="follower"{attribute}/>')
        assert m.configuration({"leader": 0.3})["follower"] == pytest.approx((-2 * 0.3 + 0.5,), rel=ROUNDING)
        assert m.dof == 2


def test_mimic_false_switches_the_coupling_off() -> None:
    m = robot(f'<joint name="leader">{POSITION}</joint><joint name="follower" mimic="false">{POSITION}</joint>')
    assert "follower" not in m.couplings
    assert m.dof == 3
    assert m.hardware["system"].joints[1].mimic is False


def test_a_joint_twice_is_no_traceback() -> None:
    twice = f'<joint name="follower" mimic="false">{POSITION}</joint>' * 2
    try:
        m = robot(f'<joint name="leader"/>{twice}')
    except LoadError as error:
        assert [d.code for d in error.diagnostics if d.severity == "error"] == ["name-duplicate"]
    else:
        assert "follower" not in m.couplings


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        (f'<joint name="leader"/><joint name="follower">{POSITION}</joint>', "ros2-mimic-command-interface"),
        (
            f'<joint name="leader"/><joint name="follower" mimic="true">{POSITION}</joint>',
            "ros2-mimic-command-interface",
        ),
        ('<joint name="free" mimic="true"/>', "ros2-mimic-not-in-urdf"),
        ('<joint name="follower"/>', "ros2-mimic-leader-missing"),
        ('<joint name="weld"/>', "ros2-joint-fixed"),
        ('<joint name="nobody"/>', "ros2-joint-not-found"),
        ('<joint name="free" mimic="maybe"/>', "number-invalid"),
        ("<joint/>", "name-missing"),
        ('<joint name="free"><command_interface/></joint>', "name-missing"),
    ],
)
def test_rules(inner: str, code: str) -> None:
    assert code in errors(inner)


def test_the_leader_must_be_in_the_same_tag() -> None:
    text = (
        f'<robot name="r">{LINKS}{JOINTS}<ros2_control name="a" type="system"><joint name="leader"/></ros2_control>'
        '<ros2_control name="b" type="system"><joint name="follower"/></ros2_control></robot>'
    )
    with pytest.raises(LoadError, match="ros2-mimic-leader-missing"):
        gearwright.loads(text)


def test_a_second_tag_of_one_name_gets_a_number() -> None:
    one = '<ros2_control name="a" type="system"><joint name="free"/></ros2_control>'
    m = gearwright.loads(f'<robot name="r">{LINKS}{JOINTS}{one}{one}{one.replace("free", "leader")}</robot>')
    assert {n: [j.name for j in h.joints] for n, h in m.hardware.items()} == {
        "a": ["free"], "a_1": ["free"], "a_2": ["leader"],
    }  # fmt: skip
    assert [d.message.rpartition(" ")[2] for d in m.diagnostics if d.code == "name-duplicate"] == ["'a_1'", "'a_2'"]


def test_transmissions_belong_to_their_tag() -> None:
    m = robot(
        '<joint name="free"/><transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>'
        '<actuator name="m" role="actuator1"/><joint name="free" role="joint1">'
        "<mechanical_reduction>325.949</mechanical_reduction><offset>0.1</offset></joint>"
        "</transmission>"
    )
    assert m.hardware["system"].transmissions == ("t",)
    assert m.transmissions["t"].map == SimpleTransmission(reduction=325.949, offset=0.1)


def test_a_transmission_without_actuators_gets_one() -> None:
    """ros2_control makes one up; so does this reader."""
    m = robot(
        '<joint name="free"/><transmission name="t">'
        '<plugin>transmission_interface/SimpleTransmission</plugin><joint name="free">'
        "<mechanical_reduction>2</mechanical_reduction></joint></transmission>"
    )
    t = m.transmissions["t"]
    assert t.joints == (AxisRef("free"),)
    assert list(m.actuators) == list(t.actuators)


def test_a_reduction_that_is_no_number_is_an_error() -> None:
    inner = (
        '<joint name="free"/><transmission name="t">'
        '<plugin>transmission_interface/SimpleTransmission</plugin><joint name="free">'
        "<mechanical_reduction>reduction</mechanical_reduction></joint></transmission>"
    )
    assert "number-invalid" in errors(inner)
