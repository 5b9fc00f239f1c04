"""Everything public has an entry in the reference, with a text and, where it is a quantity, a unit."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.diagnostics import CODES
from tests.cli.commands import called

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = {p.stem: p.read_text(encoding="utf-8") for p in sorted((DOCS / "reference").glob("*.md"))}


def script(name: str):
    sys.path.insert(0, str(DOCS))
    try:
        spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


api = script("api_reference")
HEADINGS = {h for text in REFERENCE.values() for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("module", ["gearwright", "gearwright.kinds", "gearwright.drawing"])
def test_public_names_without_an_entry_there_are_none(module: str):
    prefix = "gw" if module == "gearwright" else module
    assert [n for n in import_module(module).__all__ if f"{prefix}.{n}" not in HEADINGS] == []


@pytest.mark.filterwarnings("ignore")
def test_public_members_without_an_entry_or_a_text_there_are_none():
    things = {**api.public(), **api.related()}
    for name, thing in things.items():
        assert inspect.getdoc(thing) or name in api.VALUES, name
        if inspect.isclass(thing):
            for member, _, text in api.members(thing):
                assert text, f"{name}.{member} has no docstring"
                assert f"{thing.__name__}.{member}" in HEADINGS, "run: python docs/generate.py"
            for field, unit, _, _, text in api.fields_of(thing):
                assert unit or text, f"field {field} of {name} has neither unit nor comment"


@pytest.mark.parametrize("page", REFERENCE)
def test_every_column_of_arguments_became_a_table(page: str):
    """One line that is not `name  text` leaves the whole column as text."""
    text = re.sub(r"^```.*?^```$", "", REFERENCE[page], flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^ {0,4}[\w.,* ]*\w {2,}\S.*$", text, re.MULTILINE) == []


def test_every_diagnostic_has_a_remedy():
    assert list(script("remedies").REMEDIES) == list(CODES)


@pytest.mark.parametrize("command", re.findall(r"^## gearwright ([\w-]+)$", REFERENCE["commands"], re.MULTILINE))
def test_every_option_that_help_lists_is_in_the_reference(command: str):
    section = REFERENCE["commands"].partition(f"## gearwright {command}\n")[2].partition("\n## ")[0]
    shown = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", called(command, "--help").out, re.MULTILINE)) - {"--help"}
    assert shown and shown <= set(re.findall(r"--[\w-]+", section))


def test_every_command_is_in_the_reference():
    listed = called("--help").out.partition("Commands:\n")[2].partition("\n\n")[0]
    commands = re.findall(r"^  ([\w-]+) ", listed, re.MULTILINE)
    assert len(commands) > 8 and all(f"## gearwright {c}\n" in REFERENCE["commands"] for c in commands)


@pytest.mark.filterwarnings("ignore:.*has no <inertia>:gearwright.LoadWarning")  # the least that Gazebo's link needs
@pytest.mark.parametrize("name", ["elements.sdf", "elements.urdf"])
def test_the_files_of_the_element_reference_have_nothing_unknown(name: str):
    """Nor text that is not used: a URDF's own elements have their numbers as text."""
    robot = gw.load(DOCS / name)
    assert [str(d) for d in robot.diagnostics if d.code == "element-unknown"] == []
