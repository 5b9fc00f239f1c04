"""Pictures and films that a browser draws and saves."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.saving import FRAMES_PER_SECOND, LONGEST, WIDEST, save_film, save_picture
from tests.sim.robots import GRIPPER

pytest.importorskip("viser")
Image = pytest.importorskip("PIL.Image")


class Client:
    """A browser that draws the present time of a motion as a grey."""

    def __init__(self, motion) -> None:
        self.camera = SimpleNamespace(image_height=500, image_width=1000)
        self._motion, self.times, self.saved, self.notices = motion, [], {}, 0

    def get_render(self, height: int, width: int, timeout: float) -> np.ndarray:
        self.times.append(self._motion.time)
        return np.full((height, width, 3), 10 * len(self.times) % 256, np.uint8)

    def send_file_download(self, name: str, data: bytes, save_immediately: bool) -> None:
        assert save_immediately
        self.saved[name] = Image.open(io.BytesIO(data))

    def add_notification(self, title: str, body: str, loading: bool) -> SimpleNamespace:
        self.notices += 1
        return SimpleNamespace(remove=lambda: setattr(self, "notices", self.notices - 1))


def test_a_picture_is_as_large_as_it_is_seen() -> None:
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        client = Client(page.motion)
        save_picture(SimpleNamespace(client=client))
    assert client.saved["robot.png"].size == (1000, 500)


@pytest.mark.parametrize("speed", [0.25, 1.0])
def test_a_film_shows_a_simulation_as_it_goes_on(speed: float) -> None:
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        client = Client(page.motion)
        page.player.playing, page.player.speed = True, speed
        save_film(SimpleNamespace(client=client), page.motion)
        assert not page.player.playing
    film = client.saved["robot.gif"]
    assert film.size == (WIDEST, WIDEST // 2) and film.n_frames == len(client.times) == LONGEST
    assert film.info["duration"] == pytest.approx(1000 / FRAMES_PER_SECOND, abs=10)
    assert np.diff(client.times) == pytest.approx(
        speed / FRAMES_PER_SECOND, abs=0.01 * speed / FRAMES_PER_SECOND + 2 * page.sim.dt
    )
    assert client.notices == 0


def test_a_film_of_a_recording_ends_with_it() -> None:
    recording = gw.compile(GRIPPER).run(0.3, command={"motor": 0.012})
    with gw.view(recording, port=0, block=False) as page:
        page.motion.seek(recording.time[-1])  # it begins again
        client = Client(page.motion)
        save_film(SimpleNamespace(client=client), page.motion)
    assert client.times[0] == 0.0 and client.times[-1] == recording.time[-1]
    assert len(client.times) == pytest.approx(0.3 * FRAMES_PER_SECOND + 2, abs=1)


def test_a_browser_that_has_gone_leaves_no_notice() -> None:
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        client = Client(page.motion)
        client.get_render = lambda *_, **__: (_ for _ in ()).throw(TimeoutError("gone"))
        with pytest.raises(TimeoutError):
            save_film(SimpleNamespace(client=client), page.motion)
    assert client.notices == 0 and client.saved == {}
