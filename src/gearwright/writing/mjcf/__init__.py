"""Writes MJCF."""
