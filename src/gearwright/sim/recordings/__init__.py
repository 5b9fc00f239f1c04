"""Recordings: a schema, columns of numbers in chunks, and sinks that write them. Free of kernels and simulations."""
