"""The order and the extent of a tape's code: what is computed when, in which function."""
