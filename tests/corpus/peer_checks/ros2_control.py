"""ros2_control's cases: component parser and transmission loaders."""

from __future__ import annotations

import re
from typing import Any

from pytest import approx

import gearwright as gw
from gearwright.model import DifferentialTransmission, SimpleTransmission
from tests.corpus.peer_checks.asking import check, errors, text_of, warnings, with_joints
from tests.corpus.peer_files import Case


@check("ros2_control/component_parser_mimic", "gripper_mimic_true_valid_config", "gripper_no_mimic_valid_config")
def _ros2_mimic(case: Case) -> None:
    assert errors(case.model) == ["mimic-limits-conflict"]  # a difference: see differences
    robot = gw.loads(re.sub(r'(lower|upper)="[^"]*"', "", text_of(case)))
    e = case.expected
    (tag,) = robot.hardware.values()
    (c,) = robot.couplings.values()
    assert (c.multiplier, c.offset) == (e["multiplier"], e["offset"])
    names = [j.name for j in tag.joints]
    assert names.index(c.follower.joint) == e["joint_index"]
    assert names.index(c.leader.joint) == e["mimicked_joint_index"]


@check("ros2_control/component_parser_mimic", "gripper_mimic_with_unknown_joint")
def _ros2_unknown_leader(case: Case) -> None:
    assert {"mimic-leader-not-found", "ros2-mimic-leader-missing"} == set(errors(case.model))


@check("ros2_control/component_parser_mimic", "gripper_mimic_true_invalid_config")
def _ros2_command(case: Case) -> None:
    assert "ros2-mimic-command-interface" in errors(case.model)
    switched_off = text_of(case).replace('mimic="true"', 'mimic="false"')
    robot = gw.loads(switched_off)
    assert not robot.couplings and robot.hardware


@check("ros2_control/component_parser_transmissions", "multi_joints_transmission")
def _ros2_differential(case: Case) -> None:
    (t,) = gw.load(case.model).transmissions.values()
    e = case.expected
    assert isinstance(t.map, DifferentialTransmission)
    assert t.map.joint_reduction == tuple(j["mechanical_reduction"] for j in e["joints"])
    assert t.map.joint_offset == tuple(j["offset"] for j in e["joints"])
    assert [str(j) for j in t.joints] == [j["name"] for j in sorted(e["joints"], key=lambda j: j["role"])]
    assert list(t.actuators) == [a["name"] for a in sorted(e["actuators"], key=lambda a: a["role"])]


@check("ros2_control/component_parser_transmissions", "actuator_modular_robot_sensors", "actuator_only")
def _ros2_unknown_type(case: Case) -> None:
    robot = gw.load(case.model)
    (t,) = robot.transmissions.values()
    e = case.expected
    assert (t.map, t.type) == (None, e["type"])
    assert "transmission-type-unknown" in warnings(robot)
    assert t.parameters.items() >= e.get("transmission_parameters", {}).items()
    if "joint" in e:
        assert ([str(j) for j in t.joints], list(t.actuators)) == ([e["joint"]], [e["actuator"]])


def _only_map(robot: gw.Mechanism) -> Any:
    (tag,) = robot.hardware.values()
    (name,) = tag.transmissions
    return robot.transmissions[name].map


@check("ros2_control/loader_simple", "FullSpec")
def _simple_full(case: Case) -> None:
    robot = gw.load(case.model)
    first = next(iter(robot.hardware.values()))
    found = [robot.transmissions[n] for n in first.transmissions]
    assert len(found) == case.expected["transmissions"]
    assert found[0].map == SimpleTransmission(reduction=case.expected["reduction"], offset=case.expected["offset"])


@check("ros2_control/loader_simple", "only_mech_red_specified", "offset_and_mech_red_not_specified")
def _simple_defaults(case: Case) -> None:
    assert _only_map(gw.load(case.model)) == SimpleTransmission(**case.expected)


@check("ros2_control/loader_differential", "only_mech_red_specified", "offset_and_mech_red_not_specified")
def _differential_defaults(case: Case) -> None:
    assert _only_map(gw.load(case.model)) == DifferentialTransmission(**case.expected)


@check("ros2_control/loader_differential", "FullSpec")
def _differential_full(case: Case) -> None:
    i = case.inputs
    sides = {"joint": (i["joint_red"], i["offsets"]), "actuator": (i["actuator_red"], (0, 0))}
    ends = "".join(
        f"<{what} name='{what}_{n}' role='{what}{n}'><mechanical_reduction>{r}</mechanical_reduction>"
        f"<offset>{o}</offset></{what}>"
        for what, (reductions, offsets) in sides.items()
        for n, (r, o) in enumerate(zip(reductions, offsets, strict=True), start=1)
    )
    text = with_joints(
        f"<robot name='r'><!-- <joint name=\"joint_1\" <joint name=\"joint_2\" --><ros2_control name='s' type='system'>"
        f"<joint name='joint_1'/><joint name='joint_2'/><transmission name='t'>"
        f"<plugin>transmission_interface/DifferentialTransmission</plugin>{ends}</transmission></ros2_control></robot>"
    )
    assert _only_map(gw.loads(text)) == DifferentialTransmission(**case.expected)


@check("ros2_control/loader_simple", "mechanical_reduction_not_a_number", "offset_ill_defined")
@check("ros2_control/loader_differential", "mechanical_reduction_not_a_number", "offset_ill_defined")
def _not_a_number(case: Case) -> None:
    assert set(errors(case.model)) == {"number-invalid"}  # a difference: see differences


@check("ros2_control/loader_simple", "mech_red_invalid_value")
@check("ros2_control/loader_differential", "mech_red_invalid_value")
def _zero_reduction(case: Case) -> None:
    assert set(errors(case.model)) == {"transmission-ratio-zero"}


@check("ros2_control/generic_system_mimic", "after_read")
def _mock_mimic(case: Case) -> None:
    robot, e = gw.load(case.model), case.expected
    assert robot.configuration({"joint1": e["j1p"]})["joint2"] == (e["j2p"],)
    assert robot.couplings["joint2"].multiplier * e["j1v"] == e["j2v"]


@check("ros2_control_demos/example_8", "command", "state")
def _example_8(case: Case) -> None:
    maps = [t.map for t in gw.load(case.model).transmissions.values()]
    assert [m.reduction for m in maps] == case.inputs["R"]
    tolerance = case.values.get("tolerance", 0)
    if "joint" in case.inputs:
        found = [m.joint_to_actuator_position(q) for m, q in zip(maps, case.inputs["joint"], strict=True)]
        assert found == approx(case.expected["actuator"], abs=tolerance)  # slack: theirs
    else:
        found = [m.actuator_to_joint_position(a) for m, a in zip(maps, case.inputs["actuator"], strict=True)]
        assert found == approx(case.expected["joint"], abs=tolerance)  # slack: theirs
