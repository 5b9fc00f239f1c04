"""DART's cases."""

from __future__ import annotations

import gearwright as gw
from tests.corpus.peer_checks.asking import check, errors
from tests.corpus.peer_files import Case


@check("dart/parse_mimic", "sdf_applies")
def _dart_sdf(case: Case) -> None:
    c = gw.load(case.model).couplings["joint2"]
    assert (c.multiplier, c.offset) == (case.expected["multiplier"], case.expected["offset"])


@check("dart/parse_mimic", "sdf_missing_reference", "urdf_bad_leader")
def _dart_no_leader(case: Case) -> None:
    assert errors(case.model) == ["mimic-leader-not-found"]  # a difference: see differences


@check("dart/parse_mimic", "urdf")
def _dart_urdf(case: Case) -> None:
    robot, e = gw.load(case.model), case.expected
    (c,) = robot.couplings.values()
    assert (c.multiplier, c.offset) == (e["multiplier"], e["offset"])
    follower = robot.joints[c.follower.joint]
    assert follower.kind == e["follower_type"]
    assert [follower.axes[0].limits.lower, follower.axes[0].limits.upper] == [float(x) for x in e["follower_limits"]]


@check("dart/parse_mimic", "sdf_world_6_20")
def _dart_world(case: Case) -> None:
    (c,) = gw.load(case.model, model="mimic_model").couplings.values()
    assert (c.multiplier, c.offset) == (case.expected["multiplier"], case.expected["offset"])
    assert not gw.load(case.model, model="plain_model").couplings


@check("dart/transmissions_invalid", "skip_invalid")
def _dart_transmissions(case: Case) -> None:
    assert errors(case.model) == ["transmission-size", "transmission-ratio-zero"]  # a difference: see differences
