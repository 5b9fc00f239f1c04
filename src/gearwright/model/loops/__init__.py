"""Closed loops: their equations, what still moves, and couplings that close a cycle."""
