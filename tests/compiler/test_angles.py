"""Sines and cosines of one robot's angles, in vectors: the bits of each alone, and one branch in the code."""

from __future__ import annotations

import re

import casadi
import numpy as np
import pytest
from casadi import SX, Function

from gearwright.compiler import compile_program
from gearwright.compiler.backends.cpu import passes
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm.loaded_code import assembly
from gearwright.compiler.backends.cpu.scheduling import split
from gearwright.compiler.program import Program, function_program
from tests.compiler.building import evaluate_op, same_bits
from tests.compiler.test_split import program as split_program

ANGLES = np.array(
    [0.3, -2.5, 1e3, 99_999.0, -1e5, 1.0000001e5, 3e7, -1e300, 0.0, -0.0, np.pi, np.inf, np.nan, 7.0, 1e22]
)


def angles_program(n: int) -> Program:
    x = SX.sym("x", n)
    out = casadi.vertcat(casadi.sin(x), casadi.cos(x))
    return function_program(Function("angles", [x], [out], ["x"], ["y"]))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 9, 17])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_group_gives_the_bits_of_each_angle_alone(n: int, precision: str) -> None:
    """Large ones, infinities and NaN among them: in every lane, and in the lanes that repeat the last one."""
    real = np.float64 if precision == "double" else np.float32
    with np.errstate(over="ignore"):
        angles = ANGLES.astype(real)
    alone = np.array([evaluate_op(op, angles, precision=precision) for op in ("sin", "cos")])
    kernel = compile_program(angles_program(n), cache=False, precision=precision, lanes=1)  # type: ignore[arg-type]
    chosen = np.array([[(start + i) % len(angles) for i in range(n)] for start in range(len(angles))])
    found = np.asarray(kernel.evaluate({"x": angles[chosen]})["y"])
    assert same_bits(found, np.concatenate([alone[0, chosen], alone[1, chosen]], axis=1))


@pytest.mark.parametrize("longest", [150, 10_000])
def test_a_stage_has_one_branch_for_its_angles_however_it_is_cut(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "split_program", lambda made: split.split_program(made, longest))
    made = passes.optimise_program(split_program())
    assert (len(made.stages) > 1) == (longest == 150)
    assert len(re.findall(r"^large\d+:", assembly(made, BlockLayout(made, 1), "double"), re.MULTILINE)) == 1
