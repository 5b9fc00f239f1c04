"""Sensors: encoders, switches, force-torque and inertial ones, and the noise of each."""
