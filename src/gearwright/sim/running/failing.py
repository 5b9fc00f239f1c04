"""A robot that diverges: which number of which robot, when, and what is likely the reason."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from gearwright.compiler import Failure
from gearwright.control import declared
from gearwright.errors import GearwrightError, SimulationError
from gearwright.model import CustomTransmission, LinearTransmission, TransmissionMap
from gearwright.model.layout.layout import coordinate_of, rotor_name
from gearwright.model.layout.slots import StepSlot
from gearwright.model.transmissions.leading import led
from gearwright.sim.programs.programs import TOP_SPEED
from gearwright.sim.running import controlled
from gearwright.sim.state.current_maps import map_of
from gearwright.sim.state.layout import INPUTS
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

LARGE_MASS_RATIO = 1e4  # from which it is worth a word
SINGULAR = 1e-12  # eigenvalue of a mass matrix whose diagonal is 1: rounding of zero
LARGE_ROBOT = 40  # coordinates from which the mass matrix is not worth its compiling, for a message


def failure(sim: Simulation, begun: int) -> SimulationError:
    """The error to raise after calls that began at that step. The clock is at the last good state of a single robot,
    or at the end of the calls for several."""
    from gearwright.sim.reset.starting import check_start

    try:
        check_start(sim)
    except SimulationError as error:  # it never had a good state
        return error
    failures = sim.batch_state.instance.failures
    first = min(failures, key=lambda f: f.step)
    step = begun + first.step + 1
    which = "" if sim.batch == 1 else f" of robot {first.robot}"
    others = f" ({len(failures)} robots failed)" if len(failures) > 1 else ""
    what, how = _described(sim, first)
    when = f"after step {step}, at {sim.clock.start + step * sim.dt:.6g} s{others}"
    reasons = "" if "controller" in what else _ended(sim, first.robot) or _likely(sim, first)
    return SimulationError(f"the {what}{which} {how} {when}; the last good state is kept{reasons}")


def _described(sim: Simulation, first: Failure) -> tuple[str, str]:
    """The number that went wrong, and what is wrong with it."""
    part, element = first.address
    if isfinite(first.value):
        unit = sim.layout.units[_coordinate(sim, first) or ""].velocity
        return described_entry(
            sim, part, element
        ), f"is {first.value:.3g} {unit}, beyond {TOP_SPEED:g}: the run diverges,"
    return controlled.not_finite(sim, first.robot) or described_entry(sim, part, element), "is not finite"


def described_entry(sim: Simulation, part: str, element: int) -> str:
    """An entry of the state in words."""
    if part == StepSlot.CONTROL:
        return controlled.described(sim, element)
    quantity, owner = sim.layout.elements(part)[element]
    return f"{quantity} of {owner!r}"


# --- reasons --------------------------------------------------------------------------------------------------------


def _ended(sim: Simulation, robot: int) -> str:
    """The transmission whose map ends where the last good step leads."""
    leading = led(sim.robot)
    for t in {t.name: t for t in sim.robot.acting.values()}.values():
        if t.map is None or isinstance(t.map, LinearTransmission) or _by_effort(t.map):
            continue
        if t.name in leading:
            names = [rotor_name(a) for a in t.actuators]
        else:
            names = [coordinate_of(sim.robot.joint(ref.joint), ref) for ref in t.joints]
        q, v = (np.array([float(np.atleast_1d(x[n])[robot]) for n in names]) for x in (sim.position, sim.velocity))
        for ahead in (1.0, 2.0):
            there = q + ahead * sim.dt * v
            if not _has_position(map_of(sim, t, robot), there, t.name in leading):
                pose = ", ".join(f"{n!r} at {x:.6g}" for n, x in zip(names, q, strict=True))
                return f". The map of transmission {t.name!r} ({t.type}) ends there: the last good state has {pose}"
    return ""


def _by_effort(m: TransmissionMap) -> bool:
    return isinstance(m, CustomTransmission) and m.effort is not None


def _has_position(m: TransmissionMap, there: Array, leads: bool) -> bool:
    try:
        found = m.joints_at(there) if leads else m.joint_to_actuator_position(there)
    except GearwrightError:
        return False
    return bool(np.isfinite(found).all())


def _coordinate(sim: Simulation, first: Failure) -> str | None:
    """The coordinate whose velocity went wrong, or its position if that is one number."""
    names, slot = sim.layout.names, first.address.slot
    if slot == StepSlot.POSITION:
        name = names.positions.names[names.free_positions[first.address.element]]
        return name if name in names.coordinates.names else None
    if slot != StepSlot.VELOCITY:
        return None
    return names.coordinates.names[names.free_velocities[first.address.element]]


def _likely(sim: Simulation, first: Failure) -> str:
    """Reasons with their numbers, the most likely first."""
    if together := _moving_no_mass(sim, first.robot):
        joints = " and ".join(map(repr, together))
        what = "can move together without moving any mass" if len(together) > 1 else "moves no mass"
        remedy = "give their links an inertia, or the joints an armature"
        return f". The mass matrix is singular there: {joints} {what}; {remedy}"
    name = _coordinate(sim, first)
    if name is None:
        return ""
    speed = float(np.atleast_1d(sim.velocity[name])[first.robot])
    unit = sim.layout.units[name]
    found = [*_effort_reason(sim, first.robot), *_mass_reason(sim)]
    moved = f"{name!r} moved {abs(speed) * sim.dt:.3g} {unit[0]} in its last good step of dt = {sim.dt:g} s"
    if controller := _controller(sim):
        found.insert(0, f"{controller} feeds the motion back: check the sign of its feedback, and lower its gains")
        found.append(moved)
    elif _is_pushed(sim, first.robot):
        found.append(f"{moved}: if your own code computes its commands, check their sign and gains; else reduce dt")
    else:
        found.append(f"{moved}: if that is too far, reduce dt")
    return ". Likely reasons: " + "; ".join(found)


def _controller(sim: Simulation) -> str | None:
    """The controller that acts, compiled or called."""
    if sim.options.controller is not None:
        return f"the controller {sim.options.controller.name!r}"
    if sim.controller_state.function is None:
        return None
    return f"the controller {declared(sim.controller_state.function).name!r}"


def _is_pushed(sim: Simulation, robot: int) -> bool:
    """Whether commands or efforts are held."""
    return any(bool(sim.inputs.acting(slot)[robot].any()) for slot in INPUTS if slot in sim.inputs.slots)


def _moving_no_mass(sim: Simulation, robot: int) -> list[str]:
    """Coordinates along which the mass matrix of the last good state is singular; those that follow others are left."""
    exact = sim.robot.couplings.exact
    tied = {ref for c in exact for ref in (c.follower, *(t.axis for t in c.leaders))}
    names = sim.coordinates
    coupled = {coordinate_of(sim.robot.joint(ref.joint), ref) for ref in tied}
    free = [i for i, n in enumerate(names) if n not in coupled]
    if not free or len(names) > LARGE_ROBOT:
        return []
    M = sim.mass_matrix().reshape(sim.batch, len(names), -1)[robot][np.ix_(free, free)]
    if not np.isfinite(M).all():
        return []
    scale = np.sqrt(np.maximum(M.diagonal(), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if not values[0] < SINGULAR:
        return []
    return [names[i] for i, share in zip(free, vectors[:, 0].tolist(), strict=True) if abs(share) > 0.1]


def _effort_reason(sim: Simulation, robot: int) -> list[str]:
    """The effort that would bring its joint to the greatest speed within a step."""
    names = sim.coordinates
    efforts = {n: float(np.atleast_1d(sim.effort[n])[robot]) for n in names}
    if not any(efforts.values()) or len(names) > LARGE_ROBOT:
        return []
    diagonal = sim.mass_matrix().reshape(sim.batch, len(names), -1)[robot].diagonal()
    inertias = dict(zip(names, diagonal.tolist(), strict=True))
    gains = {n: abs(x) * sim.dt / inertias[n] if inertias[n] > 0 else TOP_SPEED for n, x in efforts.items()}
    name = max(names, key=lambda n: gains[n])
    if gains[name] < 1e-3 * TOP_SPEED:
        return []
    unit = sim.layout.units[name]
    of_inertia = f"{inertias[name]:.3g} {'kg' if unit[0] == 'm' else 'kg·m²'}"
    effort = f"an effort of {efforts[name]:.3g} {unit[2]} on {name!r}, with an inertia of {of_inertia},"
    return [f"{effort} gives {gains[name]:.3g} {unit[1]} in a step"]


def _mass_reason(sim: Simulation) -> list[str]:
    """Links that are very light beside others."""
    masses = {name: link.inertia.mass for name, link in sim.robot.links.items() if link.inertia.mass > 0}
    if not masses:
        return []
    light, heavy = min(masses, key=lambda n: masses[n]), max(masses, key=lambda n: masses[n])
    ratio = masses[heavy] / masses[light]
    if ratio < LARGE_MASS_RATIO:
        return []
    return [f"a mass ratio of {ratio:.3g}: {heavy!r} has {masses[heavy]:.3g} kg, {light!r} {masses[light]:.3g} kg"]
