"""A step in parts, on numbers: halved until each part settles, made as one again after a while, and never lost."""

import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.algebra.scalar import maximum, where
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.substeps import Substeps
from gearwright.dynamics.steps.tuning import TUNING
from tests.dynamics.stepping import run

DT = 0.01
SIZES = {
    "dt": 1, "substepping": 3, "impulse": 1, "position": 1, "velocity": 1, "target": 1, "unsettled": 1, "wanted": 1,
    "mean_velocity": 1, "missed": 2, "smooth": 1, "fresh": 1, "loop_speed": 1, "most_seen": 1,
}  # fmt: skip


@pytest.fixture(scope="module", params=[False, True], ids=["tree", "loop"])
def stages(request):
    """A position that goes on by dt, and an impulse of 1 N·s a second; it settles in so many parts beside the first.

    `most_seen` is the largest impulse that a try has begun with, 777 that of one which is given up.
    """
    return made(loop=request.param)


@pytest.fixture
def is_loop(request):
    return "loop" in request.node.callspec.id


@pytest.fixture(scope="module")
def loop_stages():
    return made(loop=True)


def made(*, loop):
    build = StepBuilder({slot: SX.sym(slot, n) for slot, n in SIZES.items()})
    substeps = Substeps(build, build["loop_speed"][0] * build["loop_speed"][0] if loop else None, measured=loop)
    with build.loop(TUNING.tries, until="step_done"):
        substeps.begin([], build["position"])
        build["most_seen"] = [maximum(build["most_seen"][0], build["impulse"][0])]
        follows = build["substepping"][0] >= build["wanted"][0]
        build["accepted"], build["iteration"] = [follows], [1.0]
        build.stage("iterate")
        substeps.keep()
        build["position"] = [build["position"][0] + build["length"][0]]
        build["velocity"] = [build["velocity"][0] + 1.0]
        build["impulse"] = [where(follows, build["length"][0], 777.0)]
        substeps.decide(follows, build["wanted"][0] >= 0.0)
        with build.unless("step_done"):
            substeps.go_back()
            substeps.go_on()
    return build.body


def stepped(stages, wanted, parts=(0.0, 0.0, 0.0), steps=1, loop_speed=0.0, impulse=0.0):
    slots = {name: np.zeros(n) for name, n in SIZES.items()}
    slots |= {"loop_speed": np.array([loop_speed]), "impulse": np.array([impulse])}
    slots |= {"dt": np.array([DT]), "substepping": np.array(parts), "wanted": np.array([float(wanted)])}
    for _ in range(steps):
        run(stages, slots)
    return slots


@pytest.mark.parametrize("wanted", [0, 1, 3, 15, 31])
def test_halved_until_it_settles(stages, wanted):
    """All of the way is made, by as many parts as it takes; those that are given up leave nothing."""
    slots = stepped(stages, wanted)
    assert slots["position"] == pytest.approx([DT], rel=1e-14)
    assert slots["velocity"] == [wanted + 1.0]
    assert slots["impulse"] == pytest.approx([DT], rel=1e-14)
    assert slots["substepping"][0] == wanted
    assert slots["unsettled"] == [0.0]


@pytest.mark.parametrize("wanted", [1, 31])
def test_the_next_try_begins_with_the_impulses_of_the_last_step(stages, wanted):
    """Not with those of the part that was given up; the parts of this step act with DT a step, which is less."""
    slots = stepped(stages, wanted, impulse=5.0)
    assert slots["most_seen"] == [5.0]
    assert slots["impulse"] == pytest.approx([DT], rel=1e-14)


def test_a_substep_that_is_sure_to_be_accepted_keeps_nothing(stages, is_loop):
    """The ordinary step pays nothing for the others: what they go back to is not stored, unless energy is measured."""
    ordinary, halved = stepped(stages, 0), stepped(stages, 1)
    assert ("position_before" in ordinary) == is_loop
    assert "position_before" in halved


def test_thirty_two_parts_are_the_most(stages):
    """What does not settle even then is taken, and counted once: five halvings and 32 parts are all tries there are."""
    slots = stepped(stages, 1e9)
    assert slots["position"] == pytest.approx([DT], rel=1e-14)
    assert slots["substepping"][0] == 31.0
    assert slots["unsettled"] == [1.0]


@pytest.mark.parametrize(("beside", "tree", "loop"), [(1, 500, 500), (3, 125, 250), (7, 32, 250), (31, 2, 250)])
def test_many_parts_are_left_soon_and_few_late(stages, is_loop, beside, tree, loop):
    """A step in two parts is whole after 500 calm steps; where energy is measured, more parts stay for half of that."""
    due = loop if is_loop else tree
    early, late = (stepped(stages, 0, parts=(beside, 0.0, 1.0), steps=n)["substepping"][0] for n in (due, due + 1))
    assert (early, late) == (beside, (beside - 1) / 2)


def test_one_hard_step_costs_little(stages, is_loop):
    """Substeps until steps are whole again: 31,000 where each number of parts stays for 500 steps."""
    slots = stepped(stages, 31)
    made = 32
    while slots["substepping"][0] and made < 40_000:
        slots["wanted"][:] = 0.0
        run(stages, slots)
        made += slots["substepping"][0] + 1
    assert made < (17_000 if is_loop else 2_100)


def test_longer_parts_that_were_tried_too_early_are_tried_later(stages, is_loop):
    """Four times as late, or after 500 steps, where 32 parts are needed in each step: one part is made in vain."""
    slots = stepped(stages, 31)
    calm, trials = [], []
    for n in range(1200):
        run(stages, slots)
        calm.append(slots["substepping"][1])
        if n and calm[-1] < calm[-2]:
            trials.append(n)
    lasting = np.diff([0, *trials])
    first, later = (250, 500) if is_loop else (2, 8)
    assert lasting[0] == first - 1
    assert (lasting[1:] == later + 1).all()


@pytest.mark.parametrize(
    ("speed", "beside"),
    [(19.0, 0), (21.0, 1), (-41.0, 3), (81.0, 7), (161.0, 15), (321.0, 31), (1e4, 31)],
)
def test_loops_begin_with_the_parts_of_their_speed(loop_stages, speed, beside):
    """None is tried and given up: the velocity has grown once a part."""
    slots = stepped(loop_stages, 0, loop_speed=speed)
    assert slots["substepping"][0] == beside
    assert slots["velocity"] == [beside + 1.0]
    assert slots["position"] == pytest.approx([DT], rel=1e-14)


def test_parts_of_a_loop_stay_while_half_of_them_would_not_do(loop_stages):
    calm = (7.0, 249.0, 1.0)  # after 250 steps, or one second if that is more; DT is 10 ms
    assert stepped(loop_stages, 0, calm, steps=10, loop_speed=81.0)["substepping"][:2] == pytest.approx([7.0, 1.0])
    assert stepped(loop_stages, 0, calm, steps=10, loop_speed=79.0)["substepping"][0] == 3.0
