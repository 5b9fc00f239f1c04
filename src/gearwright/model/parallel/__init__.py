"""Parallel actuation: motors and outputs of closed loops, in both spaces."""
