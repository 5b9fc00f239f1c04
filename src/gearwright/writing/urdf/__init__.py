"""Writes URDF."""
