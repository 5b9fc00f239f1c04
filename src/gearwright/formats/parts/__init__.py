"""Elements that several formats share: shapes, limits, axes, actuation."""
