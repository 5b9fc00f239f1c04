"""Errors that tests of many rooms allow, by their source. An error that one test alone meets has its source there."""

ROUNDING = 1e-12  # of numbers of order one: some thousand operations of 1e-16, in another order on another processor
