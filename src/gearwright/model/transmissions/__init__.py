"""Transmissions: maps between actuator space (a) and joint space (j), their losses, and what they are tied to.

A kind is one class in one file, and one row in `TRANSMISSIONS`. It gives one map, `to_actuators` or `to_joints`;
everything else is derived in `maps.py`. Files name it by its row, and give its fields as elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.model.transmissions.parameters import parameters as parameters  # the module has the name, too
from gearwright.model.transmissions.series import Series as Series
from gearwright.registry import Registry

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.model.fields import ZeroRatioError as ZeroRatioError
    from gearwright.model.transmissions.custom import CustomTransmission as CustomTransmission
    from gearwright.model.transmissions.custom_joint_map import CustomJointMap as CustomJointMap
    from gearwright.model.transmissions.elastic import ElasticGear as ElasticGear
    from gearwright.model.transmissions.linear import DifferentialTransmission as DifferentialTransmission
    from gearwright.model.transmissions.linear import FourBarLinkageTransmission as FourBarLinkageTransmission
    from gearwright.model.transmissions.linear import LinearTransmission as LinearTransmission
    from gearwright.model.transmissions.linear import SimpleTransmission as SimpleTransmission
    from gearwright.model.transmissions.linear_map import LinearMap as LinearMap
    from gearwright.model.transmissions.linkage import FourBarLinkage as FourBarLinkage
    from gearwright.model.transmissions.linkage import Toggles as Toggles
    from gearwright.model.transmissions.losses import Backlash as Backlash
    from gearwright.model.transmissions.losses import Losses as Losses
    from gearwright.model.transmissions.maps import TransmissionMap as TransmissionMap
    from gearwright.model.transmissions.parameters import efficiency_only as efficiency_only
    from gearwright.model.transmissions.parameters import offsets as offsets
    from gearwright.model.transmissions.parameters import parameter_quantities as parameter_quantities
    from gearwright.model.transmissions.parameters import rows as rows
    from gearwright.model.transmissions.parameters import with_parameters as with_parameters
    from gearwright.model.transmissions.parameters import with_values as with_values
    from gearwright.model.transmissions.rod_linkage import RodLinkage as RodLinkage
    from gearwright.model.transmissions.series import LinearSeries as LinearSeries
    from gearwright.model.transmissions.spatial_tendon import SpatialTendon as SpatialTendon
    from gearwright.model.transmissions.tied import Transmission as Transmission
    from gearwright.model.transmissions.tied import with_own as with_own
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

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
