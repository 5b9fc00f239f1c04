"""Contacts, ground and terrain on the page, without a browser: what is sent to it."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw

pytest.importorskip("viser")
pytest.importorskip("trimesh")


@pytest.fixture
def page():
    world = gw.World()
    world.sphere("ball", radius=0.1, mass=1.0, pose=(0, 0, 0.1))
    world.ground(0.5, slope=(0.3, 0.0))
    with gw.view(world.finish(), port=0, block=False) as page:
        yield page


def lines(page, name):
    node = page._panel._contacts._nodes.get(name)
    return None if node is None or not node.visible else np.asarray(node.points)


def test_forces_start_where_links_touch(page) -> None:
    page.player.step(300)
    page.player.show()
    (contact,) = page.sim.contacts
    ((start, end),) = lines(page, "forces")
    assert start == pytest.approx(contact.point, abs=1e-6)
    along = (end - start) / np.linalg.norm(end - start)
    assert along == pytest.approx(contact.force / np.linalg.norm(contact.force), abs=1e-4)


def test_cones_are_drawn_on_demand(page) -> None:
    page.player.step(300)
    page.player.show()
    assert lines(page, "cones") is None
    page._panel._contacts.show("cones", True)
    (contact,) = page.sim.contacts
    rays = lines(page, "cones")[:12]
    rays = (rays[:, 1] - rays[:, 0]) / np.linalg.norm(rays[:, 1] - rays[:, 0], axis=1)[:, None]
    assert np.degrees(np.arccos(rays @ contact.normal)) == pytest.approx(np.degrees(np.arctan(0.5)), abs=1e-3)
    page._panel._contacts.show("cones", False)
    assert lines(page, "cones") is None


def test_a_ball_in_the_air_has_no_arrow(page) -> None:
    page.player.reset({"ball.z": 2.0})
    page.player.show()
    assert lines(page, "forces") is None


def test_an_object_is_pulled_like_a_link(page) -> None:
    page.player.reset({"ball.z": 0.2})
    page.player.grab("ball", np.array([0.0, 0.0, 0.2]))
    page.player.pull(np.array([0.0, 0.4, 0.3]))
    page.player.step(300)
    assert page.sim.position["ball.y"] > 0.05


def test_the_ground_lies_as_its_slope_says(page) -> None:
    (node,) = [d.node for link, d in page._panel._scene.visuals if link == "ground"]
    points = np.asarray(node.vertices)
    upper = points @ np.array([-0.3, 0.0, 1.0])
    assert upper.max() == pytest.approx(0, abs=1e-5)
    assert np.ptp(points[:, 0]) > 5


def test_terrain_is_drawn_from_its_image(tmp_path) -> None:
    from PIL import Image

    pixels = np.zeros((5, 9), np.uint8)
    pixels[0, :] = 255
    Image.fromarray(pixels).save(tmp_path / "hills.png")
    shape = "<geometry><heightmap><uri>{}</uri><size>8 4 2</size></heightmap></geometry>"
    links = "".join(
        f"<link name='{n}'><visual name='v'>{shape.format(uri)}</visual></link>"
        for n, uri in (("land", "hills.png"), ("gone", "none.png"))
    )
    file = tmp_path / "land.sdf"
    file.write_text(f"<sdf version='1.11'><model name='m'><static>true</static>{links}</model></sdf>")
    with gw.view(gw.load(file), port=0, block=False) as page:
        drawn = dict(page._panel._scene.visuals)
        points = np.asarray(drawn["land"].node.vertices)
        assert points[points[:, 1].argmax(), 2] == pytest.approx(2.0)
        assert points[points[:, 1].argmin(), 2] == 0.0
        assert drawn["gone"].missing
