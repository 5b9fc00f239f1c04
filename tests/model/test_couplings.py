"""Couplings: the algebra of multiplier, offset and reference, and chains of them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright import ModelError
from gearwright.model import AxisRef, Coupling, Couplings, Term, compose, in_order
from tests.tolerances import ROUNDING

numbers = st.floats(-10, 10)
draws = settings(max_examples=200, deadline=None, derandomize=True)


def coupling(follower: str, *leaders: tuple[str, float], name: str = "", **more: object) -> Coupling:
    terms = tuple(Term(AxisRef(n), f) for n, f in leaders)
    return Coupling(name=name or follower, follower=AxisRef(follower), leaders=terms, **more)  # type: ignore[arg-type]


@given(numbers, numbers, numbers, numbers)
@draws
def test_a_mimic_and_its_row_say_the_same(m: float, o: float, r: float, x: float) -> None:
    """follower = m·(leader − r) + o; C = 1·follower − m·leader + (m·r − o) = 0."""
    c = coupling("f", ("l", m), offset=o, reference=r)
    f = c.position([x])
    assert f == pytest.approx(m * (x - r) + o, rel=ROUNDING)
    G, gamma = c.row
    assert {AxisRef("f"): 1.0, AxisRef("l"): -m} == G
    assert gamma == pytest.approx(m * r - o, rel=ROUNDING)
    terms = abs(m * x) + abs(m * r) + abs(o)  # their sum cancels
    assert G[AxisRef("f")] * f + G[AxisRef("l")] * x + gamma == pytest.approx(0, abs=ROUNDING * (1 + terms))


@given(
    st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6), numbers, st.randoms(use_true_random=False)
)
@draws
def test_chains_compose_whatever_their_order(
    values: list[tuple[float, float, float]], x: float, random: object
) -> None:
    links = [coupling(f"q{i + 1}", (f"q{i}", m), offset=o, reference=r) for i, (m, o, r) in enumerate(values)]
    expected, size = x, abs(x)  # of the terms, which cancel
    for m, o, r in values:
        expected, size = m * (expected - r) + o, abs(m) * (size + abs(r)) + abs(o)
    shuffled = list(links)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    terms, offset = compose(shuffled)[AxisRef(f"q{len(values)}")]
    assert set(terms) == {AxisRef("q0")}
    assert terms[AxisRef("q0")] * x + offset == pytest.approx(expected, abs=ROUNDING * (1 + size))
    assert [c.name for c in in_order(shuffled)] == [c.name for c in links]


def test_sums_compose_term_by_term() -> None:
    found = compose([coupling("c", ("a", 2), ("b", 3), offset=1), coupling("d", ("c", 10), ("a", 1), offset=5)])
    assert found[AxisRef("d")].terms == {AxisRef("a"): 21, AxisRef("b"): 30}
    assert found[AxisRef("d")].offset == 15


def test_a_polynomial_ends_a_chain() -> None:
    found = compose([coupling("b", ("a", 1), powers=(1.0,)), coupling("c", ("b", 2))])
    assert found == {AxisRef("c"): ({AxisRef("b"): 2}, 0)}
    assert (
        coupling("b", ("a", 2), reference=1.0, offset=3.0, powers=(4.0, 5.0)).position([3.0])
        == 2 * 2 + 4 * 4 + 5 * 8 + 3
    )


@pytest.mark.parametrize("n", [2, 3, 10])
def test_circles_are_named(n: int) -> None:
    ring = [coupling(f"q{i}", (f"q{(i + 1) % n}", 1.0)) for i in range(n)]
    with pytest.raises(ModelError, match="q0 follows q1") as caught:
        in_order([coupling("outside", ("q0", 1.0)), *ring])
    assert str(caught.value).count("follows") == n


def test_long_chains_do_not_recurse() -> None:
    n = 5_000
    links = [coupling(f"q{i + 1}", (f"q{i}", 1.0), offset=1.0) for i in range(n)]
    assert compose(links[::-1])[AxisRef(f"q{n}")].offset == n


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"leaders": ()}, "no leader"),
        ({"offset": float("nan")}, "finite"),
        ({"reference": float("inf")}, "finite"),
        ({"leaders": (Term(AxisRef("f"), 1.0),)}, "itself"),
        ({"leaders": (Term(AxisRef("l"), float("inf")),)}, "finite"),
        ({"mode": "soft"}, "soft"),
        ({"mode": "compliant"}, "natural_frequency"),
        ({"mode": "compliant", "natural_frequency": 0, "damping_ratio": 1}, "positive"),
        ({"mode": "compliant", "natural_frequency": 1, "damping_ratio": -1}, "negative"),
        ({"erp": 1.5}, "erp"),
        ({"erp": float("nan")}, "erp"),
        ({"powers": (1.0,), "leaders": (Term(AxisRef("a"), 1.0), Term(AxisRef("b"), 1.0))}, "one leader"),
    ],
)
def test_what_cannot_be(values: dict[str, object], why: str) -> None:
    with pytest.raises(ModelError, match=why):
        Coupling(**{"name": "c", "follower": AxisRef("f"), "leaders": (Term(AxisRef("l"), 1.0),), **values})  # type: ignore[arg-type]


def test_formulas_for_people() -> None:
    assert coupling("left", ("right", 1)).formula == "left = 1·right + 0"
    assert coupling("left", ("right", -0.5), offset=-0.1).formula == "left = −0.5·right − 0.1"
    assert coupling("left", ("right", 2), reference=0.3).formula == "left = 2·(right − 0.3) + 0"
    assert coupling("left", ("right", 2), reference=-0.3).formula == "left = 2·(right + 0.3) + 0"
    assert coupling("a", ("b", 1), ("c", 2)).formula == "a = 1·b + 2·c + 0"


@given(numbers, numbers)
@draws
def test_formulas_hold(reference: float, x: float) -> None:
    """What a formula prints, evaluated, is the follower's position."""
    c = coupling("f", ("x", 2.0), offset=0.5, reference=reference, powers=(3.0,))
    text = c.formula.partition("=")[2].replace("·", "*").replace("−", "-").replace("^", "**")
    printed = 6e-6 * abs(reference * c.slopes([x])[0]) + 1e-10  # six digits of the reference
    assert eval(text, {"x": x}) == pytest.approx(c.position([x]), abs=printed)


def test_a_coupling_answers_to_its_alias() -> None:
    gears = coupling("out", ("in", 2), alias="gears")
    found = Couplings([gears])
    assert found["gears"] is found["out"] is gears
    assert list(found) == ["out"]
    with pytest.raises(KeyError, match="did you mean 'gears'"):
        found["geers"]
    with pytest.raises(ModelError, match="two couplings"):
        Couplings([gears, gears])


def test_an_alias_gives_way_to_a_name() -> None:
    a, b = coupling("out", ("in", 2), alias="x"), coupling("x", ("in", 3))
    assert Couplings([a, b])["x"] is b


def test_the_only_leader() -> None:
    c = coupling("a", ("b", 2))
    assert (c.leader, c.multiplier) == (AxisRef("b"), 2)
    with pytest.raises(ModelError, match="2 leaders"):
        _ = coupling("a", ("b", 1), ("c", 1)).multiplier


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        coupling("a", ("b", 2)).offset = 1  # type: ignore[misc]


@given(st.lists(numbers, min_size=3, max_size=3))
@draws
def test_compliant_rows_are_the_same_rows(values: list[float]) -> None:
    hard = coupling("f", ("l", values[0]), offset=values[1], reference=values[2], mode="hard")
    soft = coupling(
        "f",
        ("l", values[0]),
        offset=values[1],
        reference=values[2],
        mode="compliant",
        natural_frequency=9.0,
        damping_ratio=1.0,
    )
    assert hard.row == soft.row
    assert np.isfinite(hard.row[1])


def test_a_polynomial_is_the_same_of_numbers_arrays_and_symbols():
    import casadi
    import numpy as np

    from gearwright.model.couplings import FollowerPolynomial

    p = FollowerPolynomial((0.5,), offset=0.2, reference=0.1, powers=(0.3, -0.7))
    x = casadi.SX.sym("x")
    f = casadi.Function("f", [x], [p.position([x]), p.slopes([x])[0], p.curvature([x])])
    g = casadi.Function("g", [x], [casadi.gradient(p.position([x]), x), casadi.gradient(p.slopes([x])[0], x)])
    for at in (-1.3, 0.1, 2.0):
        numbers = (p.position([at]), p.slopes([at])[0], p.curvature([at]))
        assert [float(y) for y in f(at)] == pytest.approx(numbers, rel=1e-15)
        assert [float(y) for y in g(at)] == pytest.approx(numbers[1:], rel=1e-14, abs=1e-15)  # a few roundings
        assert p.position([np.array([at, at])]).tolist() == [numbers[0]] * 2
