"""A slider a joint. Moving one places the robot there; its followers and the loops it is in come along."""

from __future__ import annotations

from math import isfinite, pi
from typing import Any

import numpy as np

from gearwright.display.visible import visible
from gearwright.errors import counted
from gearwright.model import Mechanism
from gearwright.model.joints import Joint
from gearwright.page.motion import Motion
from gearwright.page.player import Player

REACH = {False: pi, True: 0.5}  # of a joint without limits, turning [rad] or sliding [m]
STEPS = 500
MOST = 150  # sliders


class JointSliders:
    """Sliders of a simulation; of a recording they show, and cannot be moved."""

    def __init__(self, gui: Any, motion: Motion) -> None:
        self._motion = motion
        self._player = motion if isinstance(motion, Player) else None
        self._sliders: dict[str, Any] = {}
        followers = exact_followers(motion.robot)
        shown = [j for j in motion.robot.tree.joints if j.dof == 1 and j.axes]
        for joint in shown[:MOST]:
            self._add(gui, joint, joint.name in followers)
        if len(shown) > MOST:
            gui.add_markdown(f"and {counted(len(shown) - MOST, 'more joint')}")

    def _add(self, gui: Any, joint: Joint, follows: bool) -> None:
        limits, name, reach = joint.axes[0].limits, joint.name, REACH[joint.type.prismatic]
        low = limits.lower if isfinite(limits.lower) else -reach
        high = limits.upper if isfinite(limits.upper) else reach
        if not low < high:
            return
        start = float(np.clip(self._motion.position(name), low, high))
        unit = "m" if joint.type.prismatic else "rad"
        slider = gui.add_slider(
            visible(name), low, high, (high - low) / STEPS, start, disabled=follows or self._player is None,
            hint=f"{name} [{unit}]" + (", follows others" if follows else ""),
        )  # fmt: skip
        self._sliders[name] = slider
        slider.on_update(lambda event: self._moved(name, event))

    def _moved(self, name: str, event: Any) -> None:
        """A person moved it: not we, and not while the simulation decides."""
        if self._player is None or event.client is None or self._player.playing:
            return
        given = {n: float(s.value) for n, s in self._sliders.items() if not s.disabled}
        if self._player.robot.tree.cuts:
            given = {name: float(self._sliders[name].value)}  # the loop decides about the others
        self._player.reset(given)

    def refresh(self) -> None:
        for name, slider in self._sliders.items():
            value = self._motion.position(name)
            if abs(slider.value - value) > slider.step / 2:
                slider.value = float(np.clip(value, slider.min, slider.max))


def exact_followers(robot: Mechanism) -> set[str]:
    return {str(c.follower.joint) for c in robot.couplings.values() if c.mode == "exact"}
