"""Servos and drives that one can buy, by name: `servos["sts3215"]`. Every number carries its source.

`feetech.py`, `dynamixel.py` and `can_drives.py` have the products by their data sheets, `identified.py` what others
identified from recordings. One row per product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.lazy import lazy_names

if TYPE_CHECKING:  # `as` exports a name
    from gearwright.model.servos.data_sheet import DataSheet as DataSheet
    from gearwright.model.servos.data_sheet import NumberSource as NumberSource
    from gearwright.model.servos.library import read_bam as read_bam
    from gearwright.model.servos.library import servo_model as servo_model
    from gearwright.model.servos.library import servos as servos
    from gearwright.model.servos.servo_model import ServoModel as ServoModel
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
