"""Drake's cases."""

from __future__ import annotations

import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.model import AxisRef, Coupling, Term
from tests.corpus.peer_checks.asking import assert_follows, check, errors, text_of, warnings
from tests.corpus.peer_files import Case


@check("drake/urdf_mimic_errors", "MimicNoJoint", "MimicBadJoint")
def _drake_no_leader(case: Case) -> None:
    assert errors(case.model) == ["mimic-leader-not-found"]


@check("drake/urdf_mimic_errors", "MimicSameJoint")
def _drake_self(case: Case) -> None:
    assert errors(case.model) == ["mimic-self"]


@check("drake/urdf_mimic_errors", "forward_and_backward_reference")
def _drake_order(case: Case) -> None:
    assert set(errors(case.model)) == {"joint-type-unknown"}  # a difference: see differences
    text = text_of(case).replace('type="curvilinear"', 'type="fixed"')
    robot = gw.loads(text)
    assert len(robot.couplings) == len(case.expected["couplers"])
    for e in case.expected["couplers"]:
        assert_follows(robot.couplings[e["follower"]], e["leader"], e["gear_ratio"], e["offset"])


@check("drake/urdf_mimic_errors", "TransmissionJointNotExist")
def _drake_transmission_joint(case: Case) -> None:
    assert "transmission-joint-not-found" in errors(case.model)


@check("drake/urdf_mimic_errors", "TransmissionActuatorMissing", "TransmissionJointMissing")
def _drake_transmission_size(case: Case) -> None:
    assert "transmission-size" in errors(case.model)


@check("drake/urdf_mimic_errors", "transmission_type_not_simple")
def _drake_transmission_type(case: Case) -> None:
    for xml in case.inputs["xml"]:
        robot = gw.loads(f"<robot name='r'><link name='a'/>{xml}</robot>")
        assert "transmission-type-unknown" in warnings(robot)
        assert [t.map for t in robot.transmissions.values()] == [None]


@check("drake/sap_coupler_jacobian", "jacobian", "residual")
def _coupler_row(case: Case) -> None:
    i = case.inputs
    c = Coupling(name="c", follower=AxisRef("j0"), leaders=(Term(AxisRef("j1"), i["gear_ratio"]),), offset=i["offset"])
    G, gamma = c.row
    if "J" in case.expected:
        assert list(G.values()) == case.expected["J"]
    else:
        assert np.dot(list(G.values()), [i["q0"], i["q1"]]) + gamma == approx(case.expected["g"], rel=1e-12)
