"""Files to and from the model."""

from gearwright.formats.reading import load, loads

__all__ = ["load", "loads"]
