"""Gears that twist: two masses with a spring between, against closed forms; and the hysteresis of the twist."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.frictions import Dahl, Friction
from gearwright.model.transmissions.elastic import ElasticGear

RATIO, ROTOR, LINK, STIFFNESS = 50.0, 2e-5, 0.1, 1.0  # [1, kg·m², kg·m², N·m/rad at the motor]
DT = 2e-4
GEAR = ElasticGear(stiffness=STIFFNESS)
HELD = {"m.rotor": gw.Drive(kinematic=True)}


def drive(gear, dt=DT, **options):
    text = f"""<sdf version="1.11"><model name="p"><link name="arm"><inertial><mass>1</mass><inertia>
      <ixx>{LINK}</ixx><iyy>{LINK}</iyy><izz>{LINK}</izz></inertia></inertial></link>
      <joint name="j" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
      <actuator name="m" type="ideal"><rotor_inertia>{ROTOR}</rotor_inertia></actuator></model></sdf>"""
    robot = gw.loads(text).with_transmission(
        "g", gw.SimpleTransmission(reduction=RATIO), actuators="m", joints="j", backlash=gear
    )
    return gw.compile(robot, dt=dt, **options)


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
def test_two_masses_swing_at_their_frequency(integrator):
    """`ω² = k·(1/J_r + 1/(J_l/n²))`, about a steady turn of the whole."""
    sim = drive(GEAR, integrator=integrator)
    sim.reset(velocity={"m.rotor": 10.0, "j": 0.0})
    seen = []
    for _ in range(2000):
        sim.step()
        seen.append(sim.velocity["m.rotor"] - RATIO * sim.velocity["j"])
    crossings = np.flatnonzero(np.diff(np.sign(seen)))
    period = 2 * DT * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    wanted = np.sqrt(STIFFNESS * (1 / ROTOR + RATIO**2 / LINK))
    assert 2 * np.pi / period == pytest.approx(wanted, rel=2e-3)
    momentum = ROTOR * sim.velocity["m.rotor"] + LINK / RATIO * sim.velocity["j"]
    assert momentum == pytest.approx(ROTOR * 10.0, rel=1e-9)


def test_energy_is_kept():
    sim = drive(ElasticGear(stiffness=STIFFNESS, cubic=30.0))
    sim.reset(velocity={"m.rotor": 30.0, "j": 0.0})
    start, seen = sim.energy, []
    for _ in range(500):
        sim.step()
        seen.append(sim.energy)
    assert np.abs(np.array(seen) / start - 1).max() < 0.02


@pytest.mark.parametrize("torque", [0.05, -0.3])
def test_the_steady_twist_of_a_hardening_gear(torque):
    """A load against a held motor: `k·x + k₃·x³ = T/n`."""
    gear = ElasticGear(stiffness=STIFFNESS, cubic=30.0, damping=2e-3)
    held = drive(gear, drives=HELD)
    held.step(effort={"j": torque * RATIO}, n=5000)
    twist = -RATIO * held.position["j"]
    assert gear.torque(twist) == pytest.approx(-torque, rel=1e-6)


def test_the_twist_draws_a_hysteresis_loop():
    """Half of the loop's width is the bristles' torque, as a harmonic drive's torsion test shows it."""
    gear = ElasticGear(stiffness=STIFFNESS, damping=5e-3, hysteresis=Dahl(coulomb=0.02, stiffness=2.0))
    held = drive(gear, drives=HELD)
    torque = 0.2 * np.sin(2 * np.pi * np.arange(12000) * DT)
    twist = []
    for T in torque:
        held.step(effort={"j": T * RATIO})
        twist.append(RATIO * held.position["j"])
    twist = np.array(twist)[5000:10000]
    T = torque[5000:10000]
    up = np.diff(twist, prepend=twist[0]) > 0
    at_zero = np.abs(twist) < 2e-3
    width = T[at_zero & up].mean() - T[at_zero & ~up].mean()
    damper = 2 * 5e-3 * np.abs(np.gradient(twist, DT))[at_zero].mean()
    assert width - damper == pytest.approx(2 * 0.02, rel=0.05)


def test_a_stiff_gear_is_stable_in_long_steps():
    gear = ElasticGear(stiffness=1e4, damping=1e-3, hysteresis=Dahl(coulomb=0.02, stiffness=1e4))
    sim = drive(gear, dt=5e-3)
    sim.step(command={"m": 0.1}, n=200)
    whole = ROTOR * RATIO**2 + LINK
    assert sim.velocity["j"] == pytest.approx(0.1 * RATIO / whole * 1.0, rel=1e-3)


def test_files_and_parameters(tmp_path):
    robot = gw.loads(
        """<sdf version="1.11"><model name="p"><link name="arm"><inertial><mass>1</mass><inertia><ixx>1</ixx>
        <iyy>1</iyy><izz>1</izz></inertia></inertial></link><joint name="j" type="revolute"><parent>world</parent>
        <child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
        <actuator name="m" type="ideal"><rotor_inertia>1e-4</rotor_inertia></actuator>
        <transmission name="g" type="simple"><mechanical_reduction>100</mechanical_reduction><actuator>m</actuator>
        <joint>j</joint><elasticity><stiffness>2</stiffness><cubic>5</cubic>
        <hysteresis type="dahl"><coulomb>0.01</coulomb><stiffness>4</stiffness></hysteresis></elasticity>
        </transmission></model></sdf>"""
    )
    gear = ElasticGear(stiffness=2.0, cubic=5.0, hysteresis=Dahl(coulomb=0.01, stiffness=4.0))
    assert robot.transmissions["g"].backlash == gear
    assert {"g.elasticity.stiffness", "g.elasticity.cubic", "g.hysteresis.coulomb"} <= set(robot.parameters)
    sim = gw.compile(robot, parameters=("g.elasticity.stiffness", "g.hysteresis.stiffness"))
    sim.set_parameters({"g.elasticity.stiffness": 3.0})
    sim.step(command={"m": 0.01}, n=20)
    sim.save(tmp_path / "arm.gw")
    assert gw.open(tmp_path / "arm.gw").robot == sim.robot


def test_a_twist_that_dry_friction_would_hold_is_refused():
    with pytest.raises(gw.ModelError, match="must be a model of bristles"):
        ElasticGear(stiffness=1.0, hysteresis=Friction(kinetic=0.1))
