"""Writes the pages that are made from data: docs/diagnostics.md and docs/peers.md. Run it after changing either.

python docs/generate.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "src")]

from gearwright import diagnostics  # noqa: E402
from tests.corpus.differences import DIFFERENCES  # noqa: E402


def diagnostics_page() -> str:
    """One table a family, as the comments of CODES group them."""
    lines = [
        "# Diagnostics",
        "",
        "Everything that is wrong with a file is collected before loading fails, and printed as",
        "`file:line: severity: message [code]`, with the nearest valid name where a name was wrong. In Python:",
        "`gw.LoadError.diagnostics`, and `robot.diagnostics` of a file that loaded; on the command line:",
        "`gearwright check FILE`, with `--json` for programs. The same code may be an error in one place and a warning",
        "in another: an error means that no mechanism could be made that does what the file says.",
    ]
    source = Path(diagnostics.__file__).read_text(encoding="utf-8")
    table = source[source.index("CODES: dict[str, str] = {") :]
    for line in table.splitlines()[1:]:
        heading = re.fullmatch(r"    # (.*)", line)
        if heading:
            lines += ["", f"## {heading[1][0].upper()}{heading[1][1:]}", "", "| code | when |", "|---|---|"]
        code = re.match(r'    "([a-z0-9-]+)":', line)
        if code:
            lines.append(f"| `{code[1]}` | {diagnostics.CODES[code[1]]} |")
    return "\n".join(lines) + "\n"


def peers_page() -> str:
    lines = [
        "# Where reading differs from other programs",
        "",
        "Files are read as libsdformat, urdfdom, ros2_control and Drake read them, and their own test cases are among",
        "ours. These are the places where Gearwright does something else on purpose.",
        "",
        "| theirs | ours | why |",
        "|---|---|---|",
    ]
    lines += [f"| {d.theirs} | {d.ours} | {d.reason} |" for d in DIFFERENCES]
    return "\n".join(lines) + "\n"


PAGES = {"diagnostics.md": diagnostics_page, "peers.md": peers_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
