"""What `gearwright bench` does: a run, its tables in the terminal, and the written page."""

from __future__ import annotations

from json import dumps
from pathlib import Path

import typer

from benchmarks.bench import run
from benchmarks.bench.contestant import Peers
from benchmarks.bench.effort import FULL, QUICK
from benchmarks.bench.results import Results
from benchmarks.bench.table import rendered
from benchmarks.peers import peers as installed_peers
from gearwright.cli.terminal import console
from gearwright.display.visible import visible


def measure(
    *, robots: str | None, peers: bool, quick: bool, scaling: bool, accuracy: bool, json: bool, write: str | None
) -> None:
    """The options of the command; `robots`: names, with commas between them."""
    if accuracy:
        from benchmarks.equal_accuracy import table as accuracy_table

        typer.echo(accuracy_table())
        return
    words = ["gearwright bench"]  # the command line that repeats the run, without folders
    words += [f"--{name}" for name, given in (("peers", peers), ("quick", quick), ("scaling", scaling)) if given]
    words += [f"--robots {robots}"] if robots else []
    words += [f"--write {Path(write).name}"] if write else []
    results = run.run(
        names=[name.strip() for name in (robots or "").split(",") if name.strip()],
        peers=installed_peers() if peers else Peers(),
        effort=QUICK if quick else FULL,
        with_scaling=scaling or write is not None,
        command=" ".join(words),
        progress=lambda line: typer.echo(f"… {line}", err=True),
    )
    if write is not None:
        _write(results, Path(write))
    if json:
        typer.echo(dumps(results.as_data(), indent=2))
    else:
        for table in rendered(results):
            console().print(table)


def _write(results: Results, page: Path) -> None:
    from benchmarks import plots, report

    try:
        plots.draw(results, page.parent / "figures")
        report.write(results, page, "figures")
    except OSError as error:
        typer.echo(f"gearwright: cannot write {visible(str(page))}: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"wrote {visible(str(page))}", err=True)
