"""The real xacro package, in a process of its own: what it makes of files, for comparison."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = """
import contextlib, io, json, sys, types
import xacro

packages = {}
index, inner = types.ModuleType("ament_index_python"), types.ModuleType("ament_index_python.packages")
inner.get_package_share_directory = lambda name: packages[name]
sys.modules.update({"ament_index_python": index, "ament_index_python.packages": inner})
answers = []
for case in json.load(sys.stdin):
    packages.clear()
    packages.update(case["packages"])
    xacro.filestack = xacro.macrostack = None
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            document = xacro.process_file(case["file"], mappings=dict(case["arguments"]))
        answers.append([True, document.toprettyxml(indent="  ")])
    except BaseException as error:
        answers.append([False, f"{type(error).__name__}: {error}"])
json.dump(answers, sys.stdout)
"""


@dataclass(frozen=True)
class Case:
    """A file to expand, with the arguments and packages that it is given."""

    file: Path
    arguments: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)


def expanded(cases: list[Case]) -> list[tuple[bool, str]]:
    """For each case, whether it expanded, and to which text; one process for all of them."""
    asked = [{"file": str(c.file), "arguments": c.arguments, "packages": c.packages} for c in cases]
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM], input=json.dumps(asked), capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return [(ok, text) for ok, text in json.loads(done.stdout)]
