"""URDF, with the <gazebo> blocks in it."""
