"""Between a rotor and its gear: play, with an elastic contact at either side, or a gear that twists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gearwright.dynamics.actuation.gears import Gear, transmission_gears
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.axis_laws import ElasticRange, elastic_stops, stop_energy
from gearwright.dynamics.constraints.friction import FrictionAxis, Seen
from gearwright.dynamics.constraints.friction_rows import friction_rows
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import ConstraintGroup, Instant, OneRow
from gearwright.dynamics.parameters import losses_key
from gearwright.dynamics.solve.terms import Term
from gearwright.model import Mechanism
from gearwright.model.layout.friction_states import hysteresis_key
from gearwright.model.layout.layout import AxisIndices
from gearwright.model.transmissions.elastic import ElasticGear


@dataclass(frozen=True)
class BacklashRow(OneRow):
    """`C = a − f(q)`, the rotor's lead over the joints, held within ±gap/2 by a spring at either side."""

    name: str
    play: Scalar  # the gap
    stiffness: Scalar
    damping: Scalar
    gear: Gear  # f: what the rotor would follow without play
    rotor: AxisIndices

    @property
    def gap(self) -> ElasticRange:
        """Contacts at either side are stops of the lead."""
        half = 0.5 * self.play
        return ElasticRange(-half, half, self.stiffness, self.damping)

    def act(self, now: Moment) -> list[Term]:
        lead, J = lead_of(self.gear, self.rotor)(now)
        return [elastic_stops(now, J, lead, self.gap)]

    def stored(self, now: Instant) -> Scalar:
        return stop_energy(lead_of(self.gear, self.rotor)(now)[0], self.gap)


def twist_rows(
    gear: ElasticGear, name: str, key: str, values: Mapping[str, Scalar], lead: Seen, states: tuple[int, ...]
) -> Iterator[ConstraintGroup]:
    """The elastic element, and the hysteresis of its twist."""
    models = (("elasticity", gear.elasticity, ()), ("hysteresis", gear.hysteresis, states))
    for group, model, own in models:
        found = FrictionAxis.of(key, model, values, lead, own, group)
        if found is not None:
            yield from friction_rows(replace(found, name=f"{name}.{group}"))


def lead_of(gear: Gear, rotor: AxisIndices) -> Seen:
    """By how much a rotor is ahead of what it would follow: `a − f(q)`."""
    i, k = rotor

    def seen(now: Instant | Moment) -> tuple[Scalar, Sparse]:
        ahead = gear.seen(now.tree, 0.0)
        J = {n: -x for n, x in ahead.A.items()}
        J[k] = J.get(k, 0.0) + 1.0
        return now.tree.q[i] - ahead.position, J

    return seen


def backlash_rows(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Iterator[ConstraintGroup]:
    layout = mechanism.layout
    for t in mechanism.transmissions.values():
        if t.backlash is None or t not in mechanism.acting.values():
            continue
        for name, gear in zip(t.actuators, transmission_gears(mechanism, t, values), strict=True):
            if name not in layout.rotors:
                continue
            rotor = layout.rotors[name]
            if isinstance(t.backlash, ElasticGear):
                lead = lead_of(gear, layout.axes[rotor])
                states = layout.states_of(hysteresis_key(mechanism, t.name, name))
                yield from twist_rows(t.backlash, rotor.joint, losses_key(mechanism, t), values, lead, states)
            else:
                key = f"{losses_key(mechanism, t)}.backlash"
                play, k, d = (values[f"{key}.{n}"] for n in ("gap", "stiffness", "damping"))
                yield BacklashRow(rotor.joint, play, k, d, gear, layout.axes[rotor])
