"""moteus drives joints over fdcanusb on a pty, two controllers in a cycle."""

import asyncio
import math
import subprocess
import sys
import time

import moteus
from asking import ask, tell


async def main(port: str) -> None:
    transport = moteus.Fdcanusb(port)
    first, last = (moteus.Controller(id=n, transport=transport) for n in (1, 5))
    for controller in (first, last):
        await controller.set_stop()
    state = await first.query()
    tell(mode=state.values[moteus.Register.MODE], voltage=state.values[moteus.Register.VOLTAGE])

    end = time.monotonic() + 0.8
    cycles = 0
    while time.monotonic() < end:
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
        rate=cycles / 0.8,
    )

    # a velocity without a position, until the stop position
    for _ in range(100):
        r = await first.set_position(position=math.nan, velocity=1.0, stop_position=0.8, query=True)
        await asyncio.sleep(0.005)
    tell(stop_position=r.values[moteus.Register.POSITION])

    # the watchdog, and how it is left
    await asyncio.sleep(0.2)
    timeout = (await first.query()).values[moteus.Register.MODE]
    await first.set_stop()
    tell(timeout=timeout, stopped=(await first.query()).values[moteus.Register.MODE])

    faults = {}
    for request in ("over-temperature turn_motor", "under-voltage"):
        await first.set_position(position=math.nan, watchdog_timeout=math.nan, query=True)
        ask(f"inject {request}")
        await asyncio.sleep(0.05)
        values = (await first.query()).values
        faults[request.split()[0]] = [values[moteus.Register.MODE], values[moteus.Register.FAULT]]
        ask("clear")
        await asyncio.sleep(0.05)
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
