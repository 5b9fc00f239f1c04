"""Joints that start beyond their stops come back at rest, with everything that couplings and loops tie to them."""

import re

import numpy as np
import pytest

import gearwright as gw
from gearwright import robots

pytestmark = [
    pytest.mark.filterwarnings("ignore::gearwright.BeyondLimitsWarning"),
    pytest.mark.filterwarnings("ignore:.*mimic-limits-tighten:gearwright.LoadWarning"),
]

LEFT = 1e-9  # beyond its stop by so little, an axis is on it [rad, m]
STEPS = ("midpoint", "euler")


def link(name):
    return (
        f"<link name='{name}'><inertial><mass value='1'/><origin xyz='0 0 -0.5'/>"
        "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    )


def joint(name, parent, child, upper, mimic=""):
    return (
        f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 -1'/>"
        f"<axis xyz='0 1 0'/><limit lower='-0.5' upper='{upper}' effort='9' velocity='9'/>{mimic}</joint>"
    )


def chain():
    """Three joints, each of which follows the last; the third one's stop is met first."""
    follow = "<mimic joint='{}'/>"
    return gw.loads(
        "<robot name='chain'>" + "".join(map(link, ("base", "a", "b", "c")))
        + joint("i", "base", "a", 0.5)
        + joint("j", "a", "b", 0.9, follow.format("i"))
        + joint("k", "b", "c", 0.3, follow.format("j"))
        + "</robot>"
    )  # fmt: skip


def without_gravity(robot, **options):
    return gw.compile(robot, gravity=(0, 0, 0), **options)


@pytest.mark.parametrize("integrator", STEPS)
@pytest.mark.parametrize("mode", ["exact", "hard", "compliant"])
def test_a_follower_beyond_its_stop_brings_its_leaders_back(mode, integrator):
    """Before, 1.2 J came out of nothing: its coupling was opened, and closed by velocity."""
    sim = without_gravity(chain(), coupling=mode, integrator=integrator)
    sim.reset(position={"i": 0.45})
    recording = sim.run(0.6)
    assert np.max(recording.energy) < 1e-20  # found 0
    for name in "ijk":
        assert sim.position[name] == pytest.approx(0.3, abs=LEFT)


def curved():
    """`j = i + i²`."""
    inertial = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"
    axis = "<axis><xyz>0 1 0</xyz><limit><lower>-0.5</lower><upper>{}</upper></limit>{}</axis>"
    square = "<multiplier>1</multiplier><offset>0</offset><reference>0</reference><powers>1</powers>"
    follow = f"<mimic joint='i'>{square}</mimic>"
    return gw.loads(
        f"<sdf version='1.11'><model name='curved'><link name='a'>{inertial}</link><link name='b'>{inertial}</link>"
        f"<joint name='i' type='revolute'><parent>world</parent><child>a</child>{axis.format(0.5, '')}</joint>"
        f"<joint name='j' type='revolute'><parent>a</parent><child>b</child>{axis.format(0.3, follow)}</joint>"
        "</model></sdf>"
    )


@pytest.mark.parametrize("integrator", STEPS)
@pytest.mark.parametrize("mode", ["exact", "hard", "compliant"])
def test_a_follower_by_a_curve_too(mode, integrator):
    """Exact, it was only kept from going on. A straight move leaves the curve by its square, 5e-7 rad in a step."""
    sim = without_gravity(curved(), coupling=mode, integrator=integrator)
    sim.reset(position={"i": 0.4})
    recording = sim.run(0.6)
    assert np.max(recording.energy) < 5e-8  # found 9e-9
    assert -1e-3 < sim.position["j"] - 0.3 < 1e-8  # what closes the rest is a speed of 1e-4 rad/s


# --- closed loops ----------------------------------------------------------------------------------------------------


def four_bar(name, lower, upper):
    """The bundled four-bar with limits at one pin, without dampers."""
    text = re.sub("<damping>[^<]*</damping>", "<damping>0</damping>", robots.path("four_bar").read_text())
    limit = rf"\1<limit><lower>{lower}</lower><upper>{upper}</upper></limit>"
    return gw.loads(re.sub(rf'(<joint name="{name}".*?<axis>.*?<xyz>[^<]*</xyz>)', limit, text, flags=re.DOTALL))


def pins_at(crank):
    sim = without_gravity(four_bar("pin_a", -10, 10))
    sim.reset(position={"pin_a": crank})
    return {name: float(sim.position[name]) for name in ("pin_a", "pin_b", "pin_c", "pin_d")}


@pytest.mark.parametrize("integrator", STEPS)
@pytest.mark.parametrize("name", ["pin_a", "pin_b", "pin_c", "pin_d"])
def test_a_joint_of_a_loop_comes_back_on_the_shortest_way(name, integrator):
    """`pin_b` went the other way, through two radians; `pin_c`, which closes the loop, stayed where it was."""
    start = pins_at(1.0)[name]
    sim = without_gravity(four_bar(name, start - 2, start - 0.1), integrator=integrator)
    sim.reset(position={"pin_a": 1.0})
    positions, energy = [start], [0.0]
    for _ in range(30):
        sim.step(n=10)
        positions.append(float(sim.position[name]))
        energy.append(float(sim.energy))
    assert np.all(np.diff(positions) < LEFT)
    assert positions[-1] == pytest.approx(start - 0.1, abs=2 * LEFT)  # found 9e-10
    assert max(energy) < 1e-30  # found 1e-60
    assert sim.unsettled == 0


@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_a_loop_that_moves_while_it_comes_back_settles(speed):
    """Its inertia changes with the pose that it is brought to; that is no error of its steps (166 were unsettled)."""
    start = pins_at(1.0)["pin_c"]
    sim = without_gravity(four_bar("pin_c", start - 2, start - 0.1))
    sim.reset(position={"pin_a": 1.0}, velocity={"pin_a": speed})
    before = sim.energy
    sim.step(n=200)
    assert sim.unsettled == 0
    assert sim.energy < before


def test_a_joint_that_cannot_reach_its_range_rests_where_it_is_nearest():
    """The rocker's pin, at its dead centre: the crank is not thrown to and fro."""
    sim = without_gravity(four_bar("pin_d", -3.0, -2.5))
    sim.reset(position={"pin_a": 1.0})
    sim.step(n=2000)
    there = float(sim.position["pin_a"])
    positions = []
    for _ in range(20):
        sim.step()
        positions.append(float(sim.position["pin_a"]))
    assert np.abs(np.array(positions) - there).max() < 1e-12  # found 1e-16
    assert sim.energy < 1e-30


@pytest.mark.parametrize("make", [chain, curved, lambda: four_bar("pin_b", -3, -0.977)], ids=["chain", "curve", "loop"])
def test_robots_of_a_batch_come_back_as_each_alone(make):
    """Some of them are within their ranges, and leave out the way back when they are alone."""
    robot = make()
    leader, starts = ("pin_a", [1.0, 1.7, 1.0]) if "pin_a" in robot.joints else ("i", [0.45, 0.1, 0.2])
    mode = {} if leader == "pin_a" else {"coupling": "hard"}
    batch = without_gravity(robot, batch=3, **mode)
    batch.reset(position={leader: np.array(starts)}, velocity={leader: np.array([0.0, 0.0, 0.3])})
    batch.step(n=200)
    for k, start in enumerate(starts):
        alone = without_gravity(robot, **mode)
        alone.reset(position={leader: start}, velocity={leader: [0.0, 0.0, 0.3][k]})
        alone.step(n=200)
        assert np.array_equal(alone.state, batch.state[k])


# --- reports ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["exact", "hard", "compliant"])
def test_a_follower_that_starts_beyond_its_limit_is_reported(mode):
    sim = gw.compile(chain(), coupling=mode)
    with pytest.warns(gw.BeyondLimitsWarning, match=r"range: 'k' at 0.45 rad, upper limit 0.3 rad$"):
        sim.reset(position={"i": 0.45})
    sim = gw.compile(curved(), coupling=mode)
    with pytest.warns(gw.BeyondLimitsWarning, match=r"range: 'j' at 0.56 rad, upper limit 0.3 rad$"):
        sim.reset(position={"i": 0.4})


def test_an_exact_follower_is_reported_by_the_ratio_that_is_set():
    sim = gw.compile(chain(), parameters=("k.multiplier",), batch=2)
    sim.set_parameters({"k.multiplier": [0.5, 2.0]})
    with pytest.warns(gw.BeyondLimitsWarning, match=r"range: 'k' at 0.5 rad, upper limit 0.3 rad in robot 1$"):
        sim.reset(position={"i": 0.25})


def test_a_joint_that_closes_a_loop_is_reported():
    start = pins_at(1.7)["pin_c"]
    sim = gw.compile(four_bar("pin_c", start - 2, 0.7), batch=2)
    with pytest.warns(gw.BeyondLimitsWarning, match=f"'pin_c' at {start:.6g} rad, upper limit 0.7 rad in robot 1$"):
        sim.reset(position={"pin_a": np.array([1.0, 1.7])})
