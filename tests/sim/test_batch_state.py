"""The numbers of a batch in memory, and the version by which others notice changes."""

import numpy as np
import pytest

from gearwright.sim import compile


@pytest.fixture
def state(double_pendulum):
    return compile(double_pendulum, batch=3).batch_state


CHANGES = {
    "touch": lambda s: s.touch(),
    "set": lambda s: s.set("effort", 1.0),
    "fill": lambda s: s.fill("effort", 0, np.arange(3.0)),
    "set_state": lambda s: s.set_state(np.zeros((1, sum(s.parts.values())))),
    "step": lambda s: s.instance.step(),
    "steps forward": lambda s: setattr(s, "steps", s.steps + 7),
    "steps back": lambda s: setattr(s, "steps", 0),
}


def test_the_version_grows_with_every_change(state):
    seen = [state.version]
    for _ in range(2):
        for change in CHANGES.values():
            change(state)
            seen.append(state.version)
    assert seen == sorted(set(seen))


def test_numbers_by_slot(state):
    state.fill("position", 1, np.array([1.0, 2.0, 3.0]))
    assert state.get("position").tolist() == [[0, 1], [0, 2], [0, 3]]
    state.set("velocity", [4.0, 5.0])
    assert state.state()[:, :4].tolist() == [[0, 1, 4, 5], [0, 2, 4, 5], [0, 3, 4, 5]]
    assert list(state.parts)[:2] == ["position", "velocity"] and state.has("dt") and not state.has("command")
