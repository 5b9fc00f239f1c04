"""Checks of what a simulation needs beyond a sound model. Each adds warnings.

A mechanism that cannot be simulated can still be viewed and converted, and its poses computed, so it loads. `compile`
refuses it with the same messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from gearwright.diagnostics import Report, Source
from gearwright.errors import GearwrightError, ModelError
from gearwright.model.layout.layout import rotor_axis, rotor_name
from gearwright.model.loops.loop_system import LoopSystem
from gearwright.model.loops.split_links import can_split
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.transmissions import (
    LinearMap,
    LinearTransmission,
    Series,
    Transmission,
)
from gearwright.model.transmissions.leading import leading_transmissions, leads_only, led
from gearwright.model.tree.kinematics import Configuration
from gearwright.model.tree.references import named_joints, spanned

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

CODE = "not-simulable"
ENDING = " (loaded, but `compile` refuses it)"
USUAL_STEP = 1e-3  # [s] what `compile` takes where it is not given
LONGEST_PERIOD = 2**24  # steps between samples: what a clock counts exactly in single precision
WIDEST = 300  # velocities of loops that are tried to close: what a second is enough for
MOST_SAMPLES = 1000  # on their way: each is moved on at every sample
LARGEST_RATIO = 1e50  # two of them in a row, squared, and times any inertia are numbers yet


def check_simulation(m: Mechanism, report: Report) -> None:
    """For a mechanism without errors so far."""
    check_axes(m, report)
    check_ratios(m, report)
    check_maps(m, report)
    check_rotors(m, report)
    check_readings(m, report)
    check_loop_joints(m, report)


def check_axes(m: Mechanism, report: Report) -> None:
    """Parallel axes of one joint move the same mass in the same way, unless one has an inertia of its own."""
    parallel = [j for j in m.joints.values() if j.axes_are_parallel]
    if not parallel:
        return
    settled = set(m.reflected_inertia()) | {c.follower for c in m.couplings.exact}
    for j in parallel:
        own = any(axis.dynamics.armature > 0 or ref in settled for axis, ref in zip(j.axes, j.refs, strict=True))
        if j in m.tree.cuts or not own:
            message = f"joint {j.name!r}: its two axes are parallel, so that one of them has no motion of its own"
            refuse(report, message, j.source)


def refuse(report: Report, message: str, source: Source | None) -> None:
    """A part that `compile` does not take as it is."""
    report.warning(CODE, message + ENDING, source)


# --- ratios ---------------------------------------------------------------------------------------------------------


def check_ratios(m: Mechanism, report: Report) -> None:
    """Followers and actuators that move so much faster than what they turn with that their inertia is no number."""
    by_follower = {c.follower: c for c in reversed([*m.couplings.values()])}  # the first of each
    for follower, (terms, _) in m.couplings.composed.items():
        for leader, ratio in terms.items():
            if too_large := _too_large(ratio):
                c = by_follower[follower]
                message = f"coupling {c.name!r}: {follower} moves {too_large} as far as {leader}"
                refuse(report, f"{message}; multipliers are at most {LARGEST_RATIO:g} in a row", c.source)
    for t in {t.name: t for t in m.acting.values()}.values():
        for ratio in t.map.actuator_per_joint.flat if isinstance(t.map, LinearTransmission) else ():
            if too_large := _too_large(float(ratio)):
                message = f"transmission {t.name!r}: an actuator turns {too_large} as far as a joint"
                refuse(report, f"{message}; reductions are at most {LARGEST_RATIO:g} in all", t.source)
                break


def _too_large(ratio: float) -> str:
    return f"{abs(ratio):.6g} times" if abs(ratio) > LARGEST_RATIO else ""


# --- transmissions and actuators ------------------------------------------------------------------------------------


def check_maps(m: Mechanism, report: Report) -> None:
    for t in {t.name: t for t in m.acting.values()}.values():
        for problem in _map_problems(m, t):
            refuse(report, f"transmission {t.name!r}: {problem}", t.source)
        _check_stage_losses(t, report)
        _check_locking(t, report)


def _check_locking(t: Transmission, report: Report) -> None:
    """An efficiency below a half, by which a gear locks itself unless its file says otherwise."""
    losses = t.losses
    if losses.varies or losses.backward_efficiency is not None or losses.efficiency >= 0.5:
        return
    backward = float(losses.backward_efficiency_at(0.0, 0.0))
    message = f"transmission {t.name!r}: with an efficiency of {losses.efficiency:g}, below 0.5, it locks itself"
    why = f"from the joints to the actuator it is 2 − 1/{losses.efficiency:g} = {backward:.3g}"
    report.warning("self-locking", f"{message}: {why}; give <backward_efficiency> to say which is meant", t.source)


def _check_stage_losses(t: Transmission, report: Report) -> None:
    if not isinstance(t.map, Series) or t.losses.efficiency_map or t.losses.efficiency != 1:
        return  # given for the whole
    for stage in t.map.stages_without_load:
        if not stage.losses().efficient:
            message = f"transmission {t.name!r}: the efficiency of its {type(stage).__name__} is left out"
            why = "the load behind a stage of several ends or of a changing ratio is not known"
            report.warning("not-simulated", f"{message}: {why}; give the whole transmission an <efficiency>", t.source)


def check_start_of_maps(m: Mechanism, q: Configuration, report: Report) -> None:
    """Linkages that something drives or reads, where the joints start; `reset` takes other positions."""
    read = (m.transmissions[s.transmission] for s in m.sensors.values() if s.transmission is not None)
    for t in {t.name: t for t in (*m.acting.values(), *read)}.values():
        moves = all(m.has_axis(ref) for ref in t.joints)
        if moves and (start := _unreached(t, q)):
            report.warning("transmission-start", f"transmission {t.name!r}: {start}", t.source)


def _unreached(t: Transmission, q: Configuration) -> str | None:
    """Why a linkage has no actuator position where the joints are."""
    if t.map is None or not t.map.checked_at_start:
        return None
    at = [q[ref.joint][ref.index] for ref in t.joints]
    try:
        t.map.joint_to_actuator_position(at)
        t.map.actuator_per_joint_at(at)
    except GearwrightError as error:
        return f"at the start, {error}"
    return None


def _by_effort(t: Transmission) -> bool:
    """Whether it is a function of efforts, which has no positions."""
    return t.map is not None and t.map.by_effort


def _map_problems(m: Mechanism, t: Transmission) -> Iterator[str]:
    if leads_only(t) and t.name not in led(m) and t not in leading_transmissions(m):
        yield (
            "its joints follow its actuators, each of which needs <rotor_inertia>; it takes no backlash, and joints "
            "that follow nothing else and close no loop"
        )
    if isinstance(t.map, Series) and any(s.shifts_efforts for s in t.map.stages):
        yield "a linear_map in a series cannot have offsets or bounds"
    if not isinstance(t.map, LinearMap) or not t.map.shifts_efforts:
        return
    if t.backlash is not None:
        yield "a linear_map with offsets or bounds cannot have backlash"
    sloping = [a for a in t.actuators if m.acting.get(a) is t and m.actuators[a].depends_on_speed]
    if (t.map.lower or t.map.upper) and sloping:
        yield (
            f"actuator {sloping[0]!r}: a linear_map with bounds takes efforts that do not depend on the speed; "
            "give it an effort command without a curve, or leave the bounds out"
        )


def check_rotors(m: Mechanism, report: Report) -> None:
    """Rotors that become bodies of their own, and what they add to their joints."""
    for ref, inertia in m.reflected_inertia().items():
        if not isfinite(inertia):
            message = f"joint {ref.joint!r}: the rotors' inertia seen through the transmission is beyond all numbers"
            refuse(report, message, m.joints[ref.joint].source)
    leading = leading_transmissions(m)
    for a in m.actuators.values():
        t = m.acting.get(a.name)
        if a.joint == rotor_axis(a.name):
            continue  # it turns one already
        loose = t is not None and t.backlash is not None
        if not loose and t not in leading and (a.rotor != "body" or (t is None and a.joint is None)):
            continue
        leads = "a motor that leads its joints" if t in leading else "a rotor that is a body"
        what = "a motor with backlash behind it" if loose else leads
        if not a.rotor_inertia > 0:
            refuse(report, f"actuator {a.name!r}: {what} needs <rotor_inertia>", a.source)
        if not loose and t is not None and not isinstance(t.map, LinearTransmission) and t not in leading:
            message = f"actuator {a.name!r}: {what} needs constant ratios, which transmission {t.name!r} does not have"
            refuse(report, f"{message}; use <rotor>reflected</rotor>", a.source)
        if rotor_name(a.name) in m.links or rotor_name(a.name) in m.joints:
            message = f"actuator {a.name!r}: {what} becomes a link and a joint named {rotor_name(a.name)!r}"
            refuse(report, f"{message}: rename what has that name", a.source)


# --- sensors --------------------------------------------------------------------------------------------------------


def check_readings(m: Mechanism, report: Report) -> None:
    given: dict[str, str] = {}
    for s in m.sensors.values():
        if problem := _unreadable(m, s):
            refuse(report, f"{s.kind} {s.name!r} {problem}", s.source)
            continue
        for reading in _readings(m, s):
            if given.setdefault(reading, s.name) != s.name:
                message = f"{s.kind} {s.name!r} and {given[reading]!r} both give a reading named {reading!r}"
                refuse(report, f"{message}; rename one of them", s.source)
        if late := _untimely(s):
            report.warning("encoder-value", f"{s.kind} {s.name!r}: {late}", s.source)


def _unreadable(m: Mechanism, s: Sensor) -> str | None:
    t = None if s.transmission is None else m.transmissions[s.transmission]
    if s.joint is not None or s.reaction is not None or s.link is not None:
        return None
    if t is not None and not all(m.has_axis(ref) for ref in t.joints):
        return f"reads through transmission {t.name!r}, whose joint cannot move"
    if t is not None and s.actuator is None and s.side == "joint":
        return None
    actuators = (s.actuator,) if s.actuator is not None else t.actuators if t is not None else ()
    for name in actuators:
        if name not in m.acting and m.actuators[name].joint is None:
            return f"reads actuator {name!r}, which is not connected to any joint"
        through = t or m.acting.get(name)
        if through is not None and _by_effort(through) and s.reads_position:
            message = f"reads a position through {through.name!r}, which is a function of efforts and has none"
            return f"{message}: give it as position(q), or read <side>joint</side>"
    return None


def _readings(m: Mechanism, s: Sensor) -> list[str]:
    """The names that its numbers go by; a user's own sensor names its own."""
    from gearwright.model.sensors.body_sensors import BodySensor  # few robots have sensors
    from gearwright.model.sensors.contact_sensor import ContactSensor

    if isinstance(s, BodySensor | ContactSensor):
        return [f"{s.name}.{label}" for label in s.labels]
    count = 1
    if s.joint is None and s.actuator is None and s.transmission is not None:
        t = m.transmissions[s.transmission]
        count = len(t.joints if s.side == "joint" else t.actuators)
    names = [s.name] if count == 1 else [f"{s.name}.{k}" for k in range(count)]
    return names + [f"{n}.index" for n in names if s.has_index]


def _untimely(s: Sensor) -> str | None:
    """Why steps of the usual length cannot be compiled with it."""
    steps = max(1.0, 1.0 / (s.update_rate * USUAL_STEP)) if s.update_rate > 0 else 1.0
    if steps > LONGEST_PERIOD:
        return f"an update_rate of {s.update_rate:.10g} Hz is less than one sample in {LONGEST_PERIOD} steps of 1 ms"
    if s.latency / USUAL_STEP / max(1, round(steps)) + 2 > MOST_SAMPLES:
        return f"a latency of {s.latency:.10g} s keeps more than {MOST_SAMPLES} samples in transit at steps of 1 ms"
    return None


# --- loops ----------------------------------------------------------------------------------------------------------


def check_loop_joints(m: Mechanism, report: Report) -> None:
    """Joints that close loops although something refers to them: the loop is opened in one of their links instead."""
    named = named_joints(m)
    for j in spanned(m)[1]:
        if j.name in named and not can_split(m, j):
            message = f"joint {j.name!r} closes a loop and is coupled, driven or read"
            refuse(report, f"{message}: one of its links needs mass and inertia", j.source)


def check_second_descriptions(m: Mechanism, report: Report) -> None:
    """Couplings that describe a motion that closed loops already determine."""
    for second in m.second_descriptions.values():
        c = second.coupling
        unit = "m" if m.joints[c.follower.joint].type.prismatic else "rad"
        if second.agrees:
            message = f"coupling {c.name!r} and the loop around it say the same, to {second.misfit:.2g} {unit}"
            report.info("coupling-implied", f"{message}: the loop's rows are left out", c.source)
            continue
        apart = f"with {c.leaders[0].axis} at {second.leader:.4g} the loop puts {c.follower} at {second.follower:.6g}"
        message = f"coupling {c.name!r} and the loop around it are {second.misfit:.2g} {unit} apart: {apart}"
        ends = "pulls at the loop" if c.mode == "compliant" else "is left out of a simulation, since it would lock it"
        report.warning("coupling-contradicted", f"{message}; the coupling {ends}", c.source)


def check_rigid_loops(m: Mechanism, report: Report) -> None:
    """Loops that move to first order only: the joint that closes them is fixed in a simulation."""
    for name in m.rigid_loops:
        j = m.joint(name)
        message = f"joint {name!r} closes a loop between {j.parent!r} and {j.child!r} that moves to first order only"
        report.warning("loop-rigid", f"{message}, and so holds still: the joint is simulated as fixed", j.source)


def without_contradictions(m: Mechanism, report: Report) -> Mechanism:
    """The mechanism as `compile` takes it; what it refuses without the couplings that loops contradict is reported."""
    try:
        return m.without_contradictions()
    except ModelError as error:
        for d in error.diagnostics:
            if d.severity == "error":
                place = Source(file=d.file, line=d.line, element=d.element)
                refuse(report, f"without couplings that loops contradict, {d.message}", place)
        return m


def check_closing(m: Mechanism, report: Report) -> Configuration:
    """Loops that cannot be closed from where the file has them. Gives the start with the others closed."""
    exact = [*m.couplings.exact]
    q: Configuration = m.configuration()
    width = 0
    for system in LoopSystem.of(m.tree, exact).parts():
        width += system.width
        if width > WIDEST or not system.cuts:
            continue
        closed = system.closed(q, system.couplings)
        if closed is not None:
            q = {**q, **{j.name: closed[j.name] for j in system.joints}}
        else:
            loops = ", ".join(repr(cut.name) for cut in system.cuts)
            message = f"the loop through {loops} cannot be closed from where the file has it"
            report.warning("loop-open", message, system.cuts[0].source)
    return q


def not_simulable(m: Mechanism) -> list[str]:
    """Why a mechanism cannot be compiled, as far as its checks found it; one line each, with its place."""
    found = (d for d in m.diagnostics if d.code == CODE)
    return [str(replace(d, severity="error", message=d.message.removesuffix(ENDING))) for d in found]
