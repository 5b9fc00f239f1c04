"""ros_control's cases: the ROS 1 transmission parser."""

from __future__ import annotations

import gearwright as gw
from gearwright.model import DifferentialTransmission, SimpleTransmission
from tests.corpus.peer_checks.asking import check, errors, one_by_one, text_of, warnings, with_joints
from tests.corpus.peer_files import Case


@check("ros_control/parser_and_simple_loader", "InvalidFile")
def _no_file(case: Case) -> None:
    assert errors(case.inputs["text"]) == ["xml-malformed"]


@check("ros_control/parser_and_simple_loader", "EmptyRobot")
def _empty_robot(case: Case) -> None:
    assert errors("<robot name='robot' xmlns='http://www.ros.org'></robot>") == ["link-not-found"]


@check("ros_control/parser_and_simple_loader", "InvalidTransmissions")
def _invalid_transmissions(case: Case) -> None:
    """Each of the ten: what is missing → the code; a difference: see differences."""
    texts = one_by_one(text_of(case))
    found = [errors(t) or sorted(warnings(gw.loads(t)) - {"inertia-missing"}) for t in texts]
    assert found == [
        ["name-missing"],  # no name: a warning
        ["name-missing", "transmission-type-unknown"],  # the name written into the type
        ["transmission-type-unknown"],  # no type
        ["transmission-type-unknown"],  # an empty type
        [],  # no hardwareInterface
        [],  # an empty hardwareInterface
        ["name-missing"],  # an actuator without a name: a warning
        ["transmission-size", "name-missing"],  # an actuator with an empty name: errors
        ["transmission-size", "name-missing"],  # a joint without a name: errors
        ["transmission-size", "name-missing"],  # a joint with an empty name: errors
    ]


@check("ros_control/parser_and_simple_loader", "SuccessfulParse")
def _valid_transmissions(case: Case) -> None:
    robot = gw.loads(with_joints(text_of(case)))
    assert len(robot.transmissions) == case.expected["transmissions"]
    for t, e in zip(robot.transmissions.values(), (case.expected["first"], case.expected["second"]), strict=True):
        assert (t.name, list(t.actuators), [str(j) for j in t.joints]) == (e["name"], e["actuators"], e["joints"])
    first, second = (t.map for t in robot.transmissions.values())
    assert first == DifferentialTransmission(
        actuator_reduction=(50, -50), joint_reduction=(2, -2), joint_offset=(0.5, -0.5)
    )
    assert second == SimpleTransmission(reduction=50, offset=0.5)


@check("ros_control/parser_and_simple_loader", "simple_full", "simple_minimal")
def _ros1_simple(case: Case) -> None:
    (t,) = gw.loads(with_joints(text_of(case))).transmissions.values()
    assert t.map == SimpleTransmission(**case.expected)


@check("ros_control/parser_and_simple_loader", "simple_invalid")
def _ros1_invalid(case: Case) -> None:
    unspecified, word, offset, zero = one_by_one(text_of(case))
    robot = gw.loads(unspecified)  # a difference: see differences
    assert "element-missing" in warnings(robot)
    assert robot.transmissions["simple_trans"].map == SimpleTransmission(reduction=1.0)
    assert errors(word) == ["number-invalid"]
    assert errors(offset) == ["number-invalid"]
    assert errors(zero) == ["transmission-ratio-zero"]
