"""Actuators on their axes: gears, motors, backlash."""
