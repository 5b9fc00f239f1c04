"""Supplies that several servos share: their voltage follows from what all of them draw."""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from gearwright.dynamics.actuation.actuator_unit import ActuatorUnit
from gearwright.dynamics.algebra.scalar import Scalar, expression
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model.actuators.position_servo import PositionServo
from gearwright.model.actuators.supply import Supply
from gearwright.model.transmissions import with_parameters
from gearwright.tracing import trace

READ = ("duty", "current", "enabled")  # states of a servo that say what it draws


def with_supplies(units: Sequence[ActuatorUnit], tree: TreeState, memory: list[Scalar]) -> list[Scalar]:
    """The actuators' numbers after a step, with the voltages that the next one has."""
    sharing: dict[str, list[ActuatorUnit]] = {}
    for unit in units:
        if isinstance(unit.actuator, PositionServo) and unit.actuator.supply is not None:
            sharing.setdefault(unit.actuator.supply.name, []).append(unit)
    for group in sharing.values():
        volts = _voltage(group, tree, memory)
        for unit in group:
            memory[_place(unit, "supply")] = volts
    return memory


def _place(unit: ActuatorUnit, state: str) -> int:
    return unit.states[unit.actuator.states.index(state)]


def _shared(group: Sequence[ActuatorUnit]) -> Supply:
    """The supply of all of them."""
    servo = group[0].actuator
    assert isinstance(servo, PositionServo) and servo.supply is not None
    return servo.supply


def _voltage(group: Sequence[ActuatorUnit], tree: TreeState, memory: Sequence[Scalar]) -> Scalar:
    given: list[Scalar] = []
    for unit in group:
        given += [*(memory[_place(unit, name)] for name in READ), unit.gear.seen(tree, memory[unit.command]).speed]
    numbers = [x for unit in group for x in unit.parameters.values()]
    supply, own = _shared(group), group[0].supply

    def voltage(given, numbers, own_numbers):  # type: ignore[no-untyped-def]  # traced
        loads, first = [], 0
        for i, unit in enumerate(group):
            duty, current, enabled, speed = (given[4 * i + k] for k in range(4))
            servo = unit.with_numbers([numbers[first + k] for k in range(len(unit.parameters))])
            assert isinstance(servo, PositionServo)
            loads.append(servo.drawn(duty, current, speed, enabled))
            first += len(unit.parameters)
        return with_parameters(supply, dict(zip(own, own_numbers, strict=True))).voltage_under(loads)

    function = trace(voltage, [len(given), len(numbers), len(own)], name=f"supply {supply.name}", returns=[1])
    return expression(function(casadi.vertcat(*given), casadi.vertcat(*numbers), casadi.vertcat(*own.values())))
