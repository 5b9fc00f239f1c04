from __future__ import annotations

import json
import re

import pytest

import gearwright as gw
from gearwright import robots
from gearwright.display import as_data as module
from gearwright.display.as_data import as_data


@pytest.mark.parametrize("name", robots.names())
def test_it_is_json_without_infinities_and_complete(name: str):
    robot = gw.load(robots.path(name))
    data = json.loads(json.dumps(as_data(robot), allow_nan=False))
    assert [link["name"] for link in data["links"]] == list(robot.links)
    assert [j["name"] for j in data["joints"]] == [*robot.bases, *robot.joints]
    assert [j["name"] for j in data["joints"] if j["closes_loop"]] == [j.name for j in robot.tree.cuts]
    for family in ("couplings", "transmissions", "actuators", "sensors", "hardware"):
        assert [part["name"] for part in data[family]] == list(getattr(robot, family))


def test_every_key_is_documented():
    documented = set(re.findall(r"[a-z_]+", module.__doc__ or ""))
    robot = gw.load(robots.path("wrist"))
    data = as_data(robot)
    keys = set(data)
    for family in ("links", "joints", "couplings", "transmissions", "actuators", "hardware"):
        keys |= {key for part in data[family] for key in part}
    keys |= {key for joint in data["joints"] for axis in joint["axes"] for key in axis}
    assert keys <= documented


def test_a_link_called_world_is_the_world():
    link = "<link name='arm'/><joint name='j' type='fixed'><parent link='world'/><child link='arm'/></joint>"
    data = as_data(gw.loads(f"<robot name='r'><link name='world'/>{link}</robot>"))
    assert data["links"][0] == {"name": "world", "mass": 0.0, "parent": None, "joint": None}
