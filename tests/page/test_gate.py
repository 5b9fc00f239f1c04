"""Who may open the page, and what a browser may send it."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gearwright as gw
from gearwright.page.gate import Gate, guarded
from gearwright.page.server import free_port
from tests.sim.robots import FOLDER, GRIPPER

viser = pytest.importorskip("viser")
from tests.page.browser_client import UPGRADE, address, answer, opened, until  # noqa: E402


@pytest.fixture(scope="module")
def shared():
    with gw.view(gw.load(GRIPPER, base="fixed"), port=0, block=False) as page:
        yield page


@pytest.fixture
def page(shared):
    shared.player.playing, shared.player.speed = False, 1.0
    shared.player.command.clear()
    shared.player.reset()
    return shared


PLACES = {
    "a stranger's page": ("127.0.0.1:{port}", ["https://evil.example"], "/{token}"),
    "a page of another port": ("127.0.0.1:{port}", ["http://127.0.0.1:1"], "/{token}"),
    "the same host by another name": ("127.0.0.1:{port}", ["http://localhost:{port}"], "/{token}"),
    "a page without an origin of its own": ("127.0.0.1:{port}", ["null"], "/{token}"),
    "https": ("127.0.0.1:{port}", ["https://127.0.0.1:{port}"], "/{token}"),
    "an empty origin": ("127.0.0.1:{port}", [""], "/{token}"),
    "two origins": ("127.0.0.1:{port}", ["http://127.0.0.1:{port}", "https://evil.example"], "/{token}"),
    "an origin that begins well": ("127.0.0.1:{port}", ["http://127.0.0.1:{port}.evil.example"], "/{token}"),
    "a name that was made ours": ("evil.example:{port}", ["http://evil.example:{port}"], "/{token}"),
    "a name that was made ours, without an origin": ("evil.example:{port}", [], "/{token}"),
    "a name that begins well": ("127.0.0.1.evil.example:{port}", [], "/{token}"),
    "a name with a user": ("127.0.0.1@evil.example", [], "/{token}"),
    "an address of another machine": ("192.168.0.7:{port}", ["http://192.168.0.7:{port}"], "/{token}"),
    "any address": ("0.0.0.0:{port}", ["http://0.0.0.0:{port}"], "/{token}"),
    "no token": ("127.0.0.1:{port}", ["http://127.0.0.1:{port}"], "/"),
    "no token and no origin": ("127.0.0.1:{port}", [], "/"),
    "a wrong token": ("127.0.0.1:{port}", ["http://127.0.0.1:{port}"], "/0123456789abcdefghijkl"),
    "a part of the token": ("127.0.0.1:{port}", ["http://127.0.0.1:{port}"], "/{short}"),
    "the token in another place": ("127.0.0.1:{port}", ["http://127.0.0.1:{port}"], "/x/{token}?{token}"),
    "the share tunnel": ("abc.share.viser.studio", ["https://abc.share.viser.studio"], "/{token}"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_strangers_are_refused(page, name: str) -> None:
    port, token = address(page)
    host, origins, path = PLACES[name]
    words = {"port": port, "token": token, "short": token[:-1]}
    headers = [("Host", host.format(**words)), *(("Origin", o.format(**words)) for o in origins), *UPGRADE.items()]
    found = answer(port, path.format(**words), headers)
    assert found.startswith(b"HTTP/1.1 403 ") and b"gripper" not in found and b"still open" not in found


@pytest.mark.parametrize("hosts", [[], ["127.0.0.1:{port}", "127.0.0.1:{port}"], ["127.0.0.1:{port}", "evil.example"]])
def test_a_request_has_one_host(page, hosts: list[str]) -> None:
    port, token = address(page)
    headers = [*(("Host", host.format(port=port)) for host in hosts), *UPGRADE.items()]
    assert answer(port, f"/{token}", headers).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "localhost:9000"])
@pytest.mark.parametrize("origin", [True, False])
def test_its_own_page_is_let_in(page, host: str, origin: bool) -> None:
    """By any name of this machine, and through a forwarded port."""
    port, token = address(page)
    host = host.format(port=port)
    headers = [("Host", host), *([("Origin", f"http://{host}")] if origin else []), *UPGRADE.items()]
    assert answer(port, f"/{token}", headers).startswith(b"HTTP/1.1 101 ")


def test_the_page_itself(page) -> None:
    """With its token it is viser's; without, it says where to look; by another name it is refused."""
    port, token = address(page)
    own = [("Host", f"127.0.0.1:{port}")]
    for path in (f"/{token}", f"/{token}/", f"/{token}?websocket=ws://127.0.0.1:{port}/{token}"):
        assert b"<title>Viser" in answer(port, path, own)
    assert b"open the address that it printed" in answer(port, "/", own)
    assert answer(port, f"/{token}", [("Host", "evil.example")]).startswith(b"HTTP/1.1 403 ")
    assert answer(port, f"/{token}/../../../etc/passwd", own).startswith(b"HTTP/1.1 404 ")


def test_every_page_has_a_token_of_its_own() -> None:
    tokens = {Gate().token for _ in range(100)}
    assert len(tokens) == 100 and min(map(len, tokens)) >= 20


def test_a_viser_that_asks_nobody_is_not_started() -> None:
    with pytest.raises(gw.GearwrightError, match="cannot keep out other pages"), guarded(Gate()):
        pass


# --- messages -------------------------------------------------------------------------------------------------------


def test_a_person_plays_and_sets_the_speed(page) -> None:
    async def act() -> None:
        async with opened(page) as tab:
            assert "gripper" in str(tab.messages)
            await tab.update("speed [×]", value=2)
            await tab.update("Play", value=True)
            assert await until(lambda: page.player.playing and page.sim.time > 0)
            assert page.player.speed == 2.0
            await tab.update("right_finger", value=0.02)

    asyncio.run(act())


def test_nobody_publishes_it_on_the_internet(page, monkeypatch) -> None:
    import viser._viser

    asked = []

    def tunnel(*place):
        asked.append(place)
        raise AssertionError

    monkeypatch.setattr(viser._viser, "ViserTunnel", tunnel)

    async def act() -> None:
        async with opened(page) as tab:
            await tab.send({"type": "ShareUrlRequest"})
            await tab.send({"type": "ShareUrlDisconnect"})
            await tab.update("speed [×]", value=3.0)
            assert await until(lambda: page.player.speed == 3.0)  # what came later was handled

    asyncio.run(act())
    assert asked == []


NONSENSE = [math.nan, math.inf, -math.inf, True, None, "1e9", [1.0], {"a": 1}, b"1", "", "right_finger"]


@pytest.mark.parametrize("label", ["speed [×]", "right_finger", "motor", "signal", "drag links", "Play", "left_finger"])
def test_nonsense_is_not_taken(page, label: str) -> None:
    """The thread of the simulation lives, and nothing has changed."""
    accepted = {"drag links": [True], "Play": [True]}.get(label, [])

    async def act() -> None:
        async with opened(page) as tab:
            label_of = {m["props"]["label"]: m["uuid"] for m in tab.messages if "label" in m.get("props", {})}
            for value in NONSENSE:
                if value not in accepted:
                    updates = {"value": value}
                    await tab.send({"type": "GuiUpdateMessage", "uuid": label_of[label], "updates": updates})
            for updates in ({"update_cb": []}, {"value": 1.0, "removed": True}, {"props": {}}):
                await tab.send({"type": "GuiUpdateMessage", "uuid": label_of[label], "updates": updates})
            await tab.send({"type": "GuiUpdateMessage", "uuid": "nothing", "updates": {"value": 1.0}})
            await tab.update("speed [×]", value=1.5)
            assert await until(lambda: page.player.speed == 1.5)

    before = page.sim.state.copy()
    asyncio.run(act())
    assert page.player.command == {} and not page.player.playing and (page.sim.state == before).all()
    plays(page)


@pytest.mark.parametrize(("value", "taken"), [(1e9, 4.0), (-1e9, 0.05), (0, 0.05), (2**62, 4.0), (5e-324, 0.05)])
def test_a_speed_is_one_that_the_slider_has(page, value: float, taken: float) -> None:
    async def act() -> None:
        async with opened(page) as tab:
            await tab.update("speed [×]", value=value)
            assert await until(lambda: page.player.speed == taken)

    asyncio.run(act())
    plays(page)


@pytest.mark.parametrize("speed", [math.nan, 0.0, -1.0, math.inf, 1e9])
def test_the_speed_in_python_is_a_number_that_can_be(page, speed: float) -> None:
    with pytest.raises(gw.GearwrightError, match="speed must be a number above 0"):
        page.player.speed = speed


def test_the_fastest_speed_does_not_freeze_it() -> None:
    """A picture makes as many steps as fit into 50 ms, and not 33 s of them."""
    with gw.view(FOLDER / "desk_arm.urdf", port=0, block=False) as page:
        page.player.speed, page.player.playing = 1000.0, True
        time.sleep(0.5)
        begun = time.monotonic()
        page.player.playing = False
        page.player.reset()
        assert time.monotonic() - begun < 2.0


def test_what_a_person_sets_is_not_lost_to_what_the_program_shows(page, monkeypatch) -> None:
    """The simulation brings the sliders up to date after a browser set one, and before that has had an effect."""
    submit = page._server.gui._thread_executor.submit

    def late(act, event):
        page.motion.show()
        return submit(act, event)

    monkeypatch.setattr(page._server.gui._thread_executor, "submit", late)

    async def act() -> None:
        async with opened(page) as tab:
            await tab.update("speed [×]", value=1.5)
            assert await until(lambda: page.player.speed == 1.5)

    asyncio.run(act())


def test_a_speed_beyond_the_slider_stays() -> None:
    with gw.view("gripper", port=0, block=False) as page:
        page.player.speed = 1000.0
        page.motion.show()
        assert page.player.speed == 1000.0


@pytest.mark.parametrize("point", [(math.nan, 0.0, 0.0), (1e300, 0.0, 0.0), (0.0, 0.0, -math.inf)])
def test_a_link_is_pulled_to_a_place(page, point) -> None:
    name = next(drawn.node.name for link, drawn in page.scene.shapes if link == "right_finger_link")

    async def act() -> None:
        async with opened(page) as tab:
            await tab.update("Play", value=True)
            assert await until(lambda: page.player.playing)
            for phase in ("start", "update", "end"):
                message = {
                    "type": "SceneNodeDragMessage", "phase": phase, "name": name, "instance_index": None,
                    "start_position": point, "start_screen_pos": (0.0, 0.0), "end_position": point,
                    "end_screen_pos": (0.0, 0.0), "button": "left", "modifier": None, "owner": "",
                }  # fmt: skip
                await tab.send(message)
            await tab.update("speed [×]", value=1.5)
            assert await until(lambda: page.player.speed == 1.5)

    asyncio.run(act())
    assert page.player.stretch() is None and page.player.error == "" and np.isfinite(page.sim.state).all()


def plays(page) -> None:
    """Its thread is alive and moves the simulation."""
    page.player.playing = True
    before, end = page.sim.time, time.monotonic() + 10
    while page.sim.time <= before and time.monotonic() < end:
        time.sleep(0.02)
    page.player.playing = False
    assert page.sim.time > before


# --- ports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("port", [99999, 65536, -1, 80.5, "8080", True])
def test_a_port_that_is_none_is_an_error_at_once(port) -> None:
    with pytest.raises(gw.GearwrightError, match="a port must be a whole number, 0 … 65535"):
        gw.view(GRIPPER, port=port, block=False)


def test_the_last_ports_taken_are_an_error_and_not_a_wait(monkeypatch) -> None:
    import socket

    class Taken(socket.socket):
        def bind(self, address: object) -> None:
            raise OSError("taken")

    assert free_port(65535) == 65535
    monkeypatch.setattr(socket, "socket", Taken)
    with pytest.raises(gw.GearwrightError, match="no port from 65530 on is free"):
        free_port(65530)


@pytest.mark.parametrize("command", [("view", "gripper"), ("run", "gripper", "--view")])
def test_the_command_line_says_so(command: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "gearwright", *command, "--port", "99999"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "--port" in done.stderr and "65535" in done.stderr


def test_two_pages_start_at_once() -> None:
    """Each with its own gate."""
    pages, sims = [], [gw.compile(gw.load(GRIPPER, base="fixed")) for _ in range(2)]
    threads = [threading.Thread(target=lambda s=s: pages.append(gw.view(s, port=0, block=False))) for s in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = pages
    for page, other in ((first, second), (second, first)):
        port, token = address(page)
        own = [("Host", f"127.0.0.1:{port}"), *UPGRADE.items()]
        assert answer(port, f"/{token}", own).startswith(b"HTTP/1.1 101 ")
        assert answer(port, f"/{address(other)[1]}", own).startswith(b"HTTP/1.1 403 ")
        page.close()
