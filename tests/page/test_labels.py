"""Names over the robot: as many as there is room for, per browser, and none over another."""

from __future__ import annotations

import asyncio
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.labels import Label, fitting, overlap, projected
from tests.page.browser_client import CAMERA, opened, until

pytest.importorskip("viser")

AHEAD = SimpleNamespace(wxyz=(1.0, 0.0, 0.0, 0.0), position=np.zeros(3), fov=2 * np.arctan(0.5), image_height=800)


def labels(points) -> list[Label]:
    return [Label(f"/{k}", f"joint_{k}", p) for k, p in enumerate(points)]


def test_points_are_where_a_camera_sees_them() -> None:
    pixels, ahead = projected(AHEAD, np.array([[0.0, 0.0, 2.0], [1.0, -0.5, 2.0], [0.0, 0.0, -1.0]]))
    np.testing.assert_allclose(pixels[:2], [[0.0, 0.0], [400.0, -200.0]])  # half the height is 1 m at 2 m
    np.testing.assert_allclose(ahead, [2.0, 2.0, -1.0])
    half_turn = SimpleNamespace(**{**vars(AHEAD), "wxyz": (0.0, 0.0, 1.0, 0.0)})
    assert projected(half_turn, np.array([[0.0, 0.0, -1.0]]))[1] == pytest.approx(1.0)


def test_no_name_covers_another_and_the_nearest_is_shown(rng) -> None:
    points = rng.uniform([-1, -1, 2], [1, 1, 4], (200, 3))
    every = labels(points)
    pixels, ahead = projected(AHEAD, points)
    chosen = list(fitting(every, pixels, ahead, [False] * 200))
    assert 30 < len(chosen) < 200 and int(np.argmin(ahead)) in chosen
    boxes = [every[k].box(*pixels[k]) for k in chosen]
    assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
    for k in set(range(200)) - set(chosen):  # each of the others has no room
        assert any(overlap(every[k].box(*pixels[k]), box) for box in boxes)


def test_what_is_shown_stays_while_another_is_only_a_little_nearer() -> None:
    points = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 1.9]])
    seen = projected(AHEAD, points)
    assert list(fitting(labels(points), *seen, [False, False])) == [1]
    assert list(fitting(labels(points), *seen, [True, False])) == [0]


def test_what_is_behind_the_camera_is_not_shown() -> None:
    points = np.array([[0.0, 0.0, -2.0]])
    assert list(fitting(labels(points), *projected(AHEAD, points), [False])) == []


def test_a_browser_that_comes_nearer_sees_more_names() -> None:
    with gw.view("desk_arm", port=0, block=False) as page:

        async def names(distance: float) -> set[str]:
            async with opened(page) as tab:
                assert await until(lambda: len(page._server.get_clients()) == 1)
                await asyncio.sleep(0.5)  # the page has pointed its camera
                await tab.send(CAMERA | {"wxyz": [0.5, -0.5, 0.5, -0.5], "position": [-distance, 0.0, 0.1],
                                         "image_height": 800, "image_width": 1200})  # fmt: skip
                await tab.read(1.0)
                (own,) = page._server.get_clients()
                return {
                    x.text for x in page._panel._annotations._labels._labels if own in x.nodes and x.nodes[own].visible
                }

        page._panel._annotations.show_axes(True)
        far, near = asyncio.run(names(20.0)), asyncio.run(names(0.6))
        assert len(far) == 1 and len(far) < len(near) <= 6
        page._panel._annotations.show_axes(False)
        assert asyncio.run(names(0.6)) == set()
