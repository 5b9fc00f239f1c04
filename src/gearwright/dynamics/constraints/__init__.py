"""Constraint groups by cause: the terms that each makes in a phase of a step."""
