"""A simulation: a batch of one robot's copies in memory, and the code that steps them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from gearwright.diagnostics import Diagnostic
from gearwright.errors import ModelError, counted
from gearwright.given_names import checked_name
from gearwright.given_numbers import numbers, position_checked
from gearwright.model import Mechanism
from gearwright.model.layout.slots import StepSlot
from gearwright.notebooks import NotebookDisplay
from gearwright.sim.options import Options, cores
from gearwright.sim.reset import followers
from gearwright.sim.reset.keyframes import reset_to_keyframe
from gearwright.sim.reset.loop_assembly import redundant
from gearwright.sim.reset.starting import reset
from gearwright.sim.running import reporting
from gearwright.sim.running.calling import ControllerState
from gearwright.sim.running.clock import Clock
from gearwright.sim.running.failing import failure
from gearwright.sim.running.speed_limits import SpeedLimits
from gearwright.sim.running.stepping import set_targets, step
from gearwright.sim.running.unsimulated import unsimulated
from gearwright.sim.signals import TIME, Signal, SignalTable
from gearwright.sim.state import given_values
from gearwright.sim.state.batch_state import BatchState
from gearwright.sim.state.device_arrays import DeviceArrays
from gearwright.sim.state.inputs import Inputs
from gearwright.sim.state.layout import Layout
from gearwright.sim.state.snapshot import Snapshot, copied
from gearwright.sim.state.values import Array, Read, Value, Values
from gearwright.sim.views.independent_arrays import IndependentArrays, given_start
from gearwright.sim.views.instant_dynamics import InstantDynamics
from gearwright.sim.views.named_values import NamedValues
from gearwright.sim.views.ports import Port
from gearwright.sim.views.probes import Probes

if TYPE_CHECKING:
    from gearwright.sim.derivatives.adjoint import Gradient
    from gearwright.sim.derivatives.sensitivity import Sensitivity
    from gearwright.sim.programs.kernels import Kernels
    from gearwright.sim.recordings.recording import Recording
    from gearwright.sim.recordings.schema import Schema
    from gearwright.sim.recordings.sinks import Sink
    from gearwright.sim.ros2_control.hardware_interfaces import HardwareInterface

LARGE_BATCH = 2048  # robots from which threads pay even for single steps


class Simulation(NamedValues, IndependentArrays, InstantDynamics, NotebookDisplay):
    """Made by `gearwright.compile`. Values are floats, or arrays (B,) if the batch is larger than one.

    Names are those of joints; an axis of a joint with several is `joint.axis2`. A free base has `base.x` … in the
    world's axes, and velocities and efforts `base.rx` … about its own, as ball joints have. Parts of a robot that have
    no effect yet are listed in `diagnostics`.

    If several threads call `step`, their steps are made one after the other. Resetting, setting the state, parameters
    or drive targets, and copying happen between two steps of other threads. A run that another thread disturbs raises
    an error. So threads gain nothing by sharing a simulation: give each its own, `copy.copy(sim)`, with the same code.

    Its parts: `layout` (names and places), `kernels` (code), `batch_state` (numbers in memory), `inputs` (commands and
    efforts), `probes` (kernels that evaluate the state), `clock`, `controller_state` (of a controller that Python
    calls), `speed_limits` (which only warn).
    """

    def __init__(self, robot: Mechanism, options: Options, kernels: Kernels) -> None:
        self.robot: Mechanism = robot
        self.options = options
        self.dt, self.batch = options.dt, int(options.batch)
        self.threads = options.threads or (cores() if self.batch >= LARGE_BATCH else 1)
        code = kernels["step"]
        self.kernels = kernels
        self.layout = Layout.of(robot, options, code.program, kernels.facts)
        self.diagnostics: tuple[Diagnostic, ...] = unsimulated(robot, options, self.layout.sensing.untimely)
        self.batch_state = BatchState(code, self.batch, self.threads)
        self.inputs = Inputs(self.batch_state, self.layout, options.integrator)
        self.probes = Probes(kernels, self.batch_state, self.inputs)
        self.clock = Clock(self.batch_state, self.dt, partial(failure, self))
        self.controller_state = ControllerState(options.control_period)
        self.start_position = followers.starting_positions(robot, self.layout.names)
        self._views: dict[str, Values] = {}
        self.batch_state.set(StepSlot.DT, self.dt)
        if options.inputs:
            self.batch_state.set(StepSlot.PARAMETER, [kernels.facts.nominal[name] for name in options.inputs])
        reset(self, {}, {}, reach=False)
        self._loops = reporting.OpenLoops(self)
        self.speed_limits = SpeedLimits(self)
        if robot.tree.cuts:
            self.diagnostics += redundant(robot)

    # --- names and numbers -----------------------------------------------------------------------------------------

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the tree's velocities, followers included: the order of `mass_matrix`, `bias` and B's columns."""
        return self.layout.names.coordinates.names

    @property
    def time(self) -> float:
        """Simulated time since the last reset [s]; it can be set, since only a controller depends on it."""
        return self.clock.time

    @time.setter
    def time(self, value: float) -> None:
        self.clock.restart(value)

    @property
    def control_dt(self) -> float:
        """Time from one call of the controller to the next [s]."""
        return self.dt * self.controller_state.period

    @property
    def memory(self) -> Mapping[str, Value]:
        """The controller's memory, compiled or not."""
        if self.layout.control is None and self.controller_state.memory is not None:
            return self.controller_state.memory
        return self._view("memory")

    @property
    def signals(self) -> SignalTable:
        """Every quantity that can be read by name."""
        return self.layout.signals

    def reader(self, signal: Signal) -> Read:
        """A function that reads the present value of one signal. This is the fastest way to read a signal often."""
        return self.probes.reader(signal) if signal != TIME else lambda: self.time

    @property
    def _left_out(self) -> Sequence[str]:
        return tuple(self.robot.contradicted)

    @property
    def parameters(self) -> Values:
        """Present values of the parameters."""
        slot = self.batch_state.slot(StepSlot.PARAMETER)
        return Values("parameter", {name: slot.reader(i) for i, name in enumerate(self.options.inputs)}, {})

    @cached_property
    def arrays(self) -> DeviceArrays:
        """Positions, velocities, efforts, commands, readings and parameters as arrays (n, B), for DLPack."""
        return DeviceArrays(self)

    @property
    def unsettled(self) -> Value:
        """Number of steps since the last reset whose active set or iteration did not converge: an int, or (B,). Only
        the solver "direct" counts them; "pgs", "tgs" and "rk4" do not.
        """
        return reporting.unsettled(self)

    @cached_property
    def schema(self) -> Schema:
        """The signals of its recordings, with units."""
        from gearwright.sim.recorder.recorded_signals import simulation_schema

        return simulation_schema(self)

    # --- state -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Array:
        """A copy of the independent positions, then velocities, then the impulses of the constraint rows in the last
        step, from which the solver starts in the next, then the states of actuators and sensors, then a compiled
        controller's clock, commands and memory: (nx,) or (B, nx). Assign it to restore them to the bit.

        Without a controller, time is not part of it, since the motion does not depend on it; nor are commands, efforts
        and parameters, which are inputs.
        """
        state = self.batch_state.state()
        return state[0] if self.batch == 1 else state

    @state.setter
    def state(self, value: Any) -> None:
        size = sum(self.batch_state.parts.values())
        state = numbers("the state", value)
        expected = (size,) if self.batch == 1 else (self.batch, size)
        if state.shape != expected:
            raise ModelError(f"the state must be an array of shape {expected}, not {state.shape}")
        position_checked("the state", state[..., : self.batch_state.parts[StepSlot.POSITION]])
        self.set_batch(state.reshape(self.batch, size))

    def set_batch(self, state: Array) -> None:
        """Sets the state of all robots, (B, nx), or (1, nx) for the same state in all of them."""
        with self.batch_state.exclusive():
            self.batch_state.set_state(state)
            self.clock.take_from_state()

    def reset(
        self, position: Mapping[str, Any] | None = None, velocity: Mapping[str, Any] | None = None, *,
        q: Any = None, v: Any = None, keyframe: str | None = None,
    ) -> None:  # fmt: skip
        """Resets to time 0, at rest and without efforts, except for the given values.

        Values are numbers or arrays (B,); a joint of several coordinates takes them along the last axis, e.g.
        `{"base": [0, 0, 1, 1, 0, 0, 0]}` (x, y, z and a quaternion w, x, y, z, which is normalised) or `{"base.z": 1}`.
        All other joints get their initial positions. Followers are aligned with their leaders. A follower that is given
        must agree with them if its coupling is exact; it keeps its value if the coupling is hard or compliant.
        Parameters keep their values. A position that cannot be reached raises an error, and changes nothing.

        `q` and `v` give all independent positions or velocities in the order of `Simulation.q` and `Simulation.v`.
        `keyframe` names a state of `robot.keyframes`. Values that are given as well replace those of the keyframe. Its
        commands are kept until changed, and its followers are aligned with their leaders.
        """
        start = given_start(self, StepSlot.POSITION, position, q), given_start(self, StepSlot.VELOCITY, velocity, v)
        if keyframe is None:
            reset(self, *start)
        else:
            reset_to_keyframe(self, self.robot.keyframes[checked_name("a keyframe", keyframe)], *start)

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Sets parameters named in `gearwright.compile(parameters=…)`, to numbers or arrays (B,)."""
        group = self.layout.parameters
        checked = [*given_values.possible(self.robot, group, values, self.batch, self.parameters)]
        with self.batch_state.exclusive():
            for i, value in checked:
                self.batch_state.fill(StepSlot.PARAMETER, i, value)

    def drive(self, position: Mapping[str, Any] | None = None, velocity: Mapping[str, Any] | None = None) -> None:
        """Sets targets of the drives in `gearwright.compile(drives=…)`: numbers or arrays (B,), kept until changed.

        A position is where the joint is to be at the end of a step [rad, m], a velocity its rate there [rad/s, m/s].
        After a reset, a drive holds the joint's initial position. A kinematic drive with a target position alone moves
        with the mean rate of the step.
        """
        set_targets(self, position, velocity)

    def hardware(self, name: str | None = None, *, enforce_command_limits: bool = False) -> HardwareInterface:
        """The interfaces of a ros2_control tag, to read and write; with a single tag, the name is optional.

        enforce_command_limits   limits commands as ros2_control's joint limiter does
        """
        from gearwright.sim.ros2_control.hardware_interfaces import HardwareInterface

        known = list(self.robot.hardware)
        if name is None and len(known) != 1:
            raise ModelError(f"name the hardware; the robot has {', '.join(map(repr, known)) or 'none'}")
        return HardwareInterface(self, known[0] if name is None else name, enforce_command_limits)

    def port(self, robot: int = 0) -> Port:
        """Access to the numbers of one robot of the batch, by channels that are looked up once."""
        return Port(self, robot)

    # --- stepping --------------------------------------------------------------------------------------------------

    def step(
        self, command: Mapping[str, Any] | None = None, effort: Mapping[str, Any] | None = None, n: int = 1,
        wrench: Mapping[str, Any] | None = None, drive: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Makes n steps. Commands are given by actuator, in the unit of its command (effort, velocity, position or
        voltage), and efforts by joint [N·m, N]. Both are kept until they are changed, and cleared by `reset`. So are
        wrenches by link, each a pair of force [N] and torque [N·m], (3,) or (B, 3), at the link's origin in the world's
        axes; the links are those of `gearwright.compile(wrenches=…)`. `drive` are positions for `Simulation.drive`.

        A robot diverges if its state is not finite, or if a speed exceeds 1e7 rad/s or m/s. It then keeps its last good
        state, the other robots of the batch make all n steps, and SimulationError is raised. Ctrl-C ends a call within
        0.2 s, or after one step of the whole batch. Every robot has then made the same number of steps, and `time` says
        how many. If no step was made, commands and efforts are unchanged.
        """
        if drive is not None:
            self.drive(position=drive)
        if command is None and effort is None and wrench is None:  # the usual call
            if type(n) is not int or n != 1:
                self.clock.advance(n)
            elif not self.clock.one_step():
                raise failure(self, self.clock.steps - (self.batch > 1))
        else:
            step(self, {StepSlot.COMMAND: command, StepSlot.EFFORT: effort, StepSlot.WRENCH: wrench}, n)
        if self._loops.counted:
            self._loops.warn()
        if self.speed_limits.watched:
            self.speed_limits.after(n)

    def warn_open_loops(self) -> None:
        """Warns of loops that steps have left open since the last call."""
        if self._loops.counted:
            self._loops.warn()

    def run(
        self, duration: float, controller: Callable[..., Any] | None = None, command: Any = None,
        effort: Any = None, every: int = 1, progress: bool = False, control_period: float | None = None,
        wrench: Mapping[str, Any] | None = None, record: Sequence[str] = (),
        sink: Sink | str | os.PathLike[str] | None = None, bands: Any = None, drive: Any = None,
    ) -> Recording:  # fmt: skip
        """Simulates `duration` seconds, rounded to the nearest step, and records the start and every `every`-th step.

        command     by actuator, in the forms of `effort`
        effort      by joint: numbers, arrays (B,), arrays (T,) or (T, B) of T steps, or functions of the times (T,) at
                    which the steps begin; or one function of the times that returns such a mapping. The last
                    values are kept.
        drive       targets of the drives in `gearwright.compile(drives=…)`: a `gearwright.Trajectory`; or by joint
                    numbers, arrays (T,) of positions where steps end, or functions of these times.
        controller  called with this simulation before each step; returns a mapping or None. Values by actuator are
                    commands, values by joint are efforts; both are kept until changed. Without a controller, all steps
                    run in machine code; `gearwright.compile(controller=…)` compiles it into the step.
        progress    show a bar on the error stream.
        control_period  time from one call of `controller` to the next [s], a whole number of steps; every step by
                        default.
        wrench      by link, as in `step`, kept during the run and after it.
        record      further quantities for files: "reaction", "coupling_effort", "acceleration". A recording in memory
                    always has them.
        sink        a file's name or a `gearwright.sim.recordings.Sink`: rows are written there during the run, at least
                    once a second, and the returned recording is empty (`Recording.open` reads the file). Memory use
                    does not grow with the duration. If the run fails or is killed, its rows are kept.
        bands       quantiles such as (0.05, 0.5, 0.95), or True: they are recorded instead of the robots of a batch.

        Steps that did not converge cause one UnsettledWarning.
        """
        from gearwright.sim.running.running import run  # with the recordings: not needed to step

        return run(
            self, duration, controller=controller, command=command, effort=effort, every=every, progress=progress,
            control_period=control_period, wrench=wrench, record=record, sink=sink, bands=bands, drive=drive,
        )  # fmt: skip

    # --- derivatives -----------------------------------------------------------------------------------------------

    def sensitivity(
        self, duration: float, *, outputs: Sequence[str] | str, parameters: Sequence[str] | str = (),
        commands: Sequence[str] | str = (), state: Sequence[str] | str = (), command: Any = None, effort: Any = None,
        every: int = 1,
    ) -> Sensitivity:  # fmt: skip
        """Exact derivatives of a roll-out of `duration` seconds from here; the simulation stays where it is.

        outputs     signals, by the names of recordings: "knee.position", "motor.torque", "energy"
        parameters  of `robot.parameters`; they need not be named in `gearwright.compile`
        commands    actuators, or joints, whose command or effort is raised in every step
        state       parts of the initial state: "knee.position", "knee.velocity"
        command, effort  what acts, as in `run`
        every       steps from one row to the next; the first row is the start

        Forces, motors, friction, stops and loops are differentiated on the segments that the motion takes, through all
        iterations of a step. Where two segments meet, the derivative is that of one side. A joint that sticks does not
        react to small changes, so its derivative is 0 (`Sensitivity.zero`), even if larger changes would move it.
        """
        from gearwright.sim.derivatives.sensitivity import sensitivity

        return sensitivity(
            self, duration, outputs=outputs, parameters=parameters, commands=commands, state=state, command=command,
            effort=effort, every=every,
        )  # fmt: skip

    def gradient(
        self, duration: float, weights: Any, *, parameters: Sequence[str] | str = (),
        state: Sequence[str] | str = (), command: Any = None, effort: Any = None, every: int = 1,
    ) -> Gradient:  # fmt: skip
        """The gradient of one number of a roll-out, `L = Σ weight·output`, by the adjoint method. At the same cost, L
        is differentiated by all commands and efforts of all steps. The state of the simulation does not change.

        weights     by output: arrays (T,) or (T, B), a row for the start and one for every `every`-th step. For any
                    other L, give a pair `(names, function)`: the function gets these outputs by name, and returns
                    ∂L/∂output as a mapping

        The other arguments are those of `sensitivity`.
        """
        from gearwright.sim.derivatives.adjoint import gradient

        return gradient(
            self, duration, weights, parameters=parameters, state=state, command=command, effort=effort, every=every
        )

    def save(self, path: str | os.PathLike[str], questions: Sequence[str] | None = None) -> None:
        """Writes code, model and state to a file that `gearwright.open` runs without CasADi and LLVM.

        On the same kind of machine: x86-64 Linux with the same instruction sets, or a GPU with device="cuda". The file
        has code for all queries, or only for those in `questions`: "energy", "mass_matrix", "bias", "momentum",
        "observation" (accelerations, coupling efforts), "reaction", "link_poses", "link_velocity", "link_acceleration",
        "screws" (Jacobians), "inverse_dynamics". Steps, sensors, motors, contacts and a compiled controller are always
        included, `linearize` never. Users' functions are part of the compiled code; the file does not hold them.
        """
        from gearwright.sim.saving.writing import save

        save(self, path, questions)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as robot, options, kernels and a snapshot."""
        snapshot = Snapshot.of(self)
        snapshot.check()
        return copied, (self.robot, self.options, self.kernels, snapshot)

    def __copy__(self) -> Simulation:
        return copied(self.robot, self.options, self.kernels, Snapshot.of(self))

    def __deepcopy__(self, memo: object) -> Simulation:
        return self.__copy__()  # robot, options and code cannot change

    def __repr__(self) -> str:
        robots = "" if self.batch == 1 else f"{self.batch} × "
        what = f"{robots}{self.robot.name!r}, {counted(self.robot.dof, 'degree of freedom', 'degrees of freedom')}"
        return f"<Simulation of {what}, {self.options.integrator}, dt {self.dt:g} s, at {self.time:g} s>"

    @property
    def from_cache(self) -> bool:
        """Whether the code of the step was found on disk."""
        return self.kernels["step"].from_cache
