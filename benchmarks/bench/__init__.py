"""The side-by-side benchmark: the same mechanisms here and in other engines, in one run.

    robots ──▶ agreement ──▶ speed, bounded, compile_time, scaling ──▶ results ──▶ table, report, plots

Nothing is timed before it is shown to compute the same motion. Every peer is optional and one file in `peers`.
"""
