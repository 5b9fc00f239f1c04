"""Numbers, formulas and names as they are printed."""

from __future__ import annotations

from math import inf, pi

import pytest

from gearwright.display.devices import blocks, strength
from gearwright.display.maps import combination, formulas
from gearwright.display.quantities import force, mass, number, travel
from gearwright.display.visible import visible
from gearwright.model import (
    AxisRef,
    DifferentialTransmission,
    ElectricMotor,
    FourBarLinkage,
    Limits,
    LinearMap,
    Series,
    SimpleTransmission,
    Transmission,
)


@pytest.mark.parametrize(
    ("x", "printed"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5707963, "−1.571"), (4096.0, "4096"), (123456.0, "123456"),
        (1.2e-5, "1.2×10⁻⁵"), (-3e-7, "−3×10⁻⁷"), (2.5e9, "2.5×10⁹"), (inf, "∞"), (-inf, "−∞"), (0.001, "0.001"),
    ],
)  # fmt: skip
def test_numbers(x: float, printed: str):
    assert number(x) == printed


@pytest.mark.parametrize(
    ("limits", "prismatic", "printed"),
    [
        (Limits(lower=-pi / 2, upper=pi / 2), False, "±1.571 rad (±90°)"),
        (Limits(lower=0, upper=1), False, "0 … 1 rad (0 … 57.3°)"),
        (Limits(lower=0, upper=0.04), True, "0 … 40 mm"),
        (Limits(lower=-0.5, upper=2), True, "−0.5 … 2 m"),
        (Limits(lower=0), False, "≥ 0 rad (≥ 0°)"),
        (Limits(upper=1), True, "≤ 1 m"),
        (Limits(), False, "no limit"),
        (Limits(lower=0, upper=0), True, "0 … 0 mm"),
    ],
)
def test_ranges(limits: Limits, prismatic: bool, printed: str):
    assert travel(limits, prismatic) == printed


def test_units_suit_the_size():
    assert (mass(0.06), mass(1.25), mass(0.0)) == ("60 g", "1.25 kg", "0 kg")
    assert (force(0.012), force(2.4), force(40, True)) == ("12 mN·m", "2.4 N·m", "40 N")


def test_combinations():
    assert combination([1 / 80, -1 / 80], ["a", "b"]) == "a/80 − b/80"
    assert combination([1, -0.5, 0], ["a", "b", "c"], 0.1) == "a − b/2 + 0.1"
    assert combination([-2.5], ["a"], -1) == "−2.5·a − 1"
    assert combination([0, 0], ["a", "b"]) == "0"


def _transmission(kind: object, actuators: int, joints: int) -> Transmission:
    return Transmission(
        name="t", type="t", map=kind,  # type: ignore[arg-type]
        actuators=tuple(f"m{i}" for i in range(actuators)), joints=tuple(AxisRef(f"j{i}") for i in range(joints)),
    )  # fmt: skip


def test_formulas_of_transmissions():
    assert formulas(_transmission(SimpleTransmission(reduction=-50, offset=0.1), 1, 1)) == ["j0 = −m0/50 + 0.1"]
    wrist = DifferentialTransmission(actuator_reduction=(40, 40))
    assert formulas(_transmission(wrist, 2, 2)) == ["j0 = m0/80 + m1/80", "j1 = m0/80 − m1/80"]
    wide = LinearMap(matrix=((1.0, 2.0),))  # two actuators on a joint: these do not fix each other
    assert formulas(_transmission(wide, 2, 1)) == ["m0 = j0", "m1 = 2·j0"]
    assert "not known" in formulas(_transmission(None, 0, 0))[0]


def test_a_series_is_shown_stage_by_stage():
    """Planetary gear and linkage: it was said to have no map."""
    stages = (SimpleTransmission(reduction=4), FourBarLinkage(ground=0.1, input=0.03, coupler=0.1, output=0.06))
    t = Transmission(name="t", type="series", map=Series(stages), actuators=("m",), joints=(AxisRef("j"),))
    assert formulas(t) == [
        "stage 1: shaft1 = m/4",
        "stage 2: linkage: ground 100 mm, input 30 mm, coupler 100 mm, output 60 mm",
    ]


def test_a_motor_in_words_and_blocks():
    motor = ElectricMotor(name="m", stall_torque=0.05, no_load_speed=780)
    assert strength(motor) == "50 mN·m stall, 780 rad/s free"
    assert blocks(motor) == "▆▅▅▄▃▂▂▁"
    held = ElectricMotor(name="m", stall_torque=0.05, no_load_speed=780, effort_limit=0.012)
    assert blocks(held).startswith("▆▆▆▆▆")
    assert blocks(ElectricMotor(name="ideal")) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain_name", "plain_name"), ("größe·名", "größe·名"), ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\r", "a\\x0ab\\x0d"),
        ("\u202egnp", "\\u202egnp"), ("\u2028", "\\u2028"), ("\x9b", "\\x9b"), ("\udc80", "\\udc80"), ("\x00", "\\x00"),
    ],
)  # fmt: skip
def test_nothing_steers_the_terminal(text: str, shown: str):
    assert visible(text) == shown


def test_endless_text_is_cut():
    assert len(visible("x" * 10**6)) == 2000
