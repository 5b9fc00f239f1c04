"""Loads a file into a mechanism and its diagnostics; never raises."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gearwright.diagnostics import Diagnostic
from gearwright.errors import GearwrightError, LoadError, LoadWarning

if TYPE_CHECKING:
    from gearwright.cli.options import Base
    from gearwright.model import Mechanism

INTERRUPTED = 130  # exit code of a command that Ctrl-C stopped before it was done


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """How files are to be read: the options of the command line."""

    model: str | None = None
    base: Base | None = None
    path: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    closures: str | None = None
    strict: bool = False
    fit: str | None = None  # a file with identified numbers
    xacro_args: dict[str, str] = field(default_factory=dict)
    xacro_env: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Result of loading a file; no mechanism if it has errors."""

    file: str
    mechanism: Mechanism | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        return self.mechanism is not None


def assignments(given: list[str] | None) -> dict[str, str]:
    """`NAME:=VALUE` as xacro's own command takes them."""
    import typer

    values: dict[str, str] = {}
    for text in given or []:
        name, assigned, value = text.partition(":=")
        if not assigned or not name.strip():
            raise typer.BadParameter(f"{text!r} is not of the form NAME:=VALUE", param_hint="--xacro-arg")
        values[name.strip()] = value.strip()
    return values


def load(file: str, reading: LoadOptions) -> Loaded:
    from gearwright.formats import load as load_file

    warnings.simplefilter("ignore", LoadWarning)  # commands print diagnostics themselves
    try:
        mechanism = load_file(
            file,
            base=None if reading.base is None else reading.base.value,
            plugins=("trust" if "trust" in reading.plugins else reading.plugins) or None,
            model=reading.model,
            search_path=reading.path,
            cut=reading.cut,
            closures=reading.closures,
            strict=reading.strict,
            xacro_args=reading.xacro_args,
            xacro_env=reading.xacro_env,
        )
        if reading.fit is not None:
            from gearwright.identification.fit import read_fit

            mechanism = read_fit(reading.fit, mechanism)
        _ = mechanism.dof  # computed once, here, so that an error is reported with the file
    except LoadError as error:
        return Loaded(file=file, mechanism=None, diagnostics=error.diagnostics)
    except Exception as error:
        if os.environ.get("GEARWRIGHT_TRACEBACK"):
            raise
        return Loaded(file=file, mechanism=None, diagnostics=(_unforeseen(file, error),))
    return Loaded(file=file, mechanism=mechanism, diagnostics=mechanism.diagnostics)


def _unforeseen(file: str, error: Exception) -> Diagnostic:
    """Diagnostic for an unexpected exception of a reader, so that other files are still read."""
    if isinstance(error, GearwrightError):
        return Diagnostic(severity="error", code="model-error", message=str(error), file=file)
    message = f"Gearwright failed on this file: {type(error).__name__}: {error} (GEARWRIGHT_TRACEBACK=1 shows where)"
    return Diagnostic(severity="error", code="internal-error", message=message, file=file)


def loaded_or_exit(file: str, reading: LoadOptions) -> Mechanism:
    """The mechanism, its warnings printed; a file with errors ends the command with these."""
    import typer

    from gearwright.cli.findings import complain, mention

    loaded = load(file, reading)
    if loaded.mechanism is None:
        complain(loaded)
        raise typer.Exit(1)
    mention(loaded)
    return loaded.mechanism
