"""moteus drives joints over fdcanusb on a pty, two controllers in a cycle."""

import asyncio
import math
import subprocess
import sys
import time

import moteus
from asking import ask, tell


def resting(values) -> bool:
    """Both where they were asked to be, as far as friction lets them."""
    positions = {1: 0.5, 5: 1.0}
    return all(
        abs(values[n][moteus.Register.VELOCITY]) < 1e-3 and abs(values[n][moteus.Register.POSITION] - goal) < 0.02
        for n, goal in positions.items()
    )


async def reads(controller, register, value) -> float:
    """What a register reads once it is this value, or after 15 s of the wall clock. Queries feed no watchdog."""
    end = time.monotonic() + 15.0
    while True:
        found = (await controller.query()).values[register]
        if found == value or time.monotonic() > end:
            return found
        await asyncio.sleep(0.01)


async def main(port: str) -> None:
    transport = moteus.Fdcanusb(port)
    first, last = (moteus.Controller(id=n, transport=transport) for n in (1, 5))
    for controller in (first, last):
        await controller.set_stop()
    state = await first.query()
    tell(mode=state.values[moteus.Register.MODE], voltage=state.values[moteus.Register.VOLTAGE])

    begun, cycles, values = time.monotonic(), 0, {}
    while time.monotonic() < begun + 15.0 and not (cycles > 30 and resting(values)):
        results = await transport.cycle(
            [
                first.make_position(position=0.5, accel_limit=30.0, query=True),
                last.make_position(position=1.0, velocity_limit=4.0, accel_limit=50.0, query=True),
            ]
        )
        cycles += 1
        values = {r.id: r.values for r in results}
    tell(
        positions=[values[n][moteus.Register.POSITION] for n in (1, 5)],
        modes=[values[n][moteus.Register.MODE] for n in (1, 5)],
        rate=cycles / (time.monotonic() - begun),
    )

    # a velocity without a position, until the stop position
    for _ in range(1500):
        r = await first.set_position(position=math.nan, velocity=1.0, stop_position=0.8, query=True)
        if abs(r.values[moteus.Register.POSITION] - 0.8) < 2e-3 and abs(r.values[moteus.Register.VELOCITY]) < 1e-3:
            break
        await asyncio.sleep(0.005)
    tell(stop_position=r.values[moteus.Register.POSITION])

    # the watchdog, and how it is left
    timeout = await reads(first, moteus.Register.MODE, 11)
    await first.set_stop()
    tell(timeout=timeout, stopped=(await first.query()).values[moteus.Register.MODE])

    faults = {}
    for request, code in {"over-temperature turn_motor": 38, "under-voltage": 40}.items():
        await first.set_position(position=math.nan, watchdog_timeout=math.nan, query=True)
        ask(f"inject {request}")
        faults[request.split()[0]] = [await reads(first, moteus.Register.MODE, 1), 0]
        faults[request.split()[0]][1] = await reads(first, moteus.Register.FAULT, code)
        ask("clear")
        await asyncio.sleep(0.3)  # the cause is gone a step later
        await first.set_stop()
    tell(faults=faults, cleared=(await first.query()).values[moteus.Register.FAULT])
    stream = moteus.Stream(first)
    await stream.write_message(b"conf set servo.default_timeout_s 0.25\n")
    await stream.readline()
    tell(setting=(await stream.command(b"conf get servo.default_timeout_s", allow_any_response=True)).decode())
    stats, firmware = await stream.read_data("servo_stats"), await stream.read_data("firmware")
    tell(stats=[int(stats.mode), stats.bus_V, stats.position], firmware=firmware.version)
    transport.close()
    tool = [sys.executable, "-m", "moteus.moteus_tool", "--fdcanusb", port, "-t", "1"]
    done = subprocess.run([*tool, "--info"], capture_output=True, text=True, check=True)
    tell(info=done.stdout)


asyncio.run(main(sys.argv[1]))
