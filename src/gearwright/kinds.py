"""Kinds of your own: the classes to derive from, and the tables that make them known to files.

A kind is one class and one row of its table (`TRANSMISSIONS["strain_wave"] = StrainWaveGear`), or an entry point of the
table's group in another package. Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name to type checkers
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
    from gearwright.model.frictions import FrictionModel as FrictionModel
    from gearwright.model.transmissions import TRANSMISSIONS as TRANSMISSIONS
    from gearwright.sim.recordings.formats import FORMATS as FORMATS
    from gearwright.sim.recordings.formats import Format as Format

# name → the module that has it
_LAZY = {
    "TRANSMISSIONS": "gearwright.model.transmissions",
    "TransmissionMap": "gearwright.model",
    "LinearTransmission": "gearwright.model",
    "ACTUATORS": "gearwright.model",
    "SENSORS": "gearwright.model",
    "FRICTIONS": "gearwright.model.frictions",
    "FrictionModel": "gearwright.model.frictions",
    "JOINT_KINDS": "gearwright.model",
    "JointKind": "gearwright.model",
    "quantity": "gearwright.model.fields",
    "check": "gearwright.model.fields",
    "FORMATS": "gearwright.sim.recordings.formats",
    "Format": "gearwright.sim.recordings.formats",
    "Backend": "gearwright.compiler.backend",
    "PROTOCOLS": "gearwright.hardware.protocols",
    "Protocol": "gearwright.hardware.protocols",
    "CanDevice": "gearwright.hardware.device",
    "SerialDevice": "gearwright.hardware.device",
    "SerialLine": "gearwright.hardware.device",
    "Frame": "gearwright.hardware.frames",
    "Rig": "gearwright.hardware.rig",
    "Brake": "gearwright.hardware.setpoints",
    "Cascade": "gearwright.hardware.setpoints",
    "Current": "gearwright.hardware.setpoints",
    "Duty": "gearwright.hardware.setpoints",
    "Impedance": "gearwright.hardware.setpoints",
    "Torque": "gearwright.hardware.setpoints",
}

__all__ = list(_LAZY)

if not TYPE_CHECKING:  # where a name that is not there is an error
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted(__all__)
