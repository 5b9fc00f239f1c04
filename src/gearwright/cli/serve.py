"""`gearwright serve`: simulated hardware that a robot's own driver talks to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.cli.loading import LoadOptions, loaded_or_exit
from gearwright.cli.messages import stop
from gearwright.cli.options import RobotFile, StepLength
from gearwright.cli.outputs import check_writable, not_written
from gearwright.cli.reading import reads_file
from gearwright.errors import GearwrightError, UnknownNameError
from gearwright.files import write_whole

if TYPE_CHECKING:
    from gearwright.hardware.bench import Bench
    from gearwright.model import Mechanism

Repeated = list[str] | None
LOOPBACK = ("127.", "localhost:", "[::1]:", ":")  # beginnings of addresses that only this machine reaches


@reads_file
def serve(
    file: RobotFile,
    protocol: Annotated[
        str | None, typer.Option(metavar="NAME", help="Protocol of all actuators (default: as the file binds them).")
    ] = None,
    clock: Annotated[
        str, typer.Option(metavar="realtime|lockstep|freerun", help="Clock that advances the simulation.")
    ] = "realtime",
    factor: Annotated[float, typer.Option(help="Simulated seconds per second of wall time (realtime clock).")] = 1.0,
    cycle: Annotated[float | None, typer.Option(help="Duration of a lockstep cycle [s] (default: one step).")] = None,
    wait_for: Annotated[
        Repeated,
        typer.Option(metavar="ACTUATOR", help="In lockstep, wait for this actuator (default: all); repeatable."),
    ] = None,
    armed: Annotated[
        bool, typer.Option("--armed", help="Start in lockstep at once, instead of at a client's first cycle.")
    ] = False,
    dt: StepLength = 1e-3,
    node: Annotated[
        Repeated, typer.Option(metavar="ACTUATOR=ID", help="Set an actuator's id on the bus; repeatable.")
    ] = None,
    drive: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Product to simulate, from the protocol's table.")
    ] = None,
    option: Annotated[Repeated, typer.Option(metavar="NAME=VALUE", help="Set a protocol option; repeatable.")] = None,
    devices: Annotated[
        str | None, typer.Option(metavar="FILE", help="YAML file that binds actuators to protocols.")
    ] = None,
    link: Annotated[str | None, typer.Option(metavar="PATH", help="Stable path for the serial port.")] = None,
    channel: Annotated[
        str | None, typer.Option(metavar="NAME", help="Channel of python-can's gearwright interface (default: can0).")
    ] = None,
    socketcand: Annotated[
        str | None, typer.Option(metavar="[HOST:]PORT", help="Port of the socketcand server (default: 29536).")
    ] = None,
    can: Annotated[
        Repeated, typer.Option(metavar="INTERFACE:CHANNEL", help="Join this python-can bus; repeatable.")
    ] = None,
    adapter: Annotated[
        Repeated,
        typer.Option(
            metavar="slcan|fdcanusb|dm_serial|vesc_serial", help="Simulate a serial CAN adapter on a port; repeatable."
        ),
    ] = None,
    tcp: Annotated[
        str | None, typer.Option(metavar="[HOST:]PORT", help="Port of the JSON Lines server (default: 29540).")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", envvar="GEARWRIGHT_TOKEN", help="Secret that clients of both TCP ports must send first."
        ),
    ] = None,
    eeprom: Annotated[
        str | None, typer.Option(metavar="FILE", help="File for the registers that drives keep without power.")
    ] = None,
    record: Annotated[str | None, typer.Option(metavar="FILE", help="Record the mechanism and the bus.")] = None,
    bitrate: Annotated[
        float | None, typer.Option(help="Bit rate of the CAN bus [bit/s]; frames then take time.")
    ] = None,
    supply_resistance: Annotated[
        float, typer.Option(help="Resistance of the shared supply, for voltage sag [Ω].")
    ] = 0.0,
    fault: Annotated[
        Repeated, typer.Option(metavar="KIND[=VALUE][@ACTUATOR]", help="Inject a fault from the start; repeatable.")
    ] = None,
    enforce_command_limits: Annotated[
        bool, typer.Option("--enforce-command-limits", help="Apply ros2_control's joint limiter to its interfaces.")
    ] = False,
    mock: Annotated[
        bool, typer.Option("--mock", help="Mirror commands as states, as ros2_control's GenericSystem does.")
    ] = False,
    eds: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the EDS file of the first node, or read a manufacturer's."),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write LeRobot's calibration, and store it in the servos."),
    ] = None,
    dbc: Annotated[str | None, typer.Option(metavar="FILE", help="Write the bus's DBC file.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the robot and its drives in a browser.")] = False,
    table: Annotated[bool | None, typer.Option(help="Show the live table (default: on a terminal).")] = None,
    *,
    reading: LoadOptions,
) -> None:
    """Simulate hardware that a robot's own driver talks to.

    The driver runs unchanged against the simulation.

    Prints the addresses it listens on, the ids and how a client connects, then a line that begins with "ready". While
    it runs, lines on standard input move joints by hand and inject faults: hold JOINT POSITION, release [JOINT],
    sweep [middle|low|high], fault KIND [ACTUATOR] [VALUE], clear, quit.
    Ends with Ctrl-C or SIGTERM. Exits with 0 if all went well, 1 if the file or the simulation failed, 2 if the command
    itself is wrong.
    """
    from gearwright.hardware.protocols.cia402.data_sheets import is_ours

    robot = loaded_or_exit(file, reading)
    given: dict[str, Any] = {
        "protocol": protocol, "clock": clock, "factor": factor, "cycle": cycle, "wait_for": wait_for or None, "dt": dt,
        "armed": armed, "token": token,
        "nodes": {k: _whole(v, k) for k, v in _pairs(node, "--node").items()} or None, "model": drive,
        "options": _pairs(option, "--option") or None, "devices": devices, "link": link, "eeprom": eeprom,
        "record": record, "bitrate": bitrate, "supply_resistance": supply_resistance, "can": can or (),
        "adapters": adapter or (), "enforce_command_limits": enforce_command_limits, "mock": mock,
    }  # fmt: skip
    try:
        notes: list[str] = []
        if eds is not None and not is_ours(eds):  # of the maker of the drive: it is read
            given["options"], eds = {"eds": eds, **(given["options"] or {})}, None
        check_writable(record, eeprom, eds, dbc, calibration)
        bench = _started(robot, given, channel, socketcand, tcp, notes)
    except UnknownNameError as error:
        typed = (protocol, drive, clock, *(wait_for or ()), *(adapter or ()), *_pairs(node, "--node"))
        stop(str(error), 2 if error.name in typed else 1)  # 1: the robot's file or --devices has it wrong
    except GearwrightError as error:
        stop(str(error), 1)
    with bench:
        try:
            for text in fault or []:
                _inject(bench, text)
            _write_sheets(bench, eds, dbc, calibration)
        except GearwrightError as error:
            stop(str(error), 2)
        except OSError as error:
            stop(not_written(error), 1)
        try:
            bench.start()
        except GearwrightError as error:
            stop(str(error), 1)
        except OSError as error:
            stop(not_written(error), 1)
        with _shown(bench, view, reading, notes):
            _serve(bench, sys.stdout.isatty() if table is None else table, eds, notes)
        if bench.failure is not None:
            stop(str(bench.failure), 1)


def _started(
    robot: Mechanism, given: dict[str, Any], channel: str | None, socketcand: str | None, tcp: str | None,
    notes: list[str],
) -> Bench:  # fmt: skip
    """With the usual channel and ports where they are free, and any others, with a note, where they are not."""
    from gearwright.cli.terminal import waiting
    from gearwright.hardware.serving import serve as serve_robot
    from gearwright.hardware.transports import can_socket, json_lines
    from gearwright.hardware.transports import socketcand as candidates
    from gearwright.hardware.transports.loop import PortInUseError

    if given["token"] is None and any(p and ":" in p and not p.startswith(LOOPBACK) for p in (socketcand, tcp)):
        notes.append("whoever reaches this machine can drive the simulation: --token TEXT asks clients for a secret")

    def started() -> Bench:
        return serve_robot(
            robot,
            channel=channel if channel is not None else can_socket.free_channel(),
            socketcand=socketcand if socketcand is not None else _usual(candidates.PORT, notes),
            tcp=tcp if tcp is not None else _usual(json_lines.PORT, notes),
            start=False,  # a recording is opened when faults and sheets are known to be right
            **given,
        )

    with waiting(f"compiling {robot.name}"):
        try:
            return started()
        except PortInUseError:  # a usual port was taken while the robot was compiled
            return started()


def _usual(port: int, notes: list[str]) -> str:
    """The port, or any, with a note, where another process has it."""
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            note = f"port {port} is in use, perhaps by another server: another port is used instead"
            if note not in notes:
                notes.append(note)
            return "127.0.0.1:0"
    return f"127.0.0.1:{port}"


@contextmanager
def _shown(bench: Bench, view: bool, reading: LoadOptions, notes: list[str]) -> Iterator[None]:
    """With a page in a browser, if that is wanted; without it, where it cannot be had."""
    if not view:
        yield
        return
    from gearwright.page.bench_page import BenchPage

    try:
        page = BenchPage(bench, search_path=reading.path)
    except GearwrightError as error:
        stop(str(error), 1)
    with page:
        notes.append(f"view: {page.url}")
        yield


def _serve(bench: Bench, table: bool, eds: str | None, notes: list[str]) -> None:
    """Until a signal, `quit`, or a simulation that failed."""
    import signal
    from threading import Event

    from gearwright.cli.serve_terminal import CommandReader, announce, conclude

    stop = Event()

    def end(*_: object) -> None:
        stop.set()
        bench.interrupt()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    announce(bench, eds, notes)
    screen = None
    if table:
        from gearwright.cli.serve_table import Screen

        screen = Screen()
    CommandReader(bench, stop, screen).start()
    if screen is not None:
        screen.show(bench, stop)
    while not stop.wait(0.2) and bench.failure is None:
        pass
    conclude(bench)


def _inject(bench: Bench, text: str) -> None:
    """KIND[=VALUE][@ACTUATOR]."""
    kind, _, actuator = text.partition("@")
    kind, _, value = kind.partition("=")
    try:
        number = float(value) if value else None
    except ValueError:
        raise GearwrightError(f"--fault {text}: {value!r} is not a number") from None
    bench.faults.inject(kind, actuator or None, number)


def _write_sheets(bench: Bench, eds: str | None, dbc: str | None, calibration: str | None) -> None:
    if calibration is not None:
        from gearwright.hardware.calibrations import lerobot_calibration

        write_whole(calibration, lerobot_calibration(bench.rig))
    if eds is None and dbc is None:
        return
    if not bench.rig.bound:
        raise GearwrightError("no actuator of this robot is on a bus: there is nothing to describe")
    first = bench.rig.bound[0]
    if eds is not None:
        write_whole(eds, first.protocol.eds(bench.rig.devices[first.actuator]))
    if dbc is not None:
        same = {b.actuator: bench.rig.devices[b.actuator] for b in bench.rig.bound if b.protocol is first.protocol}
        write_whole(dbc, first.protocol.dbc(same))


def _pairs(given: Repeated, what: str) -> dict[str, str]:
    found = {}
    for text in given or []:
        name, assigned, value = text.partition("=")
        if not assigned or not name:
            raise typer.BadParameter(f"{text!r} is not of the form NAME=VALUE", param_hint=what)
        found[name] = value
    return found


def _whole(text: str, actuator: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise typer.BadParameter(
            f"the id of {actuator!r} must be a whole number, not {text!r}", param_hint="--node"
        ) from None
