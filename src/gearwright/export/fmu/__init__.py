"""A robot as a functional mock-up unit (FMI 3.0, co-simulation)."""
