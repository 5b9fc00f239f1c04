"""Charts of a run: what moved, what pushed, what was stored; motors on their curves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gearwright.demo.chapter import Figure
from gearwright.display.charts import Chart, ChartLine, Traveller
from gearwright.display.devices import strength
from gearwright.display.quantities import number
from gearwright.display.solids import Array
from gearwright.display.visible import visible
from gearwright.errors import counted
from gearwright.model import Actuator, DCMotor, Mechanism
from gearwright.sim import Recording
from gearwright.sim.signals import Signal

COLOURS = ("blue", "orange", "green", "pink", "red", "sky", "violet", "grey")
MOST_MOTORS = 6
LONGEST = 22  # characters of a name in a legend
FAMILIES = {  # family of a recording → title of its chart
    "position": "Positions",
    "velocity": "Speeds",
    "command": "Commands",
    "torque": "Efforts of motors",
    "coupling_error": "Coupling errors",
    "sensor": "Sensors",
}
ENERGIES = {  # signal → label, colour, kind of line
    "kinetic_energy": ("kinetic", "orange", ""),
    "potential_energy": ("potential", "green", ""),
    "energy": ("total", "blue", "dash"),
}
SAMPLES = 200  # of a motor's curve: where its drive cuts it off is seen
ROUND = 4.0  # [s] in which a motor's point goes round
STILL = 1e-12  # below which nothing moved


def run_figures(recording: Recording, robot: Mechanism) -> list[Figure]:
    """A chart a family and unit, energies, and motors; what did not move at all is left out."""
    return [*_families(recording), *_energy(recording), *_motors(recording, robot)]


def _families(recording: Recording) -> Iterator[Figure]:
    for family, title in FAMILIES.items():
        own = [s for s in recording.schema.stored if s.family == family and not s.shape]
        for unit in dict.fromkeys(s.unit for s in own):
            lines = {s.name: _first(recording.read(s)) for s in own if s.unit == unit}
            moved = {name: y for name, y in lines.items() if float(np.ptp(y)) > STILL}
            if moved:
                yield _figure(title, unit, recording.time, moved, len(lines))


def _figure(title: str, unit: str, time: Array, lines: dict[str, Array], total: int) -> Figure:
    """The ones that move most."""
    shown = sorted(lines, key=lambda name: -float(np.ptp(lines[name])))[: len(COLOURS)]
    drawn = [
        ChartLine(label=_short(name), x=time, y=lines[name], colour=COLOURS[i])
        for i, name in enumerate(n for n in lines if n in shown)
    ]
    quantity = f"{title.lower().split()[0]} [{unit}]" if unit else title.lower()
    still = total - len(lines)
    parts = [f"the {len(shown)} that move most of {len(lines)}"] if len(shown) < len(lines) else []
    parts += [f"{counted(still, 'other')} did not move"] if still else []
    caption = "; ".join(parts)
    chart = Chart(x_label="time [s]", y_label=quantity, lines=drawn, label=title)
    return Figure(title=title, chart=chart, caption=caption[:1].upper() + caption[1:])


def _energy(recording: Recording) -> Iterator[Figure]:
    """The total last and dashed: where the others are zero it lies on one of them."""
    known = recording.schema.by_family.get("", {})
    lines = [
        ChartLine(label=label, x=recording.time, y=_first(recording.read(known[name])), colour=colour, kind=kind)
        for name, (label, colour, kind) in ENERGIES.items()
        if name in known
    ]
    if lines:
        chart = Chart(x_label="time [s]", y_label="energy [J]", lines=lines, label="energy")
        yield Figure(title="Energy", chart=chart, caption="")


def _motors(recording: Recording, robot: Mechanism) -> Iterator[Figure]:
    with_curve = [a for a in robot.actuators.values() if a.torque_speed][:MOST_MOTORS]
    for actuator in with_curve:
        speed, torque = _signal(recording, "shaft_velocity", actuator), _signal(recording, "torque", actuator)
        if speed is not None and torque is not None:
            yield _motor(actuator, _first(recording.read(speed))[1:], _first(recording.read(torque))[1:])


def _signal(recording: Recording, family: str, actuator: Actuator) -> Signal | None:
    return recording.schema.by_family.get(family, {}).get(actuator.name)


def _motor(actuator: Actuator, speed: Array, torque: Array) -> Figure:
    """All four quadrants where it uses them, otherwise the first."""
    points = np.array(actuator.torque_speed)
    s = np.union1d(points[:, 0], np.linspace(points[0, 0], points[-1, 0], SAMPLES))
    limit = np.minimum(np.interp(s, *points.T), actuator.effort_limit)
    curve = [ChartLine(label=_curve(actuator), x=s, y=limit, colour="grey", kind="dash")]
    if speed.size and (speed.min() < 0 or torque.min() < 0):
        curve.append(ChartLine(label="backwards", x=-s[::-1], y=-limit[::-1], colour="grey", kind="dash thin"))
    path = ChartLine(label=_short(actuator.name), x=speed, y=torque, colour="blue")
    thinned = slice(None, None, max(1, len(speed) // 200))
    point = [Traveller(x=speed[thinned], y=torque[thinned], colour="red", seconds=ROUND)] if len(speed) > 1 else []
    chart = Chart(
        x_label="speed [rad/s]", y_label="torque [N·m]", lines=[*curve, path], travellers=point, label="operating point"
    )
    return Figure(title=f"{visible(actuator.name)} on its curve", chart=chart, caption=strength(actuator))


def _curve(actuator: Actuator) -> str:
    """A brushed motor's curve is that of its supply, whatever voltage is commanded."""
    supply = actuator.supply_voltage if isinstance(actuator, DCMotor) else None
    return "curve" if supply is None else f"curve at {number(supply, 3)} V"


def _first(values: Array) -> Array:
    """The first robot's of a batch."""
    return values if values.ndim == 1 else values[:, 0]


def _short(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
