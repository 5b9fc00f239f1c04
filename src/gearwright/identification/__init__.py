"""Identification: the numbers of a robot from recordings of it."""

from __future__ import annotations

from gearwright.identification.excitation import excite
from gearwright.identification.identifying import identify
from gearwright.identification.log import Log
from gearwright.identification.reading import read_log

__all__ = ["Log", "excite", "identify", "read_log"]
