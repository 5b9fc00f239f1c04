"""Pictures and films of the scene, drawn by the browser that asks for them, for it to save."""

from __future__ import annotations

import io
from typing import Any

from gearwright.page.motion import ShownMotion
from gearwright.page.replay import Replay

PATIENCE = 20.0  # [s] for a browser to draw the scene
FRAMES_PER_SECOND = 12.5
LONGEST = 60  # frames of a film
WIDEST = 640  # [px] of a film


def save_picture(event: Any) -> None:
    """The scene as the browser shows it."""
    if event.client is not None:
        _send(event.client, "robot.png", _drawn(event.client), format="png")


def save_film(event: Any, motion: ShownMotion) -> None:
    """The next seconds of the motion, or a recording to its end, at the speed that is set; then it pauses."""
    client = event.client
    if client is None:
        return
    notice = client.add_notification("Drawing a film", f"{LONGEST} pictures at most", loading=True)
    try:
        motion.playing = False
        if isinstance(motion, Replay):
            motion.play_on()
        frames = [_drawn(client, WIDEST)]
        while len(frames) < LONGEST and not _ended(motion):
            _go_on(motion, motion.speed / FRAMES_PER_SECOND)
            motion.show()
            frames.append(_drawn(client, WIDEST))
        moving = {"save_all": True, "append_images": frames[1:], "duration": 1000.0 / FRAMES_PER_SECOND, "loop": 0}
        _send(client, "robot.gif", frames[0], format="gif", **moving)
    finally:
        notice.remove()


def _ended(motion: ShownMotion) -> bool:
    return bool(motion.error) or (isinstance(motion, Replay) and motion.time >= motion.times[-1])


def _go_on(motion: ShownMotion, seconds: float) -> None:
    """A slow simulation takes several calls for it."""
    before = motion.time
    motion.advance(seconds)
    while before < motion.time < before + 0.99 * seconds and not _ended(motion):
        now = motion.time
        motion.advance(0.0)
        if motion.time == now:
            return


def _drawn(client: Any, widest: int | None = None) -> Any:
    from PIL import Image

    height, width = client.camera.image_height, client.camera.image_width
    share = min(1.0, widest / width) if widest else 1.0
    return Image.fromarray(client.get_render(round(share * height), round(share * width), timeout=PATIENCE))


def _send(client: Any, name: str, picture: Any, **options: Any) -> None:
    data = io.BytesIO()
    picture.save(data, **options)
    client.send_file_download(name, data.getvalue(), save_immediately=True)
