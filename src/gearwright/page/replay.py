"""A recording behind the page: moved along its time, between its rows by straight lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.page.envelope import envelope
from gearwright.page.motion import DRAWN, TRACE, ShownMotion
from gearwright.sim.recordings.signal_names import label

if TYPE_CHECKING:
    from gearwright.model import Mechanism
    from gearwright.sim import Recording

MOST_ROWS = 60_000  # that are kept: ten minutes at 100 Hz; longer recordings are thinned
QUATERNION = ("qw", "qx", "qy", "qz")


class Replay(ShownMotion):
    """Moves along a recording; of a batch it shows the robot of `index`."""

    def __init__(self, recording: Recording, robot: Mechanism, shown: Callable[[], None]) -> None:
        super().__init__(shown)
        self.recording, self.robot = recording, robot
        check(recording, robot)
        self._stride = -(-len(recording) // MOST_ROWS)
        self.times = recording.time[:: self._stride]
        self._index, self._now = 0, float(self.times[0])
        self._scalars = {label(s): s for s in recording.schema.stored if not s.shape and s.name != "time"}
        self.units = {name: s.unit for name, s in self._scalars.items()}
        self._columns: dict[str, Any] = {}  # of the robot that is shown
        self._drawn: dict[str, tuple[Any, Any]] = {}  # the same as plots have them
        self._load()

    # --- the robot of a batch --------------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        return self._index

    @index.setter
    def index(self, value: int) -> None:
        with self.lock:
            self._index = int(np.clip(value, 0, self.recording.batch - 1))
            self._load()
        self.show()

    def _load(self) -> None:
        signals = self.recording.schema.by_family["position"]
        self._columns, self._drawn = {}, {}
        self._positions = {name: self._column(label(s)) for name, s in signals.items()}
        own = [[n for n in j.positions if n.rpartition(".")[2] in QUATERNION] for j in self.robot.tree.joints]
        self._quaternions = [names for names in own if len(names) == 4 and set(names) <= set(self._positions)]

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            values = self.recording.read(self._scalars[name])[:: self._stride]
            self._columns[name] = values if values.ndim == 1 else values[:, self._index].copy()
        return self._columns[name]

    # --- moving ----------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        return self._now

    def seek(self, time: float) -> None:
        """Shows a moment [s]."""
        with self.lock:
            self._now = float(np.clip(time, self.times[0], self.times[-1]))
        self.show()

    def advance(self, elapsed: float) -> None:
        with self.lock:
            self._now = min(self._now + elapsed, float(self.times[-1]))
            if self._now >= self.times[-1]:
                self.playing = False

    def play_on(self) -> None:
        """At the end it begins again."""
        if self._now >= self.times[-1]:
            self._now = float(self.times[0])

    def step(self, n: int = 1) -> None:
        row = int(np.searchsorted(self.times, self._now + 1e-12, side="right")) - 1
        self._now = float(self.times[np.clip(row + n, 0, len(self.times) - 1)])

    def reset(self, position: dict[str, float] | None = None) -> None:
        self.seek(float(self.times[0]))

    # --- looking ---------------------------------------------------------------------------------------------------

    def _at(self, values: Any) -> float:
        return float(np.interp(self._now, self.times, values))

    def poses(self) -> dict[str, Any]:
        with self.lock:
            at = {name: self._at(x) for name, x in self._positions.items()}
        for quaternion in self._quaternions:  # straight lines leave the sphere
            size = float(np.linalg.norm([at[name] for name in quaternion])) or 1.0
            at |= {name: at[name] / size for name in quaternion}
        return self.robot.forward_kinematics(at)

    def position(self, joint: str) -> float:
        return self._at(self._positions[joint])

    def operating_point(self, actuator: str) -> tuple[float, float]:
        names = f"{actuator}.shaft_velocity", f"{actuator}.torque"
        if not all(name in self._scalars for name in names):
            return 0.0, 0.0
        speed, torque = (self._at(self._column(name)) for name in names)
        return speed, torque

    def trace(self, actuator: str) -> tuple[Any, Any]:
        names = f"{actuator}.shaft_velocity", f"{actuator}.torque"
        if not all(name in self._scalars for name in names):
            return np.zeros(0), np.zeros(0)
        recent = (self.times > self._now - TRACE) & (self.times <= self._now)
        speeds, torques = (self._column(name)[recent] for name in names)
        return speeds, torques

    def series(self, signal: str) -> tuple[Any, Any]:
        if signal not in self._drawn:
            values = self.recording.read(self._scalars[signal])
            own = values if values.ndim == 1 else values[:, self._index]
            self._drawn[signal] = envelope(self.recording.time, np.asarray(own, float), DRAWN)
        return self._drawn[signal]


def check(recording: Recording, robot: Mechanism) -> None:
    """Raises unless a recording can be shown on a robot."""
    if not len(recording):
        raise GearwrightError(f"the recording of {recording.schema.robot!r} is empty")
    if recording.schema.bands:
        raise GearwrightError("quantile bands have no pose: record the robots themselves (bands=False) to see them")
    recorded = set(recording.schema.by_family.get("position", {}))
    known = {name for joint in robot.tree.joints for name in joint.positions}
    if recorded - known or not recorded:
        strange = sorted(recorded - known)[:3]
        named = f": {', '.join(map(repr, strange))}" if strange else ""
        raise GearwrightError(
            f"the recording of {recording.schema.robot!r} does not fit the robot {robot.name!r}{named}; "
            "name the robot that was recorded, loaded as it was then (base=, model=)"
        )
