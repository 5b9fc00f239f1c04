"""The host's lanes, and code for other machines of its family: the same bits again."""

from __future__ import annotations

import platform

import numpy as np
import pytest

from gearwright.compiler.backends.cpu.batches.instance import CpuExecutable
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm.loaded_code import LoadedCode, object_code
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.compiler.backends.cpu.target import Target, host
from tests.compiler.building import same_bits
from tests.compiler.test_kernel import PENDULUM, START, B


@pytest.mark.parametrize(
    ("features", "double", "single"),
    [
        ("+sse2,+avx2,+avx512f", 8, 16),
        ("+avx2,-avx512f", 4, 8),
        ("+neon,+fp-armv8", 2, 4),
        ("+sse2,-avx2", 1, 1),
        ("", 1, 1),
    ],
)
def test_lanes_follow_from_the_features(features: str, double: int, single: int) -> None:
    target = Target("triple", "cpu", features)
    assert (target.lanes("double"), target.lanes("single")) == (double, single)


def end_state(target: Target, lanes: int) -> np.ndarray:
    optimised = optimise_program(PENDULUM, lanes)
    code = object_code(optimised, BlockLayout(optimised, lanes), "double", target)
    instance = CpuExecutable(PENDULUM, "double", BlockLayout(PENDULUM, lanes), LoadedCode(code, target)).instance(B)
    for name, value in START.items():
        instance.set(name, value)
    assert instance.step(50)
    return np.concatenate([instance.get("q"), instance.get("v")], axis=1)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="code for x86")
@pytest.mark.parametrize("lanes", [1, 4])
def test_a_machine_without_fma_or_wide_registers_gives_the_same_bits(lanes: int) -> None:
    plain = Target(host().triple, "x86-64", "")
    assert same_bits(end_state(plain, lanes), end_state(host(), lanes))
