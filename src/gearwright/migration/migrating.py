"""`gearwright.migrate`: gearbox and draft mimic joints of a file become <mimic>, and nothing else changes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.errors import LoadError, ModelError
from gearwright.files import checked_path
from gearwright.formats.reading import PathLike, Plugins, ReadingOptions, load_as, read_bytes
from gearwright.formats.sdf.upgrade import MIMIC, new_joint_names, raise_version
from gearwright.formats.sdf.version import read_version
from gearwright.formats.xml.source_text import SourceText
from gearwright.formats.xml.text_changes import TextChanges
from gearwright.given_numbers import number
from gearwright.migration.plan import SPELLINGS, Rewriting, mentions, new_names, older_joints, rewrite, rewritings
from gearwright.migration.report import Migration
from gearwright.migration.writing import same_file, write_whole
from gearwright.model import Mechanism

TOLERANCE = 1e-9  # [rad, m]
MOST_MODELS = 200  # of a file; each is read by itself
MOST_NOTES = 20


def migrate(
    source: PathLike, target: PathLike | None = None, *, in_place: bool = False, check: bool = False,
    verify: bool = True, tolerance: float = TOLERANCE, search_path: Sequence[PathLike] = (), plugins: Plugins = None,
) -> Migration:  # fmt: skip
    """Rewrites gearbox joints and draft mimic joints of an SDFormat file as <mimic>, with sign and axis derived.

    source       an SDFormat file. Only the joints concerned change, and elements that have another meaning in a higher
                 version: <mimic> needs SDFormat 1.11.
    target       where to write; an existing file is replaced as a whole
    in_place     write to the source itself, without a target
    check        write nothing, and compare an existing target with the source
    verify       simulate both files from one state under random efforts. `difference` of the result is the largest
                 difference; if it is above the tolerance, nothing is written
    tolerance    largest accepted difference of a joint's position [rad, m]
    search_path, plugins  as for `load`

    Raises LoadError if the file has errors, and ModelError if a joint cannot become a <mimic>.
    """
    checked_path(source, "the source")
    destination = _destination(source, target, in_place, check)
    if not number("tolerance", tolerance) >= 0:
        raise ModelError(f"tolerance must be a number of at least 0, not {tolerance!r}")
    text = _text(source)
    reader = _Reader(text, search_path, plugins)
    if check:
        return _compared(reader, destination, tolerance)
    changed = _changed(text, reader)
    data = changed.changes.result()
    difference = _proof(reader, data, changed, verify) if changed.found else 0.0
    ok = difference is None or difference <= tolerance
    if ok:
        write_whole(destination, data)
    notes = [*reader.elsewhere(), *mentions(text, changed.found), *_moved(text, source, destination)]
    return Migration(
        source=text.file, target=os.fspath(destination), changes=tuple(r.change for r in changed.found),
        rewritten=tuple(changed.rewritten), notes=tuple(notes[:MOST_NOTES]), difference=difference,
        tolerance=tolerance, written=ok,
    )  # fmt: skip


def _destination(source: PathLike, target: PathLike | None, in_place: bool, check: bool) -> PathLike:
    if target is None:
        if not in_place:
            raise ModelError("say where to write: a target, or in_place=True")
        return source
    checked_path(target, "the target")
    if in_place:
        raise ModelError("in_place=True writes to the source itself: give no target with it")
    if same_file(source, target) and not check:
        raise ModelError(f"{os.fspath(target)!r} is the source itself; in_place=True writes to it")
    return target


def _text(source: PathLike) -> SourceText:
    text = SourceText(read_bytes(source), os.fspath(source))
    if text.file.endswith(".xacro"):
        message = "a xacro file's joints are made by its macros and arguments, and its text cannot be changed for them"
        raise ModelError(f"{text.file}: {message}; expand it (`xacro IN > expanded.sdf`), and migrate the result")
    if text.root.tag not in ("sdf", "model"):
        raise ModelError(f"{text.file}: only SDFormat files have gearbox joints; its root element is <{text.root.tag}>")
    return text


@dataclass(frozen=True)
class _Changed:
    """The changes of a text, and what for."""

    changes: TextChanges
    found: list[Rewriting]  # the older joints
    rewritten: list[str]  # what the higher version needed
    renamed: dict[int, str]  # joints with another name in it, by their elements' ids


def _changed(text: SourceText, reader: _Reader) -> _Changed:
    changes = TextChanges(text)
    if not older_joints(text.root):
        return _Changed(changes, [], [], {})
    version = read_version(text.root) if text.root.tag == "sdf" else MIMIC
    renamed = new_joint_names(text.root, version)
    found = rewritings(text, reader.concerned, renamed)
    raised = raise_version(changes, version, {id(r.element) for r in found}) if version < MIMIC else []
    for r in found:
        rewrite(changes, r)
    return _Changed(changes, found, raised, renamed)


class _Reader:
    """Reads the models of a file, one by one, from its own text or from another in its place."""

    def __init__(self, text: SourceText, search_path: Sequence[PathLike], plugins: Plugins) -> None:
        self.text = text
        self.search_path, self.plugins = search_path, plugins
        self._robots: dict[str | None, Mechanism] = {}

    def robot(self, choice: str | None, data: bytes | None = None) -> Mechanism:
        options = ReadingOptions(model=choice, search_path=self.search_path, plugins=self.plugins)
        if data is not None:
            return load_as(data, self.text.file, options)
        if choice not in self._robots:
            self._robots[choice] = load_as(self.text.data, self.text.file, options)
        return self._robots[choice]

    @cached_property
    def choices(self) -> dict[str | None, bool]:
        """How `load` is asked for each model, and whether that one has older joints."""
        root = self.text.root
        if root.tag == "model":
            return {None: bool(older_joints(root))}
        worlds = [e for e in root.children if e.tag == "world"]
        models = [m for holder in (root, *worlds) for m in holder.children if m.tag == "model"]
        if len(models) > MOST_MODELS:
            raise ModelError(f"{self.text.file}: it has {len(models)} models; at most {MOST_MODELS} can be migrated")
        found: dict[str | None, bool] = {}
        for m in models:
            name = m.attributes.get("name", "")
            found[name] = found.get(name, False) or bool(older_joints(m))
        if any(e.parent in worlds for e in older_joints(root)):
            found["*"] = True  # between models
        return found

    @property
    def concerned(self) -> list[Mechanism]:
        return [self.robot(choice) for choice, older in self.choices.items() if older]

    def all_readable(self) -> Iterator[tuple[str | None, Mechanism]]:
        """Every model of the file that can be read."""
        for choice in self.choices or {None: False}:
            try:
                yield choice, self.robot(choice)
            except LoadError:
                continue

    def elsewhere(self) -> list[str]:
        """Older joints in files that this one includes."""
        if not any(e.tag == "include" for e in self.text.elements):
            return []
        couplings = (c for _, robot in self.all_readable() for c in robot.couplings.values())
        return [
            f"{c.source.file}:{c.source.line}: {c.spelling} {c.alias or c.name!r} is in a file that this one includes; "
            "migrate that file, too"
            for c in couplings
            if c.spelling in SPELLINGS and c.source is not None and c.source.file != self.text.file
        ]  # fmt: skip


def _proof(reader: _Reader, data: bytes, changed: _Changed, verify: bool) -> float | None:
    """The largest difference of all models; None without simulation."""
    from gearwright.migration.proof import trajectory_difference

    largest = 0.0
    for choice, old in reader.all_readable():
        concerned = reader.choices.get(choice, False)
        if concerned or changed.rewritten:
            names = new_names(reader.text, old, changed.renamed)
            new = _read_back(reader, choice, data, names, changed.found)
            if verify and concerned:
                largest = max(largest, trajectory_difference(old, new, names))
    return largest if verify else None


def _read_back(
    reader: _Reader, choice: str | None, data: bytes, names: dict[str, str], found: list[Rewriting]
) -> Mechanism:
    """The model in the new text. Raises ModelError where it is not what it was."""
    from gearwright.migration.proof import changed_part

    file = reader.text.file
    try:
        new = reader.robot(choice, data)
    except LoadError as error:
        raise ModelError(f"{file}: in SDFormat 1.11 it would not load:\n{error}") from error
    part = changed_part(reader.robot(choice), new, names)
    if part is not None:
        raise ModelError(f"{file}: in SDFormat 1.11 its {part} would mean something else")
    following = {c.follower.joint for c in new.couplings.values()}
    lost = [r.change.joint for r in found if r.change.joint in new.joints and r.change.joint not in following]
    if lost:
        raise ModelError(f"{file}: the <mimic> of joint {lost[0]!r} is not read back")
    return new


def _compared(reader: _Reader, target: PathLike, tolerance: float) -> Migration:
    """A file that exists against the source, whoever wrote it."""
    from gearwright.migration.proof import trajectory_difference

    other = _Reader(_text(target), reader.search_path, reader.plugins)
    choices = [choice for choice, older in reader.choices.items() if older] or list(reader.choices)
    difference = max((trajectory_difference(reader.robot(c), other.robot(c)) for c in choices), default=0.0)
    return Migration(
        source=reader.text.file, target=os.fspath(target), changes=(), rewritten=(), notes=(), difference=difference,
        tolerance=tolerance, written=False,
    )  # fmt: skip


def _moved(text: SourceText, source: PathLike, target: PathLike) -> list[str]:
    """Addresses that are looked for beside the file, where the new one lies in another folder."""
    folders = [os.path.realpath(os.path.dirname(os.path.abspath(p))) for p in (source, target)]
    if folders[0] == folders[1]:
        return []
    relative = [e for e in text.elements if e.tag == "uri" and e.words and "://" not in e.words]
    return [f"line {e.line}: {e.words[:80]!r} is looked for beside the new file, in {folders[1]}" for e in relative]
