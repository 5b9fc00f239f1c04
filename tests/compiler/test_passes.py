"""Passes: each keeps the meaning, and does what its name says."""

from __future__ import annotations

from collections import Counter

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings

from gearwright.compiler import Address, Tape, compile_program, trace
from gearwright.compiler.arithmetic import (
    expand_functions,
    fuse_multiply_add,
    pair_sines_and_cosines,
    share_reciprocals,
)
from gearwright.compiler.backends.cpu.passes import PASSES, constants_first
from gearwright.compiler.backends.interpreter import run_tape
from gearwright.compiler.passes import optimise
from gearwright.compiler.simplify import remove_dead_code, simplify
from gearwright.compiler.tape import Instruction
from gearwright.errors import CompileError
from tests.compiler.building import program_of, tape_of
from tests.compiler.test_random_tapes import tapes
from tests.tolerances import ROUNDING

X, Y, Z = (ca.SX.sym(n) for n in "xyz")


def ops(tape: Tape) -> Counter[str]:
    return Counter(i.op for i in tape.instructions)


def traced(*outputs: ca.SX) -> Tape:
    return trace(ca.Function("f", [X, Y, Z], [ca.vertcat(*outputs)], ["x", "y", "z"], ["out"]))


def outcome(tape: Tape, x: np.ndarray) -> np.ndarray:
    memory = {"x": x, "y": np.zeros((len(x), 3))}
    with np.errstate(all="ignore"):
        run_tape(tape, memory)
    return memory["y"]


@pytest.mark.parametrize("run_pass", dict.fromkeys([*PASSES, optimise]), ids=lambda p: p.__name__)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(tape=tapes())
def test_a_pass_keeps_the_meaning(run_pass, tape: Tape) -> None:  # type: ignore[no-untyped-def]
    x = np.random.default_rng(5).uniform(-2, 2, (9, 4))
    before, after = outcome(tape, x), outcome(run_pass(tape).verify(), x)
    usable = np.isfinite(before) & (np.abs(before) < 1e8)
    np.testing.assert_allclose(after[usable], before[usable], rtol=ROUNDING, atol=ROUNDING)


def test_constants_are_folded() -> None:
    tape = tape_of([Instruction("const", (), 2.0), Instruction("const", (), 3.0), Instruction("mul", (0, 1))], [2])
    assert remove_dead_code(simplify(tape)).instructions == (Instruction("const", (), 6.0),)


@pytest.mark.parametrize(("condition", "left"), [(1.0, 1), (0.0, 2)])
def test_a_choice_that_is_known_is_made(condition: float, left: int) -> None:
    loads = [Instruction("load", (), Address("x", k)) for k in range(2)]
    tape = tape_of([Instruction("const", (), condition), *loads, Instruction("select", (0, 1, 2))], [3])
    assert remove_dead_code(simplify(tape)).instructions == (loads[left - 1],)


def test_a_choice_between_equals_is_none() -> None:
    loads = [Instruction("load", (), Address("x", k)) for k in range(2)]
    tape = tape_of([*loads, Instruction("select", (0, 1, 1))], [2])
    assert remove_dead_code(simplify(tape)).instructions == (loads[1],)


def test_a_fold_that_is_not_finite_is_left_to_run_time() -> None:
    tape = tape_of([Instruction("const", (), 0.0), Instruction("inv", (0,))], [1])
    assert ops(simplify(tape))["inv"] == 1


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        (X * 1, Counter(load=1)),
        (X + 0, Counter(load=1)),
        (ca.SX(-1) * -X, Counter(load=1)),
        (X + (-Y), Counter(load=2, sub=1)),
        (X - (-Y), Counter(load=2, add=1)),
        (ca.if_else(X, Y, Z), Counter(load=3, select=1)),
        ((-X) * (-Y), Counter(load=2, mul=1)),
    ],
)
def test_identities(expression: ca.SX, left: Counter[str]) -> None:
    assert ops(remove_dead_code(simplify(simplify(traced(expression))))) == left


def test_a_product_with_zero_is_zero() -> None:
    load, zero = Instruction("load", (), Address("x", 0)), Instruction("const", (), 0.0)
    tape = tape_of([load, zero, Instruction("mul", (0, 1))], [2])
    assert remove_dead_code(simplify(tape)).instructions == (zero,)


def test_negative_zero_is_a_constant_of_its_own() -> None:
    tape = tape_of([Instruction("const", (), 0.0), Instruction("const", (), -0.0)], [0, 1])
    assert len(simplify(tape).instructions) == 2


def test_divisions_by_one_pivot_share_a_reciprocal() -> None:
    tape = remove_dead_code(share_reciprocals(traced(X / Z, Y / Z, X / Y)))
    assert ops(tape) == Counter(load=3, inv=1, mul=2, div=1)


def test_a_sine_and_a_cosine_of_one_angle_are_one_reduction() -> None:
    assert ops(pair_sines_and_cosines(traced(ca.sin(X) + ca.cos(X))))["sincos"] == 1


def test_products_are_fused_into_sums() -> None:
    tape = remove_dead_code(fuse_multiply_add(traced(X * Y + Z, X * Z - Y, Z - Y * Y)))
    assert ops(tape) == Counter(load=3, fma=1, fms=1, fnma=1)


def test_a_product_needed_elsewhere_is_not_fused() -> None:
    tape = remove_dead_code(fuse_multiply_add(simplify(traced(X * Y + Z, X * Y))))
    assert ops(tape) == Counter(load=3, mul=1, add=1)


def test_powers_up_to_eight_are_products() -> None:
    """And their reciprocals; ninth powers are left to the library."""
    for exponent, calls in ((8.0, 0), (-8.0, 0), (9.0, 1), (2.5, 1)):
        tape = tape_of([X0, Instruction("const", (), exponent), Instruction("pow", (0, 1))], [2])
        assert ops(expand_functions(tape))["pow"] == calls


def test_dead_code_goes() -> None:
    load = Instruction("load", (), Address("x", 0))
    tape = tape_of([load, Instruction("sqrt", (0,)), Instruction("neg", (0,))], [2])
    assert ops(remove_dead_code(tape)) == Counter(load=1, neg=1)


def test_angles_stand_together_after_scheduling() -> None:
    tape = optimise(traced(ca.sin(X) * ca.cos(Y) + ca.sin(Z), ca.sin(ca.cos(X))), PASSES)
    places = [i for i, ins in enumerate(tape.instructions) if ins.op == "sincos"]
    assert len(places) == 4
    assert places[:3] == list(range(places[0], places[0] + 3))


def test_a_clamp_with_its_constant_in_front_still_lets_nan_through() -> None:
    x = Instruction("load", (), Address("x", 0))
    tape = tape_of([x, Instruction("const", (), 2.0), Instruction("fmin", (0, 1)), Instruction("fmax", (2, 1))], [3, 2])
    assert [i.args for i in constants_first(tape).instructions if i.op in ("fmin", "fmax")] == [(1, 0), (1, 2)]
    kernel = compile_program(program_of(tape, 1, 2), lanes=4, cache=False)
    result = kernel.evaluate({"x": [[1.0], [3.0], [np.nan]]})["y"]
    np.testing.assert_array_equal(result, [[2.0, 1.0], [2.0, 2.0], [np.nan, np.nan]])


X0, X1, X2 = (Instruction("load", (), Address("x", k)) for k in range(3))
ONE_PASS = {
    # pass: a tape, and the instructions that it leaves
    "expand_functions": (
        [X0, Instruction("tan", (0,)), X1, Instruction("const", (), 3.0), Instruction("pow", (2, 3))],
        ["load x0", "sin 0", "cos 0", "div 1 2", "load x1", "const 3.0", "sq 4", "mul 4 6"],
    ),
    "simplify": (
        [X0, Instruction("const", (), 2.0), Instruction("mul", (1, 1)), Instruction("neg", (0,)),
         Instruction("mul", (3, 2)), X1, Instruction("add", (5, 3))],
        ["load x0", "const 2.0", "const 4.0", "neg 0", "const -4.0", "mul 0 4", "load x1", "sub 6 0"],
    ),
    "share_reciprocals": (
        [X0, X1, X2, Instruction("div", (0, 2)), Instruction("div", (1, 2)), Instruction("const", (), 4.0),
         Instruction("div", (3, 5))],
        ["load x0", "load x1", "load x2", "inv 2", "mul 0 3", "mul 1 3", "const 4.0", "const 0.25", "mul 4 7"],
    ),
    "pair_sines_and_cosines": (
        [X0, Instruction("sin", (0,)), Instruction("cos", (0,))],
        ["load x0", "sincos 0", "pair_sin 1", "pair_cos 1"],
    ),
    "remove_dead_code": ([X0, X1, Instruction("sqrt", (1,)), Instruction("neg", (0,))], ["load x0", "neg 0"]),
    "fuse_multiply_add": (
        [X0, X1, X2, Instruction("mul", (0, 1)), Instruction("sub", (2, 3)), Instruction("add", (3, 4))],
        ["load x0", "load x1", "load x2", "mul 0 1", "fnma 0 1 2", "fma 0 1 4"],
    ),
    "constants_first": (
        [X0, Instruction("const", (), 1.0), Instruction("fmin", (0, 1)), Instruction("fmax", (1, 0))],
        ["load x0", "const 1.0", "fmin 1 0", "fmax 1 0"],
    ),
    "schedule": (
        [X0, X1, Instruction("sqrt", (0,)), Instruction("sincos", (1,)), Instruction("pair_sin", (3,)),
         Instruction("add", (2, 4))],
        ["load x1", "sincos 0", "pair_sin 1", "load x0", "sqrt 3", "add 4 2"],
    ),
}  # fmt: skip


def written(instruction: Instruction) -> str:
    data = instruction.data
    what = "" if data is None else f" {data.slot}{data.element}" if isinstance(data, Address) else f" {data!r}"
    return instruction.op + what + "".join(f" {a}" for a in instruction.args)


def test_every_pass_has_its_golden_tape() -> None:
    assert set(ONE_PASS) == {run_pass.__name__ for run_pass in PASSES}


@pytest.mark.parametrize("run_pass", dict.fromkeys(PASSES), ids=lambda p: p.__name__)
def test_golden_tapes(run_pass) -> None:  # type: ignore[no-untyped-def]
    instructions, expected = ONE_PASS[run_pass.__name__]
    tape = tape_of(instructions, [len(instructions) - 1]).verify()
    assert [written(i) for i in run_pass(tape).verify().instructions] == expected


def test_passes_are_verified_one_by_one_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(tape: Tape) -> Tape:
        return tape_of([Instruction("neg", (5,))], [0])

    whole = tape_of([X0], [0])
    assert optimise(whole, [broken, lambda tape: whole]) == whole
    monkeypatch.setenv("GEARWRIGHT_VERIFY", "1")
    with pytest.raises(CompileError, match="defined before use"):
        optimise(whole, [broken, lambda tape: whole])


def test_passes_take_linear_time() -> None:
    """Ten times the instructions, about ten times the calls: counted, not timed."""
    import cProfile
    import pstats

    def calls(n: int) -> int:
        values = [X0, X1]
        for k in range(n):
            values.append(Instruction(("mul", "add", "div")[k % 3], (len(values) - 1, k % 2)))
        profile = cProfile.Profile()
        profile.runcall(optimise, tape_of(values, [len(values) - 1]), PASSES)
        return pstats.Stats(profile).total_calls  # type: ignore[attr-defined,no-any-return]

    assert calls(20_000) < 10.5 * calls(2_000)
