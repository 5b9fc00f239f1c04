"""All products by name, and files of the Better Actuator Models project."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from math import isfinite, pi
from typing import Any, NamedTuple

from gearwright.errors import ModelError, UnknownNameError
from gearwright.files import checked_path, open_regular
from gearwright.model.mechanism import ByName
from gearwright.model.servos import can_drives, dynamixel, feetech
from gearwright.model.servos.bam import IDENTIFIED, MODELS, friction_of
from gearwright.model.servos.data_sheet import NumberSource
from gearwright.model.servos.servo_model import ServoModel, Sourced


class BamFirmware(NamedTuple):
    """What BAM's code has for an actuator beside its identified numbers."""

    product: str  # of our tables, for its data sheet
    volts: float
    gain: float  # duty for an error of 1 rad
    duty: float


BAM_FIRMWARE = {
    "mx64": BamFirmware("mx64", 15.0, 0.158 * 32, 0.9625),
    "mx106": BamFirmware("mx106", 15.0, 0.158 * 32, 0.9625),
    "xl320": BamFirmware("xl320", 7.5, 0.05048199 * 32, 1.0),
    "xl330": BamFirmware("xl330-m288", 7.5, 400 * (4096 / (2 * pi)) / (256 * 885), 1.0),
    "sts3215": BamFirmware("sts3215", 7.4, 0.166 * 32, 0.97),
}
_SHEETS: Mapping[str, ServoModel] = {**feetech.MODELS, **dynamixel.MODELS, **can_drives.MODELS}
MOST_BYTES = 1_000_000  # of a file


def from_bam(name: str, actuator: str, numbers: Mapping[str, float], source: NumberSource) -> ServoModel:
    """A model by the names that BAM has for its numbers."""
    if actuator not in BAM_FIRMWARE:
        raise UnknownNameError("actuator with a position loop in the Better Actuator Models", actuator, BAM_FIRMWARE)
    firmware = BAM_FIRMWARE[actuator]
    product = _SHEETS[firmware.product]
    friction = friction_of(numbers)
    fields = (n for n in vars(friction) if getattr(friction, n) is not None)
    own: dict[str, Sourced] = {
        "rotor_inertia": (numbers["armature"], source), "supply_voltage": (firmware.volts, source),
        "position_gain": (firmware.gain, source), "duty_limit": (firmware.duty, source),
    }  # fmt: skip
    if "max_velocity" in numbers or actuator == "sts3215":
        own["goal_speed"] = (numbers.get("max_velocity", feetech.SPEED), source)
    return ServoModel(
        name=name, maker=product.maker, sheet=product.sheet, sheet_source=product.sheet_source, derived=source,
        elsewhere=product.elsewhere, numbers=own, friction={n: (getattr(friction, n), source) for n in fields},
        winding=((numbers["kt"], source), (numbers["R"], source)),
    )  # fmt: skip


def read_bam(path: str | os.PathLike[str]) -> ServoModel:
    """A servo from a file of identified parameters of the Better Actuator Models project, as it is."""
    file = os.fspath(checked_path(path, "a file of identified parameters"))
    try:
        with open_regular(file) as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from None
    if len(text) > MOST_BYTES:
        raise ModelError(f"{file}: a file of identified parameters has at most {MOST_BYTES} bytes")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file}: not a JSON file: {error}") from None
    kind, actuator = (data.get(n) if isinstance(data, dict) else None for n in ("model", "actuator"))
    if not isinstance(kind, str) or kind not in MODELS or not isinstance(actuator, str):
        raise ModelError(f'{file}: a file of identified parameters says "model": "m1" … "m6", and "actuator"')
    needed = [n for n in MODELS[kind] if not _is_number(data.get(n))]
    if needed:
        raise ModelError(f"{file}: {needed[0]} must be a number of at least 0, not {data.get(needed[0])!r:.60}")
    numbers = {n: float(data[n]) for n in (*MODELS[kind], "max_velocity") if _is_number(data.get(n))}
    source = NumberSource(source=f"Better Actuator Models' file {os.path.basename(file)}", licence="of that file")
    return from_bam(f"{actuator}-{kind}", actuator, numbers, source)


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and isfinite(x) and x >= 0


def servo_model(given: str | os.PathLike[str] | ServoModel) -> ServoModel:
    """A model, one of the library by its name, or one of BAM's files."""
    if isinstance(given, ServoModel):
        return given
    if not isinstance(given, str | os.PathLike):
        raise ModelError(f"a servo model must be named, as 'sts3215', not {given!r:.60}")
    if os.fspath(given).endswith(".json"):
        return read_bam(given)
    return servos[os.fspath(given)]


def _identified() -> dict[str, ServoModel]:
    found = {}
    for name, numbers in IDENTIFIED.items():
        product, _, kind = name.partition("-bam-")
        if product in BAM_FIRMWARE:
            source = NumberSource(
                source=f"Better Actuator Models (Rhoban), {product}, {kind.upper()}", licence="Apache-2.0", spread=0.2
            )
            found[name] = from_bam(name, product, numbers, source)
    return found


servos: ByName[ServoModel] = ByName("servo model", {**_SHEETS, **_identified()})
