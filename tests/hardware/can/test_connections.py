"""Clients that are gone before they are greeted disturb nobody."""

from __future__ import annotations

import socket

import can
import pytest

import gearwright as gw
from gearwright.errors import UnknownNameError
from gearwright.hardware.transports import can_socket


def test_clients_that_leave_at_once():
    with gw.serve("scara", protocol="odrive", socketcand="0") as bench:
        server = next(s for s in bench.servers if hasattr(s, "port"))
        with bench.lock:  # the server cannot greet them before they are gone
            for _ in range(5):
                plugin = socket.socket(socket.AF_UNIX)
                plugin.connect(str(can_socket.path_of(bench.channel)))
                plugin.close()
                socket.create_connection((server.host, server.port)).close()
        with can.Bus(interface="gearwright", channel=bench.channel) as bus:
            assert bus.recv(2.0) is not None


@pytest.mark.parametrize("adapter", ["slcan", "fdcanusb"])
def test_adapters_have_ports_with_names(adapter, tmp_path):
    link = tmp_path / "adapter"
    with gw.serve("scara", protocol="odrive", adapters=[adapter], link=link) as bench:
        assert bench.port == str(link) and link.exists()
    assert not link.exists()
    with pytest.raises(UnknownNameError, match="serial CAN adapter"):
        gw.serve("scara", protocol="odrive", adapters=["slacn"])
