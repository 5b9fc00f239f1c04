"""Names that begin with an underscore are used in the file that defines them, and nowhere else."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import gearwright

PACKAGE = Path(gearwright.__file__).parent
# names with an underscore that are part of a public interface
PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_exit", "_getframe"}
# file → names of other files that it may use for now, each with its reason
EXCEPTIONS = {
    "tracing/arrays.py": {"_NoValue"},  # NumPy's mark of an argument that is not given: it has no public name
    # viser has no public place where messages of a browser can be checked or refused
    "page/controls.py": {
        "_messages",
        "_websock_server",
        "_incoming_handlers",
        "_handle_gui_updates",
        "_handle_command_trigger",
        "_impl",
    },
}


def defined(tree):
    """Underscore names that a file defines: functions, classes, variables, attributes and slots."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_own(node):
            found.add(node.attr)
        elif isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "__slots__" for t in node.targets
        ):
            found |= {c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)}
    return found


def _is_own(node):
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _private(name):
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


def foreign(source):
    """(line, name) of every underscore name of another file that a text uses."""
    tree = ast.parse(source)
    own = defined(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _private(node.attr) and not _is_own(node) and node.attr not in own:
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, a.name) for a in node.names if _private(a.name) and a.name != "_")


def test_no_file_uses_the_private_names_of_another():
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        allowed = EXCEPTIONS.get(name, set())
        found += [f"{name}:{line}: {a}" for line, a in foreign(path.read_text(encoding="utf-8")) if a not in allowed]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(sim):\n    return sim._instance", ["_instance"]),
        ("from gearwright.sim.reset.loop_assembly import _closing", ["_closing"]),
        ("class A:\n    def f(self):\n        return self._inherited", []),
        (
            "class A:\n  def __init__(self):\n    self._x = 1\n  def same(self, other):\n    return other._x",
            [],
        ),
        ("def f(point):\n    return point._replace(x=1).__dict__", []),
        ("def f(sim):\n    sim._steps = 3", ["_steps"]),
    ],
)
def test_the_rule_itself(source, names):
    assert [name for _, name in foreign(source)] == names


def test_a_class_name_means_one_thing():
    """But for a cone, which is a shape of the model and a law of the solver."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py"))
    counts = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, count in counts.items() if count > 1] == ["Cone"]
