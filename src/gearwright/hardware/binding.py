"""Which actuator speaks which protocol, under which id: from the file, from options, from a YAML file beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil

from gearwright.errors import ModelError, UnknownNameError
from gearwright.hardware import shafts
from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols import Protocol, protocol
from gearwright.hardware.ros2_bindings import of_ros2_control
from gearwright.hardware.shafts import DIRECT, DriveGear, ShaftLoad
from gearwright.model import Mechanism
from gearwright.model.actuators import PositionServo
from gearwright.model.hardware.device_bindings import DeviceBinding

SIDES = ("joint", "actuator")
MOST_SERVOS = 1000  # side by side on a shaft
FITTED_INTEGRAL = ("integral", "2.5")  # [1/s] of the P gain: a droop of 5° is 0.003° after three seconds


@dataclass(frozen=True, kw_only=True)
class Bound:
    """One actuator on a bus."""

    actuator: str
    protocol: Protocol
    node: int
    motor: Motor  # numbers of the product
    options: tuple[tuple[str, str], ...] = ()
    gear: DriveGear = DIRECT  # from the actuator's shaft to the one at which the drive counts
    named: bool = False  # whether somebody, or the file, chose the product, or how many share a shaft

    @property
    def servos(self) -> int:
        """How many of them share the shaft, side by side."""
        return self.gear.servos

    def for_load(self, load: ShaftLoad) -> Bound:
        """A copy with an I gain against droop, and as many servos side by side as the load of the shaft needs.

        One of a product that somebody chose, or of a motor without a winding, which follows the file.
        """
        if self.named or not self.motor.resistance:
            return self
        needed = load.at(self.gear).torque_of_servos / self.motor.rated_torque
        gear = self.gear._replace(servos=max(1, min(MOST_SERVOS, ceil(needed))))
        options = (FITTED_INTEGRAL, *self.options) if self.protocol.integral else self.options
        return replace(self, gear=gear, options=options)


def bind(
    robot: Mechanism, name: str | None = None, *, nodes: Mapping[str, int] | None = None, model: str | None = None,
    options: Mapping[str, str] | None = None, written: Mapping[str, DeviceBinding] | None = None,
) -> list[Bound]:  # fmt: skip
    """The actuators on a bus, in the robot's order.

    A protocol that is named here counts for every actuator; else those whose file, or `written`, has one are bound.
    Nodes that nobody gives follow the numbers at the end of the joints' or actuators' names where these are distinct,
    else they count up from the protocol's first, past those that are taken.
    """
    chosen = _chosen(robot, name, model, {**_of_file(robot), **(written or {})})
    if nodes:
        for actuator in nodes:
            if actuator not in chosen:
                raise UnknownNameError("actuator on the bus", actuator, chosen)
    given = {a: (nodes or {}).get(a, b.node) for a, b in chosen.items()}
    implied = _ids(robot, chosen, given)
    given = {a: implied.get(a) if node is None else node for a, node in given.items()}
    bound: list[Bound] = []
    taken: dict[tuple[str, int], str] = {}
    for actuator, b in chosen.items():
        p = protocol(b.protocol)
        used = {n for a, n in given.items() if n is not None} | {n for _, n in taken}
        node = given[actuator]
        if node is None:
            node = next((n for n in p.nodes if n >= p.first and n not in used), None)
        if node is None or node not in p.nodes:
            ids = f"{p.nodes[0]} … {p.nodes[-1]}"
            raise ModelError(f"{_where(b)}actuator {actuator!r}: {p.name} has node ids {ids}, not {node}")
        bus = p.name if p.bus == "serial" else p.bus  # each serial protocol has a line of its own
        if (bus, node) in taken:
            other = taken[bus, node]
            raise ModelError(f"{_where(b)}actuators {other!r} and {actuator!r} have the same node id {node}")
        taken[bus, node] = actuator
        merged = dict(b.options) | ({"model": b.model} if b.model else {}) | dict(options or {})
        bound.append(
            Bound(
                actuator=actuator, protocol=p, node=node, motor=p.motor(b.model), options=tuple(merged.items()),
                gear=_gear(robot, actuator, p, merged, _where(b)),
                named=b.model is not None or "servos" in merged or isinstance(robot.actuators[actuator], PositionServo),
            )
        )  # fmt: skip
    return bound


def _gear(robot: Mechanism, actuator: str, p: Protocol, options: Mapping[str, str], where: str) -> DriveGear:
    """A geared product is the motor and the gear of a simple transmission: it counts on the joint's side."""
    side, servos = options.get("side", "joint" if p.geared else "actuator"), options.get("servos", "1")
    where = f"{where}actuator {actuator!r}"
    if side not in SIDES:
        raise ModelError(f"{where}: side must be joint or actuator, not {side!r:.60}")
    if not (servos.isdecimal() and len(servos) < 5 and 1 <= int(servos) <= MOST_SERVOS):
        raise ModelError(f"{where}: servos must be a number from 1 to {MOST_SERVOS}, not {servos!r:.60}")
    gear = (shafts.simple_gear(robot, actuator) if side == "joint" else None) or DIRECT
    return gear.centred(shafts.travel(robot, actuator), p.turn)._replace(servos=int(servos))


def _ids(robot: Mechanism, chosen: Mapping[str, DeviceBinding], given: Mapping[str, int | None]) -> dict[str, int]:
    """Ids that names imply: numbers at the end of the joints' names, or of the actuators', if no two are the same."""
    open_ = [actuator for actuator, node in given.items() if node is None]
    taken = {node for node in given.values() if node is not None}
    turned = {a: next(iter(shafts.ratios(robot, a)), "") for a in open_}
    for names in (turned, {a: a for a in open_}):
        found = {a: int(m[0]) for a, name in names.items() if (m := re.search(r"\d{1,6}$", name)) is not None}
        if len(found) == len(open_) == len({*found.values()}) and len(open_) > 1:
            if min(found.values()) == 0:  # joint0, joint1 …: ids begin at 1
                found = {a: n + 1 for a, n in found.items()}
            fits = all(n in protocol(chosen[a].protocol).nodes and n not in taken for a, n in found.items())
            return found if fits else {}
    return {}


def _of_file(robot: Mechanism) -> dict[str, DeviceBinding]:
    own = {name: a.device for name, a in robot.actuators.items() if a.device is not None}
    return of_ros2_control(robot) | own


def _chosen(
    robot: Mechanism, name: str | None, model: str | None, written: Mapping[str, DeviceBinding]
) -> dict[str, DeviceBinding]:
    for actuator in written:
        if actuator not in robot.actuators:
            raise UnknownNameError("actuator", actuator, robot.actuators)
    if name is not None:
        protocol(name)  # an unknown one raises
        same = {a: b for a, b in written.items() if b.protocol == name}
        default = DeviceBinding(protocol=name, model=model)
        chosen = {a: same.get(a, default) for a in robot.actuators}
    else:
        chosen = {a: written[a] for a in robot.actuators if a in written}
    if not chosen:
        raise ModelError(
            f"no actuator of {robot.name!r} is on a bus: name a protocol, e.g. --protocol cia402, or write "
            '<device protocol="cia402" node="1"/> in its <actuator>'
        )
    return chosen


def _where(b: DeviceBinding) -> str:
    return f"{b.source}: " if b.source is not None else ""
