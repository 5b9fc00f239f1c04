"""libsdformat's cases."""

from __future__ import annotations

import re
from math import inf, pi

import pytest
from pytest import approx

import gearwright as gw
from gearwright.model import AxisRef
from tests.corpus.peer_checks.asking import (
    assert_follows,
    check,
    errors,
    text_of,
    two_joints,
    two_joints_text,
    warnings,
)
from tests.corpus.peer_files import Case


@check("sdformat/joint_invalid", "LoadInvalidChild")
def _invalid_child(case: Case) -> None:
    assert errors(case.model) == ["link-not-found"]
    with pytest.raises(gw.LoadError, match="'invalid'"):
        gw.load(case.model)


@check("sdformat/joint_invalid", "child_world")
def _child_world(case: Case) -> None:
    assert errors(case.model) == ["joint-world-child"]


@check("sdformat/joint_invalid", "parent_world")
def _parent_world(case: Case) -> None:
    assert gw.load(case.model).joints["joint"].parent == "world"


@check("sdformat/joint_invalid", "parent_same_as_child")
def _parent_is_child(case: Case) -> None:
    assert errors(case.model) == ["joint-self"]


@check("sdformat/joint_invalid", "link_joint_same_name_v1_6_valid_v1_7_invalid")
def _same_name(case: Case) -> None:
    robot = gw.load(case.model)
    assert "attachment" in robot.links and "attachment" in robot.joints
    newer = re.sub(r"version=(['\"])1\.6\1", "version='1.7'", text_of(case))
    assert errors(newer) == ["name-duplicate"]


@check("sdformat/mimic_parse", "ParseMimic", "ParseMimicURDF")
def _mimic(case: Case) -> None:
    e = case.expected
    assert e["leader_axis"] == "axis"
    c = gw.load(case.model).couplings[case.inputs["joint"]]
    assert_follows(c, e["leader_joint"], e["multiplier"], e["offset"], e["reference"])


@check("sdformat/mimic_parse", "ParseInvalidSelfMimic")
def _self_mimic(case: Case) -> None:
    assert errors(case.model) == ["mimic-self"] * case.expected["errors"]
    crossed = re.sub(r"(<mimic [^>]*)axis='axis2'", r"\1axis='axis'", text_of(case))
    assert crossed != text_of(case)
    assert errors(crossed) == ["mimic-self"]  # axis2 now mimics axis, which is allowed


@check("sdformat/mimic_parse", "API_roundtrip")
def _second_axis_as_leader(case: Case) -> None:
    i = case.inputs
    m = (
        f"<mimic joint='l' axis='{i['axis']}'><multiplier>{i['multiplier']}</multiplier>"
        f"<offset>{i['offset']}</offset><reference>{i['reference']}</reference></mimic>"
    )
    c = two_joints(m, leader_kind="universal").couplings["f"]
    assert c.leader == AxisRef("l", 1)
    assert (c.multiplier, c.offset, c.reference) == (i["multiplier"], i["offset"], i["reference"])


@check(
    "sdformat/screw_thread_pitch", "default_param", "both_params", "new_param", "old_param", "param_precedence",
)  # fmt: skip
def _screw(case: Case) -> None:
    pitch = gw.load(case.model).joints[case.inputs["joint"]].thread_pitch
    tolerance = case.values["tolerance"]
    # slack: theirs
    assert pitch == approx(case.expected["screw_thread_pitch"], abs=1e-15 if tolerance == "double-eq" else tolerance)
    assert -2 * pi / pitch == approx(case.expected["thread_pitch"], abs=1e-3)  # theirs has four digits


@check("sdformat/screw_thread_pitch", "joint_complete")
def _old_screw(case: Case) -> None:
    pitch = gw.load(case.model).joints[case.inputs["joint"]].thread_pitch
    assert pitch == approx(-2 * pi / case.expected["thread_pitch"], rel=1e-15)


@check("sdformat/spec_facts_mimic_gearbox_screw", "mimic")
def _mimic_facts(case: Case) -> None:
    d = case.expected["defaults"]
    assert_follows(two_joints("<mimic joint='l'/>").couplings["f"], "l", d["multiplier"], d["offset"], d["reference"])
    assert d["axis"] == "axis"
    c = two_joints("<mimic joint='l'><multiplier>3</multiplier><offset>2</offset><reference>5</reference></mimic>")
    assert c.configuration({"l": 7.0})["f"] == (3 * (7 - 5) + 2,)
    assert errors(two_joints_text("<mimic/>")) == ["mimic-leader-not-found"]
    assert errors(two_joints_text("<mimic joint='l' axis='axis3'/>")) == ["mimic-axis-name"]
    assert errors(two_joints_text("<mimic joint='l' axis='axis2'/>")) == ["mimic-axis-missing"]
    assert two_joints("<mimic joint='l'/>", version="1.6").couplings["f"].multiplier == 1


@check("sdformat/spec_facts_mimic_gearbox_screw", "gearbox")
def _gearbox_facts(case: Case) -> None:
    """θ₁ of the parent about <axis>, θ₂ of the child about <axis2>, also with either turned round."""
    assert case.expected["equation"] == "theta_2 = -gearbox_ratio * theta_1"

    def multiplier(
        ratio: str, parent_end: str, child_end: str, parent_axis: str = "0 0 1", child_axis: str = "1 0 0"
    ) -> float:
        def joint(name: str, link: str, end: str, axis: str) -> str:
            ends = (link, "body") if end == "reference is child" else ("body", link)
            return (
                f"<joint name='{name}' type='revolute'><parent>{ends[0]}</parent><child>{ends[1]}</child>"
                f"<axis><xyz>{axis}</xyz></axis></joint>"
            )

        robot = gw.loads(
            f"""<sdf version='1.7'><model name='m'><link name='body'/><link name='first'/><link name='second'/>
            {joint("j1", "first", parent_end, parent_axis)}{joint("j2", "second", child_end, child_axis)}
            <joint name='g' type='gearbox'><parent>first</parent><child>second</child>
            <gearbox_reference_body>body</gearbox_reference_body>{ratio}
            <axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint></model></sdf>"""
        )
        assert "gearbox-deprecated" in warnings(robot)
        c = robot.couplings["g"]
        assert (str(c.follower), str(c.leader)) == ("j2", "j1")
        return c.multiplier

    five, normal, turned = "<gearbox_ratio>5</gearbox_ratio>", "reference is parent", "reference is child"
    assert multiplier("", normal, normal) == -case.expected["default_ratio"]
    assert multiplier(five, normal, normal) == -5
    assert multiplier(five, turned, normal) == 5
    assert multiplier(five, normal, turned) == 5
    assert multiplier(five, turned, turned) == -5
    assert multiplier(five, normal, normal, parent_axis="0 0 -1") == 5
    assert multiplier(five, turned, normal, child_axis="-1 0 0") == -5


@check("sdformat/spec_facts_mimic_gearbox_screw", "screw")
def _screw_facts(case: Case) -> None:
    """Right-handed: a turn by +2π about z lifts the child by the pitch."""

    def lift(pitch: str) -> float:
        robot = gw.loads(
            "<sdf version='1.10'><model name='m'><link name='a'/><link name='b'/><joint name='w' type='fixed'>"
            "<parent>world</parent><child>a</child></joint><joint name='s' type='screw'><parent>a</parent>"
            f"<child>b</child>{pitch}<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
        )
        return float(robot.forward_kinematics({"s": 2 * pi})["b"][2, 3])

    assert lift("<screw_thread_pitch>0.5</screw_thread_pitch>") == approx(0.5, rel=1e-12)
    assert lift(f"<thread_pitch>{-2 * pi / 0.5!r}</thread_pitch>") == approx(0.5, rel=1e-12)


@check("sdformat/spec_facts_mimic_gearbox_screw", "limits")
def _limit_facts(case: Case) -> None:
    bounds = two_joints("<limit/>").joints["f"].axes[0].limits
    assert (bounds.lower, bounds.upper, bounds.effort, bounds.velocity) == (-inf, inf, inf, inf)
    assert two_joints("<limit><effort>-1</effort></limit>").joints["f"].axes[0].limits.effort == inf
    assert (bounds.stiffness, bounds.dissipation) == (None, None)  # a difference: see differences
