"""Draws the pictures of the README, of the examples, of the tutorial and of the concepts, all in docs/figures.

python docs/pictures.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "src")]

import concept_pictures  # noqa: E402
from session import Session, blocks  # noqa: E402

import gearwright as gw  # noqa: E402
from gearwright.demo import four_bar, gripper, wrist  # noqa: E402
from gearwright.demo.chapter import Chapter  # noqa: E402
from gearwright.display.chart_style import alone  # noqa: E402
from gearwright.display.graph_svg import graph_svg  # noqa: E402
from gearwright.display.reach_plots import plot_reach  # noqa: E402

FIGURES = DOCS / "figures"
EXAMPLES = (
    "motor_arm",
    "wrist",
    "four_bar",
    "scara",
    "gripper",
    "backlash",
    "hunting",
    "lost_motion",
    "servo_step",
    "servo_arm",
    "ankle",
    "delta_picks",
    "stewart_head",
    "swing_up",
)
CHARTS = {  # of the demo's gripper: which figure
    "operating-point": "The operating point on the torque-speed curve",
    "modes": "Coupling error by mode",
    "energy": "Where the motor's work goes",
    "encoder": "Encoder against joint",
}


def main() -> None:
    chapters = {"gripper": gripper.story(quick=True), "wrist": wrist.story(quick=True)}
    chapters["four_bar"] = four_bar.story(quick=True)
    for name, chapter in chapters.items():
        write(f"demo-{name}.svg", chapter.film.loop(chapter.seconds, pixels=300))
    for name, title in CHARTS.items():
        write(f"demo-{name}.svg", figure(chapters["gripper"], title))
    (FIGURES / "gripper.svg").write_text(graph_svg(chapters["gripper"].robot), encoding="utf-8")
    for name in EXAMPLES:
        subprocess.run([sys.executable, DOCS.parent / "examples" / f"{name}.py", FIGURES / "examples"], check=True)
    plot_reach(gw.load("ankle"), FIGURES / "reach.svg")
    concept_pictures.main()
    tutorial()


def tutorial() -> None:
    """The plot that a reader of the tutorial draws."""
    with tempfile.TemporaryDirectory() as folder:
        reader = Session(Path(folder))
        for block in blocks((DOCS / "tutorial.md").read_text(encoding="utf-8")):
            reader.run(block)
        shutil.copy(Path(folder) / "move.png", FIGURES / "tutorial.png")


def figure(chapter: Chapter, title: str) -> str:
    return next(f.chart.svg() for f in chapter.figures if f.title == title)


def write(name: str, svg: str) -> None:
    path = FIGURES / name
    path.write_text(alone(svg), encoding="utf-8")
    print(path.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
