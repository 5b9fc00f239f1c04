"""What the owner of a simulated robot should know of its drives before a client connects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, tau

from gearwright.errors import counted
from gearwright.hardware import shafts
from gearwright.hardware.binding import FITTED_INTEGRAL, Bound
from gearwright.hardware.drive import NEAR, MotorDrive
from gearwright.model import Mechanism

MOST_NAMES = 4
ROUNDING = 1e-9  # [rad]
FEW_COUNTS = 100  # of a joint's whole travel: a step is a percent of it


def notes(
    robot: Mechanism, bound: Sequence[Bound], drives: Mapping[str, MotorDrive], model: str | None
) -> Iterator[str]:
    """`robot` as its file has it; `model`: the product that was asked for."""
    yield from _sides(bound)
    yield from _centres(bound, drives)
    yield from _coarse(robot, bound, drives)
    yield from _side_by_side(bound)
    yield from _fitted(bound)
    yield from _caps(robot, bound, drives)
    yield from _too_weak(drives.values())
    own = [b.actuator for b in bound if model is not None and dict(b.options).get("model") != model]
    if own:
        yield f"model {model} has no effect on {listed(own)}: the file binds {'it' if len(own) == 1 else 'them'} itself"
    idle = [b.actuator for b in bound if not shafts.ratios(robot, b.actuator) and b.actuator not in robot.acting]
    yield from _undriven(robot)
    if idle:
        yield f"{listed(idle)}: no joint or transmission connects {'it' if len(idle) == 1 else 'them'}"


def _sides(bound: Sequence[Bound]) -> Iterator[str]:
    for name in dict.fromkeys(b.protocol.name for b in bound):
        inside = [b.actuator for b in bound if b.protocol.name == name and abs(b.gear.ratio) != 1.0]
        if inside:
            yield (
                f"{name}: {listed(inside)} measure at the joint, because these products contain a gear; "
                "with the option side=actuator they measure at the file's motor"
            )


def _centres(bound: Sequence[Bound], drives: Mapping[str, MotorDrive]) -> Iterator[str]:
    """Servos of one turn on joints whose travel lies beyond half a turn from their zero."""
    for b in bound:
        if b.protocol.turn < inf and b.gear.offset and abs(sum(drives[b.actuator].travel)) < ROUNDING:
            yield f"{b.actuator}: the middle of its servo's turn is the middle of the joint's travel"


def _coarse(robot: Mechanism, bound: Sequence[Bound], drives: Mapping[str, MotorDrive]) -> Iterator[str]:
    """Joints that stop at a few places only: fingers that slide by millimetres, where a metre counts as a radian."""
    few = {}
    for b in (b for b in bound if b.protocol.in_counts):
        drive = drives[b.actuator]
        per_unit = b.motor.counts / tau if b.protocol.turn < inf else drive.counts_per_unit
        counts = (drive.travel[1] - drive.travel[0]) * per_unit
        if 0.0 < counts < FEW_COUNTS:
            few[next(iter(shafts.ratios(robot, b.actuator)))] = f"{counts:.0f}"
    if few:
        yield (
            f"{listed([f'{joint} {counts}' for joint, counts in few.items()])}: only that many counts of the encoder "
            "are the joint's whole travel, and goals are rounded to them; for more, put a transmission between joint "
            "and drive (<mechanicalReduction> in radians per metre: 100 for a pinion of 10 mm)"
        )


def _side_by_side(bound: Sequence[Bound]) -> Iterator[str]:
    several = [b for b in bound if b.servos > 1 and not b.named]
    if several:
        product = several[0].protocol
        yield (
            f"{listed([f'{b.actuator} {b.servos}' for b in several])}: that many {next(iter(product.models))} servos "
            "side by side, because one is too weak for its joint; for single ones, name a product with --drive"
        )


def _fitted(bound: Sequence[Bound]) -> Iterator[str]:
    """Servos that do not droop as those of a product do."""
    fitted = [b.protocol for b in bound if FITTED_INTEGRAL in dict(b.options).items()]
    if fitted:
        yield (
            "no product is named, so the servos have an I gain and do not droop under load; --drive "
            f"{next(iter(fitted[0].models))} has the gains of its firmware"
        )


def _caps(robot: Mechanism, bound: Sequence[Bound], drives: Mapping[str, MotorDrive]) -> Iterator[str]:
    """Products whose current does not drive what the file's motor could give."""
    for b in bound:
        actuator, drive = robot.actuators[b.actuator], drives[b.actuator]
        curve = max((torque for _, torque in actuator.torque_speed), default=inf)
        motor = min(actuator.effort_limit, curve) / abs(b.gear.effort)
        k = b.motor.torque_constant if not b.motor.resistance else drive.motor.torque_constant
        registers = drive.current_limit if b.motor.rated_torque < inf else inf  # else they follow the file
        product = min(b.motor.current_limit * k, registers * drive.motor.torque_constant)
        if product < (1.0 - NEAR) * motor < inf:
            yield (
                f"{b.actuator}: the current limit of its {b.protocol.name} drive holds the motor of the file to "
                f"{product:.3g} of {motor:.3g} N·m"
            )


def _too_weak(drives: Iterable[MotorDrive]) -> Iterator[str]:
    """Drives that sink or stall in some poses, with any gains."""
    weak = [d for d in drives if d.stall_torque < (1.0 - NEAR) * d.load.holding]
    if weak:
        figures = [f"{d.name} {d.stall_torque:.3g} of {d.load.holding:.3g} {'N' if d.length else 'N·m'}" for d in weak]
        yield f"{listed(figures)}: less torque than weight and friction need, so not every pose can be held"


def _undriven(robot: Mechanism) -> Iterator[str]:
    """Joints that nothing moves. Those of loops have none of their own for good reasons."""
    driven = {ref for name in robot.actuators for ref in shafts.ratios(robot, name)}
    followers = {str(c.follower) for c in robot.couplings.values()}
    one = [str(j.refs[0]) for j in robot.joints.values() if len(j.refs) == 1]
    free = [ref for ref in one if ref not in driven | followers]
    if free and not robot.tree.cuts:
        moves, whom = ("it moves", "it") if len(free) == 1 else ("they move", "each of them")
        yield f"{listed(free)}: no actuator in the file, so {moves} freely; --devices or --node gives {whom} a drive"


def listed(names: Sequence[str]) -> str:
    """`a, b, c and 3 more`."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_NAMES - 1])} and {counted(len(names) - MOST_NAMES + 1, 'other')}"
