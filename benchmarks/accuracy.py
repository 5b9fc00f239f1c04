"""How accurate a step of 1 ms is: the mechanisms of the tests, by the default step and by the first-order one.

    python benchmarks/accuracy.py [--write]

`--write` puts the table into docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import gearwright as gw  # noqa: E402
from benchmarks.page import write_section  # noqa: E402
from tests.sim import test_accuracy as small  # noqa: E402
from tests.sim import test_fast_loops as loops  # noqa: E402
from tests.sim import test_passive as passive  # noqa: E402

PAGE = ROOT / "docs" / "accuracy.md"
BEGIN, END = "<!-- figures: begin (written by benchmarks/accuracy.py) -->", "<!-- figures: end -->"
DT = 1e-3


def energy_of(robot: gw.Mechanism, start: dict[str, Any], seconds: float, scale: float | None, **options: Any) -> float:
    """The largest error of the energy, as a share of the scale; of the start's kinetic energy without one."""
    sim = gw.compile(robot, **options)
    sim.reset(**start)
    return float(small.drift(sim, seconds, sim.kinetic_energy if scale is None else scale))


def double_pendulum(**o: Any) -> float:
    robot = gw.loads(small.DOUBLE_PENDULUM)
    return energy_of(robot, {"position": {"shoulder": 1.5, "elbow": 0.7}}, 10.0, small.G * 0.5, **o)


def free_arm(dt: float = DT, **o: Any) -> float:
    robot = small.free_arm()
    sim = gw.compile(robot)
    heights = []
    for angle in (0.0, np.pi):
        sim.reset(position={"j1": angle})
        heights.append(sim.potential_energy)
    scale = abs(float(heights[0]) - float(heights[1]))
    return energy_of(robot, {"position": {"j1": 0.3, "j3": -0.5}}, 5.0, scale, dt=dt, **o)


def tumbling(**o: Any) -> float:
    robot = small.sdf(small.link("body", 2.0, "0 0 0", (0.01, 0.02, 0.025)))
    start = {"velocity": {"base": [0.1, 0.2, 0.0, 1.0, 8.0, 0.5]}}
    return energy_of(robot, start, 20.0, None, gravity=(0, 0, 0), **o)


def coupled(**o: Any) -> float:
    return energy_of(small.coupled(), {"position": {"lead": 1.2}}, 4.0, small.G * 0.5, **o)


def pushed(**o: Any) -> float:
    """After half a second."""
    sim = gw.compile(small.four_bar(), **o)
    start = sim.energy
    gained = sim.run(0.5, effort={"pin_a": 0.01}).energy[-1] - start
    return float(abs(gained / loops.exact_energy_gain(0.01, 0.5, 0.0, loops.G) - 1.0))


def turning(robot: gw.Mechanism, crank: str, turns: float, *, on_the_way: bool = False, **o: Any) -> float:
    """After a second, or at most in it; no gravity."""
    sim = gw.compile(robot, gravity=(0, 0, 0), **o)
    sim.reset(velocity={crank: 2 * np.pi * turns})
    start = sim.energy
    errors = np.abs(sim.run(1.0).energy / start - 1.0)
    return float(errors.max() if on_the_way else errors[-1])


def turning_four_bar(turns: float, *, on_the_way: bool = False) -> Callable[..., float]:
    return lambda **o: turning(small.four_bar(), "pin_a", turns, on_the_way=on_the_way, **o)


def falling(**o: Any) -> float:
    """The worst of ten chains and trees."""
    worst = 0.0
    for seed in range(0, 200, 20):
        sim = gw.compile(passive.mechanism(seed), **o)
        before = sim.energy
        worst = max(worst, float(passive.appearing(np.r_[before, sim.run(2.0).energy])))
    return worst


CASES: dict[str, tuple[str, Callable[..., float]]] = {
    "double pendulum, 10 s": ("0.2 % of m·g·l", double_pendulum),
    "free seven-joint arm, 5 s": ("1 % of upright to hanging", free_arm),
    "the same at 2 ms": ("5 %", lambda **o: free_arm(2e-3, **o)),
    "tumbling body, 20 s": ("0.1 %", tumbling),
    "polynomial coupling (exact), 4 s": ("0.3 % of m·g·l", coupled),
    "four-bar pushed by 0.01 N·m, after 0.5 s": ("1 % of the work", pushed),
    "four-bar free at 3 turns per second, peak": ("0.1 %", turning_four_bar(3, on_the_way=True)),
    "— after 1 s, at 3": ("", turning_four_bar(3)),
    "four-bar at 10 turns per second, peak": ("2 %", turning_four_bar(10, on_the_way=True)),
    "— after 1 s, at 10": ("", turning_four_bar(10)),
    "four-bar at 75 turns per second, peak": ("", turning_four_bar(75, on_the_way=True)),
    "— after 1 s, at 75": ("", turning_four_bar(75)),
    "slider-crank at 10 turns per second, peak": (
        "1 %",
        lambda **o: turning(loops.slider_crank(), "main", 10, on_the_way=True, **o),
    ),
    "chains and trees falling onto their stops, 2 s": ("0.1 % of the fall", falling),
}


def figure(case: Callable[..., float], **options: Any) -> str:
    try:
        return f"{100.0 * case(**options):.2g} %"
    except gw.SimulationError:
        return "diverges"


def table() -> str:
    lines = ["| energy error at 1 ms | target | first order | default |", "|---|---|---|---|"]
    for name, (asked, case) in CASES.items():
        lines.append(f"| {name} | {asked} | {figure(case, integrator='euler')} | {figure(case)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    write = parser.parse_args().write
    warnings.simplefilter("ignore", gw.UnsettledWarning)
    found = table()
    if write:
        write_section(PAGE, BEGIN, END, found)


if __name__ == "__main__":
    main()
