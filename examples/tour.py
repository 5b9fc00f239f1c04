"""The tour: every bundled robot, checked, shown in the terminal and drawn; two of them simulated.

Run `python examples/tour.py [FOLDER]`; the drawings go to `out/` unless another folder is named.
Each step is a command that you can type yourself.
"""

import os
import runpy
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402

ORDER = ("gripper", "wrist", "four_bar", "planetary")
MOVED = {"planetary": ("--effort", "sun_shaft=0.01"), "reference_arm": ("--set", "j1=0.5")}


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / "out"
    out.mkdir(parents=True, exist_ok=True)
    names = [*ORDER, *(name for name in gw.robots if name not in ORDER)]

    run("check", *names)
    for name in names:
        run("show", name)
    drawings = [nearby(out / f"{name}.svg") for name in names]
    for name, drawing in zip(names, drawings, strict=True):
        run("show", name, "--svg", drawing)

    plots = [nearby(out / f"{name}.png") for name in MOVED]
    for (name, push), plot in zip(MOVED.items(), plots, strict=True):
        run("run", name, "--duration", "2", *push, "--plot", plot)

    print("\nThe drawings open in any browser:", *drawings, sep="\n  ")
    print("What moved:", *plots, sep="\n  ")


def run(*arguments: str) -> None:
    """A `gearwright` command, as if typed."""
    print(f"\n$ gearwright {' '.join(arguments)}", flush=True)
    sys.argv = ["gearwright", *arguments]
    try:
        runpy.run_module("gearwright", run_name="__main__")
    except SystemExit as end:
        if end.code:
            sys.exit(f"the command ended with {end.code}")


def nearby(path: Path) -> str:
    """The path as seen from here, where that is shorter."""
    return min(str(path), os.path.relpath(path), key=len)


if __name__ == "__main__":
    main()
