"""The noise of sensors: its generator, its distribution, and the same bits everywhere."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from typing import Any

import casadi
import numpy as np
import pytest

from gearwright.compiler import Program, Slot, SlotKind, compile_program, stage
from gearwright.dynamics.algebra.scalar import scalars
from gearwright.dynamics.sensing.noise import advanced, normals
from gearwright.dynamics.sensing.sensors import Sensing
from gearwright.model.sensors.noise_seeds import MODULI, _scattered, seeds
from gearwright.model.sensors.sensors import Encoder, LimitSwitch
from tests.compiler.building import same_bits, unpacked
from tests.compiler.interpreting import interpret_program
from tests.dynamics.sensor_bench import DT, Bench, ExactEncoder, walk

# --- noise ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_generator_is_exact_from_every_state(precision: Any) -> None:
    """All states of each congruence, in compiled code."""
    longest = int(max(MODULI))
    states = np.stack([np.arange(1, longest) % int(m) for m in MODULI], axis=-1)
    g = casadi.SX.sym("g", 3)
    f = casadi.Function("f", [g], [casadi.vertcat(*advanced(scalars(g)))], ["g"], ["s"])
    slots = (Slot(name="g", kind=SlotKind.INPUT, shape=(3,)), Slot(name="s", kind=SlotKind.OUTPUT, shape=(3,)))
    kernel = compile_program(
        Program(name="f", slots=slots, body=(stage(f),)), lanes=8, precision=precision, cache=False
    )
    found = kernel.evaluate({"g": states})["s"]
    assert np.array_equal(found, states * [171, 172, 170] % [30269, 30307, 30323])


def plain_normals(state: list[int], count: int) -> list[float]:
    """The cosine of each pair, from whole numbers."""
    drawn = []
    for _ in range(count):
        u = []
        for _ in range(2):
            state[:] = [a * s % m for a, s, m in zip((171, 172, 170), state, (30269, 30307, 30323), strict=True)]
            u.append(float(sum(Fraction(s, m) for s, m in zip(state, (30269, 30307, 30323), strict=True)) % 1))
        drawn.append(float(np.sqrt(-2 * np.log(u[0])) * np.cos(2 * pi * u[1])))
    return drawn


def test_noise_is_the_generator_s(rng: np.random.Generator) -> None:
    e = Encoder(name="e", noise=0.01, seed=5)
    x = walk(rng, 300)
    bench = Bench(e)
    r, s = bench.run(x)
    state = [int(v) for v in bench.sensing.layout.seeds(1)[0]]
    expected = x + 0.01 * np.array(plain_normals(state, 300))
    # a fraction u has an error of 1e-15, its logarithm one of 1e-15/u, and u > 1e-4 in these draws; angles: 1e-14
    assert np.abs(r[:, 0, 0] - expected).max() < 0.01 * 1e-11
    assert s[-1, 0, list(bench.sensing.generators)].tolist() == state


def test_noisy_counts_are_exact(rng: np.random.Generator) -> None:
    """Noise comes before counting, so that a reading is whole counts, folded into one turn."""
    e = Encoder(name="e", noise=0.2, seed=1, resolution=50, wrap=True)
    x = walk(rng, 500)
    noise = 0.2 * np.array(plain_normals([int(v) for v in Bench(e).sensing.layout.seeds(1)[0]], 500))
    exact = [ExactEncoder(e).count(a) % 50 for a in x + noise]
    assert e.counts(Bench(e).readings(x)).tolist() == exact


def test_noise_is_normal() -> None:  # slack: six standard errors
    """2,000 robots and 200 steps, two numbers each: moments, tails, and no correlation in time or between numbers.

    Bounds are six standard errors, which 20 such figures exceed once in 10⁸ seeds.
    """
    x = np.zeros((200, 2000, 2))
    r = Bench(Encoder(name="e", noise=1.0), sizes={"e": 2}).run(x, lanes=8)[0]
    n, few = r.size, r.size / 2
    assert abs(r.mean()) < 6 / n**0.5
    assert abs(r.var() - 1) < 6 * (2 / n) ** 0.5
    assert abs((r**3).mean()) < 6 * (15 / n) ** 0.5
    assert abs((r**4).mean() - 3) < 6 * (96 / n) ** 0.5
    for limit, share in ((1.0, 0.317310508), (2.0, 0.045500264), (3.0, 0.002699796), (4.0, 6.334248e-5)):
        assert abs((np.abs(r) > limit).mean() - share) < 6 * (share / n) ** 0.5
    assert abs((r[1:] * r[:-1]).mean()) < 6 / (n - 4000) ** 0.5
    assert abs((r[..., 0] * r[..., 1]).mean()) < 6 / few**0.5
    assert abs((r[:, 1:] * r[:, :-1]).mean()) < 6 / n**0.5  # robots beside each other
    assert abs((r[:, 2:] * r[:, 1:-1] * r[:, :-2]).mean()) < 6 / n**0.5


def test_the_noise_of_a_velocity_has_its_deviation() -> None:
    """Exactly counted or not. 20,000 samples: 2 % is four standard errors; counts of 0.06 rad/s add nothing to 5."""
    x = np.zeros((100, 200, 1))
    for resolution in (None, 1e5):
        e = Encoder(name="e", type="velocity", noise=5.0, resolution=resolution)
        assert Bench(e).run(x, lanes=8)[0][1:].std() == pytest.approx(5.0, rel=0.02)


def test_seeds_are_different_and_stay() -> None:
    sensors = {n: Encoder(name=n, noise=1.0, seed=s) for n, s in (("a", 0), ("b", 0), ("c", 1))}
    sensing = Sensing(sensors, {"a": 1, "b": 2, "c": 1}, DT)
    many = sensing.layout.seeds(5000)
    assert many.shape == (5000, 9) and len(sensing.generators) == 9
    triples = many.reshape(-1, 3)
    assert len(np.unique(triples, axis=0)) == 15000
    assert np.all((triples >= 1) & (triples < MODULI)) and np.all(triples % 1 == 0)
    assert np.array_equal(sensing.layout.seeds(7), many[:7])  # whatever the batch
    assert np.array_equal(seeds(0, "b", 3), many[:3, 3:6])  # whatever other sensors there are
    assert not np.array_equal(seeds(1, "b", 3), seeds(0, "b", 3))
    assert len(np.unique(seeds(0, "a", 100_000), axis=0)) == 100_000
    assert np.all(_scattered(np.arange(1000, dtype=np.uint64)) < np.prod([m - 1 for m in MODULI]))
    assert seeds(0, "a", 2).tolist() == [[18621, 5141, 19709], [9216, 18527, 14440]]  # on every machine


def test_a_uniform_number_that_rounds_to_nothing_is_no_infinite_noise(rng: np.random.Generator) -> None:
    """States whose fractions add up to a whole number within 1e-8: zero in single precision, or just below it."""
    a, m = np.array([171, 172, 170]), np.array([30269, 30307, 30323])
    found = np.empty((0, 3), np.int64)
    while len(found) < 100:
        x, y = rng.integers(1, m[0], size=(2, 1_000_000))
        z = np.rint((2 - x / m[0] - y / m[1]) * m[2]).astype(np.int64)
        sums = x / m[0] + y / m[1] + z / m[2]
        near = (z > 0) & (z < m[2]) & (np.abs(sums - np.rint(sums)) < 1e-8)
        found = np.concatenate([found, np.stack([x, y, z], -1)[near]])
    back = [pow(int(p), -1, int(q)) for p, q in zip(a, m, strict=True)]
    bench = Bench(Encoder(name="e", noise=1.0))
    bench.sensing.seeds = lambda robots: found * back % m  # type: ignore[method-assign]
    for precision in ("single", "double"):
        r = bench.run(np.zeros((2, len(found), 1)), precision=precision)[0]
        assert np.abs(r).max() <= 5.89  # √(−2·ln 2⁻²⁵)


def test_normals_of_an_odd_number() -> None:
    g = casadi.SX.sym("g", 3)
    assert [len(normals(n, scalars(g))[0]) for n in range(5)] == [0, 1, 2, 3, 4]


# --- the same bits --------------------------------------------------------------------------------------------------


def everything() -> Bench:
    return Bench(
        Encoder(name="a", resolution=1000, noise=0.01, wrap=True, index=True, latency=3 * DT),
        Encoder(name="b", noise=0.1, update_rate=250, latency=5 * DT, seed=3, ratio=-2.0, offset=0.1),
        Encoder(name="c", type="velocity", resolution=4096, noise=0.3, update_rate=500),
        LimitSwitch(name="d", threshold=0.1, hysteresis=0.05, update_rate=500, latency=DT),
        sizes={"a": 2},
    )


def test_the_same_bits_on_every_lane_batch_and_thread(rng: np.random.Generator) -> None:
    bench = everything()
    x, v = rng.normal(size=(2, 40, 21, 5)).cumsum(axis=1)
    one = bench.run(x, v, lanes=1)
    for more in ({"lanes": 4}, {"lanes": 8, "threads": 2}):
        for a, b in zip(bench.run(x, v, **more), one, strict=True):
            assert same_bits(a, b)
    for a, b in zip(bench.run(x[:, :2], v[:, :2], lanes=8), one, strict=True):
        assert same_bits(a, b[:, :2])


def test_noise_in_single_precision(rng: np.random.Generator) -> None:
    """The generator's state is the same; a normal number differs by the rounding of its uniform one, 1e-7/u."""
    x = np.zeros((200, 50, 1))
    bench = Bench(Encoder(name="e", noise=1.0))
    double, single = bench.run(x, lanes=8), bench.run(x, lanes=8, precision="single")
    places = list(bench.sensing.generators)
    assert np.array_equal(double[1][..., places], single[1][..., places])
    assert np.median(np.abs(double[0] - single[0])) < 1e-6
    assert np.abs(double[0] - single[0]).max() < 1e-2


def test_counts_in_single_precision(rng: np.random.Generator) -> None:
    """Exact but where the signal is within its own rounding, 2⁻²² of its counts, of the edge of a count."""
    e = Encoder(name="e", resolution=4096, ratio=2.0, wrap=True)
    x = np.float32(walk(rng, 2000)).astype(float)
    bench = Bench(e)
    exact = 2.0 * x * 4096 / (2 * pi)
    edge = np.abs((exact + 0.5) % 1 - 0.5) > 0.5 - np.abs(exact) * 2.0**-22
    found = e.counts(bench.readings(x, precision="single"))
    assert edge.mean() < 0.01
    assert np.array_equal(found[~edge], np.floor(exact[~edge] + 0.5).astype(int) % 4096)


def test_compiled_as_interpreted(rng: np.random.Generator) -> None:
    """The same program in plain NumPy; products and sums are fused there too, once it is optimised."""
    from gearwright.compiler.backends.cpu.passes import optimise_program

    bench = everything()
    state = rng.integers(1, 30000, size=(6, len(bench.sensing.state))).astype(float)
    x, v = rng.normal(size=(2, 6, 5))
    kernel = compile_program(bench.later, lanes=2, cache=False)
    done = kernel.evaluate({"x": x, "v": v, "s": state})
    plain = interpret_program(optimise_program(bench.later).map_tapes(unpacked), {"x": x, "v": v, "s": state}, batch=6)
    for name in ("r", "s"):
        assert done[name] == pytest.approx(plain.values[name], rel=1e-12, abs=1e-12)  # logarithms and sines differ
