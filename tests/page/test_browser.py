"""The page in a real browser: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import io
import time
from shutil import which

import numpy as np
import pytest

import gearwright as gw
from tests.sim.robots import GRIPPER

pytest.importorskip("viser")
playwright = pytest.importorskip("playwright.sync_api")
Image = pytest.importorskip("PIL.Image")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(which("chromium") is None, reason="chromium is not installed"),
]
FLAGS = ["--no-sandbox", "--use-gl=swiftshader", "--enable-webgl", "--ignore-gpu-blocklist"]


@pytest.fixture
def browser():
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=which("chromium"), args=FLAGS)
        yield browser
        browser.close()


def picture(tab) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(tab.screenshot(timeout=120_000))).convert("RGB"), float)


@pytest.mark.parametrize("width", [1280, 400])
def test_the_robot_is_visible_and_moves_in_two_browsers(browser, width: int) -> None:
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        tabs, complaints = [browser.new_page(viewport={"width": width, "height": 700}) for _ in range(2)], []
        for tab in tabs:
            tab.set_default_timeout(120_000)
            tab.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
            tab.on("pageerror", lambda e: complaints.append(str(e)))
            tab.goto(page.url)
        for tab in tabs:
            tab.get_by_text("right_finger").first.wait_for(timeout=120_000)
        time.sleep(6)
        before = [picture(tab) for tab in tabs]
        scene = before[0][:, : width // 4 if width < 500 else width * 2 // 3]
        assert scene.std() > 1.0  # something is drawn
        page.player.reset({"right_finger": 0.04})
        time.sleep(4)
        for tab, old in zip(tabs, before, strict=True):
            assert np.abs(picture(tab) - old).max() > 30
        assert complaints == []
