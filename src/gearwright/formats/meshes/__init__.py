"""Mesh and image files: read in a process of their own, for the viewer and as shapes that touch."""
