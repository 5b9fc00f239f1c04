"""The documentation site: built strictly, opened from its folder in a browser, searched."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "out/site"
WIDTHS = (400, 1280)  # of a telephone, and of a desk [px]
LOOKED_AT = ("index", "tutorial", "couplings", "comparison", "how-to/backlash", "reference/names", "performance")


@pytest.fixture(scope="module")
def site() -> Path:
    pytest.importorskip("zensical", reason="the builder is not installed: make docs")
    done = subprocess.run([sys.executable, ROOT / "docs/make_site.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return SITE


@pytest.mark.slow
def test_no_page_asks_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not re.findall(r'(?:src|srcset)="https?:', page.read_text(encoding="utf-8")), page


@pytest.fixture
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if which("chromium") is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as p:
        running = p.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.mark.slow
def test_no_code_is_cut_off_on_a_desk(site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": WIDTHS[-1], "height": 900})
    hidden = "[...document.querySelectorAll('pre > code')].filter(e => e.scrollWidth > e.clientWidth).length"
    cut = {}
    for file in sorted(site.rglob("*.html")):
        page.goto(f"file://{file}")
        cut[file.name] = page.evaluate(hidden)
    assert {name: count for name, count in cut.items() if count} == {}


@pytest.mark.slow
def test_pages_fit_and_search_works_from_a_folder(site: Path, browser: Any) -> None:
    said: list[str] = []
    page = browser.new_page()
    page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: said.append(str(e)))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for name in LOOKED_AT:
            page.goto(f"file://{site}/{name}.html")
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wide) <= 0, f"{name} at {width} px"
    page.keyboard.press("Control+k")
    page.wait_for_timeout(1500)
    page.keyboard.type("backlash", delay=50)
    page.get_by_text("Backlash, and an encoder before or after it").first.wait_for(timeout=10_000)
    assert said == []
