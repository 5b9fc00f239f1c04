"""Recordings: a schema, columns of numbers in chunks, and sinks that write them. Free of kernels and simulations."""

from gearwright.sim.recordings.columns import ArrayChunk, Chunk, Evaluator, SlotChunk
from gearwright.sim.recordings.formats import Format, check_format
from gearwright.sim.recordings.recording import RecordedColumn, Recording
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.sinks import Sink
from gearwright.sim.signals import Derived, Signal, SlotElement, Total

__all__ = [
    "ArrayChunk",
    "Chunk",
    "Derived",
    "Evaluator",
    "Format",
    "RecordedColumn",
    "Recording",
    "Schema",
    "Signal",
    "Sink",
    "SlotChunk",
    "SlotElement",
    "Total",
    "check_format",
]
