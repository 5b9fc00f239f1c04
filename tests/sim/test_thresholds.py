"""Numbers at which a simulation decides: a hair on either side of each, as `tests/contracts/guards.py` lists them."""

from types import SimpleNamespace

import numpy as np
import pytest

from gearwright.errors import ModelError, SimulationError
from gearwright.sim.options import coupled
from gearwright.sim.reset import loop_closure, loops
from gearwright.sim.reset.assembly import _agree
from gearwright.sim.reset.loop_branches import Way
from gearwright.sim.reset.loop_closure import LoopClosure
from gearwright.sim.reset.rotor_starts import _turning
from gearwright.sim.running import failing
from gearwright.sim.views.actuator_view import _short
from tests.dynamics.test_reduce import follow, wheels
from tests.tolerances import ROUNDING


@pytest.mark.parametrize(("opening", "refused"), [(0.5e-6, False), (2e-6, True)])
def test_velocities_that_open_a_loop_by_rounding(opening, refused):
    names = SimpleNamespace(free_velocities=[0, 1])
    J, u = np.array([[1.0, -1.0]]), np.array([1.0, 1.0 + opening])
    if refused:
        with pytest.raises(SimulationError, match="open"):
            loops._closing(names, J, u, {0, 1})
    else:
        assert (loops._closing(names, J, u, {0, 1}) == u).all()


class Parabola:
    """A loop of one coordinate that closes at x² = 2: its error, and the derivative."""

    dtype = np.dtype(float)

    def __init__(self):
        self.calls = 0

    def evaluate(self, slots):
        self.calls += 1
        x = float(slots["position"][0])
        return {"error": np.array([x * x - 2.0]), "jacobian": np.array([2.0 * x])}


def parabola(names):
    return LoopClosure(Parabola(), names, np.zeros(0))


@pytest.fixture
def slide(monkeypatch):
    """Moves are recorded, and made by addition."""
    moves = []

    def moved(names, q, du):
        moves.append(float(np.abs(du).max()))
        return q + du

    monkeypatch.setattr(loop_closure, "moved", moved)
    return SimpleNamespace(free_velocities=[0], free_positions=[0], joints=[], moves=moves)


def test_a_loop_is_closed_in_moves_of_a_third_of_a_radian(slide):
    """From 6 to √2 in moves of 0.3 at most, to 1e-12; a hundred of them are enough for that, and not for 60."""
    closed, error = parabola(slide).approached(np.array([6.0]), [0])
    assert max(slide.moves) == pytest.approx(0.3, rel=ROUNDING)
    assert float(closed[0]) == pytest.approx(2**0.5, abs=1e-12)
    assert error < 1e-12
    slide.moves.clear()
    parabola(slide).approached(np.array([60.0]), [0])
    assert len(slide.moves) == 100


def test_other_starts_are_tried_ever_further_away(slide):
    """Ten of them, from 3 mrad to 0.3 rad."""
    slide.moves.clear()
    starts = list(parabola(slide).around(np.array([1.0]), [0]))
    assert len(starts) == 10
    assert 0.03 < max(slide.moves) <= 0.3
    assert min(slide.moves) < 3e-2


@pytest.mark.parametrize(("left", "closes"), [(0.5e-9, True), (2e-9, False)])
def test_a_loop_that_rounding_keeps_open_counts_as_closed(slide, monkeypatch, left, closes):
    """A nanometre, in double precision."""
    monkeypatch.setattr(LoopClosure, "approached", lambda self, q, moving: (q, left))
    robot = SimpleNamespace(tree=SimpleNamespace(cuts=[]))
    arguments = (parabola(slide), robot, Way(np.array([1.0]), ()))
    if closes:
        loops._closed(*arguments)
    else:
        with pytest.raises(SimulationError, match="cannot be closed"):
            loops._closed(*arguments)


@pytest.mark.parametrize(("ratio", "said"), [(5e3, 0), (2e4, 1)])
def test_a_mass_ratio_that_is_worth_a_word(ratio, said):
    links = {n: SimpleNamespace(inertia=SimpleNamespace(mass=m)) for n, m in (("a", 1.0), ("b", ratio))}
    assert len(failing._mass_reason(SimpleNamespace(robot=SimpleNamespace(links=links)))) == said


@pytest.mark.parametrize(("left", "said"), [(5e-13, ["a", "b"]), (5e-12, [])])
def test_a_mass_matrix_is_singular_where_twelve_digits_are_lost(left, said):
    robot = SimpleNamespace(couplings={})
    M = np.array([[4.0, 2.0 - 2.0 * left, 0.0], [2.0 - 2.0 * left, 1.0, 0.0], [0.0, 0.0, 1.0]])
    sim = SimpleNamespace(robot=robot, coordinates=("a", "b", "c"), batch=1, mass_matrix=lambda: M)
    assert failing._moving_no_mass(sim, 0) == said


@pytest.mark.parametrize(("axes", "said"), [(40, 1), (41, 0)])
def test_the_mass_matrix_of_a_large_robot_is_not_compiled_for_a_message(axes, said):
    names = [f"j{i}" for i in range(axes)]
    units = dict.fromkeys(names, ("rad", "rad/s", "N·m"))
    sim = SimpleNamespace(
        effort={**dict.fromkeys(names, 0.0), "j0": 1e6}, coordinates=names, batch=1, dt=1e-3,
        mass_matrix=lambda: 1e-6 * np.eye(axes), layout=SimpleNamespace(names=SimpleNamespace(units=units)),
    )  # fmt: skip
    assert len(failing._effort_reason(sim, 0)) == said


def test_eight_numbers_of_an_array_are_printed():
    assert "shape" not in _short(np.zeros(8))
    assert _short(np.zeros(9)) == "array of shape (9,)"


@pytest.mark.parametrize(("off", "refused"), [(0.5e-9, False), (2e-9, True)])
def test_a_follower_that_is_given_agrees_to_nine_digits(off, refused):
    group = SimpleNamespace(names=["follower"])
    arguments = ("at", group, {0}, np.array([[1.0 + off]]), np.array([[1.0]]))
    if refused:
        with pytest.raises(ModelError, match="follower"):
            _agree(*arguments)
    else:
        _agree(*arguments)


def test_a_dead_point_gives_its_rotors_no_speed():
    """A row that is 1e-9 of the other moves nothing."""
    for weak, refused in ((0.0, True), (1.0, False)):
        joint_map = SimpleNamespace(
            actuators=2, joint_per_actuator_at=lambda a, weak=weak: np.array([[1.0, 0.0], [0.0, weak]])
        )
        transmission = SimpleNamespace(name="t", actuators=("m", "n"))
        if refused:
            with pytest.raises(ModelError, match="dead point"):
                _turning(transmission, joint_map, np.zeros(2), np.array([1.0, 1.0]))
        else:
            assert _turning(transmission, joint_map, np.zeros(2), np.array([1.0, 1.0])) == pytest.approx(
                [1.0, 1.0], rel=ROUNDING
            )


def test_a_coupling_that_is_made_compliant_is_stiff_and_does_not_ring():
    """100 rad/s at ζ = 1, where the file says nothing."""
    robot = wheels([1.0, 1.0], [follow("w1", ("w0", 2.0))])
    (made,) = coupled(robot, SimpleNamespace(coupling="compliant")).couplings.values()
    assert (made.natural_frequency, made.damping_ratio) == (100.0, 1.0)
