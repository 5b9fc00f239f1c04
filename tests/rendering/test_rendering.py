"""Pictures and films: what is in them, looked at as pixels."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import gearwright as gw
from gearwright.drawing import FRONT, TOP

Image = pytest.importorskip("PIL.Image")
SMALL = (160, 120)


def pixels(path, frame=0):
    with Image.open(path) as image:
        image.seek(frame)
        return np.asarray(image.convert("RGBA"))


@pytest.fixture(scope="module")
def falling():
    world = gw.World()
    world.box("cube", size=(0.1, 0.1, 0.1), mass=1.0, pose=(0, 0, 0.3, 0, 0, 0))
    world.ground()
    return world.finish()


def test_a_still_has_its_size_and_something_in_it(tmp_path):
    path = gw.render("gripper", tmp_path / "gripper.png", size=SMALL)
    image = pixels(path)
    assert image.shape == (120, 160, 4)
    assert (image[0, 0] == 255).all()  # white
    drawn = (image[..., :3] < 250).any(axis=-1)
    assert 0.1 < drawn.mean() < 0.9
    assert drawn.any(axis=0).sum() > 40


def test_colours_are_those_of_the_file(tmp_path):
    """The gripper's fingers are blue and orange."""
    red, _, blue, _ = np.moveaxis(pixels(gw.render("gripper", tmp_path / "g.png", size=SMALL)).astype(int), -1, 0)
    assert (blue - red > 80).sum() > 50
    assert (red - blue > 80).sum() > 50


def test_backgrounds(tmp_path):
    assert pixels(gw.render("gripper", tmp_path / "a.png", size=SMALL, background="transparent"))[0, 0, 3] == 0
    assert tuple(pixels(gw.render("gripper", tmp_path / "b.png", size=SMALL, background="#102030"))[0, 0, :3]) == (
        16,
        32,
        48,
    )


def test_a_recording_is_played(tmp_path, falling):
    """The cube of 0.1 m falls from 0.3 m: in the film it moves down, at its true speed by default."""
    rec = gw.compile(falling).run(0.2)
    path = gw.render(rec, tmp_path / "fall.gif", size=SMALL, camera=FRONT)
    with Image.open(path) as image:
        assert image.n_frames == 6
        assert image.info["duration"] == 40
    heights = [np.nonzero(_cube(pixels(path, k)))[0].mean() for k in range(6)]
    assert (np.diff(heights) > 0).all()
    slow = gw.render(rec, tmp_path / "slow.gif", size=SMALL, speed=0.5)
    with Image.open(slow) as image:
        assert image.n_frames == 11


def _cube(image):
    """Pixels that are not grey."""
    colours = image[..., :3].astype(int)
    return np.ptp(colours, axis=-1) > 40


def test_a_moment_of_a_recording(tmp_path, falling):
    rec = gw.compile(falling).run(0.2)
    start, end = (
        np.nonzero(_cube(pixels(gw.render(rec, tmp_path / f"{t}.png", size=SMALL, time=t))))[0].mean()
        for t in (0.0, 0.2)
    )
    assert start == pytest.approx(end, abs=25)  # each picture is framed by what is in it
    assert (pixels(tmp_path / "0.0.png") != pixels(tmp_path / "0.2.png")).any()


def test_the_ground_has_tiles_and_a_shadow(tmp_path):
    """From above, the cube hides its shadow; from the side, the shadow is below it."""
    world = gw.World()
    world.box("cube", size=(0.1, 0.1, 0.1), mass=1.0, pose=(0, 0, 0.08, 0, 0, 0))
    world.ground()
    falling = world.finish()
    image = pixels(gw.render(falling, tmp_path / "a.png", size=SMALL)).astype(int)
    grey = image[..., :3][~_cube(image)]
    assert len(np.unique(grey.sum(axis=-1))) > 3  # two kinds of tiles, shadow, fading
    assert grey.sum(axis=-1).min() < 3 * 205
    above = pixels(gw.render(falling, tmp_path / "b.png", size=SMALL, camera=TOP)).astype(int)
    assert above[..., :3][~_cube(above)].sum(axis=-1).min() > 3 * 170


def test_a_robot_turns_in_a_film(tmp_path):
    path = gw.render("gripper", tmp_path / "turn.apng", size=(64, 64), fps=2)
    with Image.open(path) as image:
        assert image.n_frames == 8
    assert (pixels(path, 0) != pixels(path, 2)).any()


def test_a_simulation_as_it_stands(tmp_path):
    sim = gw.compile("gripper", batch=2)
    sim.reset(position={"right_finger": np.array([0.0, 0.04])})
    closed, opened = (pixels(gw.render(sim, tmp_path / f"{i}.png", size=SMALL, index=i)) for i in (0, 1))
    assert (closed != opened).any()


def test_a_robot_without_shapes_is_drawn_as_sticks(tmp_path):
    robot = gw.loads("""<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint>
        <joint name="k" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0 0 1"/></joint></robot>""")
    image = pixels(gw.render(robot, tmp_path / "sticks.png", size=SMALL))
    assert 0.005 < (image[..., :3] < 250).any(axis=-1).mean() < 0.5


def test_a_recording_from_a_file_needs_its_robot(tmp_path):
    gw.compile("gripper").run(0.05).save(tmp_path / "run.csv")
    rec = gw.Recording.open(tmp_path / "run.csv")
    with pytest.raises(gw.GearwrightError, match="does not contain the robot"):
        gw.render(rec, tmp_path / "a.png", size=SMALL)
    gw.render(rec, tmp_path / "a.png", robot=gw.load("gripper"), size=SMALL)


def test_a_film_in_mp4(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    path = gw.render(gw.compile("gripper").run(0.2), tmp_path / "run.mp4", size=(161, 120), fps=20)
    said = subprocess.run([ffmpeg, "-i", str(path)], capture_output=True, text=True, check=False).stderr
    assert "h264" in said and "162x120" in said and "20 fps" in said


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.jpg", {}, "ends in .png"), ("a.png", {"size": (0, 10)}, "size"), ("a.png", {"size": 7}, "width and height"),
        ("a.png", {"background": "whit"}, "not a colour"), ("a.gif", {"fps": 0.0}, "fps"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, name, options, message):
    with pytest.raises(gw.GearwrightError, match=message):
        gw.render("gripper", tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []
