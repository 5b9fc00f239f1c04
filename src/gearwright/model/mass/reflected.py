"""Inertia of rotors as the joints see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.model.joints import AxisRef
from gearwright.model.layout.layout import rotor_axis, turns_body
from gearwright.model.transmissions import LinearTransmission

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism


def reflected_inertia(m: Mechanism) -> dict[AxisRef, float]:
    """See `Mechanism.reflected_inertia`."""
    inertia = {a.name: a.rotor_inertia for a in m.actuators.values() if not turns_body(a)}
    if not any(inertia.values()):
        return {}
    seen: dict[AxisRef, float] = {}
    for a in m.actuators.values():
        on_rotor = a.joint == rotor_axis(a.name)  # which leads the joints of its transmission
        if a.joint is not None and inertia.get(a.name) and (on_rotor or a.name not in m.acting):
            seen[a.joint] = seen.get(a.joint, 0.0) + a.rotor_inertia
    for t in m.transmissions.values():
        if not isinstance(t.map, LinearTransmission):
            continue
        B = t.map.actuator_per_joint
        mine = [m.acting.get(name) is t for name in t.actuators]
        rotors = np.array([inertia.get(n, 0.0) * own for n, own in zip(t.actuators, mine, strict=True)])
        turning = rotors > 0
        with np.errstate(over="ignore"):  # an infinite one is reported by the checks
            added = rotors[turning] @ B[turning] ** 2
        for ref, more in zip(t.joints, added, strict=True):
            if more:
                seen[ref] = seen.get(ref, 0.0) + float(more)
    return seen
