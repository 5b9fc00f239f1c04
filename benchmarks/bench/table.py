"""The tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from benchmarks.bench.results import Results
from benchmarks.bench.rows import ResultTable, tables

STYLES = {"met": "green", "missed": "bold red"}


def rendered(results: Results) -> Iterator[RichTable]:
    return (as_rich(table) for table in tables(results))


def as_rich(table: ResultTable) -> RichTable:
    """A cell that repeats the one above in the first column is left out."""
    made = RichTable(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in table.columns:
        text = column.startswith(" ")
        made.add_column(column.strip().replace("`", ""), justify="left" if text else "right", no_wrap=not text)
    above = ""
    for row in table.rows:
        cells = [Text(cell.replace("`", ""), style=STYLES.get(cell, "")) for cell in row]
        if row[0] == above and table.columns[0].startswith(" "):
            cells[0] = Text("")
        above = row[0]
        made.add_row(*cells)
    return made
