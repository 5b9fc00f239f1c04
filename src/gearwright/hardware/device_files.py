"""A YAML file beside the robot that says which actuator speaks which protocol.

shoulder: {protocol: feetech, node: 1, model: sts3215}
elbow: {protocol: feetech, node: 2}
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gearwright.errors import GearwrightError, UnknownNameError
from gearwright.model.hardware.device_bindings import PROTOCOLS, DeviceBinding

LARGEST = 1 << 20  # bytes


def read_devices(path: str | os.PathLike[str]) -> dict[str, DeviceBinding]:
    """Bindings by actuator. What is wrong raises with the file's name."""
    import yaml

    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            raise GearwrightError(f"{file}: larger than {LARGEST} bytes")
        text = file.read_text(encoding="utf-8")
        written = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise GearwrightError(f"cannot read {file}: {error}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise GearwrightError(f"{file}: {error}") from error
    if not isinstance(written, dict):
        raise GearwrightError(
            f"{file}: a mapping from actuators to devices is expected, e.g. motor: {{protocol: cia402, node: 1}}"
        )
    if not all(isinstance(name, str) for name in written):
        raise GearwrightError(f"{file}: the names of actuators must be text")
    return {name: _binding(file, name, entry) for name, entry in written.items()}


def _binding(file: Path, actuator: str, entry: Any) -> DeviceBinding:
    where = f"{file}: actuator {actuator!r}"
    if not isinstance(entry, dict) or not isinstance(entry.get("protocol"), str):
        raise GearwrightError(f"{where} needs a protocol, e.g. {{protocol: cia402, node: 1}}")
    protocol, node = entry["protocol"], entry.get("node")
    if protocol not in PROTOCOLS:
        raise UnknownNameError(f"{file}: protocol", protocol, list(PROTOCOLS))
    for name, value in entry.items():
        if not isinstance(value, str | int | float):  # nor is it printed: aliases may make it endless
            raise GearwrightError(f"{where}: {name!s:.60} must be a number or a text, not a {type(value).__name__}")
    if node is not None and (isinstance(node, bool) or not isinstance(node, int) or node < 0):
        raise GearwrightError(f"{where}: a node must be a whole number, not {node!r}")
    options = tuple((str(k), str(v)) for k, v in entry.items() if k not in ("protocol", "node", "model"))
    model = entry.get("model")
    return DeviceBinding(protocol=protocol, node=node, model=None if model is None else str(model), options=options)
