"""A map tied to actuators and joints of a mechanism, with its losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.joints import AxisRef
from gearwright.model.transmissions.linear import LinearTransmission
from gearwright.model.transmissions.losses import Backlash, Losses
from gearwright.model.transmissions.maps import TransmissionMap
from gearwright.notebooks import NotebookDisplay

LOSSLESS = Losses()
NO_INVERSE = 1e-6  # share of the terms: a mistake in a formula, and no rounding


def with_own(losses: Losses | None, map: TransmissionMap) -> Losses:
    """The losses with the efficiency of the map's own where they have none; the same as a file says them."""
    own = map.losses()
    if losses is None:
        return own
    if losses.efficiency != 1 or losses.varies:
        return losses
    given = losses.backward_efficiency
    backward = own.backward_efficiency if given is None else given
    return replace(
        losses, efficiency=own.efficiency, efficiency_map=own.efficiency_map, backward_efficiency=backward, own=own.own
    )


@dataclass(frozen=True, kw_only=True)
class Transmission(NotebookDisplay):
    """A map tied to actuators and joint axes, both in the order of their roles."""

    name: str
    type: str  # as the file says it, without a package prefix
    map: TransmissionMap | None  # None: a type that is not known here, kept by name
    actuators: tuple[str, ...]
    joints: tuple[AxisRef, ...]
    losses: Losses = LOSSLESS
    backlash: Backlash | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def repeated(self) -> str | None:
        """The actuator or joint that it names twice: such a transmission maps nothing."""
        for what, names in (("actuator", self.actuators), ("joint", self.joints)):
            if len(set(names)) < len(names):
                return f"{what} {str(next(n for n in names if names.count(n) > 1))!r}"
        return None

    def __post_init__(self) -> None:
        if self.map is None:
            return
        if self.losses.own is not None and self.losses.own is not self.map:  # a copy with another map
            object.__setattr__(self, "losses", replace(self.losses, own=self.map))
        if isinstance(self.map, LinearTransmission) and self.map.inverse_error() > NO_INVERSE:
            what = f"joint_entries of {type(self.map).__name__}"
            raise ModelError(f"transmission {self.name!r}: {what} is not the inverse of its actuator_entries")
        for what, names, size in (
            ("actuator", self.actuators, self.map.actuators),
            ("joint", self.joints, self.map.joints),
        ):
            if len(names) != size:
                raise ModelError(f"transmission {self.name!r} takes {size} {what}s, not {len(names)}")
