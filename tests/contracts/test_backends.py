"""Every back end keeps the same contract: results, loops, series, records, failures, buffers, cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import Address, Executable, Instance, backends, build, compile_program, find_backend
from gearwright.errors import CompileError
from tests.compiler.building import program_of, same_bits, tape_of, tape_of_each
from tests.compiler.cuda_on_cpu import SIZES, CudaOnCpu, gpu, sized
from tests.compiler.test_kernel import PENDULUM, SERIES, START, B, N, explosion, halving, remembering, sweeps
from tests.compiler.test_random_tapes import EXACT, INPUTS, OUTPUTS
from tests.installed import install
from tests.sim.robots import ARM
from tests.tolerances import ROUNDING

VARIANTS = {"cpu, scalar": {"lanes": 1}, "cpu, 4 lanes": {"lanes": 4}, "interpreter": {}}
OTHERS = [n for n in backends.names() if n not in ("cpu", "interpreter")]


@pytest.fixture(params=[*VARIANTS, *OTHERS, *(f"cuda, {size}" for size in SIZES)])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, dict[str, int]]:
    """Without a GPU, the text of CUDA kernels runs on the CPU."""
    name, _, size = request.param.partition(", ")
    if name == "cuda":
        sized(monkeypatch, size)
        if not gpu():
            monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    return name, VARIANTS.get(request.param, {})


@pytest.fixture
def compiled(device):  # type: ignore[no-untyped-def]
    name, options = device

    def make(program, **more) -> Executable:  # type: ignore[no-untyped-def]
        return compile_program(program, device=name, cache=False, **options, **more)

    return make


def started(executable: Executable, batch: int = B, **more: object) -> Instance:
    instance = executable.instance(batch, **more)  # type: ignore[arg-type]
    for name, value in START.items():
        instance.set(name, value[:batch])
    return instance


def rolled_out(executable: Executable, every: int = 7) -> dict[str, np.ndarray]:
    instance = started(executable)
    return instance.run(N, series=SERIES, record=("q", "v", "e"), every=every) | {"end": instance.get("q")}


# 60 steps of a damped oscillator: fused multiply-adds and shared reciprocals round differently by some 1e-16 each
@pytest.mark.parametrize(("precision", "tolerance"), [("double", 5e-15), ("single", 5e-6)])
def test_roll_outs_with_series_and_records(compiled, precision: str, tolerance: float) -> None:
    reference = rolled_out(find_backend("interpreter").compile(PENDULUM, precision=precision))  # type: ignore[arg-type]
    got = rolled_out(compiled(PENDULUM, precision=precision))
    for name, expected in reference.items():
        assert got[name].shape == expected.shape and got[name].dtype == expected.dtype
        assert np.abs(got[name] - expected).max() < tolerance


def test_exact_operations_give_the_same_bits(compiled) -> None:
    """IEEE arithmetic leaves no choice: every back end gives the bits of NumPy. All of them in one program."""
    ops = sorted({*EXACT} - {"fma", "fms", "fnma", "select", "if_else_zero"})
    program = program_of(tape_of_each(ops), 2 * len(ops), len(ops))
    arguments = {"x": np.random.default_rng(3).normal(size=(40, 2 * len(ops)))}
    got, expected = (
        k.evaluate(arguments)["y"] for k in (compiled(program), find_backend("interpreter").compile(program))
    )
    assert len(ops) > 20
    assert [op for k, op in enumerate(ops) if not same_bits(got[:, k], expected[:, k])] == []


def test_one_long_call_is_many_short_ones(compiled) -> None:
    executable = compiled(PENDULUM)
    long, short = started(executable), started(executable)
    long.step(30)
    for _ in range(30):
        assert short.step()
    assert same_bits(long.get("q"), short.get("q"))


def test_a_robot_does_not_depend_on_its_batch(compiled) -> None:
    executable = compiled(PENDULUM)
    all_of_them, few = started(executable), started(executable, 3)
    all_of_them.step(40)
    few.step(40)
    assert same_bits(all_of_them.get("v")[:3], few.get("v"))


@pytest.mark.parametrize("outer", [0, 1, 5])
def test_nested_loops(compiled, outer: int) -> None:
    x = np.array([[1.0], [2.5], [0.3]])
    reference = find_backend("interpreter").compile(sweeps(outer)).evaluate({"x": x})
    found = compiled(sweeps(outer)).evaluate({"x": x})
    np.testing.assert_allclose(found["x"], reference["x"], rtol=1e-15)


def test_loops_that_end_by_themselves(compiled) -> None:
    start = np.array([[0.5], [3.0], [1.0], [1000.0], [7.0], [1e30], [0.1]])
    found = compiled(halving()).evaluate({"x": start})
    expected = np.minimum(np.maximum(0, np.ceil(np.log2(start))), 40)
    assert np.array_equal(found["n"], expected) and np.array_equal(found["w"], start / 2**expected)


def test_threads_step_one_batch_in_turn(compiled) -> None:
    """No step is lost, none is made twice, and no call waits for ever."""
    executable = compiled(PENDULUM)
    shared, alone = started(executable, threads=2), started(executable)
    threads = [Thread(target=lambda: [shared.step(n) for n in (1, 3, 1) * 20], daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert not any(thread.is_alive() for thread in threads)
    alone.step(300)
    assert shared.clock.value == 300
    assert same_bits(shared.get("q"), alone.get("q")) and same_bits(shared.get("v"), alone.get("v"))


def test_failures(compiled) -> None:
    x = np.array([[0.5], [3.0], [0.9], [1e200], [1e60], [0.1]])
    instance = compiled(explosion()).instance(len(x))
    instance.set("x", x)
    assert not instance.step(12)
    assert [(f.robot, f.step, f.address) for f in instance.failures] == [
        (1, 9, Address("x", 0)),
        (3, 0, Address("x", 0)),
        (4, 2, Address("x", 0)),
    ]
    assert np.isfinite(instance.get("x")).all() and instance.get("x")[3, 0] == 1e200
    assert (instance.get("y")[:, 0] == [12, 9, 12, 0, 2, 12]).all()
    instance.set("x", 0.5)
    assert instance.step(3) and not instance.failures


def test_what_is_derived_belongs_to_the_last_good_state(compiled) -> None:
    """A robot that failed goes on from its last good state as one that is put there."""
    u = np.array([[1.0], [1e200], [3.0], [1e200], [2.0]])
    executable = compiled(remembering())
    failed, put = (executable.instance(len(u)) for _ in range(2))
    for instance in (failed, put):
        instance.set("x", 0.5)
    failed.set("u", u)
    assert not failed.step() and [f.robot for f in failed.failures] == [1, 3]
    put.set("x", failed.get("x"))
    for instance in (failed, put):
        instance.set("u", 1.0)
        assert instance.step(2)
    assert same_bits(failed.get("x"), put.get("x")) and (failed.get("x")[1] < 10).all()


@pytest.mark.parametrize("batch", [1, 5, 8])
def test_buffers(compiled, batch: int) -> None:
    """(rows, batch, size) whatever the memory is; parts share it, copies do not."""
    rng = np.random.default_rng(1)
    instance = compiled(PENDULUM).instance(batch)
    buffer, numbers = instance.buffer("q", 6), rng.normal(size=(6, batch, 2))
    buffer.assign(numbers)
    assert buffer.shape == numbers.shape and same_bits(buffer.numbers(), numbers)
    assert same_bits(buffer.column(1), np.ascontiguousarray(numbers[:, :, 1]))
    copied, repeated = buffer.copy(), buffer.row(-1).repeated(3)
    buffer.fill(0, numbers[:, :1, 1])
    buffer.row(2).fill(1, 7.0)
    buffer.rows(slice(3, None, 2)).element(1).assign(8.0)
    changed = numbers.copy()
    changed[:, :, 0] = numbers[:, :1, 1]
    changed[2, :, 1], changed[3::2, :, 1] = 7.0, 8.0
    assert same_bits(buffer.numbers(), changed) and same_bits(copied.numbers(), numbers)
    assert same_bits(repeated.numbers(), np.repeat(numbers[-1:], 3, axis=0))
    instance.slot("q").copy_from(buffer.row(4))
    assert same_bits(instance.get("q"), changed[4])
    instance.slot("v").element(0).copy_from(instance.slot("q").element(1))
    assert (instance.get("v") == np.stack([changed[4, :, 1], np.zeros(batch)], 1)).all()
    keep = buffer.keeper(instance.slot("v"))
    keep(0)
    assert same_bits(buffer.numbers()[0], instance.get("v"))
    read = instance.slot("q").reader(1)()
    assert np.array_equal(read, changed[4, 0, 1] if batch == 1 else changed[4, :, 1])
    assert isinstance(read, float) == (batch == 1)
    assert same_bits(instance.states.numbers()[0], np.hstack([instance.get("q"), instance.get("v")]))
    if (shared := instance.slot("q").shared) is not None:
        shared[0, :, 0] = 3.0
        assert (instance.get("q")[:, 0] == 3.0).all()


def test_buffers_that_do_not_fit(compiled) -> None:
    instance = compiled(PENDULUM).instance(2)
    with pytest.raises(CompileError, match=r"the buffer of 'u' must have the shape \(4, 2, 2\), not \(3, 2, 2\)"):
        instance.run_buffers(4, series={"u": instance.buffer("u", 3)})
    with pytest.raises(CompileError, match="'k' is parameter"):
        instance.run_buffers(4, series={"k": instance.buffer("k", 4)})
    with pytest.raises(CompileError, match="'w' is scratch"):
        compiled(sweeps()).instance().get("w")
    with pytest.raises(CompileError, match="at least one robot"):
        compiled(PENDULUM).instance(0)


def test_the_second_time_comes_from_disk(device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / "cache"))
    name, options = device
    made = []

    def make():  # type: ignore[no-untyped-def]
        made.append(1)
        return sweeps()

    first, second = (build(make, find_backend(name, **options), identity="mine") for _ in range(2))
    assert (first.from_cache, second.from_cache, len(made)) == (False, True, 1)
    x = np.array([[1.0], [2.5]])
    assert same_bits(*(e.evaluate({"x": x})["x"] for e in (first, second)))


# --- the table ------------------------------------------------------------------------------------------------------

OUTSIDE = """
from gearwright.compiler.backends.interpreter import Interpreter

class Toy(Interpreter):
    name = "toy"
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package beside ours that brings a back end."""
    install(tmp_path, "toy_backend", "[gearwright.backends]\ntoy = toy_backend:Toy\n", {"toy_backend.py": OUTSIDE})
    monkeypatch.syspath_prepend(str(tmp_path))
    return "toy"


def test_another_package_brings_a_back_end(toy: str) -> None:
    assert backends.names()[-1] == toy
    sim = gw.compile(ARM, device=toy)
    sim.step(n=2)
    assert type(sim.batch_state.instance.executable.instance(1)).__name__ == "InterpretedInstance"


def test_a_package_that_cannot_be_imported_is_named(toy: str, tmp_path: Path) -> None:
    info = tmp_path / "toy_backend-1.0.dist-info" / "entry_points.txt"
    info.write_text("[gearwright.backends]\ntoy = no_such_package_at_all:Toy\n")
    with pytest.raises(CompileError, match="the device 'toy' of no_such_package_at_all:Toy cannot be used"):
        find_backend(toy)


def test_an_unknown_back_end_is_named() -> None:
    with pytest.raises(CompileError, match="there is no device 'cpuu'; valid: 'cpu', 'interpreter'"):
        find_backend("cpuu")


def test_the_table_is_lazy() -> None:
    import subprocess
    import sys

    check = "import sys, gearwright.compiler.backends as b; assert b.is_known('cpu') and 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", check + " and 'numpy' not in sys.modules"], check=True)


# --- whole robots ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 3])
def test_a_simulation_on_the_interpreter(batch: int) -> None:
    """Everything that a simulation does, on both: steps, series, recordings, parameters, probes."""
    found = []
    for device in ("cpu", "interpreter"):
        sim = gw.compile(ARM, device=device, batch=batch, parameters=["gravity.z"])
        sim.set_parameters({"gravity.z": -3.0 if batch == 1 else np.linspace(-9, -3, batch)})
        sim.reset(position={"j1": 0.4})
        sim.step(effort={"j0": 1.0}, n=3)
        recording = sim.run(0.02, effort={"j2": np.linspace(0, 1, 20)}, every=4)
        values = [sim.state, sim.energy, sim.acceleration["j1"], recording.velocity["j2"], recording.energy]
        found.append(
            [
                *values,
                recording.effort["j2"],
                sim.mass_matrix(),
                sim.pose[next(reversed(list(sim.pose)))],
            ]
        )
    for a, b in zip(*found, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=ROUNDING, atol=ROUNDING)


def test_a_failing_simulation_on_the_interpreter() -> None:
    sim = gw.compile(ARM, device="interpreter", integrator="euler")  # the default tries 32 parts first, half a minute
    with pytest.raises(gw.SimulationError, match="after step"):
        sim.step(effort={"j0": 1e308}, n=20)
    assert np.isfinite(sim.state).all()


def test_shapes_of_a_random_program(compiled) -> None:
    from gearwright.compiler.tape import Instruction

    loads = [Instruction("load", (), Address("x", k)) for k in range(INPUTS)]
    program = program_of(tape_of(loads, [3, 0, 1]), INPUTS, OUTPUTS)
    x = np.arange(20.0).reshape(5, 4)
    assert np.array_equal(compiled(program).evaluate({"x": x})["y"], x[:, [3, 0, 1]])
    assert np.array_equal(compiled(program).evaluate({"x": x[0]})["y"], x[0, [3, 0, 1]])
