"""Programs as text, exact to the bit: JSON, one line."""

from __future__ import annotations

import json
from math import inf, isinf
from typing import Any

from gearwright.compiler.program import Body, Branch, Loop, Node, Program, Slot, SlotKind, Stage
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
    return [_from_node(node) for node in body]


def _from_node(node: Node) -> list[Any]:
    if isinstance(node, Stage):
        return ["stage", node.name, node.tape.instructions, node.tape.stores]
    if isinstance(node, Branch):
        return ["unless", node.unless, _from_body(node.body)]
    return ["loop", node.count, _from_body(node.body), node.until]


def _to_body(nodes: list[Any]) -> Body:
    return tuple(_to_node(*node) for node in nodes)


def _to_node(kind: str, *given: Any) -> Node:
    if kind == "stage":
        return _stage(*given)
    first, body, *rest = given
    return Branch(first, _to_body(body)) if kind == "unless" else Loop(first, _to_body(body), *rest)


def _stage(name: str, instructions: list[Any], stores: list[Any]) -> Stage:
    values = tuple(
        Instruction(op, tuple(args), Address(*data) if isinstance(data, list) else data)
        for op, args, data in instructions
    )
    return Stage(name, Tape(values, tuple(Store(Address(*address), value) for address, value in stores)))
