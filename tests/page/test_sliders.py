"""Sliders and their boxes: ranges that go along with what they show, numbers that fit, units."""

from __future__ import annotations

import asyncio
from math import inf, isfinite, pi

import pytest

import gearwright as gw
from gearwright.page.command_sliders import CommandSliders
from gearwright.page.controls import Controls
from gearwright.page.sliders import DIGITS, Slider

pytest.importorskip("viser")
from tests.page.browser_client import opened, until

WHEEL = """<robot name="wheel"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="rail" type="prismatic"><parent link="a"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="-0.02" upper="0.0400004" effort="1" velocity="1"/></joint>
<actuator name="motor" type="ideal"><joint>axle</joint><torque_limit>2</torque_limit></actuator>
<actuator name="pusher" type="ideal"><joint>rail</joint><torque_limit>2</torque_limit></actuator></robot>"""


@pytest.fixture(scope="module")
def page():
    with gw.view(gw.loads(WHEEL), port=0, block=False, gravity=(0, 0, 0)) as page:
        yield page


def sliders(page):
    return next(part for part in page._panel._parts if hasattr(part, "_sliders"))._sliders


@pytest.mark.parametrize("angle", [10.0, -10.0, 3.2, 0.0, 1000.0, pi])
def test_a_joint_that_turns_on_shows_its_angle(page, angle: float) -> None:
    page.player.reset({"axle": angle})
    handle = sliders(page)["axle"].handle
    assert handle.value == pytest.approx(angle, abs=handle.step)
    assert handle.min <= handle.value <= handle.max
    assert handle.max - handle.min == pytest.approx(2 * pi, abs=2 * handle.step)


def test_its_box_takes_any_angle(page) -> None:
    page.player.reset({"axle": 0.0})

    async def act() -> None:
        async with opened(page) as tab:
            await tab.update("axle", value=7.25)
            assert await until(lambda: page.sim.position["axle"] == 7.25)
            await tab.update("axle", value=-40.5)
            assert await until(lambda: page.sim.position["axle"] == -40.5)

    asyncio.run(act())
    assert sliders(page)["axle"].handle.value == pytest.approx(-40.5)


def test_a_joint_beyond_its_limits_is_shown_where_it_is(page) -> None:
    """And its range is that of its limits again, once it is back."""
    handle = sliders(page)["rail"].handle
    page.player.reset({"rail": 0.01})
    assert (handle.min, handle.max) == (-0.02, 0.04)
    with pytest.warns(gw.errors.BeyondLimitsWarning):
        page.sim.reset(position={"rail": 0.1})
    page._refresh()
    assert handle.value == pytest.approx(0.1) and handle.max >= 0.1
    page.player.reset({"rail": 0.03})
    assert (handle.min, handle.max, handle.value) == (-0.02, 0.04, pytest.approx(0.03))


def test_moving_one_leaves_the_others_where_they_are(page) -> None:
    """To the last digit, of which their sliders do not have as many."""
    page.player.reset({"axle": 1.23456789, "rail": 0.0123456})

    async def act() -> None:
        async with opened(page) as tab:
            await tab.update("rail", value=0.02)
            assert await until(lambda: page.sim.position["rail"] == 0.02)

    asyncio.run(act())
    assert page.sim.position["axle"] == 1.23456789


def test_units_stand_above_the_numbers(page) -> None:
    async def act() -> list[str]:
        async with opened(page) as tab:
            return [m["props"]["label"] for m in tab.messages if m.get("type") == "GuiFolderMessage"]

    labels = asyncio.run(act())
    assert labels[:4] == ["Joints [rad]", "Joints [m]", "Commands [N·m]", "Commands [N]"]


class Gui:
    """Takes what a slider is made of."""

    def add_slider(self, label, low, high, step, value, **options):
        handle = type("Handle", (), {})()
        handle.min, handle.max, handle.step, handle.value, handle._impl = low, high, step, value, type("I", (), {})()
        handle._impl.uuid = label
        handle.on_update = lambda act: None
        return handle


@pytest.fixture
def controls():
    made = Controls.__new__(Controls)
    made.gui, made._accepts = Gui(), {}
    return made


@pytest.mark.parametrize(
    "limits", [(-2.8973, 2.8973), (0.0, 0.04), (-1e-3, 1e-3), (-170.0, 170.0), (0.0, inf), (-inf, inf), (-inf, -3.0)]
)
@pytest.mark.parametrize("share", [0.0, 0.123456789, 0.5, 1.0, 30.0])
def test_numbers_fit_into_their_box(controls, limits, share) -> None:
    low, high = (x if isfinite(x) else 0.0 for x in limits)
    value = low + share * (high - low or 1.0)
    if not isfinite(limits[0]) and limits[1] < 0:
        value = limits[1] - share
    made = Slider(controls, "x", limits, pi, value, lambda _: None)
    made.show(value)
    handle = made.handle
    for number in (handle.value, handle.min, handle.max):
        assert len(f"{number:.{handle.precision}f}".replace("-", "").replace(".", "")) <= DIGITS
    assert handle.min <= handle.value <= handle.max
    assert abs(handle.value - value) <= handle.step
    assert (handle.max - handle.min) / handle.step >= 20


def test_a_command_of_the_program_moves_its_slider() -> None:
    with gw.view("gripper", port=0, block=False) as page:
        sliders = next(p for p in page._panel._parts if isinstance(p, CommandSliders))
        page.player.demonstration.over = True
        page.player.command["motor"] = 0.01
        page.player.step(1)
        page._panel.refresh()
        assert sliders._sliders["motor"].value == pytest.approx(0.01, abs=1e-4)
        page.player.command.clear()
        page.sim.step(command={"motor": -0.005})
        page._panel.refresh()
        assert sliders._sliders["motor"].value == pytest.approx(-0.005, abs=1e-4)
        assert page.player.command == {}  # a slider that the program moves commands nothing
