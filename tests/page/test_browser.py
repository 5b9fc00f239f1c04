"""The page in a real browser: Debian's chromium, driven by Playwright with a real pointer."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from pathlib import Path
from shutil import which

import numpy as np
import pytest

import gearwright as gw
from tests.sim.robots import FOLDER, GRIPPER

pytest.importorskip("viser")
playwright = pytest.importorskip("playwright.sync_api")
Image = pytest.importorskip("PIL.Image")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(which("chromium") is None, reason="chromium is not installed"),
]
FLAGS = ["--no-sandbox", "--use-gl=swiftshader", "--enable-webgl", "--ignore-gpu-blocklist"]
PATIENCE = 120.0  # [s]: software rendering on a machine that does other things, too
KEPT = os.environ.get("GEARWRIGHT_SCREENSHOTS")  # a folder for pictures to look at
HARMLESS = "Unable to preventDefault inside passive event listener invocation."  # of viser's own, at every drag
BLUE = (0, 115, 178)  # of the gripper's right finger


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=which("chromium"), args=FLAGS)
        yield browser
        browser.close()


class Tab:
    """A browser's tab on a page; what its console complains of is kept."""

    def __init__(self, browser, page: gw.page.Page, width: int = 1280, height: int = 760) -> None:
        self.page, self.complaints = page, []
        self.tab = browser.new_page(viewport={"width": width, "height": height})
        self.tab.set_default_timeout(1e3 * PATIENCE)
        self.tab.on("console", lambda m: self.complaints.append(m.text) if self._counts(m) else None)
        self.tab.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.tab.goto(page.url)
        self.tab.get_by_role("button", name="Play").wait_for()
        for notice in self.tab.locator(".mantine-Notification-closeButton").all():  # software rendering
            notice.click()

    @staticmethod
    def _counts(message) -> bool:
        return message.type == "error" and message.text != HARMLESS

    def picture(self, name: str = "") -> np.ndarray:
        data = self.tab.screenshot(timeout=1e3 * PATIENCE)
        if KEPT and name:
            Path(KEPT, f"{name}.png").write_bytes(data)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float)

    def scene(self, name: str = "") -> np.ndarray:
        """Without the controls."""
        whole = self.picture(name)
        wide = whole.shape[1] > 500
        return whole[:, : whole.shape[1] * 7 // 10] if wide else whole[: whole.shape[0] * 2 // 5]

    def thumb(self, label: str) -> tuple[float, float]:
        """The middle of a slider's thumb."""
        row = self.tab.get_by_text(label, exact=True).first
        box = row.locator("xpath=ancestor::*[.//*[contains(@class,'mantine-Slider-thumb')]][1]")
        found = box.locator(".mantine-Slider-thumb").first.bounding_box()
        return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2

    def drag(self, start: tuple[float, float], by: tuple[float, float], until: Callable[[], bool]) -> bool:
        mouse = self.tab.mouse
        mouse.move(*start)
        self.tab.wait_for_timeout(300)
        mouse.down()
        mouse.move(start[0] + by[0], start[1] + by[1], steps=12)
        held = wait(until, self.tab)
        mouse.up()
        return held


def wait(until: Callable[[], bool], tab, patience: float = 30.0) -> bool:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if until():
            return True
        tab.wait_for_timeout(50)
    return until()


def seen(picture: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """Pixels of a hue, in whatever light, (n, 2) as x, y."""
    hue = np.array(colour) / np.linalg.norm(colour)
    size = np.linalg.norm(picture, axis=2)
    close = (picture @ hue > 0.985 * size) & (size > 60)
    y, x = np.nonzero(close)
    return np.stack([x, y], axis=1)


@pytest.fixture
def gripper():
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        yield page


def settled(tab: Tab, patience: float = 40.0) -> np.ndarray:
    """The finger in the picture, once it is drawn."""
    found = np.zeros((0, 2))

    def drawn() -> bool:
        nonlocal found
        found = seen(tab.scene(), BLUE)
        return len(found) > 200

    assert wait(drawn, tab.tab, patience), "the robot is not visible"
    return found


@pytest.mark.parametrize("width", [1280, 400])
def test_the_robot_is_visible_and_a_leader_moves_its_follower(browser, gripper, width: int) -> None:
    tabs = [Tab(browser, gripper, width, 800) for _ in range(2)]
    fingers = [settled(tab) for tab in tabs]
    first = tabs[0]
    first.scene(f"gripper-{width}")
    moved = first.drag(first.thumb("right_finger"), (60, 0), lambda: gripper.sim.position["right_finger"] > 0.005)
    assert moved, "the slider moves nothing"
    wait(lambda: False, first.tab, 3.0)
    assert gripper.sim.position["left_finger"] == pytest.approx(gripper.sim.position["right_finger"], abs=1e-12)
    for tab, before in zip(tabs, fingers, strict=True):  # both browsers see it
        assert np.linalg.norm(settled(tab).mean(axis=0) - before.mean(axis=0)) > 5.0
        assert tab.complaints == []
        tab.tab.close()


def test_boxes_have_room_for_their_numbers(browser) -> None:
    """A sign, a point and five digits, in the widest of common fonts."""
    with gw.view(gw.load("four_bar"), port=0, block=False) as page:
        tab = Tab(browser, page)
        page.player.reset({"pin_a": -114.57})
        box = tab.tab.get_by_text("pin_a", exact=True).locator("xpath=ancestor::*[.//input][1]").locator("input").last
        assert wait(lambda: box.input_value() == "-114.57", tab.tab)
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


COVERED = """[...document.querySelectorAll('.mantine-Slider-root')].flatMap(slider => {
    const thumb = slider.querySelector('.mantine-Slider-thumb').getBoundingClientRect();
    return [...slider.querySelectorAll('.mantine-Slider-markLabel')].filter(label => {
        const r = label.getBoundingClientRect();
        return r.top < thumb.bottom - 2 && r.left < thumb.right && r.right > thumb.left}).map(e => e.textContent)})"""
CUT = """[...document.querySelectorAll('li')].filter(e => {
    const text = document.createRange(); text.selectNodeContents(e);
    return text.getBoundingClientRect().right > window.innerWidth}).length"""


def test_neither_numbers_nor_diagnostics_are_covered_or_cut(browser, tmp_path) -> None:
    """At an end of its range a slider's thumb stands above that end's number; diagnostics begin with a long path."""
    file = tmp_path / ("a_folder_with_a_name_that_is_longer_than_the_panel_" * 2) / "arm.urdf"
    file.parent.mkdir()
    file.write_text((FOLDER / "desk_arm.urdf").read_text().replace("<robot ", "<robot colour='red' ", 1))
    with pytest.warns(gw.LoadWarning, match="colour"):
        robot = gw.load(file)
    with gw.view(robot, port=0, block=False) as page:
        tab = Tab(browser, page)
        page.player.reset({"shoulder_pan": robot.joints["shoulder_pan"].axes[0].limits.lower})
        wait(lambda: False, tab.tab, 2.0)
        tab.picture("ends")
        assert tab.tab.evaluate(COVERED) == []
        tab.tab.get_by_role("tab", name="Show").click()
        wait(lambda: False, tab.tab, 1.0)
        tab.picture("diagnostics")
        assert tab.tab.locator("li").count() >= 1
        assert tab.tab.evaluate(CUT) == 0
        tab.tab.close()


def test_play_moves_it_and_a_plot_draws(browser, gripper) -> None:
    tab = Tab(browser, gripper)
    gripper.player.command["motor"] = 0.012
    tab.tab.get_by_role("button", name="Play").click()
    assert wait(lambda: gripper.sim.position["right_finger"] > 0.01, tab.tab)
    tab.tab.get_by_role("tab", name="Plot").click()
    assert wait(lambda: len(tab.tab.locator("canvas").all()) > 1, tab.tab)
    tab.tab.get_by_role("button", name="Pause").click()
    assert wait(lambda: not gripper.player.playing, tab.tab)
    wait(lambda: False, tab.tab, 2.0)
    drawn = tab.picture("plot")
    plot = tab.tab.locator(".uplot").first.bounding_box()
    x, y, w, h = (int(plot[k]) for k in ("x", "y", "width", "height"))
    inside = drawn[y : y + h, x : x + w].reshape(1, -1, 3)
    assert len(seen(inside, (47, 127, 193))) > 50  # the line
    end = "Object.values(window.__viserTestpoints.uplots)[0].chart.scales.x.max"
    assert tab.tab.evaluate(end) == pytest.approx(gripper.player.time, rel=0.05)  # up to now
    ticks = tab.tab.evaluate("Object.values(window.__viserTestpoints.uplots)[0].chart.axes[1]._values")
    assert len(set(ticks)) == len(ticks) >= 2, ticks  # each is another number
    tab.tab.get_by_role("tab", name="Motors").click()
    wait(lambda: False, tab.tab, 1.0)
    tab.picture("motors")
    assert tab.tab.locator("svg polyline").count() >= 3  # a curve each way, and the trace
    assert tab.tab.locator("svg text").count() == 6  # two numbers per axis, and units
    assert tab.complaints == []


def test_a_link_is_pulled_by_the_mouse(browser) -> None:
    """The finger, taken where it is seen, and drawn to the side that opens it."""
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        tab = Tab(browser, page)
        finger = settled(tab)
        page.player.playing = True
        assert wait(lambda: page.player.time > 0.05, tab.tab)
        wait(lambda: False, tab.tab, 2.0)  # the browser hears that shapes can be dragged
        start = tuple(np.median(finger, axis=0))
        other = seen(tab.scene(), (222, 143, 5)).mean(axis=0)  # the left finger: away from it
        side = np.sign(start[0] - other[0])
        pulled = tab.drag(start, (side * 250, 0), lambda: page.sim.position["right_finger"] > 0.004)
        tab.picture("pulled")
        assert pulled, f"stretch {page.player.stretch()}"
        assert wait(lambda: page.player.stretch() is None, tab.tab), "the link is not let go"
        assert tab.complaints == []


def test_a_recording_plays(browser) -> None:
    robot = gw.load(FOLDER / "desk_arm.urdf")
    recording = gw.compile(robot).run(1.0, effort={"shoulder_pan": 1.0})
    with gw.view(recording, port=0, block=False) as page:
        tab = Tab(browser, page)
        wait(lambda: False, tab.tab, 4.0)
        before = tab.scene("recording")
        tab.tab.get_by_role("button", name="Play").click()
        assert wait(lambda: page.motion.time == recording.time[-1], tab.tab)
        wait(lambda: False, tab.tab, 3.0)
        assert (np.abs(tab.scene() - before).max(axis=2) > 30).sum() > 500
        assert tab.drag(tab.thumb("time [s]"), (-60, 0), lambda: page.motion.time < 0.9)
        assert tab.complaints == []
