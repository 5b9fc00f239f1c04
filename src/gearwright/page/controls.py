"""Buttons, sliders and menus. Here alone a browser's values come in: each is checked before anything sees it.

viser takes every message as it is: any number, any text, any attribute of a control, and a wish to publish the page on
the internet. Only three kinds of messages are let through: drags of links, keys that have a meaning, and values of
controls, of which only those that a person could have set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

TAKEN = "SceneNodeDragMessage"
LONGEST_TEXT = 100  # characters that a browser may send
Accept = Callable[[Any], Any]  # the value as it is taken; raises ValueError where it is none


class ControlChange(NamedTuple):
    """A control has another value."""

    value: Any
    by_person: bool  # in a browser, not by the program


Act = Callable[[ControlChange], None]


class Controls:
    """Makes controls, and knows what each of them can be set to. `gui`: for what only shows.

    A changed value acts under `lock`, as whoever keeps the page up to date does.
    """

    def __init__(self, server: Any, lock: AbstractContextManager[Any]) -> None:
        from viser import _messages

        self._lock = lock
        self.gui, self._accepts, self._keys = server.gui, dict[str, Accept](), set[str]()
        self._set = dict[str, Any]()  # what browsers last set
        incoming = server._websock_server
        for kind in [k for k in incoming._incoming_handlers if k.__name__ != TAKEN]:
            incoming.unregister_handler(kind)
        incoming.register_handler(_messages.GuiUpdateMessage, self._take)
        incoming.register_handler(_messages.CommandTriggerMessage, self._trigger)

    async def _trigger(self, client: Any, message: Any) -> None:
        """A key that a browser says was pressed: it can be one of ours only."""
        if isinstance(message.uuid, str) and message.uuid in self._keys:
            await self.gui._handle_command_trigger(client, message)

    async def _take(self, client: Any, message: Any) -> None:
        """A message of a browser, once its value is known to be one."""
        try:
            updates = self.accepted(message.uuid, message.updates)
        except ValueError:
            return
        if "value" in updates:
            self._set[message.uuid] = updates["value"]
        await self.gui._handle_gui_updates(client, replace(message, updates=updates))

    def accepted(self, uuid: Any, updates: Any) -> dict[str, Any]:
        """The part of a message that is valid. Raises ValueError if none of it is."""
        accept = self._accepts.get(uuid) if isinstance(uuid, str) else None
        if accept is None or not isinstance(updates, Mapping) or set(updates) - {"value"}:
            raise ValueError("no control has this")
        return {"value": accept(updates["value"])} if "value" in updates else {}

    def _known(self, handle: Any, accept: Accept, act: Act | None) -> Any:
        """`act` runs in another thread, when the program may have set the control again."""
        uuid = handle._impl.uuid
        self._accepts[uuid] = accept
        if act is not None:
            handle.on_update(partial(self._act, uuid, act))
        return handle

    def _act(self, uuid: str, act: Act, event: Any) -> None:
        with self._lock:
            act(self._change(uuid, event))

    def _change(self, uuid: str, event: Any) -> ControlChange:
        by_person = event.client is not None
        return ControlChange(self._set[uuid] if by_person else event.target.value, by_person)

    def slider(
        self, label: str, shown: tuple[float, float], step: float, value: float, act: Act, *,
        allowed: tuple[float, float] | None = None, hint: str | None = None, disabled: bool = False,
    ) -> Any:  # fmt: skip
        """A slider from end to end of `shown`; its box takes numbers of `allowed`, if that is more."""
        low, high = allowed or shown
        handle = self.gui.add_slider(label, *shown, step, value, hint=hint, disabled=disabled)
        return self._known(handle, _refused if disabled else number_of(low, high), act)

    def number(self, label: str, value: int, most: int, act: Act, hint: str) -> Any:
        """A whole number, 0 … most."""
        handle = self.gui.add_number(label, value, min=0, max=most, step=1, hint=hint)
        return self._known(handle, number_of(0, most), act)

    def checkbox(self, label: str, value: bool, act: Act, hint: str | None = None) -> Any:
        return self._known(self.gui.add_checkbox(label, value, hint=hint), one_of((True, False)), act)

    def menu(self, label: str, options: Sequence[str], value: str, act: Act, visible: bool = True) -> Any:
        handle = self.gui.add_dropdown(label, tuple(options), initial_value=value, visible=visible)
        return self._known(handle, one_of(options), act)

    def offer(self, menu: Any, options: Sequence[str]) -> None:
        """Other options for a menu; what is chosen stays if it is among them."""
        if menu.options != tuple(options):
            self._accepts[menu._impl.uuid] = one_of(options)
            menu.options = tuple(options)

    def button(self, label: str, icon: Any, act: Callable[[Any], None]) -> Any:
        handle = self.gui.add_button(label, icon=icon)
        handle.on_click(act)
        return self._known(handle, one_of((True, False)), None)

    def key(self, label: str, key: str, act: Callable[[], None]) -> None:
        """A key of the keyboard, which the list of commands (Ctrl-K) names."""
        handle = self.gui.add_command(label, hotkey=key)
        handle.on_trigger(lambda _: act())
        self._keys.add(handle._impl.uuid)

    def text(self, label: str, act: Act, hint: str) -> Any:
        return self._known(self.gui.add_text(label, "", hint=hint), short_text, act)

    def buttons(self, options: Sequence[str], act: Callable[[Any], None]) -> Any:
        handle = self.gui.add_button_group("", tuple(options))
        handle.on_click(act)
        return self._known(handle, one_of(options), None)


def number_of(low: float, high: float) -> Accept:
    """Finite numbers; those beyond an end are that end."""

    def accept(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise ValueError("no finite number")
        return min(high, max(low, value))

    return accept


def short_text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError("no short text")
    return value


def one_of(options: Sequence[Any]) -> Accept:
    def accept(value: Any) -> Any:
        for option in options:
            if type(value) is type(option) and value == option:
                return option
        raise ValueError("none of the options")

    return accept


def _refused(value: Any) -> Any:
    raise ValueError("a control that only shows")
