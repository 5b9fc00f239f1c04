"""Piece switching ends, and where it ends every law is on its polyline: by relations, and against Gauss–Seidel."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from casadi import SX, Function

from gearwright import load
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.compiler.program import function_program
from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.algebra.scalar import column, expression, scalars, without_simplification
from gearwright.dynamics.equations import Equations
from gearwright.dynamics.solve.choosing import STARTED, Progress
from gearwright.dynamics.solve.laws import friction_and_stops, saturated
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.switching import Problem
from gearwright.dynamics.solve.terms import Polyline
from tests.dynamics.solve.bench import Bench, iterated, random_matrices
from tests.dynamics.solve.kinds import KINDS, N, axes, random_axes
from tests.tolerances import ROUNDING

# What rounding leaves of complementarity and equalities, as a share of the fastest coordinate (found: 4e-14).
# Rows answer by a Schur complement; of those that depend on each other only their compliance, 1e-9, is left (found:
# 7e-11 and 5e-9 over 10,000).
EXACT = {"complementarity": 4e-13, "equality": 4e-13}
BY_ROWS = {"complementarity": 7e-10, "equality": 2e-8}


def problems(rng, kind, count, decades=1.0):
    make, parameters = KINDS[kind]
    H = random_matrices(rng, count, N, decades)
    d = np.einsum("kii->ki", H)
    b = np.einsum("kij,kj->ki", H, rng.normal(size=d.shape) / np.sqrt(d))
    p = parameters(rng, d)
    return Bench(N, p.shape[1], make), (H, b, p)


@pytest.mark.parametrize("count", [2000, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_problems_end_on_their_laws(kind, count, rng):
    bench, problem = problems(rng, kind, count)
    end = bench.solved(*problem)
    least = 0.9998 if any(len(a.J) > 1 for a in bench.polylines) else 1.0
    assert end.settled.mean() >= least
    allowed = BY_ROWS if bench.equalities or any(len(a.J) > 1 for a in bench.polylines) else EXACT
    errors = bench.errors(*problem, end)
    assert errors["residual"][end.settled].max() < 5e-13
    for what, most in allowed.items():
        assert errors[what][end.settled].max() < most, what


@pytest.mark.parametrize("decades", [3.0, 6.0])
def test_mass_ratios(decades, rng):
    """Inertias over 1e±3 and 1e±6."""
    bench, problem = problems(rng, "friction and stops", 5000, decades)
    end = bench.solved(*problem)
    assert end.settled.all()
    assert bench.errors(*problem, end)["complementarity"].max() < 1e-12


def gauss_seidel(H, b, f, lower, upper, sweeps):
    """The same by projected sweeps, problems side by side."""
    u, d = np.zeros_like(b), np.einsum("kii->ki", H)
    for _ in range(sweeps):
        for i in range(b.shape[1]):
            push = b[:, i] - np.einsum("kj,kj->k", H[:, i], u) + d[:, i] * u[:, i]
            free = (push - np.clip(push, -f[:, i], f[:, i])) / d[:, i]
            u[:, i] = np.clip(free, lower[:, i], upper[:, i])
    return u


def test_equals_gauss_seidel(rng):
    bench, (H, b, p) = problems(rng, "friction and stops", 300)
    end = bench.solved(H, b, p)
    f, lower, upper = p.reshape(-1, N, 3).transpose(2, 0, 1)
    expected = gauss_seidel(H, b, f, lower, upper, 8000)
    assert np.abs(end.u.T - expected).max() < ROUNDING


def test_what_has_settled_repeats_to_the_bit(rng):
    """So that a loop may go on for another robot."""
    for kind in ("drives with friction and stops", "hard coupling"):
        bench, (H, b, p) = problems(rng, kind, 50)
        end = bench.solved(H, b, p)
        step = bench.iteration.map(len(b))
        entries = np.array([H[:, i, j] for i, j in bench.pattern])
        progress = np.tile(np.array(STARTED)[:, None], (1, len(b)))
        again = [np.array(x) for x in step(entries, b.T, p.T, end.segments, progress, np.zeros_like(end.segments))]
        assert (again[6] == 1.0).all()
        for found, last in zip(again, (end.u, end.impulses, end.equalities, end.segments), strict=False):
            assert (found == last).all()


@pytest.mark.parametrize(
    ("friction", "lower", "upper", "push", "u"),
    [
        (0.0, 0.0, 0.0, 3.0, 0.0),  # held by two stops at once
        (0.0, 0.0, 1.0, 0.0, 0.0),  # on a vertex, with nothing to tell the segments apart
        (1.0, 0.0, 0.0, 1.0, 0.0),
        (1.0, -1.0, 1.0, 1.0, 0.0),  # as much as friction bears
        (1.0, -1.0, 1.0, 2.0, 0.5),
        (1.0, -1.0, 1.0, 3.0, 1.0),  # exactly to the stop
        (1.0, -1.0, 1.0, 9.0, 1.0),
        (1.0, -1.0, 1.0, -9.0, -1.0),
    ],
)
def test_vertices(friction, lower, upper, push, u):
    """H = 2, one axis; floats run the same lines."""
    problem = Problem({(0, 0): 2.0}, [push], [Polyline({0: 1.0}, friction_and_stops(friction, lower, upper))])
    for start in (-2.0, -1.0, 0.0, 1.0, 2.0) if friction else (-1.0, 0.0, 1.0):
        segments, progress, way = [start], STARTED, [0.0]
        for _ in range(6):
            found, (segments, progress, way) = iterated(problem, segments, progress, way)
        assert found.settled == 1.0
        assert found.u == [u]


def test_a_prescribed_motion_overcomes_friction_and_not_a_stop(rng):
    """Both hold the same coordinate: friction slides, a stop holds."""
    for law, u in ((friction_and_stops(5.0, None, None), 0.7), (friction_and_stops(0.0, -0.2, 0.2), 0.2)):
        problem = Problem({(0, 0): 2.0}, [0.1], [Polyline({0: 1.0}, law)], [Equality({0: 1.0}, -0.7)])
        segments, progress, way = [0.0], STARTED, [0.0]
        for _ in range(10):
            found, (segments, progress, way) = iterated(problem, segments, progress, way)
        assert found.settled == 1.0
        assert found.u == pytest.approx([u], abs=1e-14)


ROBOTS = {
    "panda_description/urdf/panda.urdf": 9,
    "ur_description/urdf/ur5_robot.urdf": 6,
    "pr2_description/urdf/pr2.urdf": 30,
    "talos_data/robots/talos_reduced.urdf": 32,
}


@pytest.mark.parametrize("file", ROBOTS)
def test_real_robots_take_few_solves(file, robot_data_folder, rng):
    """From cold, and from the segments of a step before: the pushes have changed by 1 %."""
    mass_matrix = Equations(load(robot_data_folder / file)).observer("mass_matrix")
    n, count = ROBOTS[file], 200
    q = rng.uniform(-1, 1, (mass_matrix.size1_in(0), 40))
    H = np.array([np.array(mass_matrix(x, [])) for x in q.T])[rng.integers(40, size=count)]
    pattern = [(i, j) for i in range(n) for j in range(i + 1) if np.abs(H[:, i, j]).max() > 1e-12]
    bench = Bench(
        n,
        3 * n,
        lambda p: ([Polyline({i: 1.0}, friction_and_stops(*p[3 * i : 3 * i + 3])) for i in range(n)], ()),
        pattern,
    )
    d = np.einsum("kii->ki", H)
    parameters = random_axes(rng, d)
    b = np.einsum("kij,kj->ki", H, rng.normal(size=d.shape) / np.sqrt(d))
    cold = bench.solved(H, b, parameters)
    warm = bench.solved(H, b + 0.01 * np.sqrt(d) * rng.normal(size=d.shape), parameters, cold)
    assert cold.settled.all()
    assert warm.settled.all()
    assert bench.errors(H, b, parameters, cold)["complementarity"].max() < 1e-12
    assert np.median(cold.solves) <= 6
    assert cold.solves.max() <= 20
    assert warm.solves.mean() <= 1.5


def operations(inputs, outputs) -> int:
    """Of the compiled tape, loads and constants not counted."""
    program = optimise_program(function_program(Function("count", inputs, outputs)))
    return sum(i.op not in ("load", "const") for i in program.stages[0].tape.instructions)


LAWS = {
    "friction and stops": (lambda p: friction_and_stops(*p), 43),
    "friction": (lambda p: friction_and_stops(p[0], None, None), 32),
    "stops": (lambda p: friction_and_stops(0.0, p[1], p[2]), 37),
    "limited drive": (lambda p: saturated(p[0], p[1], -p[2], p[2]), 48),
}


@pytest.mark.parametrize("law", LAWS)
def test_operations_a_law(law):
    """Beside the factorisation and the solve of a 7-axis arm: what a law on every axis adds, an axis."""
    n, (make, most) = 7, LAWS[law]
    pattern = [(i, j) for i in range(n) for j in range(i + 1)]
    H, b, p = SX.sym("H", len(pattern)), SX.sym("b", n), SX.sym("p", 3 * n)
    segments, tolerance = SX.sym("segments", n), SX.sym("tolerance")
    entries, each = dict(zip(pattern, scalars(H), strict=True)), scalars(p)
    plain = operations([H, b], [column(factorise(entries, n).solve(scalars(b)))])
    problem = Problem(entries, scalars(b), [Polyline({i: 1.0}, make(each[3 * i : 3 * i + 3])) for i in range(n)])
    found = problem.iterate(scalars(segments), expression(tolerance))
    with without_simplification():
        values = (found.u, found.impulses, found.segments, [found.settled])
        outputs = casadi.cse([column(x) for x in values])
    assert (operations([H, b, p, segments, tolerance], outputs) - plain) / n <= most


def test_a_law_that_leaves_its_piece_by_rounding_does_not_flicker(rng):
    """Axes that are pushed by exactly what friction bears, in a frame in which that is a sum of many."""
    bench, (H, b, p) = problems(rng, "friction and stops", 2000)
    end = bench.solved(H, b, p)
    f = p.reshape(-1, N, 3)[:, :, 0]
    p = p.copy().reshape(-1, N, 3)
    p[:, :, 0] = np.where(np.abs(end.segments.T) == 0, np.abs(end.impulses.T), f)  # stuck axes: on the edge of sliding
    edge = bench.solved(H, b, p.reshape(len(p), -1), end)
    assert edge.settled.all()
    assert np.abs(edge.u - end.u).max() < 1e-12
    assert edge.solves.max() <= 2


def test_axes_are_masked_and_not_rows():
    """Laws along coordinates need no Schur complement: no division but the pivots'."""
    n = 5
    pattern = [(i, j) for i in range(n) for j in range(i + 1)]
    H, p = SX.sym("H", len(pattern)), SX.sym("p", 3 * N)
    problem = Problem(dict(zip(pattern, scalars(H), strict=True)), [0.1] * n, axes(scalars(p))[:n])
    found = Function("u", [H, p], [column(problem.iterate([1.0] * n).u)])
    divisions = [found.instruction_id(k) in (casadi.OP_DIV, casadi.OP_INV) for k in range(found.n_instructions())]
    assert sum(divisions) == n


def slid(laws, progress):
    """The segments after one iteration of axes that all should slide, and the progress."""
    pushed = [Polyline({i: 1.0}, friction_and_stops(1.0, None, None)) for i in range(laws)]
    problem = Problem({(i, i): 1.0 for i in range(laws)}, [5.0] * laws, pushed)
    _, choice = iterated(problem, [0.0] * laws, progress, [0.0] * laws)
    return sum(map(abs, choice.segments)), choice.progress


@pytest.mark.parametrize(("laws", "stalled", "switched"), [(8, 2.0, 8), (8, 3.0, 1), (40, 9.0, 40), (40, 10.0, 1)])
def test_laws_switch_one_by_one_where_their_number_does_not_fall(laws, stalled, switched):
    """After three iterations, or as many as a quarter of the laws."""
    assert slid(laws, Progress(1.0, stalled, 1.0, 1.0, 0.0))[0] == switched


@pytest.mark.parametrize(
    ("stalled", "before", "after"), [(39.0, 1.0, 1.0), (40.0, 1.0, 1.1), (99.0, 100.0, 110.0), (99.0, 9.9e3, 1e4)]
)
def test_rounding_is_allowed_more_after_forty_iterations_without_a_fall(stalled, before, after):
    """A tenth more in each, up to ten thousand times of what it is taken for at first."""
    assert slid(1, Progress(1.0, stalled, before, 1.0, 0.0))[1].tolerance == pytest.approx(after, rel=1e-15)


def test_rounding_is_allowed_twice_as_much_where_a_single_switch_is_taken_back():
    """A monotone law that alone is wrong on both sides of a vertex stands at it."""
    first = slid(1, STARTED)[1]
    assert first.tolerance == 1.0
    back = first.undone  # to the segment that the law was on
    assert back > 0.0
    for undone, allowed in ((back + 1.0, 2.0), (back, 1.0), (0.0, 1.0)):  # it slides, on the next segment
        assert slid(1, Progress(1.0, 0.0, 1.0, 1.0, undone))[1].tolerance == allowed
    assert slid(2, STARTED)[1].undone == 0.0  # both switched
