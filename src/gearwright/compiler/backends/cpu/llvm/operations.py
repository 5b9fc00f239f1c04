"""The table from op to LLVM text."""

from __future__ import annotations

from gearwright.compiler.backends.cpu.llvm.ir import Types, number

# {r} is the result; {0}, {1}, {2} the arguments; {b0}, {b1} the arguments as truth values; F, B, S as in `Types`.
_FMA = "{r} = call <F> @llvm.fma.<S>(<F> {0}, <F> {1}, <F> {2})"
_TRUTH = "\n{r} = select <B> {r}.b, <F> <one>, <F> <zero>"
TEXT: dict[str, str] = {
    "add": "{r} = fadd <F> {0}, {1}",
    "sub": "{r} = fsub <F> {0}, {1}",
    "mul": "{r} = fmul <F> {0}, {1}",
    "div": "{r} = fdiv <F> {0}, {1}",
    "neg": "{r} = fneg <F> {0}",
    "sq": "{r} = fmul <F> {0}, {0}",
    "twice": "{r} = fadd <F> {0}, {0}",
    "inv": "{r} = fdiv <F> <one>, {0}",
    "sqrt": "{r} = call <F> @llvm.sqrt.<S>(<F> {0})",
    "fabs": "{r} = call <F> @llvm.fabs.<S>(<F> {0})",
    "fma": _FMA,
    "fms": "{r}.n = fneg <F> {2}\n" + _FMA.replace("{2}", "{r}.n"),
    "fnma": "{r}.n = fneg <F> {0}\n" + _FMA.replace("{0}", "{r}.n"),
    "floor": "{r} = call <F> @llvm.floor.<S>(<F> {0})",
    "ceil": "{r} = call <F> @llvm.ceil.<S>(<F> {0})",
    "copysign": "{r} = call <F> @llvm.copysign.<S>(<F> {0}, <F> {1})",
    "fmod": "{r} = frem <F> {0}, {1}",
    # NaN comes through: from {1} by the comparison, from {0} by the test. A constant {0} needs no test.
    "fmin": "{r}.c = fcmp olt <F> {0}, {1}\n{r}.m = select <B> {r}.c, <F> {0}, <F> {1}\n<nan of {0}>",
    "fmax": "{r}.c = fcmp ogt <F> {0}, {1}\n{r}.m = select <B> {r}.c, <F> {0}, <F> {1}\n<nan of {0}>",
    "sign": "{r}.p = fcmp ogt <F> {0}, <zero>\n{r}.n = fcmp olt <F> {0}, <zero>\n"
    "{r}.s = select <B> {r}.n, <F> <minus one>, <F> {0}\n{r} = select <B> {r}.p, <F> <one>, <F> {r}.s",
    "lt": "{r}.b = fcmp olt <F> {0}, {1}" + _TRUTH,
    "le": "{r}.b = fcmp ole <F> {0}, {1}" + _TRUTH,
    "eq": "{r}.b = fcmp oeq <F> {0}, {1}" + _TRUTH,
    "ne": "{r}.b = fcmp une <F> {0}, {1}" + _TRUTH,
    "and": "{r}.b = and <B> {b0}, {b1}" + _TRUTH,
    "or": "{r}.b = or <B> {b0}, {b1}" + _TRUTH,
    "not": "{r}.b = xor <B> {b0}, <true>" + _TRUTH,
    "if_else_zero": "{r} = select <B> {b0}, <F> {1}, <F> <zero>",
    "select": "{r} = select <B> {b0}, <F> {1}, <F> {2}",
}
INTRINSICS = {"fma": 3, "sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "copysign": 2}  # name and arity
# Operations of which a vector's text is the scalar's, lane by lane. LLVM has no vector instruction of a remainder.
LANEWISE = frozenset(TEXT) - {"fmod"}
_NAN_TEST = "{r}.u = fcmp uno <F> {0}, {0}\n{r} = select <B> {r}.u, <F> {0}, <F> {r}.m"
_NO_NAN_TEST = "{r} = select <B> {r}.c, <F> {0}, <F> {1}"


def templates(t: Types) -> dict[str, str]:
    """`TEXT` with everything filled in that the type decides."""
    true = "true" if t.lanes == 1 else "splat (i1 true)"
    words = {
        "<nan of {0}>": _NAN_TEST,
        "<F>": t.F,
        "<B>": t.B,
        "<S>": t.S,
        "<one>": number(1.0, t),
        "<zero>": number(0.0, t),
        "<minus one>": number(-1.0, t),
        "<true>": true,
    }
    filled = dict(TEXT)
    for op in ("fmin", "fmax"):
        filled[f"{op} const"] = TEXT[op].replace("<nan of {0}>", _NO_NAN_TEST)
    for word, meaning in words.items():
        filled = {op: text.replace(word, meaning) for op, text in filled.items()}
    return filled


def declarations(t: Types) -> set[str]:
    """The intrinsics that `TEXT` uses."""
    return {f"declare {t.F} @llvm.{name}.{t.S}({', '.join([t.F] * arity)})" for name, arity in INTRINSICS.items()}
