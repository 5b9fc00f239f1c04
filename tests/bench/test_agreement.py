"""The check that comes before the clock: engines that compute the same pass, a changed model does not."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.bench.agreement import DisagreementError, agreement
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.robots import robots
from benchmarks.peers import installed
from tests.tolerances import ROUNDING

PEERS = installed()


@pytest.fixture(scope="module")
def arm():
    return robots(["arm"])[0]


@pytest.fixture(scope="module")
def ours(arm):
    return {True: Gearwright(arm, 1e-3), False: Gearwright(arm.uncoupled, 1e-3)}


def test_gearwright_agrees_with_itself(ours, arm):
    found = agreement(ours[True], Gearwright(arm, 1e-3))
    assert (found.mass_matrix, found.bias, found.trajectory) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("peer", PEERS)
def test_peers_agree(peer, ours, arm):
    contestant = PEERS[peer]
    found = agreement(ours[contestant.couplings], contestant(arm if contestant.couplings else arm.uncoupled, 1e-3))
    rounding = 1e-10 if peer == "bullet" else ROUNDING  # found there: 2e-11
    assert found.mass_matrix < rounding
    assert found.bias < rounding
    assert found.trajectory < contestant.trajectory_tolerance  # slack: what the bench calls agreement


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ('<mass value="3.2" />', '<mass value="3.3" />', "mass matrix"),
        ('xyz="0.0 -0.316 0.0"', 'xyz="0.0 -0.317 0.0"', "mass matrix"),
        ('damping="0.1"', 'damping="0.9"', "motion"),
        ('multiplier="1"', 'multiplier="0.5"', "mass matrix"),
        ('name="j3"', 'name="elbow"', "other joints: elbow, j3"),
    ],
)
def test_a_wrong_model_is_caught(before, after, what, ours, arm):
    assert before in arm.urdf
    wrong = Gearwright(replace(arm, urdf=arm.urdf.replace(before, after)), 1e-3)
    with pytest.raises(DisagreementError, match=what):
        agreement(ours[True], wrong)


def test_a_missing_coupling_is_caught(ours, arm):
    """Mass matrix and bias do not show it, the motion does."""
    with pytest.raises(DisagreementError, match="motion"):
        agreement(ours[True], ours[False])


def test_another_time_step_is_caught(ours, arm):
    with pytest.raises(DisagreementError, match="motion"):
        agreement(ours[True], Gearwright(arm, 1.1e-3))


def test_a_motion_that_is_no_number_is_caught(ours, arm):
    class Lost(Gearwright):
        title = "Lost"

        def position(self):
            return np.full(len(self.names), np.nan)

    with pytest.raises(DisagreementError, match="motion differs by nan"):
        agreement(ours[True], Lost(arm, 1e-3))
