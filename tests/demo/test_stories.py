"""What the demo says of its robots holds: on the curve, coupled, closed, and every joule accounted for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import robots
from gearwright.demo import four_bar, gripper, wrist
from gearwright.demo.balance import balance
from tests.tolerances import ROUNDING


@pytest.fixture(scope="module")
def chapters():
    return {story.__name__.rpartition(".")[2]: story.story(quick=True) for story in (gripper, wrist, four_bar)}


def line(chapter, title, label):
    figure = next(f for f in chapter.figures if f.title == title)
    return next(one for one in figure.chart.lines if one.label == label)


def test_the_grippers_motor_is_on_the_edge_of_its_curve(chapters):
    """Its mean over a step is between the curve's values at both ends, to the solver's accuracy: 1e-9 of the limit."""
    given = line(chapters["gripper"], "The operating point on the torque-speed curve", "what it gives while opening")
    motor = chapters["gripper"].robot.actuators["motor"]
    curve = 1e3 * np.asarray(motor.effort_at(gripper.COMMAND, given.x))
    assert (given.y[1:] < np.maximum(curve[1:], curve[:-1]) + ROUNDING).all()
    assert (given.y[1:] > np.minimum(curve[1:], curve[:-1]) - ROUNDING).all()
    assert given.x.max() > 700  # near no-load


def test_the_wrists_left_motor_meets_its_table(chapters):
    given = line(chapters["wrist"], "Operating points in the last move", "left motor")
    motor = replace(chapters["wrist"].robot.actuators["left_motor"], command="effort")
    table = 1e3 * np.asarray(motor.effort_at(1.0, given.x))
    driving = (given.x[1:] > 0) & (given.x[:-1] > 0) & (given.y[1:] > 0)
    torque, most = given.y[1:][driving], np.maximum(table[1:], table[:-1])[driving]
    least = np.minimum(table[1:], table[:-1])[driving]
    assert (torque < most + 1e-6).all()
    assert (torque > least - 1e-6).sum() > 50  # steps on the edge


def test_modes_err_in_their_order(chapters):
    title = "Coupling error by mode"
    late = {n: line(chapters["gripper"], title, n).y[300:].max() for n in gripper.MODES}  # after 150 ms
    assert late["exact"] <= 1e-19  # a zero, as it is drawn
    assert late["hard"] < 1e-15
    assert late["hard"] < late["compliant, 1000 rad/s"] < 1e-4 < late["compliant, 100 rad/s"] < 1e-2


def test_the_four_bar_follows_the_closed_form(chapters):
    """Closed to rounding in every step; an angle of up to 50 rad has an ulp of 7e-15."""
    assert line(chapters["four_bar"], "The loop stays closed", "the largest of 120 steps").y.max() < 1e-12


def test_the_rockers_encoder_is_within_half_a_count(chapters):
    difference = line(chapters["four_bar"], "Encoder against joint", "difference").y
    assert np.abs(difference).max() <= 0.5 + ROUNDING
    assert np.abs(difference).max() > 0.4


def caption(chapter, title):
    return next(f for f in chapter.figures if f.title == title).caption


def test_captions_give_the_size_of_a_count(chapters):
    """One turn, divided by the counts of the robot's file and by the gears behind the encoder."""
    title = "Encoder against joint"
    wrist_caption = caption(chapters["wrist"], title)
    assert f"{1e3 * 2 * np.pi / 16384:.3f} mrad" in wrist_caption
    assert f"{1e3 * 2 * np.pi / 2048 / 40:.3f} mrad" in wrist_caption
    assert f"{1e6 * 2e-3 / 4096:.2f} µm" in caption(chapters["gripper"], title)
    assert line(chapters["four_bar"], title, f"half a count: {1e3 * np.pi / 8192:.2f} mrad")


def test_every_figure_has_a_caption_and_every_fact_a_unit(chapters):
    for chapter in chapters.values():
        assert all(len(f.caption) > 40 for f in chapter.figures)
        assert all(any(c.isdigit() for c in fact.number) for fact in chapter.facts)
        assert len(chapter.moments) == 6


def test_work_is_accounted_for():
    """What is left over is the integrator's, and first order in the step: half the step, half of it (±15 %)."""
    rest = []
    for dt in (2e-4, 1e-4):
        sim = gw.compile(robots.path("four_bar"), dt=dt)
        start = sim.energy
        run = sim.run(0.4, command={"crank_motor": 0.01})
        v = run.velocity
        found = balance(run, start, cut={"pin_c": v["pin_d"] - v["pin_a"] - v["pin_b"]})
        rest.append(float(found.rest[-1] / found.work[-1]))
    assert 0 < rest[1] < 0.01
    assert rest[0] / rest[1] == pytest.approx(2.0, rel=0.15)


def test_a_stop_takes_what_the_fingers_had():
    """At the stop the kinetic energy goes, and nothing else: the rest grows by what is missing, to 1 %."""
    sim = gw.compile(robots.path("gripper"), dt=1e-4)
    start = sim.energy
    run = sim.run(0.25, command={"motor": 0.012})
    found = balance(run, start)
    hit = int(np.argmin(np.diff(run.velocity["right_finger"])))
    before, after = hit - 5, hit + 50
    assert found.stored[before] > 0.1 and abs(found.stored[after]) < ROUNDING
    assert found.rest[after] - found.rest[before] == pytest.approx(found.stored[before], rel=1e-9)
