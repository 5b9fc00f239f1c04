"""Every documented feature expands to the same document as with the real xacro package."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.xacro.compare import difference, ours, theirs
from tests.xacro.fuzz import DANGEROUS, mutated
from tests.xacro.real import Case, expanded
from tests.xacro.snippets import FILES, SNIPPETS

NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
HEAD = f'<robot name="r" {NAMESPACE}>'


def _cases(folder: Path, contents: dict[str, str]) -> dict[str, Case]:
    """Each content as a robot of its own, with the files beside it."""
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub("^<(r|part)>", rf"<\1 {NAMESPACE}>", content))
    cases = {}
    for i, (name, content) in enumerate(contents.items()):
        file = folder / f"snippet_{i}.xacro"
        file.write_text(f"{HEAD}{content}</robot>", encoding="utf-8")
        cases[name] = Case(file, packages={"helper": str(folder / "helper")})
    return cases


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Case, bool, str]]:
    """The real expansion of every snippet, in one process."""
    cases = _cases(tmp_path_factory.mktemp("snippets"), SNIPPETS)
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


# What the real one takes and we do not: functions printed as text, names that are no XML, files outside.
STRICTER = ("used as a value", "is not a name", "outside the model's folder", "not a plain file")


def test_mutated_snippets(tmp_path: Path) -> None:
    """Where both expand a damaged document they agree; ours never fails without a diagnostic."""
    rng = random.Random(11)
    cases = _cases(tmp_path, {str(i): mutated(rng) for i in range(600)})
    results = {name: ours(case) for name, case in cases.items()}
    harmless = {n: c for n, c in cases.items() if not DANGEROUS.search(c.file.read_text(encoding="utf-8"))}
    both = 0
    for (name, case), (ok, text) in zip(harmless.items(), expanded(list(harmless.values())), strict=True):
        made, report = results[name]
        if ok and made is None:
            assert any(reason in d.message for d in report for reason in STRICTER), case.file.read_text()
        elif ok and made is not None and "<built-in" not in text and "&lt;" not in text:
            both += 1
            assert made == theirs(text), case.file.read_text()
    assert both > 100
