"""A drive that may leave its limit within a step."""

from types import SimpleNamespace

import pytest

from gearwright.dynamics.actuation.actuator_unit import ActuatorUnit


@pytest.mark.parametrize(("away", "slope"), [(0.19, 50.0), (0.21, 0.0), (-0.19, 50.0), (-0.21, 0.0)])
def test_a_stiff_drive_counts_as_steep_where_its_target_speed_is_within_reach(away, slope):
    """Four times what it can gain in a step: 10 N·m on 2 kg·m² for 10 ms are 0.05 rad/s."""
    now = SimpleNamespace(diagonal=[2.0], h=0.01)
    unit = SimpleNamespace(drive=lambda speed, given: (50.0 * away, -50.0))
    found = ActuatorUnit._arrival(unit, now, {0: 1.0}, [0.0], 0.0, 10.0)
    assert float(found) == slope
