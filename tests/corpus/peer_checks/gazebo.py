"""Cases of Gazebo's simulations, new and classic."""

from __future__ import annotations

import re
from math import pi

from pytest import approx

import gearwright as gw
from gearwright.sim import compile
from tests.corpus.peer_checks.asking import check, text_of
from tests.corpus.peer_checks.rigs import coupled, limited, simulations
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING

PENDULUMS = ("m1_o0_r0", "m-1_o0_r0", "m1_o0.1_r0", "m1_o0.2_r0.1", "m-1_o0.2_r0", "m-2_o0_r0", "m2_o0.1_r0",
             "m2_o0.3_r-0.1")  # fmt: skip


@check("gz-physics/mimic_pendulum", *PENDULUMS)
def _pendulums(case: Case) -> None:
    """The two differ without the constraint; with it, by no more than what is left of an error at the start.

    A reset to 0 of both violates it; in `exact` mode there is no such state, and the follower starts where it belongs.
    """
    free, i = gw.load(case.model, model="pendulum_with_base", base="fixed"), case.inputs  # it stands on the ground
    sim = compile(free)
    sim.step(n=10)
    assert abs(sim.position["upper_joint_1"] - sim.position["upper_joint_2"]) > 1e-9
    offset = i["offset"] - i["multiplier"] * i["reference"]
    robot = coupled(free, ("upper_joint_2", "upper_joint_1", i["multiplier"], offset))
    for sim in simulations(robot):
        given = {} if sim.robot.couplings["upper_joint_2"].mode == "exact" else {"upper_joint_2": 0.0}
        sim.reset(position={"upper_joint_1": 0.0, **given})
        sim.step(n=i["settle_steps"])
        for _ in range(i["check_steps"]):
            sim.step()
            wanted = i["multiplier"] * (sim.position["upper_joint_1"] - i["reference"]) + i["offset"]
            assert sim.position["upper_joint_2"] == approx(wanted, abs=1e-7)  # 0.8⁷⁵ of the first error


@check("gz-physics/screw_coupling", "moved")
def _screw_falls(case: Case) -> None:
    sim = compile(gw.load(case.model, model="screw_joint_test"))
    sim.step(n=100)
    assert abs(sim.position["j0"]) > case.expected["abs_position_gt"]
    assert abs(sim.velocity["j0"]) > case.expected["abs_velocity_gt"]


@check("gz-physics/screw_coupling", "damped_vs_undamped")
def _damped_screw(case: Case) -> None:
    free, damped = (
        compile(gw.load(case.model, model=m)) for m in ("screw_joint_test", "screw_joint_with_damping_test")
    )
    for sim in (free, damped):
        sim.step(n=100)
    assert damped.position["j0"] / free.position["j0"] < case.expected["position_ratio_lt"]
    assert damped.velocity["j0"] / free.velocity["j0"] < case.expected["velocity_ratio_lt"]


LIMITS = "gz-physics/joint_limits_force_control"


@check(LIMITS, "position_limits_0.1", "position_limits_0.5")
def _position_limits(case: Case) -> None:
    room = float(case.inputs["limits"].removeprefix("pos+-"))
    robot = limited(gw.load(case.model, model="simple_joint_test"), "j1", lower=-room, upper=room)
    sim = compile(robot)
    for sign in (1, -1):
        sim.step(effort={"j1": sign * case.inputs["force"]}, n=case.inputs["steps"])
        assert sim.position["j1"] == approx(sign * room, abs=ROUNDING)


@check(LIMITS, "position_limits_inf")
def _no_position_limits(case: Case) -> None:
    sim = compile(gw.load(case.model, model="simple_joint_test"))
    sim.step(effort={"j1": case.inputs["force"]}, n=case.inputs["steps"])
    assert sim.position["j1"] > 0.5


@check(LIMITS, "velocity_limits", "velocity_min_positive")
def _velocity_limits(case: Case) -> None:
    """A difference: see differences. A drive with a velocity target and no more is what holds a speed."""
    wanted = case.expected["velocity"]
    sim = compile(gw.load(case.model, model="simple_joint_test"), drives={"j1": gw.Drive(damping=1e9)})
    sim.drive(velocity={"j1": wanted})
    sim.step(effort={"j1": case.inputs["force"]}, n=case.inputs["steps"])
    assert sim.velocity["j1"] == approx(wanted, abs=5e-6)  # the force beside the gain


@check(LIMITS, "effort_limit_tiny", "effort_limit_80")
def _effort_limits(case: Case) -> None:
    """A difference: see differences. A drive has an effort limit, and stays within it."""
    limit = case.inputs["limit"]
    robot = gw.load(case.model, model="simple_joint_test")
    sim = compile(robot, drives={"j1": gw.Drive(stiffness=1e4, damping=1e2, effort=limit)}, gravity=(0, 0, 0))
    sim.drive(position={"j1": 1.0})
    sim.step(n=case.inputs["steps"])
    if limit < 1:
        assert (sim.position["j1"], sim.velocity["j1"]) == (approx(0, abs=2e-7), approx(0, abs=2e-7))  # the limit
    else:
        assert sim.position["j1"] > 0


@check("gazebo-classic/gearbox_balance", "balanced")
def _balanced(case: Case) -> None:
    i = case.inputs
    sim = compile(gw.load(case.model), dt=1e-4)
    for turned in (0.0, pi / 4, -pi):
        sim.reset(position={"joint_02": turned})
        sim.step(effort={"joint_12": i["torque_joint_12"], "joint_23": i["torque_joint_23"]}, n=i["steps"])
        moved = [sim.velocity["joint_12"], sim.velocity["joint_23"], sim.position["joint_12"], sim.position["joint_23"]]
        assert moved == approx([0.0] * 4, abs=ROUNDING)


@check("gazebo-classic/gearbox_balance", "imbalanced_acceleration_derived")
def _imbalanced(case: Case) -> None:
    """With link_2 held, as the figure has it."""
    i, ratio = case.inputs, -1.5
    text = re.sub(r'(<joint name="joint_02" type=)"revolute"', r'\1"fixed"', text_of(case))
    sim = compile(gw.loads(text), dt=1e-4)
    sim.step(effort={"joint_12": i["torque_joint_12"], "joint_23": i["torque_joint_23"]})
    expected = (i["torque_joint_12"] - ratio * i["torque_joint_23"]) / (3.5 + ratio**2 * 3.5)
    assert expected == approx(case.expected["value_if_link_2_were_fixed"], rel=1e-12)
    assert sim.acceleration["joint_12"] == approx(expected, rel=ROUNDING)  # the axes are turned by 1.57079, not by π/2
