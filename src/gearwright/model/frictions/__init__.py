"""Dry friction of joint axes: a kind is one class in one file, and one row in `FRICTIONS`.

Files name it by its row, in an axis' <dynamics>: `<friction_model type="stribeck"> … </friction_model>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.model.frictions.kind import FrictionModel
from gearwright.registry import Registry

if TYPE_CHECKING:
    from gearwright.model.frictions.dahl import Dahl
    from gearwright.model.frictions.stribeck import Stribeck

FRICTIONS: Registry[type[FrictionModel]] = Registry(
    "gearwright.frictions",
    {
        "stribeck": "gearwright.model.frictions.stribeck:Stribeck",
        "dahl": "gearwright.model.frictions.dahl:Dahl",
    },
)

__all__ = ["FRICTIONS", "Dahl", "FrictionModel", "Stribeck"]

if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__, {"Dahl": "gearwright.model.frictions.dahl", "Stribeck": "gearwright.model.frictions.stribeck"}
    )
