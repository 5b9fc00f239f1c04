"""From what `gw.view` is given to what it shows: a simulation, or a recording with its robot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.errors import GearwrightError
from gearwright.sim.recordings.formats import endings

if TYPE_CHECKING:
    from gearwright.model import Mechanism
    from gearwright.sim import Recording, Simulation


def subject(
    what: Any, robot: Any, search_path: Sequence[Any], options: dict[str, Any]
) -> Simulation | tuple[Recording, Mechanism]:
    from gearwright.sim import Recording, Simulation

    if is_recording(what):
        what = Recording.open(what)
    if isinstance(what, Recording):
        if options:
            raise GearwrightError(f"a recording is not compiled: leave out {sorted(options)[0]}=")
        return what, recorded_robot(what, robot, search_path)
    if robot is not None:
        raise GearwrightError("robot= is for recordings; a robot or a simulation has its own")
    if isinstance(what, Simulation):
        if what.batch != 1:
            raise GearwrightError(f"the viewer shows one robot; this simulation has {what.batch}")
        if options:
            raise GearwrightError(f"the simulation is compiled already: leave out {sorted(options)[0]}=")
        return what
    return compiled(_loaded(what, search_path), options)


def is_recording(what: Any) -> bool:
    """Whether it is a file that holds one, by its ending."""
    return isinstance(what, str | os.PathLike) and Path(what).suffix.lower() in endings()


def compiled(robot: Mechanism, options: dict[str, Any]) -> Simulation:
    """With wrenches on every link that moves, so that each can be pulled."""
    from gearwright.sim import compile

    moving = tuple(b.link for b in robot.tree.branches if b.joint.dof and b.link in robot.links)
    return compile(robot, **{"wrenches": tuple(dict.fromkeys(moving)), **options})


def _loaded(what: Any, search_path: Sequence[Any]) -> Mechanism:
    from gearwright.formats import load
    from gearwright.model import Mechanism

    return what if isinstance(what, Mechanism) else load(what, search_path=tuple(search_path))


def recorded_robot(recording: Recording, robot: Any, search_path: Sequence[Any]) -> Mechanism:
    """The robot that was recorded: as given, its own, or from the file that it names."""
    from gearwright import robots
    from gearwright.formats import load

    if robot is not None:
        return _loaded(robot, search_path)
    if recording.has_robot:
        return recording.robot
    schema = recording.schema
    name = Path(schema.file).name
    if name and Path(schema.file).is_file():
        return load(schema.file, base=schema.base or None, search_path=tuple(search_path))  # type: ignore[arg-type]
    if Path(name).stem in robots.names():
        return load(Path(name).stem, base=schema.base or None)  # type: ignore[arg-type]
    where = f"its file {schema.file!r} was not found" if name else "it names no file"
    raise GearwrightError(
        f"the recording of {schema.robot!r} does not contain the robot, and {where}: give it with robot= or --robot"
    )
