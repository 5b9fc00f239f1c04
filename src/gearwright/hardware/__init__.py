"""Simulated hardware: actuators that speak the protocols of real drives, on simulated time."""
