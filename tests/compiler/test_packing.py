"""Isomorphic values in vectors: the bits that each value has alone, with fewer instructions."""

from __future__ import annotations

from collections import Counter

import casadi
import numpy as np
import pytest
from casadi import SX, Function
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright.compiler import Address, Program, Slot, SlotKind, Stage, Tape, compile_program, stage
from gearwright.compiler.backends.cpu import passes
from gearwright.compiler.backends.cpu.backend import Cpu
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm.loaded_code import assembly
from gearwright.compiler.backends.cpu.llvm.operations import LANEWISE
from gearwright.compiler.backends.cpu.scheduling import split
from gearwright.compiler.backends.cpu.scheduling.schedule import schedule
from gearwright.compiler.backends.cpu.superword import contiguous, vectors
from gearwright.compiler.backends.cpu.superword.acyclic import acyclic_order
from gearwright.compiler.backends.cpu.superword.contiguous import contiguous_load, vector_stores
from gearwright.compiler.backends.cpu.superword.isomorphic import Likeness
from gearwright.compiler.backends.cpu.superword.packing import pack_isomorphic
from gearwright.compiler.backends.cpu.superword.packs import Packs
from gearwright.compiler.backends.cpu.target import Target
from gearwright.compiler.backends.cuda.kernels import cuda_source
from gearwright.compiler.passes import optimise
from gearwright.compiler.program import function_program
from gearwright.compiler.tape import RULES, Instruction, Store
from gearwright.errors import CompileError
from tests.compiler.building import as_it_stands, program_of, same_bits, unpacked
from tests.compiler.interpreting import interpret_program
from tests.compiler.test_random_tapes import EXACT, INPUTS, OUTPUTS, tapes

OPTIONS = {"allow_duplicate_io_names": True}


def limb(q: SX, v: SX, base: SX, length: float) -> list[SX]:
    """A planar limb of three joints that is carried by a base: something of a robot's shape."""
    angle, x, y, speed = base[0], base[1], base[2], base[0] * 0.5
    found = []
    for k in range(3):
        angle, speed = angle + q[k], speed + v[k]
        x, y = x + length * (k + 1) * casadi.cos(angle), y + length * casadi.sin(angle)
        found.append(casadi.fmin(x * speed - y / (1.0 + speed**2), 3.0))
    return found


def limbs_program(limbs: int, mirrored: bool = True) -> Program:
    """Limbs on one base, in two stages with scratch between them. Mirrored ones differ in the signs of numbers."""
    q, v, base, f = SX.sym("q", 3 * limbs), SX.sym("v", 3 * limbs), SX.sym("base", 3), SX.sym("f", 3 * limbs)
    lengths = [0.3 * (-1) ** (i * mirrored) + 0.01 * i for i in range(limbs)]
    parts = [slice(i, None, limbs) for i in range(limbs)]
    forces = [limb(q[p], v[p], base, length) for p, length in zip(parts, lengths, strict=True)]
    by_limb = [x for each in forces for x in each]  # alike ones are not contiguous of their own accord
    places = [f[3 * i + k] for k in range(3) for i in range(limbs)]
    speeds = [x + 1e-3 * (y - x * y) for x, y in zip(casadi.vertsplit(v), places, strict=True)]
    angles = [x + 1e-3 * y for x, y in zip(casadi.vertsplit(q), speeds, strict=True)]
    first = stage(Function("first", [q, v, base], [casadi.vertcat(*by_limb)], ["q", "v", "base"], ["f"], OPTIONS))
    ends = [casadi.vertcat(*angles), casadi.vertcat(*speeds)]
    second = stage(Function("second", [q, v, f], ends, ["q", "v", "f"], ["q", "v"], OPTIONS))
    kinds = {"q": SlotKind.STATE, "v": SlotKind.STATE, "base": SlotKind.INPUT, "f": SlotKind.SCRATCH}
    sizes = {"q": 3 * limbs, "v": 3 * limbs, "base": 3, "f": 3 * limbs}
    slots = tuple(Slot(name=n, kind=kinds[n], shape=(sizes[n],)) for n in kinds)
    return Program(name="limbs", slots=slots, body=(first, second))


def moved(program: Program, **options: object) -> np.ndarray:
    instance = compile_program(program, cache=False, **options).instance(5)  # type: ignore[arg-type]
    rng = np.random.default_rng(2)
    for slot in ("q", "v", "base"):
        instance.set(slot, rng.uniform(-1, 1, (5, program.slot(slot).size)))
    assert instance.step(20)
    return np.concatenate([instance.get("q"), instance.get("v")], axis=1)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("limbs", [2, 3, 4, 5, 9])
def test_one_robot_with_alike_limbs_has_the_bits_of_a_robot_in_a_batch(limbs: int, precision: str) -> None:
    program = limbs_program(limbs)
    alone, batch = (moved(program, lanes=lanes, precision=precision) for lanes in (1, 4))
    assert same_bits(alone, batch)


@pytest.mark.parametrize("limbs", [2, 4])
@pytest.mark.parametrize("mirrored", [False, True])
def test_limbs_take_the_instructions_of_one(limbs: int, mirrored: bool) -> None:
    def work(lanes: int) -> int:
        made = passes.optimise_program(limbs_program(limbs, mirrored), lanes)
        moves = ("load", "const", "pack", "lane", "sincos", "pair_sin", "pair_cos")
        return sum(i.op not in moves for s in made.stages for i in s.tape.instructions)

    assert work(8) == 33 * limbs
    assert work(1) == 33


def test_packs_are_at_most_so_wide() -> None:
    for limbs, wide in ((2, 4), (6, 4)):  # two limbs, but all joints are integrated alike
        made = passes.optimise_program(limbs_program(limbs))
        assert max(w for s in made.stages for w in vectors.widths(s.tape)) == wide


def test_packs_are_no_wider_than_a_register(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEON holds two doubles; a processor without fused multiply-add computes lanes one by one."""
    made = {wide: passes.optimise_program(limbs_program(4), widest=wide) for wide in (1, 2)}
    widest = {wide: max(w for s in p.stages for w in vectors.widths(s.tape)) for wide, p in made.items()}
    assert widest == {1: 1, 2: 2}
    asked: list[int] = []

    def recorded(program: Program, lanes: int, wide: int) -> Program:
        asked.append(wide)
        return optimise_program(program, lanes, wide)

    optimise_program = passes.optimise_program
    monkeypatch.setattr(passes, "optimise_program", recorded)
    monkeypatch.setattr(Target, "lanes", lambda _, precision: {"double": 2, "single": 4}[precision])
    for precision in ("double", "single"):
        Cpu().code(limbs_program(2), precision, 1)
    assert asked == [2, 4]


def test_packed_tapes_mean_the_same() -> None:
    program = limbs_program(4)
    packed = passes.optimise_program(program)
    assert any(i.op == "pack" for s in packed.stages for i in s.tape.instructions)
    scalar = packed.map_tapes(unpacked)
    np.testing.assert_allclose(moved(scalar, device="interpreter"), moved(program, device="interpreter"), rtol=1e-12)


def repeated(tape: Tape, times: int) -> Tape:
    """The tape again and again, on other elements, with other numbers."""
    instructions, stores, n = [], [], len(tape.instructions)
    for k in range(times):
        for op, args, data in tape.instructions:
            new = Address("x", data.element + k * INPUTS) if isinstance(data, Address) else data
            new = data + 0.125 * k if op == "const" else new  # type: ignore[operator]
            instructions.append(Instruction(op, tuple(a + k * n for a in args), new))
        stores += [Store(Address("y", a.element + k * OUTPUTS), v + k * n) for a, v in tape.stores]
    return Tape(tuple(instructions), tuple(stores))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(tapes(EXACT), st.integers(2, 5))
def test_random_limbs_have_the_same_bits_packed_and_not(tape: Tape, limbs: int) -> None:
    plain = optimise(repeated(tape, limbs))
    packed = unpacked(pack_isomorphic(plain).verify(rules=vectors.RULES)).verify()
    x = np.random.default_rng(5).uniform(-3, 3, (7, INPUTS * limbs))
    x[0, 1:4] = 0.0, -0.0, np.nan
    programs = [program_of(t, INPUTS * limbs, OUTPUTS * limbs) for t in (plain, packed)]
    alone, together = (interpret_program(p, {"x": x}, batch=7).values["y"] for p in programs)
    assert same_bits(alone, together)
    compiled = [compile_program(programs[0], lanes=lanes, cache=False).evaluate({"x": x})["y"] for lanes in (1, 4)]
    assert same_bits(*compiled)


def moving_limbs(tape: Tape, limbs: int, sources: list[int]) -> Program:
    """Limbs that move: each stores what it computes of the state in the state, and in what a second stage adds up.

    Elements that no limb computes become others, `sources`: the old ones, though they are overwritten meanwhile.
    """
    first = optimise(repeated(tape, limbs))
    size, scratch = INPUTS * limbs, OUTPUTS * limbs
    loads = {i.data: n for n, i in enumerate(first.instructions) if i.op == "load"}
    instructions, stores = list(first.instructions), [*first.stores]  # to "y", the scratch
    for k, (_, value) in enumerate(first.stores):
        stores.append(Store(Address("x", INPUTS * (k // OUTPUTS) + k % OUTPUTS), value))
    for limb, source in enumerate(sources):
        address = Address("x", source % size)
        if address not in loads:
            loads[address] = len(instructions)
            instructions.append(Instruction("load", (), address))
        stores.append(Store(Address("x", INPUTS * limb + OUTPUTS), loads[address]))
    sums = [Instruction("load", (), Address(slot, k)) for slot in "xy" for k in range(scratch)]
    sums += [Instruction("add", (k, k + scratch)) for k in range(scratch)]
    ends = [Store(Address("x", k), 2 * scratch + k) for k in range(scratch)]
    slots = (
        Slot(name="x", kind=SlotKind.STATE, shape=(size,)),
        Slot(name="y", kind=SlotKind.SCRATCH, shape=(scratch,)),
    )
    body = (
        Stage("first", Tape(tuple(instructions), tuple(sorted(stores)))),
        Stage("second", Tape(tuple(sums), tuple(ends))),
    )
    return Program(name="moving", slots=slots, body=body)


def after(program: Program, steps: int, **options: object) -> np.ndarray:
    instance = compile_program(program, cache=False, **options).instance(3)  # type: ignore[arg-type]
    instance.set("x", np.random.default_rng(7).uniform(-3, 3, (3, program.slot("x").size)))
    instance.step(steps)  # ends early where a state is not finite
    return np.asarray(instance.get("x"))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(tapes(EXACT), st.integers(2, 5), st.integers(6, 30), st.lists(st.integers(0, 99), min_size=5, max_size=5))
def test_random_limbs_that_move_have_the_same_bits_packed_and_cut(
    tape: Tape, limbs: int, longest: int, sources: list[int]
) -> None:
    """A state that is read in one part of a stage and written in another is the old one wherever it is read."""
    program = moving_limbs(tape, limbs, sources[:limbs])
    plain = after(program, 2, device="interpreter")
    movable = contiguous.movable_slots(program)
    packed = program.map_tapes(lambda own: schedule(pack_isomorphic(own, 4, movable)), verified=False)
    parts = split.split_program(contiguous.contiguous_scratch(packed), longest).verify(vectors.RULES)
    assert same_bits(after(parts.map_tapes(unpacked), 2, device="interpreter"), plain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "split_program", lambda made: split.split_program(made, longest))
        cut = [after(program, 2, lanes=lanes) for lanes in (1, 4)]
    assert same_bits(*cut)


@pytest.mark.parametrize("longest", [20, 60])
def test_packs_cross_the_cuts_of_a_stage(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = moved(limbs_program(4), lanes=1)
    monkeypatch.setattr(passes, "split_program", lambda made: split.split_program(made, longest))
    made = passes.optimise_program(limbs_program(4))
    assert any(a.slot == split.SLOT for s in made.stages for a in s.tape.writes())
    assert same_bits(moved(limbs_program(4), lanes=1), whole)


def test_what_crosses_stages_together_is_one_load_and_one_store() -> None:
    made = passes.optimise_program(limbs_program(4))
    first, second = (s.tape for s in made.stages)
    stored = [t for t in vector_stores(first) if t.store.address.slot == "f"]
    assert [len(t.addresses) for t in stored] == [4, 4, 4]
    loads = [a for op, a, _ in second.instructions if op == "pack" and second.instructions[a[0]].op == "load"]
    places = [contiguous_load(second, args) for args in loads]
    assert Counter(p.slot for p in places if p is not None)["f"] == 3
    assert assembly(made, BlockLayout(made, 1), "double").count("store <4 x double>") >= 3


def test_an_element_that_is_packed_late_is_not_stored_early() -> None:
    """A tape reads what was there when it began, also where a load waits for its neighbour."""
    loads = [Instruction("load", (), Address("q", k)) for k in range(4)]
    sums = [Instruction("pack", (0, 1)), Instruction("pack", (2, 3)), Instruction("add", (4, 5))]
    lanes = [Instruction("lane", (6,), k) for k in range(2)]
    stores = [Store(Address("q", k), value) for k, value in enumerate((7, 8, 0, 1))]
    tape = Tape((*loads, *sums, *lanes), tuple(stores))
    slot = Slot(name="q", kind=SlotKind.STATE, shape=(4,))
    program = Program(name="late", slots=(slot,), body=()).changed((slot,), (Stage("late", tape),), verified=False)
    program.verify(vectors.RULES)
    instance = as_it_stands(program).instance(1)
    instance.set("q", [1.0, 2.0, 30.0, 40.0])
    assert instance.step(1)
    assert instance.get("q").tolist() == [[31.0, 42.0, 1.0, 2.0]]


def test_a_pack_that_does_not_pay_is_not_made() -> None:
    """Two products of unlike things, used by unlike things: four moves for one operation less."""
    x = SX.sym("x", 4)
    products = casadi.sqrt(x[0]) * casadi.fabs(x[1]), casadi.floor(x[2]) * casadi.ceil(x[3])
    out = casadi.vertcat(casadi.fabs(products[0]), casadi.sqrt(products[1]))
    tape = optimise(stage(Function("f", [x], [out], ["x"], ["y"])).tape)
    assert pack_isomorphic(tape) == tape


LOADS = tuple(Instruction("load", (), Address("x", k)) for k in range(2))
PACK = Instruction("pack", (0, 1))
LANE = Instruction("lane", (2,), 1)
BROKEN = {
    "lane of a scalar": ((*LOADS, Instruction("lane", (0,), 0)), "lane 0 of 1"),
    "no such lane": ((*LOADS, PACK, Instruction("lane", (2,), 2)), "lane 2 of 2"),
    "a lane between two": ((*LOADS, PACK, Instruction("lane", (2,), 0.0)), "lane 0.0 of 2"),
    "a lane without a number": ((*LOADS, PACK, Instruction("lane", (2,))), "lane None of 2"),
    "different widths": ((*LOADS, PACK, Instruction("add", (0, 2))), "add of 1, 2 lanes"),
    "a pack of packs": ((*LOADS, PACK, Instruction("pack", (2, 2))), "pack of 2 lanes"),
    "a function that is called": ((*LOADS, PACK, Instruction("exp", (2,))), "exp of 2 lanes"),
    "a remainder": ((*LOADS, PACK, Instruction("fmod", (2, 2))), "fmod of 2 lanes"),
    "an angle": ((*LOADS, PACK, Instruction("sincos", (2,))), "sincos of 2 lanes"),
    "nothing side by side": ((Instruction("pack", ()),), "pack takes 2 or more arguments, has 0"),
    "two arguments of a lane": ((*LOADS, PACK, Instruction("lane", (2, 2), 0)), "lane takes 1 arguments, has 2"),
    "no such op": ((Instruction("shuffle", ()),), "unknown op 'shuffle'"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_vectors_that_no_code_is_made_of_are_refused(name: str) -> None:
    instructions, complaint = BROKEN[name]
    with pytest.raises(CompileError, match=complaint):
        Tape(instructions, ()).verify(rules=vectors.RULES)


def test_a_vector_is_not_stored_whole() -> None:
    with pytest.raises(CompileError, match="holds 2 lanes"):
        Tape((*LOADS, PACK), (Store(Address("y", 0), 2),)).verify(rules=vectors.RULES)


def test_vectors_are_the_cpus_own() -> None:
    """Other back ends refuse them by name; every rule of scalar tapes holds for vectors, too."""
    tape = Tape((*LOADS, PACK, LANE), (Store(Address("y", 0), 3),)).verify(rules=vectors.RULES)
    plain = program_of(Tape(LOADS, (Store(Address("y", 0), 0),)), 2)
    packed = plain.changed(plain.slots, (Stage("packed", tape),), verified=False)
    with pytest.raises(CompileError, match=r"unknown op 'pack'.* known to that back end only"):
        cuda_source(packed, "double")  # C's text is made by the same passes
    assert set(RULES) <= set(vectors.RULES)


def test_every_lanewise_operation_has_the_bits_of_scalars() -> None:
    """All in one tape: two lanes of each."""
    instructions, stores = [Instruction("load", (), Address("x", k)) for k in range(6)], []
    for op in sorted(LANEWISE):
        first, arity = len(instructions), vectors.OPS[op].arity
        instructions += [Instruction("pack", (k, k + 3)) for k in range(arity)]
        instructions.append(Instruction(op, tuple(range(first, first + arity))))
        instructions += [Instruction("lane", (first + arity,), k) for k in range(2)]
        stores += [Store(Address("y", len(stores) + k), first + arity + 1 + k) for k in range(2)]
    tape = Tape(tuple(instructions), tuple(stores)).verify(rules=vectors.RULES)
    plain = program_of(unpacked(tape), 6, len(stores))
    packed = plain.changed(plain.slots, (Stage("packed", tape),), verified=False)
    x = np.random.default_rng(3).uniform(0.5, 3.0, (3, 6))
    got = as_it_stands(packed).evaluate({"x": x})["y"]
    assert same_bits(got, compile_program(plain, lanes=4, cache=False).evaluate({"x": x})["y"])


def test_packs_that_wait_for_each_other_are_taken_apart() -> None:
    """Of two pairs, one needs a value of the other and the other one of the first: one pair is computed alone."""
    loads = [Instruction("load", (), Address("x", k)) for k in range(2)]
    roots = [Instruction("sqrt", (k,)) for k in range(2)]  # 2 and 3
    chains = [Instruction("fabs", (2,)), Instruction("fabs", (1,)), Instruction("sqrt", (5,))]  # 4; 5 and 6
    tape = Tape((*loads, *roots, *chains), tuple(Store(Address("y", k), v) for k, v in enumerate((3, 4, 6))))
    packs = Packs(Likeness(tape, (2, 7)), order=7, near=2)
    packs.add((2, 6))  # √x₀, and √|x₁|
    packs.add((4, 5))  # |√x₀|, and |x₁|: after the first pair, and before it
    order = acyclic_order(tape, packs, lambda i: i)
    assert sorted(order) == [*range(7)]
    assert all(order.index(a) < order.index(i) for i, ins in enumerate(tape.instructions) for a in ins.args)
    assert packs.all() == [(4, 5)]


def columns_program(columns: int) -> Program:
    """Columns that pass one frame after the other, one more in each: those at work in a frame have had unlike fates."""
    q, x = SX.sym("q", columns), SX.sym("x", 2 * columns)
    c, s, own = casadi.cos(q), casadi.sin(q), list[SX]()
    for k in range(columns):
        own.append(x[2 * k : 2 * k + 2] * x[2 * k])
        own = [casadi.vertcat(c[k] * f[0] - s[k] * f[1], s[k] * f[0] + c[k] * f[1]) for f in own]
    return function_program(Function("columns", [q, x], [casadi.vertcat(*own)], ["q", "x"], ["y"]))


def test_columns_that_pass_a_frame_lie_side_by_side() -> None:
    made = [passes.optimise_program(columns_program(12), 1, widest) for widest in (1, 4)]
    work = [sum(i.op in LANEWISE for s in p.stages for i in s.tape.instructions) for p in made]
    assert work[1] < 0.5 * work[0]


def test_a_lane_that_repeats_another_is_not_the_next_element() -> None:
    """Squares of y₀, y₁, y₂ and y₂: a load of four elements would have y₃ in the last lane."""
    slots = tuple(Slot(name=name, kind=SlotKind.STATE, shape=(4,)) for name in ("x", "y"))
    loads = [Instruction("load", (), Address("y", k)) for k in range(3)]
    squares = [Instruction("pack", (0, 1, 2, 2)), Instruction("sq", (3,))]
    lanes = [Instruction("lane", (4,), k) for k in range(4)]
    stores = tuple(Store(Address("x", k), 5 + k) for k in range(4))
    body = (Stage("squares", Tape((*loads, *squares, *lanes), stores)),)
    program = Program(name="repeated", slots=slots, body=()).changed(slots, body, verified=False)
    made = contiguous.contiguous_scratch(program).verify(vectors.RULES)
    instance = as_it_stands(made).instance(1)
    instance.set("y", [1.0, 2.0, 3.0, 4.0])
    assert instance.step(1)
    assert instance.get("x").tolist() == [[1.0, 4.0, 9.0, 9.0]]


def test_wide_packs_do_not_cross_lines_of_the_cache() -> None:
    """Of a long slot, which begins at a line: the pack of four comes before that of two, which is loaded first."""
    slots = (
        Slot(name="y", kind=SlotKind.STATE, shape=(11,)),
        Slot(name="one", kind=SlotKind.SCRATCH, shape=(1,)),
        Slot(name="t", kind=SlotKind.SCRATCH, shape=(9,)),
    )
    loads = tuple(Instruction("load", (), Address("y", k)) for k in range(9))
    made = Stage("made", Tape(loads, (Store(Address("one", 0), 0), *(Store(Address("t", k), k) for k in range(9)))))
    read = tuple(Instruction("load", (), Address("t", k)) for k in (7, 8, 1, 2, 3, 4))
    packs = (Instruction("pack", (0, 1)), Instruction("pack", (2, 3, 4, 5)))
    used = Stage("used", Tape((*read, *packs), ()))
    program = Program(name="lines", slots=slots, body=()).changed(slots, (made, used), verified=False)
    moved = contiguous.contiguous_scratch(program)
    places = [i.data.element for i in moved.stages[1].tape.instructions[:6]]
    assert places == [4, 5, 0, 1, 2, 3]
    assert BlockLayout(moved, 1).scratch["t"] % 8 == 0
    assert BlockLayout(moved, 1).scratch_elements == BlockLayout(moved, 1).scratch["t"] + 9
