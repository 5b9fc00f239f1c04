"""Hardware behind the joints: ros2_control tags, devices on buses, drives and servos."""
