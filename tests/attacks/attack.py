"""An attack: files in a folder of their own, and what must come of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gearwright
from gearwright import LoadError

SECRET = "canary-7f3a91"  # stands in a file outside, and in an environment variable
HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = '<link name="{}"/>'


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an attack runs: the model's folder, a folder outside with a secret, a file that only code could make."""

    model: Path
    outside: Path
    canary: Path


Files = Mapping[str, str | bytes]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """`files` go into the model's folder, `main` is loaded. `codes`: one of them must be the reason; none: it loads."""

    files: Callable[[Place], Files]
    codes: tuple[str, ...] = ()
    main: str = "robot.xacro"
    options: Callable[[Place], dict[str, Any]] = lambda _: {}
    prepare: Callable[[Place], object] = lambda _: None  # links, pipes: what a text cannot say


@dataclass(frozen=True)
class Result:
    loaded: bool
    codes: tuple[str, ...]
    text: str  # all that came out: messages, and the names of the model


def xacro(content: str | Callable[[Place], str], *codes: str, **more: Any) -> Attack:
    """A robot with this content; a function gets the place, to name its paths."""

    def files(place: Place) -> Files:
        text = content if isinstance(content, str) else content(place)
        return {"robot.xacro": f"{HEAD}{text}</robot>", **more.get("beside", {})}

    rest = {k: v for k, v in more.items() if k != "beside"}
    return Attack(files=files, codes=codes, **rest)


def expression(text: str, *codes: str) -> Attack:
    """A link named by an expression. CANARY in it is the path of the file that only code could make."""

    def content(place: Place) -> str:
        value = (
            text.replace("CANARY", str(place.canary)).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        )
        return f'<xacro:property name="p" value="{value}"/>' + LINK.format("${p}")

    return xacro(content, *(codes or ("xacro-failed", "xacro-limit", "xacro-refused")))


def set_up(attack: Attack, place: Place) -> Path:
    place.model.mkdir(parents=True)
    place.outside.mkdir()
    leak = f'<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{SECRET}"/></robot>'
    (place.outside / "secret.xacro").write_text(leak)
    (place.outside / "secret.yaml").write_text(f"key: {SECRET}\n")
    (place.outside / "secret.txt").write_text(f"{SECRET}\n")
    (place.outside / "evil.py").write_text(f"open({str(place.canary)!r}, 'w')\n\ndef position(q):\n    return q\n")
    model = f'<sdf version="1.11"><model name="{SECRET}"><link name="{SECRET}"/></model></sdf>'
    (place.outside / "model.sdf").write_text(model)
    for name, text in attack.files(place).items():
        path = place.model / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    attack.prepare(place)
    return place.model / attack.main


def carry_out(file: Path, options: dict[str, Any]) -> Result:
    try:
        robot = gearwright.load(file, **options)
    except LoadError as error:
        codes = tuple(d.code for d in error.diagnostics if d.severity == "error")
        return Result(False, codes, "\n".join([*map(str, error.diagnostics), str(error)]))
    named = [robot.name, *robot.links, *robot.joints, *robot.transmissions, *robot.actuators]
    return Result(True, (), "\n".join([*map(str, named), *map(str, robot.diagnostics)]))


def files_of(**files: str) -> Callable[[Place], Files]:
    return lambda _: files
