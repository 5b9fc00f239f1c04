"""Scripts one after another, each in a process and a folder of its own that begins with modules imported.

`python forked.py FOLDER MODULE …` imports the modules, runs the scripts of FOLDER/scripts.json in FOLDER/name each, and
leaves what they printed and their exit codes in FOLDER/results.json. A fork costs milliseconds, an import most of a
second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FLAGS = ("-W", "ignore")
USUAL = ("gearwright.sim", "gearwright.dynamics.equations", "llvmlite.binding", "matplotlib.pyplot")


class Script(NamedTuple):
    code: str
    file: str  # its own name, of `__file__` and tracebacks
    arguments: Sequence[str] = ()


class Result(NamedTuple):
    code: int
    out: str
    err: str


def run_scripts(
    scripts: Mapping[str, Script], folder: Path, python: Sequence[str] = FLAGS, imported: Sequence[str] = USUAL
) -> dict[str, Result]:
    """What each script printed, and how it ended."""
    (folder / "scripts.json").write_text(json.dumps({name: list(script) for name, script in scripts.items()}))
    dropped = ("DISPLAY", "MPLBACKEND")
    environment = {k: v for k, v in os.environ.items() if k not in dropped} | {"PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, *python, __file__, str(folder), *imported]
    subprocess.run(words, env=environment, check=True)
    return {name: Result(*x) for name, x in json.loads((folder / "results.json").read_text()).items()}


def _run(script: Script, folder: Path) -> int:
    """In the child."""
    for stream, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / f"{name}.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    os.chdir(folder)
    sys.argv = [script.file, *script.arguments]
    sys.path[0] = str(Path(script.file).parent)
    try:
        exec(compile(script.code, script.file, "exec"), {"__name__": "__main__", "__file__": script.file})
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def main(folder: Path, *imported: str) -> None:
    for module in imported:
        import_module(module)
    results = {}
    for name, given in json.loads((folder / "scripts.json").read_text()).items():
        place = folder / name
        place.mkdir(exist_ok=True)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = _run(Script(*given), place)
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        texts = ((place / f"{stream}.txt").read_text(encoding="utf-8") for stream in ("out", "err"))
        results[name] = [os.waitstatus_to_exitcode(status), *texts]
    (folder / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
