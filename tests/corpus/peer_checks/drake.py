"""Drake's cases."""

from __future__ import annotations

from functools import partial
from math import pi

import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.model import AxisRef, Coupling, Term
from gearwright.sim import compile as compile_robot
from tests.corpus.peer_checks.asking import assert_follows, check, errors, text_of, warnings
from tests.corpus.peer_checks.rigs import body, coupled, hinge, rig, side_by_side, simulations
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING

compile = partial(compile_robot, integrator="euler")  # the step that the peer's figures are of


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
    assert errors(case.model) == ["link-not-found"]  # a difference: see differences
    assert "transmission-joint-not-found" in errors(case.model, strict=True)


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


# --- in motion -------------------------------------------------------------------------------------------------------

PENDULUM = "drake/coupler_double_pendulum"


def _capsules(damping: float = 1e-3) -> gw.Mechanism:
    """Two capsules of radius 1 cm and 20 cm between the caps' centres, density 1000, hinged at their ends."""
    r, h, rho = 0.01, 0.2, 1000.0
    shaft, caps = rho * pi * r**2 * h, rho * 4 / 3 * pi * r**3
    across = shaft * (3 * r**2 + h**2) / 12 + caps * (0.4 * r**2 + h**2 / 4 + 3 / 8 * h * r)
    along = shaft * r**2 / 2 + 0.4 * caps * r**2
    dynamics = f"<dynamics><damping>{damping}</damping></dynamics>"
    parts = []
    for k, parent in ((1, "world"), (2, "link1")):
        pose = f"<pose>0 0 {-0.2 * (k - 1)} 0 0 0</pose>"
        parts.append(body(f"link{k}", shaft + caps, (across, across, along), pose))
        joint = hinge(f"joint{k}", f"link{k}", parent, axis="0 1 0", more=dynamics)
        parts.append(joint.replace("<parent>", "<pose>0 0 0.1 0 0 0</pose><parent>", 1))
    return rig(*parts, gravity="0 0 -9.81")


@check(PENDULUM, "CoupledJoints")
def _coupled_pendulum(case: Case) -> None:
    i = case.inputs
    robot = coupled(_capsules(), ("joint1", "joint2", i["gear_ratio"], i["offset"]))
    for sim in simulations(robot):
        sim.reset(position={"joint2": i["q0"][1]}, velocity={"joint2": i["v0"][1]})
        sim.step(n=round(i["time"] / sim.dt))
        assert sim.position["joint1"] - 0.5 * sim.position["joint2"] == approx(0.0, abs=1e-12)


@check(PENDULUM, "ExtremeInitialConditions")
def _far_from_coupled(case: Case) -> None:
    sim = compile(coupled(_capsules(), ("joint1", "joint2", 0.5, 0.0), mode="hard"))
    sim.reset(position={"joint1": pi / 4, "joint2": pi / 2 + case.inputs["q2_violation"]})
    sim.step(n=1000)
    assert abs(sim.coupling_error["joint1"]) < ROUNDING


@check(PENDULUM, "JointLocking")
def _locked(case: Case) -> None:
    """A lock is prescribed motion that does not move; the coupling then holds the other joint too."""
    for sim in simulations(
        coupled(_capsules(), ("joint1", "joint2", 0.5, 0.0)), drives={"joint1": gw.Drive(kinematic=True)}
    ):
        sim.step(effort={"joint2": 0.1}, n=500)
        assert (sim.position["joint1"], sim.position["joint2"]) == approx((0.0, 0.0), abs=ROUNDING)


@check(PENDULUM, "EffortLimits")
def _efforts_end(case: Case) -> None:
    """Drives that want 10 N·m and may give 0.1 and 0.2: M·Δv/dt is what they gave."""
    limits = case.inputs["limits"]
    drives = {f"joint{k + 1}": gw.Drive(stiffness=100.0, effort=limit) for k, limit in enumerate(limits)}
    sim = compile(_capsules(damping=0.0), dt=case.inputs["step"], drives=drives, gravity=(0, 0, 0))
    sim.drive(position=dict.fromkeys(drives, 10.0))
    M = sim.mass_matrix()
    sim.step()
    v = np.array([sim.velocity[name] for name in drives])
    assert M @ v / sim.dt == approx(case.expected["applied"], rel=ROUNDING)


@check("drake/sap_coupler_jacobian", "impulse")
def _impulse(case: Case) -> None:
    """γ on the first joint, −ratio·γ on the second: from the momentum that a step gives each wheel."""
    gamma, ratio = case.inputs["gamma"], case.inputs["gear_ratio"]
    sim = compile(coupled(side_by_side(1.0, 1.0), ("j0", "j1", ratio, 0.0), mode="hard", erp=0.0))
    sim.reset(velocity={"j0": -gamma * (1 + ratio**2), "j1": 0.0})
    sim.step()
    assert sim.velocity["j0"] + gamma * (1 + ratio**2) == approx(case.expected["dof0"], rel=1e-12)
    assert sim.velocity["j1"] == approx(case.expected["dof1"], rel=1e-12)


@check("drake/sap_coupler_jacobian", "cross_tree")
def _across_trees(case: Case) -> None:
    """SAP has it and ICF has not; here, between trees as within one."""
    for sim in simulations(coupled(side_by_side(1.0, 2.0), ("j1", "j0", 2.0, 0.1))):
        sim.step(effort={"j0": 1.0}, n=100)
        assert sim.velocity["j0"] == approx(0.1 / (1 + 4 * 2), rel=ROUNDING)
