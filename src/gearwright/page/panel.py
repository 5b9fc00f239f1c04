"""The controls beside the scene: what there is to set, on tabs, and what keeps them up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gearwright.diagnostics import Diagnostic
from gearwright.page.annotations import Annotations
from gearwright.page.command_sliders import CommandSliders
from gearwright.page.contact_view import ContactView
from gearwright.page.controls import Controls
from gearwright.page.dragging import Dragging
from gearwright.page.joint_forces import JointForces
from gearwright.page.joint_sliders import JointSliders
from gearwright.page.labels import SceneLabels
from gearwright.page.mass_centre import MassCentre
from gearwright.page.motion import ShownMotion
from gearwright.page.motor_curves import MotorCurves
from gearwright.page.plain import plain
from gearwright.page.player import Player
from gearwright.page.saving import save_film, save_picture
from gearwright.page.scene import RobotScene
from gearwright.page.signal_plots import SignalPlots
from gearwright.page.transport import Transport

MOST = 50  # diagnostics
FEW = 12  # sliders that need no filter


class PagePanel:
    """Made once; `refresh` brings it up to date with the motion."""

    def __init__(
        self, server: Any, motion: ShownMotion, scene: RobotScene, size: float, diagnostics: Sequence[Diagnostic]
    ) -> None:
        self._server, self._motion, self._scene = server, motion, scene
        controls = Controls(server, motion.lock)
        self._annotations = Annotations(server, SceneLabels(server, motion.lock), motion.robot, size)
        self._player = motion if isinstance(motion, Player) else None
        self._dragging = Dragging(scene, self._player, size) if self._player else None
        touching = self._player is not None and bool(motion.robot.contacts)
        self._contacts = ContactView(server, self._player, size) if touching and self._player is not None else None
        self._centre = MassCentre(server, motion.robot, size)
        self._centre.follows = any(base.dof for base in motion.robot.bases.values())  # what is free may go away
        self._forces = JointForces(server, self._player, size) if self._player is not None else None
        self._parts: list[Any] = [Transport(controls, motion)]
        tabs = controls.gui.add_tab_group()
        with tabs.add_tab("Move"):
            self._move(controls)
        if motion.robot.actuators:
            with tabs.add_tab("Motors"):
                self._parts.append(MotorCurves(controls, motion))
        if motion.units:
            with tabs.add_tab("Plot"):
                self._parts.append(SignalPlots(controls, motion))
        with tabs.add_tab("Show"):
            self._show(controls, diagnostics)
        if self._dragging is not None:
            self._parts.append(self._dragging)
        if self._forces is not None:
            self._parts.append(self._forces)
        if self._contacts is not None:
            self._contacts.show("forces", True)
            self._parts.append(self._contacts)
        self.refresh()

    def _move(self, controls: Controls) -> None:
        if self._player is not None and self._player.sim.options.wrenches:
            hint = "while it runs, a spring pulls what the mouse drags"
            controls.checkbox("drag links", True, lambda change: self._set_drag(change.value), hint)
        if len(self._motion.robot.joints) + len(self._motion.robot.actuators) > FEW:
            controls.text("filter", lambda change: self._filter(change.value), "part of a joint's name")
        sliders: list[JointSliders | CommandSliders] = [JointSliders(controls, self._motion)]
        if self._player is not None:
            sliders.append(CommandSliders(controls, self._player))
        self._filtered = sliders
        self._parts += sliders

    def _filter(self, text: str) -> None:
        for sliders in self._filtered:
            sliders.filter(text)

    def _set_drag(self, enabled: bool) -> None:
        if self._dragging is not None:
            self._dragging.enabled = enabled
            self._dragging.refresh()

    def _show(self, controls: Controls, diagnostics: Sequence[Diagnostic]) -> None:
        from viser import Icon

        scene, drawn, gui = self._scene, self._annotations, controls.gui
        switches: list[tuple[str, bool, Callable[[bool], None]]] = [
            ("visuals", bool(scene.visuals), scene.show_visuals),
            ("collisions", bool(scene.collisions), scene.show_collisions),
            ("joint axes", False, drawn.show_axes),
        ]
        if self._contacts is not None:
            contacts = self._contacts
            switches.append(("contact forces", True, lambda on: contacts.show("forces", on)))
            switches.append(("friction cones", False, lambda on: contacts.show("cones", on)))
        if drawn.couplings:
            switches.append(("couplings", False, lambda on: drawn.show("couplings", on)))
        if drawn.transmissions:
            switches.append(("transmissions", False, lambda on: drawn.show("transmissions", on)))
        centre, forces = self._centre, self._forces
        switches.append(("centre of mass", False, centre.show))
        switches.append(("camera follows", centre.follows, lambda on: setattr(centre, "follows", on)))
        if forces is not None:
            switches.append(("joint forces", False, lambda on: forces.show("force", on)))
            switches.append(("joint torques", False, lambda on: forces.show("torque", on)))
        switches.append(("dark", False, self._dark))
        for label, initial, act in switches:
            controls.checkbox(label, initial, lambda change, act=act: act(change.value))  # type: ignore[misc]
        if forces is not None:
            forces.add_legend(gui)
        controls.button("Save picture", Icon.CAMERA, save_picture)
        controls.button("Save film", Icon.MOVIE, lambda event: save_film(event, self._motion))
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
            self._centre.move(poses)
            for part in self._parts:
                part.refresh()
