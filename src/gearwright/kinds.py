"""Kinds of your own: the classes to derive from, and the tables that make them known to files.

A kind is one class and one row of its table (`TRANSMISSIONS["strain_wave"] = StrainWaveGear`), or an entry point of the
table's group in another package. Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.compiler.backend import Backend as Backend
    from gearwright.hardware.device import CanDevice as CanDevice
    from gearwright.hardware.device import SerialDevice as SerialDevice
    from gearwright.hardware.device import SerialLine as SerialLine
    from gearwright.hardware.frames import Frame as Frame
    from gearwright.hardware.protocols import PROTOCOLS as PROTOCOLS
    from gearwright.hardware.protocols import Protocol as Protocol
    from gearwright.hardware.rig import Rig as Rig
    from gearwright.hardware.setpoints import Brake as Brake
    from gearwright.hardware.setpoints import Cascade as Cascade
    from gearwright.hardware.setpoints import Current as Current
    from gearwright.hardware.setpoints import Duty as Duty
    from gearwright.hardware.setpoints import Impedance as Impedance
    from gearwright.hardware.setpoints import Torque as Torque
    from gearwright.model import ACTUATORS as ACTUATORS
    from gearwright.model import JOINT_KINDS as JOINT_KINDS
    from gearwright.model import SENSORS as SENSORS
    from gearwright.model import JointKind as JointKind
    from gearwright.model import LinearTransmission as LinearTransmission
    from gearwright.model import TransmissionMap as TransmissionMap
    from gearwright.model.fields import check as check
    from gearwright.model.fields import quantity as quantity
    from gearwright.model.frictions import FRICTIONS as FRICTIONS
    from gearwright.model.frictions import BristleModel as BristleModel
    from gearwright.model.frictions import FrictionModel as FrictionModel
    from gearwright.model.transmissions import TRANSMISSIONS as TRANSMISSIONS
    from gearwright.sim.recordings.formats import FORMATS as FORMATS
    from gearwright.sim.recordings.formats import Format as Format
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
