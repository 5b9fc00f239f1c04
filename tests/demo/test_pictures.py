"""Drawings and charts: what is near hides what is far, and a thinned line is the same line."""

from __future__ import annotations

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import gearwright as gw
from gearwright import robots
from gearwright.demo.pictures import Film
from gearwright.display.chart_style import alone
from gearwright.display.charts import Area, Chart, ChartLine, _corners, _ticks, power_of_ten, stairs
from gearwright.display.solids import FRONT, TOP, Camera, faces
from gearwright.display.svg_text import text_width
from gearwright.model.geometry import Box, Cylinder, Geometry, Sphere
from gearwright.model.poses import Pose
from tests.tolerances import ROUNDING

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def scene(*shapes):
    """A stand-in for a robot: shapes at places, with colours."""
    visuals = [
        Geometry(name=f"g{i}", shape=shape, pose=Pose(np.eye(3), at), rgba=colour)
        for i, (shape, at, colour) in enumerate(shapes)
    ]
    return SimpleNamespace(links={"body": SimpleNamespace(visuals=visuals, collisions=[])})


def drawn(camera, *shapes):
    return faces(scene(*shapes), {"body": np.eye(4)}, camera)


def test_axes_of_cameras():
    assert FRONT.axes == pytest.approx(np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), rel=ROUNDING)
    assert TOP.axes == pytest.approx(np.array([[1, 0, 0], [0, 1, 0], [0, 0, -1]]), abs=1e-15)
    axes = Camera(azimuth=30, elevation=40).axes
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
    assert axes[0, 2] == 0 and axes[1, 2] > 0  # upright


def test_a_box_from_the_front_is_its_outline():
    (face,) = drawn(FRONT, (Box(size=(0.2, 0.1, 0.4)), (0.0, 0.0, 1.0), RED))
    assert np.ptp(face.corners, axis=0) == pytest.approx([0.2, 0.4], rel=ROUNDING)
    assert face.corners.mean(axis=0) == pytest.approx([0.0, 1.0], rel=ROUNDING)


def test_the_far_is_drawn_before_the_near():
    near, far = (Box(size=(1, 0.1, 1)), (0.0, -1.0, 0.0), RED), (Box(size=(1, 0.1, 1)), (0.0, 1.0, 0.0), BLUE)
    for order in ((near, far), (far, near)):
        first, last = drawn(FRONT, *order)
        assert (first.colour[2] > 0, last.colour[0] > 0) == (True, True)


def test_a_small_box_on_the_far_end_of_a_long_one_is_drawn_after_it():
    """By the depth of their middles it would be the other way round: a long rail, and a carriage on top of it."""
    rail, carriage = (Box(size=(2, 0.1, 0.1)), (0, 0, 0), RED), (Box(size=(0.1, 0.1, 0.1)), (0.9, 0, 0.1), BLUE)
    camera = Camera(azimuth=40, elevation=20)
    assert (np.array([0.9, 0, 0.1]) @ camera.axes[2]) > 0  # its middle is farther away
    colours = [face.colour[2] > 0 for face in drawn(camera, carriage, rail)]
    assert colours == sorted(colours)


def test_round_shapes_look_round():
    (disc,) = drawn(TOP, (Cylinder(radius=0.5, length=1.0), (0, 0, 0), RED))
    assert np.linalg.norm(disc.corners, axis=1) == pytest.approx(0.5, rel=ROUNDING)
    (ball,) = drawn(Camera(azimuth=20, elevation=50), (Sphere(radius=0.3), (0, 0, 0), RED))
    assert np.linalg.norm(ball.corners, axis=1) == pytest.approx(0.3, rel=ROUNDING)


def test_every_bundled_robot_with_shapes_can_be_drawn():
    for name in robots.names():
        robot = gw.load(robots.path(name))
        poses = {link: np.asarray(X) for link, X in robot.forward_kinematics({}).items()}
        for face in faces(robot, poses, Camera(azimuth=20, elevation=30)):
            assert np.isfinite(face.corners).all()


def test_a_film_is_well_formed_and_shows_every_moment():
    robot = gw.load(robots.path("gripper"))
    poses = [
        {k: np.asarray(X) for k, X in robot.forward_kinematics({"right_finger": x}).items()} for x in (0.0, 0.02, 0.04)
    ]
    film = Film(robot=robot, camera=FRONT, times=[0.1, 0.2, 0.3], poses=poses, label="a & b")
    loop = ElementTree.fromstring(alone(film.loop(2.0)))
    frames = [g for g in loop.iter() if g.get("class", "").startswith("f ")]
    assert len(frames) == 3 and sum("still" in g.get("class") for g in frames) == 1
    assert ["0 ms" in s or "100 ms" in s or "200 ms" in s for s in film.strip([0, 1, 2])] == [True] * 3


# --- charts ---------------------------------------------------------------------------------------------------------


def test_a_chart_is_well_formed_and_escapes_its_words():
    x = np.linspace(0, 1, 50)
    chart = Chart(
        x_label="t <s>", y_label="a & b", lines=[ChartLine(label="<one>", x=x, y=x**2, colour="blue")],
        areas=[Area(label="two", x=x, low=0 * x, high=x, colour="grey")],
    )  # fmt: skip
    words = "".join(ElementTree.fromstring(alone(chart.svg())).itertext())
    for word in ("t <s>", "a & b", "<one>", "two"):
        assert word in words


def test_numbers_land_where_they_belong():
    line = ChartLine(label="", x=np.array([0.0, 10.0]), y=np.array([1e-6, 1e-2]), colour="blue")
    chart = Chart(x_label="", y_label="", lines=[line], logarithmic=True, y_range=(1e-8, 1.0))
    (a, b) = re.search(r'class="line  blue" d="M([\d.]+,[\d.]+) ([\d.]+,[\d.]+)"', chart.svg()).groups()
    (x0, y0), (x1, y1) = ([float(v) for v in p.split(",")] for p in (a, b))
    heights = {m[1]: float(m[0]) for m in re.findall(r'y="([\d.]+)" text-anchor="end">(10[^<]+)<', chart.svg())}
    assert y0 == pytest.approx(heights["10⁻⁶"] - 4, abs=ROUNDING) and y1 == pytest.approx(
        heights["10⁻²"] - 4, abs=ROUNDING
    )
    assert x1 > x0


def test_a_thinned_line_is_the_same_line():
    """No point of the whole line is farther than a tenth of a pixel from the thinned one."""
    x = np.linspace(0, 400, 1500)
    y = 100 * np.sin(x / 30) + np.where(x > 200, 50, 0)
    kept = _corners(x, y)
    assert len(kept) < 400
    assert np.interp(x, x[kept], y[kept]) == pytest.approx(y, abs=0.5)  # vertical; on the steepest parts 3.5 px a px
    assert {0, 1499} <= set(kept)


def test_spikes_survive_thinning():
    y = np.zeros(20_000)
    y[12_345] = 1.0
    line = ChartLine(label="", x=np.arange(20_000.0), y=y, colour="blue")
    chart = Chart(x_label="", y_label="", lines=[line])
    heights = [float(p.split(",")[1]) for p in re.search(r'blue" d="M([^"]+)"', chart.svg())[1].split()]
    assert max(heights) - min(heights) > 150  # px


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 10, ["0", "2", "4", "6", "8", "10"]), (-1, 1, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]), (0.1, 0.11, None)],
)
def test_ticks_are_round_numbers(low, high, expected):
    ticks = _ticks(low, high, 5)
    assert expected is None or [name for _, name in ticks] == expected
    assert all(low - ROUNDING <= value <= high + ROUNDING for value, _ in ticks) and 2 <= len(ticks) <= 7
    assert all(float(name.replace("−", "-")) == pytest.approx(value, abs=1e-12) for value, name in ticks)


def test_stairs_hold_each_value():
    x, y = stairs(np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]))
    assert list(zip(x, y, strict=True)) == [(0, 5), (1, 5), (1, 6), (2, 6), (2, 7)]


def test_powers_of_ten():
    assert power_of_ten(3.3e-13, "m") == "3.3·10⁻¹³ m"
    assert power_of_ten(0.0, "m") == "0 m"


def test_a_legend_has_room_for_its_words_on_a_phone():
    """There they are 13 px; the next sign begins after them."""
    x = np.linspace(0, 1, 5)
    lines = [ChartLine(label=f"stored: kinetic and potential {i}", x=x, y=x, colour="blue") for i in range(3)]
    svg = Chart(x_label="t", y_label="y", lines=lines, width=920.0).svg()
    signs = [float(m) for m in re.findall(r'd="M([\d.]+) [\d.]+h18"', svg)]
    words = [float(m) for m in re.findall(r'<text x="([\d.]+)" y="[\d.]+">stored', svg)]
    for begun, following in zip(words, signs[1:], strict=False):
        assert begun + 13 / 12 * text_width(lines[0].label, 12) < following


def test_points_are_points_in_the_legend_too():
    x = np.linspace(0, 1, 7)
    svg = Chart(x_label="t", y_label="y", lines=[ChartLine(label="a", x=x, y=x, colour="red", kind="points")]).svg()
    assert svg.count('class="dot red-fill"') == 8 and 'class="line' not in svg


def test_a_film_is_in_the_middle_of_its_picture():
    """On average over its moments, though one of them reaches far up."""
    robot = gw.load(robots.path("wrist"))
    poses = [{k: np.asarray(X) for k, X in robot.forward_kinematics({"pitch": p}).items()} for p in (0, 0, 0, -1.2)]
    film = Film(robot=robot, camera=FRONT, times=[0.0, 0.1, 0.2, 0.3], poses=poses)
    seen = [faces(robot, at, FRONT) for at in poses]
    window = film._window(seen, 400)
    heights = [[y for face in found for y in face.corners[:, 1]] for found in seen]
    assert window.top - window.height / 2 == pytest.approx(
        np.mean([(min(h) + max(h)) / 2 for h in heights]), rel=ROUNDING
    )
