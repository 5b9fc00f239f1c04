"""Checks of a whole mechanism. Each looks at one family and adds diagnostics.

`check` lists those that can find errors: they decide whether a mechanism is built. `advise` lists those that only warn:
they run when somebody asks for the diagnostics, so that loading does not wait for them.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING

from gearwright.diagnostics import Diagnostic, Report
from gearwright.errors import ModelError
from gearwright.model.checks.plausible import check_plausible
from gearwright.model.checks.simulation_checks import (
    check_closing,
    check_rigid_loops,
    check_second_descriptions,
    check_simulation,
    check_start_of_maps,
    refuse,
    without_contradictions,
)
from gearwright.model.couplings import CircleError, Coupling
from gearwright.model.joints import WORLD, AxisRef
from gearwright.model.keyframes import unknown_names
from gearwright.model.loops.coupling_cycles import groups, locked
from gearwright.model.mass.inertia import flaws
from gearwright.model.mass.moved_mass import ASSUMED_ARMATURE, MasslessCoordinate, massless_coordinates
from gearwright.model.tree.references import spanned
from gearwright.model.tree.topology import roots

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

ROUNDED = 2e-3  # of a leader's range: what limits and multipliers written with three digits lose


def check(m: Mechanism) -> list[Diagnostic]:
    """Everything that a mechanism is refused for, and what is found on the way; with an error it is not built."""
    report = Report()
    check_joints(m, report)
    sound = not report.failed
    check_couplings(m, report)
    check_transmissions(m, report)
    check_actuators(m, report)
    check_sensors(m, report)
    if sound:
        check_loops(m, report)
    has_tree = sound and not report.failed
    if has_tree:
        check_follower_limits(m, report)
        check_start(m, report)
    if report.failed:  # no one will ask a mechanism that is not built
        check_links(m, report)
        if has_tree:
            check_masses(m, report)
            check_coupling_cycles(m, report)
    return report.diagnostics


def advise(m: Mechanism, *, closing: bool = True) -> list[Diagnostic]:
    """Diagnostics of a mechanism that was built; `closing` its loops takes longest."""
    report = Report()
    check_links(m, report)
    check_coupling_cycles(m, report)
    check_keyframes(m, report)
    check_simulation(m, report)
    if closing and m.tree.cuts:
        check_second_descriptions(m, report)
        m = without_contradictions(m, report)
        check_rigid_loops(m, report)
        start = check_closing(m, report)
    else:
        start = m.configuration()
    check_masses(m, report)
    check_start_of_maps(m, start, report)
    check_plausible(m, report)
    return report.diagnostics


def check_links(m: Mechanism, report: Report) -> None:
    links = list(m.links.values())
    for link, flaw in zip(links, flaws([link.inertia for link in links]), strict=True):
        if flaw is not None:
            report.warning("inertia-invalid", f"link {link.name!r}: no body has this inertia: {flaw}", link.source)


def check_joints(m: Mechanism, report: Report) -> None:
    names = [*m.links, WORLD]
    for j in (*m.joints.values(), *m.bases.values()):
        for end, link in (("parent", j.parent), ("child", j.child)):
            if link not in m.links and link != WORLD:
                message = f"joint {j.name!r}: its {end} link {link!r} is not declared{report.near(link, names)}"
                report.error("link-not-found", message, j.source)
        if j.child == WORLD:
            report.error("joint-world-child", f"joint {j.name!r}: the world cannot be a child", j.source)
        if j.parent == j.child:
            report.error("joint-self", f"joint {j.name!r} joins {j.parent!r} to itself", j.source)
    for name in m.cut:
        if name not in m.joints:
            report.error("joint-not-found", f"the joint to cut, {name!r}, does not exist{report.near(name, m.joints)}")


def _axis_problem(m: Mechanism, axis: AxisRef, report: Report) -> tuple[str, str] | None:
    """Code and message if nothing moves along this axis."""
    if axis.joint not in m.joints:
        near = report.near(axis.joint, (n for n, j in m.joints.items() if j.refs))
        return "joint-not-found", f"joint {axis.joint!r} does not exist{near}"
    j = m.joints[axis.joint]
    if j.kind == "fixed":
        return "mimic-leader-fixed", f"joint {axis.joint!r} is fixed"
    if axis.index >= len(j.refs):
        what = "axis2" if axis.index else "axis that could be coupled"
        return "mimic-axis-missing", f"joint {axis.joint!r} is of type {j.kind} and has no {what}"
    return None


def check_couplings(m: Mechanism, report: Report) -> None:
    for c in m.couplings.values():
        for axis in (c.follower, *(t.axis for t in c.leaders)):
            problem = _axis_problem(m, axis, report)
            if problem:
                code, message = problem
                code = "mimic-leader-not-found" if code == "joint-not-found" else code
                report.error(code, f"coupling {c.name!r}: {message}", c.source)
        if all(t.multiplier == 0 for t in c.leaders) and not any(c.powers):
            report.warning("mimic-zero", f"coupling {c.name!r}: a multiplier of 0 holds {c.follower} still", c.source)
    _check_circles(m, report)
    _check_duplicates(m, report)


def _check_circles(m: Mechanism, report: Report) -> None:
    by_follower = {c.follower: c for c in reversed(list(m.couplings.values()))}  # the first of each
    try:
        composed = m.couplings.composed
    except CircleError as e:
        report.error("mimic-cycle", str(e), by_follower[e.axes[0]].source)
        return
    except ModelError as e:
        report.error("coupling-value", str(e), next(iter(m.couplings.values())).source)
        return
    for axis, affine in composed.items():
        if not all(map(isfinite, (affine.offset, *affine.terms.values()))):
            message = f"the numbers of the couplings that lead to {axis} are too large"
            report.error("coupling-value", message, by_follower[axis].source)


def _check_duplicates(m: Mechanism, report: Report) -> None:
    first: dict[AxisRef, Coupling] = {}
    for c in m.couplings.values():
        other = first.setdefault(c.follower, c)
        if other is not c and c.mode == "exact":
            message = (
                f"{c.follower} already follows by coupling {other.name!r}; one of the two must be hard or compliant"
            )
            report.error("mimic-duplicate", message, c.source)


def check_transmissions(m: Mechanism, report: Report) -> None:
    for t in m.transmissions.values():
        if t.repeated:
            report.error("transmission-repeats", f"transmission {t.name!r} names {t.repeated} twice", t.source)
        for name in t.actuators:
            if name not in m.actuators:
                message = f"transmission {t.name!r}: actuator {name!r} does not exist{report.near(name, m.actuators)}"
                report.error("transmission-actuator-not-found", message, t.source)
        for axis in t.joints:
            problem = _axis_problem(m, axis, report)
            if problem is None:
                continue
            code, message = problem
            if code == "joint-not-found":
                report.error("transmission-joint-not-found", f"transmission {t.name!r}: {message}", t.source)
            else:  # real files drive joints that they later fixed
                report.warning(
                    "transmission-joint-fixed", f"transmission {t.name!r} moves nothing: {message}", t.source
                )


def check_actuators(m: Mechanism, report: Report) -> None:
    for a in m.actuators.values():
        problem = _axis_problem(m, a.joint, report) if a.joint is not None else None
        if problem:
            report.error("joint-not-found", f"actuator {a.name!r}: {problem[1]}", a.source)


def check_sensors(m: Mechanism, report: Report) -> None:
    for s in m.sensors.values():
        targets = (
            ("transmission", s.transmission, m.transmissions), ("actuator", s.actuator, m.actuators),
            ("joint", s.reaction, {**m.joints, **m.bases}), ("link", s.link, m.links),
        )  # fmt: skip
        for kind, name, known in targets:
            if name is not None and name not in known:
                message = f"{s.kind} {s.name!r}: {kind} {name!r} does not exist{report.near(name, known)}"
                report.error("encoder-target-not-found", message, s.source)
        problem = _axis_problem(m, s.joint, report) if s.joint is not None else None
        if problem:
            report.error("encoder-target-not-found", f"{s.kind} {s.name!r}: {problem[1]}", s.source)
        if all(x is None for x in (s.transmission, s.actuator, s.joint, s.reaction, s.link)):
            message = f"{s.kind} {s.name!r} names no transmission, actuator or joint to read"
            report.error("encoder-target-not-found", message, s.source)


def check_loops(m: Mechanism, report: Report) -> None:
    kept, cuts = spanned(m)
    for root in roots(m.links, kept):
        report.error("root-multiple", f"nothing ties link {root!r} to the world", m.links[root].source)
    for j in cuts:
        message = f"joint {j.name!r} closes a kinematic loop between {j.parent!r} and {j.child!r}"
        report.info("loop-closed", message, j.source)


def check_masses(m: Mechanism, report: Report) -> None:
    """A coordinate that moves no mass has no equation of motion: something that it carries must have mass."""
    from gearwright.model.mass.rotors import with_rotors  # made of mechanisms, which are checked here

    try:
        whole = with_rotors(m)
    except ModelError:  # reported by the checks of rotors
        whole = m
    for u in {u.joint.name: u for u in reversed(massless_coordinates(whole))}.values():
        source = m.links[u.link].source if u.link in m.links else None
        if u.can_be_simulated:
            which = f" for {', '.join(map(repr, u.armatures))}" if u.undone_by else ""
            report.warning(
                "inertia-missing", f"{_unmoved(u)}; an armature of {ASSUMED_ARMATURE:g} is used{which}", source
            )
        else:
            refuse(report, f"{_unmoved(u)}; give {u.link!r}, or what hangs on it, an inertia", source)


def _unmoved(u: MasslessCoordinate) -> str:
    """Message part: who moves, and that nothing does."""
    where = "" if u.everywhere else " in the initial configuration"
    if len(u.names) > 1:
        names = " and ".join((", ".join(map(repr, u.names[:-1][:5])), repr(u.names[-1])))
        return f"joints {names} can move together without moving any mass{where}: the mass matrix is singular"
    if u.undone_by:
        return f"joint {u.joint.name!r} can move without moving any mass{where}: the mass matrix is singular"
    link = f"link {u.link!r} has no inertia along it, nor has what hangs on it"
    return f"joint {u.joint.name!r} moves no mass: {link}"


def check_follower_limits(m: Mechanism, report: Report) -> None:
    """A follower's limits act on its leader: `limit/multiplier`. What they leave must not be empty."""
    left: dict[AxisRef, tuple[float, float]] = {}
    by_follower = {c.follower: c for c in m.couplings.values()}
    for follower, (terms, offset) in m.couplings.composed.items():
        if len(terms) != 1:
            continue
        (leader, f) = next(iter(terms.items()))
        limits = m.joints[follower.joint].axes[follower.index].limits
        if f == 0 or not limits.bounded:
            continue
        low, high = sorted(((limits.lower - offset) / f, (limits.upper - offset) / f))
        own = m.joints[leader.joint].axes[leader.index].limits
        a, b = left.get(leader, (own.lower, own.upper))
        _judge(report, by_follower[follower], leader, (low, high), (a, b))
        left[leader] = (max(a, low), min(b, high))


def _judge(
    report: Report, c: Coupling, leader: AxisRef, mapped: tuple[float, float], left: tuple[float, float]
) -> None:  # fmt: skip
    follower, source, (low, high), (a, b) = c.follower, c.source, mapped, left
    slack = 1e-6 * max([1.0, *(abs(x) for x in (low, high, a, b) if abs(x) < inf)])  # what six printed digits lose
    if max(a, low) > min(b, high) + slack:
        message = f"the limits of {follower} allow {leader} only [{low:.6g}, {high:.6g}], its own [{a:.6g}, {b:.6g}]"
        if c.mode == "compliant":
            report.warning("mimic-limits-conflict", f"{message}: there is no common range; the coupling yields", source)
        else:
            report.error("mimic-limits-conflict", message + ": there is no common range", source)
    elif low > a + _rounding(a, b, slack) or high < b - _rounding(a, b, slack):
        left_over = f"[{max(a, low) + 0.0:.6g}, {min(b, high) + 0.0:.6g}]"
        message = f"the limits of {follower} tighten those of {leader} from [{a:.6g}, {b:.6g}] to {left_over}"
        if min(b, high) - max(a, low) <= slack:
            message += ": it cannot move"
        say = report.warning if a > -inf or b < inf else report.info  # a leader without limits of its own loses none
        say("mimic-limits-tighten", message, source)


def _rounding(a: float, b: float, slack: float) -> float:
    """Files write limits and multipliers by three digits or more: their quotient is off by up to 2·0.1 % of a range."""
    return max(slack, ROUNDED * (b - a)) if b - a < inf else slack


def check_keyframes(m: Mechanism, report: Report) -> None:
    joints = {*m.joints, *m.bases}
    for k in m.keyframes.values():
        for name in unknown_names(k, joints, m.actuators):
            near = report.near(name, [*joints, *m.actuators])
            report.warning("joint-not-found", f"keyframe {k.name!r}: there is no {name!r}{near}", k.source)


def check_start(m: Mechanism, report: Report) -> None:
    """Followers must have a finite position at the start."""
    if not m.couplings:
        return
    q = m.configuration()
    for c in m.couplings.values():
        if not isfinite(q[c.follower.joint][c.follower.index]):
            report.error(
                "coupling-value",
                f"coupling {c.name!r} gives {c.follower} a position that is not finite: its numbers are too large",
                c.source,
            )


def check_coupling_cycles(m: Mechanism, report: Report) -> None:
    """Couplings in a cycle whose ratios contradict each other hold everything still."""
    if not m.couplings:
        return
    q = m.configuration()
    if not all(isfinite(x) for values in q.values() for x in values):
        return
    for group in groups(list(m.couplings.values())):
        if axes := locked(group, q):
            shown = ", ".join(map(str, axes[:6])) + (", …" if len(axes) > 6 else "")
            message = f"contradictory couplings lock {shown}: the ratios around the cycle must multiply to 1"
            last = [c for c in group if c.mode != "compliant"][-1]
            report.warning("mimic-contradiction", f"{message}; {last.name!r} could be made compliant", last.source)
