"""Where reading or moving differs from a peer's on purpose, and which of the peers' cases are about neither.

`DIFFERENCES` is what the documentation's table is written from; `test_peers` asserts our side of every row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Difference:
    cases: tuple[str, ...]  # "project/file: case", as in the corpus' peers
    theirs: str
    ours: str
    reason: str


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        cases=(
            "ros2_control/loader_simple: mechanical_reduction_not_a_number",
            "ros2_control/loader_simple: offset_ill_defined",
            "ros2_control/loader_differential: mechanical_reduction_not_a_number",
            "ros2_control/loader_differential: offset_ill_defined",
        ),
        theirs="ros2_control takes the default (reduction 1, offset 0) for text that is no number, silently",
        ours="an error, number-invalid, with the line",
        reason="a robot whose reduction silently becomes 1 moves fifty times as fast as its author thinks",
    ),
    Difference(
        cases=(
            "ros2_control/component_parser_mimic: gripper_mimic_true_valid_config",
            "ros2_control/component_parser_mimic: gripper_no_mimic_valid_config",
        ),
        theirs="ros2_control does not look at limits when it reads a mimic joint",
        ours="an error, mimic-limits-conflict: the follower's limits leave the leader no common range",
        reason="the file's gripper cannot stand anywhere; with the limits taken off it reads as listed",
    ),
    Difference(
        cases=("drake/urdf_mimic_errors: TransmissionJointNotExist",),
        theirs="Drake refuses a transmission of a joint that does not exist; Pinocchio, MuJoCo and ROS load the robot",
        ours="a warning, and the transmission is left out; an error with strict=True or --strict",
        reason="variants of robots keep the transmissions of the whole one, and the rest of the mechanism is sound",
    ),
    Difference(
        cases=("ros2_control/component_parser_transmissions: multi_joints_transmission",),
        theirs="ros2_control keeps read_only of joints and actuators as a field of its own",
        ours="names, roles, reductions and offsets are fields; read_only stays as text in the parameters",
        reason="it is about who may command at run time, not about the mechanism",
    ),
    Difference(
        cases=(
            "ros2_control/component_parser_transmissions: actuator_modular_robot_sensors",
            "ros2_control/component_parser_transmissions: actuator_only",
        ),
        theirs="ros2_control stores what the tag says whatever the type, and fails when the plugin is looked up",
        ours="kept by name with its parameters, without a map; a warning, transmission-type-unknown",
        reason="a map that is not known cannot be simulated, and a model must not pretend to",
    ),
    Difference(
        cases=("ros_control/parser_and_simple_loader: EmptyRobot",),
        theirs="ros_control's parser finds no transmissions in a robot without links, and accepts it",
        ours="an error, link-not-found: the robot has no links",
        reason="there is no mechanism to load",
    ),
    Difference(
        cases=("ros_control/parser_and_simple_loader: InvalidTransmissions",),
        theirs="a transmission without name, type, hardwareInterface, actuator name or joint name is left out, logged",
        ours=(
            "no name, or no name of the actuator: a warning, and a name is made up; no type with one actuator and one "
            "joint: a warning, and simple is used; no name of the joint, an empty name of an actuator: an error; "
            "hardwareInterface is not asked for"
        ),
        reason="one that is left out changes how the robot moves; a value with only one possible meaning is used",
    ),
    Difference(
        cases=("ros_control/parser_and_simple_loader: simple_invalid",),
        theirs="a SimpleTransmission without mechanicalReduction does not load",
        ours="a warning, element-missing, and 1 is used; the other three of the file are errors",
        reason="ros2_control and URDF files of today leave it out and mean 1",
    ),
    Difference(
        cases=("dart/parse_mimic: sdf_missing_reference", "dart/parse_mimic: urdf_bad_leader"),
        theirs="DART ignores a mimic whose leader does not exist; the joint moves freely",
        ours="an error, mimic-leader-not-found, with the nearest name",
        reason="libsdformat, Drake and ros2_control refuse it too; a free joint is not what the file says",
    ),
    Difference(
        cases=("dart/transmissions_invalid: skip_invalid",),
        theirs="DART ignores transmissions of a type that it does not have, and reductions of zero",
        ours="errors: transmission-size (a four-bar of one actuator and one joint), transmission-ratio-zero",
        reason="neither has a meaning; nothing is dropped silently",
    ),
    Difference(
        cases=("drake/urdf_mimic_errors: transmission_type_not_simple",),
        theirs="Drake warns and leaves the transmission out",
        ours="the same warning, and the transmission is kept by name, without a map",
        reason="it stays visible, and converting keeps it",
    ),
    Difference(
        cases=("drake/urdf_mimic_errors: forward_and_backward_reference",),
        theirs="Drake's file also holds its own curvilinear joint",
        ours="an error for that joint, joint-type-unknown; with it held fixed the file reads as listed",
        reason="neither URDF nor SDFormat has that joint",
    ),
    Difference(
        cases=("sdformat/spec_facts_mimic_gearbox_screw: limits",),
        theirs="SDFormat's description gives limits a default stiffness of 1e8 and a dissipation of 1",
        ours="None where the file gives none: a hard stop",
        reason="the solver holds a stop exactly; 1e8 is what a penalty method needs",
    ),
    Difference(
        cases=("sdformat/spec_facts_mimic_gearbox_screw: mimic", "dart/parse_mimic: sdf_applies"),
        theirs="<mimic> belongs to SDFormat 1.11 and later; DART reads it in any version, without <reference>",
        ours="read in any version, <reference> included",
        reason="files say it with older version numbers, and mean it",
    ),
    Difference(
        cases=("sdformat/joint_invalid: LoadInvalidChild",),
        theirs="libsdformat reports eight errors for one wrong name",
        ours="one error, link-not-found, with the nearest name",
        reason="a person mends it once",
    ),
    Difference(
        cases=("physx/mimic_errors: multiple_mimic_on_1dof_joint",),
        theirs="PhysX reports an error and keeps the first",
        ours="a warning, and the first is used",
        reason="the same model; libsdformat reads the first element too",
    ),
    Difference(
        cases=("physx/mimic_errors: wrapped_limit_target",),
        theirs="PhysX wants finite limits of a revolute joint that follows",
        ours="a follower needs no limits",
        reason="the angle is not wrapped here: a continuous joint counts its turns",
    ),
    Difference(
        cases=(
            "gz-physics/joint_limits_force_control: velocity_limits",
            "gz-physics/joint_limits_force_control: velocity_min_positive",
        ),
        theirs="gz-physics holds a joint's velocity within limits, whatever force that takes",
        ours="a joint's velocity limit does not act; a drive with a velocity target holds a speed",
        reason="nothing in a joint could brake it: the limit is that of the motor behind it",
    ),
    Difference(
        cases=(
            "gz-physics/joint_limits_force_control: effort_limit_tiny",
            "gz-physics/joint_limits_force_control: effort_limit_80",
        ),
        theirs="gz-physics cuts the force given to a joint at the joint's effort limit",
        ours="an effort that is given acts as it is; drives and actuators have effort limits",
        reason="an effort may be a load or a person's hand, which no motor's limit holds back",
    ),
    Difference(
        cases=("dart/mimic_dynamics: cfm_erp_clamping",),
        theirs="DART moves an erp outside 0 … 1 to the nearer end, and a cfm of 0 to 1e-9",
        ours="an erp outside 0 … 1 is an error; a hard row's cfm is 0",
        reason="an erp of 1.5 is a mistake; redundant rows are found by their pivots and need no cfm",
    ),
    Difference(
        cases=("physx/mimic_basic: spherical_same_joint_two_axes",),
        theirs="PhysX couples two axes of one spherical joint",
        ours="two axes of one universal joint; a ball joint has no axes to couple",
        reason="a ball joint's position is a quaternion: its angles are not unique",
    ),
)

# cases of files that are about reading or moving, which need something else
ELSEWHERE: dict[str, str] = {
    "physx/mimic_errors: exclude_from_articulation_target": "PhysX' articulations have no counterpart in a file",
    "ros2_control/generic_system_mimic: initial": "the state of ros2_control's mock hardware",
    "ros2_control/generic_system_mimic: after_write": "the state of ros2_control's mock hardware",
}

# files none of whose cases are about reading or coupled motion
OTHER_FILES: dict[str, str] = {
    "can/dbc_encode_decode": "the wire",
    "can/dbc_signed": "the wire",
    "cassie/actuators_encoders": "drives and encoders of a MuJoCo model",
    "gazebo-classic/actuator_plugin_facts": "the torque law of a Gazebo plugin",
    "gz-sim/joint_controller": "a simulation",
    "gz-sim/joint_position_controller": "a simulation",
    "mujoco/dcmotor": "a simulation",
    "ros2_control/transmission_differential": "maps: tests/oracles/test_transmissions.py",
    "ros2_control/transmission_four_bar": "maps: tests/oracles/test_transmissions.py",
    "ros2_control/transmission_simple": "maps: tests/oracles/test_transmissions.py",
}
