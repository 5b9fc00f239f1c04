"""Text of attributes and elements: `${expression}`, `$(substitution)` and the escapes `$${`, `$$(`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gearwright.formats.xacro.budget import Budget
from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.expressions import ExpressionEvaluator
from gearwright.formats.xacro.scopes import PropertyScope
from gearwright.formats.xacro.values import Value, joined, text_of

Substitute = Callable[[str], str]

# In this order: dollars before a brace lose one of them; a dollar that opens nothing is text.
_TOKEN = re.compile(
    r"\$(?P<escape>\$+[{(])"
    r"|\$\{(?P<expression>[^}]*)\}"
    r"|\$\((?P<substitution>[^)]*)\)"
    r"|(?P<text>[^$]+|\$[^{($]+|\$\Z)"
)
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class TextEvaluator:
    """Evaluates text; one that is a single expression keeps the type of its value."""

    def __init__(self, budget: Budget, substitute: Substitute) -> None:
        self.budget = budget
        self.expressions = ExpressionEvaluator(budget)
        self._substitute = substitute

    def value(self, text: str, scope: PropertyScope) -> Value:
        if "$" not in text:
            return text
        parts = list(self._parts(text, scope))
        if len(parts) == 1:
            return parts[0]
        whole = joined(text_of(p, self.budget) for p in parts)
        self.budget.text(len(whole))
        return whole

    def string(self, text: str, scope: PropertyScope) -> str:
        """The value as it is written into the document."""
        if "$" not in text:
            return text
        written = joined([text_of(self.value(text, scope), self.budget)])
        self.budget.text(len(written))
        if _NOT_XML.search(written):
            raise XacroError(f"{shown(text)} gives characters that XML does not allow")
        return written

    def _parts(self, text: str, scope: PropertyScope) -> Iterator[Value]:
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise XacroError(f"{shown(text[at:])} is neither text nor a closed expression")
            self.budget.spend()
            at = token.end()
            yield self._part(token, scope)

    def _part(self, token: re.Match[str], scope: PropertyScope) -> Value:
        kind, inside = token.lastgroup, token[token.lastgroup or 0]
        if kind == "expression":
            return self.expressions.evaluate(self.string(inside, scope), scope)
        if kind == "substitution":
            return self._substitute(self.string(inside, scope))
        return inside
