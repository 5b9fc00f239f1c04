"""A simulation: a batch of one robot's copies in memory, and the code that steps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gearwright.compiler import Buffer, Instance
from gearwright.diagnostics import Diagnostic
from gearwright.errors import ModelError
from gearwright.model import Mechanism
from gearwright.sim import analysis, assembly, controlled, inputs, loops, observed, reporting, running, views
from gearwright.sim.devices import Devices, refuse_commands_with
from gearwright.sim.failing import failure
from gearwright.sim.names import Group, Names
from gearwright.sim.observing import Probe
from gearwright.sim.options import Options, cores
from gearwright.sim.snapshot import Snapshot, copied, made_again
from gearwright.sim.starting import reset
from gearwright.sim.stepping import Pace, step
from gearwright.sim.unsimulated import unsimulated
from gearwright.sim.values import Array, Read, Value, Values, reader

if TYPE_CHECKING:
    from gearwright.sim.hardware_interfaces import HardwareInterface
    from gearwright.sim.kernels import Kernels
    from gearwright.sim.recording import Recording

LARGE_BATCH = 2048  # robots from which threads pay even for single steps


def _of_one(held: Buffer, batch: int) -> Array | None:
    """The numbers of one robot, (n,), to be written without detours; None where there are several."""
    return held.shared[0, 0] if batch == 1 and held.shared is not None else None


class Momentum(NamedTuple):
    """Of the whole robot, about the world's origin and in the world's axes; (3,) or (B, 3)."""

    linear: Array  # [N·s]
    angular: Array  # [N·m·s]


class Simulation:
    """Made by `gearwright.compile`. Values are floats, or arrays (B,) where the batch is larger than one.

    Names are those of joints; an axis of a joint with several is `joint.axis2`, a free base has `base.x` … What
    a robot has and does nothing yet is in `diagnostics`. Not to be shared between threads.
    """

    def __init__(self, robot: Mechanism, options: Options, kernels: Kernels) -> None:
        self.robot: Mechanism = robot
        self.options = options
        self.dt, self.batch = options.dt, int(options.batch)
        self.threads = options.threads or (cores() if self.batch >= LARGE_BATCH else 1)
        self.diagnostics: tuple[Diagnostic, ...] = unsimulated(robot, options.integrator, options.dt)
        self._names, self._kernels = Names.of(robot), kernels
        self._devices = Devices(robot, options.dt)
        self._control = kernels.control
        self._remembered: tuple[Any, dict[str, Any]] | None = None  # by a controller that Python calls
        slots = kernels["step"].program.slots
        self._parts = {slot.name: slot.size for slot in slots if slot.kind == "state"}  # of the state, in order
        self._commanded = any(slot.name == "command" for slot in slots)
        self._usual = assembly.starting_positions(robot, self._names)
        self._ranges = reporting.ranges(robot, self._names)
        self._instance: Instance = kernels["step"].instance(self.batch, threads=self.threads)
        self._instance.set("dt", self.dt)
        self._version, self._start = 0, 0.0
        self._pace = Pace(self.batch * sum(self._parts.values()))
        self._period = options.control_period
        self._probes: dict[str, Probe] = {}
        self._advance, self._clock = self._instance.step, self._instance.clock  # steps are counted where they are made
        given = {"effort": True, "command": self._commanded, "wrench": bool(options.wrenches)}
        self._inputs = {slot: self._instance.slot(slot) for slot, there in given.items() if there}
        self._flat = {name: _of_one(held, self.batch) for name, held in self._inputs.items()}
        self._states = self._instance.states
        if options.inputs:
            self._instance.set("parameter", [kernels.nominal[name] for name in options.inputs])
        self._views: dict[str, Values] = {}
        self._reads: dict[str, Read] = {}
        reset(self, {}, {}, reach=False)
        if robot.tree.cuts:
            parameter, start = self._instance.get("parameter")[0], self._usual.copy()
            start[list(self._names.free_positions)] = self._instance.get("position")[0]
            self.diagnostics += loops.redundant(kernels["closure"], robot, self._names, parameter, start)

    # --- names and numbers -----------------------------------------------------------------------------------------

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the tree's velocity coordinates: the order of `mass_matrix`, `bias` and of B's columns."""
        return self._names.coordinates.names

    @property
    def _steps(self) -> int:
        return self._clock.value

    @_steps.setter
    def _steps(self, value: int) -> None:
        self._clock.value = value

    @property
    def time(self) -> float:
        """Simulated time since the last reset [s]; settable, since nothing but a controller depends on it."""
        return self._start + self._steps * self.dt

    @time.setter
    def time(self, value: float) -> None:
        self._start, self._steps = float(value), 0
        if self._control is not None:
            self._instance.set("clock", [0.0, self._start])
            self._instance.set("phase", 0.0)
            self._version += 1

    @property
    def control_dt(self) -> float:
        """From one call of the controller to the next [s]."""
        return self.dt * self._period

    @property
    def position(self) -> Values:
        """[rad, m] by joint or coordinate, followers too."""
        return self._view("position")

    @property
    def velocity(self) -> Values:
        """[rad/s, m/s]."""
        return self._view("velocity")

    @property
    def acceleration(self) -> Values:
        """At this instant, with the efforts that are held [rad/s², m/s²]."""
        return self._view("acceleration")

    @property
    def effort(self) -> Values:
        """What is held along each coordinate [N·m, N]."""
        return self._view("effort")

    @property
    def coupling_error(self) -> Values:
        """C of each coupling, by its name or its follower's [follower's unit]."""
        return self._view("coupling_error")

    @property
    def coupling_effort(self) -> Values:
        """The effort that each coupling puts on its follower [N·m, N]."""
        return self._view("coupling_effort")

    @property
    def reaction(self) -> Values:
        """By joint, `.force` [N] and `.torque` [N·m], (3,) or (B, 3): what its parent puts on its child at this
        instant, about the joint's origin, in the joint's axes on the child (of URDF the child link's frame).

        Along the joint's axes it has all that acts there: motor, coupling, damper, friction, stop. Joints that are
        fixed or close loops have one, too; a loop's is that of the last step, and 0 after a reset. Where a loop has
        more joints than it needs, rows that others imply carry nothing.
        """
        return self._view("reaction")

    @property
    def link_velocity(self) -> Values:
        """By link, `.linear` [m/s] of its origin and `.angular` [rad/s], (3,) or (B, 3), in the world's axes."""
        return self._view("link_velocity")

    @property
    def link_acceleration(self) -> Values:
        """By link, `.linear` [m/s²] of its origin and `.angular` [rad/s²] in the world's axes; see `acceleration`.

        Gravity is not in it: a link in free fall has −9.8 m/s², an accelerometer on it reads 0.
        """
        return self._view("link_acceleration")

    @property
    def unsettled(self) -> Value:
        """Steps since the last reset whose laws (stops, friction, motors) or passes did not settle: an int, or (B,).

        Of the solver "direct"; "pgs", "tgs" and "rk4" do not count.
        """
        return reporting.unsettled(self)

    @property
    def pose(self) -> Values:
        """Each link's pose in the world, (4, 4) or (B, 4, 4)."""
        return self._view("pose")

    @property
    def parameters(self) -> Values:
        """The values that the parameters have now."""
        return self._view("parameters")

    @property
    def sensor(self) -> Values:
        """Readings by sensor, as they are at the end of the step [rad, m; rad/s, m/s; 0 or 1 of a switch].

        A sensor that reads several axes gives them along the last axis of an array.
        """
        return self._view("sensor")

    @property
    def actuator(self) -> Values:
        """By actuator: `.torque` in the last step, `.velocity` and `.position` of its own axis, `.command`, and what
        its kind remembers, such as `.current` and `.temperature` of a dc_motor."""
        return self._view("actuator")

    @property
    def memory(self) -> Mapping[str, Value]:
        """What the controller remembers, compiled or not."""
        if self._control is None and self._remembered is not None:
            return self._remembered[1]
        return self._view("memory")

    def _view(self, name: str) -> Values:
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = views.VIEWS[name](self)
        return view

    # --- state -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Array:
        """A copy of the independent positions, then velocities, then the impulses of the constraint rows in the last
        step, from which the solver sets out in the next, then what actuators and sensors remember, then a compiled
        controller's clock, commands and memory: (nx,) or (B, nx). Set it to restore them to the bit.

        Without a controller, time is not part of it, since the motion does not depend on it; nor are commands, efforts
        and parameters, which are inputs.
        """
        state: Array = self._states.numbers()[0]
        return state[0] if self.batch == 1 else state

    @state.setter
    def state(self, value: Any) -> None:
        size = self._states.shape[2]
        state = inputs.numbers("state", value)
        expected = (size,) if self.batch == 1 else (self.batch, size)
        if state.shape != expected:
            raise ModelError(f"the state is an array of shape {expected}, not {state.shape}")
        self._set_state(state.reshape(self.batch, size))

    def _set_state(self, state: Array) -> None:
        """(B, nx), or (1, nx) for all robots."""
        self._states.assign(state)
        self._refresh()
        if self._control is not None:
            steps, self._start = self._instance.get("clock")[0].tolist()
            self._steps = round(steps)
        self._version += 1

    def _refresh(self) -> None:
        """What follows from positions and parameters is made again in the next step."""
        if any(slot.name == "fresh" for slot in self._kernels["step"].program.slots):
            self._instance.set("fresh", 0.0)

    def reset(self, position: Mapping[str, Any] | None = None, velocity: Mapping[str, Any] | None = None) -> None:
        """Back to time 0, at rest and without efforts, but for what is given.

        Values are numbers or arrays (B,); a joint of several coordinates takes them along the last axis, e.g.
        `{"base": [0, 0, 1, 1, 0, 0, 0]}` (x, y, z and a quaternion w, x, y, z, which is normalised) or
        `{"base.z": 1}`. What is not given stands where it starts. Followers are aligned with their leaders. One that
        is given must agree with them where its coupling is exact, and keeps its value where it is hard or compliant.
        Parameters keep their values. A start that cannot be reached raises, and leaves everything as it was.
        """
        reset(self, position or {}, velocity or {})

    def _numbers(self, parameter: Array) -> dict[str, Array]:
        """The parameters' values by name, (B, 1) each."""
        return {name: parameter[:, i : i + 1] for i, name in enumerate(self.options.inputs)}

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Numbers or arrays (B,) for parameters named in `gearwright.compile(parameters=…)`."""
        for i, value in inputs.possible(self.robot, views.parameter_group(self), values, self.batch):
            self._instance.slot("parameter").fill(i, value)
        self._refresh()
        self._version += 1

    def drive(self, position: Mapping[str, Any] | None = None, velocity: Mapping[str, Any] | None = None) -> None:
        """Targets of the drives named in `gearwright.compile(drives=…)`: numbers or arrays (B,), held until changed.

        A position is where the joint is to be at the end of a step [rad, m], a velocity its rate there [rad/s, m/s].
        After a reset, a drive holds where the joint starts.
        """
        group = Group("drive", tuple(self.options.drives), {})
        given = [inputs.held(group, values or {}, self.batch) for values in (position, velocity)]
        for part, values in enumerate(given):
            for i, value in values:
                self._instance.slot("target").fill(2 * i + part, value)
        self._version += 1

    def hardware(self, name: str | None = None) -> HardwareInterface:
        """Reads and writes by the interfaces of a ros2_control tag; the only one needs no name."""
        from gearwright.sim.hardware_interfaces import HardwareInterface

        known = list(self.robot.hardware)
        if name is None and len(known) != 1:
            raise ModelError(f"which hardware? The robot has {', '.join(map(repr, known)) or 'none'}")
        return HardwareInterface(self, known[0] if name is None else name)

    # --- stepping --------------------------------------------------------------------------------------------------

    def step(
        self, command: Mapping[str, Any] | None = None, effort: Mapping[str, Any] | None = None, n: int = 1,
        wrench: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """n steps. Commands by actuator, in the unit of what it takes (effort, velocity, position or voltage), and
        efforts by joint [N·m, N] are held until they are changed, and cleared by `reset`. So are wrenches by link, each
        a pair of force [N] and torque [N·m], (3,) or (B, 3), at the link's origin in the world's axes; the links are
        those of `gearwright.compile(wrenches=…)`.

        A robot that diverges, so that its state is not finite or a speed beyond 1e7 rad/s or m/s,
        raises SimulationError and keeps its last good state; the other robots of the batch have made all n steps.
        Ctrl-C ends a call within 0.2 s, or after one step of the whole batch, with every robot after the same number
        of steps and `time` to match. Where no step was made, commands and efforts are as they were.
        """
        if command is None and effort is None and wrench is None and type(n) is int and n == 1:  # the usual call
            self._version += 1
            if not self._advance():
                raise failure(self, self._steps - (self.batch > 1))
        else:
            step(self, {"command": command, "effort": effort, "wrench": wrench}, n)

    def _group(self, slot: str) -> Group:
        """The names of an input."""
        if slot == "wrench":
            return observed.wrench_group(self.options.wrenches)
        return self._names.coordinates if slot == "effort" else self._devices.commands

    def _place(self, slot: str, i: int) -> tuple[str, int]:
        """Where the number stands that acts as entry i of an input: there, or among what a controller commands."""
        return (slot, i) if self._control is None else self._control.places.of(slot, i)

    def _hold(self, slot: str, values: Mapping[str, Any]) -> None:
        if slot == "wrench":
            values = observed.as_columns(self, values)
            if not values:
                return
        group = self._group(slot)
        controlled.check_free(self, slot, values)
        self._version += 1
        if slot not in self._inputs:
            inputs.check_names(group, values)
            refuse_commands_with(self)
        flat = self._flat[slot]
        if flat is None or not inputs.stored(group.index, values, flat):
            for i, value in inputs.held(group, values, self.batch):
                self._inputs[slot].fill(i, value)

    def run(
        self, duration: float, controller: Callable[..., Any] | None = None, command: Any = None,
        effort: Any = None, every: int = 1, progress: bool = False, control_period: int = 1,
        wrench: Mapping[str, Any] | None = None, record: Sequence[str] = (),
    ) -> Recording:  # fmt: skip
        """Simulates `duration` seconds, rounded to the nearest step, and records the state after every `every`-th step.

        command     by actuator, and
        effort      by joint: numbers, arrays (B,), arrays (T,) or (T, B) of T steps, or functions of the times (T,) at
                    which the steps begin; or one function of the times that returns such a mapping. The last
                    values stay held.
        controller  called with this simulation before each step; returns a mapping or None. Names of actuators are
                    commands, others of joints efforts, held until changed. Without one, all steps are made in machine
                    code; `gearwright.compile(controller=…)` makes it part of that.
        progress    show a bar on the error stream.
        control_period  steps from one call of `controller` to the next.
        wrench      by link, as `step` takes it, held over the run and after it.
        record      what files of the recording have beside the usual: "reaction". `Recording.reaction` is always there.

        Steps that did not settle make one UnsettledWarning.
        """
        return running.run(
            self, duration, controller=controller, command=command, effort=effort, every=every, progress=progress,
            control_period=control_period, wrench=wrench, record=record,
        )  # fmt: skip

    # --- what the equations say of this instant --------------------------------------------------------------------

    def _probe(self, name: str) -> Probe:
        if name not in self._probes:
            self._probes[name] = Probe(self, name)
        return self._probes[name]

    def _one(self, kernel: str, output: str) -> Value:
        read = self._reads.get(output)
        if read is None:
            probe = self._probe(kernel)
            read = self._reads[output] = reader(probe.instance, output, 0, probe.refresh)
        return read()

    @property
    def kinetic_energy(self) -> Value:
        """[J]."""
        return self._one("energy", "kinetic")

    @property
    def potential_energy(self) -> Value:
        """Of gravity, zero at the world's origin, and of springs [J]."""
        return self._one("energy", "potential")

    @property
    def energy(self) -> Value:
        """Kinetic and potential [J]."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Momentum:
        """Linear [N·s] and angular [N·m·s], about the world's origin."""
        probe = self._probe("momentum")
        return Momentum(probe.output("linear"), probe.output("angular"))

    def mass_matrix(self) -> Array:
        """M(q) with armature and rotors, in tree coordinates (before couplings), in the order of `coordinates`."""
        n = len(self.coordinates)
        M = self._probe("mass_matrix").output("mass_matrix")
        return M.reshape((n, n) if self.batch == 1 else (self.batch, n, n))

    def bias(self) -> Array:
        """h(q, v): Coriolis, centrifugal and gravity efforts, in tree coordinates."""
        return self._probe("bias").output("bias")

    def jacobian(self, link: str, point: Any = None) -> Array:
        """J of a link or frame, (6, nv) or (B, 6, nv): `J·v` is its velocity, linear then angular, in the world's axes.

        Columns go by `coordinates` (of the tree, before couplings). `point` is where the linear part is taken [m], in
        the axes of the link or frame; its origin if not given.
        """
        return observed.jacobian(self, link, point)

    def inverse_dynamics(self, acceleration: Mapping[str, Any] | None = None) -> dict[str, Value]:
        """Efforts by coordinate that give these accelerations here, 0 where none is given: `step(effort=…)` takes them.

        Of the tree: followers move with their leaders, and have efforts of their own. Gravity, Coriolis forces, rotors,
        springs, dampers and wrenches are in them; actuators, friction, stops and loops are not.
        """
        return observed.inverse_dynamics(self, acceleration or {})

    def impulse_response(self, a: str, b: str) -> Value:
        """r_ab: the change of a's velocity for a unit impulse along b, in tree coordinates (before couplings)."""
        return analysis.impulse_response(self, a, b)

    def linearize(self) -> tuple[Array, Array]:
        """A = ∂(state⁺)/∂(state) and B = ∂(state⁺)/∂(effort, command) of one step from here, by exact differentiation.

        Of positions and velocities in the order of `state`, and of the efforts of `coordinates`, then the commands of
        actuators: (nx, nx) and (nx, nv + na), or with the batch before. Rows that hold or slide count as they do in
        this step; at an edge of theirs it is one-sided.
        """
        return analysis.linearized(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as robot, options and what is held now; the code is compiled again, or comes from the cache."""
        snapshot = Snapshot.of(self)
        snapshot.check()
        return made_again, (self.robot, self.options, snapshot)

    def __copy__(self) -> Simulation:
        return copied(self.robot, self.options, self._kernels, Snapshot.of(self))

    def __deepcopy__(self, memo: object) -> Simulation:
        return self.__copy__()  # robot, options and code cannot change

    def __repr__(self) -> str:
        robots = "" if self.batch == 1 else f"{self.batch} × "
        what = f"{robots}{self.robot.name!r}, {len(self._names.free_velocities)} freedoms"
        return f"<Simulation of {what}, {self.options.integrator}, dt {self.dt:g} s, at {self.time:g} s>"

    @property
    def from_cache(self) -> bool:
        """Whether the code of the step was found on disk."""
        return self._kernels["step"].from_cache
