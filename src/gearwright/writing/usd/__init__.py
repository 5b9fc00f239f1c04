"""Writes USD text."""
