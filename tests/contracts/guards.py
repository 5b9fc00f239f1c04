"""Which test fails when a constant is changed, or why no outcome can depend on it.

One row a constant: a test, and by how much the constant is changed there (ten times, unless said). `argued`: a number
that stands for infinity or nothing, or that only decides how fast something is done.
"""

from __future__ import annotations

from typing import NamedTuple


class Guard(NamedTuple):
    """`test` fails with the constant times `factor`."""

    test: str
    factor: float = 10.0


STEP = "tests/dynamics/steps/test_midpoint.py"
STOPS = "tests/dynamics/constraints/test_axis_laws.py"
SPRINGS = "tests/dynamics/constraints/test_oscillator.py"
SWITCHING = "tests/dynamics/solve/test_switching.py"
OF_MODEL = "tests/model/test_thresholds.py"
OF_SIM = "tests/sim/test_thresholds.py"
REPORTS = "tests/sim/test_reporting.py"
ACCURATE = "tests/compiler/test_vector_math.py::test_one_argument_functions_are_accurate"
SINES = "tests/compiler/test_vector_math.py::test_sine_and_cosine_are_accurate"
CALLS = "tests/sim/test_signals.py"

GUARDS = {
    "dynamics.actuation.actuator_unit.HALVINGS": Guard("tests/dynamics/solve/test_curves.py", 0.1),
    "dynamics.constraints.axis_laws.AT_STOP": Guard(STOPS),
    "dynamics.constraints.axis_laws.ENDLESS": Guard(STOPS),
    "dynamics.constraints.axis_laws.ON_STOP": Guard(STOPS),
    "dynamics.constraints.axis_laws.RECOVERY": Guard(STOPS),
    "dynamics.constraints.axis_laws.RECOVERY_SPEED": Guard(STOPS),
    "dynamics.constraints.oscillator.LEAST_SLOPE": Guard(SPRINGS),
    "dynamics.constraints.oscillator.RESOLVED": Guard(SPRINGS),
    "dynamics.constraints.oscillator.RESOLVED_TOGETHER": Guard(SPRINGS),
    "dynamics.solve.rows.COMPLIANCE": Guard("tests/dynamics/solve/test_rows.py"),
    "dynamics.solve.laws.STOP_LEAKAGE": Guard("tests/dynamics/solve/test_sweeps.py"),
    "dynamics.solve.laws.WARM_START_CHANGE": Guard("tests/dynamics/solve/test_sweeps.py"),
    "dynamics.steps.midpoint.FAR_IN_A_STEP": Guard(STEP),
    "dynamics.steps.midpoint.MOST_DAMPED": Guard(STEP, 3.0),
    "dynamics.steps.midpoint.MUCH": Guard(STEP),
    "dynamics.steps.midpoint.NEAR": Guard(STEP),
    "dynamics.steps.midpoint.PASSES": Guard(STEP, 0.1),
    "dynamics.steps.midpoint.SETTLED": Guard(STEP),
    "dynamics.algebra.rotation.NEGLIGIBLE": Guard("tests/dynamics/test_rotation.py"),
    "dynamics.algebra.rotation._ROUNDING": Guard("tests/dynamics/test_rotation.py", 0.1),
    "dynamics.constraints.rows.PARALLEL": Guard("tests/dynamics/constraints/test_coupling_rows.py"),
    "dynamics.linearization.UNROLLED": Guard(
        "tests/sim/test_simulation.py::test_linearize_equals_finite_differences", 0.1
    ),
    "dynamics.sensing.noise.MODULI": Guard("tests/dynamics/test_sensing_noise.py"),
    "dynamics.sensing.noise.MULTIPLIERS": Guard("tests/dynamics/test_sensing_noise.py"),
    "dynamics.sensing.noise._LEAST": Guard("tests/dynamics/test_sensing_noise.py", 0.1),
    "dynamics.sensing.times.CLOSE": Guard("tests/dynamics/test_times.py"),
    "dynamics.sensing.times.DEEPEST": Guard("tests/dynamics/test_times.py"),
    "dynamics.sensing.times.LONGEST": Guard("tests/dynamics/test_times.py"),
    "dynamics.solve.switching.ROUNDING": Guard(SWITCHING, 0.001),
    "dynamics.steps.projection.PROJECTIONS": Guard("tests/dynamics/steps/test_projection.py", 0.1),
    "dynamics.steps.substeps.CALM": Guard("tests/dynamics/steps/test_substeps.py"),
    "dynamics.steps.substeps.MOST": Guard("tests/dynamics/steps/test_substeps.py", 0.1),
    "dynamics.steps.substeps.TRIES": Guard("tests/dynamics/steps/test_substeps.py", 0.1),
    "sim.actuator_view.SHOWN": Guard(OF_SIM),
    "sim.assembly.AGREEMENT": Guard(OF_SIM),
    "sim.clock.FIRST": Guard(f"{CALLS}::test_calls_are_short_and_not_too_many"),
    "sim.clock.GROWTH": Guard(f"{CALLS}::test_calls_are_short_and_not_too_many", 0.2),
    "sim.clock.LONGEST": Guard(f"{CALLS}::test_calls_get_shorter_where_steps_get_slower"),
    "sim.clock.MOST_STEPS": Guard(f"{CALLS}::test_too_many_steps"),
    "sim.failing.LARGE_MASS_RATIO": Guard(OF_SIM),
    "sim.failing.LARGE_ROBOT": Guard(OF_SIM),
    "sim.free_memory.UNKNOWN": Guard("tests/sim/test_files.py::test_a_system_that_says_little"),
    "sim.loops.ATTEMPTS": Guard(OF_SIM),
    "sim.loops.CLOSED": Guard(OF_SIM, 1e3),
    "sim.loops.DEPENDENT": Guard(OF_SIM),
    "sim.loops.GOOD_ENOUGH": Guard(OF_SIM),
    "sim.loops.KEPT": Guard(OF_SIM),
    "sim.loops.LARGEST": Guard(OF_SIM),
    "sim.loops.STARTS": Guard(OF_SIM),
    "sim.options.DAMPING_RATIO": Guard(OF_SIM),
    "sim.options.NATURAL_FREQUENCY": Guard(OF_SIM),
    "sim.programs.TOP_SPEED": Guard("tests/sim/test_diverging.py::test_the_bound_is_where_it_is_said_to_be"),
    "sim.reporting.MOST_NAMED": Guard(REPORTS),
    "sim.reporting.RARE": Guard(REPORTS),
    "sim.reporting.ROUNDING": Guard(REPORTS),
    "model.actuators.actuator.LAST_PART": Guard(OF_MODEL),
    "model.checks.ROUNDED": Guard(OF_MODEL),
    "model.freedom._RANK_TOLERANCE": Guard(OF_MODEL),
    "model.joints.joint.PARALLEL": Guard(OF_MODEL),
    "model.mechanism.DEFAULT_GRAVITY": Guard(OF_MODEL),
    "model.rings.ONE_ROW": Guard(OF_MODEL),
    "model.rings.WIDEST": Guard(OF_MODEL),
    "model.moved_mass.POINT": Guard("tests/sim/test_refused_and_reported.py::test_refused_and_reported", 0.1),
    "model.second_descriptions.AGREES": Guard("tests/model/test_second_descriptions.py::test_the_digits_of_a_ratio"),
    "model.servos.FULL_ERROR": Guard(OF_MODEL),
    "model.servos.STIFFNESS": Guard(OF_MODEL),
    "model.servos.TIME_CONSTANT": Guard(OF_MODEL),
    "model.simulation_checks.LONGEST_PERIOD": Guard(OF_MODEL),
    "model.simulation_checks.MOST_SAMPLES": Guard(OF_MODEL),
    "model.simulation_checks.USUAL_STEP": Guard(OF_MODEL),
    "model.solids.WATER": Guard("tests/formats/test_auto_inertia.py"),
    "model.tangle.ALIGNED": Guard("tests/dynamics/constraints/test_redundancy.py", 0.1),
    "model.tangle.ATTEMPTS": Guard(OF_MODEL, 0.05),
    "model.tangle.POSES": Guard(OF_MODEL),
    "model.tangle.STRAY": Guard(OF_MODEL, 0.05),
    "model.transmissions.custom.MAX_GUESS": Guard(OF_MODEL),
    "model.transmissions.losses.LEAST": Guard(OF_MODEL),
    "model.transmissions.maps.ACCURACY": Guard(OF_MODEL, 1e6),
    "model.transmissions.maps.MAX_STEPS": Guard(OF_MODEL, 0.1),
    "compiler.arithmetic.LARGEST_EXPANDED_POWER": Guard("tests/compiler/test_passes.py"),
    "compiler.cache.ABANDONED": Guard("tests/compiler/test_cache.py"),
    "compiler.cache.LARGEST_TOTAL": Guard("tests/compiler/test_cache.py"),
    "compiler.backends.cpu.vector_math.exponential.ONE_OVER_LN2": Guard(ACCURATE),
    "compiler.backends.cpu.vector_math.exponential.LOGARITHM": Guard(ACCURATE),
    "compiler.backends.cpu.vector_math.exponential.ROUNDER_BITS": Guard(ACCURATE, 2.0),
    "compiler.backends.cpu.vector_math.exponential.ROOT_HALF_BITS": Guard(ACCURATE, 1.001),
    "compiler.backends.cpu.vector_math.trigonometric.ARCTANGENT": Guard(ACCURATE),
    "compiler.backends.cpu.vector_math.trigonometric.ARCSINE": Guard(ACCURATE),
    "compiler.backends.cpu.vector_math.trigonometric.SINE": Guard(SINES),
    "compiler.backends.cpu.vector_math.trigonometric.COSINE": Guard(SINES),
    "compiler.backends.cpu.vector_math.trigonometric.ROUNDER": Guard(SINES),
    "compiler.backends.cpu.vector_math.trigonometric.SMALL_ARGUMENT": Guard(SINES, 1e12),
    "compiler.backends.cpu.target._REGISTER_BITS": Guard("tests/compiler/test_target.py", 2.0),
    "dynamics.solve.switching.PATIENCE": Guard(SWITCHING),
    "sim.recordings.files.ABANDONED": Guard("tests/sim/test_files.py"),
}

# why no outcome can depend on a number, within what anybody would change it to
ARGUED = {
    "dynamics.algebra.fronts.GROUND": "an index that no body has",
    "dynamics.tree.bodies.GROUND": "an index that no body has",
    "dynamics.solve.curves.FAR": "stands for infinity",
    "dynamics.solve.laws.FAR": "stands for infinity",
    "dynamics.solve.switching.ALL": "stands for infinity",
    "dynamics.solve.masked.TINY": "keeps 0/0 finite; every other divisor is far larger",
    "dynamics.steps.midpoint.TINY": "keeps 0/0 finite; every other divisor is far larger",
    "dynamics.steps.direct.POINTS": "a curve is followed quadratically: what is left of a point is its square",
    "dynamics.steps.projection.CLOSED": "the last projection squares the error: closed to rounding from 1e-8 on",
    "dynamics.tree.front_choice.SOLUTIONS": "which factorisation is used: the same numbers, to rounding",
    "dynamics.tree.front_choice.MOVED_MASS": "which factorisation is used: the same numbers, to rounding",
    "dynamics.tree.front_choice.MOVED_COLUMN": "which factorisation is used: the same numbers, to rounding",
    "dynamics.tree.front_choice.MOVED_INERTIA": "which factorisation is used: the same numbers, to rounding",
    "dynamics.tree.front_choice.ELIMINATED": "which factorisation is used: the same numbers, to rounding",
    "dynamics.tree.front_choice.WORTHWHILE": "which factorisation is used: the same numbers, to rounding",
    "sim.free_memory.UNLIMITED": "stands for infinity",
    "sim.recordings.columns.PIECE": "states in one call: values do not depend on it (test_recording_schema)",
    "sim.running.WRITTEN_AT_ONCE": "rows in one write: files do not depend on it (test_recording_sinks)",
    "sim.recordings.npz.READ_AT_ONCE": "bytes of a copy in pieces",
    "sim.simulation.LARGE_BATCH": "threads give the same bits (tests/compiler/test_kernel.py)",
    "compiler.backends.cpu.llvm.CODE_GENERATION_LEVEL": "how long LLVM works; the same bits",
    "compiler.backends.cpu.lowering.INTRINSICS": "arities of LLVM's own functions",
    "compiler.backends.cpu.memory.ALIGNMENT": "of memory: any multiple of a register serves",
    "compiler.backends.cpu.schedule.LATENCY": "the order of independent instructions: the same bits",
    "compiler.backends.cpu.schedule.USUAL_LATENCY": "the order of independent instructions: the same bits",
    "compiler.backends.cpu.vector_math.large_arguments.TWO_OVER_PI_BITS": "digits of 2/π: what 2¹⁰²³ needs",
    "model.actuators.dc_motor.TINY": "keeps 0/0 finite; every other divisor is far larger",
    "model.body_sensors.SIX": "zeros",
    "model.drives.UNGIVEN_RATE": "a mark that no rate can be",
    "model.joints.closing.X": "a unit vector",
    "model.joints.closing.Y": "a unit vector",
    "model.joints.closing.Z": "a unit vector",
    "model.second_descriptions.SURELY_MOVES": "a short cut: what it skips is found the same (test_second_descriptions)",
    "model.second_descriptions.MOST_WORK": "how long loading may take; what is not judged is reported so",
    "model.simulation_checks.WIDEST": "how long loading may take; what is not tried is not reported",
}

# no test notices these yet; the list may only get shorter
NOT_YET = {
    "dynamics.actuation.actuator_unit.REACH",
    "dynamics.algebra.sparse.ROUNDING",
    "dynamics.solve.switching.ENDURANCE",
    "dynamics.solve.switching.GROWTH",
    "dynamics.solve.switching.LARGEST",
    "dynamics.steps.direct.SWITCHES",
    "dynamics.steps.midpoint.YIELDING",
    "dynamics.steps.sweep.EPS",
    "dynamics.steps.sweep.ENOUGH",
    "dynamics.steps.sweep.TOLERANCE",
    "compiler.backends.cuda.kernel_text.INLINED",
    "compiler.backends.cuda.kernel_text.THREADS",
    "model.couplings.MAX_TERMS",
    "model.moved_mass.ON_AXIS",
    "model.rings.SAME",
    "model.second_descriptions._NULL",
    "model.tangle.STILL",
    "model.transmissions.custom_joint_map.OFF_DEAD_POINT",
    "model.transmissions.linkage.SAME_ANGLE",
}
