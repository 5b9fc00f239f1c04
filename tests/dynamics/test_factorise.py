"""The sparse factorisation: solves, fills nothing on a tree, divides once a pivot."""

import casadi
import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.factorise import factorise
from gearwright.errors import CompileError
from gearwright.model import WORLD, Joint, Link, Mechanism
from tests.dynamics.random_mechanisms import random_tree
from tests.tolerances import ROUNDING


def random_matrix(rng, n, pattern):
    A = np.zeros((n, n))
    for i, j in pattern:
        A[i, j] = A[j, i] = rng.normal()
    return A + np.diag(np.abs(A).sum(axis=1) + 0.1)


def lower(A):
    return {(i, j): float(A[i, j]) for i in range(len(A)) for j in range(i + 1) if A[i, j]}


@pytest.mark.parametrize("seed", range(10))
def test_solves(seed, rng):
    n = int(rng.integers(1, 12))
    pattern = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.4]
    A, b = random_matrix(rng, n, pattern), rng.normal(size=n)
    assert np.allclose(A @ factorise(lower(A), n).solve(b.tolist()), b, atol=ROUNDING, rtol=ROUNDING)


def test_branches_fill_nothing(rng):
    """Every coordinate coupled with those that carry it, and no others: RBDA's branch-induced sparsity."""
    parents = [-1, 0, 1, 1, 3, 0, 5, 5, 7]
    pattern = []
    for i in range(len(parents)):
        k = parents[i]
        while k >= 0:
            pattern.append((i, k))
            k = parents[k]
    factors = factorise(lower(random_matrix(rng, len(parents), pattern)), len(parents))
    assert sum(len(column) for column in factors.columns.values()) == len(pattern)


def test_one_division_a_pivot():
    step = Equations(random_tree(31, kinds=("revolute", "prismatic", "universal", "screw", "planar"))).step
    divisions = [step.instruction_id(k) in (casadi.OP_DIV, casadi.OP_INV) for k in range(step.n_instructions())]
    assert sum(divisions) == step.size1_in("velocity")


def test_a_coordinate_that_moves_no_mass_is_named():
    joint = Joint(name="idle", kind="ball", parent=WORLD, child="nothing")  # an axis would get a small armature
    mechanism = Mechanism(name="ghost", links={"nothing": Link(name="nothing")}, joints={"idle": joint})
    with pytest.raises(CompileError, match="idle"):
        _ = Equations(mechanism).step


def test_a_column_begins_with_what_is_found_first(rng):
    """A sum over it then waits for one unknown, the last."""
    n = 7
    A = {(i, j): 1.0 + (i == j) * n for i in range(n) for j in range(i + 1) if i == j or j != 2}
    factors = factorise(A, n)
    for k, column in factors.columns.items():
        places = [factors.order.index(i) for i in column]
        assert places == sorted(places, reverse=True)
        assert all(p > factors.order.index(k) for p in places)
