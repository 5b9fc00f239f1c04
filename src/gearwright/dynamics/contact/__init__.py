"""Geometry of contact: from the poses of two shapes to the points where they may touch."""
