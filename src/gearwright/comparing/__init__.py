"""What differs between two robots."""

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.comparing.differences import Difference as Difference
    from gearwright.comparing.differences import Differences as Differences
    from gearwright.comparing.differences import diff as diff
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
