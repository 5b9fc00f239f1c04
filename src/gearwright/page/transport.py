"""Play, pause, step, speed; of a recording its time."""

from __future__ import annotations

from typing import Any

from gearwright.page.motion import Motion
from gearwright.page.plain import plain
from gearwright.page.replay import Replay

SPEEDS = (0.05, 4.0)
TIME_STEPS = 1000  # of the slider of a recording
STEP, RESET, START = "step", "reset", "to start"


class Transport:
    """The controls at the top, always there."""

    def __init__(self, gui: Any, motion: Motion) -> None:
        from viser import Icon

        self._motion, self._icons = motion, (Icon.PLAYER_PLAY, Icon.PLAYER_PAUSE)
        self._replay = motion if isinstance(motion, Replay) else None
        self._status = gui.add_markdown("")
        self._play = gui.add_button("Play", icon=self._icons[0])
        self._buttons = gui.add_button_group("", (STEP, START if self._replay else RESET))
        self._time = self._time_slider(gui) if self._replay else None
        speed = gui.add_slider("speed", *SPEEDS, 0.05, 1.0, hint="times real time")
        if self._replay and self._replay.recording.batch > 1:
            self._robots(gui, self._replay)
        self._play.on_click(lambda _: self._toggle())
        self._buttons.on_click(lambda event: self._press(event.target.value))
        speed.on_update(lambda _: setattr(motion, "speed", float(speed.value)))

    def _time_slider(self, gui: Any) -> Any:
        assert self._replay is not None
        first, last = float(self._replay.times[0]), float(self._replay.times[-1])
        last = max(last, first + 1e-6)
        slider = gui.add_slider("time", first, last, (last - first) / TIME_STEPS, first, hint="of the recording [s]")
        slider.on_update(self._seek)
        return slider

    def _seek(self, event: Any) -> None:
        if event.client is not None and self._replay is not None:  # a person's hand, not ours
            self._replay.seek(float(event.target.value))

    def _robots(self, gui: Any, replay: Replay) -> None:
        number = gui.add_number("robot", 0, min=0, max=replay.recording.batch - 1, step=1, hint="of the batch")
        number.on_update(lambda _: setattr(replay, "index", int(number.value)))

    def _toggle(self) -> None:
        if not self._motion.playing and self._replay is not None:
            self._replay.play_on()
        self._motion.playing = not self._motion.playing
        self.refresh()

    def _press(self, which: str) -> None:
        self._motion.playing = False
        if which == STEP:
            self._motion.step(1)
            self._motion.show()
        else:
            self._motion.reset()

    def refresh(self) -> None:
        motion = self._motion
        trouble = f"\n\n**{plain(motion.error)}**" if motion.error else ""
        kind = "recording of " if self._replay else ""
        text = f"{kind}**{plain(motion.robot.name)}** at {motion.time:.3f} s{trouble}"
        if self._status.content != text:
            self._status.content = text
        label = "Pause" if motion.playing else "Play"
        if self._play.label != label:
            self._play.label, self._play.icon = label, self._icons[motion.playing]
        if self._time is not None and abs(self._time.value - motion.time) > self._time.step / 2:
            self._time.value = min(self._time.max, max(self._time.min, motion.time))
