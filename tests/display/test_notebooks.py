"""What a notebook shows of itself: names after a bracket, and recordings as pictures."""

import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.sim.robots import GRIPPER


def test_names_are_completed():
    sim = compile(gw.load(GRIPPER))
    rec = sim.run(0.002)
    for values in (sim.position, rec.position, rec.velocity):
        assert {"left_finger", "right_finger"} <= set(values._ipython_key_completions_())
    assert sim.actuator._ipython_key_completions_() == ["motor"]


def test_a_recording_is_a_picture():
    pytest.importorskip("matplotlib")
    text = compile(gw.load(GRIPPER)).run(0.02, command={"motor": 0.01})._repr_html_()
    assert "<svg" in text and "&lt;Recording of" in text
    assert "<svg" not in gw.Recording(compile(gw.load(GRIPPER)).schema)._repr_html_()
