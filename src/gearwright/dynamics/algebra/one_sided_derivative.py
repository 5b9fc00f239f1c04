"""Slopes of functions with corners, cheaply: of two that meet, the slope of one.

CasADi gives min and max at a tie the mean of both slopes, which takes two comparisons and a division each. At a corner
either side's slope serves Newton's method as well.
"""

from __future__ import annotations

import casadi
from casadi import SX, Function


def slope(function: Function, symbols: list[SX]) -> SX:
    """∂(first output)/∂(first input) at the symbols; the first input and output are scalars."""
    own = SX.sym("own")
    value: dict[int, SX] = {}  # of each place of the tape
    shown: dict[int, SX] = {}  # the same, as a function of `own` that has choices in the place of minima and maxima
    found = SX(0.0)
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        i, o = function.instruction_input(k), function.instruction_output(k)
        if op == casadi.OP_OUTPUT:
            found = shown[i[0]] if o[0] == 0 else found
        elif op == casadi.OP_INPUT:
            value[o[0]] = symbols[i[0]][i[1]]
            shown[o[0]] = own if i[0] == 0 else value[o[0]]
        elif op == casadi.OP_CONST:
            value[o[0]] = shown[o[0]] = SX(function.instruction_constant(k))
        else:
            at, along = [value[n] for n in i], [shown[n] for n in i]
            value[o[0]] = SX.unary(op, *at) if len(i) == 1 else SX.binary(op, *at)
            if op in (casadi.OP_FMIN, casadi.OP_FMAX):
                first = at[0] <= at[1] if op == casadi.OP_FMIN else at[0] >= at[1]
                shown[o[0]] = SX(casadi.if_else(first, along[0], along[1]))
            else:
                shown[o[0]] = SX.unary(op, *along) if len(i) == 1 else SX.binary(op, *along)
    return casadi.substitute(casadi.jacobian(found, own), own, symbols[0])
