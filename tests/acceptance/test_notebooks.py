"""The notebooks run from top to bottom in a kernel of their own, and are kept without outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.setenv("PYTHONPATH", str(DOCS.parent / "src"))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own shows figures
    from notebook_pages import executed

    return executed


@pytest.mark.filterwarnings("ignore")  # of zmq and tornado
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_something(notebook: Path, executed: Any) -> None:
    code = [cell for cell in executed(notebook).cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert [o for o in outputs if o.get("name") == "stderr"] == []  # no warning that a reader would wonder about
    kinds = {kind for o in outputs for kind in o.get("data", {})}
    assert kinds & {"image/png", "text/html"}
    assert not [o for o in outputs if o.get("data", {}).get("text/plain", "").startswith(("<Figure", "<gearwright"))
                and len(o["data"]) == 1]  # fmt: skip
    if notebook.stem == "tour":
        assert sum("<iframe" in o["data"].get("text/html", "") for o in outputs if "data" in o) == 1


def test_there_are_six_with_a_tour() -> None:
    assert len(NOTEBOOKS) == 6 and "tour" in [path.stem for path in NOTEBOOKS]
    page = (DOCS / "notebooks.md").read_text(encoding="utf-8")
    assert all(f"(notebooks/{path.name})" in page for path in NOTEBOOKS)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_outputs_are_kept(notebook: Path) -> None:
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and not cell.get("execution_count")


def test_a_failing_cell_is_found(executed: Any, tmp_path: Path) -> None:
    import nbformat
    from nbclient.exceptions import CellExecutionError

    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import gearwright as gw\ngw.load('gripperr')")])
    nbformat.write(made, tmp_path / "wrong.ipynb")
    with pytest.raises(CellExecutionError, match="did you mean"):
        executed(tmp_path / "wrong.ipynb")
