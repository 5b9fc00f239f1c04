"""Encoders, switches and a user's own sensors: compiled programs against the same written again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, pi
from typing import Any

import casadi
import numpy as np
import pytest

from gearwright.dynamics.algebra.scalar import scalars
from gearwright.dynamics.sensing.readers import READERS
from gearwright.dynamics.sensing.sensors import Sensing
from gearwright.dynamics.sensing.times import untimely
from gearwright.errors import CompileError
from gearwright.model.sensors.body_sensors import BodySensor, ForceTorque, Imu
from gearwright.model.sensors.contact_sensor import ContactSensor
from gearwright.model.sensors.sensors import SENSORS, CustomSensor, Encoder, LimitSwitch, Sensor
from tests.compiler.building import same_bits
from tests.dynamics.sensor_bench import DT, Bench, ExactEncoder, held, walk

ENCODERS = [
    Encoder(name="e", resolution=4096),
    Encoder(name="e", resolution=49, ratio=-3.7, offset=0.3),  # 49·(1/49) is not 1 in floating point
    Encoder(name="e", resolution=1000.5, ratio=0.01),
    Encoder(name="e", resolution=2**20, ratio=50.0, offset=-1.0),
    Encoder(name="e", resolution=3, ratio=-1.0),
]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_counts_are_exact(encoder: Encoder, rng: np.random.Generator) -> None:
    x = walk(rng)
    exact = [ExactEncoder(encoder).count(a) for a in x]
    readings = Bench(encoder).readings(x)
    assert encoder.counts(readings).tolist() == exact
    assert same_bits(readings, np.array(exact) * encoder.count())
    assert len(set(exact)) > 3  # it moved


def test_counts_are_exact_where_a_count_begins_and_in_its_middle() -> None:
    """Angles k·δ, as a controller commands them, lie in the middle of count k: no rounding changes it."""
    e = Encoder(name="e", resolution=1000)
    k = np.arange(-3000, 3000)
    for nudge in (0.0, 0.4999, -0.4999):
        assert np.array_equal(e.counts(Bench(e).readings((k + nudge) * e.count())), k)
    edges = (k + 0.5) * e.count()
    assert np.array_equal(e.counts(Bench(e).readings(np.nextafter(edges, inf) + 1e-12)), k + 1)


@pytest.mark.parametrize("encoder", [replace(e, wrap=True) for e in ENCODERS if not (e.resolution or 0) % 1])
def test_wrapped_counts_are_exact(encoder: Encoder, rng: np.random.Generator) -> None:
    x = np.concatenate([walk(rng), np.arange(-60, 60) * 2 * pi / 49])  # and whole counts, whole turns among them
    exact = [ExactEncoder(encoder).count(a) % int(encoder.resolution or 0) for a in x]
    assert encoder.counts(Bench(encoder).readings(x)).tolist() == exact


def test_an_exact_encoder_wraps_into_one_turn(rng: np.random.Generator) -> None:
    whole = np.arange(-40, 40) * 2 * pi
    tiny = np.array([0.0, -1e-300, -1e-17, -1e-16, 1e-17])
    x = np.concatenate([walk(rng), whole, np.nextafter(whole, -inf), np.nextafter(whole, inf), tiny])
    r = Bench(Encoder(name="e", wrap=True, offset=0.0)).readings(x)
    assert np.all((r >= 0.0) & (r < 2 * pi))
    turns = (x - r) / (2 * pi)
    # the quotient is rounded once, and so are product and difference: a few units of the last place of x (300 rad)
    assert np.abs(turns - np.rint(turns)).max() < 1e-15 * np.abs(x).max()


def test_ratio_and_offset(rng: np.random.Generator) -> None:
    x, v = walk(rng), rng.normal(size=400)
    e = Encoder(name="e", ratio=-2.5, offset=0.25)
    # one rounding of a fused product and sum, two of theirs
    assert Bench(e).readings(x, v) == pytest.approx(-2.5 * x + 0.25, rel=1e-15, abs=1e-15)
    assert np.array_equal(Bench(replace(e, type="velocity")).readings(x, v), -2.5 * v)


# --- lengths --------------------------------------------------------------------------------------------------------


def test_a_length_is_counted_by_the_metre(rng: np.random.Generator) -> None:
    e = Encoder(name="e", resolution=1e5)
    x = walk(rng, speed=1e-3)
    r = Bench(e, lengths=("e",)).readings(x)
    assert e.counts(r, length=True).tolist() == [ExactEncoder(e, 1.0).count(a) for a in x]


def test_a_linear_scale_wraps_at_its_pitch(rng: np.random.Generator) -> None:
    e = Encoder(name="e", resolution=256, turn=2e-3, wrap=True, index=True)
    x = walk(rng, speed=3e-4)
    r = Bench(e, lengths=("e",)).readings(x)
    assert e.counts(r[:, 0]).tolist() == [ExactEncoder(e, 2e-3).count(a) % 256 for a in x]


def test_angles_and_lengths_of_one_sensor() -> None:
    bench = Bench(Encoder(name="e", resolution=8), sizes={"e": 2}, lengths=("e.1",))
    assert bench.sensing.readings == ("e.0", "e.1")
    assert bench.readings([[2.4, 2.4]] * 2)[1].tolist() == [3 * pi / 4, 19 / 8]


# --- times ----------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("delay", [0, 1, 2, 3, 5, 7, 12])
@pytest.mark.parametrize("period", [1, 2, 3, 5])
@pytest.mark.parametrize("resolution", [None, 64])
def test_latency_and_rate(period: int, delay: int, resolution: float | None, rng: np.random.Generator) -> None:
    e = Encoder(name="e", resolution=resolution, update_rate=1 / (period * DT), latency=delay * DT)
    x = walk(rng, 60)
    direct = Bench(replace(e, update_rate=inf, latency=0.0)).readings(x)
    assert same_bits(Bench(e).readings(x), np.array(held(direct, period, delay)))


def test_a_register_is_as_long_as_the_samples_on_their_way() -> None:
    def registers(**more: Any) -> int:
        return sum(".sample" in n for n in Sensing({"e": Encoder(name="e", **more)}, {"e": 1}, DT).state)

    assert registers() == 1
    assert registers(latency=7 * DT) == 8
    assert registers(update_rate=10, latency=0.2) == 3
    assert registers(update_rate=10, latency=0.25) == 4


@pytest.mark.parametrize(
    ("sensor", "said"),
    [
        (Encoder(name="e", update_rate=300), r"^encoder 'e': an update_rate of 300 Hz is taken as 333.3333333 Hz, in"),
        (Encoder(name="e", update_rate=1500), r"1500 Hz is taken as 1000 Hz"),
        (Encoder(name="e", update_rate=1001), r"1001 Hz is taken as 1000 Hz"),
        (LimitSwitch(name="s", latency=0.0124), r"^limit 's': a latency of 0.0124 s as 0.012 s"),
        (LimitSwitch(name="s", latency=0.0001), r"a latency of 0.0001 s as 0.001 s"),
        (Encoder(name="e", update_rate=400, latency=0.0004), r"400 Hz is taken as 500 Hz and a latency of 0.0004 s as"),
    ],
)
def test_times_between_steps_are_taken_to_the_nearest_and_told(sensor: Sensor, said: str) -> None:
    told = untimely(sensor, DT)
    assert told is not None
    assert re.search(said, told), told
    Sensing({sensor.name: sensor}, {sensor.name: 1}, DT)


@pytest.mark.parametrize(
    ("sensor", "said"),
    [
        (Encoder(name="e", update_rate=1e-8), r"one sample in 16777216 steps"),
        (Encoder(name="e", latency=1.0), r"keeps 1001 samples in transit, more than 1000"),
    ],
)
def test_times_that_take_too_much_are_refused(sensor: Sensor, said: str) -> None:
    with pytest.raises(CompileError, match=said):
        Sensing({sensor.name: sensor}, {sensor.name: 1}, DT)


@pytest.mark.parametrize("dt", [1e-3, 1 / 300, 1 / 480, 2.5e-4, 1 / 3])
@pytest.mark.parametrize("steps", [1, 3, 7, 48])
def test_times_that_are_whole_but_for_rounding(dt: float, steps: int) -> None:
    e = Encoder(name="e", update_rate=1 / dt / steps, latency=dt * steps * 3)
    assert sum(".sample" in n for n in Sensing({"e": e}, {"e": 1}, dt).state) == 4


# --- velocity by counting -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", [1, 4])
def test_a_velocity_is_counts_over_a_sample_period(period: int, rng: np.random.Generator) -> None:
    e = Encoder(name="e", type="velocity", resolution=512, ratio=3.0, update_rate=1 / (period * DT))
    x, v = walk(rng, 200, speed=0.01), rng.normal(size=200) * 20
    places = [ExactEncoder(e).count(a) for a in x]
    before = ExactEncoder(e).count(x[0] - period * DT * v[0])
    sampled = [before, *places[::period]]
    exact = [b - a for a, b in pairwise(sampled)]
    r = Bench(e).readings(x, v)
    assert e.counts(r[::period]).tolist() == exact
    assert same_bits(r[::period], np.array(exact) * (e.count() / (period * DT)))
    assert same_bits(r, r[::period].repeat(period)[: len(r)])


# --- the index mark -------------------------------------------------------------------------------------------------


def marks(places: Sequence[int], turn: int) -> list[float]:
    """By looking at every count that was met on the way."""
    met = [places[0] % turn == 0]
    for then, now in pairwise(places):
        way = range(then + 1, now + 1) if now > then else range(now, then) if now < then else [now]
        met.append(any(n % turn == 0 for n in way))
    return [float(m) for m in met]


@pytest.mark.parametrize("turn", [7, 49, 100])
@pytest.mark.parametrize("speed", [0.02, 0.4, 4.0])
def test_no_index_mark_is_missed(turn: int, speed: float, rng: np.random.Generator) -> None:
    e = Encoder(name="e", resolution=turn, index=True)
    x = np.concatenate([walk(rng, 300, speed), np.zeros(3), np.arange(-2 * turn, 2 * turn) * e.count()])
    r = Bench(e).readings(x)
    expected = marks([ExactEncoder(e).count(a) for a in x], turn)
    assert r[:, 1].tolist() == expected
    assert 0 < sum(expected) < len(expected)
    sensing = Bench(e).sensing
    assert sensing.readings == ("e", "e.index") and sensing.shown == {"e": ("e",)}


def test_the_mark_of_an_exact_encoder_is_a_point() -> None:
    x = np.array([0.1, 1.0, 6.2, 6.3, 6.3, 6.2, 20.0, 25.2, -0.1])
    r = Bench(Encoder(name="e", index=True)).readings(x)
    assert r[:, 1].tolist() == [0, 0, 0, 1, 0, 1, 1, 1, 1]


def test_the_mark_is_held_and_delayed_as_the_reading_is(rng: np.random.Generator) -> None:
    e = Encoder(name="e", resolution=20, index=True, update_rate=500, latency=3 * DT)
    x = walk(rng, 100)
    places = [ExactEncoder(e).count(a) for a in x]
    met = np.repeat(marks(places[::2], 20), 2)
    assert Bench(e).readings(x)[:, 1].tolist() == held(met, 1, 3)


# --- switches -------------------------------------------------------------------------------------------------------


def switched(switch: LimitSwitch, x: Sequence[float]) -> list[float]:
    closed, seen = False, []
    for a in x:
        beyond = a - switch.threshold if switch.direction == "above" else switch.threshold - a
        if beyond >= 0:
            closed = True
        elif beyond <= -switch.hysteresis:
            closed = False
        seen.append(float(closed))
    return seen


@pytest.mark.parametrize("direction", ["above", "below"])
@pytest.mark.parametrize("hysteresis", [0.0, 0.25, 2.0])
@pytest.mark.parametrize("times", [(1, 0), (1, 4), (5, 0), (5, 7)])
def test_a_switch(direction: Any, hysteresis: float, times: tuple[int, int], rng: np.random.Generator) -> None:
    period, delay = times
    s = LimitSwitch(
        name="s", threshold=0.5, direction=direction, hysteresis=hysteresis,
        update_rate=1 / (period * DT), latency=delay * DT,
    )  # fmt: skip
    x = np.round(np.sin(walk(rng, 500)) * 24) / 8  # often exactly at a threshold
    expected = switched(s, x)  # it moves between samples, too
    assert Bench(s).readings(x).tolist() == held(expected, period, delay)
    assert 20 < sum(expected) < 480
    assert len([1 for a, b in pairwise(expected) if a != b]) > 4


# --- the contract of every kind -------------------------------------------------------------------------------------


def hall(positions: Any, velocities: Any, state: Any) -> Any:
    """Three signals a third of a turn apart, of a rotor with seven pole pairs."""
    return np.where(np.sin(7 * positions[0] - np.array([0.0, 2.0, 4.0]) * pi / 3) > 0, 1.0, 0.0)


def smoothed(positions: Any, velocities: Any, state: Any) -> Any:
    after = state + 0.25 * (positions - state)
    return after, after


KINDS: dict[type[Sensor], list[Sensor]] = {
    Encoder: [
        Encoder(name="k", resolution=100, index=True, noise=0.1, wrap=True),
        Encoder(name="k", type="velocity", resolution=100, index=True),
        Encoder(name="k", type="velocity", noise=0.2),
    ],
    LimitSwitch: [LimitSwitch(name="k", hysteresis=0.1)],
    CustomSensor: [
        CustomSensor(name="k", function=hall, labels=("a", "b", "c")),
        CustomSensor(name="k", function=smoothed, states=(0.0, 1.0)),
    ],
    BodySensor: [ForceTorque(name="k", reaction="j"), Imu(name="k", link="l", noise=(0.1, 0.0, 0.2, 0.0, 0.0, 0.3))],
}
EVERY = [s for kinds in KINDS.values() for s in kinds]


def test_every_kind_has_a_reader_and_an_example() -> None:
    assert set(READERS) == {
        *KINDS,
        ContactSensor,
    }
    assert set(SENSORS.values()) <= set(READERS)


@pytest.mark.parametrize("sensor", EVERY)
@pytest.mark.parametrize("times", [(1, 0), (3, 4)])
def test_readings_belong_to_the_state(sensor: Sensor, times: tuple[int, int], rng: np.random.Generator) -> None:
    """They are finite, held between samples, the same after the same reset, and a function of the state alone."""
    period, delay = times
    size = 6 if isinstance(sensor, BodySensor) else 2
    bench = Bench(replace(sensor, update_rate=1 / (period * DT), latency=delay * DT), sizes={"k": size})
    x, v = rng.normal(size=(2, 50, 3, size)).cumsum(axis=1)
    r, s = bench.run(x, v)
    assert r.shape[2] == len(bench.sensing.readings) and s.shape[2] == len(bench.sensing.state)
    assert len(set(bench.sensing.state)) == s.shape[2]
    state = casadi.SX.sym("s", s.shape[2])
    shown = casadi.Function("f", [state], [casadi.vertcat(*bench.sensing.reading(scalars(state)))])
    assert np.array_equal(np.array(shown(s[17].T)).T, r[17])
    assert all(np.array_equal(a, b) for a, b in zip(bench.run(x, v), (r, s), strict=True))
    for i in range(1, 50):
        assert (i - delay) % period == 0 or np.array_equal(r[i], r[i - 1])
    assert np.array_equal(r[: delay + period], np.broadcast_to(r[0], r[: delay + period].shape))


# --- a user's own ---------------------------------------------------------------------------------------------------


def test_a_hall_sensor(rng: np.random.Generator) -> None:
    bench = Bench(CustomSensor(name="h", function=hall, labels=("a", "b", "c")))
    assert bench.sensing.readings == ("h.a", "h.b", "h.c")
    x = walk(rng)
    r = bench.readings(x)
    assert np.array_equal(r, [[float(np.sin(7 * a - k * 2 * pi / 3) > 0) for k in range(3)] for a in x])
    sectors = {tuple(row) for row in r}
    assert len(sectors) == 6 and (0, 0, 0) not in sectors and (1, 1, 1) not in sectors


def test_a_sensor_with_a_state_of_its_own(rng: np.random.Generator) -> None:
    """It is called once a sample, the reset being the first."""
    s = CustomSensor(name="f", function=smoothed, states=(0.5,), update_rate=500, latency=DT)
    x = walk(rng, 80)
    y, filtered = 0.5, []
    for a in x[::2]:
        y += 0.25 * (a - y)
        filtered.append(y)
    r = Bench(s).readings(x)
    # a fused product and sum rounds once less than this; 0.75ⁿ forgets it
    assert r == pytest.approx(held(np.repeat(filtered, 2), 1, 1), rel=1e-13, abs=1e-13)


def test_a_subclass_with_fields_of_its_own() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Resolver(CustomSensor):
        kind = "resolver"
        pole_pairs: int = 1

        def read(self, positions: Any, velocities: Any, state: Any) -> Any:
            angle = self.pole_pairs * positions[0]
            return np.sin(angle), np.cos(angle)

    bench = Bench(Resolver(name="r", pole_pairs=4))
    assert bench.sensing.readings == ("r.0", "r.1")
    x = np.linspace(-3, 3, 50)
    # sines of the compiled code are within an ulp
    assert bench.readings(x) == pytest.approx(np.stack([np.sin(4 * x), np.cos(4 * x)], -1), rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(
    ("sensor", "said"),
    [
        (CustomSensor(name="f", function=lambda x, v, s: x, states=(0.0,)), "sensor 'f'.* 1 output, not 2"),
        (CustomSensor(name="f", function=lambda x, v, s: (x, x), states=(0.0, 0.0)), "sensor 'f'.* 1 value"),
        (CustomSensor(name="f", function=hall, labels=("a", "b")), "sensor 'f' has 2 labels and 3 readings"),
        (CustomSensor(name="f", function=lambda x, v, s: 1.0 if x[0] > 0 else 0.0), "sensor 'f'.*np.where"),
    ],
)
def test_functions_that_do_not_fit(sensor: Sensor, said: str) -> None:
    with pytest.raises(CompileError, match=said):
        Sensing({"f": sensor}, {"f": 1}, DT)


def test_a_kind_without_a_reader_is_told() -> None:
    with pytest.raises(CompileError, match="'x': READERS has no row"):
        Sensing({"x": Sensor(name="x")}, {"x": 1}, DT)


def test_readings_of_one_name_are_refused() -> None:
    sensors = {n: Encoder(name=n, index=True) for n in ("e", "e.index")}
    with pytest.raises(CompileError, match=r"two sensors give a reading named 'e.index'"):
        Sensing(sensors, {"e": 1, "e.index": 1}, DT)


def test_no_sensors() -> None:
    sensing = Sensing({}, {}, DT)
    assert (sensing.readings, sensing.state, sensing.start({}), sensing.sample({}, [])) == ((), (), [], ([], []))
    assert sensing.layout.seeds(4).shape == (4, 0)
