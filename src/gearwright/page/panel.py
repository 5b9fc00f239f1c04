"""The controls beside the scene: what there is to set, on tabs, and what keeps them up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gearwright.diagnostics import Diagnostic
from gearwright.page.annotations import Annotations
from gearwright.page.command_sliders import CommandSliders
from gearwright.page.dragging import Dragging
from gearwright.page.joint_sliders import JointSliders
from gearwright.page.motion import Motion
from gearwright.page.motor_curves import MotorCurves
from gearwright.page.plain import plain
from gearwright.page.player import Player
from gearwright.page.scene import RobotScene
from gearwright.page.signal_plots import SignalPlots
from gearwright.page.transport import Transport

MOST = 50  # diagnostics


class Panel:
    """Made once; `refresh` brings it up to date with the motion."""

    def __init__(
        self, server: Any, motion: Motion, scene: RobotScene, size: float, diagnostics: Sequence[Diagnostic]
    ) -> None:
        self._server, self._motion, self._scene, gui = server, motion, scene, server.gui
        self._annotations = Annotations(server, motion.robot, size)
        self._player = motion if isinstance(motion, Player) else None
        self._dragging = Dragging(scene, self._player, size) if self._player else None
        self._parts: list[Any] = [Transport(gui, motion)]
        tabs = gui.add_tab_group()
        with tabs.add_tab("Move"):
            self._move(gui)
        if motion.robot.actuators:
            with tabs.add_tab("Motors"):
                self._parts.append(MotorCurves(gui, motion))
        if motion.units:
            with tabs.add_tab("Plot"):
                self._parts.append(SignalPlots(gui, motion))
        with tabs.add_tab("Show"):
            self._show(gui, diagnostics)
        if self._dragging is not None:
            self._parts.append(self._dragging)
        self.refresh()

    def _move(self, gui: Any) -> None:
        if self._player is not None:
            self._drag_switch(gui, self._player)
        with gui.add_folder("Joints"):
            self._parts.append(JointSliders(gui, self._motion))
        if self._player is not None and self._player.robot.actuators:
            with gui.add_folder("Commands"):
                CommandSliders(gui, self._player)

    def _drag_switch(self, gui: Any, player: Player) -> None:
        if not player.sim.options.wrenches:
            return
        drag = gui.add_checkbox("drag links", True, hint="while it runs, a spring pulls what the mouse drags")
        drag.on_update(lambda _: self._set_drag(drag.value))

    def _set_drag(self, enabled: bool) -> None:
        if self._dragging is not None:
            self._dragging.enabled = enabled
            self._dragging.refresh()

    def _show(self, gui: Any, diagnostics: Sequence[Diagnostic]) -> None:
        scene, drawn = self._scene, self._annotations
        switches: list[tuple[str, bool, Callable[[bool], None]]] = [
            ("visuals", bool(scene.visuals), scene.show_visuals),
            ("collisions", bool(scene.collisions), scene.show_collisions),
            ("joint axes", False, drawn.show_axes),
        ]
        if drawn.couplings:
            switches.append(("couplings", False, lambda on: drawn.show("couplings", on)))
        if drawn.transmissions:
            switches.append(("transmissions", False, lambda on: drawn.show("transmissions", on)))
        switches.append(("dark", False, self._dark))
        for label, initial, act in switches:
            box = gui.add_checkbox(label, initial)
            box.on_update(lambda event, act=act: act(event.target.value))
        with gui.add_folder(f"Diagnostics ({len(diagnostics)})", expand_by_default=bool(diagnostics)):
            gui.add_markdown("\n".join(f"- {plain(str(d))}" for d in diagnostics[:MOST]) or "none")
            if len(diagnostics) > MOST:
                gui.add_markdown(f"and {len(diagnostics) - MOST} more: `gearwright check` lists all")

    def _dark(self, dark: bool) -> None:
        from gearwright.page.server import theme

        theme(self._server, dark)

    def refresh(self) -> None:
        """The scene and the numbers as the motion has them."""
        with self._motion.lock, self._server.atomic():
            poses = self._motion.poses()
            self._scene.move(poses)
            self._annotations.move(poses)
            for part in self._parts:
                part.refresh()
