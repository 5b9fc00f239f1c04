"""Names in MJCF: one for each joint of MuJoCo's, and for each geom of the whole model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from gearwright.errors import ModelError
from gearwright.model import AxisRef, Geometry, Joint, Link, Mechanism
from gearwright.writing.report import LossLog


def is_twin(drawn: Geometry, touched: Geometry) -> bool:
    """Whether a visual and a collision are one thing, as a geom of MuJoCo is."""
    same = (drawn.name, drawn.shape, drawn.rgba) == (touched.name, touched.shape, touched.rgba)
    return same and bool((drawn.pose.matrix == touched.pose.matrix).all())


def only_drawn(link: Link) -> list[Geometry]:
    """Visuals that no collision is a twin of."""
    touched = {g.name: g for g in link.collisions}
    return [g for g in link.visuals if g.name not in touched or not is_twin(g, touched[g.name])]


@dataclass
class MjcfNames:
    robot: Mechanism
    losses: LossLog
    taken: dict[str, set[str]] = field(default_factory=dict)  # by kind of element
    counts: Counter[str] = field(default_factory=Counter)  # of the names of shapes

    def __post_init__(self) -> None:
        for link in self.robot.links.values():
            self.counts.update(g.name for g in (*only_drawn(link), *link.collisions))

    def axis(self, ref: AxisRef) -> str:
        """MuJoCo's joint of an axis: `joint`, or `joint.axis2`."""
        return self.robot.joint(ref.joint).axis_coordinates[ref.index]

    def drawn_at(self, j: Joint) -> tuple[float, ...]:
        """Positions at which the bodies are written: where it starts, which `ref` says of a joint with one axis."""
        one = len(j.axes) == 1 and j.dof == 1 and not j.type.travels
        return tuple(self.robot.initial.get(j.name, j.type.zero)) if one else j.type.zero

    def reference(self, ref: AxisRef) -> float:
        """`ref` of MuJoCo's joint of an axis."""
        j = self.robot.joint(ref.joint)
        return float(self.drawn_at(j)[0]) if len(j.axes) == 1 and j.dof == 1 else 0.0

    def joints(self, j: Joint) -> tuple[str, ...]:
        """MuJoCo's joints of a joint, parent side first."""
        return j.coordinates

    def geom(self, link: str, g: Geometry) -> str:
        """The shape's own name, if no other shape of the robot has it; else with its link's."""
        if self.counts[g.name] > 1:
            self.losses.note(
                "shapes of several links share a name, which MJCF does not allow: "
                "their names begin with the link's name"
            )
            return self.free("geom", f"{link}.{g.name}")
        return self.free("geom", g.name)

    def free(self, kind: str, name: str) -> str:
        """A name that no other element of its kind has."""
        taken = self.taken.setdefault(kind, set())
        new, n = name, 2
        while new in taken:
            new, n = f"{name}_{n}", n + 1
        taken.add(new)
        return new

    def checked(self, kind: str, name: str) -> str:
        """MuJoCo takes any text but an empty one as a name."""
        if not name:
            raise ModelError(f"a {kind} without a name cannot be written as MJCF")
        return name
