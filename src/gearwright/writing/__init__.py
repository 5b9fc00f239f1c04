"""Robots to files: SDFormat, URDF, MJCF and USD."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.writing.report import Loss as Loss
    from gearwright.writing.report import SaveReport as SaveReport
    from gearwright.writing.saving import save as save
    from gearwright.writing.saving import text_of as text_of
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
