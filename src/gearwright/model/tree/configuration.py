"""Positions of all joints from those of some: followers are aligned with their leaders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import numbers, position_checked
from gearwright.model.joints import AxisRef
from gearwright.model.loops.coupling_cycles import placing_order

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism


def configuration(m: Mechanism, position: Mapping[str, float | Sequence[float]] | None) -> dict[str, tuple[float, ...]]:
    """Position coordinates of every joint; see `Mechanism.configuration`."""
    if position is not None and not hasattr(position, "items"):
        followers = {c.follower.joint for c in m.couplings.values()}
        moving = [name for name, j in m.joints.items() if len(j.positions) == 1 and name not in followers]
        first = next(iter(moving), "joint")
        raise ModelError(f"positions must be given by joint, as {{{first!r}: 0.1}}, not {position!r:.60}")
    tied = {**m.joints, **m.bases}
    q = {n: list(m.initial.get(n, j.type.zero)) for n, j in tied.items()}
    slots = {c: (n, i) for n, j in tied.items() for i, c in enumerate(j.positions)}
    given: set[tuple[str, int]] = set()
    for name, value in (position or {}).items():
        values = position_checked(repr(name), numbers(repr(name), value))
        if name in slots and values.ndim == 0:
            joint, i = slots[name]
            q[joint][i] = float(values)
            given.add((joint, i))
        elif name in tied:
            values = np.atleast_1d(values)
            if values.shape != (len(q[name]),):
                raise ModelError(f"joint {name!r} takes {len(q[name])} position values {tied[name].positions}")
            q[name] = values.tolist()
            given.update((name, i) for i in range(len(q[name])))
        else:
            raise UnknownNameError("joint", name, slots)
    used: set[AxisRef] = set()  # leaders that others have been placed by: a circle of couplings leaves them there
    known = [AxisRef(*axis) for axis in given]
    for c in placing_order(m.couplings.ordered, known):
        if (c.follower.joint, c.follower.index) not in given and c.follower not in used:
            used |= {t.axis for t in c.leaders}
            q[c.follower.joint][c.follower.index] = c.position([q[t.axis.joint][t.axis.index] for t in c.leaders])
    return {n: tuple(v) for n, v in q.items()}
