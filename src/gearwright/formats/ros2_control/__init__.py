"""<ros2_control> tags."""
