"""Summary of a simulation, as text and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gearwright.display.palette import TERMINAL
from gearwright.display.quantities import duration, number
from gearwright.display.visible import visible
from gearwright.errors import counted
from gearwright.sim import Recording, Simulation
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.state.units import actuator_units

MOST_ROWS = 40  # of a table
MOST_COUPLINGS = 4  # whose errors are listed, the largest first
SHOWN = ("command", "torque", "velocity", "position")  # of an actuator
PEAK_FAMILIES = ("coupling_error", "velocity")  # whose largest values a summary needs
Peaks = dict[str, dict[str, float]]  # family → name → largest absolute value
SMALLEST_ENERGY = 1e-12  # [J]; changes are given in percent above it


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The figures of a run. Of a batch, positions and energies are the first robot's."""

    robot: str
    steps: int
    dt: float  # [s]
    batch: int
    integrator: str
    compile_s: float
    wall_s: float  # the whole run, with its recording
    stepping_s: float  # the calls of machine code alone: start-up and files are not counted
    energy: dict[str, float]  # start, end [J]
    positions: dict[str, float]
    velocities: dict[str, float]
    coupling_errors: dict[str, float]  # the largest
    units: dict[str, tuple[str, str, str]]
    actuators: dict[str, dict[str, float]]  # command, torque, velocity and position of each
    sensors: dict[str, float]
    device_units: dict[str, dict[str, str]]
    warnings: list[str]
    infos: list[str] = field(default_factory=list)
    unsettled: int = 0  # steps of all robots
    files: list[str] = field(default_factory=list)

    @staticmethod
    def of(
        sim: Simulation, coupling_errors: dict[str, float], before: Any, steps: int, times: Mapping[str, float],
        warnings: Sequence[str] = (), infos: Sequence[str] = (), files: Sequence[str] = (),
    ) -> Outcome:  # fmt: skip
        def first(value: Any) -> float:
            return float(np.ravel(value)[0])

        return Outcome(
            robot=sim.robot.name, steps=steps, dt=sim.dt, batch=sim.batch, integrator=sim.options.integrator,
            **times, energy={"start": first(before), "end": first(sim.energy)},
            positions={n: first(v) for n, v in sim.position.items()},
            velocities={n: first(v) for n, v in sim.velocity.items()},
            coupling_errors=coupling_errors, files=list(files),
            actuators={n: {w: first(getattr(a, w)) for w in SHOWN} for n, a in sim.actuator.items()},
            sensors={n: first(v) for n, v in sim.sensor.items()}, device_units=_device_units(sim),
            units=_coupling_units(sim) | {n: u[:3] for n, u in sim.layout.units.items()},
            warnings=[*(d.message for d in sim.diagnostics if d.severity != "info"), *warnings],
            infos=[*(d.message for d in sim.diagnostics if d.severity == "info"), *infos],
            unsettled=int(np.sum(sim.unsettled)),
        )  # fmt: skip

    @property
    def ns_per_robot_step(self) -> float:
        return 1e9 * self.stepping_s / max(1, self.steps * self.batch)

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds, of all robots together, per second."""
        return self.steps * self.dt * self.batch / max(self.stepping_s, 1e-12)

    def as_data(self) -> dict[str, Any]:
        """The data that `--json` prints."""
        data = {k: v for k, v in asdict(self).items() if k not in ("units", "device_units")}
        return data | {"ns_per_robot_step": self.ns_per_robot_step, "real_time_factor": self.real_time_factor}

    def page(self) -> RenderableType:
        """Title, figures, joints, warnings, files."""
        robots = "" if self.batch == 1 else f"  {self.batch:,} robots"
        title = Text.assemble((visible(self.robot) or "(no name)", "bold"), robots)
        parts: list[RenderableType] = [title, Text(), self._figures(), Text(), self._joints()]
        if self.actuators:
            parts += [Text(), self._actuators()]
        if self.sensors:
            parts += [Text(), self._sensors()]
        left_out = len(self.positions) - MOST_ROWS
        if left_out > 0:
            parts.append(Text(f"and {left_out} more (--json lists all)", style="dim italic"))
        if self.warnings or self.infos:
            parts.append(Text())
        parts += [Text(f"warning: {visible(w)}", style="yellow") for w in self.warnings]
        parts += [Text(f"info: {visible(i)}", style="dim") for i in self.infos]
        parts += [Text(f"wrote {visible(f)}", style="dim") for f in self.files]
        return Group(*parts)

    def _figures(self) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(style="dim")
        table.add_column()
        simulated = f"{duration(self.steps * self.dt)} in {counted(self.steps, 'step')} of {duration(self.dt)}"
        table.add_row("simulated", f"{simulated}, {self.integrator}")
        table.add_row("compiled in", duration(self.compile_s))
        table.add_row("run in", f"{duration(self.wall_s)}, of which steps took {duration(self.stepping_s)}")
        if self.steps:
            each = f"{number(self.ns_per_robot_step, 3)} ns per robot-step"
            table.add_row("speed", f"{each}, {number(self.real_time_factor, 3)} × real time")
        table.add_row("energy", self._energy())
        if self.unsettled:
            share = f"{counted(self.unsettled, 'step')} of {self.steps * self.batch:,}"
            table.add_row("unsettled", Text(f"{share}: take a smaller --dt", style="yellow"))
        largest = sorted(self.coupling_errors.items(), key=lambda item: -item[1])
        for name, error in largest[:MOST_COUPLINGS]:
            text = Text.assemble((visible(name), TERMINAL["coupling"]), f" at most {number(error)} {self.unit(name)}")
            table.add_row("coupling error", text)
        if len(largest) > MOST_COUPLINGS:
            table.add_row("", Text(f"none larger at {len(largest) - MOST_COUPLINGS} more", style="dim"))
        return table

    def _energy(self) -> str:
        start, end = self.energy["start"], self.energy["end"]
        share = f" ({number(100 * (end - start) / abs(start), 3)} %)" if abs(start) > SMALLEST_ENERGY else ""
        return f"{number(start)} → {number(end)} J, change {number(end - start)} J{share}"

    def unit(self, name: str) -> str:
        """The unit of a position or of a coupling's error."""
        return self.units.get(name, ("",))[0]

    def _actuators(self) -> Table:
        table = _columns("actuator", "command", "effort", "velocity")
        for name, values in list(self.actuators.items())[:MOST_ROWS]:
            units = self.device_units[name]
            cells = [(number(values[w]), units[w]) for w in ("command", "torque", "velocity")]
            table.add_row(visible(name), *(text for cell in cells for text in cell))
        return table

    def _sensors(self) -> Table:
        table = _columns("sensor", "reading")
        for name, value in list(self.sensors.items())[:MOST_ROWS]:
            table.add_row(visible(name), number(value), self.device_units.get(name, {}).get("reading", ""))
        return table

    def _joints(self) -> Table:
        table = _columns("at the end", "position", "velocity")
        for name, position in list(self.positions.items())[:MOST_ROWS]:
            moving = name in self.velocities
            velocity = (number(self.velocities[name]), self.units[name][1]) if moving else ("", "")
            unit = self.units[name][0]
            table.add_row(visible(name), number(position), "" if unit == "1" else unit, *velocity)
        return table


def peaks_of(recording: Recording) -> Peaks:
    return {
        family: {n: float(np.abs(v).max(initial=0.0)) for n, v in getattr(recording, family).items()}
        for family in PEAK_FAMILIES
    }


def too_fast(schema: Schema, speeds: Mapping[str, float]) -> list[str]:
    """A word on the joint that exceeds its velocity limit most; nothing enforces such a limit."""
    limits = {n: upper for n, (_, upper) in schema.limits.get("velocity", {}).items()}
    ratios = {n: speed / limits[n] for n, speed in speeds.items() if n in limits and speed > limits[n]}
    if not ratios:
        return []
    worst = max(ratios, key=ratios.__getitem__)
    unit = schema.by_family["velocity"][worst].unit
    others = f", and {counted(len(ratios) - 1, 'other joint')} beyond theirs" if len(ratios) > 1 else ""
    reached = (
        f"joint {worst!r} reaches {number(speeds[worst], 3)} {unit}, beyond its limit of {number(limits[worst])} {unit}"
    )
    return [f"{reached}{others}; velocity limits of joints do not act, those of actuators do"]


def _columns(first: str, *numbers: str) -> Table:
    """A table of names, and of numbers with their units."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="right")
        table.add_column()
    return table


def _coupling_units(sim: Simulation) -> dict[str, tuple[str, str, str]]:
    """A coupling has the units of its follower, whose name it need not have."""
    errors, efforts = (sim.schema.by_family.get(f"coupling_{what}", {}) for what in ("error", "effort"))
    return {name: (s.unit, f"{s.unit}/s", efforts[name].unit) for name, s in errors.items()}


def _device_units(sim: Simulation) -> dict[str, dict[str, str]]:
    found = {name: actuator_units(sim.robot, name) for name in sim.actuator}
    for reading, signal in sim.signals.family("sensor").signals.items():
        found.setdefault(reading, {})["reading"] = signal.unit
    return found
