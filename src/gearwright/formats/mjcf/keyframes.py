"""<keyframe>: named states, from MuJoCo's lists of numbers to names."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import JointPart, Parts
from gearwright.formats.mjcf.values import every, exactly
from gearwright.formats.xml.located_xml import Element
from gearwright.model.keyframes import Keyframe


def add_keyframes(parts: Parts, controls: list[str | None]) -> None:
    """`controls`: the actuators in the order of the file; None for one that is left out."""
    count = 0
    bases = parts.draft.bases_by_link()
    for section, file in parts.sections("keyframe"):
        if file.prefix:
            section.info("element-ignored", "the keyframes of an attached model are not read")
            section.consume()
            continue
        for e in section.all("key"):
            heed(e, "keyframe/key")
            name = e.get("name") or f"key{count}"
            count += 1
            if name in parts.draft.keyframes:
                e.error("name-duplicate", f"there are two keyframes named {name!r}")
                continue
            with e.report.leaving_out(f"keyframe {name!r}") as reading:
                made = _keyframe(e, name, parts, controls, bases)
            if not reading.failed:
                parts.draft.keyframes[name] = made


def _keyframe(e: Element, name: str, parts: Parts, controls: list[str | None], bases: Mapping[str, str]) -> Keyframe:
    joints = parts.joints.values()
    q = exactly(e, "qpos", sum(j.positions for j in joints))
    v = exactly(e, "qvel", sum(j.velocities for j in joints))
    u = exactly(e, "ctrl", len(controls))
    position: dict[str, tuple[float, ...]] = {}
    velocity: dict[str, tuple[float, ...]] = {}
    at = along = 0
    for j in joints:
        known = parts.base_or_joint(j, bases)
        if known is not None and q is not None:
            position[known] = _turned(j, q[at : at + j.positions])
        if known is not None and v is not None and any(v[along : along + j.velocities]):
            velocity[known] = v[along : along + j.velocities]
        at, along = at + j.positions, along + j.velocities
    if (every(e, "act") or None) is not None and any(every(e, "act") or ()):
        e.warning("not-simulated", f"keyframe {name!r}: activations of actuators begin at 0")
    command = {n: x for n, x in zip(controls, u or (), strict=False) if n is not None}
    return Keyframe(name=name, position=position, velocity=velocity, command=command, source=e.source)


def _turned(j: JointPart, q: tuple[float, ...]) -> tuple[float, ...]:
    """A quaternion of zeros is no rotation, as MuJoCo has it."""
    return q if j.scalar or any(q[-4:]) else (*q[:-4], 1.0, 0.0, 0.0, 0.0)
