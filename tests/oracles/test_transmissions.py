"""Transmissions against others' numbers: ros2_control's tests, from the corpus, and a linkage made of bodies."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import ModelError
from gearwright.model import AxisRef, LinearTransmission, Transmission
from gearwright.model.transmissions import parameters, with_parameters
from gearwright.tracing import trace
from tests.corpus.files import VARIABLE
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING

KINDS: dict[str, type[LinearTransmission]] = {
    "ros2_control/transmission_simple": gw.SimpleTransmission,
    "ros2_control/transmission_differential": gw.DifferentialTransmission,
    "ros2_control/transmission_four_bar": gw.FourBarLinkageTransmission,
}
# ros2_control's interfaces by what they carry
SAME_AS = {"torque": "effort", "force": "effort", "absolute_position": "position"}

# cases about handles, which ros2_control gives a transmission at run time and a map has none of
HANDLES = ("MismatchedInterfaceIgnored", "SuccessWithOneGoodHandle", "FailWhenNoCommonInterface")


def cases() -> list[Case]:
    pytest.importorskip("yaml")
    from tests.corpus.peer_files import cases

    return [c for c in cases() if c.file in KINDS]


def chosen(*prefixes: str) -> list[Any]:
    found = [pytest.param(c, id=str(c)) for c in cases() if c.name.startswith(prefixes)]
    absent = pytest.mark.skip(reason=f"no corpus beside the repository, nor at ${VARIABLE}")
    return found or [pytest.param(None, marks=absent)]


def made(case: Case, values: dict[str, Any]) -> LinearTransmission:
    fields = ("reduction", "offset", "actuator_reduction", "joint_reduction", "joint_offset")
    return KINDS[case.file](**{k: v for k, v in values.items() if k in fields})


def to_joint(t: LinearTransmission, interface: str, a: Any) -> Any:
    return getattr(t, f"actuator_to_joint_{SAME_AS.get(interface, interface)}")(a)


def to_actuator(t: LinearTransmission, interface: str, j: Any) -> Any:
    return getattr(t, f"joint_to_actuator_{SAME_AS.get(interface, interface)}")(j)


@pytest.mark.parametrize("case", chosen("DontMoveJoints", "MoveFirst", "MoveSecond", "MoveJoint"))
def test_number(case: Case) -> None:
    t, interface = made(case, case.inputs), case.inputs["interface"]
    np.testing.assert_allclose(
        to_joint(t, interface, case.inputs["actuator"]), case.expected["joint"], atol=ROUNDING, rtol=ROUNDING
    )
    back = to_actuator(t, interface, case.expected["joint"])
    np.testing.assert_allclose(back, case.inputs["actuator"], atol=ROUNDING, rtol=ROUNDING)


@pytest.mark.parametrize("case", chosen("RoundTrip"))
def test_round_trip(case: Case, rng: np.random.Generator) -> None:
    """To 1e-5 of what is asked for, and to 1e-9 of the numbers' own size."""
    i = case.inputs
    if isinstance(i["transmissions"], list):
        maps = [gw.SimpleTransmission(reduction=t["n"], offset=t["o"]) for t in i["transmissions"]]
        values = np.array(i["actuator_values"])[:, None]
    else:
        low, high = i["range"]
        fields = ("actuator_reduction", "joint_reduction", "joint_offset")
        draws = rng.uniform(low, high, (i["transmissions"], len(fields), 2))
        maps = [KINDS[case.file](**dict(zip(fields, map(tuple, d), strict=True))) for d in draws]
        values = rng.uniform(low, high, (i["values_each"], 2))
    for t in maps:
        for interface in i["interfaces"]:
            back = to_actuator(t, interface, to_joint(t, interface, values))
            np.testing.assert_allclose(back, values, rtol=0, atol=case.values["tolerance"])  # slack: theirs


@pytest.mark.parametrize("case", chosen("Exceptions_construct"))
def test_zero_reduction_is_refused(case: Case) -> None:
    i = case.inputs
    if "reduction" in i:
        bad = [{"reduction": i["reduction"], "offset": o} for o in i["offsets"]]
    else:
        sides = ("actuator_reduction", "joint_reduction")
        bad = [
            {one: tuple(r), other: tuple(i["good"])} | offset
            for r in i["bad_reductions"]
            for one, other in (sides, sides[::-1])
            for offset in ({}, {"joint_offset": (1.0, 1.0)})
        ]
    for values in bad:
        with pytest.raises(ModelError):
            made(case, values)


@pytest.mark.parametrize("case", chosen("Exceptions_sizes"))
def test_wrong_size_is_refused(case: Case) -> None:
    for field in case.inputs["size_1_vector_for"].split(" | "):
        with pytest.raises(ModelError):
            made(case, {field: (1.0,)})


@pytest.mark.parametrize("case", chosen("Exceptions_configure"))
def test_wrong_number_of_ends_is_refused(case: Case) -> None:
    t = made(case, {})
    for joints, actuators in case.inputs["joint_actuator_counts"]:
        with pytest.raises(ModelError):
            _tied(t, actuators, joints)
    assert _tied(t, t.actuators, t.joints).map is t


def _tied(t: LinearTransmission, actuators: int, joints: int) -> Transmission:
    return Transmission(
        name="t", type="t", map=t, actuators=tuple(f"a{i}" for i in range(actuators)),
        joints=tuple(AxisRef(f"j{i}") for i in range(joints)),
    )  # fmt: skip


@pytest.mark.parametrize("case", chosen("No_exception"))
def test_any_other_reduction_is_taken(case: Case) -> None:
    for reduction, offset in case.inputs["pairs"]:
        t = gw.SimpleTransmission(reduction=reduction, offset=offset)
        assert (t.reduction, t.offset) == (reduction, offset)


@pytest.mark.parametrize("case", chosen("Accessors"))
def test_sizes_and_fields(case: Case) -> None:
    t = made(case, case.inputs)
    assert (t.actuators, t.joints) == (case.expected["num_actuators"], case.expected["num_joints"])
    for name, value in case.inputs.items():
        assert getattr(t, name) == (tuple(value) if isinstance(value, list) else value)
    for interface in case.expected["supported_interfaces"]:
        assert np.shape(to_joint(t, interface, np.ones(t.actuators))) == (t.joints,)


@pytest.mark.parametrize("case", chosen("DontMoveJoints", "MoveFirst", "MoveSecond", "MoveJoint"))
def test_power_is_the_same_on_both_sides(case: Case, rng: np.random.Generator) -> None:
    """What ros2_control's numbers imply and its tests do not ask."""
    t = made(case, case.inputs)
    va, tj = rng.normal(size=t.actuators), rng.normal(size=t.joints)
    assert to_joint(t, "velocity", va) @ tj == pytest.approx(va @ to_actuator(t, "effort", tj), rel=1e-12)


def test_every_case_is_used(corpus_folder: object) -> None:
    used = ("DontMove", "Move", "RoundTrip", "Exceptions", "No_exception", "Accessors", *HANDLES)
    assert {c.name for c in cases() if not c.name.startswith(used)} == set()


# --- the same numbers, whichever way a map is written -----------------------------------------------------------------


@pytest.mark.parametrize("case", chosen("DontMoveJoints", "MoveFirst", "MoveSecond", "MoveJoint"))
@pytest.mark.parametrize("written", ["series", "custom", "symbols"])
def test_number_of_a_derived_map(case: Case, written: str) -> None:
    """ros2_control's numbers from a series of one stage, from a user's function, and with symbols for parameters."""
    t, interface = made(case, case.inputs), SAME_AS.get(case.inputs["interface"], case.inputs["interface"])
    a, j = np.array(case.inputs["actuator"]), np.array(case.expected["joint"])
    if written == "symbols":
        names = list(parameters(t))
        f = trace(
            lambda q, p: with_parameters(t, dict(zip(names, p, strict=True))).to_actuators(q), [t.joints, len(names)]
        )
        if interface == "position":
            np.testing.assert_allclose(
                np.array(f(j, list(parameters(t).values())))[:, 0], a, atol=ROUNDING, rtol=ROUNDING
            )
        return
    derived = (
        gw.Series([t]) if written == "series" else gw.CustomTransmission(position=t.to_actuators, size=(len(a), len(j)))
    )
    np.testing.assert_allclose(getattr(derived, f"actuator_to_joint_{interface}")(a), j, atol=ROUNDING, rtol=ROUNDING)
    np.testing.assert_allclose(getattr(derived, f"joint_to_actuator_{interface}")(j), a, atol=ROUNDING, rtol=ROUNDING)


# --- the real linkage against bodies, pins and a closed loop ----------------------------------------------------------


def test_the_linkage_is_the_bundled_four_bar() -> None:
    """The bundled robot closes the loop by Newton's method on its bodies, and shares no line with the closed form."""
    linkage = gw.FourBarLinkage(ground=0.12, input=0.04, coupler=0.1, output=0.08)
    crank, rocker = np.pi / 3, 1.7027819233538584  # as the file draws it
    assert linkage.actuator_to_joint_position(crank) == pytest.approx(rocker, abs=1e-15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gw.NotSimulatedWarning)
        sim = gw.compile(gw.load(Path(gw.__file__).parent / "robots/four_bar.sdf"))
    for turn in np.linspace(-0.8, 1.2, 9):
        sim.reset(position={"pin_a": turn}, velocity={"pin_a": 1.0})
        output = linkage.actuator_to_joint_position(crank + turn)
        assert sim.position["pin_d"] == pytest.approx(output - rocker, abs=2e-11)  # where Newton's steps end
        ahead = linkage if _here(linkage, output, crank + turn) else replace(linkage, input_branch=-1)
        speed = ahead.actuator_to_joint_velocity(sim.velocity["pin_a"], at=output)
        assert sim.velocity["pin_d"] == pytest.approx(speed, rel=1e-11)  # at a position to 2e-11


def _here(linkage: gw.FourBarLinkage, output: float, crank: float) -> bool:
    """Whether the input branch is the one that the crank is on."""
    return bool(abs(linkage.joint_to_actuator_position(output) - crank) < 1e-6)
