"""PhysX' cases: mimic joints in motion. Its row is `qA + gearing·qB + offset = 0`, A the follower."""

from __future__ import annotations

from functools import partial

import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.sim import compile as compile_robot
from tests.corpus.peer_checks.asking import check
from tests.corpus.peer_checks.rigs import body, coupled, in_series, rig, side_by_side
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING

STIFF = gw.Drive(stiffness=1e10)
DT = 1 / 60

compile = partial(compile_robot, integrator="euler")  # the step that the peer's figures are of


def _driven(robot: gw.Mechanism, target: float, leader: str = "j0") -> gw.Simulation:
    sim = compile(robot, dt=DT, drives={leader: STIFF})
    sim.drive(position={leader: target})
    sim.step()
    return sim


@check("physx/mimic_basic", "prismatic_simple")
def _prismatic(case: Case) -> None:
    """`qA + gearing·qB + offset = 0`: multiplier = −gearing, offset = −offset; one step of 1/60 s."""
    i = case.inputs
    for axis in ("1 0 0", "0 1 0", "0 0 1"):
        for mode in ("exact", "hard"):
            robot = coupled(
                side_by_side(1.0, 1.0, kind="prismatic", axis=axis), ("j1", "j0", -i["gearing"], 0.0), mode=mode
            )
            sim = _driven(robot, i["drive_target"])
            assert (sim.position["j0"], sim.position["j1"]) == approx(
                (-0.1, 0.1), abs=5e-7
            )  # the drive's give, m/(k·dt²)
            assert sim.velocity["j0"] == approx(-sim.velocity["j1"], rel=ROUNDING)


@check("physx/mimic_basic", "revolute_simple")
def _revolute(case: Case) -> None:
    target = np.radians(case.inputs["drive_target_deg"])
    for axis in ("1 0 0", "0 1 0", "0 0 1"):
        sim = _driven(coupled(side_by_side(1.0, 1.0, axis=axis), ("j1", "j0", -1.0, 0.0)), target)
        assert (sim.position["j0"], sim.position["j1"]) == approx((target, -target), abs=1e-6)  # the drive's give


@check("physx/mimic_basic", "spherical_same_joint_two_axes")
def _two_axes_of_one_joint(case: Case) -> None:
    """A difference: see differences. Two axes of a universal joint: rotX follows rotZ."""
    mimic = "<mimic joint='j0' axis='axis'><multiplier>-1</multiplier></mimic>"
    joint = f"""<joint name='j0' type='universal'><parent>world</parent><child>l0</child>
      <axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz>{mimic}</axis2></joint>"""
    target = np.radians(case.inputs["drive_target_deg"])
    sim = _driven(rig(body("l0"), joint), target, "j0.axis")
    # the drive's give
    assert (sim.position["j0.axis"], sim.position["j0.axis2"]) == approx((target, -target), abs=1e-6)


@check("physx/mimic_basic", "gearing_change", "offset_change")
def _changed(case: Case) -> None:
    """The gearing and the offset are parameters of one compiled simulation."""
    i = case.inputs
    robot = coupled(side_by_side(1.0, 1.0, kind="prismatic", axis="1 0 0"), ("j1", "j0", -1.0, 0.0))
    sim = compile(robot, dt=DT, drives={"j0": STIFF}, parameters=("j1.multiplier", "j1.offset"))
    sim.set_parameters({"j1.multiplier": -i["gearing"], "j1.offset": -i["offset"]})
    sim.drive(position={"j0": i["target"]})
    sim.step()
    assert sim.position["j1"] == approx(case.expected["follower"], abs=5e-7)  # the drive's give


@check("physx/mimic_basic", "reference_change")
def _another_leader(case: Case) -> None:
    free = side_by_side(1.0, 1.0, 1.0, kind="prismatic", axis="1 0 0")
    sim = _driven(coupled(free, ("j1", "j2", -1.0, 0.0)), case.inputs["new_reference_target"], "j2")
    assert sim.position["j1"] == approx(case.expected["follower"], abs=5e-7)  # the drive's give


@check("physx/mimic_basic", "remove_api")
def _removed(case: Case) -> None:
    sim = _driven(side_by_side(1.0, 1.0, kind="prismatic", axis="1 0 0"), case.inputs["new_target"])
    # the drive's give
    assert (sim.position["j0"], sim.position["j1"]) == approx((case.expected["reference"], 0.0), abs=1e-7)


@check("physx/mimic_basic", "mimic_chain")
def _chain_of_mimics(case: Case) -> None:
    i, e = case.inputs, case.expected
    for mode in ("exact", "hard"):
        rows = ("j1", "j0", -i["gearing1"], 0.0), ("j2", "j1", -i["gearing2"], 0.0)
        sim = _driven(
            coupled(in_series(1.0, 1.0, 1.0, kind="continuous"), *rows, mode=mode), np.radians(i["drive_target_deg"])
        )
        angles = np.degrees([sim.position[f"j{k}"] for k in range(3)])
        assert angles == approx([e["joint0_deg"], e["joint1_deg"], e["joint2_deg"]], abs=2e-5)  # [deg] the drive's give


@check("physx/mimic_compliance_one_step", "compliant", "hard")
def _one_step(case: Case) -> None:
    """Follower j0, reference j1; the whole closed form: r, λ and what it does in a step."""
    e, i = case.expected, case.inputs
    mode = {"mode": "hard", "erp": e["erp"]}
    if case.name == "compliant":
        mode = {"mode": "compliant", "natural_frequency": i["natural_frequency"], "damping_ratio": i["damping_ratio"]}
    robot = coupled(in_series(1.0, 1.0), ("j0", "j1", -1.63, -0.5), **mode)
    sim = compile(robot, dt=0.01, gravity=(0, 0, 0))
    r = {(a, b): sim.impulse_response(a, b) for a in ("j0", "j1") for b in ("j0", "j1")}
    assert r["j0", "j0"] + 1.63 * 2 * r["j0", "j1"] + 1.63**2 * r["j1", "j1"] == approx(e["response"], rel=1e-12)
    sim.reset(position={"j0": 1.0, "j1": 0.0}, velocity={"j0": 35.9, "j1": 0.0})
    assert sim.coupling_error["j0"] == approx(1.5, rel=1e-15)
    sim.step()
    assert sim.coupling_effort["j0"] * 0.01 == approx(e["lambda_"], rel=1e-12)
    assert [sim.velocity[j] for j in ("j0", "j1")] == approx([e["v0"], e["v1"]], rel=1e-12)
    assert [sim.position[j] for j in ("j0", "j1")] == approx([e["q0"], e["q1"]], rel=1e-12)
