"""Registers that survive a power cycle, in a JSON file: `{actuator: {register: value}}`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from gearwright.errors import GearwrightError
from gearwright.files import open_regular, write_whole
from gearwright.hardware.device import Device

LARGEST = 1 << 20  # bytes of a file that is read


class Eeprom:
    """Reads the file into devices, and writes it when something has changed."""

    def __init__(self, path: str | os.PathLike[str], devices: Mapping[str, Device]) -> None:
        self.path, self._devices = Path(path), devices
        if self.path.exists():
            self._load()
        self._written: object = None

    def _load(self) -> None:
        try:
            with open_regular(self.path) as file:
                content = file.read(LARGEST + 1)
            if len(content) > LARGEST:
                raise ValueError(f"larger than {LARGEST} bytes")
            stored = json.loads(content)
            if not isinstance(stored, dict) or not all(isinstance(v, dict) for v in stored.values()):
                raise ValueError("not a mapping from actuators")
        except (OSError, ValueError, RecursionError) as error:
            raise GearwrightError(
                f"{self.path} is not a register file: {error}; move it away to start afresh"
            ) from error
        for name, registers in stored.items():
            if name in self._devices:
                self._devices[name].memory = registers

    def save(self) -> None:
        """If anything has changed; the file is replaced whole."""
        now = {name: device.memory for name, device in self._devices.items()}
        if now == self._written:
            return
        try:
            write_whole(self.path, json.dumps(now, indent=1) + "\n")
        except OSError as error:
            raise GearwrightError(f"cannot write {self.path}: {error.strerror}") from error
        self._written = now
