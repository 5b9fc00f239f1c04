"""A step without the contacts of what is far apart, beside the step with all of them (`dynamics.steps.apart`).

    apart                 are the pairs that the shorter step leaves out far apart?
    unless near:          the shorter step
    unless apart:         the step

Either leaves alone the robots of a block that take the other one. So a robot's bits do not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from gearwright.compiler import Address, Branch, Stage, Tape, stage
from gearwright.compiler.program import Body, Node, end_of, mapped_body, nodes_of
from gearwright.compiler.tape import Instruction, Store
from gearwright.model.layout.slots import SLOTS, StepSlot

if TYPE_CHECKING:
    from gearwright.dynamics import Equations

NEAR = "near_"  # before the names of the shorter step's stages and scratch slots


class FewContacts:
    """`near`: the same robot with fewer contacts."""

    def __init__(self, equations: Equations, near: Equations) -> None:
        kept = set(near.mechanism.contacts)
        self.apart = equations.apart([pair for pair in equations.mechanism.contacts if pair not in kept])
        self.places = equations.contact_rows(near.mechanism.contacts)  # of the shorter step's impulses
        self.left_out = [i for i in range(len(equations.rows)) if i not in {*self.places}]

    @staticmethod
    def fits(sizes: Mapping[str, int], shorter: Mapping[str, int]) -> bool:
        """Whether both steps keep the same between steps: without any contact, a mass matrix may have another form."""
        kept = {name for name in shorter if name in SLOTS} - {StepSlot.IMPULSE}
        return all(shorter[name] == sizes.get(name) for name in kept)

    def scratch(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Elements of the shorter step's slots for scratch."""
        return {NEAR + name: size for name, size in sizes.items() if name not in SLOTS}

    def beside(self, body: Body, shorter: Body) -> Body:
        asked = stage(self.apart)
        (far, _), (near, _) = sorted(asked.tape.writes())
        moved = tuple(map(self._renamed, mapped_body(shorter, self._moved)))
        return (
            asked,
            Branch(near, (*_left_alone(moved, near), self._forgotten(near))),
            Branch(far, _left_alone(body, far)),
        )

    def _address(self, address: Address) -> Address:
        slot, i = address
        if slot == StepSlot.IMPULSE:
            return Address(slot, self.places[i])
        return address if slot in SLOTS else Address(NEAR + slot, i)

    def _moved(self, tape: Tape) -> Tape:
        stores = (Store(self._address(address), value) for address, value in tape.stores)
        return Tape(tape.loading(self._address).instructions, tuple(sorted(stores)))

    def _renamed(self, node: Node) -> Node:
        """Its stages, and the slots that loops and branches end by."""
        if isinstance(node, Stage):
            return replace(node, name=NEAR + node.name)
        body = tuple(map(self._renamed, node.body))
        if isinstance(node, Branch):
            return replace(node, body=body, unless=self._address(Address(node.unless, 0)).slot)
        until = node.until and self._address(Address(node.until, 0)).slot
        return replace(node, body=body, until=until)

    def _forgotten(self, near: str) -> Stage:
        """Impulses of what is far apart are 0."""
        instructions, stores = [Instruction("load", (), Address(near, 0))], []
        for i in self.left_out:
            address = Address(StepSlot.IMPULSE, i)
            instructions.append(Instruction("load", (), address))
            instructions.append(Instruction("if_else_zero", (0, len(instructions) - 1)))
            stores.append(Store(address, len(instructions) - 1))
        return Stage(f"{NEAR}forget", Tape(tuple(instructions), tuple(stores)))


def _left_alone(body: Body, by: str) -> Body:
    """The same for robots whose slot `by` is 0. Others keep what lasts, and no loop or branch waits for them."""
    ends = {end for node in nodes_of(body) if (end := end_of(node))}

    def masked(tape: Tape) -> Tape:
        instructions, stores = [*tape.instructions], []

        def emitted(op: str, args: tuple[int, ...] = (), data: Address | float | None = None) -> int:
            instructions.append(Instruction(op, args, data))
            return len(instructions) - 1

        flag, one = emitted("load", data=Address(by, 0)), emitted("const", data=1.0)
        for address, value in tape.stores:
            new = value
            if address.slot in SLOTS:
                new = emitted("select", (flag, emitted("load", data=address), value))
            elif address.slot in ends:
                new = emitted("select", (flag, one, value))
            stores.append(Store(address, new))
        return Tape(tuple(instructions), tuple(stores))

    return mapped_body(body, masked)
