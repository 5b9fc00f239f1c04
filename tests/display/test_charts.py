"""Charts of reports: lines that turn back, and constants."""

import re

import numpy as np
import pytest

from gearwright.display.charts import Chart, ChartFrame, ChartLine, _thinned
from tests.tolerances import ROUNDING


@pytest.mark.parametrize("n", [9, 5001])
@pytest.mark.parametrize("slope", [0.0, -0.5])
def test_a_line_that_turns_back_keeps_its_end(n, slope):
    """Out to 100 and back to 50 on the same straight line."""
    x = np.interp(np.linspace(0, 1, n), [0, 0.5, 1], [0.0, 100.0, 50.0])
    kept, _ = _thinned(x, 200 + slope * x)
    assert kept.max() == x.max() and len(kept) < 8


def test_a_straight_line_has_two_points():
    x = np.linspace(0, 400, 1000)
    assert len(_thinned(x, 0.3 * x)[0]) == 2


@pytest.mark.parametrize(("value", "room"), [(0.02, 0.004), (-5.0, 1.0), (0.0, 1.0)])
def test_the_axis_of_a_constant(value, room):
    y = np.full(5, value)
    chart = Chart(x_label="t", y_label="y", lines=[ChartLine(label="", x=np.arange(5.0), y=y, colour="blue")])
    frame = ChartFrame.of(chart, 20.0)
    assert frame.y1 == pytest.approx(value + room, rel=ROUNDING) and frame.y0 == pytest.approx(
        value - room if value else 0.0, rel=ROUNDING
    )
    assert max(map(len, re.findall(r">([−\d.]+)</text>", chart.svg()))) <= 6
