"""Recordings: a schema, columns of numbers in chunks, and sinks that write them. Free of kernels and simulations."""

from gearwright.sim.recordings.columns import ArrayChunk, Chunk, Evaluator, SlotChunk
from gearwright.sim.recordings.formats import Format, check_format
from gearwright.sim.recordings.recording import Column, Recording
from gearwright.sim.recordings.schema import Derived, Schema, Signal, SlotElement, Total
from gearwright.sim.recordings.sinks import Sink

__all__ = [
    "ArrayChunk",
    "Chunk",
    "Column",
    "Derived",
    "Evaluator",
    "Format",
    "Recording",
    "Schema",
    "Signal",
    "Sink",
    "SlotChunk",
    "SlotElement",
    "Total",
    "check_format",
]
