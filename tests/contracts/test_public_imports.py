"""Documentation and examples use public names only: a reader can take them out of the repository and run them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import gearwright as gw

ROOT = Path(__file__).parents[2]
PUBLIC = (
    "gearwright", "gearwright.kinds", "gearwright.drawing", "gearwright.robots",
    "gearwright.bridges.mujoco", "gearwright.bridges.drake", "gearwright.bridges.isaaclab",
    "gearwright.bridges.mjlab",
)  # fmt: skip
BLOCK = re.compile(r"^```py(?:thon)?(?: [^\n]*)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
INSIDE = "contributing.md"  # is about work on the package itself
PAGES = [ROOT / "README.md", *(p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name != INSIDE)]
SCRIPTS = sorted((ROOT / "examples").rglob("*.py"))


def code(path: Path) -> Iterator[ast.Module]:
    text = path.read_text(encoding="utf-8")
    for part in BLOCK.findall(text) if path.suffix == ".md" else [text]:
        yield ast.parse(part)


def internal(tree: ast.Module) -> Iterator[str]:
    """Names of ours that are imported or used, and not public; and imports from the tests."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("gearwright.") and a.name not in PUBLIC)
            yield from (a.name for a in node.names if a.name.partition(".")[0] == "tests")
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module in PUBLIC:
                try:
                    module = import_module(node.module)
                except gw.GearwrightError:  # its program is not installed
                    continue
                known = {*getattr(module, "__all__", dir(module)), "robots", "kinds", "drawing", "__version__"}
                yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in known)
            elif node.module.partition(".")[0] in ("gearwright", "tests"):
                yield node.module
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "gw" and node.attr not in dir(gw):
            yield f"gw.{node.attr}"


@pytest.mark.parametrize("path", [*PAGES, *SCRIPTS], ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_internal_is_used(path: Path) -> None:
    assert sorted({name for tree in code(path) for name in internal(tree)}) == []


@pytest.mark.parametrize("name", PUBLIC[1:3])
def test_every_name_of_a_public_module_is_there(name: str) -> None:
    module = import_module(name)
    assert sorted(module.__all__, key=str.lower) and all(getattr(module, n) is not None for n in module.__all__)


@pytest.mark.parametrize(
    "text",
    [
        "from gearwright.model import AxisRef",
        "import gearwright.sim",
        "from gearwright.kinds import Missing",
        "import tests.robots",
        "gw.missing()",
    ],
)
def test_an_internal_name_is_found(text: str) -> None:
    assert len(list(internal(ast.parse(text)))) == 1


@pytest.mark.parametrize("name", ["gearwright", "gearwright.kinds", "gearwright.model", "gearwright.sim"])
def test_programs_find_what_type_checkers_see(name: str) -> None:
    """Names are imported when first used, from where the imports that only type checkers read say."""
    module = import_module(name)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    only = next(n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    places = {a.name: n.module for n in only.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert sorted(places) == module.__all__ and set(places) <= set(dir(module))
    for attribute, place in places.items():
        assert getattr(module, attribute) is getattr(import_module(place), attribute)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing
