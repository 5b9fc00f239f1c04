"""The documentation site: built strictly, opened from its folder in a browser, searched."""

from __future__ import annotations

import importlib
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
ANSWERS = {  # what is looked for, and a page that must be among those found
    "backlash": "how-to/backlash",
    "PD": "position-control",
    "gravity compensation": "how-to/follow",
    "install": "install",
    "inverse kinematics": "notebooks/hold-and-follow",
    "qpos": "coming-from",
    "hold position": "how-to/follow",
}
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
    for words, answer in ANSWERS.items():
        page.goto(f"file://{site}/index.html")
        page.keyboard.press("Control+k")
        page.wait_for_timeout(1500)
        page.keyboard.type(words, delay=50)
        page.locator(f"a[href*='{answer}.html?']").first.wait_for(timeout=10_000)
    assert said == []


def test_copied_files_lead_to_pages_and_files_of_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """README, change log and others are shown on the site: what they link to must be there, too."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    make_site = importlib.import_module("make_site")
    monkeypatch.setattr(make_site, "STAGE", tmp_path)
    for source in (ROOT / "docs").rglob("*.md"):
        page = tmp_path / source.relative_to(ROOT / "docs")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        make_site.with_files_beside(page)
    copies = [file for file in (tmp_path / make_site.FILES).rglob("*.md") if file.name != "index.md"]
    links = [(file, link["file"]) for file in copies for link in make_site.LINK.finditer(file.read_text("utf-8"))]
    assert len(links) > 10
    places = [(file.parent / link, link) for file, link in links if link and not link.startswith(("http", "mailto"))]
    assert [link for place, link in places if not place.exists() and place.suffix == ".md"] == []
