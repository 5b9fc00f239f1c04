"""Where joints are to be: inverse kinematics and trajectories."""
