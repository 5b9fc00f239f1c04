"""What a mechanism is: frozen, validated dataclasses. SI units and radians throughout."""

from gearwright.model.actuators import (
    ACTUATORS,
    Actuator,
    DCMotor,
    ElectricMotor,
    PneumaticCylinder,
    Solenoid,
)
from gearwright.model.couplings import MODES, Affine, Coupling, Couplings, Mode, Term, compose, in_order
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, OtherShape, Plane, Sphere
from gearwright.model.hardware import Component, Hardware, Interface
from gearwright.model.inertia import MASSLESS, Inertia
from gearwright.model.joints import JOINT_KINDS, WORLD, Axis, AxisDynamics, AxisRef, Joint, JointKind, Limits
from gearwright.model.mechanism import DEFAULT_GRAVITY, Frame, Link, Mechanism
from gearwright.model.poses import IDENTITY, Pose
from gearwright.model.sensors import SENSORS, Encoder, LimitSwitch, Sensor
from gearwright.model.topology import Branch, Tree
from gearwright.model.transmissions import (
    CustomTransmission,
    DifferentialTransmission,
    FourBarLinkage,
    FourBarLinkageTransmission,
    LinearMap,
    LinearTransmission,
    SimpleTransmission,
    Transmission,
    TransmissionMap,
)

__all__ = [name for name in dir() if not name.startswith("_") and name[0].isupper()] + ["compose", "in_order"]
