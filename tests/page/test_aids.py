"""What helps to watch a robot: a first motion, a camera that follows, arrows, several signals in a plot, filters."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.controls import LONGEST_TEXT, short_text
from gearwright.page.demonstration import STILL, Demonstration
from gearwright.page.joint_forces import JointForces
from gearwright.page.mass_centre import MassCentre
from gearwright.page.signal_plots import NOTHING, SignalPlots
from tests.page.browser_client import opened, until
from tests.sim.robots import GRIPPER

pytest.importorskip("viser")

FREE = """<sdf version="1.11"><model name="free"><link name="a"><inertial><mass>3</mass><pose>0 0 0.5 0 0 0</pose>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link><link name="b"><pose>1 0 0 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


@pytest.fixture(scope="module")
def page():
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        yield page


def part(page, kind):
    return next(p for p in page._panel._parts if isinstance(p, kind))


@pytest.mark.parametrize("name", ["gripper", "four_bar", "wrist", "reference_arm"])  # the last has no motors
def test_something_moves_on_the_first_play(name: str) -> None:
    with gw.view(name, port=0, block=False) as page:
        for _ in range(150):
            page.player.step(10)
        assert np.abs(page.sim.q - gw.compile(name).q).max() > 0.01
        assert page.player.error == ""


def test_a_person_ends_the_demonstration(page) -> None:
    player = page.player
    player.reset()
    player.demonstration.begin()
    for _ in range(60):
        player.step(10)
    assert player.demonstration.running
    player.command["motor"] = 0.0
    player.step(10)
    assert player.demonstration.over and page.sim.command["motor"] == 0.0
    assert player.demonstration.inputs() == ({}, {})
    player.command.clear()


def test_what_moves_by_itself_is_left_alone() -> None:
    sim = gw.compile(gw.loads(FREE))
    shown = Demonstration(sim)
    shown.begin()
    while sim.time < 0.5:
        assert shown.inputs() == ({}, {})
        sim.step()
    assert shown.over and np.abs(sim.v).max() > STILL


def test_a_simulation_of_a_program_is_left_alone() -> None:
    sim = gw.compile("gripper")
    with gw.view(sim, port=0, block=False) as page:
        page.player.step(1000)
        assert sim.command["motor"] == 0.0


class Server:
    """Cameras of two browsers, and balls."""

    def __init__(self) -> None:
        camera = SimpleNamespace(update_timestamp=1.0, position=np.array([2.0, 0.0, 0.0]))
        unknown = SimpleNamespace(update_timestamp=0.0, position=np.zeros(3))
        self.clients = {0: SimpleNamespace(camera=camera), 1: SimpleNamespace(camera=unknown)}
        self.scene = SimpleNamespace(add_icosphere=lambda *_, **__: SimpleNamespace())
        self.get_clients = lambda: self.clients


def test_the_camera_goes_with_the_centre_of_mass() -> None:
    robot, server = gw.loads(FREE), Server()
    sim = gw.compile(robot)
    centre = MassCentre(server, robot, size=1.0)
    np.testing.assert_allclose(centre.at(sim.pose), [0.25, 0.0, 0.375])
    centre.follows, start_of_camera = True, server.clients[0].camera.position
    centre.move(sim.pose)
    start = centre.at(sim.pose)
    sim.step(n=500)
    centre.move(sim.pose)
    fallen = centre.at(sim.pose) - start
    assert fallen[2] == pytest.approx(-9.81 * 0.125, rel=1e-2)
    np.testing.assert_allclose(server.clients[0].camera.position, start_of_camera + fallen)
    np.testing.assert_array_equal(server.clients[1].camera.position, 0.0)


@pytest.mark.parametrize(("base", "follows"), [("fixed", False), ("floating", True)])
def test_the_camera_follows_from_the_start_what_is_free(base: str, follows: bool) -> None:
    with gw.view(gw.loads(FREE, base=base), port=0, block=False) as page:
        assert page._panel._centre.follows is follows


def test_arrows_show_what_joints_carry() -> None:
    robot = gw.loads(FREE, base="fixed")
    sim = gw.compile(robot)
    sim.step()
    forces = JointForces(SimpleNamespace(scene=None), SimpleNamespace(robot=robot, sim=sim), size=2.0)
    ((start, end),) = forces._ends("force")
    np.testing.assert_allclose(start, sim.pose["b"][:3, 3])
    np.testing.assert_allclose(end - start, [0.0, 0.0, 0.6], atol=1e-9)  # upwards, against the weight


def test_nothing_has_no_arrow() -> None:
    """What falls freely carries rounding alone."""
    robot = gw.loads(FREE, base="floating")
    sim = gw.compile(robot)
    sim.step(n=10)
    forces = JointForces(SimpleNamespace(scene=None), SimpleNamespace(robot=robot, sim=sim), size=2.0)
    for kind in ("force", "torque"):
        assert len(forces._ends(kind)) == 0 and forces._longest[kind] == 0.0


def test_a_line_says_how_much_the_longest_arrow_is(page) -> None:
    page.player.reset()
    forces = part(page, JointForces)
    forces.show("force", True)
    largest = max(np.linalg.norm(page.sim.reaction[j].force) for j in ("right_finger", "left_finger"))
    assert forces._legend.visible and forces._legend.content == f"longest arrows: {largest:.3g} N"
    forces.show("torque", True)
    assert forces._legend.content.startswith(f"longest arrows: {largest:.3g} N, ")
    assert forces._legend.content.endswith(" N·m")
    for kind in ("force", "torque"):
        forces.show(kind, False)
    assert not forces._legend.visible


def test_what_a_person_switches_waits_for_a_refresh(page) -> None:
    """A refresh goes through the same arrows in another thread."""
    forces = part(page, JointForces)

    async def act() -> None:
        async with opened(page) as tab:
            with page.motion.lock:
                await tab.update("joint forces", value=True)
                assert not await until(lambda: "force" in forces._shown, patience=0.5)
            assert await until(lambda: "force" in forces._shown)

    asyncio.run(act())
    forces.show("force", False)


def test_a_plot_takes_signals_of_one_unit(page) -> None:
    page.player.step(50)
    plot = part(page, SignalPlots)._plots[0]
    first, second, third = plot._choices
    assert second.visible and not third.visible
    own = page.player.units[first.value]
    assert {page.player.units[n] for n in second.options if n != NOTHING} == {own}
    second.value = next(n for n in second.options if n not in (NOTHING, first.value))
    plot._changed()
    assert plot.names == [first.value, second.value] and len(plot._plot.data) == 3
    assert [line["label"] for line in plot._plot.series] == ["time", first.value, second.value]
    first.value = next(n for n, unit in page.player.units.items() if unit not in (own, ""))
    plot._changed()
    assert plot.names == [first.value]  # of another unit than the second


def test_sliders_are_filtered_by_name() -> None:
    with gw.view("hand", port=0, block=False) as page:
        joints = next(p for p in page._panel._parts if hasattr(p, "filter"))
        name = next(iter(joints._sliders))
        joints.filter(name.upper())
        assert [n for n, s in joints._sliders.items() if s.handle.visible] == [n for n in joints._sliders if name in n]
        joints.filter("")
        assert all(s.handle.visible for s in joints._sliders.values())


@pytest.mark.parametrize("wrong", [1, None, "x" * (LONGEST_TEXT + 1), ["a"]])
def test_a_browser_sends_short_texts_only(wrong: object) -> None:
    with pytest.raises(ValueError, match="no short text"):
        short_text(wrong)
