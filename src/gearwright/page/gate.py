"""Who may open the page: whoever has its address, whose token no other page knows.

Any page of a browser on this machine can open a WebSocket to a loopback port, and can make its own name one of
127.0.0.1. So a request is served only if its `Host` is this machine, its `Origin`, where a browser gives one, is the
same as its host, and its path begins with the token.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from http import HTTPStatus
from typing import Any

from gearwright.errors import GearwrightError

HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")  # another port: forwarded, as by ssh -L
HINT = "<!doctype html><html><body><p>This is the viewer of Gearwright. Please open the address that it printed.</p>"
_STARTING = threading.Lock()

Process = Callable[[Any, Any], Any]  # of websockets: connection, request → response, or None to go on


class Gate:
    """Judges requests, and takes the token off those that pass."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(16)
        self.guards = False  # whether a server asks it

    def before(self, process: Process | None) -> Process:
        """A server's `process_request`, asked after this one."""
        self.guards = True

        def judged(connection: Any, request: Any) -> Any:
            if not self.is_same_site(request.headers):
                return connection.respond(HTTPStatus.FORBIDDEN, "this page is for its own machine and origin\n")
            rest = self.without_token(request.path)
            if rest is None:
                return _hint(connection, request)
            request.path = rest
            return process(connection, request) if process is not None else None

        return judged

    def is_same_site(self, headers: Any) -> bool:
        """Asked for by a name of this machine, and by nobody else's page."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or not HOST.fullmatch(hosts[0]):
            return False
        return origins in ([], [f"http://{hosts[0]}"])

    def without_token(self, path: str) -> str | None:
        """The path behind its token; None if the token is missing or wrong."""
        head, query, parameters = path.partition("?")
        first, _, rest = head.removeprefix("/").partition("/")
        is_known = compare_digest(first.encode(errors="replace"), self.token.encode())
        return f"/{rest}{query}{parameters}" if is_known else None


def _hint(connection: Any, request: Any) -> Any:
    """For a person who has typed the address without its token."""
    if "Upgrade" in request.headers:
        return connection.respond(HTTPStatus.FORBIDDEN, "the token is missing or wrong\n")
    response = connection.respond(HTTPStatus.OK, HINT)
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = "text/html; charset=utf-8"
    return response


@contextmanager
def guarded(gate: Gate) -> Iterator[None]:
    """Servers that viser starts meanwhile ask the gate; viser itself asks nobody. Raises if none did."""
    from websockets.asyncio import server

    with _STARTING:
        serve: Any = server.serve

        def serve_guarded(handler: Any, *places: Any, process_request: Process | None = None, **options: Any) -> Any:
            if handler.__module__.startswith("viser."):
                process_request = gate.before(process_request)
            return serve(handler, *places, process_request=process_request, **options)

        server.serve = serve_guarded  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            server.serve = serve  # type: ignore[misc]
    if not gate.guards:
        raise GearwrightError("this version of viser cannot keep out other pages of a browser: install viser 1.1")
