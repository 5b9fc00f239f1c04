"""Xacro files: expanded through the xacro package, where it is installed."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from gearwright.diagnostics import Report, Source
from gearwright.formats.located_xml import Element


DEFINING = {f"xacro:{tag}" for tag in ("include", "macro", "property", "arg", "if", "unless", "insert_block")}


def is_xacro(root: Element) -> bool:
    """Definitions make a file a xacro one; a stray call that some expansion left behind does not."""
    todo = [root]
    while todo:
        e = todo.pop()
        if e.tag in DEFINING:
            return True
        todo += e.children
    return False


def expand(path: Path, report: Report) -> bytes | None:
    """The expanded text, or None with the reason in the report."""
    source = Source(file=str(path), line=1)
    try:
        import xacro  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        report.error("xacro-missing", "this is a xacro file; install the xacro package (pip install gearwright[xacro])", source)
        return None
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            text: str = xacro.process_file(str(path)).toxml()
        return text.encode()
    except (Exception, SystemExit) as error:  # xacro raises what its expressions raise
        report.error("xacro-failed", f"xacro could not expand the file: {str(error)[:300] or type(error).__name__}", source)
        return None
    finally:
        sys.stdout.flush()
