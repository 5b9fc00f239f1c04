"""A secret that a client says before it is trusted: for servers that other users or machines can reach."""

from __future__ import annotations

import re
from hmac import compare_digest
from typing import Any

from gearwright.errors import GearwrightError

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{8,200}")  # one word of every protocol


def require_token(token: str) -> None:
    """Raises unless it can be a token."""
    if not _TOKEN.fullmatch(token):
        raise GearwrightError("a token has 8 to 200 letters, digits or any of . _ ~ + / = -, and no blanks")


def is_same_token(given: Any, token: str) -> bool:
    """In a time that tells nothing of where they differ."""
    return isinstance(given, str) and compare_digest(given.encode(errors="replace"), token.encode())
