"""Packs in memory: elements of scratch that are loaded or stored together become contiguous and move at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from gearwright.compiler.backends.cpu.superword.vectors import widths
from gearwright.compiler.program import Body, Branch, Program, SlotKind, Stage, mapped_body
from gearwright.compiler.tape import Address, Store, Tape


class VectorStore(NamedTuple):
    """One store, of a value or of a whole pack to contiguous elements; the first address is the store's own."""

    store: Store
    addresses: tuple[Address, ...]


def contiguous_load(tape: Tape, args: tuple[int, ...]) -> Address | None:
    """The first of the elements that a pack's arguments load, if these are contiguous in this order."""
    addresses = [tape.instructions[a].data for a in args]
    if not all(isinstance(a, Address) for a in addresses) or not _are_contiguous(addresses):  # type: ignore[arg-type]
        return None
    return addresses[0]  # type: ignore[return-value]


def _are_contiguous(addresses: list[Address]) -> bool:
    return all(a.slot == b.slot and a.element + 1 == b.element for a, b in pairwise(addresses))


def vector_stores(tape: Tape) -> Iterator[VectorStore]:
    """The tape's stores; those of a pack's lanes to contiguous elements as one."""
    wide = widths(tape)
    for pack, stores in _by_pack(tape):
        whole = pack is not None and [_lane(tape, s.value) for s in stores] == list(range(wide[pack]))
        if pack is not None and whole and _are_contiguous([s.address for s in stores]):
            yield VectorStore(Store(stores[0].address, pack), tuple(s.address for s in stores))
        else:
            yield from (VectorStore(s, (s.address,)) for s in stores)


def _by_pack(tape: Tape) -> Iterator[tuple[int | None, list[Store]]]:
    """Stores in order of lanes of one pack; the others with None."""
    packs: dict[tuple[int | None, str], list[Store]] = {}
    for store in tape.stores:
        op, args, _ = tape.instructions[store.value]
        pack = args[0] if op == "lane" else None
        packs.setdefault((pack, store.address.slot), []).append(store)
    for (pack, _), stores in packs.items():
        yield pack, stores if pack is None else sorted(stores, key=lambda s: _lane(tape, s.value))


def _lane(tape: Tape, value: int) -> int:
    return tape.instructions[value].data  # type: ignore[return-value]


def movable_slots(program: Program) -> frozenset[str]:
    """Slots of which only the program knows the order of elements."""
    return frozenset(slot.name for slot in program.of_kind(SlotKind.SCRATCH))


def contiguous_scratch(program: Program) -> Program:
    """The program, not verified, with the elements of scratch in an order in which packs are contiguous.

    Where stages want different orders, those inside of fewer branches come first: a step goes through them more often.
    """
    free = movable_slots(program)
    order: dict[str, dict[int, int]] = {name: {} for name in free}  # by element the width of its pack
    for elements in chain.from_iterable((*_loaded(own), *_stored(own)) for own in _by_branches(program.body)):
        own = order.get(elements[0].slot, {})
        if len({a.slot for a in elements}) == 1 and not any(a.element in own for a in elements):
            own |= dict.fromkeys((a.element for a in elements), len(elements))
    places = {name: _places(order[name], program.slot(name).size) for name in free if order[name]}
    if not places:
        return program
    return program.changed(program.slots, mapped_body(program.body, lambda tape: _moved(tape, places)), verified=False)


def _by_branches(body: Body) -> list[list[Stage]]:
    """Each stage once, by the number of branches that it is inside of."""
    least: dict[int, tuple[int, Stage]] = {}

    def look(body: Body, inside: int) -> None:
        for node in body:
            if isinstance(node, Stage):
                least[id(node)] = min(inside, least.get(id(node), (inside, node))[0]), node
            else:
                look(node.body, inside + isinstance(node, Branch))

    look(body, 0)
    most = max((inside for inside, _ in least.values()), default=0)
    return [[stage for inside, stage in least.values() if inside == n] for n in range(most + 1)]


def _loaded(stages: Iterable[Stage]) -> Iterator[tuple[Address, ...]]:
    for stage in stages:
        loads = stage.tape.instructions
        for op, args, _ in loads:
            if op == "pack" and all(loads[a].op == "load" for a in args):
                yield tuple(loads[a].data for a in args)  # type: ignore[misc]


def _stored(stages: Iterable[Stage]) -> Iterator[tuple[Address, ...]]:
    for stage in stages:
        yield from (tuple(s.address for s in stores) for pack, stores in _by_pack(stage.tape) if pack is not None)


def _places(width: dict[int, int], size: int) -> list[int]:
    """By element its new place: wide packs come first, so that none crosses a line of the cache, then what is alone."""
    places = [0] * size
    first = sorted(width, key=lambda e: (width[e] & (width[e] - 1), -width[e]))  # powers of two before others
    for place, element in enumerate((*first, *(e for e in range(size) if e not in width))):
        places[element] = place
    return places


def _moved(tape: Tape, places: dict[str, list[int]]) -> Tape:
    def moved(address: Address) -> Address:
        own = places.get(address.slot)
        return address if own is None else Address(address.slot, own[address.element])

    return Tape(tape.loading(moved).instructions, tuple(sorted(Store(moved(a), value) for a, value in tape.stores)))
