"""Couplings that lead in a circle, or twice to one follower: consistent ones move, contradictory ones do not."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisRef, Couplings
from gearwright.model.couplings import Coupling, Term
from gearwright.sim import compile
from tests.tolerances import ROUNDING

SOFT = {"natural_frequency": 100.0, "damping_ratio": 0.5}


def wheels(n):
    """Of inertia 0.1, 0.2, … on one axis."""
    parts = "".join(
        f"""<link name="l{i}"><inertial><mass>1</mass>
            <inertia><ixx>1</ixx><iyy>1</iyy><izz>{0.1 * (i + 1)}</izz></inertia></inertial></link>
        <joint name="w{i}" type="continuous"><parent>base</parent><child>l{i}</child>
            <axis><xyz>0 0 1</xyz></axis></joint>"""
        for i in range(n)
    )
    fixed = '<joint name="f" type="fixed"><parent>world</parent><child>base</child></joint>'
    return gw.loads(f'<sdf version="1.9"><model name="m"><link name="base"/>{fixed}{parts}</model></sdf>')


def follow(name, follower, leader, ratio, mode, **more):
    more = {**SOFT, **more} if mode == "compliant" else more
    return Coupling(name=name, follower=AxisRef(follower), leaders=(Term(AxisRef(leader), ratio),), mode=mode, **more)


def ring(n, product, modes):
    """w1 = 2·w0, w2 = 2·w1, … and w0 follows the last, so that the ratios multiply to `product`."""
    ratios = [2.0] * (n - 1) + [product / 2.0 ** (n - 1)]
    modes = [modes] * n if isinstance(modes, str) else modes
    rows = [
        follow(f"c{i}", f"w{(i + 1) % n}", f"w{i}", r, m) for i, (r, m) in enumerate(zip(ratios, modes, strict=True))
    ]
    return replace(wheels(n), couplings=Couplings(rows))


HELD_STILL = "ignore:.*contradictory couplings lock:gearwright.LoadWarning"
every_size = pytest.mark.parametrize("n", [2, 3, 5])


@every_size
@pytest.mark.parametrize("mode", ["hard", "compliant", "mixed"])
def test_a_consistent_ring_turns_as_one(n, mode):
    """0.1 N·m on w0: its acceleration is that of `Σ 4ⁱ·Iᵢ`; a compliant ring's also rings, by 2e-6."""
    modes = ["exact"] * (n - 1) + ["hard"] if mode == "mixed" else mode
    robot = ring(n, 1.0, modes)
    assert robot.dof == 1
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=500)
    inertia = sum(4.0**i * 0.1 * (i + 1) for i in range(n))
    velocities = [sim.velocity[f"w{i}"] for i in range(n)]
    assert velocities[0] == pytest.approx(0.05 / inertia, rel=ROUNDING if mode != "compliant" else 1e-5)
    assert velocities == pytest.approx(
        [2.0**i * velocities[0] for i in range(n)], rel=ROUNDING if mode != "compliant" else 1e-5
    )
    assert np.sum(sim.batch_state.get("unsettled")) == 0


@pytest.mark.parametrize("first", ["hard", "exact"])
def test_ratios_of_four_digits_are_consistent(first):
    """1/3 as 0.3333: the ring turns, and counts as one that does, however far: 100 rad here."""
    rows = [follow("c0", "w1", "w0", 3.0, first), follow("c1", "w0", "w1", 0.3333, "hard")]
    robot = replace(wheels(2), couplings=Couplings(rows))
    assert robot.dof == 1 and "mimic-contradiction" not in [d.code for d in robot.diagnostics]
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=500)
    assert sim.velocity["w0"] == pytest.approx(0.05 / (0.1 + 9 * 0.2), rel=ROUNDING)
    sim.reset(velocity={"w0": 100.0})
    sim.step(effort={"w0": 0.0}, n=1000)
    assert sim.velocity["w0"] == pytest.approx(100.0, rel=ROUNDING)
    assert sim.unsettled == 0


def test_a_long_ring_of_rounded_ratios_turns():
    """Two sums of leaders and a chain: what rounding has left of each row is not a row."""
    rows = [
        follow("c0", "w1", "w0", 1 / 3, "hard"),
        follow("c1", "w2", "w1", 7.0, "hard"),
        follow("c2", "w3", "w2", 1 / 9, "hard"),
        follow("c3", "w0", "w3", round(27 / 7, 4), "hard"),
        Coupling(
            name="c4", follower=AxisRef("w3"), mode="hard",
            leaders=(Term(AxisRef("w0"), 0.1296), Term(AxisRef("w1"), 0.3889)),
        ),
    ]  # fmt: skip
    robot = replace(wheels(4), couplings=Couplings(rows))
    assert robot.dof == 1
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=500)
    inertia = 0.1 + 0.2 / 9 + 0.3 * 49 / 9 + 0.4 * 49 / 729
    assert sim.velocity["w0"] == pytest.approx(0.05 / inertia, rel=ROUNDING)


def test_a_ratio_that_is_a_parameter_stays_what_it_is():
    """It is not known when the ring is looked at."""
    rows = [follow("c0", "w1", "w0", 3.0, "hard"), follow("c1", "w0", "w1", 0.3333, "hard")]
    sim = compile(replace(wheels(2), couplings=Couplings(rows)), parameters=["c1.multiplier"])
    assert sim.parameters["c1.multiplier"] == 0.3333
    sim.step(effort={"w0": 0.1}, n=500)
    assert sim.velocity["w0"] < 2e-4 * 0.05 / (0.1 + 9 * 0.2)  # held


@pytest.mark.filterwarnings(HELD_STILL)
@pytest.mark.sampled(5)
@every_size
@pytest.mark.parametrize("product", [-1.0, 3.0, 1.05])
@pytest.mark.parametrize("mode", ["hard", "mixed"])
def test_a_contradictory_ring_holds_still_and_is_reported(n, product, mode):
    """The only velocity that satisfies all rows is none. Torque goes into the rows."""
    modes = ["exact"] * (n - 1) + ["hard"] if mode == "mixed" else mode
    robot = ring(n, product, modes)
    assert robot.dof == 0
    (found,) = [d for d in robot.diagnostics if d.code == "mimic-contradiction"]
    assert "w0" in found.message and "compliant" in found.message
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=500)
    # slack: 1e-9, the compliance of rows, in some of the slow cases
    assert max(abs(sim.position[f"w{i}"]) for i in range(n)) < 1e-8
    assert np.sum(sim.batch_state.get("unsettled")) == 0


@pytest.mark.parametrize("n", [2, 3])
def test_a_contradictory_compliant_ring_is_a_spring(n):
    """It yields to a torque and comes back: it takes off what it can without a lock."""
    robot = ring(n, 3.0, "compliant")
    assert robot.dof == 1
    assert "mimic-contradiction" not in [d.code for d in robot.diagnostics]
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=2000)
    stretched = sim.position["w0"]
    assert 1e-5 < stretched < 1e-2
    sim.step(effort={"w0": 0.0}, n=10_000)  # its slowest mode takes a second
    assert abs(sim.position["w0"]) < 1e-5 * stretched


def test_a_ring_of_exact_couplings_is_refused():
    with pytest.raises(gw.ModelError, match=r"cycle: .* one of them must be hard or compliant"):
        ring(3, 1.0, "exact")


def test_a_ring_is_reset_from_any_of_its_axes():
    sim = compile(ring(3, 1.0, "hard"))
    for name in ("w0", "w1", "w2"):
        sim.reset(position={name: 0.4}, velocity={name: 2.0})
        unit = sim.position["w0"]
        assert [sim.position[f"w{i}"] for i in range(3)] == pytest.approx([unit, 2 * unit, 4 * unit], rel=ROUNDING)
        unit = sim.velocity["w0"]
        assert [sim.velocity[f"w{i}"] for i in range(3)] == pytest.approx([unit, 2 * unit, 4 * unit], rel=ROUNDING)
        assert sim.position[name] == 0.4


@pytest.mark.filterwarnings(HELD_STILL)
@pytest.mark.parametrize("ratio", [2.0, 3.0])
@pytest.mark.parametrize("mode", ["hard", "compliant"])
def test_two_couplings_of_one_follower(ratio, mode):
    """The second says the same, or another thing: then the axes are held, or pulled both ways."""
    rows = [follow("c0", "w1", "w0", 2.0, "exact"), follow("c1", "w1", "w0", ratio, mode)]
    robot = replace(wheels(2), couplings=Couplings(rows))
    assert robot.dof == (0 if (ratio, mode) == (3.0, "hard") else 1)
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=500)
    moved = sim.position["w0"]
    if ratio == 2.0:
        assert moved == pytest.approx(0.5 * 0.1 / (0.1 + 4 * 0.2) * 0.25, rel=ROUNDING)
    else:
        assert abs(moved) < (ROUNDING if mode == "hard" else 1e-4)


def test_offsets_that_contradict_leave_the_motion():
    """w1 = 2·w0 twice, half a radian apart: rates agree, so that it turns, and the second row keeps its error."""
    rows = [follow("c0", "w1", "w0", 2.0, "exact"), follow("c1", "w1", "w0", 2.0, "hard", offset=0.5)]
    robot = replace(wheels(2), couplings=Couplings(rows))
    assert robot.dof == 1
    sim = compile(robot, dt=1e-3)
    sim.step(effort={"w0": 0.1}, n=500)
    assert np.isfinite(sim.state).all()
    assert sim.position["w0"] == pytest.approx(0.1 / 0.9 * 0.125, rel=ROUNDING)
    assert sim.coupling_error["c1"] == pytest.approx(-0.5, abs=ROUNDING)


def test_a_long_ring_is_looked_at_in_bounded_time():
    n = 400
    robot = ring(n, 2.0 ** (n - 1) / 2.0 ** (n - 1), ["hard"] * n)
    assert robot.dof == 1  # powers of two: their product is 1 to the bit
