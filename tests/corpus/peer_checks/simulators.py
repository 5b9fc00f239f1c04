"""Cases of simulators and other programs that read mimic joints."""

from __future__ import annotations

import re
from math import pi

import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.model import AxisRef
from gearwright.sim import compile
from tests.corpus.peer_checks.asking import (
    assert_follows,
    check,
    errors,
    text_of,
    two_joints,
    two_joints_text,
    warnings,
)
from tests.corpus.peer_checks.rigs import simulations
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING


@check("joint_state_publisher/mimic_chain_cycle", "chain")
def _chain(case: Case) -> None:
    q = gw.load(case.model).configuration(case.inputs)
    assert {name: q[name][0] for name in case.expected} == case.expected


@check("joint_state_publisher/mimic_chain_cycle", "cycle")
def _cycle(case: Case) -> None:
    assert errors(case.model) == ["mimic-cycle"]


@check("newton/mimic_urdf_and_sim", "basic", "defaults")
def _newton(case: Case) -> None:
    (c,) = gw.load(case.model).couplings.values()
    assert (c.offset, c.multiplier) == (case.expected["coef0"], case.expected["coef1"])


@check("newton/mimic_urdf_and_sim", "physx_gearing")
def _physx_gearing(case: Case) -> None:
    """PhysX writes `qA + G·qB + γ = 0`: that is our row."""
    e = case.expected
    G, gamma = two_joints(f"<mimic joint='l'><multiplier>{e['multiplier']}</multiplier></mimic>").couplings["f"].row
    assert {AxisRef("f"): 1.0, AxisRef("l"): case.inputs["gearing"]} == G
    assert gamma == -e["offset"] == case.inputs["offset"]


@check("newton/mimic_urdf_and_sim", "equality_polycoef")
def _polycoef(case: Case) -> None:
    """MuJoCo's joint equality, `f = c₀ + c₁·l + c₂·l² + …`."""
    i = case.inputs
    c = two_joints(
        f"<mimic joint='l'><multiplier>{i['coef1']}</multiplier><offset>{i['coef0']}</offset></mimic>"
    ).couplings["f"]
    for x in (-1.0, 0.0, 2.0):
        assert c.position([x]) == approx(np.polyval(case.expected["polycoef"][::-1], x), rel=1e-15)


@check("genesis/mimic", "urdf_mimic")
def _genesis(case: Case) -> None:
    robot = gw.load(case.model)
    (c,) = robot.couplings.values()
    q = robot.configuration({str(c.leader): 0.02})
    assert q[c.follower.joint] == q[c.leader.joint] == (0.02,)
    sim = compile(robot, coupling="hard")  # the last finger is thrown, the first is not
    sim.reset(velocity={c.leader.joint: 0.0, c.follower.joint: case.inputs["last_dof_velocity"]})
    sim.step(n=case.inputs["steps"])
    assert sim.position[c.leader.joint] == approx(sim.position[c.follower.joint], abs=ROUNDING)


@check("gz-physics/mimic_guards", "ball_as_follower")
def _ball_follower(case: Case) -> None:
    axis = "<axis><xyz>0 0 1</xyz><mimic joint='leader_joint'/></axis>"
    text = text_of(case).replace("<child>point_mass</child>", f"<child>point_mass</child>{axis}")
    assert errors(text) == ["mimic-axis-missing"]


@check("gz-physics/mimic_guards", "ball_as_leader")
def _ball_leader(case: Case) -> None:
    text = text_of(case).replace("<xyz>1 0 0</xyz>", "<xyz>1 0 0</xyz><mimic joint='ball_joint'/>")
    assert errors(text) == ["mimic-axis-missing"]


@check("gz-physics/mimic_guards", "spawned_before_step")
def _guards_pass(case: Case) -> None:
    robot = gw.load(case.model)
    leader, follower = robot.joints
    axis = rf"(name=['\"]{follower}['\"].*?</xyz>)"
    text = re.sub(axis, rf"\1<mimic joint='{leader}'/>", text_of(case), flags=re.DOTALL)
    i = case.inputs
    assert_follows(gw.loads(text).couplings[follower], leader, i["multiplier"], i["offset"], i["reference"])


@check(
    "gz-physics/mimic_prismatic_revolute_chain", "m1_o0_r0", "m-1_o0_r0", "m1_o0.1_r0", "m1_o0.05_r0.05", "m-1_o0.2_r0",
    "m-1_o0.05_r-0.05", "m-2_o0_r0", "m2_o0.1_r0",
)  # fmt: skip
def _chain_of_kinds(case: Case) -> None:
    """The constraints that the peer sets by its interface, written into the file: they hold at once and in motion."""
    i, text = case.inputs, text_of(case)
    followers = {
        "prismatic_joint_2": "prismatic_joint_1", "revolute_joint_1": "prismatic_joint_1",
        "revolute_joint_2": "revolute_joint_1", "prismatic_joint_3": "revolute_joint_1",
    }  # fmt: skip
    for follower, leader in followers.items():
        m = (
            f"<mimic joint='{leader}'><multiplier>{i['multiplier']}</multiplier><offset>{i['offset']}</offset>"
            f"<reference>{i['reference']}</reference></mimic>"
        )
        text, n = re.subn(rf"(name=['\"]{follower}['\"].*?</xyz>)", rf"\1{m}", text, count=1, flags=re.DOTALL)
        assert n == 1
    text = re.sub(r"<limit>.*?</limit>", "", text, flags=re.DOTALL)
    robot = gw.loads(text, base="fixed")
    q = robot.configuration({"prismatic_joint_1": 0.3})
    for follower, leader in followers.items():
        wanted = i["multiplier"] * (q[leader][0] - i["reference"]) + i["offset"]
        assert q[follower][0] == approx(wanted, abs=1e-15)
    for sim in simulations(robot):
        given = {} if sim.robot.couplings["revolute_joint_1"].mode == "exact" else dict.fromkeys(followers, 0.0)
        sim.reset(position=given)
        sim.step(n=i["settle_steps"])
        for _ in range(i["check_steps"]):
            sim.step()
            assert max(abs(sim.coupling_error[name]) for name in followers) < ROUNDING


@check("gz-physics/screw_coupling", "dof", "coupling")
def _screw_motion(case: Case) -> None:
    robot = gw.load(case.model, model="screw_joint_test")
    assert robot.dof == robot.joints["j0"].dof == 1
    X = robot.forward_kinematics({"j0": 0.7})["link1"]
    assert np.arctan2(X[1, 0], X[0, 0]) == approx(0.7, rel=1e-12)
    assert X[2, 3] == approx(0.7 * 2 / (2 * pi), rel=1e-12)


@check("physx/mimic_errors", "reference_joint_axis_token")
def _axis_token(case: Case) -> None:
    assert errors(two_joints_text("<mimic joint='l' axis='transX'/>")) == ["mimic-axis-name"]


@check("physx/mimic_errors", "multiple_mimic_on_1dof_joint")
def _two_mimics(case: Case) -> None:
    robot = two_joints("<mimic joint='l'><multiplier>-1</multiplier></mimic><mimic joint='l'/>")
    assert warnings(robot)  # a difference: see differences
    assert robot.couplings["f"].multiplier == -1


@check("physx/mimic_errors", "no_reference_joint")
def _no_leader(case: Case) -> None:
    assert errors(two_joints_text("<mimic/>")) == ["mimic-leader-not-found"]


@check("physx/mimic_errors", "invalid_reference_path")
def _leader_nowhere(case: Case) -> None:
    assert errors(two_joints_text("<mimic joint='nowhere'/>")) == ["mimic-leader-not-found"]


@check("physx/mimic_errors", "reference_not_a_joint")
def _leader_is_link(case: Case) -> None:
    assert errors(two_joints_text("<mimic joint='a'/>")) == ["mimic-leader-not-found"]


@check("physx/mimic_errors", "same_axis_on_spherical")
def _same_axis(case: Case) -> None:
    assert errors(two_joints_text("<mimic joint='f' axis='axis'/>")) == ["mimic-self"]


@check("physx/mimic_errors", "wrapped_limit_target")
def _no_limits(case: Case) -> None:
    robot = two_joints("<mimic joint='l'/>")  # a difference: see differences
    assert not robot.joints["f"].axes[0].limits.bounded and robot.couplings["f"].multiplier == 1


@check("gazebo-classic/gearbox_balance", "imbalanced")
def _gearbox_world(case: Case) -> None:
    """pos_12·ratio = −pos_23."""
    robot = gw.load(case.model)
    assert "gearbox-deprecated" in warnings(robot)
    i = case.inputs
    assert robot.configuration({"joint_12": 0.4})["joint_23"][0] == approx(-0.4 * i["ratio"], rel=1e-15)
    for sim in simulations(robot, dt=1e-4):
        sim.step(effort={"joint_12": i["torque_joint_12"], "joint_23": i["torque_joint_23"]}, n=i["steps"])
        assert sim.velocity["joint_12"] > 0 and sim.velocity["joint_23"] > 0
        assert sim.velocity["joint_12"] * i["ratio"] == approx(-sim.velocity["joint_23"], abs=ROUNDING)
        assert sim.position["joint_12"] * i["ratio"] == approx(-sim.position["joint_23"], abs=ROUNDING)
