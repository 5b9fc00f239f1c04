"""A ros2_control tag at work: interfaces, limits of commands, mock hardware."""
