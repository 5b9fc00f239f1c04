"""A gear train, and how many sweeps it takes: pgs and tgs against direct.

Seven hard couplings connect eight gears, and a torque oscillates at each end. `direct` solves all rows at once. PGS and
TGS converge linearly and reach round-off by 256 sweeps; at 64 sweeps PGS is ahead, because it starts from the impulses
of the last step. With a flywheel on every second shaft, a hundred times as heavy as a gear, the constraints are badly
scaled. There TGS is ahead from the second sweep on, and eight times closer at 64, because it evaluates the errors again
after each sweep.
"""

import numpy as np
from drawing import BLUE, ORANGE, draw, poses, robot, save, scene, titled
from matplotlib import pyplot as plt

import gearwright as gw

SHAFTS = [f"shaft_{k}" for k in range(8)]
FLYWHEELS = [f"{name}.armature" for name in SHAFTS[1::2]]
INERTIA = 1.97e-5  # of a gear [kg·m²]
EFFORT = {"shaft_0": lambda t: 2e-4 * np.sin(30 * t), "shaft_7": lambda t: 1e-4 * np.cos(50 * t)}  # [N·m]
SOLVERS = {"pgs": BLUE, "tgs": ORANGE}


def main() -> None:
    train = robot("gear_train")
    figure, panels = plt.subplot_mosaic(
        [["picture"] * 2, ["equal", "flywheels"]], figsize=(9, 5.4), height_ratios=(0.45, 1), layout="constrained"
    )
    sim = gw.compile(train)
    sim.reset(position={"shaft_0": 0.6})
    draw(panels["picture"], train, poses(sim))
    scene(panels["picture"], "eight gears of 40 mm")
    for panel, heavier, counts in (("equal", 0, 4 ** np.arange(7)), ("flywheels", 99, 2 ** np.arange(8))):
        want = path(train, heavier)
        for solver, colour in SOLVERS.items():
            errors = [np.abs(path(train, heavier, solver=solver, iterations=int(n)) - want).max() for n in counts]
            panels[panel].loglog(counts, np.maximum(errors, 1e-16), "o-", color=colour, markersize=3.5, label=solver)
        panels[panel].legend(frameon=False)
    titled(panels["equal"], "gears alone", "sweeps a step", "largest difference from direct [rad]")
    titled(panels["flywheels"], "a flywheel on every second shaft", "sweeps a step")
    save(figure, __file__)


def path(train, heavier, **solver):
    """All angles over 0.2 s, (8, T) [rad]."""
    sim = gw.compile(train, coupling="hard", parameters=FLYWHEELS, **solver)
    sim.set_parameters(dict.fromkeys(FLYWHEELS, heavier * INERTIA))
    sim.reset()
    rec = sim.run(0.2, effort=EFFORT)
    return np.array([rec.position[name] for name in SHAFTS])


if __name__ == "__main__":
    main()
