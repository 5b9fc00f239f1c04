"""The default step as a whole, on a spinning body."""

from tests.dynamics.steps.spinning import body_on_a_ball, spun


def test_a_fast_spin_settles():
    """30 ms at 24 rad/s, with iterations that halve the error: in one substep."""
    for slots in spun(body_on_a_ball(), 24.0, 0.03, 20):
        assert slots["unsettled"] == [0.0]
        assert slots["substepping"][0] == 0.0
