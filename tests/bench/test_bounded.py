"""Arm and hand with stops and friction: what they do while they are timed, and that MuJoCo computes the same."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import gearwright as gw
from benchmarks.bench import bounded
from benchmarks.bench.agreement import DisagreementError, agreement_of
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.robots import bounded_robots
from benchmarks.bench.rows import case_table
from benchmarks.bench.situations import SITUATIONS, Ranges, moving, resting
from benchmarks.peers import peers
from gearwright import robots
from gearwright.model import MODES
from tests.tolerances import ROUNDING

# robots are timed from anywhere
pytestmark = pytest.mark.filterwarnings("ignore:joints start beyond their limits:gearwright.BeyondLimitsWarning")
TINY = Effort(slices=1, seconds=1e-4, states=2)
ROBOTS = {robot.name: robot for robot in bounded_robots()}
STEPS = 100


@pytest.fixture(scope="module")
def engines():
    """Gearwright by robot, mode and step, each made once."""
    return cache(lambda name, mode="exact", dt=1e-3: Gearwright(ROBOTS[name], dt, mode))


@pytest.mark.parametrize("name", ROBOTS)
def test_moving_robots_slide_within_their_range(name, engines):
    ours, rng = engines(name), np.random.default_rng(0)
    ranges, begin = Ranges.of(ours), moving(ours, 50, rng)
    sim = ours.begun(begin)
    direction = np.sign(begin.velocity)
    for _ in range(10):
        sim.step(n=STEPS // 10)
        q, v = (np.stack([view[k] for k in ours.names], axis=1) for view in (sim.position, sim.velocity))
        assert ((ranges.lower < q) & (q < ranges.upper)).all()
        assert (np.sign(v) == direction).mean() > 0.99  # next to no joint turns around, which would stick for a moment


@pytest.mark.parametrize("name", ROBOTS)
def test_resting_robots_lean_on_stops_and_stick(name, engines):
    """For 0.3 s, to rounding: friction and stops hold to the bit."""
    ours, rng = engines(name), np.random.default_rng(0)
    ranges, begin = Ranges.of(ours), resting(ours, 50, rng)
    sim = ours.begun(begin)
    sim.step(n=300)
    q, v = (np.stack([view[k] for k in ours.names], axis=1) for view in (sim.position, sim.velocity))
    assert (np.abs(q - begin.position) < ROUNDING * ranges.width).all()
    assert (np.abs(v) < ROUNDING * ranges.width).all()
    leaning = np.minimum(np.abs(q - ranges.lower), np.abs(q - ranges.upper)) < 1e-4 * ranges.width
    independent = leaning[:, list(ours.independent.values())]
    assert independent[:, ::2].all()
    assert not independent[:, 1::2].any()


def test_robots_begin_in_different_ways(engines):
    for situation in SITUATIONS:
        begin = situation.begin(engines("arm"), 5, np.random.default_rng(0))
        assert len({tuple(q) for q in begin.position}) == 5
        assert begin.some(3).position.tolist() == begin.position[3:4].tolist()
        assert begin.ordered(begin.names[::-1]).effort.tolist() == begin.effort[:, ::-1].tolist()


# --- against MuJoCo -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mujoco():
    pytest.importorskip("mujoco")
    from benchmarks.peers import mujoco_bounded

    return mujoco_bounded


def apart(ours, theirs, begin, steps):
    """The largest difference as a share of the largest motion, over the robots."""
    order = [theirs.names.index(k) for k in ours.names]
    worst = 0.0
    for robot in range(begin.robots):
        end = ours.after(begin.some(robot), steps)
        difference = np.abs(theirs.after(begin.some(robot), steps)[order] - end).max()
        worst = max(worst, difference / np.abs(end - begin.position[robot]).max())
    return worst


def test_the_discrete_integrator_takes_part(mujoco):
    """MuJoCo has it since 3.13."""
    if not hasattr(mujoco.mj.mjtIntegrator, "mjINT_DISCRETE"):
        pytest.skip("MuJoCo before 3.13 has no such integrator")
    assert len(mujoco.SETTINGS) == 8
    (setting,) = (s for s in mujoco.SETTINGS if "discrete" in s.title)
    theirs = mujoco.BoundedMuJoCo(ROBOTS["arm"], 1e-3, "exact", setting)
    assert theirs.model.opt.integrator == mujoco.mj.mjtIntegrator.mjINT_DISCRETE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ROBOTS)
def test_motions_meet_as_the_step_shrinks(name, mode, engines, mujoco):
    """Both schemes are of first order, with other constants: half the step, half the difference or less.

    1.6 instead of 2 leaves room for the next order: a compliant fingertip has μ·dt = 0.1 at the longest step.
    """
    differences = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        ours = engines(name, mode, dt)
        begin = moving(ours, 2, np.random.default_rng(4))
        differences.append(apart(ours, mujoco.BoundedMuJoCo(ROBOTS[name], dt, mode), begin, round(0.1 / dt)))
    assert all(longer > 1.6 * shorter for longer, shorter in pairwise(differences))
    assert differences[0] < (1e-2 if mode == "compliant" else 5e-4)


@pytest.mark.parametrize("name", ROBOTS)
def test_both_rest_on_the_same_stops(name, engines, mujoco):
    """MuJoCo's friction creeps: 1e-3 of the acceleration it resists passes, over a time constant of two steps."""
    ours = engines(name)
    theirs = mujoco.BoundedMuJoCo(ROBOTS[name], 1e-3, "exact")
    begin = resting(ours, 4, np.random.default_rng(4))
    order = [theirs.names.index(k) for k in ours.names]
    for robot in range(begin.robots):
        difference = np.abs(theirs.after(begin.some(robot), STEPS)[order] - ours.after(begin.some(robot), STEPS))
        assert (difference < 1e-3 * Ranges.of(ours).width).all()


@pytest.mark.parametrize("setting", range(8))
def test_every_setting_of_mujoco_computes_the_same(setting, engines, mujoco):
    if setting >= len(mujoco.SETTINGS):
        pytest.skip("MuJoCo before 3.13 has one integrator less")
    ours = engines("arm")
    theirs = mujoco.BoundedMuJoCo(ROBOTS["arm"], 1e-3, "exact", mujoco.SETTINGS[setting])
    assert apart(ours, theirs, moving(ours, 2, np.random.default_rng(4)), STEPS) < 4e-7  # the two schemes' own


@pytest.mark.parametrize(
    ("situation", "before", "after"),
    [
        (SITUATIONS[0], 'friction="0.012"', 'friction="0.013"'),  # slides with another friction
        (SITUATIONS[0], 'damping="0.003"', 'damping="0.004"'),
        (SITUATIONS[0], 'multiplier="0.7"', 'multiplier="0.65"'),
        (SITUATIONS[1], 'upper="1.6"', 'upper="1.5"'),  # leans on another stop
        (SITUATIONS[1], 'friction="0.016"', 'friction="0.001"'),  # does not stick
    ],
)
def test_other_rows_are_caught(situation, before, after, engines, mujoco):
    hand, ours = ROBOTS["hand"], engines("hand")
    assert before in hand.urdf
    wrong = mujoco.BoundedMuJoCo(replace(hand, urdf=hand.urdf.replace(before, after)), 1e-3, "exact")
    begin = situation.begin(ours, 1, np.random.default_rng(4))
    expected = ours.after(begin, STEPS)
    scale = bounded._scale(ours, situation, begin, expected)
    with pytest.raises(DisagreementError, match="motion"):
        agreement_of(ours, wrong, expected, wrong.after(begin, STEPS), scale)


def test_a_roll_out_is_the_same_motion(engines, mujoco):
    """Batches start settled and warm with efforts held: `rollout` is timed on what `mj_step` is timed on."""
    ours = engines("arm")
    begin = moving(ours, 3, np.random.default_rng(4))
    theirs = mujoco.BoundedMuJoCo(ROBOTS["arm"], 1e-3, "exact")
    runner = theirs.together(begin, 20)
    runner.run(50)
    for robot, states in enumerate(runner.run.state):
        assert states[-1, 1:10] == pytest.approx(theirs.after(begin.some(robot), 70), abs=1e-12)  # time comes first


# --- the cases ------------------------------------------------------------------------------------------------------


def test_cases_of_one_robot(mujoco):
    found = list(bounded.cases(["arm"], TINY, 1e-3, peers(), print))
    assert [(c.mode, c.situation) for c in found] == [(m, s.title) for m in MODES for s in SITUATIONS]
    for case in found:
        ours, theirs = case.entries
        assert (ours.engine, theirs.engine) == ("gearwright", "mujoco")
        assert theirs.agreement is not None
        assert theirs.note in {s.title for s in mujoco.SETTINGS}
        assert theirs.ratio_one == theirs.one.cpu_median_ns / ours.one.cpu_median_ns
        assert theirs.ratio_batch == theirs.batch.cpu_median_ns / ours.batch.cpu_median_ns


def test_a_case_without_mujoco():
    robot = ROBOTS["arm"]
    found = bounded.case(robot, Gearwright(robot, 1e-3), SITUATIONS[0], TINY, {})
    assert [e.engine for e in found.entries] == ["gearwright"]


def test_a_setting_that_disagrees_is_not_timed(monkeypatch, mujoco):
    robot = ROBOTS["arm"]
    monkeypatch.setattr(mujoco.BoundedMuJoCo, "after", lambda self, begin, steps: np.full(9, np.nan))
    settings = peers().bounded(robot, 1e-3, "exact")
    found = bounded.case(robot, Gearwright(robot, 1e-3), SITUATIONS[0], TINY, settings)
    assert found.entries[1].note.startswith("not timed: MuJoCo: the motion differs by nan")
    assert found.entries[1].ratio_one is None
    assert case_table("", [found]).rows[0][-2].startswith("not timed")


# --- the files ------------------------------------------------------------------------------------------------------


def test_the_hand_is_what_its_comment_says():
    hand = gw.load(robots.path("hand"))
    assert (len(hand.joints), len(hand.couplings), hand.dof, len(hand.actuators)) == (22, 6, 16, 16)
    assert hand.diagnostics == ()
    knuckle = hand.axis("index_bend")
    sim = Gearwright(ROBOTS["hand"], 1e-3).sim
    own = sim.mass_matrix()[sim.coordinates.index("index_bend")][sim.coordinates.index("index_bend")]
    rotor = hand.reflected_inertia()[knuckle]
    assert rotor / (rotor + own) == pytest.approx(0.75, abs=0.02)  # the comment has two digits


def test_the_driven_arm_is_the_reference_arm():
    driven, arm = (gw.load(robots.path(name)) for name in ("reference_arm_driven", "reference_arm"))
    assert driven.diagnostics == ()
    assert (driven.dof, len(driven.actuators)) == (8, 8)
    assert {k: link.inertia for k, link in driven.links.items()} == {k: link.inertia for k, link in arm.links.items()}
    for name, joint in arm.joints.items():
        assert driven.joints[name].axes[0].xyz == joint.axes[0].xyz
        assert driven.joints[name].axes[0].limits.bounded
