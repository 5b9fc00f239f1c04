"""`gearwright run FILE --report page.html`: one page with everything in it."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.cli import app
from gearwright.demo.run_film import CAMERA, run_film
from gearwright.rendering.raster import FINER, RasterFilm, animated, drawn, png, sampled
from gearwright.rendering.triangles import link_triangles
from tests.sim.robots import FOLDER, GRIPPER

Image = pytest.importorskip("PIL.Image")


class Reader(HTMLParser):
    """Addresses and texts of a page; a tag that is not closed is found."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.addresses, self.text = [], [], ""

    def handle_starttag(self, tag, attrs) -> None:
        if tag not in ("meta", "img", "source", "link", "br"):
            self.open.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "srcset", "href") and v]

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        self.text += data


def report(tmp_path: Path, *arguments: str) -> Reader:
    path = tmp_path / "report.html"
    result = CliRunner().invoke(app, ["run", *arguments, "--report", str(path)])
    assert result.exit_code == 0, result.output
    assert str(path) in result.output.replace("\n", "")
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    assert reader.open == []
    assert all(a.startswith(("data:", "#")) for a in reader.addresses)  # it stands alone
    return reader


def test_pictures_plots_graph_and_figures(tmp_path: Path) -> None:
    found = report(tmp_path, str(GRIPPER), "--duration", "0.3", "--command", "motor=0.012", "--base", "fixed")
    for words in ("simulated in 300 steps", "did not converge", "Over time", "motor on its curve", "Diagnostics"):
        assert words in found.text
    for moment in ("60 ms", "120 ms", "180 ms", "240 ms", "300 ms"):  # the strip: equal times between
        assert moment in found.text
    assert "gripper.sdf" in found.text and "0.012 N·mcommand of motor" in found.text
    assert f"gearwright run {GRIPPER} --duration 0.3 --command motor=0.012 --report" in found.text
    assert "--base fixed" in found.text
    assert re.search(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹] mlargest coupling error", found.text)
    assert "total" in found.text
    assert "right_finger [m]0 → 0.040 … 0.04" in found.text
    assert any(a.startswith("data:image/svg+xml") for a in found.addresses)  # the graph


def test_of_a_batch_the_first(tmp_path: Path) -> None:
    assert (
        "2 robots; the pictures show the first"
        in report(tmp_path, str(GRIPPER), "--duration", "0.01", "--batch", "2").text
    )


def test_diagnostics_are_listed_with_lines(tmp_path: Path) -> None:
    file = tmp_path / "a & b.urdf"
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    mesh = '<visual><geometry><mesh filename="none.stl"/></geometry></visual>'
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/>'
    joint += '<axis xyz="1 0 0"/><limit lower="-1" uper="1" effort="1" velocity="1"/></joint>'
    text = f'<robot name="r">\n<link name="a">{link}{mesh}</link>\n<link name="b">{link}</link>\n{joint}\n</robot>'
    file.write_text(text)
    found = report(tmp_path, str(file), "--duration", "0.05")
    assert "a & b.urdf:4: warning: attribute 'uper'" in found.text and "mesh 'none.stl' was not found" in found.text


def test_a_report_ends_in_html(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(GRIPPER), "--report", str(tmp_path / "a.pdf")])
    assert result.exit_code == 2 and "must end in .html" in result.output


def test_pixels_are_where_the_shape_is() -> None:
    """A ball of radius 1 fills π/4 of its square, and is lit from the upper left."""
    robot = gw.loads(
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        '<material name="m"><color rgba="0 1 0 1"/></material></visual></link></robot>'
    )
    shapes, X = link_triangles(robot, None), {"a": np.eye(4)}
    film = RasterFilm(shapes=shapes, camera=CAMERA, times=[0.0], poses=[X])
    frame = film._frame(120)
    image = drawn(sampled(shapes, frame.scale * FINER), X, CAMERA, frame)
    cover = image[..., 3].mean() / 255 * frame.width * frame.height / frame.scale**2
    assert cover == pytest.approx(np.pi, rel=0.06)  # points are two pixels wide: half a pixel at the rim
    assert image[40, 40, 1] > image[80, 80, 1] > 0 and image[60, 60, 0] == 0
    again = np.asarray(Image.open(io.BytesIO(png(image))))
    assert (again == image).all()
    moving = Image.open(io.BytesIO(animated([image, image[::-1]], 0.1)))
    assert moving.n_frames == 2
    moving.seek(1)
    assert (np.asarray(moving) == image[::-1]).all()


def test_a_robot_without_shapes_has_sticks() -> None:
    text = re.sub(r"(?s)<(visual|collision).*?</\1>", "", (FOLDER / "desk_arm.urdf").read_text())
    recording = gw.compile(gw.loads(text)).run(0.01)
    film, missing = run_film(recording, recording.robot)
    assert missing == [] and "data:image/png" in film.strip([0])[0]
