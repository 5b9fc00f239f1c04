"""Cases about closed loops."""

from __future__ import annotations

import re
from math import acos, atan2, cos, hypot, pi, sin

import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.sim import compile
from tests.corpus.peer_checks.asking import check, text_of
from tests.corpus.peer_checks.rigs import rig
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING


@check("gazebo-classic/kinematic_loop_anchored", "rest")
def _anchored_loop(case: Case) -> None:  # slack: theirs
    """Three bars hung between two pins come to rest where they do there; joint4, which closes the loop, by its link."""
    sim = compile(gw.load(case.model))
    sim.step(n=round(case.inputs["time"] / sim.dt))
    e, tolerance = case.expected["positions"], case.values["tolerance"]
    free = [name for name in e if name in sim.position]
    assert [sim.position[name] for name in free] == approx([e[name] for name in free], abs=tolerance["position"])
    assert [sim.velocity[name] for name in free] == approx([0.0] * len(free), abs=tolerance["velocity"])
    turned = sum(sim.position[name] for name in ("joint1", "joint2", "joint3"))  # all about x
    assert turned == approx(e["joint4"], abs=tolerance["position"])


def _trapezoid(case: Case, damping: float = 0.0) -> gw.Mechanism:
    """Drake's four-bar with the joint that a bushing stands for there; drawn at rest, which is where it is closed."""
    e, text = FOUR_BAR_ANGLES, text_of(case)
    at = {"A": f"<pose>0 0 0 0 {e[0]!r} 0</pose>", "B": f"<pose relative_to='A'>4 0.1 0 0 {e[1]!r} 0</pose>",
          "C": f"<pose>-2 0 0 0 {e[1]!r} 0</pose>"}  # fmt: skip
    text = re.sub(r"(<link name=.[BC].>(?:(?!<inertial>).)*?)<pose[^>]*>[^<]*</pose>", r"\1", text, flags=re.DOTALL)
    for link, pose in at.items():
        text = text.replace(f'<link name="{link}">', f'<link name="{link}">{pose}')
    joint = """<joint name="joint_BC" type="continuous"><pose relative_to="Bc_bushing"/><parent>B</parent>
      <child>C</child><axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint></model>"""
    return gw.loads(text.replace("<damping>0.0</damping>", f"<damping>{damping}</damping>").replace("</model>", joint))


FOUR_BAR_ANGLES = acos(1 / 4), pi - acos(1 / 4)  # of an isosceles trapezoid: 4, 4, 4 on 2 m


@check("drake/four_bar_equilibrium", "equilibrium")
def _equilibrium(case: Case) -> None:
    """Pushed aside and damped, it comes back to the trapezoid."""
    assert (case.expected["qA"], case.expected["qB"]) == approx(FOUR_BAR_ANGLES, rel=1e-12)
    sim = compile(_trapezoid(case, damping=200.0), dt=5e-3)
    sim.reset(position={"joint_WA": 0.3})
    sim.step(n=10_000)
    at_rest = [sim.position[name] for name in ("joint_WA", "joint_AB", "joint_WC")]
    assert at_rest == approx([0.0] * 3, abs=2e-10)  # what 50 s leave


@check("drake/four_bar_equilibrium", "coupler_point_P")
def _coupler_point(case: Case) -> None:
    """2·Bx − 2·Bz of the middle bar: below it, in the middle, at rest."""
    robot = _trapezoid(case)
    X = robot.forward_kinematics({})["B"]
    assert (X @ [2, 0, -2, 1])[:3] == approx((-1.0, 0.1, -4 * sin(FOUR_BAR_ANGLES[0]) + 2), abs=ROUNDING)


DRAKE_TURNS = [1.12, 3.35, 5.59, 7.82]  # of joint_WA, found with its bushing, every 10 ms, at an accuracy of 1e-6 [s]


@check("drake/four_bar_equilibrium", "default_run")
def _swings(case: Case) -> None:
    """Crank A alone is thrown at 3 rad/s there, the other joints at rest; the bushing catches them in some 20 ms.

    A velocity given here is that of the closed loop, so it is the one after the catch: along the only freedom g the
    momentum stays, `gᵀM·g·u = gᵀM·v`. Then it turns where Drake's does, but for what a bushing yields, and keeps its
    energy to first order in the step.
    """
    ranges = []
    for dt in (4e-3, 2e-3):
        sim = compile(_trapezoid(case), dt=dt)
        sim.reset(velocity={"joint_WA": 1.0})
        M, g = sim.mass_matrix(), np.array([sim.velocity[name] for name in sim.coordinates])
        thrown = case.inputs["initial_velocity_qA"] * np.eye(3)[sim.coordinates.index("joint_WA")]
        sim.reset(velocity={"joint_WA": (g @ M @ thrown) / (g @ M @ g)})
        rec = sim.run(case.inputs["time"])
        turns = rec.time[1:][np.diff(np.sign(rec.velocity["joint_WA"])) != 0]
        assert turns == approx(DRAKE_TURNS, abs=0.03)
        ranges.append(np.ptp(rec.energy) / np.ptp(rec.kinetic_energy))
    assert ranges[1] < 0.7 * ranges[0] and ranges[1] < 0.05


# --- Newton -----------------------------------------------------------------------------------------------------------

CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.5


def _angles(crank: float) -> tuple[float, float]:
    """Coupler and rocker on the open branch, by triangles."""
    x, z = GROUND - CRANK * cos(crank), -CRANK * sin(crank)  # from the crank's tip to the rocker's pin
    diagonal = hypot(x, z)
    rocker = atan2(-z, -x) - acos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))
    tip = np.array([GROUND + ROCKER * cos(rocker) - CRANK * cos(crank), ROCKER * sin(rocker) - CRANK * sin(crank)])
    return atan2(tip[1], tip[0]), rocker


def _grashof() -> gw.Mechanism:
    """Square bars of 40 mm and density 1000 in the x-z plane, drawn with the crank at zero; x to z is positive."""

    def bar(name: str, length: float, x: float, z: float, angle: float) -> str:
        m = 1000 * 0.04**2 * length
        across, along = m * (length**2 + 0.04**2) / 12, m * 0.04**2 / 6
        return f"""<link name="{name}"><pose>{x!r} 0 {z!r} 0 {-angle!r} 0</pose>
          <inertial><pose>{length / 2} 0 0 0 0 0</pose><mass>{m}</mass>
          <inertia><ixx>{along}</ixx><iyy>{across}</iyy><izz>{across}</izz></inertia>
          </inertial></link>"""

    def pin(name: str, parent: str, child: str, x: float = 0.0) -> str:
        return f"""<joint name="{name}" type="continuous"><pose>{x} 0 0 0 0 0</pose><parent>{parent}</parent>
          <child>{child}</child><axis><xyz>0 -1 0</xyz></axis></joint>"""

    coupler, rocker = _angles(0.0)
    return rig(
        bar("crank", CRANK, 0.0, 0.0, 0.0), bar("coupler", COUPLER, CRANK, 0.0, coupler),
        bar("rocker", ROCKER, GROUND, 0.0, rocker), pin("a", "world", "crank"), pin("b", "crank", "coupler"),
        pin("d", "world", "rocker"), pin("c", "coupler", "rocker", ROCKER),
    )  # fmt: skip


@check("newton/fourbar_freudenstein", "tracking")
def _tracking(case: Case) -> None:
    """A servo of 100 N·m·s/rad turns the crank at 2π rad/s for 2 s."""
    sim = compile(_grashof(), dt=case.inputs["dt"], drives={"a": gw.Drive(damping=100.0)})
    sim.drive(velocity={"a": 2 * pi})
    rocker = _angles(0.0)[1]
    for _ in range(200):
        sim.step(n=50)
        expected = _angles(sim.position["a"])[1] - rocker
        wrong = (sim.position["d"] - expected + pi) % (2 * pi) - pi
        ends = [sim.pose[name] @ [length, 0, 0, 1] for name, length in (("coupler", COUPLER), ("rocker", ROCKER))]
        assert abs(wrong) < ROUNDING
        assert np.abs(ends[0] - ends[1]).max() < ROUNDING
    assert sim.position["a"] > case.expected["crank_angle_gt"]


@check("newton/fourbar_freudenstein", "table_theta2_theta3_theta4")
def _table(case: Case) -> None:
    """The crank is led from row to row."""
    sim = compile(_grashof(), drives={"a": gw.Drive(kinematic=True)})
    coupler, rocker = _angles(0.0)
    for crank, theta3, theta4 in case.expected["rows"]:
        for target in np.linspace(sim.position["a"], crank, 60):
            sim.drive(position={"a": target})
            sim.step()
        found = sim.position["a"] + sim.position["b"] + coupler, sim.position["d"] + rocker
        apart = (np.array(found) - (theta3, theta4) + pi) % (2 * pi) - pi
        assert np.abs(apart).max() < case.values["tolerance"] + 5e-7  # the table has six digits
