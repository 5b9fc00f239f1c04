"""The model of a mechanism: frozen, validated dataclasses. SI units and radians throughout."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.model.actuators import ACTUATORS as ACTUATORS
    from gearwright.model.actuators import ActivatedActuator as ActivatedActuator
    from gearwright.model.actuators import Actuator as Actuator
    from gearwright.model.actuators import AffineActuator as AffineActuator
    from gearwright.model.actuators import CustomActuator as CustomActuator
    from gearwright.model.actuators import DCMotor as DCMotor
    from gearwright.model.actuators import ElectricMotor as ElectricMotor
    from gearwright.model.actuators import PIDActuator as PIDActuator
    from gearwright.model.actuators import PneumaticCylinder as PneumaticCylinder
    from gearwright.model.actuators import Solenoid as Solenoid
    from gearwright.model.couplings import MODES as MODES
    from gearwright.model.couplings import Affine as Affine
    from gearwright.model.couplings import Coupling as Coupling
    from gearwright.model.couplings import Couplings as Couplings
    from gearwright.model.couplings import Mode as Mode
    from gearwright.model.couplings import Term as Term
    from gearwright.model.couplings import compose as compose
    from gearwright.model.couplings import in_order as in_order
    from gearwright.model.geometry import Box as Box
    from gearwright.model.geometry import Capsule as Capsule
    from gearwright.model.geometry import Cone as Cone
    from gearwright.model.geometry import Cylinder as Cylinder
    from gearwright.model.geometry import Ellipsoid as Ellipsoid
    from gearwright.model.geometry import Geometry as Geometry
    from gearwright.model.geometry import Mesh as Mesh
    from gearwright.model.geometry import OtherShape as OtherShape
    from gearwright.model.geometry import Plane as Plane
    from gearwright.model.geometry import Sphere as Sphere
    from gearwright.model.hardware.hardware import CommandLimits as CommandLimits
    from gearwright.model.hardware.hardware import Component as Component
    from gearwright.model.hardware.hardware import Hardware as Hardware
    from gearwright.model.hardware.hardware import Interface as Interface
    from gearwright.model.hardware.hardware import MimicJoint as MimicJoint
    from gearwright.model.joints import JOINT_KINDS as JOINT_KINDS
    from gearwright.model.joints import WORLD as WORLD
    from gearwright.model.joints import Axis as Axis
    from gearwright.model.joints import AxisDynamics as AxisDynamics
    from gearwright.model.joints import AxisRef as AxisRef
    from gearwright.model.joints import Joint as Joint
    from gearwright.model.joints import JointKind as JointKind
    from gearwright.model.joints import Limits as Limits
    from gearwright.model.joints import SafetyController as SafetyController
    from gearwright.model.keyframes import Keyframe as Keyframe
    from gearwright.model.links import Link as Link
    from gearwright.model.links import NamedFrame as NamedFrame
    from gearwright.model.mass.inertia import MASSLESS as MASSLESS
    from gearwright.model.mass.inertia import Inertia as Inertia
    from gearwright.model.mechanism import DEFAULT_GRAVITY as DEFAULT_GRAVITY
    from gearwright.model.mechanism import Mechanism as Mechanism
    from gearwright.model.poses import IDENTITY as IDENTITY
    from gearwright.model.poses import Pose as Pose
    from gearwright.model.sensors.body_sensors import BodySensor as BodySensor
    from gearwright.model.sensors.body_sensors import ForceTorque as ForceTorque
    from gearwright.model.sensors.body_sensors import Imu as Imu
    from gearwright.model.sensors.contact_sensor import ContactSensor as ContactSensor
    from gearwright.model.sensors.sensors import SENSORS as SENSORS
    from gearwright.model.sensors.sensors import CustomSensor as CustomSensor
    from gearwright.model.sensors.sensors import Encoder as Encoder
    from gearwright.model.sensors.sensors import LimitSwitch as LimitSwitch
    from gearwright.model.sensors.sensors import Sensor as Sensor
    from gearwright.model.transmissions import Backlash as Backlash
    from gearwright.model.transmissions import CustomJointMap as CustomJointMap
    from gearwright.model.transmissions import CustomTransmission as CustomTransmission
    from gearwright.model.transmissions import DifferentialTransmission as DifferentialTransmission
    from gearwright.model.transmissions import FourBarLinkage as FourBarLinkage
    from gearwright.model.transmissions import FourBarLinkageTransmission as FourBarLinkageTransmission
    from gearwright.model.transmissions import LinearMap as LinearMap
    from gearwright.model.transmissions import LinearTransmission as LinearTransmission
    from gearwright.model.transmissions import Losses as Losses
    from gearwright.model.transmissions import RodLinkage as RodLinkage
    from gearwright.model.transmissions import Series as Series
    from gearwright.model.transmissions import SimpleTransmission as SimpleTransmission
    from gearwright.model.transmissions import SpatialTendon as SpatialTendon
    from gearwright.model.transmissions import Transmission as Transmission
    from gearwright.model.transmissions import TransmissionMap as TransmissionMap
    from gearwright.model.tree.topology import Tree as Tree
    from gearwright.model.tree.topology import TreeBranch as TreeBranch
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
