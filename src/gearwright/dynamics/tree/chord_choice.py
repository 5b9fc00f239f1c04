"""Which bodies of a free base go straight, and turn about a fixed axis, in a step: see `chords`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gearwright.dynamics.algebra.spatial import Mass, Vector
from gearwright.dynamics.tree.bodies import GROUND, Bodies, Body, assembled, matrix
from gearwright.dynamics.tree.chords import BaseSlide, Chord, Path
from gearwright.dynamics.tree.joints import BallFreedom, SlideFreedom
from gearwright.given_numbers import Array
from gearwright.model import WORLD, Mechanism

MUCH_MORE = 10.0  # times the base's own mass or inertia; below it, the base's own path errs no more than other steps


class WeldedBody(NamedTuple):
    """Mass of a body with all that is welded to it, as the file has it. Any choice by it makes a valid step."""

    mass: float  # [kg]
    centre: Array  # of mass, from the body's origin in its axes (3,) [m]
    moments: Array  # of inertia about the centre of mass, principal, the smallest first (3,) [kg·m²]


def chords(
    mechanism: Mechanism, numbers: Mapping[str, float], system: Bodies, held: Collection[str]
) -> tuple[Chord, ...]:
    """One for each base that is light beside what it carries; `held`: coordinates that have a row of their own."""
    bases = [*_bases(mechanism, system, held)]
    if not bases:
        return ()
    as_written = assembled(mechanism, numbers)
    rigid = [_rigid(body.mass) for body in as_written.bodies]
    chosen = (_chord(system, rigid, slides) for slides in bases)
    return tuple(_reframed(chord, as_written, system) for chord in chosen if chord is not None)


def _bases(mechanism: Mechanism, system: Bodies, held: Collection[str]) -> Iterator[Path]:
    """The slides of each joint on the ground that goes anywhere, in space or in a plane."""
    for branch in mechanism.tree.branches:
        joint = branch.joint
        free = {name for name in joint.coordinates if name not in joint.axis_coordinates}
        if branch.parent == WORLD and not branch.backward and free.isdisjoint(held):
            bodies = [i for i, b in enumerate(system.bodies) if system.velocities[b.velocities[0]] in free]
            slides = tuple(i for i in bodies if isinstance(system.bodies[i].freedom, SlideFreedom))
            if slides:
                yield slides


def _chord(system: Bodies, rigid: Sequence[WeldedBody], slides: Path) -> Chord | None:
    """None where the base's own path will do. The point is in the axes that the file has."""
    base = slides[-1] + 1
    own, paths = rigid[base], {i: path for i in range(base, len(rigid)) if base in (path := _path(system, i))}
    heaviest = max(paths, key=lambda i: rigid[i].mass)
    if rigid[heaviest].mass <= MUCH_MORE * own.mass:
        heaviest = base
    slowest = max(paths, key=lambda i: rigid[i].moments[2])
    if rigid[slowest].moments[2] <= MUCH_MORE * own.moments[2] or not isinstance(
        system.bodies[base].freedom, BallFreedom
    ):
        slowest = base
    offset = rigid[heaviest].centre
    centred = heaviest == base and own.mass * (offset @ offset) <= MUCH_MORE * own.moments[0]
    centre, turning = () if centred else paths[heaviest][len(slides) :], paths[slowest][len(slides) + 1 :]
    if not centre and not turning:
        return None
    lines = tuple(_line(system.bodies[i]) for i in slides)
    return Chord(lines, centre, Vector(*offset.tolist()), turning, system.bodies[base] if turning else None)


def _line(body: Body) -> BaseSlide:
    assert isinstance(body.freedom, SlideFreedom)
    return BaseSlide(body.positions[0], body.velocities[0], body.freedom.direction)


def _path(system: Bodies, i: int) -> Path:
    """From the ground to body i."""
    found: list[int] = []
    while i != GROUND:
        found.append(i)
        i = system.bodies[i].parent
    return tuple(reversed(found))


def _rigid(mass: Mass) -> WeldedBody:
    if not mass.m:
        return WeldedBody(0.0, np.zeros(3), np.zeros(3))
    centre = np.array(mass.h) / mass.m
    second = np.array(mass.S.rows) - mass.m * np.outer(centre, centre)
    return WeldedBody(float(mass.m), centre, np.linalg.eigvalsh(np.trace(second) * np.eye(3) - second))


def _reframed(chord: Chord, as_written: Bodies, system: Bodies) -> Chord:
    """With the point in the axes that were chosen for the body."""
    if not chord.centre:
        return chord
    name = next(name for name, (body, _) in as_written.links.items() if body == chord.centre[-1])
    (_, old), (_, new) = as_written.links[name], system.links[name]
    back = old.inverse()
    return replace(chord, point=matrix(new.R).apply(matrix(back.R).apply(chord.point) + back.p) + new.p)
