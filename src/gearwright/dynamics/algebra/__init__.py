"""Scalars, spatial vectors, rotations, sparse factorisation: no mechanism is known here."""
