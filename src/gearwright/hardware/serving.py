"""`gearwright.serve`: a robot's simulated hardware as a context."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from gearwright.errors import GearwrightError, UnknownNameError
from gearwright.hardware.bench import Bench
from gearwright.hardware.networks import SerialNetwork
from gearwright.hardware.rig import ROS2_CONTROL, Rig
from gearwright.hardware.transports import can_socket, system
from gearwright.hardware.transports.adapters import ADAPTERS
from gearwright.hardware.transports.can_text import CanText
from gearwright.hardware.transports.dm_serial import DmSerial
from gearwright.hardware.transports.json_lines import JsonServer
from gearwright.hardware.transports.line_server import LineServer
from gearwright.hardware.transports.plugin_server import PluginServer
from gearwright.hardware.transports.raw_can import RawCanServer
from gearwright.hardware.transports.socketcand import SocketcandServer
from gearwright.hardware.transports.tokens import require_token
from gearwright.hardware.transports.vesc_serial import VescSerial
from gearwright.model import Mechanism
from gearwright.optional import require

_numbers = count(1)


def serve(
    robot: Mechanism | str | os.PathLike[str], *, protocol: str | None = None, clock: str = "realtime",
    record: str | os.PathLike[str] | None = None, nodes: Mapping[str, int] | None = None, model: str | None = None,
    options: Mapping[str, str] | None = None, devices: str | os.PathLike[str] | None = None, dt: float = 1e-3,
    factor: float = 1.0, cycle: float | None = None, wait_for: Sequence[str] | None = None, armed: bool = False,
    channel: str | None = None, link: str | os.PathLike[str] | None = None, socketcand: str | None = None,
    adapters: str | Sequence[str] = (), tcp: str | None = None, token: str | None = None, can: str | Sequence[str] = (),
    eeprom: str | os.PathLike[str] | None = None, bitrate: float | None = None,
    supply_resistance: float = 0.0, seed: int = 0, enforce_command_limits: bool = False, mock: bool = False,
    start: bool = True, **compiling: Any,
) -> Bench:  # fmt: skip
    """Simulated hardware: a robot whose actuators speak the protocols of real drives.

    robot       a Mechanism, a file, or the name of a bundled robot
    protocol    for all actuators; else those that the file, or the YAML file `devices`, binds; "ros2_control": no
                bus, but the interfaces of the robot's tags over JSON Lines
    clock       "realtime" (`factor` times as fast); "lockstep" (advances on SYNC, when every node of `wait_for` has
                been commanded, or by `step`; `cycle` [s] at a time); "freerun"
    armed       lockstep from the start: time stands still until the first of these, and does not run freely before
    channel     name of the CAN bus for `can.Bus(interface="gearwright", channel=…)`; else one of its own
    link        a stable name for the serial port; one for each of several: NAME-protocol
    adapters    serial CAN adapters on a port of their own, "slcan", "fdcanusb" or "dm_serial"; moteus has an
                fdcanusb anyway
    socketcand, tcp   "host:port" of a socketcand server and of JSON Lines, loopback unless a host is given; port 0: any
    token       a secret that clients of these two must send first; for ports that others can reach
    can         other python-can buses that the devices are on, "interface:channel"; frames of other clients go there
                only if they open a channel that ends with ".bridge", or `bench.can(bridged=True)`
    eeprom      file of the registers that drives keep across power cycles
    bitrate     [bit/s] of the CAN bus: frames take time
    enforce_command_limits   ros2_control's joint limiter holds commands of its interfaces to the joints' limits
    mock        the interfaces behave as ros2_control's `mock_components/GenericSystem`: commands become states
    start       False: the clock does not run and nothing is recorded until `bench.start()`
    """
    made = _bench(
        robot, protocol, nodes, model, options, devices, dt, supply_resistance, compiling,
        {"clock": clock, "factor": factor, "cycle": cycle, "wait_for": wait_for, "seed": seed, "bitrate": bitrate,
         "eeprom": eeprom, "armed": armed},
    )  # fmt: skip
    made.requests.enforce_command_limits, made.requests.mock = enforce_command_limits, mock
    try:
        if token is not None:
            require_token(token)
        _open_buses(made, channel, link, socketcand, _several(can), _several(adapters), token)
        if tcp is None and protocol == ROS2_CONTROL:
            tcp = "0"
        if tcp is not None:
            json_lines = JsonServer(made.loop, made.requests.hello, made.requests.handle, *address(tcp), token)
            made.servers.append(json_lines)
        made.record = record
        if start:
            made.start()
    except BaseException:
        made.close()
        raise
    return made


def _bench(
    robot: Any, protocol: Any, nodes: Any, model: Any, options: Any, devices: Any, dt: float, resistance: float,
    compiling: Mapping[str, Any], serving: Mapping[str, Any],
) -> Bench:  # fmt: skip
    from gearwright.formats import load
    from gearwright.hardware.device_files import read_devices

    loaded = robot if isinstance(robot, Mechanism) else load(robot)
    written = read_devices(devices) if devices is not None else None
    rig = Rig.of(
        loaded, protocol, dt=dt, nodes=nodes, model=model, options=options, written=written,
        supply_resistance=resistance, **compiling,
    )  # fmt: skip
    return Bench(rig, **serving)


def _several(names: str | Sequence[str]) -> Sequence[str]:
    """A single name is one of several."""
    return (names,) if isinstance(names, str) else names


def _open_buses(
    bench: Bench, channel: str | None, link: str | os.PathLike[str] | None, socketcand: str | None, can: Sequence[str],
    adapters: Sequence[str], token: str | None,
) -> None:  # fmt: skip
    ports = dict[str, SerialNetwork | CanText | DmSerial | VescSerial]()
    for name, line in bench.lines.items():
        served = bench.rig.protocols[name]
        if served.tcp and token is not None:
            raise GearwrightError(f"clients of {name} cannot send a token, so it is not served when one is set")
        if served.tcp:
            bench.servers.append(LineServer(bench.loop, line, served.tcp, served.client))
        else:
            ports[name] = line
    for name in dict.fromkeys((*(p.adapter for p in bench.rig.protocols.values() if p.adapter), *adapters)):
        if name not in ADAPTERS:
            raise UnknownNameError("serial CAN adapter", name, ADAPTERS)
        ports[name] = ADAPTERS[name](bench.network)
    if ports and system.TERMINALS:
        from gearwright.hardware.transports.pty_port import PtyPort

        for name, port in ports.items():
            own = link if link is None or len(ports) == 1 else f"{os.fspath(link)}-{name}"
            bench.ptys[name] = PtyPort(bench.loop, port, own)
    elif ports:
        bench.rig.notes += (system.NO_TERMINALS,)
    if bench.rig.can:
        chosen = channel if channel is not None else f"gearwright-{os.getpid()}-{next(_numbers)}"
        if not system.UNIX_SOCKETS:
            bench.rig.notes += (system.NO_UNIX_SOCKETS,)
        for name in (chosen, chosen + can_socket.BRIDGE) if can else (chosen,):
            if system.UNIX_SOCKETS:
                bench.servers.append(PluginServer(bench.loop, bench.network, name))
        if system.RAW_CAN:
            bench.servers.append(RawCanServer(bench.loop, bench.network, chosen))
        if socketcand is not None:
            bench.servers.append(SocketcandServer(bench.loop, bench.network, *address(socketcand), token))
    for name in can:
        require("can", "a python-can bus")
        from gearwright.hardware.transports.in_process import BridgedBus

        bench.servers.append(BridgedBus(bench.network, name, bench.lock))


def address(text: str) -> tuple[str, int]:
    """`host:port`, `:port` or `port`; loopback where there is no host."""
    host, _, port = str(text).rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise GearwrightError(f"an address must be host:port or port, not {text!r:.80}")
    return host.strip("[]") or "127.0.0.1", int(port)
