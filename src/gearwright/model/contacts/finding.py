"""The contacts of a mechanism: pairs of shapes that touch, and pairs that are not simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gearwright.errors import CompileError, shortened
from gearwright.model.contacts.choice import pairs_by_hand, pairs_by_rule
from gearwright.model.contacts.counts import is_simulated, is_simulated_once_read, point_count
from gearwright.model.contacts.pair import ContactPair, ContactSide, ContactSurface
from gearwright.model.geometry import Geometry, kind_name

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

OfFiles = Callable[[Geometry], Geometry]
MOST_POINTS = 400  # candidates of a mechanism: each is a slot and some code of every step


class FoundPairs(NamedTuple):
    """Pairs that are simulated, and pairs that are not."""

    contacts: tuple[ContactPair, ...]
    left_out: tuple[ContactPair, ...]


def find_contacts(
    m: Mechanism, wanted: Sequence[tuple[str, str]] | None = None, of_files: OfFiles | None = None
) -> FoundPairs:
    """Contacts by the rule, or between links that the caller names by patterns. Raises CompileError if there are too
    many.

    `of_files` makes shapes that touch of those that refer to a file; it is asked only where that would touch.
    """
    names = pairs_by_rule(m) if wanted is None else pairs_by_hand(m, wanted)
    made = of_files or (lambda g: g)
    shapes = [
        (a, b, *((made(ga), made(gb)) if is_simulated_once_read(ga.shape, gb.shape) else (ga, gb)))
        for a, b in names
        for ga in m.links[a].collisions
        for gb in m.links[b].collisions
        if collide(ga, gb)
    ]
    pairs = [
        ContactPair(a=ContactSide.of(a, ga), b=ContactSide.of(b, gb), surface=ContactSurface.of(ga.surface, gb.surface))
        for a, b, ga, gb in shapes
    ]
    simulated = [is_simulated(p.a.shape, p.b.shape) for p in pairs]
    found = FoundPairs(
        tuple(p for p, yes in zip(pairs, simulated, strict=True) if yes),
        tuple(p for p, yes in zip(pairs, simulated, strict=True) if not yes),
    )
    _check_count(m, found.contacts)
    return found


def collide(a: Geometry, b: Geometry) -> bool:
    """Whether they touch, by the bits that files give them."""
    return bool(a.collision_bits & b.collides_with or b.collision_bits & a.collides_with)


def with_contacts(
    m: Mechanism, wanted: Sequence[tuple[str, str]] | None = None, of_files: OfFiles | None = None
) -> tuple[Mechanism, list[str]]:
    """A copy with its contacts, and a message for each kind of pair that is left out."""
    found = find_contacts(m, wanted, of_files)
    by_kind: dict[str, dict[str, None]] = {}
    for p in found.left_out:
        kinds = " and a ".join(sorted(kind_name(side.shape) for side in (p.a, p.b)))
        by_kind.setdefault(kinds, {})[f"{p.a.link!r} and {p.b.link!r}"] = None
    return (replace(m, contacts=found.contacts) if found.contacts != m.contacts else m), [
        f"contact between a {kinds} is not simulated: {shortened([*pairs], 3)}" for kinds, pairs in by_kind.items()
    ]


def _check_count(m: Mechanism, pairs: Iterable[ContactPair]) -> None:
    by_links: dict[tuple[str, str], int] = {}
    for p in pairs:
        by_links[p.links] = by_links.get(p.links, 0) + point_count(p.a.shape, p.b.shape)
    count = sum(by_links.values())
    if count <= MOST_POINTS:
        return
    most = sorted(by_links.items(), key=lambda item: -item[1])[:3]
    listed = ", ".join(f"{a!r} and {b!r} ({n})" for (a, b), n in most)
    (a, b), _ = most[0]
    raise CompileError(
        f"{m.name!r} has {count} points where shapes may touch, more than {MOST_POINTS}; most of them belong "
        f"to {listed}. Choose those that matter: compile(contacts=[({a!r}, {b!r}), …]), with patterns such as '*_foot'"
    )
