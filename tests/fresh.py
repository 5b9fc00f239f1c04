"""The built package, installed beside nothing else: everything that the README shows, run in a fresh environment.

python tests/fresh.py [--wheel dist/….whl] [--python 3.12] [--dependencies oldest]     (needs uv; `make package`)

`oldest` takes the lower bound of each dependency. Prints what the environment weighs and how long imports take.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from email.parser import HeaderParser
from pathlib import Path
from shutil import which
from threading import Timer
from zipfile import ZipFile

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.acceptance.table import (
    ARGUMENTS,
    COMMANDS,
    EXAMPLES,
    IN_A_CLONE,
    ONLY_LINUX,
    PYTHON,
    RECORDED,
    SERVERS,
    write_files,
)

ROOT = Path(__file__).parents[1]
RESOLUTION = {"newest": "highest", "oldest": "lowest-direct"}
PATIENCE = 120  # [s] for a server to start
IMPORTS = ("import gearwright", "import gearwright as gw; gw.load('gripper')")


def requirements(wheel: Path) -> list[str]:
    """What the wheel needs without extras."""
    with ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        needed = HeaderParser().parsestr(archive.read(name).decode()).get_all("Requires-Dist", [])
    return [each for each in needed if "extra ==" not in each]


class Fresh:
    """An environment with one wheel and its dependencies, and a folder to work in."""

    def __init__(self, place: Path, wheel: Path, python: str, dependencies: str) -> None:
        self._folder, self._env = place / "work", place / "env"
        self._folder.mkdir()
        self._run("uv", "venv", "--quiet", "--python", python, str(self._env))
        self.python = self._env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        target = "--python", str(self.python)
        direct = [str(wheel), *requirements(wheel)]  # by name: else uv takes the wheel alone as direct
        self._run("uv", "pip", "install", "--quiet", *target, "--resolution", RESOLUTION[dependencies], *direct)
        self._run("uv", "pip", "check", *target)
        self.packages = self._run("uv", "pip", "freeze", *target).split()

    def _run(self, *words: str) -> str:
        plain = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
        env = plain | {"MPLBACKEND": "Agg", "PYTHONUTF8": "1", "GEARWRIGHT_CACHE": str(self._folder / "cache")}
        done = subprocess.run(words, cwd=self._folder, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)[:300]}\n{done.stdout}{done.stderr}")
        return done.stdout

    def gearwright(self, *words: str) -> None:
        print("  gearwright", *words)
        self._run(str(self.python), "-m", "gearwright", *words)

    def code(self, text: str) -> str:
        return self._run(str(self.python), "-c", text)

    def example(self, script: Path) -> None:
        self._run(str(self.python), str(script))

    def server(self, command: str) -> None:
        """Starts, says where it listens, and ends when it is asked to."""
        words = [str(self.python), "-u", "-m", "gearwright", command, *ARGUMENTS[command]]
        print("  gearwright", command)
        with subprocess.Popen(
            words, cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            stdin=subprocess.DEVNULL, encoding="utf-8",
        ) as running:  # fmt: skip
            assert running.stdout is not None
            watchdog = Timer(PATIENCE, running.kill)
            watchdog.start()
            printed = []
            for line in running.stdout:
                printed.append(line)
                if SERVERS[command] in line:
                    break
            else:
                sys.exit(f"gearwright {command}\n{''.join(printed)}")
            running.terminate()
            running.wait(20)
            watchdog.cancel()

    def size(self) -> int:
        return sum(f.stat().st_size for f in self._env.rglob("*") if f.is_file() and not f.is_symlink())

    def seconds(self, text: str) -> float:
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            self.code(text)
            best = min(best, time.perf_counter() - start)
        return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wheel", type=Path, default=None)
    parser.add_argument("--python", default=f"{sys.version_info.major}.{sys.version_info.minor}")
    parser.add_argument("--dependencies", choices=sorted(RESOLUTION), default="newest")
    given = parser.parse_args()
    if which("uv") is None:
        sys.exit("uv is not installed: pip install uv")
    wheel = given.wheel or max((ROOT / "dist").glob("*.whl"), key=lambda file: file.stat().st_mtime, default=None)
    if wheel is None:
        sys.exit("no wheel in dist: uv build")
    with tempfile.TemporaryDirectory() as place:
        fresh = Fresh(Path(place), wheel.resolve(), given.python, given.dependencies)
        print(f"{wheel.name}, Python {given.python}, {given.dependencies} dependencies: {fresh.size() / 1e6:.0f} MB")
        direct = {re.split(r"[^\w.-]", each)[0].lower() for each in requirements(wheel)}
        print(" ", *(each for each in fresh.packages if each.partition("==")[0].lower() in direct))
        write_files(Path(place, "work"))
        fresh.code(RECORDED)
        for command, arguments in ARGUMENTS.items():
            if command in SERVERS:
                fresh.server(command)
            elif command not in IN_A_CLONE and (command not in ONLY_LINUX or sys.platform == "linux"):
                fresh.gearwright(command, *arguments)
        for line in COMMANDS:
            fresh.gearwright(*line.split()[1:])
        fresh.code("\n".join(PYTHON))
        for example in EXAMPLES:
            print(" ", example)
            fresh.example(ROOT / example)
        for text in IMPORTS:
            print(f"  {fresh.seconds(text):.2f} s for {text}")
        print("  everything works")


if __name__ == "__main__":
    main()
