"""All products by name."""

from __future__ import annotations

from gearwright.model.mechanism import ByName
from gearwright.model.servos import can_drives, dynamixel, feetech
from gearwright.model.servos.servo_model import ServoModel

servos: ByName[ServoModel] = ByName("servo model", {**feetech.MODELS, **dynamixel.MODELS, **can_drives.MODELS})
