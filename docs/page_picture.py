"""Makes docs/figures/page.png: the page in chromium, by Playwright. `python docs/page_picture.py`."""

from __future__ import annotations

import time
from pathlib import Path
from shutil import which

from playwright.sync_api import sync_playwright

import gearwright.robots
from gearwright.page import view

FLAGS = ["--no-sandbox", "--use-gl=swiftshader", "--enable-webgl", "--ignore-gpu-blocklist"]
POSE = {"shoulder_lift": -0.6, "elbow_flex": 0.9, "wrist_flex": 0.5, "gripper": 0.8}


def main() -> None:
    robot = Path(gearwright.robots.__file__).parent / "desk_arm.urdf"
    with view(robot, port=0, block=False) as page, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=which("chromium"), args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 760})
        tab.goto(page.url)
        tab.get_by_text("shoulder_lift").first.wait_for()
        page.player.reset(POSE)
        time.sleep(6.0)
        for notice in tab.locator(".mantine-Notification-closeButton").all():  # software rendering is no news here
            notice.click()
        time.sleep(2.0)
        tab.screenshot(path=Path(__file__).parent / "figures" / "page.png")
        browser.close()


if __name__ == "__main__":
    main()
