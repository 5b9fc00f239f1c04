"""Recordings of a bench: the mechanism in a file of the usual formats, the buses in logs beside it.

`run.mcap` has `run.can.log`, in candump's format, and `run.feetech.log` for each serial line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gearwright.errors import GearwrightError
from gearwright.hardware.frames import Frame
from gearwright.sim.recorder.step_recorder import StepRecorder

if TYPE_CHECKING:
    from gearwright.hardware.bench import Bench

ROWS_PER_SECOND = 1000.0  # of the mechanism, at most


class BusLog:
    """One bus as lines of text."""

    def __init__(self, path: str | os.PathLike[str], name: str) -> None:
        file = Path(path).with_suffix(f".{name}.log")
        try:
            self._file = file.open("w", encoding="ascii")
        except OSError as error:
            raise GearwrightError(f"cannot write {file}: {error.strerror}") from error

    def frame(self, frame: Frame, t: float) -> None:
        self._file.write(candump(frame, t))

    def packet(self, data: bytes, t: float, from_servos: bool) -> None:
        self._file.write(f"({t:.6f}) {'<' if from_servos else '>'} {data.hex(' ').upper()}\n")

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class Recorder:
    """Mechanism and buses. Everything is on disk half a second after it happened, for a process that is killed."""

    def __init__(self, bench: Bench, path: str | os.PathLike[str]) -> None:
        every = max(1, round(1.0 / (ROWS_PER_SECOND * bench.rig.plant.dt)))
        self._mechanism = StepRecorder(bench.sim, path, every)
        bench.listeners.append(self._mechanism.keep)
        self._logs: list[BusLog] = []
        if bench.rig.can:
            self._logs.append(BusLog(path, "can"))
            bench.network.listeners.append(self._logs[-1].frame)
        for name, line in bench.lines.items():
            self._logs.append(BusLog(path, name))
            line.listeners.append(self._logs[-1].packet)

    def flush(self) -> None:
        """Called a few times a second."""
        for log in self._logs:
            log.flush()

    def close(self) -> None:
        self._mechanism.close()
        for log in self._logs:
            log.close()


def candump(frame: Frame, t: float) -> str:
    """A line as `candump -L` writes it; python-can reads such files."""
    name = f"{frame.id:08X}" if frame.extended else f"{frame.id:03X}"
    if frame.fd:
        return f"({t:.6f}) can0 {name}##{int(frame.bitrate_switch)}{frame.data.hex().upper()}\n"
    return f"({t:.6f}) can0 {name}#{'R' if frame.remote else frame.data.hex().upper()}\n"
