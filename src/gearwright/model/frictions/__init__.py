"""Dry friction of joint axes by speed: a kind is one class in one file, and one row in `FRICTIONS`.

Files name it by its row, in an axis' <dynamics>: `<friction_model type="stribeck"> … </friction_model>`.
"""

from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.frictions.stribeck import Stribeck
from gearwright.registry import Registry

FRICTIONS: Registry[type[FrictionModel]] = Registry(
    "gearwright.frictions", {"stribeck": "gearwright.model.frictions.stribeck:Stribeck"}
)

__all__ = ["FRICTIONS", "FrictionModel", "Stribeck"]
