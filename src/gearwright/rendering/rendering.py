"""`gw.render`: a robot, a simulation or a recording as a picture or a film, without a browser or a display."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.display.solids import Array, Camera, Poses
from gearwright.errors import GearwrightError, ModelError, suggestion
from gearwright.files import checked_path, replacing
from gearwright.given_numbers import number, whole
from gearwright.model import Mechanism
from gearwright.model.geometry import Mesh
from gearwright.optional import missing_package
from gearwright.rendering.ground import Ground, over
from gearwright.rendering.raster import FINER, PictureFrame, drawn, sampled
from gearwright.rendering.triangles import Triangles, link_triangles, sticks

if TYPE_CHECKING:
    from gearwright.sim import Recording, Simulation

CAMERA = Camera(azimuth=-35.0, elevation=20.0)
STILLS, FILMS = (".png",), (".gif", ".apng", ".mp4")
STICK = 0.012  # radius, of a robot's size, where it has no shapes
MARGIN = 0.06  # of the larger side of the picture
OUTLINE = 400  # points of a link by which its place in the picture is found
TURN = 4.0  # [s] of a robot that is shown from all sides
LARGEST = 4096  # pixels
MOST_FRAMES = 20_000


@dataclass(frozen=True)
class Moments:
    """What is shown, frame by frame."""

    poses: Sequence[Poses]
    cameras: Sequence[Camera]  # one for all, or one each

    def __len__(self) -> int:
        return max(len(self.poses), len(self.cameras))

    def __iter__(self) -> Iterator[tuple[Poses, Camera]]:
        for k in range(len(self)):
            yield self.poses[k % len(self.poses)], self.cameras[k % len(self.cameras)]


def render(
    source: Mechanism | Simulation | Recording | str | os.PathLike[str], path: str | os.PathLike[str], *,
    robot: Mechanism | None = None, position: Mapping[str, Any] | None = None, camera: Camera = CAMERA,
    size: tuple[int, int] = (640, 480), fps: float = 25.0, speed: float = 1.0, time: float | None = None,
    index: int = 0, background: str = "white", search_path: Sequence[str | os.PathLike[str]] = (),
) -> Path:  # fmt: skip
    """Draws a robot, a simulation in its present state, or a recording as a picture or a film.

    source      a mechanism or its file, a simulation, or a recording
    path        of the picture: .png, or .gif, .apng and .mp4 for a film. A recording is played; anything else is shown
                from all sides. .mp4 needs ffmpeg, or the package imageio-ffmpeg
    robot       the mechanism, if a recording was loaded from a file without it
    position    of a mechanism's joints; default: the file's
    camera      a `gearwright.drawing.Camera`
    size        width and height [px]
    fps, speed  frames per second, and how many times faster than real time a recording is played
    time        of a recording, the moment of a still picture [s]; default: the end
    index       which robot of a batch
    background  a colour's name or "#rrggbb", or "transparent"
    search_path  folders for meshes, as in `gearwright.load`

    Links are drawn by their visuals, or by their collision shapes if they have none, or as sticks. Returns the path.
    """
    target = Path(checked_path(path, "a picture"))
    ending = target.suffix.lower()
    if ending not in (*STILLS, *FILMS):
        known = (*STILLS, *FILMS)
        raise ModelError(f"a picture ends in {', '.join(known)}, not {target.suffix!r}{suggestion(ending, known)}")
    width, height = (whole("size", x, low=16, high=LARGEST) for x in _pair(size))
    rate, pace = number("fps", fps, low=0.1), number("speed", speed, low=1e-6)
    own = _robot_of(source, robot)
    film = ending in FILMS
    moments = _moments(source, own, position, camera, film=film, step=pace / rate, rate=rate, at=time, index=index)
    shapes = _shapes(own, moments.poses[0], search_path)
    frame = _frame(shapes, moments, (width, height))
    points = sampled(shapes, frame.scale * FINER)
    ground, back = Ground.of(own, shapes, moments), _colour(background)
    pictures = (
        over(
            back if ground is None else ground.seen(points, poses, camera, frame, back),
            drawn(points, poses, camera, frame),
        )
        for poses, camera in moments
    )
    with replacing(target) as temporary:
        _write(Path(temporary), ending, pictures, rate, frame)
    return target


def _pair(size: Any) -> tuple[Any, Any]:
    try:
        width, height = size
    except (TypeError, ValueError):
        raise ModelError(f"size is width and height in pixels, not {size!r:.60}") from None
    return width, height


# --- what is shown --------------------------------------------------------------------------------------------------


def _robot_of(source: Any, robot: Mechanism | None) -> Mechanism:
    from gearwright.sim import Recording, Simulation

    if isinstance(source, Mechanism):
        return source
    if isinstance(source, Recording):
        return robot if robot is not None else source.robot
    if isinstance(source, Simulation):
        return source.robot
    from gearwright.formats import load

    return load(source)


def _moments(
    source: Any, robot: Mechanism, position: Mapping[str, Any] | None, camera: Camera, *, film: bool, step: float,
    rate: float, at: float | None, index: int,
) -> Moments:  # fmt: skip
    from gearwright.sim import Recording, Simulation

    if isinstance(source, Recording):
        return Moments(_played(source, robot, film=film, step=step, at=at, index=index), [camera])
    if isinstance(source, Simulation):
        chosen = whole("index", index, low=0, high=source.batch - 1)
        poses = {name: np.asarray(X) if source.batch == 1 else np.asarray(X)[chosen] for name, X in source.pose.items()}
    else:
        poses = {name: np.asarray(X) for name, X in robot.forward_kinematics(position).items()}
    count = round(TURN * rate) if film else 1
    turns = [replace(camera, azimuth=camera.azimuth + 360.0 * k / count) for k in range(count)]
    return Moments([poses], turns)


def _played(
    recording: Recording, robot: Mechanism, *, film: bool, step: float, at: float | None, index: int
) -> list[Poses]:  # fmt: skip
    from gearwright.page.replay import Replay, check

    check(recording, robot)
    replay = Replay(recording, robot, lambda: None)
    replay.index = whole("index", index, low=0, high=recording.batch - 1)
    start, end = float(recording.time[0]), float(recording.time[-1])
    times = np.array([end if at is None else number("time", at)])
    if film:
        count = int((end - start) / step) + 1
        if count > MOST_FRAMES:
            raise ModelError(
                f"a film of {count:,} frames is longer than {MOST_FRAMES:,}: give a larger speed= or a smaller fps="
            )
        times = start + step * np.arange(count)
    found: list[Poses] = []
    for t in times:
        replay.seek(float(t))
        found.append({name: np.asarray(X) for name, X in replay.poses().items()})
    return found


def _shapes(robot: Mechanism, poses: Poses, search_path: Sequence[str | os.PathLike[str]]) -> dict[str, Triangles]:
    from gearwright.page.meshes import RobotMeshes

    shapes = [g.shape for link in robot.links.values() for g in (link.visuals or link.collisions)]
    meshes = None
    if any(isinstance(shape, Mesh) for shape in shapes):
        file = next((link.source.file for link in robot.links.values() if link.source is not None), None)
        meshes = RobotMeshes(file, search_path)
    try:
        found = link_triangles(robot, meshes)
    finally:
        if meshes is not None:
            meshes.close()
    places = np.array([X[:3, 3] for X in poses.values()])
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    return found or sticks(robot, STICK * size)


# --- pixels ---------------------------------------------------------------------------------------------------------


def _frame(shapes: Mapping[str, Triangles], moments: Moments, size: tuple[int, int]) -> PictureFrame:
    """Room for every moment."""
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    outlines = {link: _outline(own) for link, own in shapes.items()}
    for poses, camera in moments:
        for link, some in outlines.items():
            X = poses[link]
            seen = camera.seen(some @ X[:3, :3].T + X[:3, 3])
            low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    width, height = size
    extent = np.maximum(high - low, 1e-6) + 2 * MARGIN * float((high - low).max())
    scale = float(min(width / extent[0], height / extent[1]))
    middle = (low + high) / 2
    return PictureFrame(middle[0] - width / scale / 2, middle[1] + height / scale / 2, scale, width, height)


def _outline(own: Triangles) -> Array:
    flat = own.corners.reshape(-1, 3)
    ends = flat[np.concatenate([flat.argmin(axis=0), flat.argmax(axis=0)])]
    return np.concatenate([flat[:: max(1, len(flat) // OUTLINE)], ends])


def _colour(name: str) -> Array | None:
    """(3,) from 0 to 255; None: transparent."""
    if name == "transparent":
        return None
    from matplotlib.colors import to_rgb

    try:
        return 255.0 * np.array(to_rgb(name))
    except (ValueError, TypeError):
        raise ModelError(f"{name!r:.40} is not a colour: give 'white', '#rrggbb' or 'transparent'") from None


def _write(file: Path, ending: str, pictures: Iterator[Array], rate: float, frame: PictureFrame) -> None:
    from PIL import Image

    if ending == ".mp4":
        return _film(file, pictures, rate, frame)
    images = [Image.fromarray(picture) for picture in pictures]
    kind = {".png": "PNG", ".apng": "PNG", ".gif": "GIF"}[ending]
    moving: dict[str, Any] = {}
    if len(images) > 1:
        moving = {"save_all": True, "append_images": images[1:], "duration": 1000.0 / rate, "loop": 0}
    images[0].save(file, kind, **moving)


def _film(file: Path, pictures: Iterator[Array], rate: float, frame: PictureFrame) -> None:
    """H.264 by ffmpeg, frame by frame, so that memory does not grow with the film."""
    command = [
        _ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{frame.width}x{frame.height}", "-r", f"{rate:g}", "-i", "-", "-an",
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-f", "mp4", str(file),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as made:
        assert made.stdin is not None and made.stderr is not None
        try:
            for picture in pictures:
                made.stdin.write(np.ascontiguousarray(picture[..., :3]).tobytes())
            made.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg says why
        said = made.stderr.read().decode(errors="replace").strip()
    if made.returncode:
        raise GearwrightError(f"ffmpeg did not write the film: {said[-300:]}")


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        why = missing_package("imageio_ffmpeg", "an .mp4 without ffmpeg")
        raise GearwrightError(f"{why} (.gif and .apng need neither)") from None
    return str(get_ffmpeg_exe())
