"""Times of sensors in whole steps: what counts as whole, how rare samples may be, and how many on their way."""

import pytest

from gearwright.dynamics.sensing.times import Timing, timing, untimely
from gearwright.errors import CompileError
from gearwright.model import AxisRef, Encoder

DT = 1e-3


def encoder(**times):
    return Encoder(name="e", joint=AxisRef("j", 0), **times)


@pytest.mark.parametrize(("off", "told"), [(4e-10, False), (4e-9, True)])
def test_whole_to_nine_digits(off, told):
    assert (untimely(encoder(latency=5 * DT * (1 + off)), DT) is not None) == told
    assert (untimely(encoder(update_rate=100.0 * (1 + off)), DT) is not None) == told


def test_a_sample_in_two_to_the_24_steps():
    """What a clock counts exactly in single precision: 16,777,216."""
    assert timing(encoder(update_rate=1 / (1.6e7 * DT)), DT).period == 16_000_000
    with pytest.raises(CompileError, match="update_rate"):
        timing(encoder(update_rate=1 / (1.7e7 * DT)), DT)


def test_a_thousand_samples_on_their_way():
    assert timing(encoder(latency=0.998), DT).depth == 999
    with pytest.raises(CompileError, match="latency"):
        timing(encoder(latency=1.002), DT)


@pytest.mark.parametrize(("period", "delay"), [(1, 0), (1, 3), (4, 3), (4, 8), (4, 9)])
def test_what_is_seen_is_the_sample_of_that_time(period, delay):
    """Against a list of all samples: at step n, the last one that was taken `delay` steps before or earlier."""
    times = Timing(period=period, delay=delay)
    register = [-1.0] * times.depth
    for n in range(40):
        if n % period == 0:
            register = [float(n), *register[:-1]]
        taken = list(range(0, n - delay + 1, period)) if n >= delay else []
        if n >= delay + period * times.depth:
            assert times.seen(register, float(n % period)) == taken[-1]
