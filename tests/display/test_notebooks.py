"""What a notebook shows of itself: names after a bracket, and recordings as pictures."""

import re
from base64 import b64decode
from functools import cache
from xml.sax.saxutils import escape

import pytest
from lxml import etree, html

import gearwright as gw
from gearwright.sim import compile
from tests.sim.robots import GRIPPER


def test_names_are_completed():
    sim = compile(gw.load(GRIPPER))
    rec = sim.run(0.002)
    for values in (sim.position, rec.position, rec.velocity):
        assert {"left_finger", "right_finger"} <= set(values._ipython_key_completions_())
    assert sim.actuator._ipython_key_completions_() == ["motor"]


HOSTILE = '"><script>alert(1)</script>'
ARM = """<sdf version="1.9"><model name="{0}"><link name="{0}a"/><link name="b"/>
<joint name="{0}" type="continuous"><parent>{0}a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
<actuator name="{0}m" type="electric_motor"><joint>{0}</joint><stall_torque>1</stall_torque>
<no_load_speed>100</no_load_speed></actuator></model></sdf>"""


@cache
def shown():
    robot = gw.load(GRIPPER)
    sim = compile(robot)
    return {
        "robot": robot, "sim": sim, "batch": compile(gw.load("hand"), batch=3),
        "recording": sim.run(0.05, command={"motor": 0.01}), "motor": robot.actuators["motor"],
        "transmission": robot.transmissions["spindle"],
        "map": gw.DifferentialTransmission(actuator_reduction=(2.0, 2.0)),
        "linkage": gw.FourBarLinkage(ground=0.12, input=0.04, coupler=0.10, output=0.08),
        "ideal": gw.Actuator(name="ideal"), "empty": gw.Recording(sim.schema),
    }  # fmt: skip


NAMES = ("robot", "sim", "batch", "recording", "motor", "transmission", "map", "linkage", "ideal", "empty")


@pytest.mark.parametrize("name", NAMES)
def test_what_notebooks_show(name):
    pytest.importorskip("matplotlib")
    text = shown()[name]._repr_html_()
    pictures = pictures_of(text)
    expected = {"recording": 2, "robot": 1, "sim": 1, "batch": 1, "motor": 1, "linkage": 1}
    assert len(pictures) == expected.get(name, 0)
    assert len(text) < 150_000  # of a notebook that is kept
    html.fromstring(text)
    for kind, content in pictures:
        if kind == "image/svg+xml":
            assert b"prefers-color-scheme" in content and etree.fromstring(content).tag.endswith("svg")
        else:
            assert content.startswith(b"\x89PNG")


def test_words_of_notebooks():
    things = shown()
    assert "right_finger = motor/3141.6" in things["transmission"]._repr_html_()
    assert "50 mN·m stall" in things["motor"]._repr_html_()
    assert "first of 3 robots" in things["batch"]._repr_html_() and "and 10 more" in things["batch"]._repr_html_()
    assert "1 degree of freedom" in things["sim"]._repr_html_()


def test_names_run_nothing():
    robot = gw.loads(ARM.format(escape(HOSTILE, {'"': "&quot;"})))
    sim = compile(robot)
    for thing in (robot, sim, sim.run(0.01), *robot.actuators.values()):
        text = thing._repr_html_()
        texts = [text, *(content.decode() for kind, content in pictures_of(text) if kind == "image/svg+xml")]
        assert all("<script" not in found for found in texts)


def test_a_large_robot_is_a_line():
    links = "".join(
        f"<link name='l{i}'/><joint name='j{i}' type='continuous'><parent link='l0'/><child link='l{i}'/></joint>"
        for i in range(1, 400)
    )
    text = gw.loads(f"<robot name='fork'><link name='l0'/>{links}</robot>")._repr_html_()
    assert "400 links" in text and len(text) < 1000


def pictures_of(text):
    found = re.findall(r'(?:src|srcset)="data:([^;]+);base64,([^"]+)"', text)
    return [(kind, b64decode(content)) for kind, content in found]


def test_a_curve_ends_where_there_is_none():
    """The rocker of this linkage goes through a part of a turn only."""
    linkage = gw.FourBarLinkage(ground=0.12, input=0.08, coupler=0.10, output=0.04)
    ((_, content),) = pictures_of(linkage._repr_html_())
    lines = re.findall(r'class="line  orange" d="M([^"]+)"', content.decode())
    assert len(lines) == 1 and "nan" not in content.decode()
