"""Programs as text, exact to the bit: JSON, one line."""

from __future__ import annotations

import json
from math import inf, isinf
from typing import Any

from gearwright.compiler.program import Body, Loop, Program, Slot, SlotKind, Stage
from gearwright.compiler.tape import Address, Instruction, Store, Tape


def to_text(program: Program) -> str:
    """One line of JSON. Python writes the shortest digits that read back as the same number."""
    slots = [[s.name, s.kind, s.shape, None if isinf(s.bound) else s.bound] for s in program.slots]
    return json.dumps([program.name, slots, _from_body(program.body)], separators=(",", ":"))


def from_text(text: str) -> Program:
    """The program that was written."""
    name, slots, body = json.loads(text)
    return Program(
        name=name,
        slots=tuple(
            Slot(name=n, kind=SlotKind(k), shape=tuple(shape), bound=inf if bound is None else bound)
            for n, k, shape, bound in slots
        ),
        body=_to_body(body),
    )


def _from_body(body: Body) -> list[Any]:
    return [
        [node.name, node.tape.instructions, node.tape.stores]
        if isinstance(node, Stage)
        else [node.count, node.until, _from_body(node.body)]
        for node in body
    ]


def _to_body(nodes: list[Any]) -> Body:
    return tuple(
        _stage(*node) if isinstance(node[0], str) else Loop(node[0], _to_body(node[2]), node[1]) for node in nodes
    )


def _stage(name: str, instructions: list[Any], stores: list[Any]) -> Stage:
    values = tuple(
        Instruction(op, tuple(args), Address(*data) if isinstance(data, list) else data)
        for op, args, data in instructions
    )
    return Stage(name, Tape(values, tuple(Store(Address(*address), value) for address, value in stores)))
