"""Transmissions of several stages, and their losses."""

from __future__ import annotations

import numpy as np
import pytest

from gearwright import (
    Backlash,
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    Losses,
    Series,
    SimpleTransmission,
)
from gearwright.model import AxisRef
from tests.formats.arms import ENDS, MOTORS, errors, robot
from tests.tolerances import ROUNDING

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
    np.testing.assert_allclose(t.actuator_per_joint_at(2.0), 4 * ratio, rtol=ROUNDING)


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
    assert t.losses.lossless and t.backlash is None


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
