"""`gearwright.compile`: a robot to a simulation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gearwright.diagnostics import Diagnostic, first_of
from gearwright.errors import CompileError, LoadWarning, ModelError, NotSimulatedWarning, warn
from gearwright.model import Mechanism
from gearwright.model.checks.simulation_checks import not_simulable
from gearwright.model.loops.split_links import with_split_links
from gearwright.model.mass.rotors import with_rotors
from gearwright.sim.options import MOST_OPERATIONS, Options, coupled
from gearwright.sim.programs.kernels import CompiledKernels, out_of_memory
from gearwright.sim.simulation import Simulation

if TYPE_CHECKING:
    from gearwright.model.hardware.drives import Drive

# warnings of checks that are given in another way: by the simulation's diagnostics, and by steps from such a start
SAID_ELSEWHERE = ("coupling-contradicted", "transmission-start")
LEFT_OUT = ("not-simulated", "loop-rigid")  # of a NotSimulatedWarning


def compile(
    robot: Mechanism | str | os.PathLike[str],
    dt: float = 1e-3,
    batch: int = 1,
    solver: str = "direct",
    integrator: str | None = None,
    device: str = "cpu",
    precision: str = "double",
    coupling: str | None = None,
    iterations: int = 20,
    parameters: Sequence[str] = (),
    gravity: Sequence[float] | None = None,
    threads: int | None = None,
    drives: Mapping[str, Drive] | None = None,
    controller: Callable[..., Any] | None = None,
    control_period: float | None = None,
    wrenches: Sequence[str] = (),
    newton_iterations: int | None = None,
    switches: int | None = None,
    most_operations: int = MOST_OPERATIONS,
    ground: bool | float = False,
    contacts: Sequence[tuple[str, str]] | None = None,
    part: str | None = None,
) -> Simulation:
    """Compiles a robot to machine code that steps it.

    The robot:

    robot       a mechanism, or a file, which is loaded
    coupling    mode of all couplings, instead of their own: "exact", "hard" or "compliant" (100 rad/s and damping ratio
                1, unless the file gives them)
    gravity     three numbers [m/s²] instead of the file's
    part        "actuation": only motors, gears and encoders, on joints that another program moves; returns an
                `ActuationPart`. Takes dt, batch, device, precision and threads

    What it touches:

    ground      True: the plane z = 0, as a link "ground" that stands still; a number is its friction coefficient
    contacts    pairs of links that may touch, by name or pattern: [("*_foot", "ground")]. By default every link touches
                the environment and the links of other robots and objects, but not those of its own robot, unless the
                file says so. An empty list: nothing touches

    How it runs:

    dt          length of a step [s]
    batch       robots that are stepped together; values then have the shape (batch,)
    threads     maximum number of threads; by default all cores for large batches. Results do not depend on it
    device      "cpu", "cuda" (an NVIDIA GPU: one thread per robot), "interpreter" (NumPy, slow: the reference) or a
                back end of another package
    precision   "double" or "single"

    What acts on it, and what can be changed later:

    controller  a function of the simulation that returns commands by actuator and efforts by joint; it becomes part
                of the code that steps (see `gearwright.control`)
    control_period  time from one call of the controller to the next [s], a whole number of steps; every step by
                    default. Commands keep their values in between
    drives      by joint, a gearwright.Drive that brings it to the targets of `Simulation.drive`
    wrenches    links that `step(wrench=…)` and `run(wrench=…)` can push from outside
    parameters  numbers that become inputs, set by `Simulation.set_parameters`: "link.mass", "joint.damping",
                "follower.multiplier", "gravity.z", …

    How a step is computed. The defaults suit almost every robot:

    integrator  "midpoint" (the default: variational, second order, keeps momentum and energy; stiff forces implicit),
                "euler" (semi-implicit, first order; the default of "pgs" and "tgs"), or "rk4" (for checking)
    solver      solver of constraints: "direct" (an active-set method, which finds the segment of each limit, friction
                and drive, together with couplings and loops), "pgs" (sweeps over all rows) or "tgs" (sweeps, each with
                updated positions)
    iterations  maximum number of sweeps per step; "pgs" stops as soon as nothing changes, "tgs" makes all of them
    newton_iterations  maximum number of iterations per midpoint step (24); they end when the mean velocity has
                       converged. Otherwise the step is made in substeps
    switches    maximum number of iterations of the active set (200, or the number of constraint rows if that is more).
                One that needs more keeps the last, and counts as unsettled. A small number, such as 8, bounds the time
                of large batches with contacts on a GPU, where all robots wait for the slowest
    most_operations  CompileError for a robot with more arithmetic operations per step than this: two million take some
                     minutes and 3 GB to compile. The largest known robot has 115,000

    With rk4, actuators, limits and friction do not act. If the robot has any, a NotSimulatedWarning and
    `Simulation.diagnostics` say so. They also name couplings that loops contradict. Some checks, such as that of
    impossible inertias, do not run while loading; their warnings are issued here, as a LoadWarning. Raises CompileError
    if the robot cannot be compiled. Code is cached on disk ($GEARWRIGHT_CACHE, or the user's cache folder).

    >>> import gearwright as gw
    >>> sim = gw.compile(gw.loads('''<robot name="pendulum"><link name="bob"><inertial><mass value="1"/>
    ...     <origin xyz="0 0 -1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...     <link name="base"/><joint name="swing" type="continuous"><parent link="base"/><child link="bob"/>
    ...     <axis xyz="0 1 0"/></joint></robot>'''), dt=1e-3)
    >>> sim.reset(position={"swing": 0.1})
    >>> sim.step(n=500)
    >>> round(sim.time, 3), round(sim.position["swing"], 3)
    (0.5, 0.001)
    """
    if not isinstance(robot, Mechanism):
        from gearwright.formats import load

        robot = load(robot)
    if part is not None:
        from gearwright.sim.actuation_part import compiled_part

        return compiled_part(  # type: ignore[return-value]  # an ActuationPart
            robot, part, dt=dt, batch=batch, device=device, precision=precision, threads=threads,
        )  # fmt: skip
    options = Options.of(
        dt=dt, batch=batch, solver=solver, integrator=integrator, device=device, precision=precision,
        coupling=coupling, iterations=iterations, parameters=parameters, gravity=gravity, threads=threads,
        drives=drives, controller=controller, control_period=control_period,
        wrenches=wrenches, newton_iterations=newton_iterations, switches=switches, most_operations=most_operations,
    )  # fmt: skip
    if reasons := not_simulable(robot):
        raise CompileError("\n".join(reasons))
    checked = _warned_late(robot)
    if others := [d for d in checked if d.code not in LEFT_OUT]:
        warn(first_of(others, others[0].file), LoadWarning)
    robot, untouched = touching(robot, ground, contacts)
    robot = at_step(with_rotors(coupled(robot, options).without_contradictions()), options.dt)
    robot = with_split_links(robot, options.drives)
    try:
        sim = Simulation(robot, options, CompiledKernels(robot, options))
    except MemoryError:
        raise out_of_memory(robot) from None
    sim.diagnostics += tuple(d for d in checked if d.code in LEFT_OUT)
    sim.diagnostics += tuple(untouched)
    if left_out := [d.message for d in sim.diagnostics if d.code in LEFT_OUT]:
        warn("; ".join(left_out), NotSimulatedWarning)
    return sim


def touching(robot: Mechanism, ground: object, contacts: object) -> tuple[Mechanism, list[Diagnostic]]:
    """The robot with its contacts, and what of them is not simulated, or only roughly."""
    from gearwright.formats.meshes.contact_shapes import ContactShapes
    from gearwright.model.contacts.finding import with_contacts
    from gearwright.model.contacts.ground import with_ground

    wanted = None if contacts is None else _pairs(contacts)
    if ground is not False:
        robot = with_ground(robot, ground)
    with ContactShapes(robot) as files:
        robot, left_out = with_contacts(robot, wanted, files.touching)
    said = [Diagnostic(severity="warning", code="not-simulated", message=m) for m in left_out]
    return robot, [*said, *files.diagnostics]


def _pairs(contacts: object) -> list[tuple[str, str]]:
    given: list[Any] = [contacts]
    if isinstance(contacts, Sequence | Set) and not isinstance(contacts, str):
        given = [*contacts]
    for pair in given:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(n, str) for n in pair)):
            raise CompileError(f"contacts must be pairs of links, such as [('*_foot', 'ground')], not {contacts!r:.60}")
    return [(a, b) for a, b in given]


def _warned_late(robot: Mechanism) -> list[Diagnostic]:
    """Warnings that `load` has not given, since it does not wait for the checks that can only warn."""
    known = {d for d in robot.reported if d.severity == "warning"}
    return [d for d in robot.diagnostics if d.severity == "warning" and d not in known and d.code not in SAID_ELSEWHERE]


def at_step(robot: Mechanism, dt: float) -> Mechanism:
    """A copy whose actuators have what a simulation of this step needs of them: room for past commands."""
    try:
        changed = {name: a.at_step(dt) for name, a in robot.actuators.items()}
    except ModelError as error:
        raise CompileError(str(error)) from error
    if all(changed[name] is a for name, a in robot.actuators.items()):
        return robot
    return replace(robot, actuators=changed)
