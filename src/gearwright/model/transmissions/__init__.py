"""Transmissions: maps between actuator space (a) and joint space (j), their losses, and what they are tied to.

A kind is one class in one file, and one row in `TRANSMISSIONS`. It gives one map, `to_actuators` or `to_joints`;
everything else is derived in `maps.py`. Files name it by its row, and give its fields as elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.model.fields import ZeroRatioError
from gearwright.model.transmissions.custom import CustomTransmission
from gearwright.model.transmissions.custom_joint_map import CustomJointMap
from gearwright.model.transmissions.linear import (
    DifferentialTransmission,
    FourBarLinkageTransmission,
    LinearTransmission,
    SimpleTransmission,
)
from gearwright.model.transmissions.linear_map import LinearMap
from gearwright.model.transmissions.losses import Backlash, Losses
from gearwright.model.transmissions.maps import TransmissionMap
from gearwright.model.transmissions.parameters import (
    efficiency_only,
    offsets,
    parameter_quantities,
    parameters,
    rows,
    with_parameters,
    with_values,
)
from gearwright.model.transmissions.series import LinearSeries, Series
from gearwright.model.transmissions.tied import Transmission, with_own
from gearwright.registry import Registry

if TYPE_CHECKING:
    from gearwright.model.transmissions.linkage import FourBarLinkage, Toggles
    from gearwright.model.transmissions.rod_linkage import RodLinkage

TRANSMISSIONS: Registry[type[TransmissionMap]] = Registry(
    "gearwright.transmissions",
    {
        "simple": "gearwright.model.transmissions.linear:SimpleTransmission",
        "differential": "gearwright.model.transmissions.linear:DifferentialTransmission",
        "four_bar": "gearwright.model.transmissions.linear:FourBarLinkageTransmission",
        "four_bar_linkage": "gearwright.model.transmissions.linkage:FourBarLinkage",
        "linear_map": "gearwright.model.transmissions.linear_map:LinearMap",
        "series": "gearwright.model.transmissions.series:Series",
    },
)


def type_name(map: TransmissionMap) -> str:
    """The type that a file gives it; of a class without one, its name."""
    kind = Series if isinstance(map, Series) else type(map)
    return TRANSMISSIONS.name_of(kind) or kind.__name__


__all__ = [
    "TRANSMISSIONS",
    "Backlash",
    "CustomJointMap",
    "CustomTransmission",
    "DifferentialTransmission",
    "FourBarLinkage",
    "FourBarLinkageTransmission",
    "LinearMap",
    "LinearSeries",
    "LinearTransmission",
    "Losses",
    "RodLinkage",
    "Series",
    "SimpleTransmission",
    "Toggles",
    "Transmission",
    "TransmissionMap",
    "ZeroRatioError",
    "efficiency_only",
    "offsets",
    "parameter_quantities",
    "parameters",
    "rows",
    "type_name",
    "with_own",
    "with_parameters",
    "with_values",
]

if not TYPE_CHECKING:
    _linkages = dict.fromkeys(("FourBarLinkage", "Toggles"), "gearwright.model.transmissions.linkage")
    __getattr__ = lazy_names(__name__, _linkages | {"RodLinkage": "gearwright.model.transmissions.rod_linkage"})
