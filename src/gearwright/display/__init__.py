"""Mechanisms and recordings as text, drawings, plots and plain data. Nothing here reads files."""
