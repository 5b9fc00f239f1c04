"""Kinds of your own: the classes to derive from, and the tables that make them known to files.

A kind is one class and one row of its table (`TRANSMISSIONS["strain_wave"] = StrainWaveGear`), or an entry point of the
table's group in another package. Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:
    from gearwright.compiler.backend import Backend
    from gearwright.hardware.device import CanDevice, SerialDevice, SerialLine
    from gearwright.hardware.frames import Frame
    from gearwright.hardware.protocols import PROTOCOLS, Protocol
    from gearwright.hardware.rig import Rig
    from gearwright.hardware.setpoints import Brake, Cascade, Current, Duty, Impedance, Torque
    from gearwright.model import ACTUATORS, JOINT_KINDS, SENSORS, JointKind, LinearTransmission, TransmissionMap
    from gearwright.model.fields import check, quantity
    from gearwright.model.frictions import FRICTIONS, FrictionModel
    from gearwright.model.transmissions import TRANSMISSIONS
    from gearwright.sim.recordings.formats import FORMATS, Format

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

__all__ = [
    "ACTUATORS",
    "FORMATS",
    "FRICTIONS",
    "JOINT_KINDS",
    "PROTOCOLS",
    "SENSORS",
    "TRANSMISSIONS",
    "Backend",
    "Brake",
    "CanDevice",
    "Cascade",
    "Current",
    "Duty",
    "Format",
    "Frame",
    "FrictionModel",
    "Impedance",
    "JointKind",
    "LinearTransmission",
    "Protocol",
    "Rig",
    "SerialDevice",
    "SerialLine",
    "Torque",
    "TransmissionMap",
    "check",
    "quantity",
]

if not TYPE_CHECKING:  # where a name that is not there is an error
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted(__all__)
