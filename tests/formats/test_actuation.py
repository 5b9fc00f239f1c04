"""Actuators, encoders, limit switches and couplings as elements of a model."""

from __future__ import annotations

import pytest

import gearwright
from gearwright import LoadError, Mechanism
from gearwright.model import ACTUATORS, AxisRef, DCMotor, ElectricMotor, PneumaticCylinder, Solenoid
from gearwright.model.sensors.sensors import LimitSwitch
from tests.tolerances import ROUNDING

MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
PARTS = "".join(f'<link name="l{i}">{MASS}</link>' for i in range(4)) + "".join(
    (
        f'<joint name="j{i}" type="revolute"><parent>l{i - 1}</parent><child>l{i}</child><axis><xyz>0 '
        "0 1</xyz></axis></joint>"
    )
    for i in (1, 2, 3)
)


def robot(parts: str) -> Mechanism:
    return gearwright.loads(f'<sdf version="1.11"><model name="m">{PARTS}{parts}</model></sdf>', base="fixed")


def urdf(parts: str) -> Mechanism:
    joint = '<joint name="j1" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    return gearwright.loads(
        f'<robot name="r"><link name="a">{mass}</link><link name="b">{mass}</link>{joint}{parts}</robot>'
    )


def errors(parts: str) -> list[str]:
    with pytest.raises(LoadError) as caught:
        robot(parts)
    return [d.code for d in caught.value.diagnostics if d.severity == "error"]


MOTOR = (
    '<actuator name="m" type="electric_motor"><joint>j1</joint><stall_torque>2.4</stall_torque>'
    "<no_load_speed>320</no_load_speed><torque_limit>1.8</torque_limit>"
    "<rotor_inertia>1.2e-5</rotor_inertia><damping>1e-6</damping><friction>0.002</friction>"
    "<command>position</command><stiffness>40</stiffness><damping_gain>1</damping_gain>"
    "<rotor>body</rotor></actuator>"
)


@pytest.mark.parametrize("read", [robot, urdf])
@pytest.mark.parametrize("prefix", ["", "gearwright:"])
def test_a_motor_with_everything(read, prefix: str) -> None:  # type: ignore[no-untyped-def]
    """In a model and in a robot, with and without the prefix of our own."""
    text = MOTOR.replace("<actuator", f"<{prefix}actuator").replace("</actuator", f"</{prefix}actuator")
    m = read(text)
    motor = m.actuators["m"]
    assert motor == ElectricMotor(
        name="m",
        joint=AxisRef("j1"),
        stall_torque=2.4,
        no_load_speed=320,
        effort_limit=1.8,
        rotor_inertia=1.2e-5,
        damping=1e-6,
        friction=0.002,
        command="position",
        stiffness=40,
        damping_gain=1,
        rotor="body",
    )
    assert all(d.code == "xml-lenient" for d in m.diagnostics)


def test_a_motor_is_ideal_unless_told_more() -> None:
    motor = robot('<actuator name="m"><joint>j1</joint></actuator>').actuators["m"]
    assert isinstance(motor, ElectricMotor)
    assert (motor.stall_torque, motor.curve, motor.rotor_inertia, motor.command) == (None, (), 0, "effort")


def test_a_torque_speed_table() -> None:
    motor = robot(
        '<actuator name="m"><torque_speed_curve>0 2.4  160 1.2  320 0</torque_speed_curve></actuator>'
    ).actuators["m"]
    assert isinstance(motor, ElectricMotor)
    assert motor.curve == ((0, 2.4), (160, 1.2), (320, 0))


def test_every_type_of_the_table_loads() -> None:
    inner = {
        "dc_motor": "<resistance>1</resistance><torque_constant>0.1</torque_constant>",
        "servo": "<resistance>1</resistance><torque_constant>0.1</torque_constant><position_gain>1</position_gain>",
        "pid": "<command>position</command><stiffness>1</stiffness>",
        "solenoid": "<force_stroke>0 1 0.01 3</force_stroke>",
        "pneumatic": (
            "<bore_area>1e-3</bore_area><supply_pressure>6e5</supply_pressure><time_constant>0.05</time_constant>"
        ),
    }
    for kind, made in ACTUATORS.items():
        found = robot(f'<actuator name="m" type="{kind}"><joint>j1</joint>{inner.get(kind, "")}</actuator>').actuators[
            "m"
        ]
        assert type(found) is made
    assert {DCMotor, Solenoid, PneumaticCylinder} <= set(ACTUATORS.values())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<actuator/>", "name-missing"),
        ('<actuator name="m"/><actuator name="m"/>', "name-duplicate"),
        ('<actuator name="m"><joint>nobody</joint></actuator>', "joint-not-found"),
        ('<actuator name="m"><joint axis="axis2">j1</joint></actuator>', "joint-not-found"),
        ('<actuator name="m"><command>thought</command></actuator>', "actuator-value"),
        ('<actuator name="m"><torque_limit>-1</torque_limit></actuator>', "actuator-value"),
        (
            '<actuator name="m"><stall_torque>0</stall_torque><no_load_speed>1</no_load_speed></actuator>',
            "actuator-value",
        ),
        ('<actuator name="m"><torque_speed_curve>0 1 0 2</torque_speed_curve></actuator>', "actuator-value"),
        ('<actuator name="m"><torque_speed_curve>0 1 2</torque_speed_curve></actuator>', "number-invalid"),
        ('<actuator name="m" type="solenoid"/>', "actuator-value"),
        ('<actuator name="m"><damping>much</damping></actuator>', "number-invalid"),
        ('<encoder name="e" type="torque"><joint>j1</joint></encoder>', "encoder-value"),
        ('<encoder name="e"><joint>j1</joint><update_rate>0</update_rate></encoder>', "encoder-value"),
        ('<encoder name="e"><joint>j1</joint><latency>-1</latency></encoder>', "encoder-value"),
        ('<encoder name="e"><joint>j1</joint><ratio>0</ratio></encoder>', "encoder-value"),
        ('<encoder name="e"><joint>j1</joint><side>left</side></encoder>', "encoder-value"),
        ('<encoder name="e"><joint>j9</joint></encoder>', "encoder-target-not-found"),
        ('<encoder name="e"><transmission>t</transmission></encoder>', "encoder-target-not-found"),
        ('<encoder name="e"/>', "encoder-target-not-found"),
        ("<encoder/>", "name-missing"),
    ],
)
def test_values_that_cannot_be(text: str, code: str) -> None:
    assert code in errors(text)


def test_an_encoder_with_everything() -> None:
    m = robot(
        '<actuator name="a"><joint>j1</joint></actuator><transmission name="t" type="simple">'
        "<actuator>a</actuator><joint>j2</joint></transmission>"
        '<encoder name="e" type="velocity"><transmission>t</transmission><side>joint</side>'
        "<resolution>4096</resolution><offset>0.1</offset><ratio>2</ratio><latency>0.002</latency>"
        "<update_rate>1000</update_rate><wrap>true</wrap><index>1</index><noise>0.01</noise><seed>7</seed></encoder>"
    )
    e = m.encoders["e"]
    assert (e.type, e.transmission, e.side, e.resolution, e.offset, e.ratio, e.latency, e.update_rate) == (
        "velocity",
        "t",
        "joint",
        4096,
        0.1,
        2,
        0.002,
        1000,
    )
    assert (e.wrap, e.index, e.noise, e.seed) == (True, True, 0.01, 7)


def test_a_limit_switch() -> None:
    s = robot(
        '<limit name="stop"><joint>j2</joint><threshold>1.5</threshold>'
        "<direction>below</direction><hysteresis>0.01</hysteresis></limit>"
    ).sensors["stop"]
    assert isinstance(s, LimitSwitch)
    assert (s.joint, s.threshold, s.direction, s.hysteresis) == (AxisRef("j2"), 1.5, "below", 0.01)


# --- couplings --------------------------------------------------------------------------------------------------------

PALM = (
    '<coupling name="palm"><term joint="j1">2</term><term joint="j2">-1</term><term '
    'joint="j3">-0.5</term><offset>0.25</offset></coupling>'
)


def test_a_coupling_of_many_joints() -> None:
    """Σ Gᵢ·qᵢ + offset = 0, the first term's axis being the follower."""
    m = robot(PALM)
    q = m.configuration({"j2": 0.3, "j3": -0.7})
    assert 2 * q["j1"][0] - q["j2"][0] - 0.5 * q["j3"][0] + 0.25 == pytest.approx(0)
    assert m.dof == 2
    assert m.couplings["palm"] is m.couplings["j1"]
    assert m.couplings["palm"].spelling == "coupling"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<coupling name="c"><term joint="j1"/></coupling>', "coupling-value"),
        ('<coupling name="c"><term joint="j1"/><term joint="j1"/></coupling>', "mimic-self"),
        ('<coupling name="c"><term joint="j1">0</term><term joint="j2"/></coupling>', "coupling-value"),
        ('<coupling name="c"><term joint="j1"/><term joint="nobody"/></coupling>', "mimic-leader-not-found"),
        ('<coupling name="c"><term joint="j1"/><term joint="j2.axis2"/></coupling>', "mimic-axis-missing"),
        ('<coupling name="c"><term joint="j1"/><term joint="j2"/><mode>soft</mode></coupling>', "coupling-value"),
        ('<coupling name="c"><term joint="j1"/><term joint="j2"/><mode>compliant</mode></coupling>', "coupling-value"),
        ('<coupling name="c"><term joint="j1"/><term joint="j2"/><erp>2</erp></coupling>', "coupling-value"),
        (
            (
                '<coupling name="c"><term joint="j1"/><term joint="j2"/></coupling><coupling name="d">'
                '<term joint="j2"/><term joint="j1"/></coupling>'
            ),
            "mimic-cycle",
        ),
    ],
)
def test_couplings_that_cannot_be(text: str, code: str) -> None:
    assert code in errors(text)


def test_modes() -> None:
    pair = '<coupling name="c"><term joint="j1">1</term><term joint="j2">-2</term>{}</coupling>'
    assert robot(pair.format("")).couplings["c"].mode == "exact"
    assert robot(pair.format("<mode>hard</mode><erp>0.1</erp>")).couplings["c"].erp == 0.1
    for inner in ("<mode>compliant</mode>", ""):
        c = robot(
            pair.format(f"{inner}<natural_frequency>200</natural_frequency><damping_ratio>1</damping_ratio>")
        ).couplings["c"]
        assert (c.mode, c.natural_frequency, c.damping_ratio) == ("compliant", 200, 1)


def test_a_polynomial() -> None:
    m = robot('<coupling name="c"><term joint="j1">1</term><term joint="j2">-2</term><powers>3 4</powers></coupling>')
    x = 0.3
    assert m.configuration({"j2": x})["j1"] == pytest.approx((2 * x + 3 * x**2 + 4 * x**3,), rel=ROUNDING)
    assert m.dof == 2


def test_with_coupling_changes_a_copy() -> None:
    m = robot(PALM)
    soft = m.with_coupling("palm", mode="compliant", natural_frequency=200, damping_ratio=1.0)
    assert (m.couplings["palm"].mode, soft.couplings["palm"].mode) == ("exact", "compliant")
    assert m.with_coupling("palm", offset=1.0).configuration()["j1"] == (1.0,)
    with pytest.raises(gearwright.ModelError, match="did you mean 'palm'"):
        m.with_coupling("plam", mode="hard")
    with pytest.raises(gearwright.ModelError, match="did you mean 'natural_frequency'"):
        m.with_coupling("palm", natural_frequenzy=1)
    with pytest.raises(gearwright.ModelError, match="natural_frequency"):
        m.with_coupling("palm", mode="compliant")


def test_two_couplings_of_one_follower() -> None:
    m = robot(
        '<coupling name="c"><term joint="j1"/><term joint="j2"/></coupling><coupling name="d">'
        '<term joint="j1"/><term joint="j3"/></coupling>'
    )
    assert [c.mode for c in m.couplings.values()] == ["exact", "hard"]
    assert "mimic-duplicate" in [d.code for d in m.diagnostics]
    assert m.dof == 1


@pytest.mark.parametrize("wrong", ["<resistance>2 Ohm</resistance>", "<resistance>-2</resistance>", ""])
def test_an_actuator_that_is_refused_is_reported_once_and_not_missed_by_others(wrong):
    text = f"""<robot name="d"><link name="a"/><link name="b"/>
    <joint name="axle" type="continuous"><parent link="a"/><child link="b"/></joint>
    <actuator name="drive" type="dc_motor">{wrong}<torque_constant>1</torque_constant></actuator>
    <transmission name="gear" type="linear_map"><actuator>drive</actuator><joint>axle</joint></transmission>
    <encoder name="turns"><actuator>drive</actuator></encoder></robot>"""
    with pytest.raises(LoadError) as refused:
        gearwright.loads(text)
    errors = [d.message for d in refused.value.diagnostics if d.severity == "error"]
    assert len(errors) == 1 and "resistance" in errors[0], errors
