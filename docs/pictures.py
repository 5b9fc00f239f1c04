"""Draws the pictures of the README and of the examples: docs/figures/*.svg of both and docs/figures/examples/*.png.

python docs/pictures.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "src"))

from gearwright.demo import four_bar, gripper, wrist  # noqa: E402
from gearwright.demo.chapter import Chapter  # noqa: E402
from gearwright.demo.style import alone  # noqa: E402
from gearwright.display.graph_svg import graph_svg  # noqa: E402

FIGURES = DOCS / "figures"
EXAMPLES = ("motor_arm", "wrist", "four_bar", "scara", "gripper", "backlash", "swing_up")
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


def figure(chapter: Chapter, title: str) -> str:
    return next(f.chart.svg() for f in chapter.figures if f.title == title)


def write(name: str, svg: str) -> None:
    path = FIGURES / name
    path.write_text(alone(svg), encoding="utf-8")
    print(path.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
