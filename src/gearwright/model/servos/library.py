"""All products by name, and files of the Better Actuator Models project."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from math import inf, isfinite, pi, sqrt
from typing import Any, NamedTuple

from gearwright.errors import ModelError, UnknownNameError
from gearwright.files import checked_path, open_regular
from gearwright.model.by_name import ByName
from gearwright.model.servos import can_drives, dynamixel, feetech
from gearwright.model.servos.bam import IDENTIFIED, MODELS, friction_of
from gearwright.model.servos.data_sheet import DataSheet, NumberSource
from gearwright.model.servos.servo_model import ServoModel, Sourced


class BamFirmware(NamedTuple):
    """What BAM's code has for an actuator beside its identified numbers."""

    product: str | None  # of our tables, for its data sheet; None: it has none there
    volts: float
    gain: float  # duty for an error of 1 rad
    duty: float


class BamDrive(NamedTuple):
    """An actuator whose drive sets a current: `i = gain·e − damping·ω`, as far as the supply allows."""

    maker: str
    volts: float
    gain: float  # [A/rad], of most of BAM's recordings
    damping: float  # [A·s/rad]
    amperes: float  # highest current
    resistance: float  # [Ω], of files that leave it out


BAM_FIRMWARE = {
    "mx64": BamFirmware("mx64", 15.0, 0.158 * 32, 0.9625),
    "mx106": BamFirmware("mx106", 15.0, 0.158 * 32, 0.9625),
    "xl320": BamFirmware("xl320", 7.5, 0.05048199 * 32, 1.0),
    "xl330": BamFirmware("xl330-m288", 7.5, 400 * (4096 / (2 * pi)) / (256 * 885), 1.0),
    "sts3215": BamFirmware("sts3215", 7.4, 0.166 * 32, 0.97),
    "waveshare_st3025": BamFirmware(None, 12.0, 0.166 * 32, 1.0),
}
BAM_DRIVES = {
    "erob80_100": BamDrive("ZeroErr", 48.0, 10.0, 2.0 * sqrt(10.0), 12.0, 2.0),
    "erob80_50": BamDrive("ZeroErr", 48.0, 10.0, 1.0 * sqrt(10.0), 12.0, 2.0),
}
FIRMWARE_NUMBERS = ("error_gain_ratio", "max_velocity", "command_delay")  # that some files have
_SHEETS: Mapping[str, ServoModel] = {**feetech.MODELS, **dynamixel.MODELS, **can_drives.MODELS}
MOST_BYTES = 1_000_000  # of a file


def from_bam(name: str, actuator: str, numbers: Mapping[str, float], source: NumberSource) -> ServoModel:
    """A model by the names that BAM has for its numbers."""
    friction = friction_of(numbers)
    fields = (n for n in vars(friction) if getattr(friction, n) is not None)
    own = {n: (getattr(friction, n), source) for n in fields}
    if actuator in BAM_DRIVES:
        return _drive(name, BAM_DRIVES[actuator], numbers, own, source)
    if actuator not in BAM_FIRMWARE:
        valid = [*BAM_FIRMWARE, *BAM_DRIVES]
        raise UnknownNameError("actuator with a position loop in the Better Actuator Models", actuator, valid)
    firmware = BAM_FIRMWARE[actuator]
    k, R = numbers["kt"], numbers["R"]
    product = _SHEETS.get(firmware.product or "")
    sheet = _sheet_of(k, R, firmware.volts) if product is None else product.sheet
    return ServoModel(
        name=name, maker="" if product is None else product.maker, sheet=sheet, derived=source, friction=own,
        sheet_source=source if product is None else product.sheet_source,
        elsewhere={} if product is None else product.elsewhere,
        numbers=_firmware(actuator, firmware, numbers, source), winding=((k, source), (R, source)),
    )  # fmt: skip


def _sheet_of(k: float, R: float, volts: float, amperes: float = inf) -> DataSheet:
    """Figures of a winding alone, without friction."""
    stalled = min(volts / R, amperes)
    return DataSheet(voltage=volts, stall_torque=k * stalled, stall_current=stalled, no_load_speed=volts / k)


def _firmware(
    actuator: str, firmware: BamFirmware, numbers: Mapping[str, float], source: NumberSource
) -> dict[str, Sourced]:  # fmt: skip
    found = {
        "rotor_inertia": (numbers["armature"], source), "supply_voltage": (firmware.volts, source),
        "position_gain": (firmware.gain * numbers.get("error_gain_ratio", 1.0), source),
        "duty_limit": (firmware.duty, source),
    }  # fmt: skip
    if "max_velocity" in numbers or actuator == "sts3215":
        found["goal_speed"] = (numbers.get("max_velocity", feetech.SPEED), source)
    if "command_delay" in numbers:
        found["delay"] = (numbers["command_delay"], source)
    return found


def _drive(
    name: str, drive: BamDrive, numbers: Mapping[str, float], friction: Mapping[str, Sourced], source: NumberSource
) -> ServoModel:  # fmt: skip
    k, R = numbers["kt"], numbers.get("R", 0.0) or drive.resistance
    gains = {
        "rotor_inertia": numbers["armature"], "stiffness": k * drive.gain, "damping_gain": k * drive.damping,
        "effort_limit": k * drive.amperes,
    }  # fmt: skip
    return ServoModel(
        name=name, maker=drive.maker, sheet_source=source, derived=source, friction=friction,
        sheet=_sheet_of(k, R, drive.volts, drive.amperes),
        numbers={n: (x, source) for n, x in gains.items()}, winding=((k, source), (R, source)),
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
    own = [n for n in MODELS[kind] if n != "R" or actuator not in BAM_DRIVES]
    needed = [n for n in (*own, *(n for n in FIRMWARE_NUMBERS if n in data)) if not _is_number(data.get(n))]
    if needed:
        raise ModelError(f"{file}: {needed[0]} must be a number of at least 0, not {data.get(needed[0])!r:.60}")
    numbers = {n: float(data[n]) for n in (*MODELS[kind], *FIRMWARE_NUMBERS) if _is_number(data.get(n))}
    source = NumberSource(source=f"Better Actuator Models' file {os.path.basename(file)}", licence="of that file")
    return from_bam(f"{actuator}-{kind}", actuator, numbers, source)


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and isfinite(x) and x >= 0


def servo_model(given: str | os.PathLike[str] | ServoModel) -> ServoModel:
    """A model, one of the library by its name, or one of BAM's files."""
    if isinstance(given, ServoModel):
        return given
    if not isinstance(given, str | os.PathLike):
        raise ModelError(f"a servo model is given by its name, such as 'sts3215', not {given!r:.60}")
    if os.fspath(given).endswith(".json"):
        return read_bam(given)
    return servos[os.fspath(given)]


def _identified() -> dict[str, ServoModel]:
    found = {}
    for name, numbers in IDENTIFIED.items():
        product, _, kind = name.partition("-bam-")
        source = NumberSource(
            source=f"Better Actuator Models (Rhoban), {product}, {kind.upper()}", licence="Apache-2.0", spread=0.2
        )
        found[name] = from_bam(name, product.replace("-", "_"), numbers, source)
    return found


servos: ByName[ServoModel] = ByName("servo model", {**_SHEETS, **_identified()})
