"""The real four-bar linkage: Freudenstein's equation, a numerical loop closure, toggles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gearwright import FourBarLinkage, ModelError
from tests.tolerances import ROUNDING

ROCKER = FourBarLinkage(ground=4, input=1, coupler=3.5, output=3)
DRAG = FourBarLinkage(ground=1, input=3, coupler=2.5, output=2)
LINKAGES = {
    "crank and rocker": ROCKER,
    "double crank": DRAG,
    "double rocker": FourBarLinkage(ground=3, input=2.5, coupler=1, output=2),
    "no Grashof": FourBarLinkage(ground=3, input=2, coupler=2.2, output=1.9),
    "parallelogram-like": FourBarLinkage(ground=3, input=1, coupler=3.01, output=1.02),
}
both_branches = pytest.mark.parametrize("branch", [1, -1])
linkages = pytest.mark.parametrize("name", LINKAGES)


def reachable(t: FourBarLinkage, count: int = 400) -> np.ndarray:
    """Input angles that it reaches, a little away from its toggles."""
    a = np.linspace(-np.pi, np.pi, count) + 1e-3
    with np.errstate(invalid="ignore"):
        reached = np.isfinite(t.to_joints(a))
    near = [np.abs(np.angle(np.exp(1j * (a - x)))) < 0.02 for x in t.toggles.input]
    return a[reached & ~np.any(near, axis=0)] if near else a[reached]


@linkages
@both_branches
def test_the_loop_closes(name: str, branch: int) -> None:
    """Freudenstein's equation, and the coupler's length, at every input angle."""
    t = replace(LINKAGES[name], branch=branch)
    a = reachable(t)
    q = t.actuator_to_joint_position(a[:, None])[:, 0]
    g, r, b, c = t.ground, t.input, t.coupler, t.output
    K1, K2, K3 = g / r, g / c, (r**2 - b**2 + c**2 + g**2) / (2 * r * c)
    np.testing.assert_allclose(K1 * np.cos(q) - K2 * np.cos(a) + K3, np.cos(a - q), atol=ROUNDING, rtol=ROUNDING)
    coupler = r * np.exp(1j * a) - (g + c * np.exp(1j * q))
    np.testing.assert_allclose(np.abs(coupler), b, rtol=1e-12)


@linkages
@both_branches
@pytest.mark.parametrize("input_branch", [1, -1])
def test_the_way_back_closes_too(name: str, branch: int, input_branch: int) -> None:
    t = replace(LINKAGES[name], branch=branch, input_branch=input_branch)
    a = reachable(t)
    q = t.to_joints(a)
    with np.errstate(invalid="ignore"):
        back = t.to_actuators(q)
    # one of the two input branches is where it came from
    other = replace(t, input_branch=-input_branch).to_actuators(q)
    apart = [np.abs(np.angle(np.exp(1j * (x - a)))) for x in (back, other)]
    np.testing.assert_allclose(np.fmin(*apart), 0, atol=ROUNDING)
    mine = (apart[0] < 1e-6) & (apart[1] > 1e-3)
    if name == "double crank" and input_branch == -1:  # belongs to the other way of assembling it
        assert not mine.any()
        return
    assert mine.sum() > 5
    np.testing.assert_allclose(
        np.exp(1j * t.joint_to_actuator_position(q[mine][:, None])[:, 0]),
        np.exp(1j * a[mine]),
        atol=ROUNDING,
        rtol=ROUNDING,
    )


@linkages
@both_branches
def test_against_a_numerical_loop_closure(name: str, branch: int) -> None:
    """Newton's method on the vector loop for coupler and output angle, followed along the input."""
    t = replace(LINKAGES[name], branch=branch)
    a = reachable(t, 4000)
    a = a[: np.argmax(np.diff(a) > 0.01) + 1] if (np.diff(a) > 0.01).any() else a  # one stretch without a gap
    q = t.to_joints(a)
    B = t.ground + t.output * np.exp(1j * q[0])
    x = np.array([np.angle(B - t.input * np.exp(1j * a[0])), q[0]])
    for i in range(0, len(a), 5):
        for _ in range(20):
            gap = t.input * np.exp(1j * a[i]) + t.coupler * np.exp(1j * x[0]) - t.ground - t.output * np.exp(1j * x[1])
            columns = 1j * t.coupler * np.exp(1j * x[0]), -1j * t.output * np.exp(1j * x[1])
            J = np.array([[z.real for z in columns], [z.imag for z in columns]])
            x = x - np.linalg.solve(J, [gap.real, gap.imag])
        assert x[1] == pytest.approx(q[i], abs=4e-14)  # also without a jump by a turn


def test_toggles() -> None:
    assert ROCKER.toggles.input == () and len(ROCKER.toggles.output) == 2  # the crank goes round
    assert DRAG.toggles == ((), ())  # both go round
    rocker = LINKAGES["no Grashof"]
    for a in rocker.toggles.input:
        d = np.sqrt(rocker.ground**2 + rocker.input**2 - 2 * rocker.ground * rocker.input * np.cos(a))
        straight = min(abs(d - rocker.coupler - rocker.output), abs(d - abs(rocker.coupler - rocker.output)))
        assert straight < 1e-12
    for q in (*ROCKER.toggles.output, *rocker.toggles.output):
        t = ROCKER if q in ROCKER.toggles.output else rocker
        e = abs(t.ground + t.output * np.exp(1j * q))
        assert min(abs(e - t.input - t.coupler), abs(e - abs(t.input - t.coupler))) < 1e-12
    low, high = ROCKER.toggles.output
    swept = ROCKER.to_joints(np.linspace(-np.pi, np.pi, 100001))
    assert swept.min() == pytest.approx(low, abs=8e-10)  # a sine's peak between two of them, 6e-5 apart
    assert swept.max() == pytest.approx(high, abs=1e-10)  # the same


def test_beyond_a_toggle_is_an_error_and_never_nan() -> None:
    rocker = LINKAGES["no Grashof"]
    edge = max(rocker.toggles.input)
    assert np.isfinite(rocker.actuator_to_joint_position(edge - 1e-6))
    with pytest.raises(ModelError, match=rf"does not reach the input angle .* toggles are at .*{edge:.6g}"):
        rocker.actuator_to_joint_position(edge + 1e-6)
    low, high = ROCKER.toggles.output
    for beyond in (low - 1e-6, high + 1e-6):
        for ask in (ROCKER.joint_to_actuator_position, ROCKER.actuator_per_joint_at):
            with pytest.raises(ModelError, match="does not reach the output angle"):
                ask(beyond)
        with pytest.raises(ModelError, match="does not reach the output angle"):
            ROCKER.actuator_to_joint_velocity(1.0, at=beyond)
    with pytest.raises(ModelError, match="is one of branch -1, not 1"):
        ROCKER.joint_to_actuator_position(-2.0)


def test_without_a_position_the_input_stands_upright() -> None:
    q = ROCKER.actuator_to_joint_position(np.pi / 2)
    assert ROCKER.actuator_to_joint_velocity(1.0) == ROCKER.actuator_to_joint_velocity(1.0, at=q)


def test_a_double_crank_goes_round_without_a_jump() -> None:
    """Both angles grow by a turn together, over as many turns as one likes."""
    for end in (DRAG.to_joints, DRAG.to_actuators):
        x = np.linspace(-7.0, 7.0, 2001)
        y = end(x)
        assert np.abs(np.diff(y)).max() < 0.05
        np.testing.assert_allclose(end(x + 2 * np.pi), y + 2 * np.pi, atol=ROUNDING, rtol=ROUNDING)


def test_a_parallelogram_is_one_to_one() -> None:
    t = FourBarLinkage(ground=3, input=1, coupler=3, output=1)
    a = np.linspace(0.1, 3.0, 20)[:, None]
    np.testing.assert_allclose(t.actuator_to_joint_position(a), a, atol=ROUNDING, rtol=ROUNDING)


def test_a_branch_is_the_other_ones_mirror_image(rng: np.random.Generator) -> None:
    mirrored = replace(ROCKER, branch=-1)
    q = rng.uniform(1.8, 2.4, 9)
    np.testing.assert_allclose(mirrored.to_actuators(-q), -ROCKER.to_actuators(q), rtol=1e-14)


def test_random_linkages(rng: np.random.Generator) -> None:
    """Wherever the bars reach, the loop closes, both ways; toggles are where reaching ends."""
    tried = 0
    while tried < 100:
        lengths = dict(zip(("ground", "input", "coupler", "output"), rng.uniform(0.2, 2.0, 4), strict=True))
        try:
            t = FourBarLinkage(**lengths, branch=int(rng.choice([1, -1])), input_branch=int(rng.choice([1, -1])))
        except ModelError:  # either: no linkage has such bars
            continue
        tried += 1
        a = np.sort(
            np.concatenate([np.linspace(-np.pi, np.pi, 301), np.add.outer(t.toggles.input, [-1e-9, 1e-9]).ravel()])
        )
        with np.errstate(invalid="ignore"):
            q = t.to_joints(a)
        coupler = np.abs(t.input * np.exp(1j * a) - t.ground - t.output * np.exp(1j * q))
        reached = np.isfinite(q)
        np.testing.assert_allclose(coupler[reached], t.coupler, rtol=ROUNDING)
        ends = a[:-1][reached[1:] != reached[:-1]]
        np.testing.assert_allclose(
            np.sort(ends), t.toggles.input, rtol=0, atol=2e-9
        )  # between two that are 1e-9 beside it
        for x in t.toggles.output:  # a dead point: reached on one side, beyond the bars on the other
            with np.errstate(invalid="ignore"):
                there = np.isfinite(t.to_actuators(x + np.array([-1e-7, 1e-7])))
            assert there.sum() == 1
