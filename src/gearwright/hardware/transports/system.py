"""What the operating system has for clients beside TCP. Windows has neither of these; macOS has the first two."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec

TERMINALS = find_spec("termios") is not None  # pseudo-terminals: serial ports
UNIX_SOCKETS = hasattr(socket, "AF_UNIX")  # python-can's interface "gearwright"
RAW_CAN = UNIX_SOCKETS and sys.platform == "linux"  # drivers of SocketCAN, `gearwright with-bus`
NO_TERMINALS = "this system has no pseudo-terminals: serial ports are not served; see the page on simulated hardware"
NO_UNIX_SOCKETS = 'this system has no unix sockets: python-can clients use interface="socketcand"'
