"""Makes docs/figures/page.png: the page in chromium, by Playwright. `python docs/page_picture.py`.

A picture that looks the same as the one before is left as it is: software rendering is not exact to the bit.
"""

from __future__ import annotations

import io
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import gearwright as gw

FLAGS = ["--no-sandbox", "--use-gl=swiftshader", "--enable-webgl", "--ignore-gpu-blocklist"]
PICTURE = Path(__file__).parent / "figures" / "page.png"
SHOWN = ("joint axes", "couplings", "transmissions")
SAME = 0.5  # mean difference of two pictures that look the same, of 255
PATIENCE = 120_000  # [ms]


def main() -> None:
    with gw.view(gw.load("gripper"), port=0, block=False) as page, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=which("chromium"), args=FLAGS)
        page.player.reset({"right_finger": 0.036})
        data = screenshot(browser, page.url)
        browser.close()
    if PICTURE.exists() and same(PICTURE.read_bytes(), data):
        print("the picture looks as it did")
    else:
        PICTURE.write_bytes(data)


def screenshot(browser: Any, url: str) -> bytes:
    tab = browser.new_page(viewport={"width": 1280, "height": 760})
    tab.set_default_timeout(PATIENCE)
    tab.goto(url)
    tab.get_by_role("tab", name="Show").click()
    for label in SHOWN:
        tab.get_by_text(label, exact=True).locator("xpath=ancestor::*[.//input][1]").locator("input").click()
    for notice in tab.locator(".mantine-Notification-closeButton").all():  # software rendering is no news here
        notice.click()
    tab.mouse.move(5, 5)
    before = b""
    while True:  # until nothing moves any more: fonts, shadows, the canvas that fades in
        tab.wait_for_timeout(4000)
        data: bytes = tab.screenshot(timeout=PATIENCE)
        if before and same(before, data, 0.01):
            return data
        before = data


def same(a: bytes, b: bytes, most: float = SAME) -> bool:
    x, y = (np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float) for data in (a, b))
    return x.shape == y.shape and float(np.abs(x - y).mean()) < most


if __name__ == "__main__":
    main()
