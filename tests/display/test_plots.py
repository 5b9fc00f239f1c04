"""Plots: signals by name, robots and times that are chosen, limits and saturation, light and dark."""

import re

import numpy as np
import pytest

import gearwright as gw
from gearwright.display.plot_panels import POINTS, PlotLine, PlotPanel, panels, stretches, thinned
from gearwright.display.plot_style import find_theme
from gearwright.display.plots import _draw_saturation, plot
from gearwright.sim import compile
from tests.sim.robots import GRIPPER

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def closing():
    """Against the stop at 0.04 m, with more torque commanded than the motor has."""
    return compile(gw.load(GRIPPER)).run(0.4, command={"motor": 0.05})


@pytest.fixture(scope="module")
def many():
    return compile(gw.load(GRIPPER), batch=20).run(0.05, command={"motor": np.linspace(0.001, 0.05, 20)})


def test_chosen_signals_are_the_panels(closing):
    figure = closing.plot(["motor.torque", "left_finger.position", "right_finger.position", "motor.velocity"])
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["actuator effort", "position", "actuator velocity"]
    assert [ax.get_ylabel() for ax in figure.axes] == ["[N·m]", "[m]", "[rad/s]"]


@pytest.mark.parametrize(
    ("name", "count"), [("position", 3), ("left_finger", 4), ("energy", 1), ("motor", 4), ("velocity", 3)]
)
def test_names_of_signals(closing, name, count):
    """A quantity, a joint or device with all that it has, or one number."""
    lines = [line for panel in panels(closing, [name]) for line in panel.lines]
    assert len(lines) == count


def test_misspelt_signals(closing):
    with pytest.raises(gw.ModelError, match=r"did you mean 'motor.torque'"):
        closing.plot(["motor.torqe"])
    with pytest.raises(gw.ModelError, match=r"did you mean 'motor.torque'"):
        closing.plot("motor.torqe")
    with pytest.raises(gw.ModelError, match="text such as"):
        closing.plot([3])


def test_no_panel_is_empty(closing):
    """Efforts on joints and coupling errors were zero throughout."""
    assert {p.title for p in panels(closing)} == {
        "position", "velocity", "command", "actuator effort", "actuator velocity", "sensor reading", "energy",
    }  # fmt: skip
    figure = closing.plot()
    assert all(ax.lines for ax in figure.axes) and len(figure.axes) == 7
    assert [p.title for p in panels(closing, ["effort"])] == ["effort"]  # but what is asked for is drawn


def test_limits_and_saturation(closing):
    torque = panels(closing, ["motor.torque"])[0].lines["motor"]
    assert torque.limits == (-0.012, 0.012) and torque.saturated[1:].all()  # 0.05 N·m are never there
    position = panels(closing, ["left_finger.position"])[0].lines["left_finger"]
    stopped = closing.position["left_finger"] > 0.04 - 1e-7
    assert position.limits == (0.0, 0.04) and stopped.any()
    assert np.array_equal(position.saturated[1:, 0], stopped[1:])
    shaded = closing.plot(["left_finger.position"]).axes[0].patches
    assert len(shaded) == 2  # beyond either end


def test_a_window_and_robots(many):
    panel = panels(many, ["left_finger.position"], robots=[3, 7], time=(0.01, 0.02))[0]
    assert (
        panel.time[0] == pytest.approx(0.01, rel=1e-12)
        and panel.time[-1] == pytest.approx(0.02, rel=1e-12)
        and len(panel.time) == 11
    )
    assert np.array_equal(panel.lines["left_finger"].values, many.position["left_finger"][10:21, [3, 7]])
    assert panels(many, ["left_finger.position"], robots=3)[0].lines["left_finger"].values.shape == (51, 3)
    for wrong in ((0.1, 0.2), (1,), "now"):
        with pytest.raises(gw.ModelError, match=r"no row|pair of seconds"):
            many.plot(time=wrong)
    for wrong in ([20], [-1], ["a"], [0.5]):
        with pytest.raises(gw.ModelError, match="indices from 0 to 19"):
            many.plot(robots=wrong)


def test_many_robots_are_bands(many):
    line = panels(many, ["left_finger.position"])[0].lines["left_finger"]
    assert line.bands == (0.05, 0.25, 0.5, 0.75, 0.95)
    assert np.array_equal(line.values[:, 2], np.median(many.position["left_finger"], axis=1))
    assert len(many.plot(["left_finger.position"]).axes[0].collections) == 2  # two bands around the median
    kept = many.bands((0.1, 0.9))
    assert panels(kept, ["left_finger.position"])[0].lines["left_finger"].bands == (0.1, 0.9)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_themes(closing, tmp_path, theme):
    from matplotlib.image import imread

    plot(closing, ["left_finger.position"], tmp_path / "run.png", theme=theme)
    brightness = imread(tmp_path / "run.png")[..., :3].mean()
    assert brightness > 0.9 if theme == "light" else brightness < 0.2
    with pytest.raises(gw.ModelError, match="theme"):
        closing.plot(theme="drak")


def test_a_page_that_can_be_zoomed(many, closing, tmp_path):
    pytest.importorskip("plotly")
    figure = closing.plot(["motor.torque", "left_finger.position"], tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "actuator effort [N·m]" in figure.layout.annotations[0].text and "Plotly" in text
    assert not re.search(r'<script[^>]+src="http', text)  # one file, without a network
    assert len(figure.layout.shapes) >= 2  # limits
    many.plot(tmp_path / "many.html", theme="dark")
    assert (tmp_path / "many.html").stat().st_size > 100_000


def test_a_recording_from_a_file_is_drawn_alike(closing, tmp_path):
    closing.save(tmp_path / "run.npz")
    again = gw.Recording.open(tmp_path / "run.npz")
    for a, b in zip(panels(closing), panels(again), strict=True):
        assert (a.title, a.limits, list(a.lines)) == (b.title, b.limits, list(b.lines))


def test_the_same_picture_is_the_same_file(closing, tmp_path):
    for name in "ab":
        closing.plot(["position"], tmp_path / f"{name}.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_peaks_survive_thinning():
    time = np.linspace(0, 1, 100_000)
    values = np.sin(9 * time)
    values[[5, 50_001]] = (3.0, -3.0)
    x, y = thinned(time, values)
    assert len(x) <= POINTS and y.max() == 3.0 and y.min() == -3.0 and (np.diff(x) >= 0).all()


def test_stretches():
    assert stretches(np.array([True, True, False, True])) == [(0, 1), (3, 3)]
    assert stretches(np.zeros(3, bool)) == []


def test_strokes_do_not_add_up():
    """Of many joints that rest on the same limit, one is drawn."""
    panel = PlotPanel("position", "rad", np.arange(5.0))
    for i in range(20):
        panel.lines[f"j{i}"] = PlotLine(f"j{i}", np.zeros((5, 1)), (0.0, 1.0), np.ones((5, 1), bool))
    ax = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    assert _draw_saturation(ax, panel, find_theme("light")) and len(ax.lines) == 1


def test_the_page_begins_with_the_recording(closing, tmp_path):
    pytest.importorskip("plotly")
    figure = closing.plot(["left_finger.position"], tmp_path / "run.html")
    assert tuple(figure.layout.xaxis.range) == (closing.time[0], closing.time[-1])


def test_the_range_of_a_constant():
    panel = PlotPanel("command", "V", np.arange(5.0), {"m": PlotLine("m", np.full((5, 1), 0.02))})
    assert panel.range()[0] < 0.017 and 0.023 < panel.range()[1] < 0.03


def test_beyond_a_limit_is_not_at_it(closing):
    """A velocity may be beyond its limit; a finger at its stop is not."""
    values, marked = np.array([[0.0], [1.0], [1.2]]), np.array([[False], [True], [True]])
    past, at = PlotLine("a", values, (-1.0, 1.0), marked), PlotLine("b", values.clip(max=1.0), (-1.0, 1.0), marked)
    strokes = [
        PlotPanel("velocity", "", np.arange(3.0), dict(enumerate(own))).stroke for own in ([past], [at], [past, at])
    ]
    assert strokes == ["beyond its limit", "at its limit", "at or beyond its limit"]
    assert panels(closing, ["left_finger.position"])[0].stroke == "at its limit"
    legend = closing.plot(["left_finger.position"]).axes[0].get_legend()
    assert legend.get_texts()[-1].get_text().strip() == "at its limit"


def test_every_column_has_its_times(closing):
    """Seven panels: three rows of two, and one as wide as the page, whose times the columns do not share."""
    labelled = [ax.get_xlabel() for ax in closing.plot().axes]
    assert labelled == ["", "", "", "", "time [s]", "time [s]", "time [s]"]


def test_the_total_is_seen_over_the_kinetic_energy(closing):
    energy = panels(closing)[-1]
    assert list(energy.lines)[-1] == "total"
    assert closing.plot().axes[-1].lines[-1].get_linestyle() == "--"


def test_a_crowded_panel_names_what_varies_most():
    """Of 20 lines the 12 largest have colours and names; limits are drawn where a named line comes to its own."""
    time = np.linspace(0.0, 1.0, 5)
    lines = {f"j{n}": PlotLine(f"j{n}", (n * time)[:, None], (-30.0 - n, 30.0 + n)) for n in range(20)}
    lines["j15"].saturated = np.full((5, 1), True)
    panel = PlotPanel("position", "rad", time, lines)
    assert panel.named == [f"j{n}" for n in range(8, 20)]
    assert panel.own_limits == [("j15", -45.0), ("j15", 45.0)]
    lines["j0"].values[-1] = np.nan  # a robot that failed is the one that is looked for
    assert panel.named == ["j0", *(f"j{n}" for n in range(9, 20))]


def test_every_line_of_a_small_panel_has_its_limits():
    lines = {name: PlotLine(name, np.zeros((2, 1)), (-limit, limit)) for name, limit in (("a", 1.0), ("b", 2.0))}
    panel = PlotPanel("position", "rad", np.arange(2.0), lines)
    assert panel.named == ["a", "b"] and panel.own_limits == [("a", -1.0), ("a", 1.0)]


def test_a_counter_that_stays_at_zero_has_a_readable_axis(closing):
    """Axes of ±1e-9 with an offset of 1e-9 look like noise."""
    (ax,) = plot(closing, ["unsettled"]).axes
    assert ax.get_ylim() == (-1.0, 1.0)
