"""`gearwright demo`: from an installed package, in a folder of its own, one report that stands alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.cli.commands import CHECKOUT, called

SECTIONS = ("Gripper", "Differential wrist", "Four-bar", "Speed", "What to try")
FIGURES = (
    "The operating point on the torque-speed curve",
    "Coupling error by mode",
    "Where the motor's work goes",
    "Encoder against joint",
    "Two motors, two joints",
    "The loop stays closed",
)
VOID = {"meta", "img", "br", "link", "input"}


class Page(HTMLParser):
    """What a page consists of: headings, references, and whether its elements close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.references: list[str] = []
        self.ids: set[str] = set()
        self.open: list[str] = []
        self.elements: dict[str, int] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements[tag] = self.elements.get(tag, 0) + 1
        values = dict(attrs)
        self.references += [values[name] for name in ("src", "href", "data", "xlink:href", "poster") if name in values]
        self.ids |= {values["id"]} if "id" in values else set()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings.append(data)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run where nothing of the checkout is in reach, as after `pip install`."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(
        CHECKOUT / "src" / "gearwright", folder / "site" / "gearwright", ignore=shutil.ignore_patterns("__pycache__")
    )
    keep = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "DISPLAY", "FORCE_COLOR")}
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "gearwright", "demo", "--quick"],
        cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False,
        env={**keep, "PYTHONPATH": str(folder / "site"), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, (folder / "out" / "report.html").read_text(encoding="utf-8"), folder


def test_it_shows_simulates_and_compares(demo):
    told, _, folder = demo
    for word in ("right_finger", "left_motor/80", "closes a loop", "Coupling modes", "compliant", "CPU time of a step"):
        assert word in told
    assert "out/report.html" in told
    assert [p.name for p in (folder / "out").iterdir()] == ["report.html"]


def test_the_table_beside_mujoco_is_of_this_run(demo):
    pytest.importorskip("mujoco")
    told, text, _ = demo
    assert "The reference arm beside MuJoCo" in told and "The reference arm beside MuJoCo" in text
    row = re.search(r"one robot +(\d+) ns +(\d+) ns +(\d+) ×", told)
    ours, theirs, ratio = map(int, row.groups())
    assert abs(theirs / ours - ratio) < 0.5 * (1 / ours * theirs / ours) + 1  # slack: figures are rounded to whole ones


def test_the_report_has_its_sections_and_figures(demo):
    page = Page(demo[1])
    assert page.open == []
    assert [h for h in page.headings if h in SECTIONS] == list(SECTIONS)
    assert set(FIGURES) <= set(page.headings)
    assert page.elements["figure"] == 12
    charts = 12 + 2  # two have a row to themselves, and are drawn for a phone and for a wide page
    assert page.elements["svg"] == 3 * (1 + 6) + charts  # of each robot a film and a strip of six
    assert page.elements["table"] >= 2
    assert page.elements["animate"] >= 6  # operating points travel


def test_the_report_stands_alone(demo):
    text = demo[1]
    page = Page(text)
    assert {r for r in page.references if not r.startswith(("#", "data:"))} == set()
    assert {r[1:] for r in page.references if r.startswith("#")} <= page.ids
    for outside in ("http://", "https://", "@import", "url(", "<script", "<link", "//cdn"):
        assert outside not in text, outside
    assert len(text) < 3e6


def test_the_report_is_made_for_dark_and_for_small_screens(demo):
    for needed in ("prefers-color-scheme:dark", "width=device-width", "max-width:820px", "prefers-reduced-motion"):
        assert needed in demo[1]


def test_numbers_of_the_report_are_numbers(demo):
    text = demo[1]
    assert "nan" not in re.sub(r"data:[^\"]*", "", text).lower().replace("finance", "")
    assert not re.search(r"\binf\b", text)


def test_without_mujoco_and_matplotlib_it_says_so_and_goes_on(tmp_path):
    gone = {"mujoco": None, "matplotlib": None}
    with patch.dict(sys.modules, gone):
        ran = called("demo", "--quick", "--out", tmp_path / "a" / "b")
    assert ran.code == 0, ran.err
    assert "pip install mujoco" in ran.out
    report = (tmp_path / "a" / "b" / "report.html").read_text(encoding="utf-8")
    assert "One robot on one core" in report and "beside MuJoCo" not in report


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").write_text("a file")
    ran = called("demo", "--quick", "--out", tmp_path / "taken")
    assert ran.code == 1
    assert "cannot write" in ran.err and "taken" in ran.err and not ran.out


def test_open_shows_the_report_in_a_browser(tmp_path):
    with patch("webbrowser.open") as browser, patch("gearwright.demo.tour.STORIES", {}):
        assert called("demo", "--quick", "--open", "--out", tmp_path).code == 0
    assert browser.call_args.args == ((tmp_path / "report.html").resolve().as_uri(),)


def test_help_names_the_options():
    told = called("demo", "--help").out
    for option in ("--out", "--open", "--quick"):
        assert option in told


def test_make_demo_is_this_command():
    assert re.search(r"^demo:.*\n\t\$\(BIN\)/gearwright demo$", Path(CHECKOUT / "Makefile").read_text(), re.MULTILINE)
