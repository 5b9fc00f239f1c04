"""Warnings of a run: how many unsettled steps, and how far beyond a limit, are worth one."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from gearwright.sim.running.reporting import warn_beyond_limits, warn_unsettled


def warned(act, *arguments):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        act(*arguments)
    return [str(w.message) for w in found]


@pytest.mark.parametrize(("count", "steps", "expected"), [(2, 1500, 1), (1, 1500, 0), (15, 20_000, 0), (25, 20_000, 1)])
def test_one_step_in_a_thousand_may_not_settle(count, steps, expected):
    state = SimpleNamespace(parts={"unsettled"}, get=lambda slot: np.array([[count]]))
    sim = SimpleNamespace(batch=1, batch_state=state, dt=1e-3)
    assert len(warned(warn_unsettled, sim, 0, steps)) == expected


def start(q, names=None):
    names = names or [f"j{i}" for i in range(len(q))]
    units = dict.fromkeys(names, SimpleNamespace(position="rad"))
    layout = SimpleNamespace(
        ranges=(np.full(len(q), -1.0), np.full(len(q), 1.0)), loop_axes=(),
        names=SimpleNamespace(positions=SimpleNamespace(names=names)), units=units,
    )  # fmt: skip
    robot = SimpleNamespace(tree=SimpleNamespace(cuts=()))
    sim = SimpleNamespace(options=SimpleNamespace(integrator="midpoint"), layout=layout, robot=robot, batch=1)
    return warned(warn_beyond_limits, sim, np.array([q]))


@pytest.mark.parametrize(("beyond", "expected"), [(0.5e-9, 0), (2e-9, 1), (-0.5e-9, 0)])
def test_a_nanoradian_beyond_a_limit_is_on_it(beyond, expected):
    assert len(start([1.0 + beyond])) == expected
    assert len(start([-1.0 - beyond])) == expected


def test_four_joints_are_named():
    (text,) = start([1.5] * 6)
    assert "'j3'" in text and "'j4'" not in text and text.endswith("and 2 more")
    (text,) = start([1.5] * 4)
    assert "'j3'" in text and "more" not in text
