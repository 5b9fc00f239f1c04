"""Sensors at the end of a step: signals, noise, rates and latency."""
