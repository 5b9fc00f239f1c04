"""Runs a page as a reader would who types everything into one folder, and compares what is printed.

    python docs/session.py docs/tutorial.md …            # compares; each page in a folder and session of its own
    python docs/session.py docs/tutorial.md … --update   # writes what was printed into the page

    python docs/session.py --here docs/contributing.md   # in this folder instead of an empty one

A block with `title="FILE"` is saved under that name; of a `diff` block, the lines with + are put into that file.
`python` blocks are one session; of `bash` blocks, lines that begin with `gearwright` or `python` are run. A `text`
block directly behind one is what it prints, warnings included: `LoadWarning: …`. A warning that a page does not show
is a difference.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
PRINTED = re.compile(r"\n*```text\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code of a page, and what it is said to print."""

    language: str
    title: str | None
    text: str
    printed: str | None
    end: int  # where its fence ends in the page


def blocks(page: str) -> Iterator[Block]:
    for fence in FENCE.finditer(page):
        if fence["language"] != "text":
            said = PRINTED.match(page, fence.end())
            yield Block(fence["language"], fence["title"], fence["text"], said and said["text"], fence.end())


class Session:
    """One reader: a folder, a Python session, a terminal of 100 columns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.warned = False  # by the last block

    def run(self, block: Block) -> str | None:
        """What the block prints; None of a block that runs nothing."""
        self.warned = False
        if block.title:
            file = self.folder / block.title
            file.write_text(_changed(file, block.text) if block.language == "diff" else block.text, encoding="utf-8")
            return None
        if block.language == "python":
            return self._python(block.text)
        if block.language == "bash":
            return self._terminal(block.text, may_fail=block.printed is not None)
        return None

    def _python(self, code: str) -> str:
        with (
            contextlib.chdir(self.folder), contextlib.redirect_stdout(io.StringIO()) as printed,
            warnings.catch_warnings(),
        ):  # fmt: skip
            warnings.showwarning = self._print_warning
            exec(compile(code, "<page>", "exec"), self.names)
        return printed.getvalue()

    def _print_warning(self, message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        self.warned = True
        print(f"{category.__name__}: {message}")

    def _terminal(self, lines: str, may_fail: bool) -> str:
        """Commands of this very interpreter's environment, whatever is on the path."""
        printed = ""
        environment = os.environ | {"COLUMNS": "100", "MPLBACKEND": "Agg", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        for line in lines.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            start = {"gearwright": ["-m", "gearwright"], "python": []}.get(words[0] if words else "")
            if start is not None:
                done = subprocess.run(
                    [sys.executable, *start, *words[1:]], cwd=self.folder, env=environment,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
                )  # fmt: skip
                printed += done.stdout
                if done.returncode and not may_fail:
                    raise RuntimeError(f"{line}\nends with {done.returncode}:\n{done.stdout}")
        return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def _changed(file: Path, diff: str) -> str:
    """The file's text with a diff's lines: those without a sign are where they belong."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    text = file.read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise RuntimeError(f"{file.name} does not have, once:\n{before}")
    return text.replace(before, after)


def differences(page: str, folder: Path) -> Iterator[tuple[Block, str]]:
    """Blocks that print something else than the page says, with what they print."""
    session = Session(folder)
    for block in blocks(page):
        printed = session.run(block)
        shown = block.printed if block.printed is not None or not session.warned else ""
        if printed is not None and shown is not None and printed != shown:
            yield block, printed


def main(path: Path, update: bool, here: bool) -> bool:
    """Whether the page prints what it says."""
    page = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        found = list(differences(page, Path.cwd() if here else Path(folder)))
    for block, printed in found:
        print(f"{path}:\n{block.text}prints\n{printed}but the page says\n{block.printed}")
    for block, printed in reversed(found):
        said = PRINTED.match(page, block.end)
        if said is not None:
            page = page[: said.start("text")] + printed + page[said.end("text") :]
    if update:
        path.write_text(page, encoding="utf-8")
    return not found


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    right = [main(Path(name), "--update" in sys.argv, "--here" in sys.argv) for name in names]
    sys.exit(not all(right))
