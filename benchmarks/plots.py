"""The plots of the page, as SVG. Needs matplotlib (`pip install gearwright[plot]`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.bench.results import Results
from gearwright.files import replacing

STYLES = {"chain": "-", "tree": "--"}
COLOURS = {"one": "#1b6ca8", "batch": "#2a9d4a", "mujoco": "#b5542a", "wall": "#888888"}


def draw(results: Results, folder: Path) -> list[Path]:
    """One file a figure; nothing is drawn of what was not measured."""
    import matplotlib

    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, measured, plot in (
        ("performance-dof", results.sizes, _against_dof),
        ("performance-batch", results.batches, _against_batch),
    ):
        if measured:
            written.append(saved(plot(results), folder / f"{name}.svg"))
    return written


def _against_dof(results: Results) -> Any:
    from matplotlib import pyplot

    figure, (speed, compiling) = pyplot.subplots(1, 2, figsize=(10, 4))
    for shape, line in STYLES.items():
        points = [p for p in results.sizes if p.shape == shape]
        dof = [p.dof for p in points]
        theirs = [(p.dof, p.mujoco_ns) for p in points if p.mujoco_ns is not None]
        if theirs:
            speed.plot(*zip(*theirs, strict=True), line, color=COLOURS["mujoco"], label=f"MuJoCo, {shape}")
        speed.plot(dof, [p.one_ns for p in points], line, color=COLOURS["one"], label=f"one robot, {shape}")
        speed.plot(dof, [p.batch_ns for p in points], line, color=COLOURS["batch"], label=f"batch, {shape}")
        compiling.plot(dof, [p.compile_s for p in points], line, color=COLOURS["one"], label=shape)
    speed.set(xlabel="degrees of freedom", ylabel="CPU ns per robot-step", xscale="log", yscale="log")
    compiling.set(xlabel="degrees of freedom", ylabel="seconds to compile, no cache", xscale="log", yscale="log")
    return finished(figure, speed, compiling)


def _against_batch(results: Results) -> Any:
    from matplotlib import pyplot

    figure, (speed, memory) = pyplot.subplots(1, 2, figsize=(10, 4))
    robots = [p.robots for p in results.batches]
    speed.plot(robots, [p.cpu_ns for p in results.batches], "o-", color=COLOURS["batch"], label="CPU time, one thread")
    speed.plot(robots, [p.wall_ns for p in results.batches], ":", color=COLOURS["wall"], label="wall time")
    memory.plot(robots, [p.bytes_per_robot for p in results.batches], "o-", color=COLOURS["batch"], label="simulation")
    memory.plot(
        robots, [p.state_and_commands for p in results.batches], "--", color=COLOURS["wall"], label="state and commands"
    )
    speed.set(xlabel="robots", ylabel="ns per robot-step", xscale="log", yscale="log")
    memory.set(xlabel="robots", ylabel="bytes per robot", xscale="log", yscale="log")
    return finished(figure, speed, memory)


def finished(figure: Any, *axes: Any) -> Any:
    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            _plain_numbers(axis)
        ax.grid(True, which="both", alpha=0.25)
        ax.legend(fontsize=8)
    figure.tight_layout()
    return figure


def _plain_numbers(axis: Any) -> None:
    """1, 2, 5, 10 … in the place of powers, with as many marks as have room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    subs = (1.0,) if high > 1000 * low else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}".replace(",", " ") if x >= 1 else f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def saved(figure: Any, path: Path) -> Path:
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}), replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:], metadata={"Date": None})
    pyplot.close(figure)
    return path
