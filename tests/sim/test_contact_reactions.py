"""Joints carry what contacts put on their links."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw

LEG = """<sdf version="1.11"><model name="leg">
<joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
<link name="base"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<link name="shank"><pose>0 0 0.5 0 0 0</pose><inertial><mass>1</mass>
  <inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial></link>
<joint name="slide" type="prismatic"><parent>base</parent><child>shank</child><axis><xyz>0 0 1</xyz></axis></joint>
<link name="foot"><pose>0 0 0.05 0 0 0</pose><inertial><mass>2</mass>
  <inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>
  <collision name="ball"><pose>0.1 0.02 0 0 0 0</pose>
  <geometry><sphere><radius>0.05</radius></sphere></geometry></collision>
</link>
<joint name="ankle" type="fixed"><parent>shank</parent><child>foot</child>
  <sensor name="scale" type="force_torque"/></joint></model></sdf>"""
G = 9.81


@pytest.mark.filterwarnings("ignore:.*has no <inertia>:gearwright.LoadWarning")
@pytest.mark.parametrize("integrator", [None, "euler"])
def test_a_foot_on_the_ground_carries_its_leg(integrator):
    sim = gw.compile(gw.loads(LEG), ground=True, integrator=integrator)
    sim.step(n=300)
    load = 3 * G  # the ground carries shank and foot, at 0.1, 0.02 beside the slide
    np.testing.assert_allclose(sim.contact_force["foot"], [0, 0, load], atol=1e-6)
    ankle = sim.reaction["ankle"]
    np.testing.assert_allclose(ankle.force, [0, 0, -G], atol=1e-6)  # the shank's weight pushes the foot down
    np.testing.assert_allclose(ankle.torque, [-0.02 * load, 0.1 * load, 0], atol=1e-6)
    np.testing.assert_allclose(sim.reaction["slide"].force, 0, atol=1e-6)  # nothing is left along it
    np.testing.assert_allclose(sim.reaction["mount"].force, [0, 0, G], atol=1e-6)
    np.testing.assert_allclose(np.abs(sim.sensor["scale"])[:3], [0, 0, G], atol=1e-6)


@pytest.mark.parametrize("integrator", [None, "euler"])
def test_torsional_friction_turns_back(integrator):
    """A disc that spins on its contact point: the joint that keeps its axis feels the friction's torque."""
    world = gw.World()
    world.sphere("ball", radius=0.1, mass=2.0, pose=(0, 0, 0.1, 0, 0, 0), torsional_friction=0.01)
    world.ground()
    sim = gw.compile(world.finish(), integrator=integrator)
    sim.reset(velocity={"ball.rz": 20.0})
    sim.step(n=50)
    inertia = 0.4 * 2.0 * 0.1**2
    expected = -0.01 * 2.0 * 9.81 / inertia
    assert (sim.velocity["ball.rz"] - 20.0) / 0.05 == pytest.approx(expected, rel=1e-3)
    assert sim.acceleration["ball.rz"] == pytest.approx(expected, rel=1e-3)
    base = next(iter(sim.robot.bases))
    np.testing.assert_allclose(sim.reaction[base].force, 0, atol=1e-6)  # free: nothing holds it
    np.testing.assert_allclose(sim.reaction[base].torque, 0, atol=1e-6)
