"""Writes SDFormat."""
