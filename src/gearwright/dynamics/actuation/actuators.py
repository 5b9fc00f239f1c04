"""Actuators in the equations: each is an inertia, a damper and an effort on its own axis, `v_a = A·v`.

Its effort is a function of the speed at the end of the step, τ(ω⁺). A straight line goes into the step's matrix. Any
other is a curve that is solved with all other terms, by Newton's method from the steep line of a drive's gains: at the
end the effort is τ(ω⁺) itself, at any steepness and step. `shaft_rows` has both, one row per actuator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization, ActuatorUnit
from gearwright.dynamics.actuation.gears import ActuatorAxis, EffortBounds, Gear, bounds, gears, ratios
from gearwright.dynamics.algebra.scalar import Scalar, is_zero
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.axis_laws import ShaftFriction
from gearwright.dynamics.constraints.friction import FrictionAxis
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import Instant
from gearwright.dynamics.parameters import actuator_numbers, device_key, losses_key, map_unknowns, supply_key
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.errors import CompileError
from gearwright.model import Actuator, AxisRef, LinearTransmission, Losses, Mechanism, Transmission
from gearwright.model.actuators.position_servo import PositionServo
from gearwright.model.layout.friction_states import transmission_key
from gearwright.model.layout.layout import rotor_name, turns_body
from gearwright.model.transmissions import parameters


@dataclass(frozen=True)
class Actuation:
    """All actuators that are connected, in the order of the mechanism."""

    driven: list[ActuatorUnit] = field(default_factory=list)
    bounds: list[EffortBounds] = field(default_factory=list)

    def acting(
        self, tree: TreeState, command: Sequence[Scalar], memory: Sequence[Scalar], dt: Scalar
    ) -> list[ActuatorLinearization]:
        return [d.acting(tree, command, memory, dt) for d in self.driven]

    def having(self, tree: TreeState, memory: Sequence[Scalar]) -> list[ActuatorLinearization]:
        """As they are after a step, with the efforts that they had in it."""
        return [
            ActuatorLinearization(d.gear.seen(tree, m), m, 0.0)
            for d, m in ((d, memory[d.command]) for d in self.driven)
        ]

    def seen(self, tree: TreeState) -> dict[str, ActuatorAxis]:
        """Every actuator's axis."""
        return {d.name: d.gear.seen(tree, 0.0) for d in self.driven}

    @property
    def friction(self) -> dict[int, list[ShaftFriction]]:
        """Dry friction of axes that turn with one coordinate at a constant ratio: friction along that one."""
        found: dict[int, list[ShaftFriction]] = {}
        for d in self.driven:
            if d.friction_coordinate is not None:
                k, ratio = d.friction_coordinate
                found.setdefault(k, []).append(ShaftFriction(ratio, d.friction, d.dry))
        return found

    @property
    def means(self) -> list[int]:
        """Places of what actuators store as means over a step: efforts, and states of some kinds."""
        return [i for d in self.driven for i in (d.command, *d.mean_states)]

    def dampers(self, now: Moment) -> list[tuple[Sparse, Scalar]]:
        """Those on the actuators' axes, along the tree's velocities."""
        return [(d.gear.seen(now.tree, now.memory[d.command]).A, d.damping) for d in self.driven]

    def additions(self, tree: TreeState, acting: Sequence[ActuatorLinearization]) -> dict[int, Scalar]:
        """Efforts along the tree's velocities that maps add to `Aᵀ·τ`, at the efforts of the step's start."""
        found: dict[int, Scalar] = {}
        for d, now in zip(self.driven, acting, strict=True):
            _add(found, d.gear.extra(tree, now.seen, now.effort))
        by_name = {d.name: now.effort for d, now in zip(self.driven, acting, strict=True)}
        for b in self.bounds:
            _add(found, b.extra(by_name))
        return found

    def efforts(self, tree: TreeState, acting: Sequence[ActuatorLinearization]) -> dict[int, Scalar]:
        """Efforts along the tree's velocities: `Aᵀ·(τ − d·ω)`, and what maps add."""
        found: dict[int, Scalar] = {}
        for d, now in zip(self.driven, acting, strict=True):
            net = now.effort - d.damping * now.seen.speed
            _add(found, {k: x * net for k, x in now.seen.A.items()})
            _add(found, d.gear.extra(tree, now.seen, now.effort))
        by_name = {d.name: now.effort for d, now in zip(self.driven, acting, strict=True)}
        for b in self.bounds:
            _add(found, b.extra(by_name))
        return found


def _add(efforts: dict[int, Scalar], more: Mapping[int, Scalar]) -> None:
    for k, x in more.items():
        efforts[k] = efforts.get(k, 0.0) + x


def actuation(mechanism: Mechanism, values: Mapping[str, Scalar], *, averaged: bool = False) -> Actuation:
    """From the model; what is not connected to any joint does nothing. `averaged`: efforts are means of a step."""
    connected = gears(mechanism, values)
    driven: list[ActuatorUnit] = []
    for index, (name, a) in enumerate(mechanism.actuators.items()):
        if name not in connected:
            continue
        key = device_key(mechanism, name)
        numbers = {n: values[f"{key}.{n}"] for n in actuator_numbers(a)}
        t = mechanism.acting.get(name)
        losses = Losses() if t is None else t.losses
        lost = _losses(mechanism, t, values)
        within = _joint_limit(mechanism, a, values)
        limited = numbers if within is None else numbers | {"effort_limit": within}
        own = {n: x for n, x in limited.items() if not isinstance(x, float)}
        inertia, body = numbers["rotor_inertia"], turns_body(a)
        gear = connected[name]
        driven.append(
            ActuatorUnit(
                actuator=_limited(mechanism, a),
                gear=gear,
                inertia=0.0 if body else inertia,
                damping=numbers["damping"] + lost["damping"],
                friction=numbers["friction"] + lost["friction"],
                losses=losses,
                efficiency_inputs=_efficiency_inputs(mechanism, t, values),
                command=index,
                states=tuple(mechanism.layout.actuator[name][state] for state in a.states),
                parameters=own,
                body=inertia if body else 0.0,
                averaged=averaged,
                supply=_supply(a, values),
                frictions=tuple(_frictions(mechanism, a, t, gear, values)),
            )
        )
    return Actuation(driven, _flat(driven, bounds(mechanism, values)))


def _losses(mechanism: Mechanism, t: Transmission | None, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Numbers of the losses of a transmission; its map may have some of the same name."""
    if t is None or t.map is None:
        return {"damping": 0.0, "friction": 0.0}
    key, own = losses_key(mechanism, t), parameters(t.losses)
    return {n: x if n in parameters(t.map) else values.get(f"{key}.{n}", x) for n, x in own.items()}


def _efficiency_inputs(
    mechanism: Mechanism, t: Transmission | None, values: Mapping[str, Scalar]
) -> dict[str, Scalar]:  # fmt: skip
    """Inputs that the efficiency of a transmission depends on."""
    if t is None:
        return {}
    if t.losses.own is not None:
        return map_unknowns(mechanism, t, values)
    efficiency = _losses(mechanism, t, values).get("efficiency", 1.0)
    return {} if isinstance(efficiency, float) else {"efficiency": efficiency}


def _supply(a: Actuator, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Numbers of the supply that it shares; none, where it shares none."""
    if not isinstance(a, PositionServo) or a.supply is None:
        return {}
    key = supply_key(a.supply)
    return {name: values[f"{key}.{name}"] for name in ("voltage", "resistance")}


def _frictions(
    mechanism: Mechanism, a: Actuator, t: Transmission | None, gear: Gear, values: Mapping[str, Scalar]
) -> Iterator[FrictionAxis]:
    """Models of an actuator and of the transmission that it acts through."""

    def seen(now: Instant | Moment) -> tuple[Scalar, Sparse]:
        axis = gear.seen(now.tree, 0.0)
        return axis.position, axis.A

    key = device_key(mechanism, a.name)
    own = [(key, a.friction_model, key)]
    if t is not None:
        owner = transmission_key(mechanism, t.name, a.name)
        own.append((losses_key(mechanism, t), t.losses.friction_model, owner))
    for key, model, owner in own:
        found = FrictionAxis.of(key, model, values, seen, mechanism.layout.states_of(owner))
        if found is not None:
            yield found


def _flat(driven: Sequence[ActuatorUnit], found: list[EffortBounds]) -> list[EffortBounds]:
    """Bounds clip efforts that do not depend on the speed: what they clip is known at the step's start."""
    sloping = {d.name for d in driven if d.depends_on_motion}
    for b in found:
        if (b.map.lower or b.map.upper) and sloping & set(b.actuators):
            name = sorted(sloping & set(b.actuators))[0]
            raise CompileError(
                f"actuator {name!r}: a linear_map with bounds takes efforts that do not depend on the speed; "
                "give it an effort command without a curve, or leave the bounds out"
            )
    return found


def _limited(mechanism: Mechanism, a: Actuator) -> Actuator:
    """The actuator with the limit that it has in the file."""
    limit = _joint_limit(mechanism, a)
    return a if limit is None else replace(a, effort_limit=float(limit))


def _joint_limit(mechanism: Mechanism, a: Actuator, values: Mapping[str, Scalar] | None = None) -> Scalar | None:
    """An actuator without an effort limit of its own has that of the one joint it drives at a constant ratio.

    Files that say 0 there mean none. With values, the ratio may be a parameter; else it is the file's.
    """
    t = mechanism.acting.get(a.name)
    if a.effort_limit < inf or (t is not None and not isinstance(t.map, LinearTransmission)):
        return None
    row: list[Scalar] = [1.0]
    joints: tuple[AxisRef | None, ...] = (a.joint,)
    if t is None and (own := mechanism.couplings.get(rotor_name(a.name))) is not None:
        joints = (own.leader,)  # of a rotor that is a body, on the joint itself
    if t is not None:
        changed = {} if values is None else map_unknowns(mechanism, t, values)
        row, joints = ratios(t, changed)[t.actuators.index(a.name)], t.joints
    turned = [(ref, r) for ref, r in zip(joints, row, strict=True) if not is_zero(r)]
    (ref, ratio) = turned[0] if len(turned) == 1 else (None, 1.0)
    if ref is None:
        return None
    limit = mechanism.joint(ref.joint).axes[ref.index].limits.effort
    return limit / abs(ratio) if 0.0 < limit < inf else None
