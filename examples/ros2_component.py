"""A ros2_control hardware component in Python, over JSON Lines, and a controller manager's loop around it.

The simulation runs in another process: gearwright serve wrist --protocol ros2_control --clock lockstep --tcp 29540
The same in C++, with the package that ROS needs: examples/ros2_component.
"""

from __future__ import annotations

import json
import socket
import sys
from typing import Any


class SimulatedSystem:
    """hardware_interface::SystemInterface: `info`, `read` and `write`."""

    def __init__(self, host: str, port: int, period: float = 0.01) -> None:
        self._lines = socket.create_connection((host, port)).makefile("rw", encoding="utf-8", newline="\n")
        hello = json.loads(self._lines.readline())
        self._steps = round(period / hello["dt"])
        self.info: list[dict[str, Any]] = self._ask({"hardware": {}})["hardware"]
        self.state: dict[str, float | None] = self._ask({"read": {}})["state"]
        self.command: dict[str, float] = {}

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._lines.write(json.dumps(request) + "\n")
        self._lines.flush()
        answer: dict[str, Any] = json.loads(self._lines.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def read(self) -> None:
        """State interfaces, after the simulation has advanced by a period."""
        self.state = self._ask({"step": self._steps, "read": {}})["state"]

    def write(self) -> None:
        """Command interfaces that a controller has set."""
        self._ask({"write": self.command})


def control(host: str, port: int) -> None:
    system = SimulatedSystem(host, port)
    for tag in system.info:
        print(tag["name"], tag["hardware_plugin_name"], "limits of", *tag["limits"])
    joint = next(name for name in system.state if name.endswith("/position"))
    for _ in range(200):
        system.command[joint] = 0.2
        system.write()
        system.read()
    print(joint, system.state[joint])


if __name__ == "__main__":
    if len(sys.argv) == 3:
        control(sys.argv[1], int(sys.argv[2]))
    else:  # a server of its own, to try it
        import gearwright as gw

        with gw.serve("wrist", protocol="ros2_control", clock="lockstep") as bench:
            control(*bench.address)
