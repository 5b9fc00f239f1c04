"""Play in a transmission: the rotor turns freely in a gap, and meets an elastic contact at either side of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gearwright.dynamics.actuation.gears import Gear, transmission_gears
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.constraints.axis_laws import elastic_stops, stop_energy
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import Instant, OneRow
from gearwright.dynamics.solve.terms import Term
from gearwright.model import Backlash, Limits, Mechanism
from gearwright.model.layout.layout import AxisIndices


@dataclass(frozen=True)
class BacklashRow(OneRow):
    """`C = a − f(q)`, the rotor's lead over the joints, held within ±gap/2 by a spring at either side."""

    name: str
    backlash: Backlash
    gear: Gear  # f: what the rotor would follow without play
    rotor: AxisIndices

    @property
    def gap(self) -> Limits:
        """Contacts at either side are stops of the lead."""
        half, b = self.backlash.gap / 2, self.backlash
        return Limits(lower=-half, upper=half, stiffness=b.stiffness, dissipation=b.damping)

    def act(self, now: Moment) -> list[Term]:
        i, k = self.rotor
        seen = self.gear.seen(now.tree, 0.0)
        J = {n: -x for n, x in seen.A.items()}
        J[k] = J.get(k, 0.0) + 1.0
        return [elastic_stops(now, J, now.tree.q[i] - seen.position, self.gap)]

    def stored(self, now: Instant) -> Scalar:
        lead = now.tree.q[self.rotor[0]] - self.gear.seen(now.tree, 0.0).position
        return stop_energy(lead, self.gap)


def backlash_rows(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Iterator[BacklashRow]:
    layout = mechanism.layout
    for t in mechanism.transmissions.values():
        if t.backlash is None or t not in mechanism.acting.values():
            continue
        for name, gear in zip(t.actuators, transmission_gears(mechanism, t, values), strict=True):
            if name in layout.rotors:
                rotor = layout.rotors[name]
                yield BacklashRow(rotor.joint, t.backlash, gear, layout.axes[rotor])
