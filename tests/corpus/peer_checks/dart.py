"""DART's cases."""

from __future__ import annotations

from functools import partial
from math import pi, sin

import numpy as np
from pytest import approx, raises

import gearwright as gw
from gearwright.sim import compile as compile_robot
from tests.corpus.peer_checks.asking import check, errors
from tests.corpus.peer_checks.rigs import body, coupled, hinge, in_series, rig, side_by_side, simulations
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING

compile = partial(compile_robot, integrator="euler")  # the step that the peer's figures are of


@check("dart/parse_mimic", "sdf_applies")
def _dart_sdf(case: Case) -> None:
    c = gw.load(case.model).couplings["joint2"]
    assert (c.multiplier, c.offset) == (case.expected["multiplier"], case.expected["offset"])


@check("dart/parse_mimic", "sdf_missing_reference", "urdf_bad_leader")
def _dart_no_leader(case: Case) -> None:
    assert errors(case.model) == ["mimic-leader-not-found"]  # a difference: see differences


@check("dart/parse_mimic", "urdf")
def _dart_urdf(case: Case) -> None:
    robot, e = gw.load(case.model), case.expected
    (c,) = robot.couplings.values()
    assert (c.multiplier, c.offset) == (e["multiplier"], e["offset"])
    follower = robot.joints[c.follower.joint]
    assert follower.kind == e["follower_type"]
    assert [follower.axes[0].limits.lower, follower.axes[0].limits.upper] == [float(x) for x in e["follower_limits"]]


@check("dart/parse_mimic", "sdf_world_6_20")
def _dart_world(case: Case) -> None:
    (c,) = gw.load(case.model, model="mimic_model").couplings.values()
    assert (c.multiplier, c.offset) == (case.expected["multiplier"], case.expected["offset"])
    assert not gw.load(case.model, model="plain_model").couplings


@check("dart/transmissions_invalid", "skip_invalid")
def _dart_transmissions(case: Case) -> None:
    assert errors(case.model) == ["transmission-size", "transmission-ratio-zero"]  # a difference: see differences


# --- in motion -------------------------------------------------------------------------------------------------------


@check("dart/mimic_dynamics", "MIMIC_JOINT")
def _servo_leader(case: Case) -> None:
    """Two bars about x, held by a servo at sin(t) rad/s; the second bends as much as the first."""
    dt, steps = case.inputs["dt"], round(case.inputs["time"] / case.inputs["dt"])
    bars = [body("l0"), body("l1", more="<pose>0 0 2 0 0 0</pose>"), hinge("j0", "l0", axis="1 0 0"),
            hinge("j1", "l1", "l0", axis="1 0 0")]  # fmt: skip
    robot = coupled(rig(*bars, gravity="0 0 -9.81"), ("j1", "j0", 1.0, 0.0))
    for sim in simulations(robot, dt=dt, drives={"j0": gw.Drive(kinematic=True)}):
        target = pi / 2
        sim.reset(position={"j0": target})
        for k in range(steps):
            target += dt * sin(k * dt)
            sim.drive(position={"j0": target})
            sim.step()
            assert sim.velocity["j0"] == approx(sin(k * dt), abs=case.values["tolerance"]["velocity"])  # slack: theirs
        assert sim.position["j1"] == approx(sim.position["j0"], abs=ROUNDING)


@check("dart/mimic_dynamics", "MIMIC_JOINT_COUPLER")
def _both_move(case: Case) -> None:
    start = np.radians(case.inputs["start_deg"])
    sim = compile(
        coupled(in_series(1.0, 1.0, kind="continuous"), ("j1", "j0", 1.0, 0.0), mode="hard"), dt=case.inputs["dt"]
    )
    sim.reset(position={"j0": start[0], "j1": start[1]})
    sim.step(n=case.inputs["steps"])
    assert abs(sim.coupling_error["j1"]) < case.values["tolerance"]
    assert abs(sim.position["j0"] - start[0]) > case.expected["leader_moved_gt"]


@check("dart/mimic_dynamics", "cfm_erp_clamping")
def _erp_range(case: Case) -> None:
    """A difference: see differences."""
    for erp in case.inputs["erp"]:
        with raises(gw.ModelError, match=r"erp (must be at most 1|cannot be)"):
            coupled(side_by_side(1.0, 1.0), ("j1", "j0", 1.0, 0.0), mode="hard", erp=erp)
