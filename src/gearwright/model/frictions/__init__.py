"""Friction of axes, transmissions and motors: a kind is one class in one file, and one row in `FRICTIONS`.

Files name it by its row, in an axis' <dynamics>, a <transmission> or an <actuator>: `<friction_model type="stribeck"> …
</friction_model>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names
from gearwright.registry import Registry

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.model.frictions.bristles import BristleModel as BristleModel
    from gearwright.model.frictions.cogging import Cogging as Cogging
    from gearwright.model.frictions.dahl import Dahl as Dahl
    from gearwright.model.frictions.friction import Friction as Friction
    from gearwright.model.frictions.kind import FrictionModel as FrictionModel
    from gearwright.model.frictions.lugre import LuGre as LuGre
    from gearwright.model.frictions.maxwell_slip import MaxwellSlip as MaxwellSlip
    from gearwright.model.frictions.stribeck import Stribeck as Stribeck
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

FRICTIONS: Registry[type[FrictionModel]] = Registry(
    "gearwright.frictions",
    {
        "friction": "gearwright.model.frictions.friction:Friction",
        "stribeck": "gearwright.model.frictions.stribeck:Stribeck",
        "lugre": "gearwright.model.frictions.lugre:LuGre",
        "dahl": "gearwright.model.frictions.dahl:Dahl",
        "maxwell_slip": "gearwright.model.frictions.maxwell_slip:MaxwellSlip",
        "cogging": "gearwright.model.frictions.cogging:Cogging",
    },
)
