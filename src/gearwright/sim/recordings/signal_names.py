"""Signals as people name them: `knee.position`, `motor.torque`, `motor.velocity`, `energy`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gearwright.errors import ModelError, UnknownNameError
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import FAMILIES, STATE, Signal, kind, word

WORDS = {"reading": "sensor", "value": "sensor", "effort_of_coupling": "coupling_effort"}  # families by other words
MEANT = {"speed": "velocity", "angle": "position", "force": "effort", "torque": "effort", "amps": "current"}


def label(signal: Signal) -> str:
    """The name in tables and legends. A shaft's has its family's name where a joint could have the same."""
    if not signal.family:
        return signal.name
    if kind(signal.family) == "joint":  # no other joint has its name
        return f"{signal.name}.{word(signal.family)}"
    short = signal.family.removeprefix(STATE)  # a state of a user's kind may have the name of a family
    return f"{signal.name}.{signal.family if short in FAMILIES else short}"


def find(schema: Schema, names: str | Sequence[str] | None) -> list[Signal]:
    """Signals by name: `knee.position`, a family (`position`), a joint or device (`knee`), or `energy`."""
    if names is None:
        return list(schema.stored)
    if isinstance(names, str):
        names = [names]
    found: dict[Signal, None] = {}
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"a signal must be named by a text such as 'knee.position', not {name!r:.60}")
        found |= dict.fromkeys(_found(schema, name))
    return list(found)


def _found(schema: Schema, name: str) -> list[Signal]:
    known = _by_name(schema)
    if name in known:
        return [known[name]]
    shown = [s for s in schema.signals if s.family not in ("table", "")]
    if own := [s for s in shown if name in (s.family, *_other_word(s))]:
        return own
    for family, groups in schema.members.items():
        for group, members in groups.items():
            if name in (group, f"{group}.{word(family)}"):
                return [s for s in shown if s.family == family and s.name in members]
    if own := [s for s in shown if s.name == name and s.stored]:
        return own
    head, _, last = name.rpartition(".")
    if last in WORDS and (signal := schema.by_family.get(WORDS[last], {}).get(head)):
        return [signal]
    families = dict.fromkeys(s.family for s in shown)
    raise UnknownNameError("signal", name, [*known, *families], meant=_meant(name, known))


def _meant(name: str, known: Collection[str]) -> str:
    """A signal by another word for its family, or with its parts the other way round: `velocity.knee`."""
    head, _, last = name.rpartition(".")
    first, _, rest = name.partition(".")
    tried = (f"{owner}.{MEANT.get(word, word)}" for owner, word in ((head, last), (rest, first)))
    return next((meant for meant in tried if meant in known), "")


def _other_word(signal: Signal) -> tuple[str, ...]:
    """What people call a family that has another name: `position` of a shaft, or of a joint that closes a loop."""
    row = FAMILIES.get(signal.family)
    return (row.word,) if row is not None and row.word else ()


def _by_name(schema: Schema) -> dict[str, Signal]:
    known = {f"{s.name}.{other}": s for s in schema.signals if s.family for other in _other_word(s)}
    return known | {label(s): s for s in schema.signals if s.family != "table"}
