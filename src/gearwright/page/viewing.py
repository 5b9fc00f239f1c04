"""`gw.view`: a page for a robot, a simulation or a recording, on this machine only."""

from __future__ import annotations

import builtins
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gearwright.display.visible import visible
from gearwright.errors import GearwrightError
from gearwright.page.gate import Gate
from gearwright.page.motion import ShownMotion
from gearwright.page.player import Player
from gearwright.page.replay import Replay
from gearwright.page.server import HOST, serve, silent

if TYPE_CHECKING:
    from gearwright.model import Mechanism
    from gearwright.sim import Recording, Simulation


INLINE_HEIGHT = 520  # [px], in a notebook


class Page:
    """A running page. `with gw.view(robot, block=False) as page: …`, or `page.close()`. Notebooks show it inline.

    `motion` is what moves: a `Player` of a simulation (`player`, `sim`) or a `Replay` of a recording.
    """

    def __init__(
        self, what: Simulation | tuple[Recording, Mechanism], *, port: int | None,
        search_path: Sequence[str | os.PathLike[str]],
    ) -> None:  # fmt: skip
        from gearwright.page.panel import PagePanel
        from gearwright.page.scene import RobotScene

        self._panel: Any = None
        self.motion: ShownMotion = (
            Replay(*what, self._refresh) if isinstance(what, tuple) else Player(what, self._refresh)
        )
        robot = self.motion.robot
        self._gate = Gate()
        self._server = serve(port, self._gate)
        self.scene, undrawn = RobotScene.opened(self._server, robot, search_path)
        size = self.scene.frame_all(self.motion.poses())
        simulated = () if isinstance(what, tuple) else what.diagnostics
        self.diagnostics = tuple(dict.fromkeys((*robot.diagnostics, *simulated, *undrawn)))
        self._panel = PagePanel(self._server, self.motion, self.scene, size, self.diagnostics)
        self.motion.start()

    def _refresh(self) -> None:
        if self._panel is not None:
            self._panel.refresh()

    @property
    def player(self) -> Player:
        """The simulation's; a recording has none."""
        if not isinstance(self.motion, Player):
            raise GearwrightError("the viewer shows a recording, which is not simulated")
        return self.motion

    @property
    def sim(self) -> Simulation:
        """The simulation; a recording has none."""
        return self.player.sim

    @property
    def url(self) -> str:
        """The address to open. Its token is a secret: whoever has the address can move the robot."""
        return f"http://{HOST}:{self._server.get_port()}/{self._gate.token}"

    def __repr__(self) -> str:
        return f"<Page of {visible(self.motion.robot.name)!r} at {self.url}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="{INLINE_HEIGHT}" style="border:0"></iframe>'

    def close(self) -> None:
        """Stops the motion and the server."""
        self.motion.stop()
        with silent():
            self._server.stop()

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def announce(self, hint: str = " (Ctrl-C ends it)") -> None:
        """Prints the address."""
        print(f"gearwright: {visible(self.motion.robot.name)} at {self.url}{hint}", flush=True)

    def wait(self) -> None:
        """Prints the address, and waits for Ctrl-C or SIGTERM."""
        try:
            with ended_by_sigterm():
                self.announce()
                while True:
                    time.sleep(3600)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """SIGTERM raises KeyboardInterrupt in the block, as Ctrl-C does. Other threads leave signals to the main one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def view(
    what: Mechanism | Simulation | Recording | str | os.PathLike[str],
    *,
    robot: Mechanism | str | os.PathLike[str] | None = None,
    port: int | None = None,
    search_path: Sequence[str | os.PathLike[str]] = (),
    block: bool | None = None,
    **options: Any,
) -> Page:
    """Opens a page with a robot in three dimensions: sliders, play, drag, motors, plots. It listens on this machine
    only.

    what         a mechanism, a simulation of one robot, a recording, or a file with one of them
    robot        for a recording from a file: its mechanism, or the mechanism's file; by default the file that the
                 recording names
    port         None takes 8080, or the next one that is free
    search_path  folders for meshes: package://, model:// and relative names
    block        wait for Ctrl-C or SIGTERM; False returns the `Page`, as a notebook does if nothing is given
    options      of `gearwright.compile`, for a mechanism or its file
    """
    from gearwright.page.subject import subject

    page = Page(subject(what, robot, search_path, options), port=port, search_path=search_path)
    if isinstance(page.motion, Player) and page.motion.sim is not what:
        page.motion.demonstration.begin()
    if block is None:
        block = not in_notebook()
    if block:
        page.wait()
    else:
        page.announce(hint="")
    return page


def in_notebook() -> bool:
    """Whether this process is a kernel of Jupyter."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None
