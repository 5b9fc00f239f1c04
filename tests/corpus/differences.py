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
        theirs="ros2_control silently uses the default (reduction 1, offset 0) for text that is not a number",
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
        reason="the file's gripper has no valid position; without the limits it is read as listed",
    ),
    Difference(
        cases=("drake/urdf_mimic_errors: TransmissionJointNotExist",),
        theirs="Drake refuses a transmission of a joint that does not exist; Pinocchio, MuJoCo and ROS load the robot",
        ours="a warning, and the transmission is left out; an error with strict=True or --strict",
        reason="variants of a robot often keep the transmissions of the full one, and the rest of the robot is valid",
    ),
    Difference(
        cases=("ros2_control/component_parser_transmissions: multi_joints_transmission",),
        theirs="ros2_control keeps read_only of joints and actuators as a field of its own",
        ours="names, roles, reductions and offsets are fields; read_only stays as text in the parameters",
        reason="it says who may command at run time, and does not describe the mechanism",
    ),
    Difference(
        cases=(
            "ros2_control/component_parser_transmissions: actuator_modular_robot_sensors",
            "ros2_control/component_parser_transmissions: actuator_only",
        ),
        theirs="ros2_control stores what the tag says whatever the type, and fails when the plugin is looked up",
        ours="kept by name with its parameters, without a map; a warning, transmission-type-unknown",
        reason="an unknown map cannot be simulated, and the model must not hide that",
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
        reason="the solver enforces a stop exactly; only a penalty method needs 1e8",
    ),
    Difference(
        cases=("sdformat/spec_facts_mimic_gearbox_screw: mimic", "dart/parse_mimic: sdf_applies"),
        theirs="<mimic> belongs to SDFormat 1.11 and later; DART reads it in any version, without <reference>",
        ours="read in any version, <reference> included",
        reason="files with older version numbers use it, too",
    ),
    Difference(
        cases=("sdformat/joint_invalid: LoadInvalidChild",),
        theirs="libsdformat reports eight errors for one wrong name",
        ours="one error, link-not-found, with the nearest name",
        reason="one mistake needs one message",
    ),
    Difference(
        cases=("physx/mimic_errors: multiple_mimic_on_1dof_joint",),
        theirs="PhysX reports an error and keeps the first",
        ours="a warning, and the first is used",
        reason="the same model; libsdformat reads the first element too",
    ),
    Difference(
        cases=("physx/mimic_errors: wrapped_limit_target",),
        theirs="PhysX requires finite limits for a revolute follower",
        ours="a follower needs no limits",
        reason="the angle is not wrapped here: a continuous joint counts its turns",
    ),
    Difference(
        cases=(
            "gz-physics/joint_limits_force_control: velocity_limits",
            "gz-physics/joint_limits_force_control: velocity_min_positive",
        ),
        theirs="gz-physics keeps a joint's velocity within its limits, with any force",
        ours="a joint's velocity limit does not act; a drive with a velocity target holds a speed",
        reason="a joint has nothing to brake with; the limit belongs to its motor",
    ),
    Difference(
        cases=(
            "gz-physics/joint_limits_force_control: effort_limit_tiny",
            "gz-physics/joint_limits_force_control: effort_limit_80",
        ),
        theirs="gz-physics limits the force that is applied to a joint to its effort limit",
        ours="an applied effort is not limited; drives and actuators have effort limits",
        reason="an effort may be a load or a person's hand, which a motor's limit does not affect",
    ),
    Difference(
        cases=("dart/mimic_dynamics: cfm_erp_clamping",),
        theirs="DART clamps an erp outside 0 … 1 to the nearer end, and raises a cfm of 0 to 1e-9",
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
