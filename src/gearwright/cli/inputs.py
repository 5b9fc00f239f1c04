"""Numbers by name, as several commands take them: --set, --command, --effort, --velocity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import radians
from typing import TYPE_CHECKING, Any, NoReturn

from gearwright.cli.messages import stop

if TYPE_CHECKING:
    from gearwright.model import Mechanism

WITH_UNIT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\W\d_]|[°%]).*", re.ASCII)
NAME = re.compile(r"[^\W\d][\w./-]*")
DEGREES = ("deg", "°", "degree", "degrees")


def assigned(option: str, pairs: Iterable[str] | None) -> dict[str, Any]:
    """`joint=0.3` or `joint=0,0,1`, by joint. Anything else ends the command."""
    found: dict[str, Any] = {}
    for pair in pairs or ():
        name, equals, text = pair.rpartition("=")
        try:
            values = [float(x) for x in text.split(",")]
        except ValueError:
            values = []
        if not (equals and name and values):
            _wrong(option, pair, _form(option, name, text))
        name = name.strip()
        if name in found:
            _wrong(option, pair, f"{name} is given twice")
        found[name] = values[0] if len(values) == 1 else values
    return found


def check_targets(robot: Mechanism, command: Mapping[str, Any], effort: Mapping[str, Any]) -> None:
    """Commands go to actuators, efforts to joints: who mixes them up reads the option that is meant."""
    for name, value in command.items():
        if name in robot.joints and name not in robot.actuators:
            _wrong("--command", _pair(name, value), f"{name} is a joint: write --effort {_pair(name, value)}")
    for name, value in effort.items():
        if name in robot.actuators and name not in robot.joints:
            _wrong("--effort", _pair(name, value), f"{name} is an actuator: write --command {_pair(name, value)}")


def _form(option: str, name: str, text: str) -> str:
    """Says what is wrong with a text that is not a number, and how to write it."""
    match = WITH_UNIT.fullmatch(text.strip()) if name else None
    if match is None:
        why = f"{text!r:.40} is not a number; " if name and text.strip() else ""
        alone = text.strip() if NAME.fullmatch(text.strip()) else ""  # without a number
        target = name.strip() or alone or ("actuator" if option == "--command" else "joint")
        return f"{why}write NAME=VALUE, e.g. {option} {target}=0.3"
    unit = text.strip()[match.end(1) :].strip()
    if unit in DEGREES:
        return f"angles are in radians, without a unit: {option} {name}={radians(float(match[1])):.6g}"
    return f"values are in SI units and radians; leave out the unit {unit!r}, e.g. {option} {name}=0.3"


def _pair(name: str, value: Any) -> str:
    return f"{name}={','.join(f'{x:g}' for x in (value if isinstance(value, list) else [value]))}"


def _wrong(option: str, pair: str, why: str) -> NoReturn:
    stop(f"{option} {pair}: {why}", 2)
