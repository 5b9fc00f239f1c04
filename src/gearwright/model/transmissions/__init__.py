"""Transmissions: maps between actuator space (a) and joint space (j), their losses, and what they are tied to.

A kind is one class in one file. It gives one map, `to_actuators` or `to_joints`; everything else is derived in
`maps.py`.
"""

from gearwright.model.transmissions.custom import CustomTransmission
from gearwright.model.transmissions.custom_joint_map import CustomJointMap
from gearwright.model.transmissions.linear import (
    DifferentialTransmission,
    FourBarLinkageTransmission,
    LinearTransmission,
    SimpleTransmission,
    ZeroRatioError,
)
from gearwright.model.transmissions.linear_map import LinearMap
from gearwright.model.transmissions.linkage import FourBarLinkage, Toggles
from gearwright.model.transmissions.losses import Backlash, Losses
from gearwright.model.transmissions.maps import TransmissionMap
from gearwright.model.transmissions.parameters import offsets, parameters, rows, with_parameters
from gearwright.model.transmissions.series import LinearSeries, Series
from gearwright.model.transmissions.tied import Transmission

__all__ = [
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
    "Series",
    "SimpleTransmission",
    "Toggles",
    "Transmission",
    "TransmissionMap",
    "ZeroRatioError",
    "offsets",
    "parameters",
    "rows",
    "with_parameters",
]
