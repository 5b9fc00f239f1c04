"""What acts along axes and between bodies: laws, rows, closures, and when in a step."""
