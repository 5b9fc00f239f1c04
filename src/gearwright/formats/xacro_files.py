"""Xacro files: expanded through the xacro package, where it is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from gearwright.diagnostics import Report, Source
from gearwright.formats.located_xml import Element

PROCESSOR_LIMIT = 4  # [s] of the processor's time
TIME_LIMIT = 20.0  # [s] on the clock
MEMORY_LIMIT = 2**30  # [bytes]
# The limits are the child's own, so that it ends even when this process is killed.
_PROGRAM = f"""
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, ({PROCESSOR_LIMIT}, {PROCESSOR_LIMIT}))
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY_LIMIT}, {MEMORY_LIMIT}))
except ImportError:
    pass
import xacro
xacro.main()
"""
DEFINING = {f"xacro:{tag}" for tag in ("include", "macro", "property", "arg", "if", "unless", "insert_block")}


def is_xacro(root: Element) -> bool:
    """Definitions make a file a xacro one; a stray call that some expansion left behind does not."""
    return not DEFINING.isdisjoint(root.document.tags)


def expand(path: Path, report: Report) -> bytes | None:
    """The expanded text, or None with the reason in the report.

    Xacro evaluates expressions of the file, which may never end: it runs in a process of its own, bounded in time.
    """
    source = Source(file=str(path), line=1)
    if importlib.util.find_spec("xacro") is None:
        report.error("xacro-missing", "a xacro file; install the xacro package (pip install gearwright[xacro])", source)
        return None
    command = [sys.executable, "-c", _PROGRAM, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        report.error("xacro-failed", f"xacro did not finish within {TIME_LIMIT:g} s", source)
        return None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        reason = next((line for line in said if "rror" in line), said[-1] if said else "it used up its time or memory")
        report.error("xacro-failed", f"xacro could not expand the file: {reason[:300]}", source)
        return None
    return done.stdout
