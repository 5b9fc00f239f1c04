"""What makes a program valid, and how programs are hashed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gearwright.compiler import Address, Loop, Program, Slot, SlotKind, Stage, Tape
from gearwright.compiler.program import RULES
from gearwright.compiler.tape import Instruction, Store
from gearwright.errors import CompileError

S, U, W = (
    Slot(name=n, kind=k, shape=(1,)) for n, k in (("s", SlotKind.STATE), ("u", SlotKind.INPUT), ("w", SlotKind.SCRATCH))
)


def copy(source: str, target: str) -> Stage:
    return Stage(
        f"{source} to {target}",
        Tape((Instruction("load", (), Address(source, 0)),), (Store(Address(target, 0), 0),)),
    )


BROKEN: dict[str, dict[str, Any]] = {
    "names are unique": {"slots": (S, S), "body": ()},
    "slots exist": {"slots": (S,), "body": (copy("s", "nowhere"),)},
    "inputs and parameters are only read": {"slots": (S, U), "body": (copy("s", "u"),)},
    "written before read": {"slots": (S, W), "body": (copy("w", "s"),)},
    "counts are not negative": {"slots": (S,), "body": (Loop(-1, (copy("s", "s"),)),)},
    "ends of loops exist": {"slots": (S, W), "body": (Loop(2, (copy("s", "w"),), "w"),)},
    "bounds are positive, and of states": {"slots": (replace(U, bound=1.0),), "body": ()},
}


def test_every_rule_has_a_program_that_breaks_it() -> None:
    assert set(BROKEN) == set(RULES)


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_program_is_refused(rule: str) -> None:
    with pytest.raises(CompileError, match=rule):
        Program(name="p", **BROKEN[rule])


def test_elements_are_checked_against_slot_sizes() -> None:
    tape = Tape((Instruction("load", (), Address("s", 1)),), ())
    with pytest.raises(CompileError, match="outside its slot"):
        Program(name="p", slots=(S,), body=(Stage("x", tape),))


def test_the_hash_tells_different_programs_apart() -> None:
    def constant(value: float, count: int = 1, kind: SlotKind = SlotKind.STATE) -> Program:
        tape = Tape((Instruction("const", (), value),), (Store(Address("s", 0), 0),))
        return Program(
            name="p", slots=(Slot(name="s", kind=kind, shape=(1,)),), body=(Loop(count, (Stage("x", tape),)),)
        )

    programs = [
        constant(0.1),
        constant(0.1 + 2e-17),
        constant(0.0),
        constant(-0.0),
        constant(0.1, 2),
        constant(0.1, kind=SlotKind.OUTPUT),
    ]
    assert len({p.content_hash() for p in programs}) == len({(repr(p.body), repr(p.slots)) for p in programs}) == 6
    assert constant(0.1).content_hash() == programs[0].content_hash()
