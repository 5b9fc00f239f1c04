"""Substitutions `$(arg …)`, `$(find …)`, `$(env …)`, `$(optenv …)`, `$(eval …)`, `$(dirname)` and `$(cwd)`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from gearwright.errors import nearest
from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.expressions import ExpressionEvaluator
from gearwright.formats.xacro.functions import GLOBALS, MATH
from gearwright.formats.xacro.values import Function, Value, text_of


class Arguments:
    """The values of `xacro:arg`: the caller's first, defaults of the file for the rest."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self.values = {name: str(value) for name, value in given.items()}
        self.unused = set(self.values)  # given, and of no effect so far

    def declare(self, name: str, default: Callable[[], str]) -> None:
        self.unused.discard(name)
        if name not in self.values:
            self.values[name] = default()

    def __getitem__(self, name: str) -> str:
        self.unused.discard(name)
        if name not in self.values:
            near = nearest(name, self.values)
            raise XacroError(f"the argument {shown(name)} is not defined; give it as --xacro-arg {name[:40]}:=…{near}")
        return self.values[name]


class Substitutions:
    """One method a command; a file reads no variable of the environment but those that the caller names."""

    def __init__(
        self,
        arguments: Arguments,
        find: Callable[[str], str],
        folder: Callable[[], Path],
        environment: Mapping[str, str],
    ) -> None:
        self.arguments = arguments
        self._find = find
        self.folder = folder
        self.environment = environment
        self.expressions: ExpressionEvaluator | None = None

    def __call__(self, text: str) -> str:
        command, _, rest = text.strip().partition(" ")
        if not command:
            return f"$({text})"
        if command == "eval":
            return self._eval(rest)
        words = rest.split()
        if command == "optenv" and words:
            return self.environment.get(words[0], " ".join(words[1:]))
        rule = _ONE_WORD.get(command)
        if rule is not None and len(words) == 1:
            return rule(self, words[0])
        if command == "dirname" and not words:
            return str(self.folder())
        if command == "cwd" and not words:
            return _current_folder()
        known = [*_ONE_WORD, "optenv", "eval", "dirname", "cwd"]
        if command in known:
            raise XacroError(f"$({command} …) does not take {len(words)} words")
        raise XacroError(f"$({command[:40]} …) is not a substitution{nearest(command, known)}")

    def _arg(self, name: str) -> str:
        return self.arguments[name]

    def package(self, name: str) -> str:
        return self._find(name)

    def env(self, name: str) -> str:
        if name not in self.environment:
            raise XacroError(
                f"$(env {name[:60]}): a model does not read the environment, or the variable is not set; allow it with "
                f"load(path, xacro_env=[{name[:60]!r}]) or --xacro-env {name[:60]}",
                "xacro-refused",
            )
        return self.environment[name]

    def _eval(self, text: str) -> str:
        assert self.expressions is not None
        names = _EvalNames(self)
        return text_of(self.expressions.evaluate(text, names), self.expressions.budget)


_ONE_WORD: dict[str, Callable[[Substitutions, str], str]] = {
    "arg": Substitutions._arg,
    "find": Substitutions.package,
    "env": Substitutions.env,
}


class _EvalNames:
    """Names inside `$(eval …)`: arguments by their value, and a few functions."""

    def __init__(self, of: Substitutions) -> None:
        self._arguments = of.arguments
        self._names: dict[str, Value] = {
            "true": True,
            "false": False,
            **{name: GLOBALS[name] for name in ("True", "False", "list", "dict", "map", "str", "float", "int")},
            **MATH,
            "arg": Function("arg", lambda name: _typed(of.arguments[name])),
            "find": Function("find", of.package),
            "env": Function("env", of.env),
            "optenv": Function("optenv", lambda name, default="": of.environment.get(name, default)),
            "dirname": Function("dirname", lambda: str(of.folder())),
        }

    def lookup(self, name: str) -> Value:
        return self._names[name] if name in self._names else _typed(self._arguments[name])


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise XacroError("$(cwd): the current folder does not exist any more") from None


def _typed(text: str) -> Value:
    """An argument inside `$(eval …)`: a number if it looks like one, or true or false."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return {"true": True, "false": False}.get(text.lower(), text)
