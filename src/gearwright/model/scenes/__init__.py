"""Several robots and objects as one mechanism."""
