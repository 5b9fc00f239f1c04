"""What touches: shapes beyond the elementary ones of `model.geometry`, and surfaces."""
