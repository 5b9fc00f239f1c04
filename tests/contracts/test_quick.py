"""The list of `make quick` names tests that are there."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_line_is_a_test() -> None:
    lines = (ROOT / "tests/quick.txt").read_text(encoding="utf-8").splitlines()
    gone = []
    for line in lines:
        file, _, name = line.partition("::")
        function = f"def {name.partition('[')[0]}("
        if not (ROOT / file).is_file() or (name and function not in (ROOT / file).read_text(encoding="utf-8")):
            gone.append(line)
    assert gone == []
    assert lines == sorted(set(lines))
