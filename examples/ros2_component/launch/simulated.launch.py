"""The simulation, the controller manager and two controllers."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def actions(context):
    robot, controllers, port, clock = (
        LaunchConfiguration(name).perform(context) for name in ("robot", "controllers", "port", "clock")
    )
    description = {"robot_description": Path(robot).read_text(encoding="utf-8")}
    serve = ["gearwright", "serve", robot, "--protocol", "ros2_control", "--clock", clock, "--tcp", port, "--no-table"]
    return [
        ExecuteProcess(cmd=serve, output="screen"),
        Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[description]),
        Node(
            package="controller_manager",
            executable="ros2_control_node",
            parameters=[description, controllers],
            output="screen",
        ),
        Node(package="controller_manager", executable="spawner", arguments=["joint_state_broadcaster"]),
        Node(package="controller_manager", executable="spawner", arguments=["arm_controller"]),
        Node(package="controller_manager", executable="spawner", arguments=["velocity_controller", "--inactive"]),
    ]


def generate_launch_description():
    share = Path(get_package_share_directory("gearwright_component"))
    given = {
        "robot": str(share / "urdf" / "arm.urdf"),
        "controllers": str(share / "config" / "controllers.yaml"),
        "port": "29540",
        "clock": "lockstep",
    }
    declared = [DeclareLaunchArgument(name, default_value=value) for name, value in given.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=actions)])
