"""Play, pause, step, speed; of a recording its time."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from gearwright.page.controls import ControlChange, Controls
from gearwright.page.motion import ShownMotion
from gearwright.page.plain import plain
from gearwright.page.player import Player
from gearwright.page.replay import Replay

SPEEDS = (0.05, 4.0)
TIME_STEPS = 1000  # of the slider of a recording
STEP, BACK, RESET, START = "step", "back", "reset", "to start"


class Transport:
    """The controls at the top, always there."""

    def __init__(self, controls: Controls, motion: ShownMotion) -> None:
        from viser import Icon

        self._motion, self._icons = motion, (Icon.PLAYER_PLAY, Icon.PLAYER_PAUSE)
        self._replay = motion if isinstance(motion, Replay) else None
        self._status = controls.gui.add_markdown("")
        self._play = controls.button("Play", self._icons[0], lambda _: self._toggle())
        choices = STEP, START if self._replay else RESET
        self._buttons = controls.buttons(choices, lambda event: self._press(event.target.value))
        self._time = self._time_slider(controls) if self._replay else None
        self._speed = controls.slider("speed [×]", SPEEDS, 0.05, 1.0, self._set_speed, hint="times real time")
        if self._replay and self._replay.recording.batch > 1:
            self._robots(controls, self._replay)
        controls.key("Play or pause", "space", self._toggle)
        controls.key("Step", "arrowright", lambda: self._press(STEP))
        if self._replay:
            controls.key("Step back", "arrowleft", lambda: self._press(BACK))
        controls.key("Reset", "R", lambda: self._press(RESET))

    def _set_speed(self, change: ControlChange) -> None:
        if change.by_person:
            self._motion.speed = float(change.value)

    def _time_slider(self, controls: Controls) -> Any:
        assert self._replay is not None
        first, last = float(self._replay.times[0]), float(self._replay.times[-1])
        last = max(last, first + 1e-6)
        step = 10.0 ** floor(log10((last - first) / TIME_STEPS))
        return controls.slider("time [s]", (first, last), step, first, self._seek, hint="of the recording")

    def _seek(self, change: ControlChange) -> None:
        if change.by_person and self._replay is not None:
            self._replay.seek(float(change.value))

    def _robots(self, controls: Controls, replay: Replay) -> None:
        def chosen(change: ControlChange) -> None:
            replay.index = int(change.value)

        controls.number("robot", 0, replay.recording.batch - 1, chosen, hint="of the batch")

    def _toggle(self) -> None:
        if not self._motion.playing and self._replay is not None:
            self._replay.play_on()
        self._motion.playing = not self._motion.playing
        self.refresh()

    def _press(self, which: str) -> None:
        self._motion.playing = False
        if which in (STEP, BACK):
            self._motion.step(1 if which == STEP else -1)
            self._motion.show()
        else:
            self._motion.reset()

    def refresh(self) -> None:
        motion = self._motion
        hint = ""
        if isinstance(motion, Player) and motion.demonstration.running and not motion.demonstration.over:
            hint = "\n\n*nothing moved, so it swings: set a command or pull a link to end that*"
        trouble = f"\n\n**{plain(motion.error)}**" if motion.error else ""
        kind = "recording of " if self._replay else ""
        text = f"{kind}**{plain(motion.robot.name)}** at {motion.time:.3f} s{hint}{trouble}"
        if self._status.content != text:
            self._status.content = text
        label = "Pause" if motion.playing else "Play"
        if self._play.label != label:
            self._play.label, self._play.icon = label, self._icons[motion.playing]
        if self._speed.value != motion.speed:
            self._speed.value = min(SPEEDS[1], max(SPEEDS[0], motion.speed))
        if self._time is not None and abs(self._time.value - motion.time) > self._time.step / 2:
            self._time.value = min(self._time.max, max(self._time.min, motion.time))
