"""Transmissions that cannot act are left out, with their own actuators and the sensors that read them.

Files of robots' variants keep the transmissions of the whole robot (Valkyrie without its fingers, one arm of Talos);
others name one joint twice where two are meant. What is left is sound, and every other program loads it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from gearwright.model import Transmission

if TYPE_CHECKING:
    from gearwright.formats.draft import Draft


def leave_out_transmissions(draft: Draft) -> None:
    """A warning for each; with `strict` nothing is left out, and the checks of the mechanism report errors."""
    if draft.report.strict:
        return
    out = {t.name: t for t in draft.transmissions.values() if t.repeated or _missing(draft, t) or _foreign(draft, t)}
    if not out and not draft.foreign:
        return
    kept = {n: t for n, t in draft.transmissions.items() if n not in out}
    needed = {name for t in kept.values() for name in t.actuators}
    orphans = {n for t in out.values() for n in t.actuators if n in draft.declared and n not in needed}
    for t in out.values():
        _report(draft, t, orphans)
    draft.transmissions = kept
    draft.actuators = {n: a for n, a in draft.actuators.items() if n not in orphans}
    _leave_out_sensors(draft, out.keys(), orphans | (draft.foreign - draft.actuators.keys()))
    for name, hardware in draft.hardware.items():
        if not out.keys().isdisjoint(hardware.transmissions):
            left = tuple(t for t in hardware.transmissions if t not in out)
            draft.hardware[name] = replace(hardware, transmissions=left)


def _missing(draft: Draft, t: Transmission) -> str | None:
    return next((r.joint for r in t.joints if r.joint not in draft.joints), None)


def _foreign(draft: Draft, t: Transmission) -> str | None:
    return next((n for n in t.actuators if n in draft.foreign and n not in draft.actuators), None)


def _report(draft: Draft, t: Transmission, orphans: set[str]) -> None:
    missing, foreign = _missing(draft, t), _foreign(draft, t)
    if missing in draft.refused:  # its own error says why
        return
    gone = [repr(n) for n in t.actuators if n in orphans]
    idle = [repr(n) for n in t.actuators if n in draft.actuators and n not in draft.declared]
    if missing is None and foreign is not None:
        code, fault = "transmission-actuator-not-found", f"its actuator {foreign!r} is of an unknown type"
    elif missing is None:
        code, fault = "transmission-repeats", f"{t.repeated} is named twice"
    else:
        near = draft.report.near(missing, (n for n, j in draft.joints.items() if j.refs))
        code, fault = "transmission-joint-not-found", f"joint {missing!r} does not exist{near}"
    message = f"transmission {t.name!r}: {fault}; it is left out"
    message += f", and so is its actuator {', '.join(dict.fromkeys(gone))}" if gone else ""
    message += f"; actuator {', '.join(dict.fromkeys(idle))} does not act through it" if idle else ""
    draft.report.warning(code, message, t.source)


def _leave_out_sensors(draft: Draft, transmissions: Collection[str], actuators: set[str]) -> None:
    for s in list(draft.sensors.values()):
        for kind, name, out in (("transmission", s.transmission, transmissions), ("actuator", s.actuator, actuators)):
            if name is not None and name in out:
                message = f"{s.kind} {s.name!r} reads {kind} {name!r}, which is left out; so is the {s.kind}"
                draft.report.warning("encoder-target-not-found", message, s.source)
                draft.sensors.pop(s.name, None)
