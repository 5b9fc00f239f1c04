"""A mechanism's equations as CasADi Functions, for the layers that compile and drive them.

Every Function takes some of the inputs

    position   (nq,)   independent positions, named by `Equations.positions`
    velocity   (nu,)   independent velocities, named by `Equations.velocities`
    effort     (nv,)   along every tree coordinate, named by `Equations.coordinates`
    parameter  (np,)   named by `Equations.parameters`, which maps the names to the file's values
    dt         ()      [s]

in this order, and gives named outputs. Each is traced when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import casadi
from casadi import SX, Function

from gearwright.dynamics.actuation.actuators import actuation
from gearwright.dynamics.algebra.scalar import Expression, column, scalars, without_simplification
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.contacts import Contacts
from gearwright.dynamics.constraints.friction import StateRow
from gearwright.dynamics.constraints.rows import ConstraintGroup, names
from gearwright.dynamics.control.controller import Control, DeclaredController, Targets
from gearwright.dynamics.control.reading import TracedReadings, reading, several
from gearwright.dynamics.linearization import of_step, through_stages, through_substep
from gearwright.dynamics.motion import Model
from gearwright.dynamics.observers.present import Given, Outputs, moving_tree, observed_by_sensors
from gearwright.dynamics.observers.table import OBSERVERS
from gearwright.dynamics.parameters import numbers, with_symbols
from gearwright.dynamics.sensing.sensor_inputs import SensorInputs, reads_body, sensing, sensor_inputs
from gearwright.dynamics.steps.apart import apart
from gearwright.dynamics.steps.builder import Node, StepBuilder
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.constraint_groups import Assembly, constraint_groups
from gearwright.dynamics.steps.direct import DirectSolver
from gearwright.dynamics.steps.euler import EulerStep
from gearwright.dynamics.steps.midpoint import MidpointStep
from gearwright.dynamics.steps.sweep import DRIVEN, EPS, SOLVERS, STATE, TOLERANCE
from gearwright.dynamics.steps.unconstrained import INTEGRATORS, Step
from gearwright.dynamics.tree.bodies import assembled
from gearwright.dynamics.tree.chord_choice import chords
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.frames import optimised
from gearwright.dynamics.tree.loads import loads_on
from gearwright.dynamics.tree.reduction import reduction
from gearwright.errors import CompileError, UnknownNameError
from gearwright.model import Mechanism
from gearwright.model.contacts.pair import ContactPair
from gearwright.model.hardware.drives import Drive
from gearwright.model.layout.slots import SLOTS, SlotName, SlotSizes, StepSlot, slots_that


class Equations:
    """The equations of motion of one mechanism, with chosen numbers as inputs."""

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        parameters: Sequence[str] = (),
        gravity: Sequence[float] | None = None,
        integrator: str = "euler",
        solver: str = "direct",
        iterations: int = 20,
        newton_iterations: int | None = None,
        switches: int | None = None,
        change: float | None = None,
        precision: str = "double",
        drives: Mapping[str, Drive] | None = None,
        period: float = 1e-3,
        controller: DeclaredController | None = None,
        control_period: int = 1,
        wrenches: Sequence[str] = (),
    ) -> None:
        if integrator not in INTEGRATORS:
            raise UnknownNameError("integrator", integrator, INTEGRATORS)
        self._step: Step = INTEGRATORS[integrator]
        self.integrator = integrator
        self._euler = integrator != "rk4"  # actuators act
        known = numbers(mechanism, gravity)
        values, self._symbols, nominal = with_symbols(mechanism, known, parameters)
        if controller is not None:
            if taken := [n for n in controller.parameters if n in known]:
                raise CompileError(
                    f"controller {controller.name} declares the parameter {taken[0]!r}, which is a number of the "
                    "robot: name that in compile(parameters=…) instead, or call its own differently"
                )
            self._symbols |= {n: Expression.symbol(n) for n in controller.parameters}
            nominal |= controller.parameters
        bodies = optimised(assembled(mechanism, values))
        self._wrench = SX.sym("wrench", 6 * len(wrenches))  # of each link force, then torque
        self.model = Model(
            bodies, reduction(mechanism, values), actuation(mechanism, values, averaged=integrator == "midpoint"),
            loads_on(mechanism, wrenches, scalars(self._wrench)), chords(mechanism, known, bodies, drives or ()),
            assembled(mechanism, known).uneven,
        )  # fmt: skip
        self.drives: Mapping[str, Drive] = MappingProxyType(dict(drives or {}))
        if unknown := [n for n in self.drives if n not in self.model.bodies.velocities or n not in self.tree_positions]:
            raise UnknownNameError("joint to drive", unknown[0], self.coordinates)
        self.actuators: Mapping[str, int] = MappingProxyType({n: len(a.states) for n, a in mechanism.actuators.items()})
        groups = constraint_groups(Assembly(mechanism, bodies, values, self.drives, self.model.actuation))
        if integrator == "rk4":
            if self.drives or any(group.equality for group in groups):
                held = ", ".join(dict.fromkeys(map(repr, (*self.drives, *(k.name for k in groups if k.equality)))))
                raise CompileError(f"the integrator {integrator!r} has no constraint rows, and {held} needs one")
            groups = []
        self.groups: list[ConstraintGroup] = groups
        if self._touching and SOLVERS[solver] is not None:
            raise CompileError(f"the solver {solver!r} does not solve contacts; leave solver= out, or contacts=[]")
        self._solver, self._precision, self._iterations = solver, precision, iterations
        self._switches, self._limits = switches, (newton_iterations, change, switches)
        self.parameters: Mapping[str, float] = MappingProxyType(nominal)
        self.mechanism, self.values = mechanism, values
        self.sensing = sensing(mechanism, period)
        self._observers: dict[str, Function] = {}
        self._controller, self._control_period, self._period = controller, control_period, period

    # --- names -----------------------------------------------------------------------------------------------------

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The tree's velocity coordinates, couplings not taken off: the order of efforts, mass matrix and bias."""
        return tuple(self.model.bodies.velocities)

    @property
    def tree_positions(self) -> tuple[str, ...]:
        return tuple(self.model.bodies.positions)

    @property
    def positions(self) -> tuple[str, ...]:
        """The independent positions."""
        return tuple(self.tree_positions[i] for i in self.model.reduction.positions)

    @property
    def velocities(self) -> tuple[str, ...]:
        """The independent velocities."""
        return tuple(self.coordinates[k] for k in self.model.reduction.velocities)

    @property
    def state(self) -> tuple[str, ...]:
        """Every entry of the state, positions first; a velocity is marked by a `'`."""
        return (*self.positions, *(f"{name}'" for name in self.velocities))

    @property
    def couplings(self) -> tuple[str, ...]:
        """The order of coupling errors and efforts."""
        return tuple(c.name for c in self.mechanism.couplings.ordered)

    @property
    def rows(self) -> tuple[str, ...]:
        """The order of impulses: the coupling or the coordinate that each row belongs to."""
        return tuple(names(self.groups))

    def contact_rows(self, pairs: Collection[ContactPair]) -> list[int]:
        """Places of the impulses of all but contacts, and of the contacts of these pairs."""
        first, found = 0, list[int]()
        for group in self.groups:
            own = group.places(pairs) if isinstance(group, Contacts) else range(group.size)
            found += [first + i for i in own]
            first += group.size
        return found

    @property
    def links(self) -> tuple[str, ...]:
        """The order of link poses."""
        return tuple(self.model.bodies.links)

    @property
    def reacting(self) -> tuple[str, ...]:
        """The order of reactions: joints of the tree, then those that close loops."""
        return self.mechanism.layout.reacting

    @property
    def staged(self) -> bool:
        """Whether a step is more than the Function `step`: it has rows or actuators."""
        rows = self._solver == "direct" or bool(self.groups or self.model.actuation.driven)
        return self.integrator != "rk4" and rows and bool(self.model.dof)

    @property
    def eps(self) -> float:
        """Rounding of the numbers that a step is made with."""
        return EPS[self._precision]

    @property
    def law_slots(self) -> tuple[SlotName, ...]:
        """Segments that laws are on, and how many steps have not settled."""
        segments = (StepSlot.SEGMENT,) if self._law_count else ()
        counted = self.integrator == "midpoint" or self._law_count or self._loop_count or self._touching
        return (*segments, *((StepSlot.UNSETTLED,) if counted else ()), *self.loop_slots)

    @property
    def loop_slots(self) -> tuple[SlotName, ...]:
        """How many steps have ended with a loop open."""
        return (StepSlot.OPENED,) if self._loop_count else ()

    @property
    def _loop_count(self) -> int:
        return sum(isinstance(group, ClosureRows) for group in self.groups)

    @property
    def _touching(self) -> bool:
        return any(isinstance(group, Contacts) for group in self.groups)

    @property
    def _law_count(self) -> int:
        return sum(group.bounded for group in self.groups)

    @cached_property
    def control(self) -> Control | None:
        """The controller's part of the step, which comes first."""
        if self._controller is None:
            return None
        targets = Targets(tuple(self.actuators), self.coordinates, several(self.mechanism), self._commanded)
        symbols, read = self.readable(self._period, self._control_period)
        return Control(self._controller, targets, self._control_period, symbols, read)

    @property
    def _commanded(self) -> bool:
        return bool(self.model.actuation.driven) and self._euler

    def readable(self, dt: float, period: int) -> tuple[dict[SlotName, SX], Callable[[SX], TracedReadings]]:
        """Symbols of the slots that functions of users read, and from the clock (2,) to what these are given."""
        slots = (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.EFFORT, StepSlot.PARAMETER)
        driven = (StepSlot.COMMAND, StepSlot.ACTUATOR) if self._commanded else ()
        symbols = self._symbols_of((*slots, *driven, *((StepSlot.SENSOR,) if self.sensing.readings else ())))
        readings = reading(
            self.mechanism, self.model, self.sensing, symbols, self._symbols, dt=dt, period=period
        )  # fmt: skip
        return symbols, readings

    @property
    def _given(self) -> tuple[SlotName, ...]:
        """Slots that a step in stages begins with."""
        frictions = (StepSlot.FRICTION,) if self._friction_states else ()
        return (*(DRIVEN if self.model.actuation.driven else STATE), *frictions, *self._loaded)

    @property
    def _friction_states(self) -> int:
        acts = any(isinstance(group, StateRow) for group in self.groups)
        return self.mechanism.layout.friction_count if acts else 0

    @property
    def _loaded(self) -> tuple[SlotName, ...]:
        return (StepSlot.WRENCH,) if self.model.loads else ()

    @property
    def _acting(self) -> tuple[SlotName, ...]:
        """Slots that accelerations depend on beside the state: all that acts."""
        rows = (StepSlot.IMPULSE, StepSlot.DT) if self.groups else ()
        actuators = (StepSlot.ACTUATOR,) if self.model.actuation.driven and self._euler else ()
        middle = (StepSlot.MEAN_VELOCITY, StepSlot.SUBSTEPPING) if self.seen_in_the_middle else ()
        return (StepSlot.EFFORT, StepSlot.PARAMETER, *rows, *actuators, *middle, *self._loaded)

    @property
    def seen_in_the_middle(self) -> bool:
        """Whether accelerations are those of the middle of the last step: what acts depends on the motion in it."""
        motors = any(d.depends_on_motion for d in self.model.actuation.driven)
        return self.integrator == "midpoint" and self._solver == "direct" and (motors or bool(self.drives))

    @property
    def _step_inputs(self) -> dict[SlotName, SX]:
        """Symbols that the stages of a step begin with."""
        if self._solver != "direct":
            return self._symbols_of((*self._given, *self.loop_slots))
        own = slots_that("midpoint") if self.integrator == "midpoint" else ()
        return self._symbols_of((*self._given, *own, *self.law_slots))

    # --- functions -------------------------------------------------------------------------------------------------

    @cached_property
    def step(self) -> Function:
        """(position, velocity, effort, parameter, dt) → next position and velocity, without rows."""
        inputs = (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.EFFORT, StepSlot.PARAMETER, StepSlot.DT, *self._loaded)
        return self._function("step", inputs, self._trace_step)

    @cached_property
    def stages(self) -> tuple[Node, ...]:
        """One step with rows, as Functions over named slots, with loops and branches over them."""
        build = StepBuilder(self._step_inputs)
        eps = self.eps
        sweeps = SOLVERS[self._solver]
        if sweeps is not None:
            swept = sweeps(build, self.model, iterations=self._iterations, tolerance=TOLERANCE[self._precision])
            step: ConstrainedStep = EulerStep(build, self.model, self.groups, eps, swept)
        elif self.integrator == "midpoint":
            step = MidpointStep(build, self.model, self.groups, eps, *self._limits)
        else:
            step = EulerStep(build, self.model, self.groups, eps, DirectSolver(build, self.model, eps, self._switches))
        step.write()
        return build.body

    def apart(self, pairs: Sequence[ContactPair]) -> Function:
        """(position, velocity, dt, parameter) → whether all these pairs are too far apart to touch in the step."""
        inputs = (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.DT, StepSlot.PARAMETER)

        def trace(given: Given) -> Outputs:
            state = State(given[StepSlot.POSITION], given[StepSlot.VELOCITY])
            found = apart(self.model, pairs, state, given[StepSlot.DT][0])
            return {slot: [x] for slot, x in found.items()}

        return self._function("apart", inputs, trace)

    @cached_property
    def sense(self) -> Function:
        """(position, velocity, sensor, parameter) → sensor: readings, then the sensors' states, after a step.

        Where forces or accelerations are sensed, all that acts is an input, too.
        """
        return self._function("sense", self._sensed, self._trace_sense)

    @cached_property
    def sense_start(self) -> Function:
        """The same after a reset; generators stand as they are given."""
        return self._function("sense_start", self._sensed, self._trace_sense_start)

    @property
    def _sensed(self) -> tuple[SlotName, ...]:
        acts = any(map(reads_body, self.mechanism.sensors.values()))
        what_acts = self._acting if acts else (StepSlot.PARAMETER,)
        return (StepSlot.POSITION, StepSlot.VELOCITY, StepSlot.SENSOR, *what_acts)

    def observer(self, name: str) -> Function:
        """The answer to one of `observers.OBSERVERS`."""
        if name not in self._observers:
            self._observers[name] = self._observer(name)
        return self._observers[name]

    def _observer(self, name: str) -> Function:
        observer = OBSERVERS[name]
        inputs = (*observer.inputs, *(self._acting if observer.acting else (StepSlot.PARAMETER, *self._loaded)))

        def trace(given: Given) -> Outputs:
            return observer.trace(self, given)

        return self._function(name, inputs, trace)

    @cached_property
    def linearization(self) -> Function:
        """The step's inputs → A = ∂(state⁺)/∂(state), B = ∂(state⁺)/∂(effort).

        Of positions and velocities; with rows the impulses that the solver starts from are one more input, held.
        """
        if self.staged:
            return through_stages(self.stages, self._step_inputs)
        return of_step(self.step, self._symbols_of([*map(SlotName, self.step.name_in())]))

    @cached_property
    def substep_linearization(self) -> Function:
        """The same of one of the substeps of a step, and the slots that the next one begins with."""
        return through_substep(self.stages, self._step_inputs)

    # --- tracing ---------------------------------------------------------------------------------------------------

    def _symbols_of(self, names: Sequence[SlotName]) -> dict[SlotName, SX]:
        bodies, reduced = self.model.bodies, self.model.reduction
        sizes = SlotSizes(
            positions=len(reduced.positions), velocities=len(reduced.velocities),
            tree_positions=len(bodies.positions), tree_velocities=len(bodies.velocities),
            force_laws=self._law_count, rows=len(self.rows), drives=len(self.drives),
            actuators=len(self.actuators), actuator_states=sum(self.actuators.values()),
            friction_states=self._friction_states, loops=self._loop_count,
            sensor=len(self.sensing.readings) + len(self.sensing.state),
        )  # fmt: skip
        parameter = casadi.vertcat(*self._symbols.values()) if self._symbols else SX(0, 1)
        within = {StepSlot.PARAMETER: parameter, StepSlot.WRENCH: self._wrench}  # symbols that the model has in it
        return {n: within[n] if n in within else SX.sym(n, SLOTS[n].elements(sizes)) for n in names}

    def _function(self, name: str, inputs: Sequence[SlotName], trace: Callable[[Given], Outputs]) -> Function:
        symbols = self._symbols_of(inputs)
        inside = (StepSlot.PARAMETER, StepSlot.WRENCH)
        outputs = trace({n: scalars(s) for n, s in symbols.items() if n not in inside})
        with without_simplification():
            reduced = casadi.cse([column(x) for x in outputs.values()])
        return Function(name, list(symbols.values()), reduced, list(symbols), list(outputs))

    def _trace_step(self, given: Given) -> Outputs:
        state = State(given[StepSlot.POSITION], given[StepSlot.VELOCITY])
        after = self._step(self.model, state, given[StepSlot.EFFORT], given[StepSlot.DT][0])
        return {"next_position": after.q, "next_velocity": after.u}

    def _signals(self, given: Given) -> SensorInputs:
        tree = moving_tree(self, given)
        seen = self.model.actuation.seen(tree)
        body = observed_by_sensors(self, given) if StepSlot.EFFORT in given else {}
        return sensor_inputs(self.mechanism, seen, tree, self.values, body)

    def _trace_sense(self, given: Given) -> Outputs:
        before = given[StepSlot.SENSOR][len(self.sensing.readings) :]
        readings, after = self.sensing.sample(self._signals(given), before)
        return {"sensor_after": [*readings, *after]}

    def _trace_sense_start(self, given: Given) -> Outputs:
        own = given[StepSlot.SENSOR][len(self.sensing.readings) :]
        state = self.sensing.start(self._signals(given), [own[i] for i in self.sensing.generators])
        return {"sensor_after": [*self.sensing.reading(state), *state]}
