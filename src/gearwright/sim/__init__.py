"""Simulation as users see it: state by name, batches, stepping, recording."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.sim.compiling import compile as compile
    from gearwright.sim.recordings.recording import Recording as Recording
    from gearwright.sim.saving.opening import open as open
    from gearwright.sim.simulation import Simulation as Simulation
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
