"""`gw.save`: a robot to a file. What the file does not say is in the report, because the file is read again."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gearwright import files
from gearwright.comparing.differences import Difference, diff
from gearwright.errors import LoadError, LoadWarning, ModelError
from gearwright.formats import loads
from gearwright.given_names import checked_instance
from gearwright.model import Mechanism
from gearwright.writing.meshes import MeshCopies, MeshMode, with_addresses
from gearwright.writing.report import LossLog, SaveReport
from gearwright.writing.shapes import MeshPath

Writer = Callable[[Mechanism, LossLog, MeshPath], str]


def _sdf(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    from gearwright.writing.sdf.models import sdf_text

    return sdf_text(robot, losses, mesh_path)


def _urdf(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    from gearwright.writing.urdf.robots import urdf_text

    return urdf_text(robot, losses, mesh_path)


def _mjcf(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    from gearwright.writing.mjcf.models import mjcf_text

    return mjcf_text(robot, losses, mesh_path)


def _usd(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    from gearwright.writing.usd.stages import usd_text

    return usd_text(robot, losses, mesh_path)


def _usd_of_physx(robot: Mechanism, losses: LossLog, mesh_path: MeshPath) -> str:
    from gearwright.writing.usd.stages import usd_text

    return usd_text(robot, losses, mesh_path, mimics="physx")


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """A format that robots are written in."""

    name: str
    write: Writer
    reread: bool = False  # whether `loads` reads all that it says, so that the report follows from reading it again


SDF = FileFormat(name="SDFormat", write=_sdf, reread=True)
URDF = FileFormat(name="URDF", write=_urdf, reread=True)
MJCF = FileFormat(name="MJCF", write=_mjcf)
USD = FileFormat(name="USD", write=_usd, reread=True)
USD_OF_PHYSX = FileFormat(name="USD", write=_usd_of_physx, reread=True)
FORMATS = {".sdf": SDF, ".world": SDF, ".urdf": URDF, ".xml": MJCF, ".mjcf": MJCF, ".usda": USD}


def format_of(path: str | os.PathLike[str]) -> FileFormat:
    """By the ending of the name."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        known = ", ".join(FORMATS)
        raise ModelError(f"{os.fspath(path)!r}: the ending must be one of {known}, not {ending!r}")
    return FORMATS[ending]


def text_of(robot: Mechanism, format: FileFormat, losses: LossLog, mesh_path: MeshPath | None = None) -> str:
    """The text of a file, and in `losses` what it does not say."""
    address = mesh_path or (lambda mesh: mesh.uri)
    text = format.write(robot, losses, address)
    if format.reread:
        _read_again(with_addresses(robot, address), text, format, losses)
    return text


def save(
    robot: Mechanism, path: str | os.PathLike[str], *, meshes: MeshMode = "reference",
    source: str | os.PathLike[str] | None = None, mimics: Literal["newton", "physx"] = "newton",
) -> SaveReport:  # fmt: skip
    """Writes a robot to an SDFormat, URDF, MJCF or USD file, by the ending: .sdf, .urdf, .xml, .usda.

    The file is replaced as a whole, or not at all. The report's `lost` lists what the format cannot express, `notes`
    what it expresses differently.

    meshes   "reference" keeps the addresses of mesh files; "copy" puts the files into a folder `meshes` beside the new
             file, and refers to them there
    source   the file that the robot was loaded from, beside which relative addresses of meshes are looked for; by
             default the one that its links name
    mimics   whose attributes hold couplings in USD: NewtonMimicAPI's, or those of PhysX
    """
    checked_instance("save", robot, Mechanism)
    path = Path(files.checked_path(path))
    _refuse_link_outwards(path)
    format, losses = format_of(path), LossLog()
    if mimics not in ("newton", "physx"):
        raise ModelError(f"mimics must be 'newton' or 'physx', not {mimics!r:.60}")
    if format is USD and mimics == "physx":
        format = USD_OF_PHYSX
    copies = MeshCopies.of(robot, path, meshes, source, losses, by_file=format is MJCF)
    text = text_of(robot, format, losses, copies.address)
    with files.naming(path):
        copied = copies.copy()
    files.write_whole(path, text)
    return SaveReport(path=path, lost=tuple(losses.lost), notes=tuple(losses.notes), files=copied)


def _refuse_link_outwards(path: Path) -> None:
    """A link beside its file stays a link; one that leads elsewhere would change a file in a folder nobody named."""
    folder, target = (Path(os.path.realpath(p)) for p in (path.parent, path))
    if path.is_symlink() and not target.is_relative_to(folder):
        raise ModelError(f"{os.fspath(path)!r} is a link out of its folder, to {os.fspath(target)!r}: name that file")


def _read_again(robot: Mechanism, text: str, format: FileFormat, losses: LossLog) -> None:
    """Everything that the text, read again, does not say is lost; what nobody reads in it is a fault of the writer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LoadWarning)
            again = loads(text)
    except LoadError as error:
        raise ModelError(f"{robot.name!r} cannot be written as {format.name}: {error}") from error
    known = {loss.part for loss in losses.lost if not loss.field}
    said = {(loss.part, loss.field) for loss in losses.lost}
    for d in diff(robot, again, tolerance=1e-9):
        if d.part not in known and (d.part, d.field) not in said and not _is_only_text(d):
            losses.lose(d.part, d.field, _reason(d, format))


def _reason(d: Difference, format: FileFormat) -> str:
    if not d.field:
        return f"{format.name} {'does not hold it' if d.after is None else 'adds it'}"
    return f"{format.name} has {d.after!r:.60} where the robot has {d.before!r:.60}"


def _is_only_text(d: Difference) -> bool:
    """The type as which a reduction was written is noted."""
    return d.kind == "transmission" and d.field == "type"
