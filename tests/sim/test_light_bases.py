"""A free base that weighs little beside what it carries moves as accurately as any other."""

import warnings

import numpy as np
import pytest

import gearwright as gw
from tests.sim.light_bases import BASE, LIGHT, heavy, joint, link, sdf


def ended(light, dt, integrator="midpoint", **options):
    """Every position after one second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gw.NotSimulatedWarning)  # of Runge–Kutta
        sim = gw.compile(light.robot, dt=dt, integrator=integrator, **options)
    sim.reset(velocity=light.velocity)
    sim.step(n=round(1.0 / dt))
    assert sim.unsettled == 0
    return np.concatenate([np.ravel(x) for x in sim.position.values()])


@pytest.mark.parametrize("name", LIGHT)
def test_errors_are_second_order_and_small(name):
    """By the base's own coordinates: 1e-4 (light and wide) to 0.5 rad (ball), at any step."""
    exact = ended(LIGHT[name], 1e-4, "rk4")
    whole, half = (np.abs(ended(LIGHT[name], dt) - exact).max() for dt in (4e-3, 2e-3))
    assert half < 6e-5  # dt²
    assert whole < 4.5 * half + 1e-8


@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_errors_do_not_grow_with_the_ratio_of_masses(ratio):
    moments = (0.01 / ratio, 0.013 / ratio, 0.016 / ratio)
    robot = sdf(link("root", 1.0 / ratio, moments=moments), heavy(), joint("j", "root", "heavy"))
    light = LIGHT["hinge"]._replace(robot=robot)
    assert np.abs(ended(light, 1e-3) - ended(light, 1e-4, "rk4")).max() < 5e-6  # asked: Euler's 1.6e-4 of the angle


def test_forces_on_the_base_and_along_its_joint():
    """Weight, a push in the base's own coordinates, and a spring: as in Runge–Kutta's steps."""

    def pushed(dt, integrator="midpoint"):
        sim = gw.compile(spring, dt=dt, integrator=integrator)
        sim.reset(velocity=LIGHT["hinge"].velocity)
        sim.step(n=round(0.4 / dt), effort={"base.x": 2e-4, "base.rz": 1e-6})
        return np.concatenate([np.ravel(x) for x in sim.position.values()])

    more = "<dynamics><spring_stiffness>1e-4</spring_stiffness><damping>1e-6</damping></dynamics>"
    spring = sdf(link("root", 1e-4), heavy(), joint("j", "root", "heavy", more=more))
    exact = pushed(1e-4, "rk4")
    whole, half = (np.abs(pushed(dt) - exact).max() for dt in (2e-3, 1e-3))
    assert half < 1e-5  # dt²
    assert whole < 4.5 * half


def test_a_base_whose_coordinate_is_driven_reaches_its_target():
    robot = sdf(link("root", 1e-4), heavy(), joint("j", "root", "heavy"))
    sim = gw.compile(robot, drives={"base.x": gw.Drive(kinematic=True)})
    sim.reset(velocity={"base": [0.0, *BASE[1:]], "j": 1.0})
    sim.step(n=100)
    assert sim.position["base.x"] == pytest.approx(0.0, abs=1e-12)
