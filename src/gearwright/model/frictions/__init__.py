"""Dry friction of joint axes: a kind is one class in one file, and one row in `FRICTIONS`.

Files name it by its row, in an axis' <dynamics>: `<friction_model type="stribeck"> … </friction_model>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.registry import Registry

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.model.frictions.dahl import Dahl as Dahl
    from gearwright.model.frictions.kind import FrictionModel as FrictionModel
    from gearwright.model.frictions.stribeck import Stribeck as Stribeck
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

FRICTIONS: Registry[type[FrictionModel]] = Registry(
    "gearwright.frictions",
    {
        "stribeck": "gearwright.model.frictions.stribeck:Stribeck",
        "dahl": "gearwright.model.frictions.dahl:Dahl",
    },
)
