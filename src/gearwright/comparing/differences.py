"""`gw.diff`: what differs between two robots, part by part and field by field."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.comparing.values import NOT_COMPARED, alike, values
from gearwright.errors import counted
from gearwright.given_names import checked_instance
from gearwright.given_numbers import number
from gearwright.model import WORLD, Joint, Mechanism, Pose, Transmission

TOLERANCE = 1e-9  # relative above 1, absolute below: what the text of a file and a change of frames may leave
ENDS = (".role", ".mechanical_reduction", ".offset", ".read_only")  # of a transmission's parameters, after a name
KINDS = {
    "links": "link", "joints": "joint", "couplings": "coupling", "transmissions": "transmission",
    "actuators": "actuator", "sensors": "sensor", "hardware": "ros2_control tag", "frames": "frame",
    "initial": "initial position", "keyframes": "keyframe",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that differs. A part that only one robot has is a difference without a field."""

    kind: str  # "joint", "coupling", …, "robot" for what belongs to no part
    name: str  # of the part
    field: str = ""  # "axes.1.limits.upper"; "" of a whole part
    before: Any = None  # None: not there
    after: Any = None

    @property
    def part(self) -> str:
        return self.kind if self.kind == "robot" else f"{self.kind} {self.name!r}"

    def __str__(self) -> str:
        if not self.field:
            return f"{self.part}: {'added' if self.before is None else 'removed'}"
        return f"{self.part}: {self.field} {_text(self.before)} → {_text(self.after)}"


@dataclass(frozen=True)
class Differences:
    """All differences between two robots, in the order of the first one's parts."""

    found: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return bool(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.found)

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no difference"

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'difference')}>"

    def as_data(self) -> list[dict[str, Any]]:
        """As plain data: [{kind, name, field, before, after}]."""
        return [{**dataclasses.asdict(d), "before": _plain(d.before), "after": _plain(d.after)} for d in self.found]

    def json(self) -> str:
        return json.dumps(self.as_data(), indent=2, ensure_ascii=False)


def diff(a: Mechanism, b: Mechanism, tolerance: float = TOLERANCE) -> Differences:
    """What differs between two robots: parts, numbers, names. Empty (and false) if nothing differs.

    Numbers count as equal within the tolerance: relative above 1, absolute below. The place of a part in its file, and
    its spelling, are not compared.
    """
    for robot in (a, b):
        checked_instance("diff", robot, Mechanism)
    return Differences(tuple(_differences(a, b, number("tolerance", tolerance))))


def _differences(a: Mechanism, b: Mechanism, tolerance: float) -> Iterator[Difference]:
    standing = {n: j for m in (a, b) for n, j in m.bases.items() if _is_nothing(j)}
    before, after = _families(a, standing), _families(b, standing)
    for family, kind in KINDS.items():
        yield from _of_family(kind, before[family], after[family], tolerance)
    for f in dataclasses.fields(Mechanism):
        if f.name not in KINDS and f.name not in NOT_COMPARED and f.name != "bases" and f.compare:
            x, y = (_ordered(f.name, getattr(m, f.name)) for m in (a, b))
            yield from _of_part("robot", "", {f.name: x}, {f.name: y}, tolerance)


def _ordered(field: str, value: Any) -> Any:
    """Links of which order and number say nothing, the world apart, which is in each of them."""
    if field == "self_collide":
        return tuple(sorted({*value} - {WORLD}))
    return tuple(sorted({tuple(sorted(pair)) for pair in value})) if field == "no_contact" else value


def _families(m: Mechanism, standing: Mapping[str, Joint]) -> dict[str, Mapping[str, Any]]:
    """Parts by name. A tie to the world counts as a joint, whoever made it; a start at zero is not listed.

    Fixed bases at the world's origin are left out: a URDF has none for its root, and an SDFormat file a joint.
    """
    families = {family: getattr(m, family) for family in KINDS}
    links = {n: link for n, link in m.links.items() if n != WORLD}  # which is no part of a robot
    transmissions = {n: replace(t, parameters=_apart_from_ends(t)) for n, t in m.transmissions.items()}
    joints = {n: j for n, j in {**m.joints, **m.bases}.items() if not (n in standing and _is_nothing(j))}
    initial = {n: q for n, q in m.initial.items() if tuple(q) != m.joint(n).type.zero}
    return {**families, "links": links, "joints": joints, "initial": initial, "transmissions": transmissions}


def _apart_from_ends(t: Transmission) -> dict[str, str]:
    """Without the numbers at its actuators and joints, which are in its map."""
    return {name: text for name, text in t.parameters.items() if not name.endswith(ENDS)}


def _is_nothing(base: Joint) -> bool:
    """A fixed base that stands where the world does."""
    return (
        base.kind == "fixed"
        and base.parent == WORLD
        and alike(base.X_PC(()), Pose.from_rpy((0, 0, 0), (0, 0, 0)), TOLERANCE)
    )


def _of_family(
    kind: str, before: Mapping[str, Any], after: Mapping[str, Any], tolerance: float
) -> Iterator[Difference]:
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield Difference(kind=kind, name=name, before=before[name])
        elif name not in before:
            yield Difference(kind=kind, name=name, after=after[name])
        else:
            yield from _of_part(kind, name, before[name], after[name], tolerance)


def _of_part(kind: str, name: str, before: Any, after: Any, tolerance: float) -> Iterator[Difference]:
    old, new = dict(values(before)), dict(values(after))
    whole = {path[:-1] for path in old.keys() ^ new.keys() if path[-1:] == ("class",)}  # parts that only one has
    for path in dict.fromkeys([*old, *new]):
        above = next((path[:n] for n in range(len(path)) if path[:n] in whole), None)
        x, y = old.get(path), new.get(path)
        if above is not None:  # said once, by its class
            if path == (*above, "class"):
                yield Difference(kind=kind, name=name, field=".".join(above), before=x, after=y)
        elif path not in whole and ((path in old) != (path in new) or not alike(x, y, tolerance)):
            yield Difference(kind=kind, name=name, field=".".join(path) or "position", before=x, after=y)


def _text(value: Any) -> str:
    plain = _plain(value)
    return "nothing" if plain is None else plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """For JSON and for people."""
    if isinstance(value, Pose):
        return {"position": value.p.tolist(), "quaternion": list(value.quaternion)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(x) for x in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping) or dataclasses.is_dataclass(value):
        return {".".join(path): _plain(x) for path, x in values(value)}
    return str(value)
