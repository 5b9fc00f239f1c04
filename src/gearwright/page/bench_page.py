"""A page that shows simulated hardware: the arm that a driver moves, and its drives' currents and temperatures."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from gearwright.display.visible import visible
from gearwright.errors import GearwrightError
from gearwright.page.controls import Controls
from gearwright.page.gate import Gate
from gearwright.page.scene import RobotScene
from gearwright.page.server import HOST, serve, silent

if TYPE_CHECKING:
    import os

    from gearwright.hardware.bench import Bench

FRAME, NUMBERS = 1 / 20, 4  # [s] between two pictures; pictures between two tables
HOT, WARM = 0.95, 0.75  # shares of the way from the surroundings' temperature to that of an error
LINE = "display: flex; justify-content: space-between; gap: 8px;"
RED, ORANGE, BOLD = "color: #c0392b", "color: #d68910", "font-weight: bold"
RELEASE = "let go"


class BenchPage:
    """It looks on, 20 times a second: the bench is its server's. `close` ends it, and leaves the bench as it is."""

    def __init__(
        self, bench: Bench, *, port: int | None = None, search_path: Sequence[str | os.PathLike[str]] = ()
    ) -> None:
        self.bench, robot = bench, bench.sim.robot
        self._gate = Gate()
        self._server = serve(port, self._gate)
        self.scene, _ = RobotScene.opened(self._server, robot, search_path)
        self.scene.frame_all(self._poses())
        speeds = bench.sim.schema.by_family["shaft_velocity"]
        self._units = {name: speeds[name].unit.removesuffix("/s") for name in bench.rig.devices}
        controls = Controls(self._server, self.bench.lock)
        self._heading = controls.gui.add_markdown(visible(robot.name))
        self._table = controls.gui.add_html("")
        controls.buttons(("middle", "low", "high", "all", RELEASE), self._by_hand)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="gearwright page", daemon=True)
        self.refresh()
        self._thread.start()

    @property
    def url(self) -> str:
        """The address to open. Its token is a secret: whoever has the address can move the robot."""
        return f"http://{HOST}:{self._server.get_port()}/{self._gate.token}"

    def _by_hand(self, event: Any) -> None:
        """A button: all joints to a place of their ranges, through all of them, or let go."""
        if event.target.value == RELEASE:
            self.bench.release_all()
        else:
            self.bench.sweep(event.target.value)

    # --- what is shown ------------------------------------------------------------------------------------------

    def _poses(self) -> dict[str, Any]:
        with self.bench.lock:
            return {name: self.bench.sim.pose[name] for name in self.bench.sim.robot.links}

    def refresh(self) -> None:
        """The robot and the table as the bench has them."""
        self.scene.move(self._poses())
        with self.bench.lock:
            rows, time = list(self._rows()), self.bench.rig.time
        self._heading.content = f"**{escape(visible(self.bench.sim.robot.name))}**, {time:.1f} s"
        self._table.content = f'<div style="font-size: 12px; padding: 0 6px">{"".join(rows)}</div>'

    def _rows(self) -> Iterator[str]:
        """Of each drive its name and state, and below them its numbers: the panel is narrow."""
        for name, device in self.bench.rig.devices.items():
            now, motor = device.drive.sample, device.drive.motor
            share = (now.temperature - motor.ambient_temperature) / (motor.over_temperature - motor.ambient_temperature)
            heat = RED if share > HOT else ORANGE if share > WARM else ""
            yield f'<div style="margin-top: 6px">{_line((visible(name), BOLD), (device.shown_state, ""))}</div>'
            yield _line(
                (f"{now.position:.3f} {self._units.get(name, '')}", ""), (f"{now.current:.2f} A", ""),
                (f"{now.temperature:.0f} °C", heat),
            )  # fmt: skip
            if device.errors:
                yield _line((", ".join(device.errors), RED))

    def _loop(self) -> None:
        turn = 0
        while not self._ended.wait(FRAME):
            try:
                if turn % NUMBERS:
                    self.scene.move(self._poses())
                else:
                    self.refresh()
            except GearwrightError:  # the simulation has failed: the server says so, and the last picture stays
                return
            turn += 1

    def close(self) -> None:
        """Ends the page."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)
        with silent():
            self._server.stop()

    def __enter__(self) -> BenchPage:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _line(*texts: tuple[str, str]) -> str:
    """Texts with their styles, over the width of the panel."""
    spans = (f'<span style="{style}">{escape(text)}</span>' for text, style in texts)
    return f'<div style="{LINE}">{"".join(spans)}</div>'
