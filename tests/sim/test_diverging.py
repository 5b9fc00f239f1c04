"""Runs that diverge, and starts that cannot be: caught while the numbers mean something, and said why."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.sim.driven import body, rigid
from tests.sim.robots import DOUBLE_PENDULUM, LIMITED
from tests.tolerances import ROUNDING


def diverging(gain, inertia=0.01):
    """A controller with too much damping for its step: the speed changes sign and grows, step by step."""
    sim = compile(rigid(body("j", inertia)))
    sim.reset(velocity={"j": 1.0})
    return sim, lambda seen: {"j": -gain * seen.velocity["j"]}


def test_a_gain_that_is_too_large_is_caught_early():
    sim, controller = diverging(gain=100.0)  # v⁺ = (1 − 100·1e-3/0.01)·v = −9·v
    with pytest.raises(gw.SimulationError) as raised:
        sim.run(1.0, controller=controller)
    said = str(raised.value)
    assert "velocity of 'j' is 4.3" in said and "rad/s, beyond 1e+07" in said  # 9⁸ = 4.3e7
    assert "after step 8, at 0.008 s" in said and "the last good state is kept" in said
    assert "on 'j', with an inertia of 0.01 kg·m², gives 4.78e+07 rad/s in a step" in said
    assert "dt = 0.001 s" in said and "gain" in said
    assert sim.velocity["j"] == pytest.approx(-(9.0**7), rel=ROUNDING) and sim.time == 7 * sim.dt


def test_the_bound_is_where_it_is_said_to_be():
    sim = compile(rigid(body("j", 1.0)))
    for speed in (0.999e7, -0.999e7):
        sim.reset(velocity={"j": speed})
        sim.step(n=3)
    sim.reset(velocity={"j": 1.001e7})
    with pytest.raises(gw.SimulationError, match="beyond"):
        sim.step()


@pytest.mark.parametrize("precision", ["double", "single"])
def test_one_robot_of_a_batch(precision):
    sim = compile(rigid(body("j", 1.0), body("k", 1.0)), batch=11, precision=precision)
    effort = np.zeros(11)
    effort[7] = 4e9  # 4e6 rad/s more in each step
    with pytest.raises(gw.SimulationError, match=r"velocity of 'k' of robot 7 is 1\.2e\+07 rad/s.*after step 3"):
        sim.step(effort={"k": effort, "j": 1.0}, n=10)
    assert sim.velocity["k"][7] == pytest.approx(8e6, rel=3e-7)  # single precision
    assert sim.velocity["j"][7] == pytest.approx(2e-3, rel=2e-7)  # single precision
    assert np.delete(sim.velocity["j"], 7) == pytest.approx(np.full(10, 0.01), rel=3e-7)  # single precision
    assert sim.time == 10 * sim.dt


@pytest.mark.parametrize("batch", [1, 3])
def test_the_last_good_state_is_gone_on_from(batch):
    """With the mass matrix of its own pose: that of the pose that was given up is another."""
    robot = gw.loads(LIMITED)
    failed, put = compile(robot, batch=batch), compile(robot, batch=batch)
    failed.reset(position={"shoulder": 0.5, "elbow": 0.3})
    failed.step(n=10)
    with pytest.raises(gw.SimulationError, match="beyond"):
        failed.step(effort={"shoulder": 1e14})
    put.state = failed.state
    for sim in (failed, put):
        sim.step(effort={"shoulder": 0.0}, n=5)
    assert np.array_equal(failed.state, put.state)


def test_a_mass_ratio_is_said():
    heavy = body("slow", kind="prismatic", inertia=1e6)
    sim = compile(rigid(heavy, body("fast", kind="prismatic", inertia=1e-3)))
    with pytest.raises(
        gw.SimulationError, match=r"a mass ratio of 1e\+09: 'slow_link' has 1e\+06 kg, 'fast_link' 0\.001"
    ):
        sim.step(effort={"fast": 1e9}, n=100)


@pytest.mark.parametrize("integrator", ["midpoint", "euler"])
@pytest.mark.parametrize("effort", [1e9, 1e12, 1e100])
def test_an_absurd_effort_is_named(integrator, effort):
    """No step follows it; none may swallow it, either."""
    sim = compile(gw.loads(DOUBLE_PENDULUM), integrator=integrator)
    named = (
        rf"'(shoulder|elbow)' is .*an effort of 1e\+{np.log10(effort):02.0f} N·m on 'elbow', with an inertia of 0.08"
    )
    with pytest.raises(gw.SimulationError, match=named):
        sim.step(effort={"elbow": effort})
    assert sim.time == 0.0 and np.isfinite(sim.state).all()


LINKAGE = """<sdf version="1.9"><model name="m"><link name="l1"/><link name="l2"/>
<joint name="w" type="fixed"><parent>world</parent><child>l1</child></joint>
<joint name="j" type="continuous"><parent>l1</parent><child>l2</child><axis><xyz>0 0 1</xyz></axis></joint>
<actuator name="a" type="ideal"/><transmission name="t" type="four_bar_linkage"><actuator>a</actuator><joint>j</joint>
<ground>{ground}</ground><input>0.21</input><coupler>{coupler}</coupler><output>1</output></transmission>
<encoder name="e" type="position"><actuator>a</actuator></encoder></model></sdf>"""


@pytest.mark.parametrize("batch", [1, 3])
def test_a_linkage_that_cannot_reach_its_start(batch):
    """No file can say where a joint starts: it compiles, and steps from a start that is reset."""
    far = r"not finite: transmission 't' \(four_bar_linkage\) cannot reach 'j' at 0; .* reset"
    sim = compile(gw.loads(LINKAGE.format(ground=1, coupler=1)), batch=batch)
    for step in (sim.step, lambda: sim.step(n=5), lambda: sim.run(0.01)):
        with pytest.raises(gw.SimulationError, match=far):
            step()
    assert sim.time == pytest.approx(0.0 if batch == 1 else 16e-3, rel=ROUNDING)  # other robots of a batch go on
    with pytest.raises(gw.SimulationError, match=far):
        sim.reset()
    sim.reset(position={"j": 2.0})
    sim.step(n=5)
    assert np.isfinite(sim.state).all() and np.isfinite(sim.sensor["e"]).all()


def test_a_reset_that_cannot_be_leaves_everything_as_it_was():
    """The output turns by a part of a turn only: there is a pose that no input reaches."""
    sim = compile(gw.loads(LINKAGE.format(ground=1, coupler=1.9)))
    sim.reset(position={"j": 0.05})
    sim.step(n=3)
    before = (sim.state.tobytes(), sim.time, sim.position["j"])
    with pytest.raises(gw.SimulationError, match="cannot reach 'j' at 2"):
        sim.reset(position={"j": 2.0})
    assert (sim.state.tobytes(), sim.time, sim.position["j"]) == before
    sim.step()
