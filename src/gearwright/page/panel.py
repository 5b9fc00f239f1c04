"""The controls beside the scene."""

from __future__ import annotations

from math import isfinite, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.display.visible import visible

if TYPE_CHECKING:
    from gearwright.page.player import Player
    from gearwright.page.scene import RobotScene

REACH = {True: pi, False: 0.5}  # of a slider for a joint without limits: [rad], [m]
NOTHING = "(nothing)"


class Panel:
    """Made once; `refresh` brings it up to date with the simulation."""

    def __init__(self, server: Any, player: Player, scene: RobotScene, diagnostics: list[str]) -> None:
        self._server, self._player, self._scene, self._gui = server, player, scene, server.gui
        self._sliders: dict[str, Any] = {}
        self._moving = False  # sliders are being set by us
        self._plot: Any = None
        self._gizmo: Any = None
        self._status = self._gui.add_markdown("")
        self._play()
        self._joints()
        self._commands()
        self._pull()
        self._plots()
        self._look()
        if diagnostics:
            with self._gui.add_folder("Diagnostics", expand_by_default=False):
                self._gui.add_markdown("\n".join(f"- {_plain(line)}" for line in diagnostics[:50]))
        self.refresh()

    # --- parts -----------------------------------------------------------------------------------------------------

    def _play(self) -> None:
        with self._gui.add_folder("Simulation"):
            self._playing = self._gui.add_checkbox("play", False)
            speed = self._gui.add_slider("speed", 0.05, 4.0, 0.05, 1.0)
            single = self._gui.add_button("step")
            again = self._gui.add_button("reset")
        self._playing.on_update(lambda _: setattr(self._player, "playing", self._playing.value))
        speed.on_update(lambda _: setattr(self._player, "speed", speed.value))
        single.on_click(lambda _: self._single())
        again.on_click(lambda _: self._reset())

    def _single(self) -> None:
        self._player.step(1)
        self.refresh()

    def _reset(self) -> None:
        self._playing.value = self._player.playing = False
        self._player.reset()

    def _joints(self) -> None:
        sim = self._player.sim
        with self._gui.add_folder("Joints"):
            for joint in sim.robot.tree.joints:
                if joint.dof != 1 or not joint.axes:
                    continue
                limits, name = joint.axes[0].limits, joint.name
                reach = REACH[joint.type.name != "prismatic"] if hasattr(joint.type, "name") else pi
                low = limits.lower if isfinite(limits.lower) else -reach
                high = limits.upper if isfinite(limits.upper) else reach
                if not low < high:
                    continue
                start = float(np.clip(sim.position[name], low, high))
                slider = self._gui.add_slider(visible(name), low, high, (high - low) / 500, start)
                follows = any(str(c.follower.joint) == name and c.mode == "exact" for c in sim.robot.couplings.values())
                slider.disabled = follows
                self._sliders[name] = slider
                slider.on_update(lambda event, name=name: self._moved(name, event))

    def _moved(self, name: str, event: Any) -> None:
        """A person moved a slider: the robot stands there, followers and loops come along."""
        if self._moving or event.client is None or self._player.playing:
            return
        followers = {n for n, s in self._sliders.items() if s.disabled}
        given = {n: float(s.value) for n, s in self._sliders.items() if n == name or n not in followers}
        if self._player.sim.robot.tree.cuts:
            given = {name: float(self._sliders[name].value)}  # the loop decides about the others
        self._player.reset(given)

    def _commands(self) -> None:
        actuators = self._player.sim.robot.actuators
        if not actuators:
            return
        with self._gui.add_folder("Commands"):
            for name, actuator in actuators.items():
                limit = getattr(actuator, "effort_limit", float("inf"))
                stall = getattr(actuator, "stall_torque", None)
                reach = limit if isfinite(limit) else (stall or 1.0)
                if actuator.command not in ("effort", "torque"):
                    reach = max(reach, 10.0)
                slider = self._gui.add_slider(visible(name), -reach, reach, reach / 200, 0.0)
                slider.on_update(lambda event, name=name: self._commanded(name, event.target.value))

    def _commanded(self, name: str, value: float) -> None:
        self._player.command[name] = float(value)

    def _pull(self) -> None:
        links = self._player.sim.options.wrenches
        if not links:
            return
        with self._gui.add_folder("Pull a link"):
            choice = self._gui.add_dropdown("link", (NOTHING, *links), initial_value=NOTHING)
        choice.on_update(lambda _: self._pulled(choice.value))

    def _pulled(self, link: str) -> None:
        if self._gizmo is not None:
            self._gizmo.remove()
            self._gizmo = None
        self._player.pulled = None
        if link == NOTHING:
            return
        place = self._player.sim.pose[link][:3, 3]
        gizmo = self._gizmo = self._server.scene.add_transform_controls(
            "/pull", scale=0.2, disable_rotations=True, position=place
        )
        self._player.pulled = (link, np.asarray(place))
        gizmo.on_update(lambda _: setattr(self._player, "pulled", (link, np.asarray(gizmo.position))))

    def _plots(self) -> None:
        signals = list(self._player.readings())
        if not signals:
            return
        with self._gui.add_folder("Plot"):
            self._signal = self._gui.add_dropdown("signal", tuple(signals), initial_value=signals[0])
            self._plot = self._gui.add_uplot(
                (np.zeros(2), np.zeros(2)), ({"label": "t"}, {"label": "value", "stroke": "#2f6f9f", "width": 2}),
                aspect=2.0,
            )  # fmt: skip

    def _look(self) -> None:
        with self._gui.add_folder("Look", expand_by_default=False):
            visuals = self._gui.add_checkbox("visuals", True)
            collisions = self._gui.add_checkbox("collisions", False)
            dark = self._gui.add_checkbox("dark", False)
        visuals.on_update(lambda _: self._scene.show_visuals(visuals.value))
        collisions.on_update(lambda _: self._scene.show_collisions(collisions.value))
        dark.on_update(lambda _: self._gui.configure_theme(dark_mode=dark.value))

    # --- keeping up ------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """The scene and the numbers as the simulation has them."""
        player, sim = self._player, self._player.sim
        with player.lock:
            poses = {name: sim.pose[name] for name in sim.robot.links}
            positions = {name: float(sim.position[name]) for name in self._sliders}
            history, time, error = list(player.history), sim.time, player.error
        self._scene.move(poses)
        self._moving = True
        for name, value in positions.items():
            slider = self._sliders[name]
            if abs(slider.value - value) > slider.step / 2:
                slider.value = float(np.clip(value, slider.min, slider.max))
        self._moving = False
        state = "running" if player.playing else "paused"
        trouble = f"\n\n**{_plain(error)}**" if error else ""
        self._status.content = f"**{_plain(sim.robot.name)}** — {time:.3f} s, {state}{trouble}"
        if self._playing.value != player.playing:
            self._playing.value = player.playing
        if self._plot is not None and len(history) > 1:
            key = self._signal.value
            values = np.array([row.get(key, np.nan) for _, row in history])
            self._plot.data = (np.array([t for t, _ in history]), values)


def _plain(text: str) -> str:
    """Names from files, without the marks of Markdown and HTML."""
    return "".join(f"\\{c}" if c in "*_`#[]()" else {"<": "‹", ">": "›", "&": "+"}.get(c, c) for c in visible(text))
