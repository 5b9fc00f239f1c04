"""Expressions `${…}`: Python's syntax, evaluated here node by node.

Nothing is compiled or handed to Python's own `eval`. A kind of node that is not in the table below is refused, names
are looked up in properties and in a fixed list of functions, and an attribute is a key of a dictionary, a name of a
namespace or a method of the list in `methods`. So an expression can compute, and nothing else.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from threading import Lock
from typing import Any

from gearwright.errors import nearest
from gearwright.formats.xacro.budget import FUNCTION_STEPS, MAX_ITEMS, Budget
from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xacro.formatting import one_field
from gearwright.formats.xacro.methods import TABLE, method
from gearwright.formats.xacro.operators import BINARY, COMPARE, UNARY
from gearwright.formats.xacro.scopes import Locals, PropertyScope
from gearwright.formats.xacro.values import (
    CHANGEABLE,
    SCALARS,
    DottedDict,
    Function,
    Namespace,
    NameTable,
    Value,
    iterated,
    joined,
    weigh,
)

MAX_LENGTH = 5_000  # characters of an expression
MAX_DEPTH = 100  # of its syntax tree
MAX_CALLS = 40  # lambdas inside each other
MAX_NODES_KEPT = 50_000  # of syntax trees that are kept for the next time, some 500 bytes each
_PARSING = Lock()  # filters of warnings belong to the process: threads that swap them at once would lose them


class ExpressionEvaluator:
    """Evaluates expressions against names; draws from one budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._parsed: dict[str, ast.expr] = {}
        self._nodes = 0  # of these trees
        self._calls = 0

    def evaluate(self, text: str, names: NameTable) -> Value:
        text = text.strip()
        tree = self._parsed.get(text)
        if tree is None:
            tree = self._parse(text)
        try:
            return self.visit(tree, names)
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as e:
            reason = str(e) if not isinstance(e, KeyError) else f"there is no {shown(e.args[0])}"
            raise XacroError(f"{reason or type(e).__name__}, in the expression {shown(text)}") from None

    def _parse(self, text: str) -> ast.expr:
        """The syntax tree; trees are kept for the next time as long as they are few."""
        tree, size = _parse(text)
        self.budget.spend(size)
        self._nodes += size
        if self._nodes > MAX_NODES_KEPT:
            self._parsed.clear()
            self._nodes = size
        self._parsed[text] = tree
        return tree

    def visit(self, node: ast.expr, names: NameTable) -> Value:
        self.budget.spend()
        rule = _RULES.get(type(node))
        if rule is None:
            raise XacroError(f"{_CALLED.get(type(node), type(node).__name__)} may not be used in an expression")
        value = rule(self, node, names)
        return value if type(value) in SCALARS else self._sized(value)

    def _sized(self, value: Value) -> Value:
        """Charges the budget for a new value; a value that was looked up is charged where it is used."""
        return weigh(value, self.budget) if type(value) in (int, str) else value

    # --- names and attributes ------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant, _: NameTable) -> Value:
        if isinstance(node.value, (bytes, complex)) or node.value is ...:
            raise XacroError(f"{shown(node.value)} may not be used in an expression")
        return node.value

    def _name(self, node: ast.Name, names: NameTable) -> Value:
        try:
            return names.lookup(node.id)
        except KeyError:
            known = names.names() if isinstance(names, (PropertyScope, Locals)) else ()
            raise XacroError(f"the name {shown(node.id)} is not defined{nearest(node.id, known)}") from None

    def _attribute(self, node: ast.Attribute, names: NameTable) -> Value:
        value, name = self.visit(node.value, names), node.attr
        if isinstance(value, (PropertyScope, Namespace)):
            try:
                return value.lookup(name)
            except KeyError:
                raise XacroError(f"the name {shown(name)} is not defined in this namespace") from None
        found = method(value, name)
        if found is not None:
            self.budget.spend(FUNCTION_STEPS)
            return found
        if isinstance(value, DottedDict) and name in value:
            return value[name]
        if isinstance(value, DottedDict):
            near = nearest(name, [k for k in value if isinstance(k, str)])
            raise XacroError(f"the yaml dictionary has no key {shown(name)}{near}")
        raise XacroError(f"{_kind(value)} has no {shown(name)} that expressions may use")

    def _subscript(self, node: ast.Subscript, names: NameTable) -> Value:
        value, index = self.visit(node.value, names), self.visit(node.slice, names)
        if type(value) not in TABLE:
            raise XacroError(f"{_kind(value)} has no items")
        result = value[weigh(index, self.budget)]
        return weigh(result, self.budget) if isinstance(index, slice) else result

    def _slice(self, node: ast.Slice, names: NameTable) -> Value:
        return slice(
            *(None if part is None else self.visit(part, names) for part in (node.lower, node.upper, node.step))
        )

    # --- operators -----------------------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp, names: NameTable) -> Value:
        rule = BINARY.get(type(node.op))
        if rule is None:
            raise XacroError(f"the operator {type(node.op).__name__} may not be used in an expression")
        a, b = self.visit(node.left, names), self.visit(node.right, names)
        return weigh(rule(weigh(a, self.budget), weigh(b, self.budget)), self.budget)

    def _unary(self, node: ast.UnaryOp, names: NameTable) -> Value:
        return UNARY[type(node.op)](self.visit(node.operand, names))

    def _boolean(self, node: ast.BoolOp, names: NameTable) -> Value:
        ends = isinstance(node.op, ast.Or)
        value = None
        for part in node.values:
            value = self.visit(part, names)
            if bool(value) is ends:
                break
        return value

    def _compare(self, node: ast.Compare, names: NameTable) -> Value:
        left, result = self.visit(node.left, names), True
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.visit(part, names)
            result = COMPARE[type(op)](weigh(left, self.budget), weigh(right, self.budget))
            if not result:
                break
            left = right
        return result

    def _condition(self, node: ast.IfExp, names: NameTable) -> Value:
        return self.visit(node.body if self.visit(node.test, names) else node.orelse, names)

    # --- calls ---------------------------------------------------------------------------------------------------

    def apply(self, function: Value, /, *arguments: Value, **named: Value) -> Value:
        """Every call of a function: what goes in is weighed together, what comes out by itself."""
        if not isinstance(function, Function):
            raise XacroError(f"{_kind(function)} cannot be called")
        self.budget.spend(FUNCTION_STEPS)
        weigh([*function.bound, *arguments, *named.values()], self.budget)
        first = (self.apply, *function.bound) if function.calls_back else function.bound
        result = function.call(*first, *arguments, **named)
        for value in function.bound:
            if isinstance(value, CHANGEABLE):
                weigh(value, self.budget)
        return weigh(result, self.budget)

    def _call(self, node: ast.Call, names: NameTable) -> Value:
        function = self.visit(node.func, names)
        arguments = list(self._spread(node.args, names))
        named: dict[str, Value] = {}
        for k in node.keywords:
            value = self.visit(k.value, names)
            named.update({k.arg: value} if k.arg is not None else weigh(value, self.budget))
        return self.apply(function, *arguments, **named)

    def _lambda(self, node: ast.Lambda, names: NameTable) -> Value:
        a = node.args
        if a.defaults or a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            raise XacroError("a lambda takes plain parameters only")
        self.budget.spend(FUNCTION_STEPS * sum(1 for _ in ast.walk(node)))  # it keeps its text
        parameters = [p.arg for p in a.args]

        def call(*values: Value) -> Value:
            if len(values) != len(parameters):
                raise XacroError(f"a lambda of {len(parameters)} parameters is given {len(values)}")
            if self._calls >= MAX_CALLS:
                raise too_much(f"more than {MAX_CALLS} lambdas inside each other")
            self._calls += 1
            result = self.visit(node.body, Locals(dict(zip(parameters, values, strict=True)), names))
            self._calls -= 1
            return result

        return Function("lambda", call)

    # --- displays and comprehensions -----------------------------------------------------------------------------

    def _spread(self, parts: list[ast.expr], names: NameTable) -> Iterator[Value]:
        for part in parts:
            if isinstance(part, ast.Starred):
                yield from iterated(self.visit(part.value, names), self.budget)
            else:
                yield self.visit(part, names)

    def _list(self, node: ast.List | ast.Set, names: NameTable) -> Value:
        return weigh(list(self._spread(node.elts, names)), self.budget)

    def _tuple(self, node: ast.Tuple, names: NameTable) -> Value:
        return weigh(tuple(self._spread(node.elts, names)), self.budget)

    def _set(self, node: ast.Set, names: NameTable) -> Value:
        return set(self._list(node, names))  # weighed before it is hashed

    def _dict(self, node: ast.Dict, names: NameTable) -> Value:
        made: dict[Value, Value] = {}
        for k, v in zip(node.keys, node.values, strict=True):
            value = self.visit(v, names)
            made.update(weigh(value, self.budget) if k is None else {self.visit(k, names): value})
            weigh(made if k is None else None, self.budget)
        return weigh(made, self.budget)

    def _comprehension(self, node: Any, names: NameTable) -> Value:
        """A comprehension: a list, a set, or a generator, which is a list here."""
        values = self._listed(self.visit(node.elt, local) for local in self._loops(node.generators, names))
        return weigh(set(values), self.budget) if isinstance(node, ast.SetComp) else values

    def _dict_comprehension(self, node: ast.DictComp, names: NameTable) -> Value:
        loops = self._loops(node.generators, names)
        pairs = self._listed([self.visit(node.key, local), self.visit(node.value, local)] for local in loops)
        return weigh(dict(pairs), self.budget)

    def _listed(self, values: Iterator[Value]) -> list[Value]:
        """The list is weighed before a set is made of it, and ends where it is too long."""
        return weigh(list(islice(values, MAX_ITEMS + 1)), self.budget)  # type: ignore[no-any-return]

    def _loops(self, generators: list[ast.comprehension], names: NameTable) -> Iterator[NameTable]:
        if not generators:
            yield names
            return
        first = generators[0]
        for value in list(iterated(self.visit(first.iter, names), self.budget)):
            self.budget.spend()
            local = Locals(_bound(first.target, value), names)
            if all(self.visit(test, local) for test in first.ifs):
                yield from self._loops(generators[1:], local)

    def _joined(self, node: ast.JoinedStr, names: NameTable) -> Value:
        return joined(self.visit(part, names) for part in node.values)

    def _formatted(self, node: ast.FormattedValue, names: NameTable) -> Value:
        spec = "" if node.format_spec is None else self.visit(node.format_spec, names)
        conversion = chr(node.conversion) if node.conversion > 0 else ""
        return weigh(one_field(weigh(self.visit(node.value, names), self.budget), spec, conversion), self.budget)


_RULES: dict[type[ast.expr], Callable[[ExpressionEvaluator, Any, NameTable], Value]] = {
    ast.Constant: ExpressionEvaluator._constant,
    ast.Name: ExpressionEvaluator._name,
    ast.Attribute: ExpressionEvaluator._attribute,
    ast.Subscript: ExpressionEvaluator._subscript,
    ast.Slice: ExpressionEvaluator._slice,
    ast.BinOp: ExpressionEvaluator._binary,
    ast.UnaryOp: ExpressionEvaluator._unary,
    ast.BoolOp: ExpressionEvaluator._boolean,
    ast.Compare: ExpressionEvaluator._compare,
    ast.IfExp: ExpressionEvaluator._condition,
    ast.Call: ExpressionEvaluator._call,
    ast.Lambda: ExpressionEvaluator._lambda,
    ast.List: ExpressionEvaluator._list,
    ast.Tuple: ExpressionEvaluator._tuple,
    ast.Set: ExpressionEvaluator._set,
    ast.Dict: ExpressionEvaluator._dict,
    ast.ListComp: ExpressionEvaluator._comprehension,
    ast.SetComp: ExpressionEvaluator._comprehension,
    ast.GeneratorExp: ExpressionEvaluator._comprehension,
    ast.DictComp: ExpressionEvaluator._dict_comprehension,
    ast.JoinedStr: ExpressionEvaluator._joined,
    ast.FormattedValue: ExpressionEvaluator._formatted,
}
_CALLED = {ast.NamedExpr: "an assignment (:=)", ast.Await: "await", ast.Yield: "yield", ast.Starred: "a star (*)"}


def _parse(text: str) -> tuple[ast.expr, int]:
    """The syntax tree, and how many nodes it has."""
    if len(text) > MAX_LENGTH:
        raise too_much(f"an expression of more than {MAX_LENGTH:,} characters")
    try:
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid decimal literal" and the like: no use to who loads a robot
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as e:
        reason = e.msg if isinstance(e, SyntaxError) else str(e)
        raise XacroError(f"{shown(text)} is not an expression: {reason}") from None
    except (RecursionError, MemoryError):
        raise too_much(f"the expression {shown(text)} is nested too deeply") from None
    level, size = [tree], 0
    for _ in range(MAX_DEPTH):
        size += len(level)
        level = [child for node in level for child in ast.iter_child_nodes(node)]  # type: ignore[misc]
        if not level:
            return tree, size
    raise too_much(f"the expression {shown(text)} is nested too deeply")


def _bound(target: ast.expr, value: Value) -> dict[str, Value]:
    """The names of a loop: one, or a tuple of them."""
    if isinstance(target, ast.Name):
        return {target.id: value}
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = list(value)
        if len(parts) != len(target.elts):
            raise XacroError(f"{len(parts)} values for {len(target.elts)} names of a loop")
        return {k: v for t, part in zip(target.elts, parts, strict=True) for k, v in _bound(t, part).items()}
    raise XacroError("a loop may only set plain names")


def _kind(value: Value) -> str:
    if isinstance(value, Function):
        return f"the function {value.name}"
    return "a namespace" if isinstance(value, (PropertyScope, Namespace)) else f"a value of type {type(value).__name__}"
