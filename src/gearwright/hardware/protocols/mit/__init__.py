"""Drives that take position, velocity, gains and torque in one frame: mini-cheetah and its descendants."""
