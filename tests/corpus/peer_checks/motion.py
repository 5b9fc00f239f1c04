"""Cases about how coupled joints move: Chrono, Newton, Genesis, Bullet and MuJoCo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.model import AxisRef, Coupling, Couplings, Term
from gearwright.sim import compile
from tests.corpus.peer_checks.asking import check
from tests.corpus.peer_checks.rigs import body, coupled, hinge, rig, side_by_side, simulations
from tests.corpus.peer_files import Case
from tests.tolerances import ROUNDING


@check("chrono/shaft_gear", "shaft_shaft")
def _shafts(case: Case) -> None:
    i, e = case.inputs, case.expected
    for sim in simulations(coupled(side_by_side(i["J1"], i["J2"]), ("j1", "j0", i["ratio"], 0.0))):
        sim.step(effort={"j0": i["torque"]}, n=round(i["t"] / sim.dt))
        assert [sim.acceleration[j] for j in ("j0", "j1")] == approx([e["acc1"], e["acc2"]], rel=ROUNDING)
        assert [sim.velocity[j] for j in ("j0", "j1")] == approx([e["vel1"], e["vel2"]], rel=ROUNDING)
        assert [sim.position[j] for j in ("j0", "j1")] == approx([e["pos1"], e["pos2"]], abs=ROUNDING)
        assert sim.coupling_effort["j1"] == approx(e["Tr2"], rel=ROUNDING)
        assert -i["ratio"] * sim.coupling_effort["j1"] == approx(e["Tr1"], rel=ROUNDING)


@check("newton/mimic_urdf_and_sim", "simulation", "simulation_analytic")
def _leader_thrown(case: Case) -> None:
    """The leader is thrown and the follower is not: the row makes the two agree, with the momentum that they have."""
    i = case.inputs
    m, dt, steps = (i.get("coef1") or i.get("G")), i.get("dt", 0.01), i.get("steps", 200)
    robot = coupled(side_by_side(1.0, 1.0), ("j1", "j0", m, 0.0), mode="hard")
    sim = compile(robot, dt=dt)
    sim.reset(velocity={"j0": 1.0, "j1": 0.0})
    sim.step()
    assert sim.velocity["j0"] == approx(1 / (1 + m**2), rel=1e-12)
    sim.step(n=steps - 1)
    assert sim.position["j0"] == approx(0.2 * steps * dt, rel=ROUNDING)
    assert sim.position["j1"] == approx(m * sim.position["j0"], rel=ROUNDING)


@check("genesis/mimic", "mimic_hinges")
def _hinges(case: Case) -> None:
    """Capsules of 0.05 × 0.2 m on each hinge about y, apart by 1 rad at the start."""
    i = case.inputs
    robot = coupled(side_by_side(0.02, 0.02, axis="0 1 0"), ("j1", "j0", 1.0, 0.0), mode="hard")
    sim = compile(robot, dt=i["dt"])
    sim.reset(
        position=dict(zip(("j0", "j1"), i["qpos"], strict=True)),
        velocity=dict(zip(("j0", "j1"), i["qvel"], strict=True)),
    )
    sim.step(n=i["steps"])
    assert sim.position["j0"] == approx(sim.position["j1"], abs=ROUNDING)


@check("bullet/gear_constraint", "differential")
def _bevel_differential(case: Case) -> None:
    """`ω_a + ratio·ω_b = 0`, three rows on four wheels of the ring: they turn together, or not at all."""
    free = gw.load(case.model)
    wheels = [name for name, j in free.joints.items() if j.kind == "continuous"]  # pybullet counts from 0: the ring
    rows = [(wheels[g["b"]], wheels[g["a"]], -1 / g["ratio"], 0.0) for g in case.inputs["gears"]]
    robot = coupled(free, rows[0], rows[1], (wheels[1], wheels[4], 1.0, 0.0))  # 1 and 4, written from the other end
    assert robot.dof == free.dof - 3
    for sim in simulations(robot, gravity=(0, 0, 0)):
        sim.step(effort={wheels[1]: 1e-3}, n=50)
        w = [sim.velocity[name] for name in wheels]
        assert abs(w[1]) > 1e-6
        assert (w[1] + w[3], w[2] - w[4], w[1] - w[4]) == approx((0, 0, 0), abs=1e-12)


@check("mujoco/armature_equivalence", "with_actuators", "without_actuators", "figures")
def _rotor_or_armature(case: Case) -> None:
    """A point mass on a bar with a rotor behind 3:1, against the bar with nine times the rotor's inertia."""
    ball = "<inertia><ixx>4e-3</ixx><iyy>4e-3</iyy><izz>4e-3</izz></inertia>"
    link = f"<link name='bar'><inertial><pose>1 0 0 0 0 0</pose><mass>1</mass>{ball}</inertial></link>"
    link += hinge("link", "bar", axis="0 -1 0")
    geared = coupled(rig(link, body("rotor", 30.0, (0.2, 0.2, 0.2)), hinge("motor", "rotor", axis="0 -1 0"),
                         gravity="0 0 -9.81"), ("motor", "link", 3.0, 0.0))  # fmt: skip
    plain = rig(link, gravity="0 0 -9.81")
    control = {"with_actuators": 1.0, "without_actuators": 0.0, "figures": 1.0}[case.name]
    (a, b), alone = simulations(geared, dt=2e-3), compile(plain, dt=2e-3, parameters=("link.armature",))
    alone.set_parameters({"link.armature": 0.2 * 3**2})
    times = 2e-3 * np.arange(2000)
    pushes = [{"motor": control * np.sin(2 * times)}] * 2 + [{"link": 3 * control * np.sin(2 * times)}]
    paths = [sim.run(4.0, effort=push).position["link"] for sim, push in zip((a, b, alone), pushes, strict=True)]
    # a hard row yields by 1e-9 of the heaviest inertia in it: 1.1e-9 found
    assert max(np.abs(paths[0] - paths[2]).max(), np.abs(paths[1] - paths[2]).max()) < ROUNDING


@check("mujoco/joint_equality_polycoef", "0", "1", "2", "3")
def _polynomials(case: Case) -> None:
    """q₁ = Σ aₖ·q₂ᵏ, held while it moves; a missing coefficient is (0, 1, 0, 0, 0)'s."""
    a = case.expected["data"]
    c = Coupling(
        name="j1", follower=AxisRef("j1"), leaders=(Term(AxisRef("j0"), a[1]),), offset=a[0], powers=tuple(a[2:])
    )
    sim = compile(replace(side_by_side(1.0, 0.01), couplings=Couplings([c])))
    sim.step(effort={"j0": 1.0}, n=500)
    assert sim.position["j0"] > 1e-3
    assert sim.position["j1"] == approx(np.polyval(a[::-1], sim.position["j0"]), rel=1e-12)
