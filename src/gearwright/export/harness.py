"""The test program of exported C: makes steps, and compares states with those of the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.compiler import SlotKind
from gearwright.compiler.c_code import Dialect
from gearwright.model.layout.slots import StepSlot

if TYPE_CHECKING:
    from gearwright.sim import Simulation

STEPS = {"double": 1000, "single": 100}
# sines of two libraries differ by a unit in the last place, and so does a product that is not fused; a pushed four-bar
# makes 1e-12 of it
TOLERANCE = {"double": 1e-11, "single": 1e-3}


COMPARED = (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.ACTUATOR, StepSlot.SENSOR)  # the others are the solver's own
PUSHED = (StepSlot.EFFORT, StepSlot.COMMAND)  # inputs that are not zero, so that robots move


def _pushes(n: int) -> list[float]:
    return [0.05 * (1 + i % 3) * (-1) ** i for i in range(n)]


def _literal(x: float, sim: Simulation) -> str:
    return Dialect(sim.options.precision).number(x)


def harness_text(name: str, sim: Simulation) -> str:
    """A program that exits with 0 if all states agree; with an argument, it makes so many steps and prints them."""
    state, steps = sim.batch_state, STEPS[sim.options.precision]
    start, inputs = state.state(), {n: _pushes(state.get(n).shape[1]) for n in PUSHED if state.has(n)}
    for slot, values in inputs.items():
        state.set(slot, values)
    sim.step(n=steps)
    slots = [s for s in state.program.of_kind(SlotKind.STATE) if s.size and s.name in COMPARED]
    expected = np.concatenate([state.get(s.name)[0] for s in slots])
    state.set_state(start)
    for slot in inputs:
        state.set(slot, 0.0)
    sim.clock.restart(0.0)
    given = "\n".join(
        f"    robot.{slot}[{i}] = {_literal(x, sim)};" for slot, values in inputs.items() for i, x in enumerate(values)
    )
    numbers = ",\n    ".join(repr(float(x)) for x in np.asarray(expected, float))
    copies = "\n".join(
        f"    for (i = 0; i < {s.size}; ++i) state[n++] = (double)r->{s.name}[i];" for s in slots
    )  # fmt: skip
    count = sum(s.size for s in slots)
    return f"""/* Tests {name}.c: cc -std=c99 {name}.c {name}_test.c -lm && ./a.out
   With a number as argument, makes so many steps and prints the states instead. */
#include "{name}.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double expected[{count}] = {{
    {numbers}
}};

static void copy(const {name}_t *r, double *state)
{{
    int i, n = 0;
{copies}
}}

int main(int argc, char **argv)
{{
    static {name}_t robot;
    static double state[{count}];
    const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : {steps};
    double worst = 0.0;
    int i;
    long k;

    {name}_init(&robot);
{given}
    for (k = 0; k < steps; ++k) {{
        if ({name}_step(&robot) != 0) {{
            printf("step %ld failed\\n", k);
            return 2;
        }}
    }}
    copy(&robot, state);
    if (argc > 1) {{
        for (i = 0; i < {count}; ++i) printf("%.17g\\n", state[i]);
        return 0;
    }}
    for (i = 0; i < {count}; ++i) {{
        const double scale = fabs(expected[i]) > 1.0 ? fabs(expected[i]) : 1.0;
        const double error = fabs(state[i] - expected[i]) / scale;
        if (!(error <= worst)) worst = error;
    }}
    printf("largest difference after {steps} steps: %g\\n", worst);
    return worst <= {TOLERANCE[sim.options.precision]!r} ? 0 : 1;
}}
"""
