"""The prims of a stage by their paths, with their places, and the stage's units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, isfinite

import numpy as np

from gearwright.formats.draft import Draft
from gearwright.formats.usd.places import PrimFrame, framed, local, mirrors
from gearwright.formats.xml.located_xml import Element, parse
from gearwright.model.poses import IDENTITY, Array, Pose, Vector3

RIGID = "PhysicsRigidBodyAPI"
OWN = "gearwright:"
CENTIMETRE = 0.01  # [m] a stage's unit of length, where it gives none
UP = {"Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
STANDARD_GRAVITY = 9.81  # [m/s²] as UsdPhysics has it


@dataclass
class UsdPrim:
    """A prim, with its place on the stage."""

    element: Element
    path: str
    matrix: Array  # to the stage's frame, in the stage's unit of length
    body: UsdPrim | None = None  # the rigid body that it is, or is part of
    name: str = ""  # of the link or joint that it becomes

    @property
    def kind(self) -> str:
        return self.element.tag

    @property
    def schemas(self) -> list[str]:
        return (self.element.get("@apiSchemas") or "").split()

    def has(self, schema: str) -> bool:
        return schema in self.schemas

    def instances(self, schema: str) -> list[str]:
        """The instances of an API that may be applied several times: `PhysicsDriveAPI:angular` → angular."""
        return [s.partition(":")[2] for s in self.schemas if s.startswith(f"{schema}:")]

    def real(self, name: str, default: float) -> float:
        return self.element.number(name, default, infinite=True)

    def truth(self, name: str, default: bool) -> bool:
        text = self.element.get(name)
        return default if text is None else self.element.truth(text, f"attribute {name}", default)

    def numbers(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many finite numbers as the default has; USD's values for "not given" are infinite."""
        text = self.element.get(name)
        if text is None or "inf" in text:
            return default
        found = self.element.numbers(text, f"attribute {name}")
        if found is not None and len(found) != len(default):
            self.element.error("number-invalid", f"attribute {name}: {len(default)} numbers, not {len(found)}")
            found = None
        return default if found is None else tuple(found)

    def own_element(self, name: str) -> Element | None:
        """An element of ours, which an attribute holds as text."""
        text = self.element.get(f"{OWN}{name}")
        return None if text is None else parse(text.encode("utf-8"), self.element.file, self.element.report)

    def target(self, name: str) -> str | None:
        """The path that a relationship leads to."""
        paths = (self.element.get(name) or "").split()
        return paths[0] if paths else None


@dataclass
class UsdStage:
    """All prims that count, in document order."""

    root: Element
    draft: Draft
    prims: dict[str, UsdPrim] = field(default_factory=dict)
    length: float = CENTIMETRE  # [m] of the stage's unit
    mass: float = 1.0  # [kg] of the stage's unit
    up: Vector3 = UP["Y"]
    frames: dict[str, PrimFrame] = field(default_factory=dict)  # of rigid bodies, by path, in metres

    @staticmethod
    def of(root: Element, draft: Draft) -> UsdStage:
        stage = UsdStage(root, draft)
        stage.length = _unit(root, "@metersPerUnit", CENTIMETRE)
        stage.mass = _unit(root, "@kilogramsPerUnit", 1.0)
        stage.up = UP.get((root.get("@upAxis") or "Y").upper(), UP["Y"])
        stage._add(root, "", np.eye(4), None)
        return stage

    def _add(self, parent: Element, path: str, outer: Array, body: UsdPrim | None) -> None:
        """The prims below one, each after those that are around it."""
        todo = [(e, path, outer, body) for e in reversed(parent.every())]
        while todo:
            e, above, around, within = todo.pop()
            if e.get("@abstract") == "true" or e.get("@active") == "false":
                e.consume()
                continue
            matrix, resets = local(e)
            here = f"{above}/{e.get('name') or ''}"
            prim = UsdPrim(e, here, matrix if resets else around @ matrix, within)
            if here in self.prims:
                e.error("name-duplicate", f"there are two prims {here[:200]!r}")
                continue
            self.prims[here] = prim
            if prim.has(RIGID) and prim.truth("physics:rigidBodyEnabled", True):
                prim.body = within = self._placed(prim)
            todo += [(c, here, prim.matrix, within) for c in reversed(e.every())]

    def _placed(self, prim: UsdPrim) -> UsdPrim:
        frame = framed(prim.matrix)
        if frame is None:
            prim.element.error("pose-invalid", f"the rigid body {prim.path!r:.120} is sheared, or has no size")
            frame = PrimFrame(IDENTITY, (1.0, 1.0, 1.0))
        self.frames[prim.path] = PrimFrame(Pose(frame.X.R, self.length * frame.X.p), frame.scale)
        return prim

    @property
    def ours(self) -> bool:
        """Whether Gearwright wrote the file."""
        return any(f"{OWN}version" in e.attributes for e in self.root.children)

    @property
    def bodies(self) -> Iterator[UsdPrim]:
        return (p for p in self.prims.values() if p.body is p)

    def X_WL(self, body: UsdPrim | None) -> Pose:
        return IDENTITY if body is None else self.frames[body.path].X

    def in_link(self, prim: UsdPrim) -> PrimFrame | None:
        """The prim's frame in that of its body, or of the world; None for one that is sheared."""
        frame = framed(prim.matrix, mirrors(prim.element))
        if frame is None:
            return None
        X = self.X_WL(prim.body).inverse() @ Pose(frame.X.R, self.length * frame.X.p)
        return PrimFrame(X, frame.scale)

    @property
    def gravity(self) -> Vector3:
        """Of the first scene; straight down where that does not say."""
        scene = next((p for p in self.prims.values() if p.kind == "PhysicsScene"), None)
        size, direction = STANDARD_GRAVITY, np.array([-x for x in self.up])
        if scene is not None:
            given = np.array(scene.numbers("physics:gravityDirection", (0.0, 0.0, 0.0)))
            direction = given / np.linalg.norm(given) if given.any() else direction
            found = scene.real("physics:gravityMagnitude", -inf)
            size = found * self.length if isfinite(found) and found >= 0 else size
        x, y, z = (float(size * d) + 0.0 for d in direction)
        return (x, y, z)


def _unit(root: Element, name: str, default: float) -> float:
    found = root.number(name, default)
    if found <= 0:
        root.error("number-invalid", f"{name[1:]} must be above 0, not {found:g}")
        return default
    return found
