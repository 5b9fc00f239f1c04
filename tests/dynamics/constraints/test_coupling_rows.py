"""Hard and compliant couplings: the PhysX document's equations (its numbers in brackets), ringing, convergence."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.constraints.compliant_springs import Spring
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.phases import WholeStep
from gearwright.dynamics.constraints.rows import CompliantCouplingRow
from gearwright.model import WORLD, AxisRef, Couplings
from tests.dynamics.random_mechanisms import flat, random_state, random_tree
from tests.dynamics.stepping import DT, one_step
from tests.dynamics.test_reduce import follow, wheels
from tests.tolerances import ROUNDING

SINGLE = ("revolute", "prismatic", "continuous", "screw", "revolute", "prismatic")


def case(seed, n_leaders=1, **mode):
    """A random tree with one coupling over random axes, a state that violates it, and efforts."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, kinds=SINGLE, passive=False)
    names = [str(n) for n in rng.permutation(list(tree.tree.coordinates))[: n_leaders + 1]]
    leaders = [(n, float(g)) for n, g in zip(names[1:], rng.normal(size=n_leaders) * 2, strict=True)]
    coupling = follow(names[0], *leaders, offset=0.3, reference=-0.2, **mode)
    q, v, _ = random_state(tree, rng)
    return tree, replace(tree, couplings=Couplings([coupling])), coupling, q, v, rng.normal(size=len(v))


def softness(coupling, r, dt):
    """erp and cfm: given, or from the natural frequency and the damping ratio, (22)–(29)."""
    if coupling.mode == "hard":
        return coupling.erp, 0.0
    kp = coupling.natural_frequency**2 / r
    kd = 2 * coupling.natural_frequency * coupling.damping_ratio / r
    return dt * kp / (dt * kp + kd), 1 / (dt * (dt * kp + kd))


def by_the_document(tree, coupling, q, v, effort, dt=DT):
    """(12)–(17): from the uncoupled step and unit test impulses, in plain NumPy."""
    free = Equations(tree)
    _, v_free = (flat(x) for x in free.step(q, v, effort, [], dt))
    response = np.linalg.inv(np.array(free.observer("mass_matrix")(q, [])))  # r_ij: speed of i for a unit impulse on j
    G, gamma = coupling.row
    at = {name: i for i, name in enumerate(free.coordinates)}
    C = gamma + sum(g * q[at[str(axis)]] for axis, g in G.items())
    Jv = sum(g * v_free[at[str(axis)]] for axis, g in G.items())
    r = sum(a * b * response[at[str(i)], at[str(j)]] for i, a in G.items() for j, b in G.items())
    erp, cfm = softness(coupling, r, dt)
    impulse = -(erp * C / dt + Jv) / (r + cfm)  # (12), (18)
    J = np.zeros(len(v))
    for axis, g in G.items():
        J[at[str(axis)]] = g
    return impulse, v_free + response @ J * impulse  # (13), (14): λ on A, λ·G on B


MODES = pytest.mark.parametrize(
    "mode",
    [
        {"mode": "hard"},
        {"mode": "hard", "erp": 1.0},
        {"mode": "compliant", "natural_frequency": 40.0, "damping_ratio": 0.3},
    ],
    ids=["hard", "hard erp 1", "compliant"],
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("leaders", [1, 2, 4])
@MODES
@pytest.mark.parametrize("seed", range(4))
def test_one_impulse_is_the_documents(seed, mode, leaders):
    """To 1e-12 of the largest velocity: the two ways differ by the rounding of a 6×6 solve, some 1e-14."""
    tree, coupled, coupling, q, v, effort = case(seed, leaders, **mode)
    impulse, v_after = by_the_document(tree, coupling, q, v, effort)
    _, velocity, impulses = one_step(Equations(coupled), q, v, effort)
    assert impulses == pytest.approx([impulse], rel=2e-14)
    assert np.abs(velocity - v_after).max() < ROUNDING * max(1.0, np.abs(v_after).max())


def test_across_a_fixed_root():
    """rAB = 0: r = rAA + G²·rBB (15)."""
    coupling = follow("w1", ("w0", 2.5), mode="hard", erp=0.2)
    _, _, (impulse,) = one_step(Equations(wheels([0.5, 0.2], [coupling])), [0.1, 0.2], [1.0, -2.0], [0.0, 0.0])
    C, Jv, r = 0.2 - 2.5 * 0.1, -2.0 - 2.5 * 1.0, 1 / 0.2 + 2.5**2 / 0.5
    assert impulse == pytest.approx(-(0.2 * C / DT + Jv) / r, rel=1e-13)


def side_by_side(left, right):
    """Two random trees on one fixed root, with the gravity of the first; the second's names end in a dash."""
    moved = {
        f"{n}'": replace(j, name=f"{n}'", child=f"{j.child}'", parent=j.parent if j.parent == WORLD else f"{j.parent}'")
        for n, j in right.joints.items()
    }
    links = {f"{n}'": replace(link, name=f"{n}'") for n, link in right.links.items()}
    return replace(left, links={**left.links, **links}, joints={**left.joints, **moved})


@pytest.mark.sampled(5)
@pytest.mark.parametrize("leaders", [1, 3])
@MODES
@pytest.mark.parametrize("seed", range(4))
def test_across_a_fixed_root_branches_answer_alone(seed, mode, leaders):
    """A follower in one random branch, its leaders in another: r is the sum of what each branch answers by itself.

    Each branch is stepped alone, as a robot of its own, and only the row knows of both.
    """
    rng = np.random.default_rng(seed)
    left = random_tree(seed, kinds=SINGLE, passive=False)
    right = replace(random_tree(seed + 50, kinds=SINGLE, passive=False), gravity=left.gravity)
    both = side_by_side(left, right)
    follower = str(rng.choice(list(left.tree.coordinates)))
    chosen = rng.permutation(list(right.tree.coordinates))[:leaders]
    G = dict(zip(map(str, chosen), rng.normal(size=leaders) * 2, strict=True))
    coupling = follow(follower, *((f"{n}'", -g) for n, g in G.items()), offset=0.3, **mode)

    C, Jv, r, after, state = -0.3, 0.0, 0.0, {}, []
    for tree, row, dash in ((left, {follower: 1.0}, ""), (right, G, "'")):
        q, v, _ = random_state(tree, rng)
        effort, alone = rng.normal(size=len(v)), Equations(tree)
        v_free = flat(alone.step(q, v, effort, [], DT)[1])
        J = np.array([row.get(n, 0.0) for n in alone.coordinates])
        answer = np.linalg.solve(np.array(alone.observer("mass_matrix")(q, [])), J)
        C, Jv, r = C + J @ q, Jv + J @ v_free, r + J @ answer
        after |= {f"{n}{dash}": (a, b) for n, a, b in zip(alone.coordinates, v_free, answer, strict=True)}
        state += [{f"{n}{dash}": x for n, x in zip(alone.coordinates, xs, strict=True)} for xs in (q, v, effort)]
    erp, cfm = softness(coupling, r, DT)
    impulse = -(erp * C / DT + Jv) / (r + cfm)

    equations = Equations(replace(both, couplings=Couplings([coupling])))
    start = [[(state[k] | state[k + 3])[n] for n in equations.coordinates] for k in range(3)]
    _, velocity, impulses = one_step(equations, *start)
    expected = np.array([after[n][0] + after[n][1] * impulse for n in equations.coordinates])
    assert impulses == pytest.approx([impulse], rel=2e-14)
    assert np.abs(velocity - expected).max() < ROUNDING * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("erp", [0.0, 0.2, 1.0])
def test_a_hard_error_decays_by_one_minus_erp(erp):
    equations = Equations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0), mode="hard", erp=erp)]))
    q, v = np.array([0.1, 0.7]), np.array([1.0, 2.0])
    for _ in range(10):
        before = q[1] + 3 * q[0]
        q, v, _ = one_step(equations, q, v, [0.3, -0.1])
        assert q[1] + 3 * q[0] == pytest.approx((1 - erp) * before, abs=1e-14)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("ratio", [-3.0, 0.01, 1.0, 200.0])
@pytest.mark.parametrize("mu", [5.0, 50.0, 500.0])
@pytest.mark.parametrize("zeta", [0.05, 0.7, 2.0])
def test_a_compliant_coupling_rings_as_it_says(mu, zeta, ratio):
    """Poles at −ζμ ± iμ√(1−ζ²) within 1 %, at any ratio.

    The step is linear, so its matrix has them: z = exp(s·dt). Implicit Euler moves a pole by |s|²·dt/2 along its
    phase; at μ·dt = 1e-4 and |s| ≤ (2 + √3)·μ that is 2e-4 of |s|, against ζμ ≥ 0.05μ 1e-3.
    """
    dt = 1e-4 / mu
    coupling = follow("w1", ("w0", ratio), mode="compliant", natural_frequency=mu, damping_ratio=zeta)
    equations = Equations(wheels([0.5, 0.2], [coupling]))
    zero = np.zeros(2)
    columns = [np.concatenate(one_step(equations, x[:2], x[2:], zero, dt)[:2]) for x in np.eye(4)]
    z = np.linalg.eigvals(np.array(columns).T)
    poles = np.log(z[np.argsort(-np.abs(z - 1))[:2]]) / dt  # the other two are the free turning of both wheels
    expected = mu * (-zeta + np.array([1, -1]) * np.emath.sqrt(zeta**2 - 1))
    for s in expected:
        near = poles[np.argmin(np.abs(poles - s))]
        assert abs(near - s) < abs(s) ** 2 * dt  # twice what implicit Euler moves it by


@pytest.mark.parametrize(
    "mode", [{"mode": "hard"}, {"mode": "compliant", "damping_ratio": 1.0}], ids=lambda mode: mode["mode"]
)
def test_rows_converge_to_exact_at_first_order(mode):
    """A driven polynomial coupling over 0.2 s; a compliant one stiffened with the step, μ = 0.5/dt.

    Half the step, half a hard row's error, but for a second-order part of 4 % that is still there. A compliant row
    also has the static stretch of its spring, in 1/μ², which goes with dt²: between a half and a quarter.
    """
    tree, _, _, q, _, effort = case(3)
    names = list(tree.tree.coordinates)

    def end(dt, **mode):
        coupling = follow(names[0], (names[2], 0.7), powers=(0.4,), **mode)
        equations = Equations(replace(tree, couplings=Couplings([coupling])))
        x = dict(zip(names, q * 0.1, strict=True))
        x[names[0]] = coupling.position([x[names[2]]])
        q_u, u = np.array([x[n] for n in equations.positions]), np.zeros(len(equations.velocities))
        for _ in range(round(0.2 / dt)):
            if coupling.mode == "exact":
                q_u, u = (flat(y) for y in equations.step(q_u, u, effort, [], dt))
            else:
                q_u, u, _ = one_step(equations, q_u, u, effort, dt)
        return q_u[equations.positions.index(names[2])]

    def error(dt):
        soft = {"natural_frequency": 0.5 / dt} if mode["mode"] == "compliant" else {}
        return abs(end(dt, **mode, **soft) - end(dt))

    coarse, fine = error(1e-3), error(5e-4)
    assert coarse < 1e-4
    if mode["mode"] == "hard":
        assert coarse / fine == pytest.approx(2, rel=0.06)
    else:
        assert 2 < coarse / fine < 4


def test_the_leader_sees_the_follower_and_its_load():
    """I_L + m²·I_F to 1e-9, and no one-way mimic (dart#1756): an effort on the follower moves the leader."""
    equations = Equations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0), mode="hard")]))
    inertia = 0.5 + 9 * 0.2
    _, v, impulse = one_step(equations, [0.0, 0.0], [0.0, 0.0], [1.0, 0.0])
    assert v / DT == pytest.approx([1 / inertia, -3 / inertia], rel=1e-14)
    assert impulse[0] / DT == pytest.approx(-3 * 0.2 / inertia, rel=1e-14)
    _, v, _ = one_step(equations, [0.0, 0.0], [0.0, 0.0], [0.0, 1.0])
    assert v[0] / DT == pytest.approx(-3 / inertia, rel=1e-14)


def test_modes_mixed_in_one_robot():
    """w1 exact, w2 hard behind it, w3 compliant behind that, on axes that move nothing else."""
    rows = [
        follow("w1", ("w0", 2.0)),
        follow("w2", ("w1", -1.5), mode="hard"),
        follow("w3", ("w2", 0.5), mode="compliant", natural_frequency=300.0, damping_ratio=1.0),
    ]
    equations = Equations(wheels([0.5, 0.2, 0.1, 0.4], rows))
    assert equations.velocities == ("w0", "w2", "w3")
    q, v = np.zeros(3), np.zeros(3)
    for _ in range(400):
        q, v, impulses = one_step(equations, q, v, [1.0, 0, 0, 0])
    seen = 0.5 + 4 * 0.2 + 9 * 0.1 + 2.25 * 0.4
    assert v[0] == pytest.approx(0.4 / seen, rel=2e-14)
    assert impulses[1] / DT == pytest.approx(-1.5 / seen * 0.4, rel=2e-14)  # moves w3 and nothing else
    tree = flat(equations.observer("tree")(q, v, [])[2])
    assert np.abs(tree[:2]).max() < 1e-14  # a hard row without an initial error has none
    assert tree[2] == pytest.approx(1.5 / seen * 0.4 * (1 / 0.4 + 0.25 / 0.1) / 300**2, rel=1e-12)


def test_redundant_rows_are_as_good_as_one():
    """Two hard couplings of one pair: the second is implied, and nothing divides by zero."""
    once = Equations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0), mode="hard")]))
    again = replace(follow("w1", ("w0", -3.0), mode="hard"), name="again")
    twice = Equations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0), mode="hard"), again]))
    state = ([0.1, 0.2], [1.0, -2.0], [0.3, 0.1])
    assert one_step(twice, *state)[1] == pytest.approx(one_step(once, *state)[1], rel=1e-14)
    assert AxisRef("w1") == again.follower


def test_conflicting_rows_stay_finite():
    """w1 = −3·w0 and w1 = w0 + 1 can only both hold at one place, which is where they bring it."""
    rows = [
        follow("w1", ("w0", -3.0), mode="hard"),
        replace(follow("w1", ("w0", 1.0), offset=1.0, mode="hard"), name="b"),
    ]
    equations = Equations(wheels([0.5, 0.2], rows))
    q, v = np.zeros(2), np.array([1.0, -1.0])
    for _ in range(100):
        q, v, _ = one_step(equations, q, v, [0.0, 0.0])
    assert q == pytest.approx([-0.25, 0.75], abs=7e-10)  # found 2e-10
    assert v == pytest.approx([0.0, 0.0], abs=2e-7)  # of positions, 2e-10, over dt


def test_a_compliant_row_that_others_hold_stays_finite():
    """Its response has a floor of 1e-12 of what its axes would answer one by one: beyond that it is rounding."""
    tie = SimpleNamespace(name="c", jacobian=lambda q: {0: 1.0, 1: -2.0}, error=lambda q: 0.3)
    phase, diagonal = WholeStep(DT), [0.5, 0.25]
    apart = 1.0 / 0.5 + 4.0 / 0.25
    for response, r in ((1e-20, 1e-12 * apart), (0.01, 0.01)):
        now = Moment(phase, DT, SimpleNamespace(q=[], G=[{0: 1.0}, {1: 1.0}]), None, diagonal, lambda J, x=response: x)
        (line,) = CompliantCouplingRow(tie, Spring(40.0, 0.3, 40.0)).act(now)
        own = phase.oscillator(Spring(40.0, 0.3, 40.0))
        assert line.slope == pytest.approx(own.rate / r, rel=1e-12)
        assert line.constant == pytest.approx(-own.stretch * 0.3 / r, rel=1e-12)
        assert line.as_row == pytest.approx((-line.constant / line.slope, 1.0 / line.slope), rel=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(4))
def test_a_spring_is_the_same_in_the_matrix_and_as_a_row(seed, monkeypatch):
    """Found: 4e-16 of the largest velocity, 3e-16 of the impulse."""
    _, coupled, _, q, v, effort = case(seed, mode="compliant", natural_frequency=40.0, damping_ratio=0.3)
    found = []
    for fills in (True, False):
        monkeypatch.setattr(FrontalMatrix, "filled_in_by", lambda M, J, fills=fills: fills)
        found.append(one_step(Equations(coupled), q, v, effort)[1:])
    (v_row, impulse_row), (v_line, impulse_line) = found
    assert v_row == pytest.approx(v_line, abs=3e-15 * np.abs(v_line).max())
    assert impulse_row == pytest.approx(impulse_line, rel=2e-15)
