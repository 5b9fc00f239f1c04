"""Which joints something names: their coordinates have to be there, so that loops are better cut elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gearwright.model.joints import AxisRef, Joint
from gearwright.model.tree.topology import span

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism


def named_axes(m: Mechanism) -> Iterator[AxisRef]:
    """The axes that couplings tie, actuators drive and sensors read."""
    for c in m.couplings.values():
        yield c.follower
        yield from (t.axis for t in c.leaders)
    for a in m.actuators.values():
        if a.joint is not None:
            yield a.joint
    for t in m.transmissions.values():
        if t.map is not None:
            yield from t.joints
    for s in m.sensors.values():
        if s.joint is not None:
            yield s.joint
        if s.transmission is not None and s.transmission in m.transmissions:
            yield from m.transmissions[s.transmission].joints


def named_joints(m: Mechanism) -> frozenset[str]:
    return frozenset(axis.joint for axis in named_axes(m))


def spanned(m: Mechanism) -> tuple[list[Joint], list[Joint]]:
    """The joints of the mechanism's tree, and those that close its loops."""
    return span({**m.joints, **m.bases}, m.cut, named_joints(m))
