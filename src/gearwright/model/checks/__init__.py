"""Checks of a mechanism: of its parts, of what a simulation needs, of hardly plausible numbers."""
