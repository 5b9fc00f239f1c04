"""One step of the variational midpoint, as the list of its calls.

    begin      M(q), p = M·v, a first guess of the mean velocity w
    pass       balance of momentum in the middle, w anew        until w has settled
    finish     q⁺ = q ⊕ dt·w, M(q⁺), v⁺ from p⁺
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algorithms import Matrix
from gearwright.dynamics.builder import Carrier, StepBuilder
from gearwright.dynamics.factorise import factorise
from gearwright.dynamics.midpoint import balance, momentum_after
from gearwright.dynamics.motion import Model, State
from gearwright.dynamics.phases import FirstHalf, SecondHalf, SpringDamper, with_lines
from gearwright.dynamics.reduce import Tree
from gearwright.dynamics.scalar import Scalar, greatest, is_number, is_zero, magnitude, minus, plus, times, total, where

PASSES = 8
SETTLED = 1e-4  # of the fastest axis: a pass that changes less is the last; the next would change a hundredth of it


def midpoint_step(build: StepBuilder, model: Model) -> None:
    dt = build["dt"][0]
    q, v = build["position"], build["velocity"]
    tree = model.tree(State(q, v))
    M = model.mass_matrix(model.configuration(tree), tree)
    with build.loop(1, until="fresh"):
        build.stage("prepare", {"mass": unknowns(M), "fresh": [1.0]})
    M = with_unknowns(M, build["mass"])
    first = FirstHalf(dt, diagonal(M, model.dof))
    springs = passive(model, tree)
    H, c = with_lines(M, [0.0] * model.dof, springs, first, dt)
    L, _ = with_lines({}, [0.0] * model.dof, springs, first, dt)
    keep = Carrier()
    H_factors, L, constant = model.factorised(H).mapped(keep), mapped(L, keep), [keep(x) for x in c]
    guess = [minus(times(2.0, a), b) for a, b in zip(v, build["mean"], strict=True)]
    build.stage("begin", {"mean": guess, "momentum": product(M, v), "begun": keep, "passed": [0.0]})

    with build.loop(PASSES, until="passed"):
        w, passed = build["mean"], build["passed"][0]
        middle = balance(model, q, build["momentum"], w, build["effort"], dt)
        lines = [minus(c, x) for c, x in zip(constant, product(L, w), strict=True)]
        d = H_factors.solve([minus(x, r) for x, r in zip(lines, middle.residual, strict=True)])
        u = [plus(x, y) for x, y in zip(w, d, strict=True)]
        settled = largest(d) <= times(SETTLED, greatest(1.0, largest(u)))
        kept = {"mean": (w, u), "force": (build_or_zero(build, "force", u), middle.force)}
        outputs = {name: [where(passed, a, x) for a, x in zip(*both, strict=True)] for name, both in kept.items()}
        if springs:
            outputs["impulse_mean"] = [minus(c, x) for c, x in zip(constant, product(L, u), strict=True)]
        build.stage("pass", {**outputs, "passed": [where(passed, 1.0, where(settled, 1.0, 0.0))]})

    w = build["mean"]
    impulse = build["impulse_mean"] if springs else [0.0] * model.dof
    after = model.advanced(q, w, dt)
    p = momentum_after(model, build["momentum"], w, build["force"], impulse, dt)
    there = model.tree(State(after, w))
    M = model.mass_matrix(model.configuration(there), there)
    second = SecondHalf(dt, diagonal(M, model.dof), w)
    H, b = with_lines(M, p, passive(model, there), second, dt)
    build.stage("finish", {"mass": unknowns(M), "position": after, "velocity": model.factorised(H).solve(b)})


def build_or_zero(build: StepBuilder, slot: str, like: Sequence[Scalar]) -> list[Scalar]:
    return build[slot] if slot in build else [0.0] * len(like)


def passive(model: Model, tree: Tree) -> list[SpringDamper]:
    """Dampers and springs of the axes."""
    axes, found = model.bodies.axes, []
    rows = zip(axes.damping, axes.stiffness, axes.reference, model.bodies.spring_positions, tree.G, strict=True)
    for d, k, q0, i, J in rows:
        if not (is_zero(d) and is_zero(k)):
            found.append(SpringDamper(J, k, d, 0.0 if is_zero(k) else minus(tree.q[i], q0)))
    return found


def unknowns(M: Matrix) -> list[Scalar]:
    return [x for x in M.values() if not is_number(x)]


def with_unknowns(M: Matrix, values: Sequence[Scalar]) -> Matrix:
    new = iter(values)
    return {entry: x if is_number(x) else next(new) for entry, x in M.items()}


def diagonal(M: Matrix, n: int) -> list[Scalar]:
    return [M[i, i] for i in range(n)]


def product(M: Matrix, x: Sequence[Scalar]) -> list[Scalar]:
    """M·x."""
    y: list[Scalar] = [0.0] * len(x)
    for (i, j), value in M.items():
        y[i] = plus(y[i], times(value, x[j]))
        if i != j:
            y[j] = plus(y[j], times(value, x[i]))
    return y


def mapped(M: Matrix, change: Carrier) -> Matrix:
    return {entry: change(x) for entry, x in M.items()}


def largest(a: Sequence[Scalar], b: Sequence[Scalar] | None = None) -> Scalar:
    """max |a − b|."""
    found: Scalar = 0.0
    for i, x in enumerate(a):
        found = greatest(found, magnitude(x if b is None else minus(x, b[i])))
    return found
