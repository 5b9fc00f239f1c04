"""Every documented feature expands to the same document as with the real xacro package."""

from __future__ import annotations

import re

import pytest

from tests.xacro.compare import difference, ours, theirs
from tests.xacro.real import Case, expanded
from tests.xacro.snippets import FILES, SNIPPETS

NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
HEAD = f'<robot name="r" {NAMESPACE}>'


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Case, bool, str]]:
    """The real expansion of every snippet, in one process."""
    folder = tmp_path_factory.mktemp("snippets")
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub("^<(r|part)>", rf"<\1 {NAMESPACE}>", content))
    cases = {}
    for i, (name, content) in enumerate(SNIPPETS.items()):
        file = folder / f"snippet_{i}.xacro"
        file.write_text(f"{HEAD}{content}</robot>", encoding="utf-8")
        cases[name] = Case(file, packages={"helper": str(folder / "helper")})
    answers = expanded(list(cases.values()))
    return {name: (case, *answer) for (name, case), answer in zip(cases.items(), answers, strict=True)}


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_expands_to_the_same_document(name: str, compared: dict[str, tuple[Case, bool, str]]) -> None:
    case, ok, text = compared[name]
    made, report = ours(case)
    assert ok, f"the real xacro refuses this snippet: {text}"
    assert made is not None, [str(d) for d in report]
    real = theirs(text)
    assert made == real, difference(made, real)
