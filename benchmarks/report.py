"""The page `docs/performance.md`: the benchmark writes between two markers, all else on it stays as it is."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bench.results import Results
from benchmarks.bench.rows import ResultTable, tables
from benchmarks.page import write_section

BEGIN, END = "<!-- bench: begin (written by gearwright bench --write) -->", "<!-- bench: end -->"
FIGURES = {  # name → what it shows; files of `plots`
    "performance-dof": "Nanoseconds of a robot's step, and seconds to compile, against degrees of freedom",
    "performance-batch": "Nanoseconds of a robot's step against the batch",
}


def write(results: Results, page: Path, figures: str | None = "figures") -> None:
    """Puts the section between the markers; `figures`: the folder of the plots beside the page, None for none."""
    write_section(page, BEGIN, END, section_text(results, figures), heading="Stepping")


def section_text(results: Results, figures: str | None) -> str:
    parts = [_conditions(results), _how(results)]
    parts += [as_markdown(table) for table in tables(results)]
    if figures is not None and (results.sizes or results.batches):
        parts += [f"![{what}]({figures}/{name}.svg)" for name, what in FIGURES.items()]
    return "\n\n".join(parts)


def _conditions(results: Results) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in results.versions.items())
    return (
        f"`{results.command}`, measured on {results.date} on {results.machine}; {versions}. "
        f"dt {1e3 * results.dt:g} ms. The load average at the start of the run was {results.load:.1f}."
    )


def _how(results: Results) -> str:
    return "\n".join(["What is called:", "", *(f"- {title}: {how}." for title, how in results.how.items())])


def as_markdown(table: ResultTable) -> str:
    heads = [c.strip() for c in table.columns]
    rules = ["---" if c.startswith(" ") else "---:" for c in table.columns]
    lines = [f"### {table.title}", "", _line(heads), _line(rules), *(_line(list(row)) for row in table.rows)]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
