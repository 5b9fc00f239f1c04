"""One format to another, with proof."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.conversion.checks import Check as Check
    from gearwright.conversion.converting import Conversion as Conversion
    from gearwright.conversion.converting import convert as convert
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
