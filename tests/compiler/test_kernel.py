"""Kernels against the interpreter: steps, loops, series, records, threads, failures."""

from __future__ import annotations

import ctypes
import timeit
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from gearwright.compiler import Address, Branch, Loop, Program, Slot, SlotKind, compile_program, stage
from gearwright.compiler.backends.cpu.batches import spans
from gearwright.errors import CompileError
from tests.compiler.building import same_bits
from tests.compiler.interpreting import interpret_program
from tests.tolerances import ROUNDING

SAME_NAME = {"allow_duplicate_io_names": True}


def pendulum() -> Program:
    """A damped, driven double oscillator with per-robot stiffness, sines, and an output."""
    q, v, u, k = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("u", 2), ca.SX.sym("k")
    a = u - k * ca.sin(q) - 0.1 * v + 0.3 * ca.cos(q[::-1]) / (2 + ca.cos(q[0] - q[1]))
    v_new = v + 0.01 * a
    step = ca.Function(
        "step",
        [q, v, u, k],
        [q + 0.01 * v_new, v_new, ca.dot(v_new, v_new)],
        ["q", "v", "u", "k"],
        ["q", "v", "e"],
        SAME_NAME,
    )
    return Program(
        name="pendulum",
        body=(stage(step),),
        slots=(
            Slot(name="q", kind=SlotKind.STATE, shape=(2,)),
            Slot(name="v", kind=SlotKind.STATE, shape=(2,)),
            Slot(name="u", kind=SlotKind.INPUT, shape=(2,)),
            Slot(name="k", kind=SlotKind.PARAMETER, shape=(1,)),
            Slot(name="e", kind=SlotKind.OUTPUT, shape=(1,)),
        ),
    )


def sweeps(outer: int = 3) -> Program:
    """A step of three stages with nested loops: Newton sweeps, `outer` times."""
    x, w, s = ca.SX.sym("x"), ca.SX.sym("w"), ca.SX.sym("s")
    begin = ca.Function("begin", [x], [x / 2 + 1, 0], ["x"], ["w", "s"])
    newton = ca.Function("newton", [w, x], [(w + (2 + x) / w) / 2], ["w", "x"], ["w"], SAME_NAME)
    total = ca.Function("total", [w, s], [s + w], ["w", "s"], ["s"], SAME_NAME)
    end = ca.Function("end", [s, x], [0.5 * x + 0.1 * s], ["s", "x"], ["x"], SAME_NAME)
    body = (stage(begin), Loop(outer, (Loop(3, (stage(newton),)), stage(total))), stage(end))
    return Program(
        name="sweeps",
        body=body,
        slots=(
            Slot(name="x", kind=SlotKind.STATE, shape=(1,)),
            Slot(name="w", kind=SlotKind.SCRATCH, shape=(1,)),
            Slot(name="s", kind=SlotKind.SCRATCH, shape=(1,)),
        ),
    )


PENDULUM = pendulum()
RNG = np.random.default_rng(2)
B, N = 21, 60
START = {
    "q": RNG.normal(size=(B, 2)),
    "v": RNG.normal(size=(B, 2)),
    "u": RNG.normal(size=(B, 2)),
    "k": RNG.uniform(1, 5, (B, 1)),
}
SERIES = {"u": RNG.normal(size=(N, B, 2))}


def run(
    lanes: int,
    *,
    threads: int = 1,
    robots: slice = slice(None),
    precision: str = "double",
    series: bool = True,
    every: int = 7,
) -> dict[str, np.ndarray]:
    kernel = compile_program(PENDULUM, lanes=lanes, precision=precision, cache=False)  # type: ignore[arg-type]
    instance = kernel.instance(len(START["q"][robots]), threads=threads)
    for name, value in START.items():
        instance.set(name, value[robots])
    given = {"u": SERIES["u"][:, robots]} if series else None
    return instance.run(N, series=given, record=("q", "v", "e"), every=every) | {"end": instance.get("q")}


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("every", [1, 7, 60, 61])
@pytest.mark.parametrize("series", [True, False])
def test_roll_outs_agree_with_the_interpreter(series: bool, every: int, precision: str) -> None:
    expected = interpret_program(
        PENDULUM,
        START,
        steps=N,
        batch=B,
        series=SERIES if series else None,
        every=every,
        record=("q", "v", "e"),
        precision=precision,
    )
    got = run(4, series=series, every=every, precision=precision)
    tolerance = ROUNDING if precision == "double" else 1e-6  # 1e-7 a number, over 60 steps
    for name in ("q", "v", "e"):
        assert got[name].shape == (N // every, B, *PENDULUM.slot(name).shape)
        np.testing.assert_allclose(got[name], expected.records[name], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(got["end"], expected.values["q"], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_same_bits_for_every_lane_batch_and_thread_count(precision: str) -> None:
    reference = run(1, precision=precision)
    for lanes in (1, 2, 4, 8, 16):
        for threads in (1, 2, 3):
            got = run(lanes, threads=threads, precision=precision)
            assert all(same_bits(got[name], reference[name]) for name in reference)
        for robots in (slice(0, 1), slice(3, 8), slice(20, 21)):
            got = run(lanes, robots=robots, precision=precision)
            assert same_bits(got["q"], np.ascontiguousarray(reference["q"][:, robots]))


def test_one_long_call_is_many_short_ones() -> None:
    instance = compile_program(PENDULUM, lanes=4, cache=False).instance(B)
    for name, value in START.items():
        instance.set(name, value)
    for _ in range(N):
        assert instance.step()
    assert same_bits(instance.get("q"), run(4, series=False)["end"])


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("outer", [0, 1, 5])
def test_nested_loops(lanes: int, outer: int) -> None:
    program = sweeps(outer)
    start = RNG.uniform(1, 3, (5, 1))
    instance = compile_program(program, lanes=lanes, cache=False).instance(5)
    instance.set("x", start)
    instance.step(4)
    expected = interpret_program(program, {"x": start}, steps=4, batch=5)
    np.testing.assert_allclose(instance.get("x"), expected.values["x"], rtol=1e-13)


def halving() -> Program:
    """Halves w until it is at most 1, each robot as often as it needs, 40 times at most."""
    x, w, n, done = (ca.SX.sym(name) for name in ("x", "w", "n", "done"))
    begin = ca.Function("begin", [x], [x, 0, x <= 1], ["x"], ["w", "n", "done"])
    going = ca.logic_not(done)
    halved = [w - ca.if_else(going, w / 2, 0), n + going, w - ca.if_else(going, w / 2, 0) <= 1]
    names = ["w", "n", "done"]
    body = (
        stage(begin),
        Loop(40, (stage(ca.Function("halve", [w, n, done], halved, names, names, SAME_NAME)),), "done"),
    )
    kinds = {"x": SlotKind.INPUT, "w": SlotKind.OUTPUT, "n": SlotKind.OUTPUT, "done": SlotKind.SCRATCH}
    slots = tuple(Slot(name=name, kind=kind, shape=(1,)) for name, kind in kinds.items())
    return Program(name="halving", slots=slots, body=body)


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_a_loop_ends_when_every_robot_of_a_block_is_done(lanes: int) -> None:
    """And none is changed by waiting for its neighbours; one that never ends stops at the count."""
    start = np.array([[0.5], [3.0], [1.0], [1000.0], [7.0], [1e30], [0.1]])
    found = compile_program(halving(), lanes=lanes, cache=False).evaluate({"x": start})
    expected = np.minimum(np.maximum(0, np.ceil(np.log2(start))), 40)
    assert np.array_equal(found["n"], expected)
    assert np.array_equal(found["w"], start / 2**expected)
    told = interpret_program(halving(), {"x": start}, batch=len(start))
    assert np.array_equal(told.values["w"], found["w"])


def test_buffers_are_used_in_place() -> None:
    instance = compile_program(PENDULUM, lanes=4, cache=False).instance(B)
    for name, value in START.items():
        instance.set(name, value)
    series, record = instance.buffer("u", N), instance.buffer("q", N // 7)
    series.assign(SERIES["u"])
    assert instance.run_buffers(N, series={"u": series}, records={"q": record}, every=7)
    assert same_bits(record.numbers(), run(4)["q"])
    instance.slot("q").assign(1.5)
    assert (instance.get("q") == 1.5).all()


def explosion() -> Program:
    """x doubles in exponent every step; y is harmless; a robot starts the sooner the larger x."""
    x, y, u = ca.SX.sym("x"), ca.SX.sym("y", 2), ca.SX.sym("u")
    step = ca.Function("step", [x, y, u], [x * x + u, y + 1], ["x", "y", "u"], ["x", "y"], SAME_NAME)
    return Program(
        name="explosion",
        body=(stage(step),),
        slots=(
            Slot(name="y", kind=SlotKind.STATE, shape=(2,)),
            Slot(name="x", kind=SlotKind.STATE, shape=(1,)),
            Slot(name="u", kind=SlotKind.INPUT, shape=(1,)),
        ),
    )


def remembering() -> Program:
    """x grows by u·m, and diverges where u is 1e200; m = 1/(1 + x²) is kept from step to step, as a mass matrix is."""
    x, m, u, fresh = (ca.SX.sym(name) for name in ("x", "m", "u", "fresh"))
    make = ca.Function("make", [x], [1 / (1 + x * x), 1], ["x"], ["m", "fresh"])
    step = ca.Function("step", [x, m, u, fresh], [x + u * m * u], ["x", "m", "u", "fresh"], ["x"], SAME_NAME)
    made = stage(make)
    return Program(
        name="remembering",
        body=(Branch("fresh", (made,)), stage(step), made),
        slots=(
            Slot(name="x", kind=SlotKind.STATE, shape=(1,)),
            Slot(name="u", kind=SlotKind.INPUT, shape=(1,)),
            Slot(name="m", kind=SlotKind.DERIVED, shape=(1,)),
            Slot(name="fresh", kind=SlotKind.DERIVED, shape=(1,)),
        ),
    )


@pytest.mark.parametrize("lanes", [1, 2, 8])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_robot_that_diverges_keeps_its_last_good_state(lanes: int, threads: int) -> None:
    program = explosion()
    x = np.array([[0.5], [3.0], [0.9], [1e200], [1e60], [0.1], [0.2], [0.3], [0.4], [2.0], [0.0]])
    expected = interpret_program(program, {"x": x}, steps=30, batch=len(x))
    assert {*expected.failed_step} > {-1, 0}
    instance = compile_program(program, lanes=lanes, cache=False).instance(len(x), threads=threads)
    instance.set("x", x)
    assert not instance.step(30)
    assert {f.robot: (f.step, f.address) for f in instance.failures} == {
        robot: (step, Address("x", 0)) for robot, step in enumerate(expected.failed_step) if step >= 0
    }
    np.testing.assert_allclose(instance.get("x"), expected.values["x"], rtol=1e-12)
    np.testing.assert_array_equal(instance.get("y"), expected.values["y"])
    assert np.isfinite(instance.get("x")).all()
    instance.set("x", 0.5)
    assert instance.step(3) and not instance.failures


def test_a_failed_robot_stays_where_it_is_even_if_its_input_would_save_it() -> None:
    instance = compile_program(explosion(), lanes=4, cache=False).instance(2)
    instance.set("x", [[0.25], [0.5]])
    u = np.zeros((5, 2, 1))
    u[0, 0] = np.nan
    records = instance.run(5, series={"u": u}, record=("x", "y"))
    assert (records["x"][:, 0] == 0.25).all() and (records["y"][:, 0] == 0).all()
    assert (records["y"][:, 1, 0] == np.arange(1, 6)).all()


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_a_state_that_passes_its_bound_fails(lanes: int, precision: str) -> None:
    """As in the interpreter; and what has no bound may be larger."""
    y, x, u = explosion().slots
    program = replace(explosion(), slots=(y, replace(x, bound=1e6), u))
    start = {"x": [[0.5], [3.0], [-1e6], [999.0], [1001.0], [10.0]], "y": 1e30}
    expected = interpret_program(program, start, steps=3, batch=6, precision=precision)
    assert [*expected.failed_step] == [-1, -1, 0, 1, 0, 2]
    instance = compile_program(program, lanes=lanes, precision=precision, cache=False).instance(6)  # type: ignore[arg-type]
    for name, value in start.items():
        instance.set(name, value)
    assert not instance.step(3)
    assert {f.robot: f.step for f in instance.failures} == {2: 0, 3: 1, 4: 0, 5: 2}
    np.testing.assert_array_equal(instance.get("x"), expected.values["x"])
    with pytest.raises(CompileError, match="bounds are positive, and of states"):
        replace(program, slots=(y, x, replace(u, bound=1.0)))


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_run_in_pieces_is_the_run(lanes: int, threads: int) -> None:
    """Records, failures and the count of steps, however a run is cut up; with one robot and with several."""
    for batch in (1, 11):
        x = np.array([[1.5], [3.0], [0.9], [1e200], [1e60], [0.1], [0.2], [0.3], [0.4], [2.0], [0.0]])[:batch]
        whole, parts = (
            compile_program(explosion(), lanes=lanes, cache=False).instance(batch, threads=threads) for _ in "ab"
        )
        for instance in (whole, parts):
            instance.set("x", x)
        records = whole.run(30, record=("y",), every=7)["y"]
        first, failed, rows = 0, False, []
        for n in (1, 2, 4, 5, 9, 9):
            row = parts.buffer("y", (first + n) // 7 - first // 7)
            failed |= not parts.run_buffers(n, records={"y": row}, every=7, first=first, continues=failed)
            rows.append(row.numbers())
            first += n
        assert failed and parts.failures == whole.failures
        assert same_bits(np.concatenate(rows), records) and same_bits(parts.get("x"), whole.get("x"))
        assert parts.get("y").tolist() == whole.get("y").tolist()
        if batch > 1:
            assert parts.clock.value == whole.clock.value == 30
        else:  # a single robot stops at its last good state
            assert parts.clock.value == whole.clock.value == whole.get("y")[0, 0]


def test_threads_that_cannot_be_started_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(4, threads=3)
    refusing = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 11)  # EAGAIN
    for create in (0, ctypes.cast(refusing, ctypes.c_void_p).value):
        monkeypatch.setattr(spans, "_threads", lambda create=create: (create, 0))
        got = run(4, threads=3)
        assert all(same_bits(got[name], expected[name]) for name in expected)


@pytest.mark.parametrize("lanes", [1, 4])
def test_a_stage_reads_its_slots_as_they_were_before_it(lanes: int) -> None:
    x = ca.SX.sym("x", 3)
    turn = ca.Function("turn", [x], [ca.vertcat(x[1], x[2], x[0])], ["x"], ["x"], SAME_NAME)
    program = Program(name="turn", body=(stage(turn),), slots=(Slot(name="x", kind=SlotKind.STATE, shape=(3,)),))
    instance = compile_program(program, lanes=lanes, cache=False).instance(2)
    instance.set("x", [1.0, 2.0, 3.0])
    instance.step()
    assert (instance.get("x") == [2.0, 3.0, 1.0]).all()
    instance.step()
    assert (instance.get("x") == [3.0, 1.0, 2.0]).all()


@pytest.mark.parametrize("lanes", [1, 4])
def test_slots_may_be_empty(lanes: int) -> None:
    program = Program(
        name="counter",
        body=explosion().body,
        slots=(
            Slot(name="nothing", kind=SlotKind.INPUT, shape=(0,)),
            *explosion().slots,
            Slot(name="silence", kind=SlotKind.OUTPUT, shape=(0, 3)),
        ),
    )
    instance = compile_program(program, lanes=lanes, cache=False).instance(3)
    instance.set("nothing", np.zeros((3, 0)))
    records = instance.run(4, series={"nothing": np.zeros((4, 3, 0))}, record=("silence", "y"))
    assert records["silence"].shape == (4, 3, 0, 3) and (records["y"][-1] == 4).all()
    expected = interpret_program(program, {"nothing": np.zeros((3, 0))}, steps=4, batch=3)
    np.testing.assert_array_equal(expected.values["y"], instance.get("y"))


@pytest.mark.parametrize("lanes", [1, 4])
def test_no_steps_change_nothing(lanes: int) -> None:
    instance = compile_program(PENDULUM, lanes=lanes, cache=False).instance(2)
    instance.set("q", 0.3)
    assert instance.step(0) and (instance.get("q") == 0.3).all()
    assert instance.run(0, record=("q",))["q"].shape == (0, 2, 2)


def test_mistakes_are_named() -> None:
    instance = compile_program(PENDULUM, lanes=1, cache=False).instance(2)
    with pytest.raises(CompileError, match="no slot is named 'qq'"):
        instance.get("qq")
    with pytest.raises(CompileError, match="is parameter"):
        instance.run(3, series={"k": np.ones((3, 2, 1))})
    with pytest.raises(CompileError, match="'w' is scratch"):
        compile_program(sweeps(), lanes=1, cache=False).instance().get("w")
    with pytest.raises(CompileError, match="did you mean 'q'"):
        compile_program(PENDULUM, lanes=1, cache=False).evaluate({"q1": 0.0})
    with pytest.raises(CompileError, match="at least one robot"):
        compile_program(PENDULUM, lanes=1, cache=False).instance(0)
    with pytest.raises(CompileError, match="lanes must be"):
        compile_program(PENDULUM, lanes=3, cache=False)
    with pytest.raises(ValueError):
        instance.set("q", np.zeros((3, 2)))


def test_a_call_costs_little() -> None:
    """The target is 2 µs beyond the machine code (0.4 measured); the bound is loose because machines are shared."""
    instance = compile_program(PENDULUM, lanes=1, cache=False).instance(1)
    assert min(timeit.repeat(instance.step, number=2000, repeat=5)) / 2000 < 5e-6
