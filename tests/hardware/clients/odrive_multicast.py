"""odrive-can on the bus that it opens by itself in CI: UDP multicast."""

import asyncio
import os
import sys

from asking import tell

os.environ["CI"] = "true"
from odrive_can.odrive import ODriveCAN


async def main(axis: int) -> None:
    drive = ODriveCAN(axis)
    await asyncio.wait_for(drive.start(), 10)
    await drive.set_axis_state("CLOSED_LOOP_CONTROL")
    tell(state=drive.axis_state, iq=await drive.get_iq())
    drive.stop()


asyncio.run(main(int(sys.argv[1])))
