"""Instructions that packs save, less those that put values into vectors and take them out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from gearwright.compiler.backends.cpu.llvm.operations import LANEWISE
from gearwright.compiler.backends.cpu.superword.packs import Pack, Packs
from gearwright.compiler.ops import HALVES, OUTSIDE
from gearwright.compiler.tape import Address

LONG = {"div": 4, "inv": 4, "sqrt": 4}  # operations that take as long as so many others
MAYBE_PACKED = 0.8  # of an extract, for a user that may still get into a pack
SPLAT = 0.5  # one lane in all lanes: often of a value in memory, which takes nothing
SCATTERED = 0.75  # of an instruction for a lane that is loaded alone: an operation takes its scalar from memory itself
STORED_ALONE = 0.25  # of an instruction for a lane that is stored alone: half of the lanes have to be moved first
TOGETHER = 0.5  # of a store that is not needed where elements are stored together


class PackGains:
    """Counts instructions. Elements of `movable` slots will be contiguous where packs want them so."""

    def __init__(self, packs: Packs, movable: Collection[str]) -> None:
        self.packs, self.movable = packs, movable

    def of_region(self, region: Sequence[Pack]) -> float:
        """Instructions that these packs save together."""
        wanted: dict[Pack, None] = {}
        found = 0.0
        for pack in region:
            found += self._operations(pack) - self._extracts(pack)
            wanted |= dict.fromkeys(self.packs.arguments(pack))
        return found - sum(self._inserts(arguments) for arguments in wanted)

    def at_most(self, region: Sequence[Pack]) -> float:
        """Instructions that these packs would save if nothing had to be moved."""
        return (1.0 + TOGETHER) * sum(map(self._operations, region))

    def of_pack(self, pack: Pack) -> float:
        """Instructions that one pack saves among the others."""
        packs = self.packs
        found = self._operations(pack) - self._extracts(pack)
        if pack in packs.wanted:
            found += len(pack) - 1  # its users would insert the values one by one
        for arguments in packs.arguments(pack):
            if packs.is_pack(arguments):
                found += sum([not packs.scalar_users[m] for m in arguments[1:]])  # extracts that scalars would need
            else:
                found -= self._inserts(arguments) / packs.wanted[arguments]  # shared by the users
        return found

    def _operations(self, pack: Pack) -> float:
        return (len(pack) - 1) * LONG.get(self.packs.instructions[pack[0]][0], 1)

    def _extracts(self, pack: Pack) -> float:
        """Instructions that take lanes out: the first is a register's own."""
        scalar_users, stored = self.packs.scalar_users, self.packs.likeness.stored
        found = 0.0
        for m in pack[1:]:
            if scalar_users[m]:
                found += MAYBE_PACKED
        if pack[0] in stored or pack[-1] in stored:
            found += self._stores([stored.get(m, []) for m in pack])
        return found

    def _stores(self, addresses: Sequence[Sequence[Address]]) -> float:
        together = all(addresses) and self._move_at_once([own[0] for own in addresses])
        return -TOGETHER * (len(addresses) - 1) if together else STORED_ALONE * len(addresses)

    def _move_at_once(self, addresses: Sequence[object]) -> bool:
        if not all(isinstance(a, Address) for a in addresses):
            return False
        first: Address = addresses[0]  # type: ignore[assignment]
        return all(
            a.slot == b.slot and (a.slot in self.movable or a.element + 1 == b.element)  # type: ignore[attr-defined]
            for a, b in pairwise((first, *addresses[1:]))
        )

    def _inserts(self, values: Pack) -> float:
        """Instructions that put values side by side."""
        packs = self.packs
        if packs.is_pack(values):
            return 0.0
        if values[0] == values[-1] and len({*values}) == 1:
            return SPLAT if values[0] in packs.by_value else 0.0
        if packs.instructions[values[0]][0] not in LANEWISE:
            ops = {packs.instructions[m][0] for m in values}
            if ops == {"const"} or ops <= {*HALVES}:
                return 0.0
            if ops <= {*OUTSIDE}:
                at_once = self._move_at_once([packs.instructions[m][2] for m in values])
                return 0.0 if at_once else SCATTERED * (len(values) - 1)
        sources = {packs.by_value.get(m) for m in values}
        if None not in sources and len(sources) <= 2:
            return float(len(sources))  # a shuffle takes two vectors
        return len(values) - 1 + sum([packs.lanes.get(m, 0) > 0 for m in values])
