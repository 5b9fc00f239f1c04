"""Files are written by `gearwright.files`, so that a full disk or a kill leaves the old one or the new one."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "gearwright"
WRITING = ("write_text", "write_bytes", "savefig", "mkstemp", "NamedTemporaryFile")
# function → why it writes by itself
ALLOWED = {
    "files.py:write_whole": "the function itself",
    "files.py:write_together": "the function itself",
    "compiler/cache.py:save": "to the temporary file of `replacing`",
    "display/plots.py:save": "to the temporary file of `replacing`",
    "study/figures.py:_save": "to the temporary file of `replacing`",
    "study/store.py:write": "to the temporary file of `replacing`",
    "study/store.py:add": "to the temporary file of `replacing`",
    "sim/recordings/lerobot.py:_write_json": "into the temporary folder of `making_folder`",
    "sim/recordings/checksums.py:add_to_parquet": "to the temporary file of `replacing`",
    "sim/recordings/csv_text.py:__init__": "rows are to be there while a run goes on",
    "sim/recordings/mcap_file.py:__init__": "rows are to be there while a run goes on",
    "sim/recordings/journal.py:__init__": "rows are to be there while a run goes on",
    "hardware/recorder.py:__init__": "frames are to be there while a bench runs",
    "study/store.py:_locked": "a lock, which holds nothing",
    "identification/report.py:_picture": "into memory",
    "display/figures.py:_figure_type": "into memory",
    "display/figures.py:_repr_png_": "into memory",
    "sim/recordings/npz.py:_member": "a member of an archive",
    "export/fmu/exporting.py:_binary": "into a temporary folder, for the compiler",
}


def writers(path: Path) -> set[str]:
    """Functions of a module that write a file."""
    found = set()
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            calls = [n for n in ast.walk(function) if isinstance(n, ast.Call)]
            if any(_writes(call) for call in calls):
                found.add(f"{path.relative_to(SOURCE).as_posix()}:{function.name}")
    return found


def _writes(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    modes = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
    text = [m for m in modes if isinstance(m, str) and set(m) <= set("rwaxbt+")]
    return name in WRITING or (name == "open" and any(set(m) & set("wax+") for m in text))


def test_no_other_function_writes_files() -> None:
    found = set[str]().union(*(writers(path) for path in SOURCE.rglob("*.py")))
    assert sorted(found - set(ALLOWED)) == []
    assert sorted(set(ALLOWED) - found) == []


@pytest.mark.parametrize("text", ["p.write_text('')", "open(p, 'w')", "p.open('ab')", "p.open(mode='r+b')"])
def test_writing_is_found(text: str) -> None:
    (call,) = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call))
    assert _writes(call)
    (call,) = (n for n in ast.walk(ast.parse("p.open('rb')")) if isinstance(n, ast.Call))
    assert not _writes(call)
