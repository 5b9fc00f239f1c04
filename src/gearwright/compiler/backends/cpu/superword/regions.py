"""Regions of alike code: from a few alike values to what they are computed of and what is computed of them.

Alike limbs are regions, and so are columns of a matrix that pass through the same body. A region grows along arguments
and users as long as these are alike in every lane, so that vectors are computed of vectors; it is kept if that takes
fewer instructions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from math import inf

from gearwright.compiler.backends.cpu.llvm.operations import LANEWISE
from gearwright.compiler.backends.cpu.superword.isomorphic import Likeness
from gearwright.compiler.backends.cpu.superword.pack_gains import PackGains
from gearwright.compiler.backends.cpu.superword.packs import Pack, Packs
from gearwright.compiler.tape import Tape

FAR, SHALLOW = 7, 4  # depths of the shapes of values that regions begin at: first those that are alike far down
NEAR = 2  # depth of the shape that tells the users of a value apart
ROUNDS = 4  # in which packs that do not pay are given up
LARGE = 0.01  # instructions that a region saves, of all: then it is compared with others
WORTHWHILE = 0.1  # instructions that a region saves, of those that it has
EFFORT = 6.0  # packs that are looked at, of all values


def find_packs(tape: Tape, widest: int, movable: Collection[str]) -> Packs:
    """The packs of regions: of large ones first. `movable`: as in `PackGains`."""
    regions = _Regions(tape, widest, movable)
    regions.begin_with_best()
    regions.begin_at(regions.alike(SHALLOW))
    regions.trim()
    return regions.packs


class _Regions:
    def __init__(self, tape: Tape, widest: int, movable: Collection[str]) -> None:
        self.widest = widest
        self.likeness = Likeness(tape, (FAR, SHALLOW, NEAR))
        self.instructions = tape.instructions
        self.near = self.likeness.shapes[NEAR]
        self.packs = Packs(self.likeness, FAR, NEAR)
        self.gains = PackGains(self.packs, movable)
        self.effort = EFFORT * len(tape.instructions)

    # --- where regions begin --------------------------------------------------------------------------------------

    def alike(self, depth: int) -> list[list[int]]:
        """Values of one shape and level, classes with few members first: these are the least ambiguous."""
        classes: dict[tuple[str, int, int], list[int]] = defaultdict(list)
        shapes, levels = self.likeness.shapes[depth], self.likeness.levels
        for i in self._free():
            classes[self.instructions[i][0], shapes[i], levels[i]].append(i)
        return sorted(classes.values(), key=lambda members: (len(members), -levels[members[0]]))

    def _free(self) -> Iterator[int]:
        taken = self.packs.by_value
        return (i for i, (op, _, _) in enumerate(self.instructions) if op in LANEWISE and i not in taken)

    def begin_at(self, classes: list[list[int]]) -> None:
        """A region at every class with free members."""
        taken = self.packs.by_value
        for members in classes:
            for lanes in self._beside_arguments(members) if len(members) > 1 else ():
                if len(lanes) > 1 and not any(m in taken for m in lanes):
                    self._try(lanes)
            left = [m for m in members if m not in taken]
            while len(left) > 1 and self.effort > 0:
                kept = self._try(tuple(left[: self.widest]))
                left = [m for m in left[0 if kept else self.widest :] if m not in taken]

    def begin_with_best(self) -> None:
        """The region that saves most of a few, as long as that is much: pairs of limbs, or fours of fingers.

        What a region saves becomes less as others are kept. So one that saved less before is not looked at again.
        """
        known: dict[Pack, float] = {}
        while self.effort > 0:
            most, best = LARGE * len(self.instructions), None
            seeds = self._few_of_each_size(self.alike(FAR))
            for seed in sorted(seeds, key=lambda seed: -known.get(seed, inf)):
                if known.get(seed, inf) > most and self._fits(seed):
                    region = self._grown(seed)
                    if self.gains.at_most(region) > most:
                        region = self._trimmed(region)
                        known[seed] = self.gains.of_region(region)
                    else:
                        known[seed] = 0.0
                    parts = {pack: self.packs.remove(pack) for pack in region}
                    if known[seed] > most:
                        most, best = known[seed], parts
            if best is None:
                return
            for pack, arguments in best.items():
                self.packs.add(pack, arguments)

    def trim(self) -> None:
        """Gives up packs that do not pay, now that all are known."""
        self._trimmed(self.packs.all())

    def _few_of_each_size(self, classes: list[list[int]]) -> Iterator[Pack]:
        """The first and the middle one of the classes with equally many members."""
        sizes: dict[int, list[list[int]]] = defaultdict(list)
        for members in classes:
            if len(members) > 1:
                sizes[min(len(members), self.widest + 1)].append(members)
        for own in sizes.values():
            for members in (own[0], own[len(own) // 2])[: len(own)]:
                yield tuple(members[: self.widest])

    def _beside_arguments(self, members: list[int]) -> list[Pack]:
        """Members in the lanes of packs that their arguments are in."""
        found: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        packs, lanes = self.packs.by_value, self.packs.lanes
        for m in members:
            packed = [a for a in self.instructions[m][1] if a in packs]
            if packed and m not in packs:
                found[tuple(packs[a][0] for a in packed)].setdefault(lanes[packed[0]], m)
        return [tuple(own[lane] for lane in sorted(own)) for own in found.values()]

    # --- how they grow --------------------------------------------------------------------------------------------

    def _try(self, seed: Pack) -> bool:
        if self.effort <= 0 or not self._fits(seed):
            return False
        region = self._trimmed(self._grown(seed))
        values = sum(map(len, region))
        if region and self.gains.of_region(region) >= WORTHWHILE * values:
            return True
        for pack in region:
            self.packs.remove(pack)
        return False

    def _grown(self, seed: Pack) -> list[Pack]:
        self.packs.add(seed)
        region = [seed]
        for pack in region:  # which becomes longer meanwhile
            for beside in (self.packs.arguments(pack), self._users(pack)):
                for members in beside:
                    if self._fits(members):
                        self.packs.add(members)
                        region.append(members)
        return region

    def _fits(self, members: Pack) -> bool:
        taken = self.packs.by_value
        for m in members:
            if m in taken:
                return False
        return self.likeness.may_be_lanes(members)

    def _trimmed(self, region: list[Pack]) -> list[Pack]:
        """The region without the packs that do not pay; where one is given up, its neighbours are looked at again."""
        packs, looked_at = self.packs, region
        for _ in range(ROUNDS):
            lost = [pack for pack in looked_at if self.gains.of_pack(pack) < 0]
            if not lost:
                break
            near: dict[Pack, None] = {}
            for pack in lost:
                near |= dict.fromkeys(packs.neighbours(pack))
                packs.remove(pack)
            looked_at = [pack for pack in near if packs.is_pack(pack)]
        self.effort -= len(region)
        return [pack for pack in region if packs.is_pack(pack)]

    def _users(self, pack: Pack) -> Iterator[Pack]:
        """Users of a pack's members, side by side where there is one of a kind in every lane."""
        users = [self._free_users(m) for m in pack]
        if not all(users):
            return
        by_lane = [self._by_kind(own, lane, closely=False) for lane, own in enumerate(users)]
        for kind in by_lane[0]:
            own = [found.get(kind, []) for found in by_lane]
            if all(len(found) == 1 for found in own):
                yield tuple([found[0] for found in own])
            elif all(own):
                closer = [self._by_kind(found, lane, closely=True) for lane, found in enumerate(own)]
                for closer_kind in closer[0]:
                    alone = [found.get(closer_kind, []) for found in closer]
                    if all(len(found) == 1 for found in alone):
                        yield tuple([found[0] for found in alone])

    def _free_users(self, value: int) -> list[int]:
        return [u for u in self.likeness.users[value] if u not in self.packs.by_value]

    def _by_kind(self, users: list[int], lane: int, *, closely: bool) -> dict[object, list[int]]:
        """Users by operation and shape; `closely`: by the packs that their arguments are in."""
        found: dict[object, list[int]] = defaultdict(list)
        for u in users:
            found[self._packed(u, lane) if closely else (self.instructions[u][0], self.near[u])].append(u)
        return found

    def _packed(self, value: int, lane: int) -> tuple[int, ...]:
        packs, lanes = self.packs.by_value, self.packs.lanes
        args = self.instructions[value][1]
        return tuple(sorted(packs[a][0] if a in packs and lanes[a] == lane else -1 - (a in packs) for a in args))
