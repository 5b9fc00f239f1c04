"""One slider per joint. Moving one places the robot there; its followers and the loops it is in come along."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from gearwright.display.visible import visible
from gearwright.model import Mechanism
from gearwright.model.joints import Joint
from gearwright.page.controls import ControlChange, Controls
from gearwright.page.motion import ShownMotion
from gearwright.page.player import Player
from gearwright.page.sliders import Slider

REACH = {"rad": pi, "m": 0.5}  # to either side, of a joint without limits
MOST = 150  # sliders


class JointSliders:
    """Sliders of a simulation; of a recording they show, and cannot be moved."""

    def __init__(self, controls: Controls, motion: ShownMotion) -> None:
        self._motion = motion
        self._player = motion if isinstance(motion, Player) else None
        self._sliders: dict[str, Slider] = {}
        self._followers = exact_followers(motion.robot)
        joints = [j for j in motion.robot.tree.joints if j.dof == 1 and j.axes]
        for unit in REACH:
            own = [j for j in joints[:MOST] if (j.type.prismatic) == (unit == "m")]
            if own:
                self._folder(controls, own, unit)
        if len(joints) > MOST:
            controls.gui.add_markdown(f"and {len(joints) - MOST} joints more")

    def _folder(self, controls: Controls, joints: Sequence[Joint], unit: str) -> None:
        with controls.gui.add_folder(f"Joints [{unit}]"):
            for joint in joints:
                self._add(controls, joint, unit)

    def _add(self, controls: Controls, joint: Joint, unit: str) -> None:
        limits, name, follows = joint.axes[0].limits, joint.name, joint.name in self._followers
        if not limits.lower < limits.upper:
            return
        self._sliders[name] = Slider(
            controls, visible(name), (limits.lower, limits.upper), REACH[unit], self._motion.position(name),
            lambda change: self._moved(name, change), disabled=follows or self._player is None,
            hint=f"{visible(name)} [{unit}]" + (", follows others" if follows else ""),
        )  # fmt: skip

    def _moved(self, name: str, change: ControlChange) -> None:
        """A person moved it: not we, and not while the simulation decides."""
        if self._player is None or not change.by_person or self._player.playing:
            return
        given = {name: float(change.value)}
        if not self._player.robot.tree.cuts:  # where there are loops, they decide about the others
            others = (n for n in self._sliders if n != name and n not in self._followers)
            given = {n: self._motion.position(n) for n in others} | given
        self._player.reset(given)

    def filter(self, text: str) -> None:
        """Shows those whose names have this in them."""
        for name, slider in self._sliders.items():
            slider.handle.visible = text.casefold() in name.casefold()

    def refresh(self) -> None:
        for name, slider in self._sliders.items():
            slider.show(self._motion.position(name))


def exact_followers(robot: Mechanism) -> set[str]:
    return {str(c.follower.joint) for c in robot.couplings.exact}
