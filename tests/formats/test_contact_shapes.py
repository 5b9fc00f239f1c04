"""Meshes and images of heights as they touch: read once they do, thinned, and reported where they cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.shapes.height_field import HeightField
from gearwright.model.shapes.hull import Hull

trimesh = pytest.importorskip("trimesh")

MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def robot(folder: Path, shape: str, static: str = "") -> Path:
    file = folder / "world.sdf"
    collision = f"<collision name='c'>\n<geometry>{shape}</geometry></collision>"
    file.write_text(
        f"<sdf version='1.11'><world name='w'><model name='m'><link name='l'>{MASS}{collision}</link></model>"
        f"{static}</world></sdf>"
    )
    return file


def mesh(uri: str, scale: str = "1 1 1") -> str:
    return f"<mesh><uri>{uri}</uri><scale>{scale}</scale></mesh>"


def compiled(file: Path, **options: object) -> gw.Simulation:
    return gw.compile(gw.load(file), device="interpreter", **options)  # type: ignore[arg-type]


def test_a_mesh_touches_as_its_hull(tmp_path: Path) -> None:
    trimesh.creation.box((0.2, 0.4, 0.6)).export(tmp_path / "box.stl")
    sim = compiled(robot(tmp_path, mesh("box.stl", "1 1 2")), ground=True)
    (pair,) = sim.robot.contacts
    assert isinstance(pair.a.shape, Hull)
    corners = {(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.6, 0.6)}
    assert {tuple(np.round(v, 6)) for v in pair.a.shape.vertices} == corners
    assert not [d for d in sim.diagnostics if d.code == "contact-shape"]


def test_a_round_mesh_says_how_much_its_hull_misses(tmp_path: Path) -> None:
    trimesh.creation.icosphere(subdivisions=3, radius=0.1).export(tmp_path / "ball.obj")
    sim = compiled(robot(tmp_path, mesh("ball.obj")), ground=True)
    (found,) = [d for d in sim.diagnostics if d.code == "contact-shape"]
    assert found.severity == "info"
    assert "convex hull of 32 points" in found.message
    assert "mm inside it" in found.message
    shape = sim.robot.contacts[0].a.shape
    assert isinstance(shape, Hull)
    assert 0 < shape.error < 0.02


@pytest.mark.parametrize("uri, why", [("none.stl", "was not found"), ("broken.stl", "cannot be read|no triangles")])
def test_a_mesh_that_cannot_be_read_touches_nothing(tmp_path: Path, uri: str, why: str) -> None:
    (tmp_path / "broken.stl").write_text("solid nothing")
    file = robot(tmp_path, mesh(uri))
    with pytest.warns(gw.NotSimulatedWarning):
        sim = compiled(file, ground=True)
    (found,) = [d for d in sim.diagnostics if d.code == "contact-shape"]
    assert (found.severity, Path(found.file), found.line) == ("warning", file, 1)
    assert sim.robot.contacts == ()
    assert any(c in found.message for c in why.split("|"))


def test_a_mesh_is_looked_for_on_the_search_path(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "model").mkdir()
    trimesh.creation.box((0.2, 0.2, 0.2)).export(tmp_path / "elsewhere" / "box.stl")
    file = robot(tmp_path / "model", mesh("box.stl"))
    loaded = gw.load(file, search_path=[tmp_path / "elsewhere"])
    assert len(gw.compile(loaded, ground=True, device="interpreter").robot.contacts) == 1


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_a_mesh_that_touches_nothing_is_not_opened(tmp_path: Path) -> None:
    sim = compiled(robot(tmp_path, mesh("none.stl")))
    assert not [d for d in sim.diagnostics if d.code == "contact-shape"]


def test_an_image_is_terrain(tmp_path: Path) -> None:
    from PIL import Image

    pixels = np.zeros((9, 17), np.uint8)
    pixels[0, :] = 255  # its upper edge, which is y = +2
    Image.fromarray(pixels).save(tmp_path / "hills.png")
    image = "<heightmap><uri>hills.png</uri><size>8 4 2</size><pos>1 0 0</pos></heightmap>"
    ground = f"<collision name='g'><geometry>{image}</geometry></collision>"
    static = f"<model name='land'><static>true</static><link name='l'>{ground}</link></model>"
    sim = compiled(robot(tmp_path, "<sphere><radius>0.1</radius></sphere>", static))
    (pair,) = sim.robot.contacts
    field = pair.b.shape
    assert isinstance(field, HeightField)
    assert field.size == (8, 4)
    assert field.heights[-1] == (2.0,) * 17
    assert field.heights[0] == (0.0,) * 17
    assert pair.b.pose.p.tolist() == [1, 0, 0]


def test_two_meshes_are_not_simulated_and_said_by_name(tmp_path: Path) -> None:
    stone = f"<model name='stone'><link name='l'>{MASS}<collision name='c'><geometry>{mesh('none.stl')}</geometry>"
    file = robot(tmp_path, mesh("none.stl"), f"{stone}</collision></link></model>")
    with pytest.warns(gw.NotSimulatedWarning, match="a mesh and a mesh is not simulated: 'm::l' and 'stone::l'"):
        compiled(file)
