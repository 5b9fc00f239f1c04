"""`gw.view`: a page for a robot or a simulation, on this machine only."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gearwright.errors import GearwrightError
from gearwright.page.meshes import Meshes
from gearwright.page.player import Player

if TYPE_CHECKING:
    from gearwright.model import Mechanism
    from gearwright.sim import Simulation

PORT = 8080


class Page:
    """A running page. `with gw.view(robot, block=False) as page: …`, or `page.close()`."""

    def __init__(self, sim: Simulation, *, port: int | None, search_path: Sequence[str | os.PathLike[str]]) -> None:
        from gearwright.page.panel import Panel
        from gearwright.page.scene import RobotScene

        self.sim, self._server = sim, _server(port)
        robot = sim.robot
        file = next((link.source.file for link in robot.links.values() if link.source is not None), None)
        meshes = Meshes(file, search_path)
        self._panel: Any = None
        self.player = Player(sim, lambda: self._panel.refresh() if self._panel is not None else None)
        scene = RobotScene(self._server, robot, meshes)
        scene.frame_all({name: sim.pose[name] for name in robot.links})
        self.diagnostics = (*robot.diagnostics, *sim.diagnostics, *meshes.diagnostics)
        self._panel = Panel(self._server, self.player, scene, [str(d) for d in self.diagnostics])
        self.player.start()

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self._server.get_port()}"

    def close(self) -> None:
        """Stops the simulation and the server."""
        self.player.stop()
        self._server.stop()

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def wait(self) -> None:
        """Until Ctrl-C."""
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()


def view(
    what: Mechanism | Simulation | str | os.PathLike[str],
    *,
    port: int | None = None,
    search_path: Sequence[str | os.PathLike[str]] = (),
    block: bool = True,
    **options: Any,
) -> Page:
    """Opens a page with a robot in three dimensions: sliders, play, pull, plots. It listens on this machine only.

    what         a mechanism, a simulation of one robot, or a file, which is loaded
    port         None takes 8080, or the next one that is free
    search_path  folders for meshes: package://, model:// and relative names
    block        wait for Ctrl-C; False returns the `Page`
    options      of `gearwright.compile`, if it is not a simulation
    """
    page = Page(_simulation(what, search_path, options), port=port, search_path=search_path)
    print(f"gearwright: {page.sim.robot.name} at {page.url}" + (" (Ctrl-C ends it)" if block else ""), flush=True)
    if block:
        page.wait()
    return page


def _simulation(what: Any, search_path: Sequence[Any], options: dict[str, Any]) -> Simulation:
    from gearwright.formats import load
    from gearwright.model import Mechanism
    from gearwright.sim import Simulation
    from gearwright.sim import compile as compiled

    if isinstance(what, Simulation):
        if what.batch != 1:
            raise GearwrightError(f"a page shows one robot; this simulation has {what.batch}")
        if options:
            raise GearwrightError(f"a simulation is compiled already: {sorted(options)[0]}= has no meaning for it")
        return what
    robot = what if isinstance(what, Mechanism) else load(Path(what), search_path=tuple(search_path))
    moving = tuple(j.child for j in robot.tree.joints if j.dof and robot.links.get(j.child) is not None)
    return compiled(robot, **{"wrenches": tuple(dict.fromkeys(moving)), **options})


def _server(port: int | None) -> Any:
    try:
        import viser
    except ImportError:
        raise GearwrightError("the page needs viser: pip install 'gearwright[view]'") from None
    server = viser.ViserServer(host="127.0.0.1", port=PORT if port is None else port, verbose=False)
    server.gui.configure_theme(control_layout="floating", control_width="medium", show_share_button=False)
    return server
