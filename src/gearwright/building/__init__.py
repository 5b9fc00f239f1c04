"""Robots from Python, part by part."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.building.builder import RobotBuilder as RobotBuilder
    from gearwright.building.builder import build as build
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
