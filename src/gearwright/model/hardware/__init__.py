"""What is behind a robot's joints: ros2_control tags, devices on buses, drives and servos."""
