"""`gw.export_fmu`: the archive of an FMU.

robot.fmu
├── modelDescription.xml         variables, units
├── sources/                     the step in C, FMI's functions around it, buildDescription.xml
└── binaries/x86_64-linux/       the same, compiled here where there is a C compiler
"""

from __future__ import annotations

import io
import platform
import shutil
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.compiler.passes import ends_known, optimise, without_unread_stores
from gearwright.errors import CompileError
from gearwright.export.c99 import CText
from gearwright.export.fmu.description import build_description, model_description
from gearwright.export.fmu.variables import KERNELS, Variable, variables
from gearwright.export.fmu.wrapper import wrapper
from gearwright.files import checked_path, write_whole
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.model import Mechanism
    from gearwright.sim import Simulation

COMPILE_SECONDS = 600  # a compiler that takes longer is given up
NAMESPACE = uuid.UUID("6f1d3c1e-5f0b-4c0e-9d58-2f6f5d1b7c11")  # of tokens: equal FMUs have equal ones
ENDINGS = {"linux": "so", "darwin": "dylib", "win32": "dll"}


@dataclass(frozen=True)
class ExportedFmu:
    """The file that was written."""

    path: Path
    variables: tuple[Variable, ...]
    platforms: tuple[str, ...]  # that it has a binary for; none: importers compile its sources

    def __repr__(self) -> str:
        counts = {kind: sum(v.causality == kind for v in self.variables) for kind in ("input", "parameter", "output")}
        listed = ", ".join(f"{n} {kind}s" for kind, n in counts.items())
        return f"<{self.path.name}: {listed}; binaries: {', '.join(self.platforms) or 'none, sources only'}>"


def export_fmu(
    robot: Mechanism | str | Path, path: str | Path, *, compiler: str | None = None, **options: Any
) -> ExportedFmu:
    """Writes a robot as an FMU for co-simulation by FMI 3.0: for Simulink, OpenModelica, FMPy and others.

    robot      a mechanism, or a file, which is loaded
    path       of the archive; its name, which ends in .fmu, is that of the model
    compiler   C compiler for the binary of this machine; default: cc, gcc or clang, if there is one. Without any,
               the FMU contains only sources. "" leaves the binary out
    options    options of `gearwright.compile`: dt, integrator, parameters, gravity, drives, …

    Commands and efforts from outside are inputs. Positions, velocities, actuators and sensors are outputs, and
    `parameters` can be changed between steps. A start is set by `JOINT.start_position` and `JOINT.start_velocity`.
    """
    from gearwright.sim import compile as compiled

    target = Path(checked_path(path, "an exported FMU"))
    if target.suffix != ".fmu" or not target.stem.isidentifier() or not target.stem.isascii():
        raise CompileError(f"an FMU's name is letters, digits and _ before .fmu, not {target.name!r}")
    for given in ("batch", "device", "threads", "precision", "part"):
        if given in options:
            raise CompileError(f"an FMU is one robot in double precision: {given}= has no meaning there")
    sim = compiled(robot, **options)
    if sim.layout.control is not None:
        raise CompileError("an FMU takes commands from outside: compile it without a controller")
    found = variables(sim)
    token, sources = _sources(target.stem, sim, found)
    binaries = _binary(target.stem, sources, compiler)
    described = model_description(target.stem, sim.robot.name, token, sim.dt, found)
    write_whole(target, _archive(target.stem, described, sources, binaries))
    return ExportedFmu(target, tuple(found), tuple(binaries))


def _sources(name: str, sim: Simulation, found: list[Variable]) -> tuple[str, dict[str, str]]:
    """The token of these sources, and the sources by file name."""
    from gearwright.sim.programs.programs import first_readings, program

    equations = sim.kernels.equations
    step = without_unread_stores(ends_known(program("step", equations))).map_tapes(optimise)
    beside = {
        "observe": [program(kernel, equations).map_tapes(optimise) for kernel in KERNELS],
        "sense": [first_readings(equations).map_tapes(optimise)] if sim.layout.sensing.readings else [],
    }
    text = CText(name, step, sim, beside)
    source = text.source()
    token = str(uuid.uuid5(NAMESPACE, f"{sim.robot.name}\n{sim.dt!r}\n{found!r}\n{source}"))
    slots = {slot.name: slot.size for slot in step.slots}
    around = wrapper(
        name, token, sim.dt, found, counting=bool(sim.robot.sensors), fresh=StepSlot.FRESH in slots,
        mean_velocities=slots.get(StepSlot.MEAN_VELOCITY, 0),
    )  # fmt: skip
    return token, {f"{name}.h": text.header(), f"{name}.c": source, f"{name}_fmi.c": around}


def _binary(name: str, sources: Mapping[str, str], compiler: str | None) -> dict[str, bytes]:
    """By platform, the library; empty without a compiler."""
    given = compiler if compiler is not None else next(filter(shutil.which, ("cc", "gcc", "clang")), "")
    if not given:
        return {}
    with tempfile.TemporaryDirectory(prefix="gearwright-fmu-") as folder:
        for file, text in sources.items():
            Path(folder, file).write_text(text, encoding="utf-8")
        units = [file for file in sources if file.endswith(".c")]
        library = f"{name}.{ENDINGS.get(sys.platform, 'so')}"
        command = [
            given, "-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden", "-o", library,
            *units, "-lm",
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompileError(f"the compiler {given!r} of the FMU's binary did not run: {error}") from None
        if done.returncode:
            raise CompileError(f"{given} did not compile the FMU: {done.stderr.strip()[-500:]}")
        return {_platform(): Path(folder, library).read_bytes()}


def _platform() -> str:
    """As FMI names it: architecture, system."""
    machine = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
    architecture = machine.get(platform.machine().lower(), platform.machine().lower())
    return f"{architecture}-{ {'darwin': 'darwin', 'win32': 'windows'}.get(sys.platform, sys.platform) }"


def _archive(name: str, described: str, sources: Mapping[str, str], binaries: Mapping[str, bytes]) -> bytes:
    """The same bytes for the same contents."""
    files: dict[str, str | bytes] = {"modelDescription.xml": described}
    files |= {f"sources/{file}": text for file, text in sources.items()}
    files["sources/buildDescription.xml"] = build_description(name, [f for f in sources if f.endswith(".c")])
    ending = ENDINGS.get(sys.platform, "so")
    files |= {f"binaries/{where}/{name}.{ending}": library for where, library in binaries.items()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            entry = zipfile.ZipInfo(file, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()
