"""The page of simulated hardware: it shows what a driver does, and moves joints by hand."""

from __future__ import annotations

import time

import pytest

import gearwright as gw

pytest.importorskip("viser")

from gearwright.page.bench_page import BenchPage


@pytest.fixture
def page():
    with gw.serve("desk_arm", clock="lockstep", armed=True) as bench, BenchPage(bench, port=0) as page:
        yield page


def test_it_listens_on_this_machine_only(page) -> None:
    assert page.url.startswith("http://127.0.0.1:") and len(page.url.rsplit("/", 1)[1]) > 15


def test_currents_temperatures_and_errors_are_shown(page) -> None:
    bench = page.bench
    bench.faults.inject("over-temperature", "gripper", 90.0)
    bench.faults.inject("unplug", "elbow_flex")
    bench.step(10)
    page.refresh()
    html = page._table.content
    assert ">unplugged<" in html and ">90 °C<" in html and "#c0392b" in html
    assert ">temperature<" in html
    assert html.count(" A<") == html.count(" rad<") == 6  # each number with its unit


def test_links_move_with_the_bench(page) -> None:
    frame = page.scene._frames["gripper" if "gripper" in page.scene._frames else list(page.scene._frames)[-1]]
    before = tuple(frame.position)
    page.bench.hold("shoulder_pan", 1.0)
    page.bench.step(1500)
    end = time.monotonic() + 5.0
    while tuple(frame.position) == before and time.monotonic() < end:
        time.sleep(0.02)
    assert tuple(frame.position) != before


def test_names_of_hostile_files_are_text(page) -> None:
    drive = page.bench.rig.devices.pop("gripper")
    page.bench.rig.devices["<script>alert(1)</script>"] = drive
    page.refresh()
    assert "<script>" not in page._table.content and "&lt;script&gt;" in page._table.content


def test_buttons_move_all_joints_by_hand(page) -> None:
    class Event:
        def __init__(self, value: str) -> None:
            self.target = type("Target", (), {"value": value})

    page._by_hand(Event("low"))
    assert len(page.bench.rig.plant.hands) == 6
    page._by_hand(Event("let go"))
    assert not page.bench.rig.plant.hands
