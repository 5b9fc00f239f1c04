"""Draws the whole gallery and writes docs/gallery.md from what its scripts say of themselves.

python examples/gallery/page.py [FOLDER]

The pictures go to the folder, or to docs/figures/gallery, where the page looks for them.
"""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
ORDER = (
    "geared_pendulums", "rack_and_pinion", "parallel_gripper", "planetary_gear", "tendon_finger", "four_bar",
    "pantograph", "delta", "gear_train",
)  # fmt: skip

HEAD = """# Gallery

Small mechanisms, each a commented file and a short script under [`examples/gallery`](../examples/gallery). Run one with
`python examples/gallery/NAME.py`; it writes its picture to `out/`. `python examples/gallery/page.py` draws all of
them and writes this page.
"""


def page() -> str:
    return "\n".join([HEAD, *map(entry, ORDER)])


def entry(name: str) -> str:
    """A script's first line as the heading, the rest as it is, its picture and its files."""
    text = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))) or name
    title, _, words = text.partition("\n")
    (robot,) = (p.name for p in HERE.glob(f"{name}.*") if p.suffix in (".sdf", ".urdf"))
    files = " · ".join(f"[`{f}`](../examples/gallery/{f})" for f in (robot, f"{name}.py"))
    return f"## {title.rstrip('.')}\n\n{words.strip()}\n\n![{title}](figures/gallery/{name}.png)\n\n{files}\n"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "figures" / "gallery"
    sys.argv = ["", str(folder)]  # what the scripts read
    for name in ORDER:
        runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    target = DOCS if folder.parent.parent == DOCS else folder
    (target / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
