"""The spanning tree: every link once, the rest cut, the same every time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright import Mechanism, ModelError
from gearwright.model import WORLD, Axis, Inertia, Joint, Link, Pose
from gearwright.model.tree.topology import grow, roots, span
from tests.tolerances import ROUNDING

BODY = Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))


def joint(name: str, parent: str, child: str, kind: str = "revolute") -> Joint:
    axes = (Axis(),) if kind in ("revolute", "prismatic") else ()
    return Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        axes=axes,
        X_PJ=Pose.from_rpy((0.1, 0.2, 0.3), (0.3, 0.2, 0.1)),
    )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[Joint]]:
    """Links and joints at random: parts that hang on nothing, loops, joints between the same two links."""
    n = draw(st.integers(1, 12))
    links = [f"l{i}" for i in range(n)]
    ends = st.tuples(st.sampled_from([WORLD, *links]), st.sampled_from(links)).filter(lambda e: e[0] != e[1])
    pairs = draw(st.lists(ends, max_size=20)) if n > 1 else []
    kinds = draw(st.lists(st.sampled_from(("revolute", "fixed", "ball")), min_size=len(pairs), max_size=len(pairs)))
    return links, [joint(f"j{i}", p, c, k) for i, ((p, c), k) in enumerate(zip(pairs, kinds, strict=True))]


def mechanism(links: Sequence[str], joints: Sequence[Joint], cut: tuple[str, ...] = ()) -> Mechanism:
    kept, _ = span({j.name: j for j in joints}, cut)
    bases = {f"base_{r}": Joint(name=f"base_{r}", kind="floating", parent=WORLD, child=r) for r in roots(links, kept)}
    return Mechanism(
        name="m",
        links={n: Link(name=n, inertia=BODY) for n in links},
        joints={j.name: j for j in joints},
        bases=bases,
        cut=cut,
    )


draws = settings(max_examples=80, deadline=None, derandomize=True)


@given(graphs())
@draws
def test_the_tree_covers_every_link_once(graph: tuple[list[str], list[Joint]]) -> None:
    links, joints = graph
    m = mechanism(links, joints)
    assert sorted(b.link for b in m.tree.branches) == sorted(links)
    reached = {WORLD}
    for b in m.tree.branches:  # parents before children
        assert b.parent in reached
        assert {b.parent, b.link} == {b.joint.parent, b.joint.child}
        reached.add(b.link)
    assert len(m.tree.cuts) == len(joints) + len(m.bases) - len(links)
    assert {j.name for j in m.tree.cuts} | {j.name for j in m.tree.joints} == {*(j.name for j in joints), *m.bases}


@given(graphs())
@draws
def test_the_tree_is_deterministic(graph: tuple[list[str], list[Joint]]) -> None:
    one, two = mechanism(*graph), mechanism(*graph)
    assert one.tree == two.tree
    assert repr(one) == repr(two)


@given(graphs(), st.integers(0, 2**32))
@draws
def test_joints_hold_whichever_way_they_are_walked(graph: tuple[list[str], list[Joint]], seed: int) -> None:
    """The child stands where the joint puts it, at every position, also where the tree walks the joint backwards."""
    m = mechanism(*graph)
    rng = np.random.default_rng(seed)
    position = {n: float(rng.normal()) for n, j in m.joints.items() if j.kind == "revolute"}
    X, q = {**m.poses(position), WORLD: Pose(np.eye(3), np.zeros(3))}, m.configuration(position)
    cuts = {j.name for j in m.tree.cuts}
    for name, j in m.joints.items():
        if name not in cuts:
            np.testing.assert_allclose(
                (X[j.parent] @ j.X_PC(q[name])).matrix, X[j.child].matrix, atol=ROUNDING, rtol=ROUNDING
            )


def test_document_order_decides() -> None:
    joints = [joint("ab", "a", "b"), joint("ac", "a", "c"), joint("bd", "b", "d"), joint("cd", "c", "d")]
    m = mechanism("abcd", joints)
    assert [j.name for j in m.tree.cuts] == ["cd"]
    assert [j.name for j in mechanism("abcd", joints[::-1]).tree.cuts] == ["bd"]


def test_the_cut_can_be_named() -> None:
    joints = [joint("ab", "a", "b"), joint("ac", "a", "c"), joint("bd", "b", "d"), joint("cd", "c", "d")]
    for name in ("ab", "ac", "bd", "cd"):
        m = mechanism("abcd", joints, cut=(name,))
        assert [j.name for j in m.tree.cuts] == [name]
    with pytest.raises(ModelError, match="did you mean 'ab'"):
        mechanism("abcd", joints, cut=("abb",))


def test_a_joint_that_two_parts_hang_on_is_walked_backwards() -> None:
    m = mechanism("abc", [joint("w", WORLD, "a"), joint("ab", "a", "b"), joint("cb", "c", "b")])
    assert not m.tree.cuts
    assert [b.link for b in m.tree.branches] == ["a", "b", "c"]
    assert all(not b.backward for b in m.tree.branches)  # one axis: turned round instead
    ball = mechanism("abc", [joint("w", WORLD, "a"), joint("ab", "a", "b"), joint("cb", "c", "b", "ball")])
    assert [b.backward for b in ball.tree.branches] == [False, False, True]


def test_links_that_nothing_ties() -> None:
    with pytest.raises(ModelError, match="'b'"):
        grow(["a", "b"], [joint("w", WORLD, "a")], ())
    with pytest.raises(ModelError, match="root-multiple"):
        Mechanism(name="m", links={"a": Link(name="a")}, joints={})
