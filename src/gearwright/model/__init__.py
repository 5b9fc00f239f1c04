"""The model of a mechanism: frozen, validated dataclasses. SI units and radians throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:
    from gearwright.model.actuators import (
        ACTUATORS,
        Actuator,
        CustomActuator,
        DCMotor,
        ElectricMotor,
        PneumaticCylinder,
        Solenoid,
    )
    from gearwright.model.body_sensors import BodySensor, ForceTorque, Imu
    from gearwright.model.couplings import MODES, Affine, Coupling, Couplings, Mode, Term, compose, in_order
    from gearwright.model.geometry import (
        Box,
        Capsule,
        Cone,
        Cylinder,
        Ellipsoid,
        Geometry,
        Mesh,
        OtherShape,
        Plane,
        Sphere,
    )
    from gearwright.model.hardware import CommandLimits, Component, Hardware, Interface, MimicJoint
    from gearwright.model.inertia import MASSLESS, Inertia
    from gearwright.model.joints import (
        JOINT_KINDS,
        WORLD,
        Axis,
        AxisDynamics,
        AxisRef,
        Joint,
        JointKind,
        Limits,
        SafetyController,
    )
    from gearwright.model.mechanism import DEFAULT_GRAVITY, Frame, Link, Mechanism
    from gearwright.model.poses import IDENTITY, Pose
    from gearwright.model.sensors import SENSORS, CustomSensor, Encoder, LimitSwitch, Sensor
    from gearwright.model.topology import Branch, Tree
    from gearwright.model.transmissions import (
        Backlash,
        CustomJointMap,
        CustomTransmission,
        DifferentialTransmission,
        FourBarLinkage,
        FourBarLinkageTransmission,
        LinearMap,
        LinearTransmission,
        Losses,
        Series,
        SimpleTransmission,
        Transmission,
        TransmissionMap,
    )

__all__ = [
    "ACTUATORS",
    "DEFAULT_GRAVITY",
    "IDENTITY",
    "JOINT_KINDS",
    "MASSLESS",
    "MODES",
    "SENSORS",
    "WORLD",
    "Actuator",
    "Affine",
    "Axis",
    "AxisDynamics",
    "AxisRef",
    "Backlash",
    "BodySensor",
    "Box",
    "Branch",
    "Capsule",
    "CommandLimits",
    "Component",
    "Cone",
    "Coupling",
    "Couplings",
    "CustomActuator",
    "CustomJointMap",
    "CustomSensor",
    "CustomTransmission",
    "Cylinder",
    "DCMotor",
    "DifferentialTransmission",
    "ElectricMotor",
    "Ellipsoid",
    "Encoder",
    "ForceTorque",
    "FourBarLinkage",
    "FourBarLinkageTransmission",
    "Frame",
    "Geometry",
    "Hardware",
    "Imu",
    "Inertia",
    "Interface",
    "Joint",
    "JointKind",
    "LimitSwitch",
    "Limits",
    "LinearMap",
    "LinearTransmission",
    "Link",
    "Losses",
    "Mechanism",
    "Mesh",
    "MimicJoint",
    "Mode",
    "OtherShape",
    "Plane",
    "PneumaticCylinder",
    "Pose",
    "SafetyController",
    "Sensor",
    "Series",
    "SimpleTransmission",
    "Solenoid",
    "Sphere",
    "Term",
    "Transmission",
    "TransmissionMap",
    "Tree",
    "compose",
    "in_order",
]

if not TYPE_CHECKING:
    _NAMES = {  # by module
        "actuators": "ACTUATORS Actuator CustomActuator DCMotor ElectricMotor PneumaticCylinder Solenoid",
        "body_sensors": "BodySensor ForceTorque Imu",
        "couplings": "MODES Affine Coupling Couplings Mode Term compose in_order",
        "geometry": "Box Capsule Cone Cylinder Ellipsoid Geometry Mesh OtherShape Plane Sphere",
        "hardware": "CommandLimits Component Hardware Interface MimicJoint",
        "inertia": "MASSLESS Inertia",
        "joints": "JOINT_KINDS WORLD Axis AxisDynamics AxisRef Joint JointKind Limits SafetyController",
        "mechanism": "DEFAULT_GRAVITY Frame Link Mechanism",
        "poses": "IDENTITY Pose",
        "sensors": "SENSORS CustomSensor Encoder LimitSwitch Sensor",
        "topology": "Branch Tree",
        "transmissions": "Backlash CustomJointMap CustomTransmission DifferentialTransmission "
        "FourBarLinkage FourBarLinkageTransmission LinearMap LinearTransmission Losses "
        "Series SimpleTransmission Transmission TransmissionMap",
    }
    __getattr__ = lazy_names(
        __name__, {name: f"gearwright.model.{module}" for module, names in _NAMES.items() for name in names.split()}
    )
