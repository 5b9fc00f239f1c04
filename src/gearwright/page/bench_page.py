"""A page that shows simulated hardware: the arm that a driver moves, and its drives' currents and temperatures."""

from __future__ import annotations

import threading
from collections.abc import Sequence
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
HEADINGS = ("drive", "state", "position", "A", "°C", "errors")
CELL = 'style="padding: 0 6px; text-align: right; white-space: nowrap;{}"'
RED, ORANGE = " color: #c0392b;", " color: #d68910;"
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
        head = "".join(f"<th {CELL.format('')}>{heading}</th>" for heading in HEADINGS)
        self._table.content = f'<table style="font-size: 12px"><tr>{head}</tr>{"".join(rows)}</table>'

    def _rows(self) -> Any:
        for name, device in self.bench.rig.devices.items():
            now, motor = device.drive.sample, device.drive.motor
            share = (now.temperature - motor.ambient_temperature) / (motor.over_temperature - motor.ambient_temperature)
            colours = ["", "", "", "", RED if share > HOT else ORANGE if share > WARM else "", RED]
            texts = (
                visible(name), device.shown_state, f"{now.position:.3f}", f"{now.current:.2f}",
                f"{now.temperature:.0f}", ", ".join(device.errors),
            )  # fmt: skip
            cells = zip(texts, colours, strict=True)
            yield f"<tr>{''.join(f'<td {CELL.format(c)}>{escape(text)}</td>' for text, c in cells)}</tr>"

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
