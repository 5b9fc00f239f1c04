"""Gearwright: a mechanism compiler and simulator for robot actuation."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name; each is imported when it is first used, so that `import gearwright` stays fast
    from gearwright import robots as robots
    from gearwright.building import build as build
    from gearwright.comparing import diff as diff
    from gearwright.control import PID as PID
    from gearwright.control import CombinedControllers as CombinedControllers
    from gearwright.control import Policy as Policy
    from gearwright.conversion import convert as convert
    from gearwright.diagnostics import Diagnostic as Diagnostic
    from gearwright.display.reach_plots import plot_reach as plot_reach
    from gearwright.errors import BeyondLimitsWarning as BeyondLimitsWarning
    from gearwright.errors import BranchWarning as BranchWarning
    from gearwright.errors import CacheWarning as CacheWarning
    from gearwright.errors import CompileError as CompileError
    from gearwright.errors import GearwrightError as GearwrightError
    from gearwright.errors import LoadError as LoadError
    from gearwright.errors import LoadWarning as LoadWarning
    from gearwright.errors import ModelError as ModelError
    from gearwright.errors import NotSimulatedWarning as NotSimulatedWarning
    from gearwright.errors import RecordingWarning as RecordingWarning
    from gearwright.errors import SimulationError as SimulationError
    from gearwright.errors import SweepWarning as SweepWarning
    from gearwright.errors import TracingError as TracingError
    from gearwright.errors import UnsettledWarning as UnsettledWarning
    from gearwright.errors import VelocityLimitWarning as VelocityLimitWarning
    from gearwright.export import export_c as export_c
    from gearwright.export import export_fmu as export_fmu
    from gearwright.formats import load as load
    from gearwright.formats import loads as loads
    from gearwright.hardware.serving import serve as serve
    from gearwright.identification import Log as Log
    from gearwright.identification import excite as excite
    from gearwright.identification import identify as identify
    from gearwright.identification import read_log as read_log
    from gearwright.learning import Env as Env
    from gearwright.learning import VectorEnv as VectorEnv
    from gearwright.migration import migrate as migrate
    from gearwright.model import ActivatedActuator as ActivatedActuator
    from gearwright.model import Actuator as Actuator
    from gearwright.model import AffineActuator as AffineActuator
    from gearwright.model import Backlash as Backlash
    from gearwright.model import ContactSensor as ContactSensor
    from gearwright.model import CustomActuator as CustomActuator
    from gearwright.model import CustomJointMap as CustomJointMap
    from gearwright.model import CustomSensor as CustomSensor
    from gearwright.model import CustomTransmission as CustomTransmission
    from gearwright.model import DCMotor as DCMotor
    from gearwright.model import DifferentialTransmission as DifferentialTransmission
    from gearwright.model import ElectricMotor as ElectricMotor
    from gearwright.model import Encoder as Encoder
    from gearwright.model import ForceTorque as ForceTorque
    from gearwright.model import FourBarLinkage as FourBarLinkage
    from gearwright.model import FourBarLinkageTransmission as FourBarLinkageTransmission
    from gearwright.model import Imu as Imu
    from gearwright.model import Keyframe as Keyframe
    from gearwright.model import LimitSwitch as LimitSwitch
    from gearwright.model import LinearMap as LinearMap
    from gearwright.model import Losses as Losses
    from gearwright.model import Mechanism as Mechanism
    from gearwright.model import PIDActuator as PIDActuator
    from gearwright.model import PneumaticCylinder as PneumaticCylinder
    from gearwright.model import RodLinkage as RodLinkage
    from gearwright.model import Series as Series
    from gearwright.model import SimpleTransmission as SimpleTransmission
    from gearwright.model import Solenoid as Solenoid
    from gearwright.model import SpatialTendon as SpatialTendon
    from gearwright.model.actuators import LearnedActuator as LearnedActuator
    from gearwright.model.actuators import PositionServo as PositionServo
    from gearwright.model.actuators import Supply as Supply
    from gearwright.model.frictions import Cogging as Cogging
    from gearwright.model.frictions import Dahl as Dahl
    from gearwright.model.frictions import Friction as Friction
    from gearwright.model.frictions import LuGre as LuGre
    from gearwright.model.frictions import MaxwellSlip as MaxwellSlip
    from gearwright.model.hardware.drives import Drive as Drive
    from gearwright.model.hardware.servos import with_servos as with_servos
    from gearwright.model.scenes.world import World as World
    from gearwright.model.servos import servos as servos
    from gearwright.model.shapes.surface import Surface as Surface
    from gearwright.model.transmissions import ElasticGear as ElasticGear
    from gearwright.page import view as view
    from gearwright.planning.inverse_kinematics import NotReachedError as NotReachedError
    from gearwright.planning.inverse_kinematics import inverse_kinematics as inverse_kinematics
    from gearwright.planning.trajectories import Trajectory as Trajectory
    from gearwright.rendering.rendering import render as render
    from gearwright.sim import Recording as Recording
    from gearwright.sim import Simulation as Simulation
    from gearwright.sim import compile as compile
    from gearwright.sim import open as open
    from gearwright.sim.ros2_control.mock_hardware import MockHardware as MockHardware
    from gearwright.study import sweep as sweep
    from gearwright.writing import save as save
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

__version__ = "0.2.0"
