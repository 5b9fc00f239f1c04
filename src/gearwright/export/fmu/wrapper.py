"""The C functions of FMI 3.0 around an exported step."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.export.fmu.variables import Variable
from gearwright.model.layout.slots import StepSlot

OTHER_TYPES = (
    "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean", "String",
    "Binary", "Clock",
)  # fmt: skip
NOT_THERE = (  # functions that every FMU exports, of things that a robot's step has none of
    "EnterConfigurationMode", "ExitConfigurationMode", "EnterEventMode", "EnterContinuousTimeMode", "EnterStepMode",
    "GetNumberOfVariableDependencies", "GetVariableDependencies", "GetDirectionalDerivative", "GetAdjointDerivative",
    "GetIntervalDecimal", "GetIntervalFraction", "GetShiftDecimal", "GetShiftFraction", "SetIntervalDecimal",
    "SetIntervalFraction", "SetShiftDecimal", "SetShiftFraction", "EvaluateDiscreteStates", "UpdateDiscreteStates",
    "CompletedIntegratorStep", "SetTime", "SetContinuousStates", "GetContinuousStateDerivatives",
    "GetEventIndicators", "GetContinuousStates", "GetNominalsOfContinuousStates", "GetNumberOfEventIndicators",
    "GetNumberOfContinuousStates", "GetOutputDerivatives", "ActivateModelPartition",
)  # fmt: skip


def wrapper(
    name: str, token: str, dt: float, found: Sequence[Variable], *, counting: bool, fresh: bool, mean_velocities: int
) -> str:
    """The file.

    `counting`: sensors count steps, so that none may be shorter. `fresh`: the step keeps what follows from states.
    `mean_velocities`: their number in the state, which begin as the velocities.
    """
    starts = {v.member: 0 for v in found if v.initial}
    for v in found:
        if v.initial:
            starts[v.member] += 1
    places = ",\n".join(f"    {_place(name, v)}" for v in found)
    nothing = "\n".join(
        f"EXPORT int fmi3{f}(void) {{ return ERROR; }}"
        for f in (*(f"{verb}{kind}" for kind in OTHER_TYPES for verb in ("Get", "Set")), *NOT_THERE)
    )
    members = "".join(f"    double {member}[{size}];\n" for member, size in starts.items())
    copied = "".join(_copied(v) for v in found if v.initial)
    defaults = "".join(f"    m->{v.member}[{v.element}] = {v.start!r};\n" for v in found if v.initial)
    begun = "".join(
        f"    m->robot.{StepSlot.MEAN_VELOCITY}[{i}] = m->robot.{StepSlot.VELOCITY}[{i}];\n"
        for i in range(mean_velocities)
    )
    begun += "        m->robot.fresh[0] = 0;\n" if fresh else ""
    settable = "".join(f"{int(v.causality in ('input', 'parameter'))}," for v in found)
    fixed = "".join(f"{int(v.initial)}," for v in found)
    return f"""/* FMI 3.0 co-simulation around {name}_step, written by Gearwright. */
#include "{name}.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum {{ OK, WARNING, DISCARD, ERROR, FATAL }};
enum {{ INSTANTIATED, INITIALIZING, STEPPING, TERMINATED }};

typedef void (*log_function)(void *environment, int status, const char *category, const char *message);

typedef struct {{
    {name}_t robot;
    double time;
{members}    int mode, moved; /* moved: it does not start where the file says */
    void *environment;
    log_function log;
}} model_t;

static const char TOKEN[] = "{{{token}}}";
static const double DT = {dt!r};

/* where each variable stands, in its order */
static const size_t PLACES[] = {{
{places}
}};
static const bool SETTABLE[] = {{{settable}}};
static const bool AT_START[] = {{{fixed}}}; /* before initialization ends, and not later */
enum {{ VARIABLES = sizeof(PLACES) / sizeof(PLACES[0]) }};

static double *number(model_t *m, uint32_t reference)
{{
    return (double *)((char *)m + PLACES[reference]);
}}

static int said(model_t *m, int status, const char *message)
{{
    if (m->log) m->log(m->environment, status, status == ERROR ? "logStatusError" : "logStatusDiscard", message);
    return status;
}}

static void begin(model_t *m)
{{
    {name}_init(&m->robot);
    m->time = 0.0;
    m->mode = INSTANTIATED;
    m->moved = 0;
{defaults}}}

EXPORT const char *fmi3GetVersion(void) {{ return "3.0"; }}

EXPORT int fmi3SetDebugLogging(void *instance, bool on, size_t n, const char *const categories[])
{{
    (void)instance; (void)on; (void)n; (void)categories;
    return OK;
}}

EXPORT void *fmi3InstantiateCoSimulation(
    const char *name, const char *token, const char *resources, bool visible, bool logging, bool events, bool early,
    const uint32_t intermediate[], size_t intermediates, void *environment, log_function log, void *update)
{{
    model_t *m;
    (void)name; (void)resources; (void)visible; (void)logging; (void)events; (void)early; (void)intermediate;
    (void)intermediates; (void)update;
    if (!token || strcmp(token, TOKEN) != 0) {{
        if (log) log(environment, ERROR, "logStatusError", "the instantiation token is another FMU's");
        return NULL;
    }}
    m = calloc(1, sizeof *m);
    if (!m) return NULL;
    begin(m);
    m->environment = environment;
    m->log = log;
    return m;
}}

EXPORT void *fmi3InstantiateModelExchange(void) {{ return NULL; }}
EXPORT void *fmi3InstantiateScheduledExecution(void) {{ return NULL; }}
EXPORT void fmi3FreeInstance(void *instance) {{ free(instance); }}

EXPORT int fmi3EnterInitializationMode(
    void *instance, bool tolerant, double tolerance, double start, bool stops, double stop)
{{
    model_t *m = instance;
    (void)tolerant; (void)tolerance; (void)stops; (void)stop;
    m->time = start;
    m->mode = INITIALIZING;
    return OK;
}}

static void start(model_t *m)
{{
    if (m->moved) {{
{copied}{begun}        {name}_sense(&m->robot);
    }}
    {name}_observe(&m->robot);
}}

EXPORT int fmi3ExitInitializationMode(void *instance)
{{
    model_t *m = instance;
    start(m);
    m->mode = STEPPING;
    return OK;
}}

EXPORT int fmi3Terminate(void *instance)
{{
    ((model_t *)instance)->mode = TERMINATED;
    return OK;
}}

EXPORT int fmi3Reset(void *instance)
{{
    begin(instance);
    return OK;
}}

EXPORT int fmi3GetFloat64(void *instance, const uint32_t references[], size_t n, double values[], size_t sizes)
{{
    model_t *m = instance;
    if (sizes != n) return said(m, ERROR, "every variable is one number");
    if (m->mode < STEPPING) start(m);
    for (size_t i = 0; i < n; ++i) {{
        if (references[i] >= VARIABLES) return said(m, ERROR, "there is no variable of that reference");
        values[i] = *number(m, references[i]);
    }}
    return OK;
}}

EXPORT int fmi3SetFloat64(void *instance, const uint32_t references[], size_t n, const double values[], size_t sizes)
{{
    model_t *m = instance;
    if (sizes != n) return said(m, ERROR, "every variable is one number");
    for (size_t i = 0; i < n; ++i) {{
        const uint32_t reference = references[i];
        if (reference >= VARIABLES || !SETTABLE[reference]) return said(m, ERROR, "that variable cannot be set");
        if (AT_START[reference] && m->mode >= STEPPING)
            return said(m, ERROR, "a start is set before initialization ends");
        if (!isfinite(values[i])) return said(m, ERROR, "values must be finite");
        *number(m, reference) = values[i];
        if (AT_START[reference]) m->moved = 1;
{_again(fresh)}    }}
    return OK;
}}

static int step(model_t *m, double dt)
{{
    m->robot.dt[0] = dt;
    if ({name}_step(&m->robot)) return said(m, ERROR, "the robot diverged; its state is that before the step");
    return OK;
}}

EXPORT int fmi3DoStep(
    void *instance, double time, double size, bool final, bool *event, bool *terminate, bool *early, double *reached)
{{
    model_t *m = instance;
    const double steps = floor(size / DT * (1.0 + 1e-12) + 1e-9), rest = size - steps * DT;
    const bool partial = rest > 1e-6 * DT;
    (void)time; (void)final;
    *event = *terminate = *early = false;
    *reached = m->time;
    if (!(size >= 0.0) || steps > 1e12) return said(m, ERROR, "the communication step must be a time of 0 or more");
    if (partial && {int(counting)})
        return said(m, DISCARD, "sensors count steps: communicate at multiples of {dt!r} s");
    for (double k = 0.0; k < steps; k += 1.0) {{
        if (step(m, DT) != OK) return ERROR;
        *reached = m->time += DT;
    }}
    if (partial && step(m, rest) != OK) return ERROR;
    if (partial) m->time += rest;
    {name}_observe(&m->robot);
    *reached = m->time;
    return OK;
}}

/* The whole state: the struct, without pointers. */

EXPORT int fmi3GetFMUState(void *instance, void **state)
{{
    if (!*state) *state = malloc(sizeof(model_t));
    if (!*state) return said(instance, ERROR, "out of memory");
    memcpy(*state, instance, sizeof(model_t));
    return OK;
}}

EXPORT int fmi3SetFMUState(void *instance, void *state)
{{
    model_t *m = instance;
    void *environment = m->environment;
    log_function log = m->log;
    memcpy(m, state, sizeof *m);
    m->environment = environment;
    m->log = log;
    return OK;
}}

EXPORT int fmi3FreeFMUState(void *instance, void **state)
{{
    (void)instance;
    free(*state);
    *state = NULL;
    return OK;
}}

EXPORT int fmi3SerializedFMUStateSize(void *instance, void *state, size_t *size)
{{
    (void)instance; (void)state;
    *size = offsetof(model_t, environment);
    return OK;
}}

EXPORT int fmi3SerializeFMUState(void *instance, void *state, uint8_t bytes[], size_t size)
{{
    if (size < offsetof(model_t, environment)) return said(instance, ERROR, "the buffer is too small for the state");
    memcpy(bytes, state, offsetof(model_t, environment));
    return OK;
}}

EXPORT int fmi3DeserializeFMUState(void *instance, const uint8_t bytes[], size_t size, void **state)
{{
    if (size != offsetof(model_t, environment)) return said(instance, ERROR, "these bytes are not a state of this FMU");
    if (!*state) *state = calloc(1, sizeof(model_t));
    if (!*state) return said(instance, ERROR, "out of memory");
    memcpy(*state, bytes, size);
    return OK;
}}

/* Other types of variables and other kinds of simulation: none. */
{nothing}
"""


def _place(name: str, v: Variable) -> str:
    if v.causality == "independent":
        return "offsetof(model_t, time)"
    whole = v.member if v.initial else f"robot.{v.member}"
    return f"offsetof(model_t, {whole}) + {v.element} * sizeof(double)"


def _copied(v: Variable) -> str:
    """A start into the state."""
    slot = StepSlot.POSITION if v.member == "start_position" else StepSlot.VELOCITY
    return f"        m->robot.{slot}[{v.element}] = m->{v.member}[{v.element}];\n"


def _again(fresh: bool) -> str:
    return "        m->robot.fresh[0] = 0;\n" if fresh else ""
