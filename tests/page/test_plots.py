"""Plots show what happened: every step of it, on axes that can be read; motors have numbers on theirs."""

from __future__ import annotations

import re
from math import log10, pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.envelope import envelope
from gearwright.page.motion import DRAWN
from gearwright.page.motor_curves import drawing, round_number
from gearwright.page.player import Player
from gearwright.page.replay import Replay
from gearwright.page.scales import Scale
from gearwright.page.signal_plots import y_range
from tests.tolerances import ROUNDING

RATE = 29.0  # [Hz]: near that of pictures, of which it would look like a slow beat
SPRING = f"""<sdf version="1.11"><model name="swing"><link name="a"/><link name="b"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="base" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="swing" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<dynamics><spring_stiffness>{(2 * pi * RATE) ** 2}</spring_stiffness></dynamics></axis></joint></model></sdf>"""


def nothing() -> None:
    pass


@pytest.fixture
def player():
    made = Player(gw.compile(gw.loads(SPRING), gravity=(0, 0, 0), dt=1e-3), nothing)
    yield made
    made.stop()


def crossings(values) -> int:
    return int((np.diff(np.sign(values)) != 0).sum())


@pytest.mark.parametrize("steps", [33, 1, 2000], ids=["by pictures", "by steps", "at once"])
def test_a_fast_swing_looks_as_fast_as_it_is(player, steps: int) -> None:
    player.reset({"swing": 0.3})
    for _ in range(-(-2000 // steps)):
        player.step(steps)
    times, values = player.history.series("swing.position")
    assert np.allclose(np.diff(times), 1e-3, rtol=1e-9)  # differences of times up to 2 s: their rounding
    assert abs(crossings(values[:2000]) - 2 * RATE * 2.0) <= 2
    drawn_at, drawn = player.series("swing.position")
    assert len(drawn) <= DRAWN
    assert abs(crossings(drawn[drawn_at <= 2.0]) - 2 * RATE * 2.0) <= 2
    assert np.abs(drawn).max() == pytest.approx(0.3, rel=1e-2)  # half a step beside the peak: (π·29·1e-3)²/2


def test_history_is_what_the_simulation_says(player) -> None:
    """Position, velocity, energy and every other signal that a recording has."""
    player.reset({"swing": 0.3})
    player.step(100)
    time, row = player.history[-1]
    assert time == pytest.approx(player.sim.time, rel=ROUNDING)
    assert row["swing.position"] == pytest.approx(player.sim.position["swing"], rel=ROUNDING)
    assert row["swing.velocity"] == pytest.approx(player.sim.velocity["swing"], rel=ROUNDING)
    assert row["energy"] == pytest.approx(player.sim.energy, rel=ROUNDING)
    assert player.units["swing.velocity"] == "rad/s"


def test_history_is_bounded_and_begins_anew(player) -> None:
    player.step(12_000)
    assert 9_000 < len(player.history) <= 10_240
    player.reset()
    assert len(player.history) == 0 and len(player.series("swing.position")[0]) == 0
    player.step(5)
    player.sim.reset(position={"swing": 0.1})  # by whoever else has the simulation
    player.step(3)
    assert player.history.series("swing.position")[0][0] == pytest.approx(1e-3, rel=ROUNDING)


def test_short_steps_have_a_row_for_each_half_millisecond() -> None:
    player = Player(gw.compile(gw.loads(SPRING), gravity=(0, 0, 0), dt=1e-4), nothing)
    player.step(100)
    assert np.allclose(player.history.series("swing.position")[0], 5e-4 * np.arange(1, 21))
    player.stop()
    player.step(100)
    assert len(player.history) == 20  # it listens no more


@pytest.mark.parametrize("points", [10, 100, 1500])
def test_an_envelope_keeps_what_stands_out(points: int) -> None:
    times = np.linspace(0, 1, 20_001)
    values = np.sin(2 * pi * 977 * times)
    values[12_345] = 40.0
    x, y = envelope(times, values, points)
    assert len(x) == len(y) <= points + 2 and (np.diff(x) > 0).all()
    assert y.max() == 40.0 and y.min() < -0.9
    holes = np.where(times > 0.5, np.nan, values)
    assert np.isnan(envelope(times, holes, points)[1]).any()
    short = envelope(times[:5], values[:5], points)
    assert (short[0] == times[:5]).all() and (short[1] == values[:5]).all()


def test_a_long_recording_keeps_its_peaks() -> None:
    sim = gw.compile(gw.loads(SPRING), gravity=(0, 0, 0), dt=1e-3)
    sim.reset(position={"swing": 0.3})
    run = sim.run(5.0)
    replay = Replay(run, run.robot, nothing)
    times, values = replay.series("swing.position")
    assert len(times) <= DRAWN
    for first in np.arange(0.0, 4.8, 0.2):
        drawn, recorded = ((t >= first) & (t < first + 0.2) for t in (times, run.time))
        highest = np.abs(run.position["swing"][recorded]).max()
        assert np.abs(values[drawn]).max() == pytest.approx(highest, rel=1e-2)  # a peak beside the edge of a part


def ticks(low: float, high: float) -> list[float]:
    """As a plot chooses them: some round numbers, five or so."""
    step = 10.0 ** np.floor(log10(high - low))
    step *= next(k for k in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if (high - low) / (k * step) <= 6)
    return [float(x) for x in step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)]


@pytest.mark.parametrize("offset", [0.0, 1.5707963, -40.0, 1e5])
@pytest.mark.parametrize("height", [1e-8, 3e-6, 4e-5, 1e-3, 0.009, 0.02, 0.7, 5.0, 400.0, 3e4, 2e7])
def test_numbers_of_an_axis_are_right_to_three_decimals(height: float, offset: float) -> None:
    """The browser shows no more of them."""
    if height < 1e-9 * abs(offset) * 1.01:
        pytest.skip("rounding, beside its size")
    values = offset + height * np.linspace(0, 1, 50)
    scale = Scale.of(values, "rad")
    shown = scale.scaled(values)
    found = ticks(shown.min(), shown.max())
    assert len(found) >= 2
    for tick in found:
        assert abs(round(tick, 3) - tick) <= 1e-3 * (found[1] - found[0])
        assert len(f"{abs(round(tick, 3)):g}") <= 8
    assert np.allclose(shown * 10.0**scale.exponent + scale.offset, values, rtol=0, atol=1e-6 * height)


@pytest.mark.parametrize(
    ("low", "high", "unit", "title"),
    [
        (0.0, 2.0, "rad", "x [rad]"),
        (0.0, 2e-4, "rad", "x [µrad]"),
        (0.0, 2e-3, "N·m", "x [mN·m]"),
        (0.0, 2e-3, "m/s²", "x [mm/s²]"),
        (0.0, 2e5, "N", "x [kN]"),
        (0.0, 2e-3, "", "x [10⁻³]"),
        (0.0, 2e-3, "°C", "x [10⁻³ °C]"),
        (0.0, 2e-3, "m²", "x [10⁻³ m²]"),
        (1.5, 1.5 + 2e-6, "rad", "x − 1.5 rad [µrad]"),
        (0.0, 0.0, "rad", "x [rad]"),
        (0.7, 0.7, "rad", "x [rad]"),
        (0.0, 1e-17, "rad", "x [rad]"),
    ],
)
def test_titles_have_the_unit_of_the_axis(low: float, high: float, unit: str, title: str) -> None:
    assert Scale.of(np.array([low, high]), unit).title("x") == title


@pytest.mark.parametrize("value", [0.0, 0.7, -3e-5, 1e-17])
def test_one_value_is_a_straight_line_in_the_middle(value: float) -> None:
    values = value + 1e-16 * np.array([0.0, 1.0, -1.0, 0.5])
    scale = Scale.of(values, "rad")
    shown = scale.scaled(values)
    low, high = y_range(shown)
    assert scale.flat and (shown == shown[0]).all() and low < shown[0] < high
    assert len({round(x, 3) for x in ticks(low, high)}) == len(ticks(low, high))


# --- motors ---------------------------------------------------------------------------------------------------------


def texts(html: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", html)


def test_a_motors_axes_have_numbers_and_units() -> None:
    robot = gw.load("four_bar")
    motor = robot.actuators["crank_motor"]
    units = {"torque": "N·m", "velocity": "rad/s"}
    html = drawing(motor, (605.0, 0.003), [(0.0, 0.06), (605.0, 0.003)], units)
    assert sorted(texts(html)) == sorted(["rad/s", "N·m", "−500", "500", "−0.05", "0.05"])
    assert "0.003 N·m at 605 rad/s" in html
    assert "N at" in drawing(motor, (1.0, 2.0), [], {"torque": "N", "velocity": "m/s"})
    at = {t: float(re.search(rf'x="([\d.]+)"[^>]*>{t}<', html)[1]) for t in ("500", "−500")}
    assert at["500"] - 140 == pytest.approx(140 - at["−500"])


@pytest.mark.parametrize(
    ("most", "number"), [(1.0, 0.5), (1.12, 1.0), (670.0, 500.0), (0.069, 0.05), (2.3, 2.0), (9e-4, 5e-4)]
)
def test_round_numbers(most: float, number: float) -> None:
    assert round_number(most) == pytest.approx(number)


def test_a_trace_is_the_last_second_of_every_step() -> None:
    sim = gw.compile(gw.load("four_bar"))
    player = Player(sim, nothing)
    player.command["crank_motor"] = 0.02
    player.step(1500)
    speeds, torques = player.trace("crank_motor")
    assert len(speeds) == len(torques) == 1000
    assert (speeds[-1], torques[-1]) == pytest.approx(player.operating_point("crank_motor"), rel=ROUNDING)
    player.stop()
    run = gw.compile(gw.load("four_bar")).run(0.5, command={"crank_motor": 0.02})
    replay = Replay(run, run.robot, nothing)
    replay.seek(0.3)
    last = replay.trace("crank_motor")[0][-1]
    assert last == pytest.approx(replay.operating_point("crank_motor")[0], rel=ROUNDING)
