"""Terms over the independent velocities: matrix, push, places and impulses against NumPy."""

from types import SimpleNamespace

import numpy as np
import pytest

from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.constraints.moment import Moment, spring_damper
from gearwright.dynamics.constraints.phases import FirstHalf, WholeStep
from gearwright.dynamics.solve.laws import friction_and_stops
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Collected, Line, Polyline, Solved

G = [{0: 1.0}, {0: -2.0, 1: 1.0}, {1: 3.0}]  # three velocities of the tree over two independent ones
DENSE = np.array([[1.0, 0.0], [-2.0, 1.0], [0.0, 3.0]])
FULL = {(0, 0): 2.0, (1, 0): 0.5, (1, 1): 1.0}


def collected(terms, pattern=FULL):
    return Collected.of(terms, G, FrontalMatrix.of(pattern))


def test_lines_go_into_the_matrix():
    lines = [Line({0: 1.0}, 0.3, 2.0), Line({1: 1.0, 2: -1.0}, -0.7, 5.0)]
    found = collected(lines)
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]]) @ DENSE
    M = np.array([[2.0, 0.5], [0.5, 1.0]])
    H = found.matrix(FrontalMatrix.of(FULL)).entries
    assert [H[0, 0], H[1, 0], H[1, 1]] == pytest.approx(
        (M + rows.T @ np.diag([2.0, 5.0]) @ rows)[[0, 1, 1], [0, 0, 1]], rel=1e-12
    )
    assert found.push(2) == pytest.approx(rows.T @ [0.3, -0.7], rel=1e-12)
    assert not found.switching


def test_a_line_that_would_fill_the_matrix_is_a_row_where_it_may_be():
    tree = {(0, 0): 2.0, (1, 1): 1.0}
    line = Line({0: 1.0, 2: 1.0}, 0.3, 2.0, as_row=(-0.15, 0.5))
    (row,) = collected([line], tree).equalities
    assert (row.J, row.bias, row.cfm) == ({0: 1.0, 1: 3.0}, -0.15, 0.5)
    assert len(collected([line], FULL).lines) == 1
    assert len(collected([Line({0: 1.0, 2: 1.0}, 0.3, 2.0)], tree).lines) == 1


def test_impulses_come_back_in_the_order_of_the_terms(rng):
    law = friction_and_stops(1.0, None, None)
    terms = [Equality({0: 1.0}, -0.2), Line({2: 1.0}, 0.5, 2.0), Polyline({1: 1.0}, law), Line({0: 1.0}, 0.1, 1.0)]
    found = collected(terms)
    u, on_law, on_row = rng.normal(size=2), 0.7, -0.4
    solved = Solved(u.tolist(), [on_law], [on_row], [], [], True)
    impulses = found.impulses(solved)
    assert impulses == pytest.approx([on_row, 0.5 - 2.0 * 3.0 * u[1], on_law, 0.1 - u[0]], rel=1e-12)
    directions = DENSE[[0, 2, 1, 0]]
    assert found.total(solved) == pytest.approx(directions.T @ impulses, rel=1e-12)
    assert found.equalities[0].bias == -0.2


@pytest.mark.parametrize("phase", [WholeStep(0.1), FirstHalf(0.1, [2.0, 1.0])])
def test_a_spring_and_damper_is_its_force_where_it_is_sampled(phase):
    """`span·(−k·(x + ahead·r) − d·(r − wanted))`, for any rate r along J."""
    k, d, x, wanted, r = 30.0, 4.0, 0.2, 0.6, -1.3
    tree = SimpleNamespace(G=G)
    now = Moment(phase, 0.1, tree, None, [2.0, 1.0], None)
    line = spring_damper(now, {0: 1.0}, k, d, x, wanted)
    at = phase.sample({0: 1.0}, d + 0.1 * k)
    force = -k * (x + at.ahead * r - at.time * wanted) - d * (at.share * r - wanted)
    assert line.constant - line.slope * r == pytest.approx(phase.acts_for * force, rel=1e-14)
