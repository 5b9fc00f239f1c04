"""Benchmarks of the repository: adapters of other engines, the written report, loading times."""
