"""Controllers of the user, traced into the step."""
