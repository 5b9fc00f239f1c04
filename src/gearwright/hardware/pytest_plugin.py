"""pytest fixtures that start a simulated robot for a driver's tests; pytest loads them where we are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gearwright.hardware.bench import Bench


@pytest.fixture
def gearwright_serve() -> Iterator[Callable[..., Bench]]:
    """`gearwright.serve` whose robots are stopped at the end of the test.

    def test_my_driver(gearwright_serve):
        bench = gearwright_serve("desk_arm")
        driver = MyDriver(port=bench.port)
    """
    import gearwright

    with ExitStack() as stack:

        def serve(robot: Any, **options: Any) -> Bench:
            return stack.enter_context(gearwright.serve(robot, **options))

        yield serve
