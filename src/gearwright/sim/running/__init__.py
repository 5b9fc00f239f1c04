"""Steps and runs: the clock, inputs over time, controllers in Python, reports of what went wrong."""
