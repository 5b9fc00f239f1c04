"""Random SDFormat texts: trees of links with everything that decides where they are.

Each part refers only to parts made before it, so that nothing is defined in a circle; then the order is shuffled, so
that files refer forwards too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np

VERSIONS = ("1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12")
KINDS = ("revolute", "continuous", "prismatic", "screw", "universal", "ball", "fixed")


@dataclass
class Model:
    """A model in the making. Names are relative to its scope, nested ones with `::`."""

    rng: np.random.Generator
    version: tuple[int, int]
    numbers: Iterator[int]  # joints and frames have distinct names in the whole file, for Drake's sake
    parts: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)  # all that a pose may be relative to
    links: list[str] = field(default_factory=list)
    attached: dict[str, list[str]] = field(default_factory=dict)  # link → frames on it

    @property
    def semantics(self) -> bool:
        """Frame semantics came with 1.7."""
        return self.version >= (1, 7)

    @property
    def crosses(self) -> bool:
        """References into nested models came with 1.8."""
        return self.version >= (1, 8)

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def choice(self, items: list[str]) -> str:
        return items[self.rng.integers(len(items))]


def random_sdf(rng: np.random.Generator) -> str:
    version = VERSIONS[rng.integers(len(VERSIONS))]
    major, minor = version.split(".")
    body, attributes, pose, _ = _model(rng, (int(major), int(minor)), count(), depth=0)
    return f'<sdf version="{version}">\n<model name="top"{attributes}>\n{pose}{body}\n</model>\n</sdf>\n'


def _model(
    rng: np.random.Generator, version: tuple[int, int], numbers: Iterator[int], depth: int
) -> tuple[str, str, str, Model]:
    m = Model(rng, version, numbers, frames=["__model__"] if version >= (1, 7) else [])
    for i in range(rng.integers(1, 4)):
        _link(m, f"link{i}")
    if m.crosses and depth < 2:
        for i in range(rng.integers(0, 3)):
            _nested(m, f"inner{i}", depth)
    for _ in range(rng.integers(0, 4) if m.semantics else 0):
        _frame(m, f"frame{next(m.numbers)}")
    _joints(m, depth)
    frames = [p for p in m.parts if p.startswith("<frame")]
    others = [p for p in m.parts if not p.startswith("<frame")]
    rng.shuffle(others)
    # frames stay in their order: Drake misplaces one that is attached to another written after it
    at = sorted(rng.integers(0, len(others) + 1, len(frames)))
    for i, f in reversed(list(zip(at, frames, strict=True))):
        others.insert(i, f)
    m.parts = others
    attributes = ""
    inside = [f for f in m.frames if "::" not in f and not f.startswith("__")]
    if m.crosses and m.chance(0.3):
        attributes += f' placement_frame="{m.choice(inside)}"'
    if m.semantics and m.chance(0.3):
        attributes += f' canonical_link="{m.choice([n for n in m.links if "::" not in n])}"'
    pose = _pose(m, relative=False) if depth == 0 else ""
    return "\n".join(m.parts), attributes, pose, m


def _link(m: Model, name: str) -> None:
    m.parts.append(f'<link name="{name}">{_pose(m)}</link>')
    m.frames.append(name)
    m.links.append(name)
    m.attached[name] = [name]


def _nested(m: Model, name: str, depth: int) -> None:
    body, attributes, _, inner = _model(m.rng, m.version, m.numbers, depth + 1)
    m.parts.append(f'<model name="{name}"{attributes}>\n{_pose(m)}{body}\n</model>')
    m.frames += [name, *(f"{name}::{f}" for f in inner.frames if not f.startswith("__"))]
    for link in inner.links:
        m.links.append(f"{name}::{link}")
        m.attached[f"{name}::{link}"] = [f"{name}::{f}" for f in inner.attached[link]]


def _frame(m: Model, name: str) -> None:
    link = m.choice(m.links)
    # Drake loses sight of a frame that another model's link carries: one is attached to frames of the link's own model
    on = m.choice([f for f in m.attached[link] if f.rpartition("::")[0] == link.rpartition("::")[0]])
    m.parts.append(f'<frame name="{name}" attached_to="{on}">{_pose(m)}</frame>')
    m.frames.append(name)
    m.attached[link].append(name)


def _joints(m: Model, depth: int) -> None:
    """A tree or a forest over the links, nested ones too; inner models have tied their own links already or not."""
    own = [n for n in m.links if "::" not in n]
    starts = sorted({n.split("::")[0]: n for n in m.links if "::" in n}.values())  # one link of each nested model
    reached: list[str] = []
    for link in [*own, *starts]:
        if reached and m.chance(0.85):
            parent, child = m.choice(reached), link
            if m.chance(0.25):
                parent, child = child, parent
            _joint(m, f"joint{next(m.numbers)}", m.choice(m.attached[parent]), m.choice(m.attached[child]))
        elif not reached and depth == 0 and m.chance(0.5):
            _joint(m, f"joint{next(m.numbers)}", "world", m.choice(m.attached[link]))
        reached.append(link)


def _joint(m: Model, name: str, parent: str, child: str) -> None:
    kind = m.choice(list(KINDS))
    axes = {"ball": 0, "fixed": 0, "universal": 2}.get(kind, 1)
    u, v = _orthogonal(m)
    expressed = ""
    old_frame = ""
    if m.semantics and m.chance(0.5):
        expressed = f' expressed_in="{m.choice(m.frames)}"'
    elif (1, 5) <= m.version < (1, 7) and m.chance(0.5):
        old_frame = f"<use_parent_model_frame>{m.choice(['true', 'false', '1', '0'])}</use_parent_model_frame>"
    text = "".join(
        f"<{tag}><xyz{expressed}>{_numbers(d)}</xyz>{old_frame}</{tag}>"
        for tag, d in list({"axis": u, "axis2": v}.items())[:axes]
    )
    if kind == "screw":
        new = m.version >= (1, 10) and m.chance(0.5)
        tag = "screw_thread_pitch" if new else "thread_pitch"
        text += f"<{tag}>{m.rng.uniform(0.2, 3) * m.rng.choice([-1, 1]):.17g}</{tag}>"
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    m.parts.append(f'<joint name="{name}" type="{kind}">{ends}{_pose(m)}{text}</joint>')
    m.frames.append(name)


def _orthogonal(m: Model) -> tuple[np.ndarray, np.ndarray]:
    u, v = m.rng.normal(size=(2, 3))
    u /= np.linalg.norm(u)
    v -= u * (u @ v)
    return u, v / np.linalg.norm(v)


def _pose(m: Model, relative: bool = True) -> str:
    if m.chance(0.2):
        return ""
    p, rpy = m.rng.uniform(-1, 1, 3), m.rng.uniform(-1.4, 1.4, 3)
    attributes = ""
    if relative and m.semantics and m.frames and m.chance(0.5):
        attributes = f' relative_to="{m.choice(m.frames)}"'
    if m.version >= (1, 9) and m.chance(0.2):
        return f'<pose{attributes} degrees="true">{_numbers([*p, *np.degrees(rpy)])}</pose>'
    if m.version >= (1, 9) and m.chance(0.2):
        q = m.rng.normal(size=4)
        return f'<pose{attributes} rotation_format="quat_xyzw">{_numbers([*p, *q / np.linalg.norm(q)])}</pose>'
    return f"<pose{attributes}>{_numbers([*p, *rpy])}</pose>"


def _numbers(values: object) -> str:
    return " ".join(f"{v:.17g}" for v in values)  # type: ignore[attr-defined]
