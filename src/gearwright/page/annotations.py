"""Joint axes, couplings and transmissions, drawn over the robot with their names and formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.display.maps import formulas
from gearwright.display.visible import visible
from gearwright.model import Mechanism
from gearwright.model.joints import WORLD, Joint
from gearwright.page.labels import Label, SceneLabels

AXIS, COUPLING, TRANSMISSION = (222, 160, 30), (150, 90, 200), (30, 140, 110)
LENGTH = 0.16  # of an axis to either side, of the robot's size
FEW = 8  # joints; axes and arcs of more are shorter, by the square root of how many more
STEM = 0.22  # height of an arc, of the robot's size
SEGMENTS = 16  # of an arc
MOST = 200  # of each kind: more cannot be read
LONGEST = 90  # characters of a formula


class Bond(NamedTuple):
    """Joints that belong together, and how."""

    joints: Sequence[str]  # the first is where the formula stands if there is no other
    text: str
    colour: tuple[int, int, int]


class Annotations:
    """Each kind is drawn when it is first shown; `move` keeps the lines between joints where the joints are."""

    def __init__(self, server: Any, labels: SceneLabels, robot: Mechanism, size: float) -> None:
        self._scene, self._labels, self._robot = server.scene, labels, robot
        self._joints = {j.name: j for j in (*robot.tree.joints, *robot.tree.cuts)}
        self._size = size * min(1.0, FEW / max(1, sum(1 for j in self._joints.values() if j.axes))) ** 0.5
        self._axes: list[Any] = []
        self._bonds: dict[str, list[tuple[Bond, Any, Any]]] = {}  # kind → with line and label
        self._shown: set[str] = set()
        self._poses: Mapping[str, Any] = {}
        self.couplings = list(_couplings(robot))[:MOST]
        self.transmissions = list(_transmissions(robot))[:MOST]

    # --- axes ------------------------------------------------------------------------------------------------------

    def show_axes(self, shown: bool) -> None:
        if shown and not self._axes:
            for joint in [j for j in self._joints.values() if j.axes][:MOST]:
                self._axes += self._draw_axes(joint)
        for node in self._axes:
            node.visible = shown
        self._labels.arrange()

    def _draw_axes(self, joint: Joint) -> Iterator[Any]:
        """Fixed to the parent's frame, about which the child turns."""
        from gearwright.page.scene import frame_of

        length, X = LENGTH * self._size, joint.X_PJ
        origin = np.asarray(X.p, float)
        path = "/axes" if joint.parent == WORLD else f"{frame_of(joint.parent)}/axes"
        path += " " + joint.name.replace("%", "%25").replace("/", "%2F")
        for k, axis in enumerate(joint.axes):
            along = length * (np.asarray(X.R, float) @ np.asarray(axis.xyz, float))
            ends = np.array([[origin - along, origin + along]])
            yield self._scene.add_arrows(
                f"{path}/{k}", ends, AXIS, shaft_radius=0.02 * length, head_radius=0.06 * length,
                head_length=0.2 * length,
            )  # fmt: skip
        link = None if joint.parent == WORLD else joint.parent
        yield self._labels.add(Label(f"{path}/name", visible(joint.name), ends[0, 1], link))

    # --- couplings and transmissions -------------------------------------------------------------------------------

    def show(self, kind: str, shown: bool) -> None:
        """kind: `couplings` or `transmissions`."""
        if shown and kind not in self._bonds:
            own: list[Bond] = getattr(self, kind)
            self._bonds[kind] = [self._draw(f"/{kind}/{k}", bond) for k, bond in enumerate(own)]
        (self._shown.add if shown else self._shown.discard)(kind)
        for _, line, label in self._bonds.get(kind, ()):
            label.visible = line.visible = shown
        self.move(self._poses)

    def _draw(self, path: str, bond: Bond) -> tuple[Bond, Any, Any]:
        points, _ = self._arcs(bond)
        line = self._scene.add_line_segments(path, points, bond.colour, thickness=3.0, thickness_units="screen")
        return bond, line, self._labels.add(Label(f"{path}/text", bond.text, points[0, 0], centred=True))

    def move(self, poses: Mapping[str, Any]) -> None:
        self._poses = poses
        for kind in self._shown:
            for bond, line, label in self._bonds.get(kind, ()):
                line.points, label.position = self._arcs(bond)
        self._labels.move(poses)

    def _arcs(self, bond: Bond) -> tuple[Any, Any]:
        """Lines from the first joint to each other one, over what is between them, and the top of the first; a stem
        where there is no other."""
        first, *others = (self._origin(name) for name in bond.joints)
        if not others:
            top = first + np.array([0.0, 0.0, STEM * self._size])
            return np.array([[first, top]]), top
        arcs = [self._arc(first, other) for other in others]
        return np.concatenate([np.stack([x[:-1], x[1:]], axis=1) for x in arcs]), arcs[0][SEGMENTS // 2]

    def _arc(self, start: Any, end: Any) -> Any:
        """(SEGMENTS + 1, 3), a parabola upwards."""
        s = np.linspace(0.0, 1.0, SEGMENTS + 1)[:, None]
        height = STEM * self._size + 0.25 * float(np.linalg.norm(end - start))
        return (1 - s) * start + s * end + 4 * s * (1 - s) * np.array([0.0, 0.0, height])

    def _origin(self, name: str) -> Any:
        """The joint's frame on its child's side, which moves with what it moves."""
        joint = self._joints[name]
        origin = np.asarray(joint.X_CJ.p, float)
        if joint.child not in self._poses:
            return origin
        X = np.asarray(self._poses[joint.child])
        return X[:3, :3] @ origin + X[:3, 3]


def _couplings(robot: Mechanism) -> Iterator[Bond]:
    for coupling in robot.couplings.values():
        names = [coupling.follower.joint, *(t.axis.joint for t in coupling.leaders)]
        yield Bond(tuple(dict.fromkeys(names)), _short(coupling.formula), COUPLING)


def _transmissions(robot: Mechanism) -> Iterator[Bond]:
    for transmission in robot.transmissions.values():
        names = tuple(dict.fromkeys(j.joint for j in transmission.joints if j.joint in robot.joints))
        if names:
            text = ", ".join(formulas(transmission))
            yield Bond(names, _short(text), TRANSMISSION)


def _short(text: str) -> str:
    text = visible(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
