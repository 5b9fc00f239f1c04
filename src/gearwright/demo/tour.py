"""The demo from beginning to end: each robot shown, simulated and described, then speed, then the report."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from gearwright import __version__
from gearwright.demo import four_bar, gripper, speed, wrist
from gearwright.demo.chapter import Chapter, TextTable
from gearwright.demo.page import page
from gearwright.display.summary import page as mechanism_page
from gearwright.files import write_whole

STORIES: dict[str, Callable[[bool], Chapter]] = {
    "gripper": gripper.story,
    "wrist": wrist.story,
    "four-bar": four_bar.story,
}
REPORT = "report.html"


def run(folder: Path, out: Console, *, quick: bool = False) -> Path:
    """Everything; the path of the report."""
    began = perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    chapters = []
    for name, story in STORIES.items():
        started = perf_counter()
        with out.status(f"{name}: loading, compiling, simulating, comparing …"):
            chapter = story(quick)
        _tell(chapter, out, perf_counter() - started)
        chapters.append(chapter)
    with out.status("timing …"):
        tables = [speed.own(chapters, quick)]
        beside = speed.against_mujoco()
    _print(tables[0], out)
    if beside is None:
        out.print(Text("MuJoCo is not installed, so nothing is compared with it: pip install mujoco\n", style="yellow"))
    else:
        tables.append(beside)
        _print(beside, out)
    report = folder / REPORT
    write_whole(report, page(chapters, tables, _about(perf_counter() - began)))
    out.print(Text.assemble("The report, with pictures: ", (str(report), "bold")), soft_wrap=True)
    out.print(
        Text(f"{report.stat().st_size / 1e6:.1f} MB, one file; {perf_counter() - began:.0f} s in all.", style="dim")
    )
    return report


def _tell(chapter: Chapter, out: Console, seconds: float) -> None:
    out.rule(Text(chapter.title, style="bold"), align="left", style="dim")
    out.print()
    out.print(mechanism_page(chapter.robot))
    out.print()
    facts = RichTable.grid(padding=(0, 2, 0, 0))
    for fact in chapter.facts:
        facts.add_row(Text(fact.number, style="bold", justify="right"), Text(fact.meaning))
    out.print(facts)
    out.print(
        Text(f"\n{chapter.simulated:g} s simulated; loaded, compiled, run and drawn in {seconds:.1f} s\n", style="dim")
    )
    for table in chapter.tables:
        _print(table, out)


def _print(table: TextTable, out: Console) -> None:
    shown = RichTable(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, column in enumerate(table.columns):
        shown.add_column(column, justify="right" if i else "left")
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    out.print(shown)
    if table.caption:
        out.print(Text(f"{table.caption}\n", style="dim"), width=min(out.width, 100))


def _about(seconds: float) -> str:
    machine = f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"
    return f"gearwright {__version__}, {machine}; made by “gearwright demo” in {seconds:.0f} s. Self-contained file."
