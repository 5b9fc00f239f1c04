"""Mutated xacro documents: pieces of the snippets cut, swapped and spliced."""

from __future__ import annotations

import random
import re

from tests.xacro.snippets import SNIPPETS

TOKENS = [
    "1", "0", "''", "[", "]", "(", ")", "+", "*", "**", "/", "%", ",", "'a'", "x", "p", "pi", "$", "${", "}",
    "$(", "not ", " in ", " if 1 else ", ".upper()", "[0]", "-1", "lambda: ",
    "10**9", "range(9)", "None", ":=", "^|", "*b", "true", "__class__", ".a",
]  # fmt: skip
_VALUE = re.compile(r'"([^"]*)"')
# The real one evaluates whatever Python can: what could hurt this machine, or take it for ever, is not tried there.
DANGEROUS = re.compile(r"\*\*|10\*|range|__|type|vars|load_yaml|cwd|hash|\*\s*\d{4}")


def mutated(rng: random.Random) -> str:
    """The content of a robot: one or two snippets, with up to three changes inside attributes."""
    texts = list(SNIPPETS.values())
    text = "".join(rng.choice(texts) for _ in range(rng.choice((1, 1, 2))))
    for _ in range(rng.randint(1, 3)):
        values = list(_VALUE.finditer(text))
        if not values:
            break
        at = rng.choice(values)
        text = text[: at.start(1)] + _changed(at[1], rng) + text[at.end(1) :]
    return text


def _changed(value: str, rng: random.Random) -> str:
    i, j = sorted(rng.randint(0, len(value)) for _ in range(2))
    kind = rng.randrange(4)
    if kind == 0:
        return value[:i] + rng.choice(TOKENS) + value[i:]
    if kind == 1:
        return value[:i] + value[j:]
    if kind == 2:
        return value[:i] + value[i:j] * 2 + value[j:]
    return value[:i] + rng.choice(TOKENS) + value[j:]
